package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

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
