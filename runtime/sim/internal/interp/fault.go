package interp

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A Failure is why a kernel stopped: an access outside of an allocation, a barrier that not
// all threads can reach, a trap.
type Failure struct {
	driver.Fault
}

// Error returns kernel, line, instruction and the reason, block, thread and lane.
func (f *Failure) Error() string {
	if f.Symbol == "" {
		return f.Reason
	}
	at := ""
	if f.Source != "" {
		at = fmt.Sprintf(" (%s:%d)", f.Source, f.Line)
		if inlined := driver.InlinedText(f.InlinedAt); inlined != "" {
			at = fmt.Sprintf(" (%s:%d, %s)", f.Source, f.Line, inlined)
		}
	}
	return fmt.Sprintf("%s: PTX line %d%s: %s: %s [block (%d,%d,%d), thread (%d,%d,%d), lane %d]", f.Symbol, f.PTXLine, at, f.Instruction, f.Reason,
		f.Block.X, f.Block.Y, f.Block.Z, f.Thread.X, f.Thread.Y, f.Thread.Z, f.Lane)
}

// fault describes what went wrong at pc in a lane of w.
func (b *block) fault(w *warp, pc int32, lane int, code driver.Result, format string, args ...any) *Failure {
	place := &b.k.Places[pc]
	return &Failure{Fault: driver.Fault{
		Result: code,
		Symbol: b.k.Name, PTXLine: place.Line, Instruction: place.Text, Source: sourcefile.Shown(place.Source.File), Line: place.Source.Line, InlinedAt: place.InlinedAt(),
		Block:  b.index,
		Thread: b.thread(w.first + lane),
		Warp:   w.first / bytecode.WarpSize, Lane: lane,
		Reason: fmt.Sprintf(format, args...),
	}}
}

// thread is the place of the nth thread in its block.
func (b *block) thread(n int) driver.Dim3 { return limits.At(uint64(n), b.cfg.Block) }

// accessFault is fault for an access to addr.
func (b *block) accessFault(w *warp, pc int32, lane int, addr uint64, code driver.Result, format string, args ...any) *Failure {
	f := b.fault(w, pc, lane, code, format, args...)
	f.Address = addr
	return f
}

// tellProvenance adds to f where the memory at its address comes from.
func (f *Failure) tellProvenance() *Failure {
	p := memory.ProvenanceOf(f.Address)
	f.Reason += p.String()
	f.Allocated, f.Freed = p.Allocated, p.Freed
	return f
}

// stopAt is the failure of a block that is stopped at pc, because the device is being closed.
func (b *block) stopAt(w *warp, pc int32, lane int) *Failure {
	return b.fault(w, pc, lane, driver.ErrorLaunchTimeout, Stopped)
}

// Stopped is the reason of a kernel's failure.
const Stopped = "stopped: the kernel did not end, and its device or stream is being closed"
