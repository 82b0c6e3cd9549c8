package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// An executable is an operation that a block executes.
type executable interface {
	bytecode.Operation
	// run executes the operation in the lanes e. It returns wait if lanes are missing,
	// and yield if other threads should run.
	run(b *block, w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure
}

// together reports whether all lanes of w that have not exited are in e, as .aligned
// instructions want it.
func (w *warp) together(e uint32) bool { return e == w.live }

// bytes returns width bytes at the address of a lane and offset bytes behind it.
func (b *block) bytes(a *bytecode.Address, w *warp, pc int32, lane int, behind, width uint64, kind accessKind) (unsafe.Pointer, *Failure) {
	addr := w.regs[a.In.A][lane]&a.In.Mask + a.In.Offset + behind
	r, fault := b.region(w, &a.In, pc, lane, addr, width, kind != reads)
	if fault != nil {
		return nil, fault
	}
	p := unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride)
	if b.observer != nil {
		b.observer.touch(w, a, pc, lane, addr, r, p, width, kind)
	}
	if b.profile != nil && a.In.Op != bytecode.OpAtomic { // which is told in one
		b.profile.Move(a.In.Space, pc, w.number(), lane, addr, width, kind != reads)
	}
	return p, nil
}

// addressOf returns the address of a lane.
func (w *warp) addressOf(a *bytecode.Address, lane int) uint64 {
	return w.regs[a.In.A][lane]&a.In.Mask + a.In.Offset
}

// span returns n bytes at addr, in the space of a, for an operation that goes on from a to other
// addresses. They need not be aligned.
func (b *block) span(a *bytecode.Address, w *warp, pc int32, lane int, addr, n uint64, kind accessKind) (unsafe.Pointer, *Failure) {
	r, what := b.locate(w, a.In.Space, addr, kind != reads)
	if what == "" && (addr < r.from || r.size < n || addr-r.from > r.size-n) {
		what = "is out of bounds"
	}
	if what != "" {
		return nil, b.outside(w, pc, lane, a.In.Space, addr, n, r, what)
	}
	p := unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride)
	if b.observer != nil {
		b.observer.touch(w, a, pc, lane, addr, r, p, n, kind)
	}
	if b.profile != nil && kind != updates {
		b.profile.Move(a.In.Space, pc, w.number(), lane, addr, n, kind == writes)
	}
	return p, nil
}

// each calls do for each lane of e, the lowest first, until one fails.
func each(e uint32, do func(lane int) *Failure) *Failure {
	for ; e != 0; e &= e - 1 {
		if fault := do(bits.TrailingZeros32(e)); fault != nil {
			return fault
		}
	}
	return nil
}

// What rare returns for an instruction whose lanes wait for others of their warp, for one behind which
// other threads should run first, and for one at which some lanes wait and others have been sent on.
var (
	wait   = &Failure{}
	yield  = &Failure{}
	parted = &Failure{}
)
