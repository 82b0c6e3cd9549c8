package sim

import (
	"fmt"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Fault describes why a kernel stopped: an access outside of an allocation, a barrier
// that not all threads can reach, a trap. The driver API returns only a result code;
// LastFault returns the Fault.
type Fault struct {
	Kernel string    // symbol of the kernel
	Line   int       // in the PTX
	Instr  string    // the instruction, as the PTX has it
	Source string    // file:line of the source, if the PTX was made with -lineinfo
	Block  [3]uint32 // index in the grid
	Thread [3]uint32 // index in the block
	Lane   int       // of the warp
	Reason string    // what is wrong

	code      driver.Result
	abandoned bool // only because another block failed
}

// Error returns kernel, line, instruction, block, thread and lane, and the reason.
func (f *Fault) Error() string {
	at := ""
	if f.Source != "" {
		at = " (" + f.Source + ")"
	}
	return fmt.Sprintf("%s: PTX line %d%s: %s: %s [block (%d,%d,%d), thread (%d,%d,%d), lane %d]", f.Kernel, f.Line, at, f.Instr, f.Reason,
		f.Block[0], f.Block[1], f.Block[2], f.Thread[0], f.Thread[1], f.Thread[2], f.Lane)
}

var lastFault atomic.Pointer[Fault]

// LastFault returns the latest fault of this process, or nil. Any goroutine may call it.
func LastFault() *Fault { return lastFault.Load() }

// fault describes what went wrong at pc in a lane of w.
func (b *block) fault(w *warp, pc int32, lane int, code driver.Result, format string, args ...any) *Fault {
	at := b.k.places[pc]
	first, l := uint32(w.first), uint32(lane)
	return &Fault{
		Kernel: b.k.name, Line: at.line, Instr: at.text, Source: at.source,
		Block:  [3]uint32{b.index.X, b.index.Y, b.index.Z},
		Thread: [3]uint32{tidX.value(b, first, l), tidY.value(b, first, l), tidZ.value(b, first, l)},
		Lane:   lane,
		Reason: fmt.Sprintf(format, args...),
		code:   code,
	}
}
