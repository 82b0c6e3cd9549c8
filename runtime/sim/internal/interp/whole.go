package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A whole access is one of all lanes of a warp to one allocation, or to shared memory, which is
// checked and executed at once. All other accesses go the way of resolve.

// whole finds the memory of an access of all lanes of w and leaves their offsets in at. It is
// faulty where the access needs resolve: to be refused, or because it is not to shared memory
// or one allocation of this device.
func (b *block) whole(w *warp, in *bytecode.Instr, at *bytecode.Accessed) simd.Pattern {
	addrs := &w.regs[in.A]
	addr := addrs[0]&in.Mask + in.Offset
	from, size := uint64(0), b.sharedBytes
	switch {
	case in.Space == bytecode.Shared && addr&peerMask == 0:
		at.Base = unsafe.Pointer(unsafe.SliceData(b.shared))
	case in.Space <= bytecode.Global:
		a := memory.AllocationOf(addr >> memory.OffsetBits)
		if a == nil || a.Data == nil || a.Owner != b.mem || a.Constant {
			return simd.Faulty
		}
		at.Base = unsafe.Pointer(unsafe.SliceData(a.Data))
		from, size = addr&^memory.OffsetMask, a.Size
	default:
		return simd.Faulty
	}
	width := uint64(in.Size * in.Elems)
	if size < width {
		return simd.Faulty
	}
	r := &w.reach
	r.Mask, r.Add, r.Last, r.Width = in.Mask, in.Offset-from, size-width, width
	r.FirstOnly = in.Slot == 0 && in.Elems == 1 && b.observer == nil && in.Op != bytecode.OpAtomic
	return simd.Fast.Offsets(&at.Offset, addrs, r)
}

// wholly reports whether an access may be executed in all lanes at once.
func (b *block) wholly(w *warp, in *bytecode.Instr, e uint32) bool {
	if e == bytecode.Full && b.observer == nil {
		return true
	}
	if in.Leads {
		w.surveys[in.Slot-1].pattern = simd.Faulty
	}
	return false
}

// loadAll executes ld in all lanes, or reports false.
func (b *block) loadAll(w *warp, in *bytecode.Instr) bool {
	base, by, offsets, p := b.reached(w, in)
	if p == simd.Faulty {
		return false
	}
	w.loadAt(in, base, by, offsets, p)
	return true
}

// loadAt loads in all lanes what lies by and their offsets behind base.
func (w *warp) loadAt(in *bytecode.Instr, base unsafe.Pointer, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	switch {
	case p == simd.Equal:
		for n := range in.Elems {
			simd.Fast.Fill(&w.regs[in.Vec[n]], in.LoadWhole.One(unsafe.Add(base, offsets[0]+by+uint64(n*in.Size))))
		}
	case p == simd.HalfConsecutive && in.Elems == 1 && in.LoadWhole.Half != nil:
		lower, upper := simd.HalvesOf(&w.regs[in.Vec[0]])
		in.LoadWhole.Half(lower, unsafe.Add(base, offsets[0]+by))
		in.LoadWhole.Half(upper, unsafe.Add(base, offsets[bytecode.WarpSize/2]+by))
	case p == simd.HalfEqual && in.Elems == 1:
		lower, upper := simd.HalvesOf(&w.regs[in.Vec[0]])
		simd.Fast.FillHalf(lower, in.LoadWhole.One(unsafe.Add(base, offsets[0]+by)))
		simd.Fast.FillHalf(upper, in.LoadWhole.One(unsafe.Add(base, offsets[bytecode.WarpSize/2]+by)))
	case p == simd.Consecutive && in.Elems == 1:
		in.LoadWhole.Near(&w.regs[in.Vec[0]], unsafe.Add(base, offsets[0]+by))
	default:
		for n := range in.Elems {
			in.LoadWhole.Any(&w.regs[in.Vec[n]], base, by+uint64(n*in.Size), offsets)
		}
	}
}

// storeAll executes st in all lanes, or reports false.
func (b *block) storeAll(w *warp, in *bytecode.Instr) bool {
	base, by, offsets, p := b.reached(w, in)
	if p == simd.Faulty {
		return false
	}
	w.storeAt(in, base, by, offsets, p)
	return true
}

// storeAt stores of all lanes what lies by and their offsets behind base.
func (w *warp) storeAt(in *bytecode.Instr, base unsafe.Pointer, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	if p == simd.Consecutive && in.Elems == 1 {
		in.StoreWhole.Near(unsafe.Add(base, offsets[0]+by), &w.regs[in.Vec[0]])
		return
	}
	if p == simd.Equal {
		simd.Fast.Fill(offsets, offsets[0])
	}
	for n := range in.Elems {
		in.StoreWhole.Any(base, by+uint64(n*in.Size), offsets, &w.regs[in.Vec[n]])
	}
}
