package bytecode

// Timed returns those of p.
func (p *Program) Timed() *Timed {
	p.timedOnce.Do(func() {
		t := Timed{Regs: make([]bool, p.Registers()), Preds: make([]bool, p.Preds)}
		for changed := true; changed; {
			changed = false
			for n := range p.Code {
				changed = t.follow(&p.Code[n]) || changed
			}
		}
		p.timed = t
	})
	return &p.timed
}

// follow notes what in computes of the time, and reports whether that is new.
func (t *Timed) follow(in *Instr) (changed bool) {
	is := func(list []bool, n int32) bool { return n >= 0 && int(n) < len(list) && list[n] }
	set := func(list []bool, first, n int32) { // those before first hold nothing
		if n >= first && int(n) < len(list) && !list[n] {
			list[n], changed, t.Any = true, true, true
		}
	}
	switch in.Op {
	case OpLoad, OpStore, OpAtomic, OpBranch, OpBranchIndexed:
		return false
	case OpClock:
		if Clocks[in.Size].global {
			set(t.Regs, RegSink+1, in.Dst)
		}
		return changed
	}
	if is(t.Regs, in.A) || is(t.Regs, in.B) || is(t.Regs, in.C) || is(t.Preds, in.Pa.Index) || is(t.Preds, in.Pb.Index) {
		set(t.Regs, RegSink+1, in.Dst)
		set(t.Preds, FirstPred, in.Pdst)
		set(t.Preds, FirstPred, in.Pdst2)
	}
	return changed
}
