package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// unsure counts what is undefined of a barrier's reduction.
type unsure struct {
	given uint32 // threads whose predicate is undefined
	holds uint32 // those of them that hold
}

// joins follows the predicates that the lanes e give to the reduction of a barrier.
func (s *shadow) joins(w *warp, in *bytecode.Instr, e uint32, bar *barrier) {
	set := s.of(w).preds[in.Pa.Index] & e
	bar.unsure.given += uint32(bits.OnesCount32(set))
	bar.unsure.holds += uint32(bits.OnesCount32(w.pred(in.Pa) & set))
}

// reduced follows what lanes get from the reduction of a barrier: it is undefined where it depends on predicates that
// are.
func (s *shadow) reduced(w *warp, in *bytecode.Instr, mask uint32, bar *barrier) {
	ws := s.of(w)
	if in.Combine == nil {
		ws.define(in.Dst, mask)
		if bar.unsure.given > 0 {
			s.smear(ws, in.Dst, mask)
		}
		return
	}
	fewest := bar.holds - bar.unsure.holds
	set := in.Combine(fewest, bar.arrived) ^ in.Combine(fewest+bar.unsure.given, bar.arrived)
	ws.setPred(in.Pdst, set, mask)
}
