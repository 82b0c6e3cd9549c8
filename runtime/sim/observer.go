package sim

// An observer is told of accesses to memory by those checks that want to know them. A block without
// one may access memory in faster ways.
type observer struct {
	b      *block
	races  *races
	shadow *shadow
}

// observe gives b an observer, if a check needs one.
func (b *block) observe() {
	if b.races != nil || b.shadow != nil {
		b.observer = &observer{b, b.races, b.shadow}
	}
}

// access is told what in is about to do in the lanes of set, whose memory is in w.at.
func (o *observer) access(w *warp, in *instr, pc int32, set uint32, kind accessKind) *failure {
	if o.races != nil {
		if fault := o.races.access(w, in, pc, set, kind); fault != nil {
			return fault
		}
	}
	if o.shadow != nil {
		o.shadow.access(w, in, pc, set, kind)
	}
	return nil
}
