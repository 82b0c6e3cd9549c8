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

// A survey is what one access has found out about the addresses in its base register. Others by
// the same register, which no instruction between them writes, follow it: their offsets differ by
// a constant. Loads of a row or of a tile are many such.
type survey struct {
	at              bytecode.Accessed
	pattern         simd.Pattern // faulty while there is none
	offset          uint64       // of the instruction that leads
	size            uint64       // of the memory
	lowest, highest uint64       // offsets
}

// reached returns where all lanes access memory: by and their offsets behind base. It is faulty
// where the access needs resolve. base is where the memory begins, since base and by may be before
// it, where no pointer may point, not even for a moment: the collector may see it.
func (b *block) reached(w *warp, in *bytecode.Instr) (base unsafe.Pointer, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	if in.Slot == 0 {
		p = b.whole(w, in, &w.at)
		return w.at.Base, 0, &w.at.Offset, p
	}
	s := &w.surveys[in.Slot-1]
	if in.Leads {
		s.lead(b, w, in)
		return s.at.Base, 0, &s.at.Offset, s.pattern
	}
	by, last := in.Offset-s.offset, s.size-in.Width()
	if s.pattern == simd.Faulty || s.lowest+by > last || s.highest+by > last {
		p = b.whole(w, in, &w.at)
		return w.at.Base, 0, &w.at.Offset, p
	}
	if in.Narrower && (s.pattern == simd.Consecutive || s.pattern == simd.HalfConsecutive) {
		return s.at.Base, by, &s.at.Offset, simd.Anywhere
	}
	return s.at.Base, by, &s.at.Offset, s.pattern
}

// lead surveys the access of in.
func (s *survey) lead(b *block, w *warp, in *bytecode.Instr) {
	s.pattern = b.whole(w, in, &s.at)
	if s.pattern == simd.Anywhere {
		s.pattern = inHalves(&s.at.Offset, in.Width())
	}
	switch lower, upper := simd.HalvesOf(&s.at.Offset); s.pattern {
	case simd.Anywhere:
		s.lowest, s.highest = simd.Fast.Extremes(&s.at.Offset)
	case simd.HalfConsecutive, simd.HalfEqual:
		s.lowest, s.highest = min(lower[0], upper[0]), max(lower[bytecode.WarpSize/2-1], upper[bytecode.WarpSize/2-1])
	default:
		s.lowest, s.highest = lower[0], upper[bytecode.WarpSize/2-1]
	}
	s.offset, s.size = in.Offset, w.reach.Last+in.Width()
}

// inHalves returns the pattern of offsets that have none as a whole.
func inHalves(offsets *simd.Lanes, width uint64) simd.Pattern {
	step := offsets[1] - offsets[0]
	if step != 0 && step != width {
		return simd.Anywhere
	}
	differ := uint64(0)
	for from := range 2 {
		half := (*simd.HalfLanes)(offsets[bytecode.WarpSize/2*from:])
		o, p, q := half[0], half[0]+step, 2*step
		for l := 0; l < len(half); l += 4 {
			differ |= (half[l] - o) | (half[l+1] - p) | (half[l+2] - o - q) | (half[l+3] - p - q)
			o, p = o+2*q, p+2*q
		}
	}
	switch {
	case differ != 0:
		return simd.Anywhere
	case step == 0:
		return simd.HalfEqual
	}
	return simd.HalfConsecutive
}
