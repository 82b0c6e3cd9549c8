package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A survey is what one access has found out about the addresses in its base register. Others by
// the same register, which no instruction between them writes, follow it: their offsets differ by
// a constant. Loads of a row or of a tile are many such.
type survey struct {
	at              accessed
	pattern         simd.Pattern // faulty while there is none
	offset          uint64       // of the instruction that leads
	size            uint64       // of the memory
	lowest, highest uint64       // offsets
}

// maxSurveys is how many of them a warp keeps.
const maxSurveys = 4

// survey finds accesses that may follow others.
func (p *planner) survey() {
	type open struct {
		leader int
		in     *instr
	}
	var kept [maxSurveys]open
	next := 0
	for pc := range p.plan.code {
		in := &p.plan.code[pc]
		_, writes, known := in.roles()
		if !known || in.op == opBranch || pc > 0 && p.region[pc] != p.region[pc-1] {
			kept, next = [maxSurveys]open{}, 0
		}
		if in.surveyable() {
			found := false
			for n := range kept {
				if lead := kept[n].in; lead != nil && in.mayFollow(lead) {
					in.slot, lead.slot, lead.leads = uint8(n+1), uint8(n+1), true
					in.narrower = in.width() < lead.width()
					p.plan.slots = max(p.plan.slots, n+1)
					found = true
				}
			}
			if !found {
				kept[next%maxSurveys] = open{pc, in}
				next++
			}
		}
		for n := range kept {
			for _, r := range writes {
				if kept[n].in != nil && kept[n].in.a == r {
					kept[n].in = nil
				}
			}
		}
	}
}

// surveyable reports whether in is an access that may lead or follow.
func (in *instr) surveyable() bool {
	return !in.guarded() && in.space <= shared && in.space != constant && (in.op == opLoad && in.loadWhole != nil || in.op == opStore && in.storeWhole != nil)
}

// mayFollow reports whether in reaches what lead does, a constant further: no more bytes in a lane,
// and as well aligned.
func (in *instr) mayFollow(lead *instr) bool {
	return lead.a == in.a && lead.mask == in.mask && lead.space == in.space && in.width() <= lead.width() && (in.offset-lead.offset)&(in.width()-1) == 0
}

// width is the bytes that a lane accesses.
func (in *instr) width() uint64 { return uint64(in.size * in.elems) }

// reached returns where all lanes access memory: by and their offsets behind base. It is faulty
// where the access needs resolve. base is where the memory begins, since base and by may be before
// it, where no pointer may point, not even for a moment: the collector may see it.
func (b *block) reached(w *warp, in *instr) (base unsafe.Pointer, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	if in.slot == 0 {
		p = b.whole(w, in, &w.at)
		return w.at.base, 0, &w.at.offset, p
	}
	s := &w.surveys[in.slot-1]
	if in.leads {
		s.lead(b, w, in)
		return s.at.base, 0, &s.at.offset, s.pattern
	}
	by, last := in.offset-s.offset, s.size-in.width()
	if s.pattern == simd.Faulty || s.lowest+by > last || s.highest+by > last {
		p = b.whole(w, in, &w.at)
		return w.at.base, 0, &w.at.offset, p
	}
	if in.narrower && (s.pattern == simd.Consecutive || s.pattern == simd.HalfConsecutive) {
		return s.at.base, by, &s.at.offset, simd.Anywhere
	}
	return s.at.base, by, &s.at.offset, s.pattern
}

// lead surveys the access of in.
func (s *survey) lead(b *block, w *warp, in *instr) {
	s.pattern = b.whole(w, in, &s.at)
	if s.pattern == simd.Anywhere {
		s.pattern = inHalves(&s.at.offset, in.width())
	}
	switch lower, upper := simd.HalvesOf(&s.at.offset); s.pattern {
	case simd.Anywhere:
		s.lowest, s.highest = simd.Fast.Extremes(&s.at.offset)
	case simd.HalfConsecutive, simd.HalfEqual:
		s.lowest, s.highest = min(lower[0], upper[0]), max(lower[warpSize/2-1], upper[warpSize/2-1])
	default:
		s.lowest, s.highest = lower[0], upper[warpSize/2-1]
	}
	s.offset, s.size = in.offset, w.reach.Last+in.width()
}

// inHalves returns the pattern of offsets that have none as a whole.
func inHalves(offsets *simd.Lanes, width uint64) simd.Pattern {
	step := offsets[1] - offsets[0]
	if step != 0 && step != width {
		return simd.Anywhere
	}
	differ := uint64(0)
	for from := range 2 {
		half := (*simd.HalfLanes)(offsets[warpSize/2*from:])
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
