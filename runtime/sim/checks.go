package sim

// checks is how a launch is run in tests.
type checks struct {
	races       bool // races in shared memory are found
	arrays      bool // accesses beyond arrays in shared and local memory are found
	undefined   bool // uses of undefined values are found
	exited      bool // barriers and member masks that count on threads which have exited are found
	coverage    bool // what is executed is counted
	globalRaces bool // races in global memory are found
	redZones    bool // accesses beyond what slices cover are found
	plainly     bool // each instruction is executed, and each access looked at, by itself: tests compare the faster ways with that
	schedule    schedule
	watch       watch
}
