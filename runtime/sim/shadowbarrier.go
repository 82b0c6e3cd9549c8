package sim

import "math/bits"

// unsure counts the undefined bits of a barrier's reduction.
type unsure struct {
	given uint32 // threads whose predicate is undefined
	holds uint32 // those of them that hold
}

// joins follows the predicates that the lanes e give to the reduction of a barrier.
func (s *shadow) joins(w *warp, in *instr, e uint32, bar *barrier) {
	set := s.of(w).preds[in.pa.index] & e
	bar.unsure.given += uint32(bits.OnesCount32(set))
	bar.unsure.holds += uint32(bits.OnesCount32(w.pred(in.pa) & set))
}

// reduced follows what lanes get from the reduction of a barrier: it is undefined where it depends on predicates that
// are.
func (s *shadow) reduced(w *warp, in *instr, mask uint32, bar *barrier) {
	ws := s.of(w)
	if in.combine == nil {
		ws.define(in.dst, mask)
		if bar.unsure.given > 0 {
			s.smear(ws, in.dst, mask)
		}
		return
	}
	fewest := bar.holds - bar.unsure.holds
	set := in.combine(fewest, bar.arrived) ^ in.combine(fewest+bar.unsure.given, bar.arrived)
	ws.setPred(in.pdst, set, mask)
}
