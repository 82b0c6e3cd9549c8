// Package stops decides where launches stop for a debugger: at breakpoints, behind steps, at accesses to memory that is watched, at reports of checks,
// and at a moment of an earlier run. It knows kernels as bytecode has them, and where warps stand. It knows neither how instructions are executed nor
// who asks for stops.
package stops

import (
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A Debugger stops launches at instructions. Launches run one after another, and the blocks of each on one worker, so
// that the same program comes to the same instructions in the same order.
//
// The functions are called by the goroutine that executes the launch, which goes on when they return. They
// are set before the first launch. Methods may be called at any time.
type Debugger struct {
	Began   func(*Launch)
	Stopped func(*Stop) Resume
	Ended   func(*Launch)

	turn     sync.Mutex   // of the launch that runs
	waiting  atomic.Int32 // launches that wait for their turn
	launches uint64       // under turn

	mu      sync.Mutex // guards what follows
	breaks  map[*bytecode.Kernel]map[int32]bool
	watches []*Watchpoint
	target  Moment
	paused  bool
	trace   *trace
	written *Access // by the last write that a watch has logged
}

// A Moment is an instruction of a warp, as it is executed: the countth of a launch. The zero value is none.
type Moment struct {
	Launch uint64 // from 1
	Count  uint64 // from 1
	After  bool   // what the instruction does is done
}

// Why a launch stops.
const (
	AtBreakpoint = "breakpoint"
	AtStep       = "step"
	AtPause      = "pause"
	AtData       = "data breakpoint" // after the access
	AtReport     = "report"          // of a check, before the instruction does what is reported
	AtFault      = "fault"           // which ends the launch
	AtTarget     = "target"
)

// A Stop is a launch that has stopped in front of an instruction, or behind it.
type Stop struct {
	Launch  *Launch
	Reason  string
	Moment  Moment
	Block   driver.Dim3
	Warp    int
	PC      int32
	Mask    uint32 // of the lanes that stand there
	Active  uint32 // of those that execute it
	Lane    int    // that it is about
	Text    string // of a report or a fault
	Access  *Access
	Stepped bool // a step ends here, too, whatever the reason is
	Ended   bool // of a step: the warp or lane has ended
}

// A StepKind is how far a step goes.
type StepKind uint8

const (
	NoStep          StepKind = iota
	StepInstruction          // to the next instruction
	StepInto                 // to another line, also of a function that is called
	StepOver                 // to another line of the function or its caller
	StepOut                  // to the caller
	KeepStep                 // as before the launch stopped
)

// A Resume says how a launch goes on.
type Resume struct {
	Kind   StepKind
	ByWarp bool // a step ends with any lane of the warp
	Block  driver.Dim3
	Warp   int
	Lane   int
}

// SetBreakpoints makes launches of k stop in front of the instructions at pcs, and at no others.
func (d *Debugger) SetBreakpoints(k *bytecode.Kernel, pcs []int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.breaks == nil {
		d.breaks = make(map[*bytecode.Kernel]map[int32]bool)
	}
	set := make(map[int32]bool)
	for _, pc := range pcs {
		set[pc] = true
	}
	d.breaks[k] = set
}

// SetWatchpoints makes launches stop behind accesses that watches are for, and no others.
func (d *Debugger) SetWatchpoints(watches []*Watchpoint) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watches, d.written = watches, nil
}

// SetTarget makes the launch of a moment stop there.
func (d *Debugger) SetTarget(m Moment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.target = m
}

// Pause makes the launch that runs stop in front of its next instruction, or else the next launch.
func (d *Debugger) Pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused = true
}

// Written returns the last access that a watch has logged, or nil.
func (d *Debugger) Written() *Access {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.written
}

// Begin begins a launch of k when the one before it has ended. A nil Debugger follows none, and returns nil.
func (d *Debugger) Begin(k *bytecode.Kernel, cfg driver.LaunchConfig, params []byte, i Inspector) *Launch {
	if d == nil {
		return nil
	}
	d.waiting.Add(1)
	d.turn.Lock()
	d.waiting.Add(-1)
	d.launches++
	l := &Launch{Number: d.launches, Kernel: k, Config: cfg, Params: params, Inspector: i, d: d, before: make(map[Warp]passed)}
	d.Began(l)
	return l
}

// End ends l, which may be nil.
func (l *Launch) End() {
	if l != nil {
		l.d.Ended(l)
		l.d.turn.Unlock()
	}
}
