package interp

// Checks is how a launch is run in tests.
type Checks struct {
	Races       bool // races in shared memory are found
	Arrays      bool // accesses beyond arrays in shared and local memory are found
	Undefined   bool // uses of undefined values are found
	Exited      bool // barriers and member masks that count on threads which have exited are found
	Coverage    bool // what is executed is counted
	GlobalRaces bool // races in global memory are found
	RedZones    bool // accesses beyond what slices cover are found
	plainly     bool // each instruction is executed, and each access looked at, by itself: tests compare the faster ways with that
	Schedule    Schedule
	Watch       Watch
}
