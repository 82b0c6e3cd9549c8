package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A whole access is one of all lanes of a warp to one allocation, or to shared memory, which is
// checked and executed at once. All other accesses go the way of resolve.

// whole finds the memory of an access of all lanes of w and leaves their offsets in at. It is
// faulty where the access needs resolve: to be refused, or because it is not to shared memory
// or one allocation of this device.
func (b *block) whole(w *warp, in *instr, at *accessed) simd.Pattern {
	addrs := &w.regs[in.a]
	addr := addrs[0]&in.mask + in.offset
	from, size := uint64(0), b.sharedBytes
	switch {
	case in.space == shared && addr&peerMask == 0:
		at.base = unsafe.Pointer(unsafe.SliceData(b.shared))
	case in.space <= global:
		a := memory.AllocationOf(addr >> memory.OffsetBits)
		if a == nil || a.Data == nil || a.Owner != b.mem || a.Constant {
			return simd.Faulty
		}
		at.base = unsafe.Pointer(unsafe.SliceData(a.Data))
		from, size = addr&^memory.OffsetMask, a.Size
	default:
		return simd.Faulty
	}
	width := uint64(in.size * in.elems)
	if size < width {
		return simd.Faulty
	}
	r := &w.reach
	r.Mask, r.Add, r.Last, r.Width = in.mask, in.offset-from, size-width, width
	r.FirstOnly = in.slot == 0 && in.elems == 1 && b.observer == nil && in.op != opAtomic
	return simd.Fast.Offsets(&at.offset, addrs, r)
}

// wholly reports whether an access may be executed in all lanes at once.
func (b *block) wholly(w *warp, in *instr, e uint32) bool {
	if e == full && b.observer == nil {
		return true
	}
	if in.leads {
		w.surveys[in.slot-1].pattern = simd.Faulty
	}
	return false
}

// loadAll executes ld in all lanes, or reports false.
func (b *block) loadAll(w *warp, in *instr) bool {
	base, by, offsets, p := b.reached(w, in)
	if p == simd.Faulty {
		return false
	}
	w.loadAt(in, base, by, offsets, p)
	return true
}

// loadAt loads in all lanes what lies by and their offsets behind base.
func (w *warp) loadAt(in *instr, base unsafe.Pointer, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	switch {
	case p == simd.Equal:
		for n := range in.elems {
			simd.Fast.Fill(&w.regs[in.vec[n]], in.loadWhole.One(unsafe.Add(base, offsets[0]+by+uint64(n*in.size))))
		}
	case p == simd.HalfConsecutive && in.elems == 1 && in.loadWhole.Half != nil:
		lower, upper := simd.HalvesOf(&w.regs[in.vec[0]])
		in.loadWhole.Half(lower, unsafe.Add(base, offsets[0]+by))
		in.loadWhole.Half(upper, unsafe.Add(base, offsets[warpSize/2]+by))
	case p == simd.HalfEqual && in.elems == 1:
		lower, upper := simd.HalvesOf(&w.regs[in.vec[0]])
		simd.Fast.FillHalf(lower, in.loadWhole.One(unsafe.Add(base, offsets[0]+by)))
		simd.Fast.FillHalf(upper, in.loadWhole.One(unsafe.Add(base, offsets[warpSize/2]+by)))
	case p == simd.Consecutive && in.elems == 1:
		in.loadWhole.Near(&w.regs[in.vec[0]], unsafe.Add(base, offsets[0]+by))
	default:
		for n := range in.elems {
			in.loadWhole.Any(&w.regs[in.vec[n]], base, by+uint64(n*in.size), offsets)
		}
	}
}

// storeAll executes st in all lanes, or reports false.
func (b *block) storeAll(w *warp, in *instr) bool {
	base, by, offsets, p := b.reached(w, in)
	if p == simd.Faulty {
		return false
	}
	w.storeAt(in, base, by, offsets, p)
	return true
}

// storeAt stores of all lanes what lies by and their offsets behind base.
func (w *warp) storeAt(in *instr, base unsafe.Pointer, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	if p == simd.Consecutive && in.elems == 1 {
		in.storeWhole.Near(unsafe.Add(base, offsets[0]+by), &w.regs[in.vec[0]])
		return
	}
	if p == simd.Equal {
		simd.Fast.Fill(offsets, offsets[0])
	}
	for n := range in.elems {
		in.storeWhole.Any(base, by+uint64(n*in.size), offsets, &w.regs[in.vec[n]])
	}
}
