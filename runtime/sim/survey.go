package sim

import "unsafe"

// A survey is what one access has found out about the addresses in its base register. Others by
// the same register, which no instruction between them writes, follow it: their offsets differ by
// a constant. Loads of a row or of a tile are many such.
type survey struct {
	at              accessed
	pattern         pattern // faulty while there is none
	offset          uint64  // of the instruction that leads
	width           uint64
	size            uint64 // of the memory
	lowest, highest uint64 // offsets
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
				if lead := kept[n].in; lead != nil && lead.a == in.a && lead.mask == in.mask && lead.space == in.space {
					in.slot, lead.slot, lead.leads = uint8(n+1), uint8(n+1), true
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

// reached returns where all lanes access memory: by and their offsets behind base. It is faulty
// where the access needs resolve. base is where the memory begins, since base and by may be before
// it, where no pointer may point, not even for a moment: the collector may see it.
func (b *block) reached(w *warp, in *instr) (base unsafe.Pointer, by uint64, offsets *lanes, p pattern) {
	if in.slot == 0 {
		p = b.whole(w, in, &w.at)
		return w.at.base, 0, &w.at.offset, p
	}
	s := &w.surveys[in.slot-1]
	width := uint64(in.size * in.elems)
	if in.leads {
		s.pattern = b.whole(w, in, &s.at)
		if s.pattern == anywhere {
			s.lowest, s.highest = fast.extremes(&s.at.offset)
			s.pattern = inHalves(&s.at.offset, width)
		} else {
			s.lowest, s.highest = s.at.offset[0], s.at.offset[warpSize-1]
		}
		s.offset, s.width, s.size = in.offset, width, w.reach.last+width
		return s.at.base, 0, &s.at.offset, s.pattern
	}
	by = in.offset - s.offset
	if s.pattern == faulty || width > s.width || by&(width-1) != 0 || s.size < width || s.lowest+by > s.size-width || s.highest+by > s.size-width {
		p = b.whole(w, in, &w.at)
		return w.at.base, 0, &w.at.offset, p
	}
	p = s.pattern
	if (p == neighbours || p == halfNeighbours) && width != s.width {
		p = anywhere
	}
	return s.at.base, by, &s.at.offset, p
}

// inHalves returns the pattern of offsets that have none as a whole.
func inHalves(offsets *lanes, width uint64) pattern {
	step := offsets[1] - offsets[0]
	if step != 0 && step != width {
		return anywhere
	}
	lower, upper := halvesOf(offsets)
	differ := uint64(0)
	for l := range lower {
		differ |= (lower[l] - lower[0] - uint64(l)*step) | (upper[l] - upper[0] - uint64(l)*step)
	}
	switch {
	case differ != 0:
		return anywhere
	case step == 0:
		return halfEqual
	}
	return halfNeighbours
}

// extremes returns the least and the greatest offset; none is 1<<63 or more.
func extremes(offsets *lanes) (lowest, highest uint64) {
	lowest = offsets[0]
	for _, o := range offsets {
		lowest, highest = min(lowest, o), max(highest, o)
	}
	return lowest, highest
}
