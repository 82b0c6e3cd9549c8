package cuda_test

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// built returns the errors, one of which making an exec of works has, and whether others may be.
func builtErrors(works []*modelWork) (errs []error, dev *modelDevice, maybe bool) {
	conditions := make(map[*modelCondition]int)
	var deciders []*modelCondition
	for _, k := range works {
		errs = append(errs, k.open()...)
		for _, d := range k.devices() {
			if dev != nil && d != dev {
				errs = append(errs, cuda.ErrInvalidValue)
			}
			dev = d
		}
		k.each(func(in *modelWork) {
			switch {
			case in.kind == launched:
				errs = append(errs, in.prepares()...)
				if in.kernel == decide {
					deciders = append(deciders, in.cond)
				}
			case in.kind == conditional:
				conditions[in.cond]++
				if conditions[in.cond] > 1 {
					errs = append(errs, cuda.ErrInvalidValue)
				}
			case in.kind == copied && in.dst.len() != in.src.len():
				errs = append(errs, unequalError(in))
			}
		})
	}
	for _, c := range deciders {
		if conditions[c] == 0 {
			errs = append(errs, cuda.ErrInvalidValue)
		}
	}
	return errs, dev, false
}

// instantiate makes an exec of a graph.
func (w *modelWorld) instantiate() {
	g, ok := pickOf(w, w.graphs)
	if !ok || g.strays() {
		return
	}
	works := g.works()
	errs, dev, _ := builtErrors(works)
	var made *cuda.GraphExec
	var err error
	if dev == nil || w.chance(20) {
		on := w.anyDevice()
		if dev != nil && on != dev {
			errs = append(errs, cuda.ErrInvalidValue)
		}
		if dev == nil {
			dev = on
		}
		made, err = g.g.InstantiateOn(on.dev)
	} else {
		made, err = g.g.Instantiate()
	}
	e := &modelExec{name: w.name("x"), e: made, g: g, works: works, dev: dev, clock: modelClock{}}
	if !w.expect(err, errs, "%s := %s.Instantiate()", e.name, g) {
		return
	}
	for _, k := range works {
		k.each(func(in *modelWork) { in.changed = in.isNothing() })
	}
	if len(w.execs) > 0 && made.Definition() != g.g {
		w.fail("%s.Definition() is another graph", e.name)
	}
	w.execs = append(w.execs, e)
}

// launchErrors returns the errors, one of which launching e on s has.
func (e *modelExec) launchErrors(s *modelStream) (errs []error) {
	if e.closed || s.closed {
		errs = append(errs, cuda.ErrClosed)
	}
	if s.capture != nil {
		errs = append(errs, cuda.ErrStreamCaptureUnsupported)
	}
	for _, k := range e.works {
		k.each(func(in *modelWork) {
			if in.kind == awaited && in.event.capture != nil {
				errs = append(errs, cuda.ErrCapturedEvent)
			}
		})
	}
	if e.dev != s.dev {
		errs = append(errs, cuda.ErrInvalidValue)
	}
	for _, k := range e.works {
		k.each(func(in *modelWork) {
			if in.isHost() || in.kind == allocated || in.isNothing() && in.kind != launched {
				return
			}
			for _, p := range []modelSpan{in.dst, in.src} {
				if p.m != nil && p.m.closed {
					errs = append(errs, cuda.ErrClosed)
				}
			}
		})
	}
	return errs
}

func (w *modelWorld) launchExec() {
	e, ok := pickFit(w, w.execs, func(e *modelExec) bool { return !e.closed })
	if !ok {
		return
	}
	s := w.anyStream(e.dev)
	for range 1 + w.random.IntN(2) {
		w.launchOn(e, s)
	}
}

func (w *modelWorld) launchOn(e *modelExec, s *modelStream) {
	errs := e.launchErrors(s)
	if len(errs) == 0 {
		for _, k := range e.works { // whose memory the host writes
			if k.isHost() && k.dst.m.closed {
				w.say("a host function of %s would write to %s", e.name, k.dst.m.name)
				return
			}
		}
		var reads, writes []*modelMemory
		fails := false
		for _, k := range e.works {
			k.each(func(in *modelWork) {
				r, wr := in.uses()
				if in.dst.m != nil && in.dst.m.kind == "graph" {
					wr = nil
				}
				if in.src.m != nil && in.src.m.kind == "graph" {
					r = nil
				}
				reads, writes = append(reads, r...), append(writes, wr...)
				fails = fails || in.kind == panicked
			})
		}
		s.knows.join(e.clock) // launches of one exec run one after the other
		w.order(s, reads, writes)
		if fails {
			e.fails = true
			for _, t := range e.called {
				t.mayFail = true
			}
			if s.failed == 0 {
				s.failed = s.done
			}
		}
	}
	err := e.e.Launch(s.s)
	if !w.expect(err, errs, "%s.Launch(%s) // %v", e.name, s.name, e.works) {
		return
	}
	if !slices.Contains(e.called, s) {
		e.called = append(e.called, s)
	}
	values := make(map[*modelCondition]uint32)
	for _, k := range e.works {
		k.each(func(in *modelWork) {
			if in.kind == conditional {
				values[in.cond] = in.cond.initial
			}
		})
	}
	for _, k := range e.works {
		k.each(func(in *modelWork) { // as it is when the graph is launched
			if in.kind == awaited {
				s.knows.join(in.event.clock)
			}
		})
		k.run(w, values)
	}
	for _, k := range e.works {
		k.each(func(in *modelWork) {
			if in.kind == recorded {
				in.event.stream, in.event.exec, in.event.capture, in.event.clock = s, e, nil, modelClock{}
				in.event.clock.join(s.knows)
				delete(in.event.clock, s)
				in.event.clock[s] = s.done - 1
			}
		})
	}
	e.clock = modelClock{}
	e.clock.join(s.knows)
	e.clock[s] = s.done
}

// places returns where n is in e, but for the graphs of child nodes.
func places(works []*modelWork, n *modelNode) (found []*modelWork) {
	for _, k := range works {
		if k.from == n {
			found = append(found, k)
		}
		if k.kind == conditional {
			for _, part := range k.parts {
				found = append(found, places(part, n)...)
			}
		}
	}
	return found
}

// obstacle reports whether an exec that does was cannot be made to do k, or that is not known.
func (was *modelWork) obstacle(k *modelWork) (is, unknown bool) {
	none, nothing := was.changed || was.kind == emptied, k.isNothing() || k.kind == emptied
	switch {
	case was.after != k.after, none != nothing:
		return true, false
	case nothing:
		return false, false
	case was.kind != k.kind && !(was.isHost() && k.isHost()):
		return true, false
	}
	switch k.kind {
	case allocated, freed, conditional:
		return true, false
	case boxed:
		if k.src.len() > int(k.a) || was.src.len() > int(was.a) {
			return true, false
		}
		fallthrough
	case copied:
		return k.dst.m.portable != was.dst.m.portable || k.src.m.portable != was.src.m.portable, false
	case childed:
		return false, true
	}
	return false, false
}

func (k *modelWork) isHost() bool { return k.kind == hosted || k.kind == panicked }

// updateErrors returns the errors, one of which an update of was to k in e has.
func (e *modelExec) updateErrors(was, k *modelWork) (errs []error, maybe bool) {
	if e.closed {
		return []error{cuda.ErrClosed}, false
	}
	errs, _, _ = builtErrors([]*modelWork{k})
	if k.kind == launched && k.kernel == decide {
		errs = append(k.open(), k.prepares()...)
	}
	is, unknown := was.obstacle(k)
	for _, d := range k.devices() {
		is = is || d != e.dev
	}
	if is {
		errs = append(errs, cuda.ErrNeedsInstantiation)
	}
	if unknown {
		errs = append(errs, cuda.ErrNeedsInstantiation)
		return errs, len(errs) == 1
	}
	return errs, false
}

// updateNode tells an exec what one of its nodes says now.
func (w *modelWorld) updateNode() {
	e, ok := pickFit(w, w.execs, func(e *modelExec) bool { return !e.closed })
	if !ok {
		return
	}
	n, _ := pickOf(w, e.allNodes())
	if w.chance(3) {
		n, _ = pickOf(w, w.nodes)
	}
	if n == nil || n.node == nil {
		return
	}
	if w.chance(60) {
		w.changeOne(n)
	}
	if n.strays(n.call) {
		return
	}
	w.update(e, n)
}

// allNodes returns the nodes of e and of the bodies of its conditional nodes.
func (e *modelExec) allNodes() (nodes []*modelNode) {
	var in func(works []*modelWork)
	in = func(works []*modelWork) {
		for _, k := range works {
			if !slices.Contains(nodes, k.from) {
				nodes = append(nodes, k.from)
			}
			if k.kind == conditional {
				for _, part := range k.parts {
					in(part)
				}
			}
		}
	}
	in(e.works)
	return nodes
}

func (w *modelWorld) update(e *modelExec, n *modelNode) {
	k := n.work()
	at := places(e.works, n)
	var errs []error
	maybe := false
	if len(at) == 0 {
		errs = []error{cuda.ErrInvalidValue}
		if e.closed {
			errs = []error{cuda.ErrClosed}
		}
	}
	for _, was := range at {
		more, unknown := e.updateErrors(was, k)
		errs, maybe = append(errs, more...), maybe || unknown
	}
	w.soft = true
	err := e.e.Update(n.node)
	if err == nil && (maybe || w.blind && k.kind == launched && !e.closed && len(k.open()) == len(errs)-len(k.prepares())) {
		errs = nil // on libcuda new values alone are told without a look at the buffers: the launch looks
	}
	if w.expect(err, errs, "%s.Update(%s) // %v", e.name, n.name, k) {
		for _, was := range at {
			was.adopt(k)
		}
	}
}

// adopt makes was do k.
func (was *modelWork) adopt(k *modelWork) {
	off, changed, from, after := was.off, was.changed, was.from, was.after
	*was = *k.copy()
	was.off, was.changed, was.from, was.after = off, changed, from, after
}

// updateCall tells an exec what a call says.
func (w *modelWorld) updateCall() {
	e, ok := pickFit(w, w.execs, func(e *modelExec) bool { return !e.closed })
	if !ok {
		return
	}
	var c *modelCall
	for _, n := range e.allNodes() {
		if n.call != nil && n.node != nil {
			c = n.call
		}
		if n.of != nil && n.node != nil {
			c = n.of
		}
		if c != nil && w.chance(50) {
			break
		}
	}
	if c == nil || c.now.kind != launched {
		return
	}
	if w.chance(70) {
		w.change(c)
	}
	var nodes []*modelNode
	for _, n := range e.allNodes() {
		if n.node != nil && (n.call == c || n.of == c) {
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		if n.strays(c) {
			return
		}
	}
	var errs []error
	works := make([]*modelWork, len(nodes))
	for i, n := range nodes {
		k := c.now.copy()
		k.from, k.after = n, len(n.prior)
		works[i] = k
		for _, was := range places(e.works, n) {
			more, _ := e.updateErrors(was, k)
			errs = append(errs, more...)
		}
	}
	if e.closed {
		errs = []error{cuda.ErrClosed, cuda.ErrInvalidValue}
	}
	w.soft = true
	if w.expect(e.e.UpdateCall(c.prepared), errs, "%s.UpdateCall(%s) // %v", e.name, c.name, c.now) {
		for i, n := range nodes {
			n.call = c
			for _, was := range places(e.works, n) {
				was.adopt(works[i])
			}
		}
	}
}

// strays reports whether n captured another launch of c, whose memory the graph does not order.
func (n *modelNode) strays(c *modelCall) bool { return n.of != nil && c != nil && !c.now.within(n.now) }

// strays reports whether a node of g does.
func (g *modelGraph) strays() bool {
	return slices.ContainsFunc(g.nodes, func(n *modelNode) bool {
		return n.strays(n.call) || slices.ContainsFunc(n.part, (*modelGraph).strays)
	})
}

// within reports whether k writes only what was wrote, and reads only what was used.
func (k *modelWork) within(was *modelWork) bool {
	reads, writes := k.uses()
	read, wrote := was.uses()
	in := func(list, all []*modelMemory) bool {
		return !slices.ContainsFunc(list, func(m *modelMemory) bool { return !slices.Contains(all, m) })
	}
	return in(writes, wrote) && in(reads, append(read, wrote...))
}

// updateFrom makes an exec do what a definition says.
func (w *modelWorld) updateFrom() {
	e, ok := pickFit(w, w.execs, func(e *modelExec) bool { return !e.closed })
	if !ok {
		return
	}
	g := e.g
	if w.chance(50) {
		g, _ = pickOf(w, w.graphs)
	} else if w.chance(40) && len(g.nodes) == len(g.g.Nodes()) {
		w.cloneOf(g)
		g = w.graphs[len(w.graphs)-1]
	}
	if g.strays() {
		return
	}
	works := g.works()
	errs, dev, _ := builtErrors(works)
	if dev != nil && dev != e.dev {
		errs = append(errs, cuda.ErrInvalidValue)
	}
	same, unknown := e.sameShape(g, works)
	if !same {
		errs = append(errs, cuda.ErrNeedsInstantiation)
	}
	if e.closed {
		errs = append(errs, cuda.ErrClosed)
	}
	w.soft = true
	err := e.e.UpdateFrom(g.g)
	if unknown && len(errs) == 0 && err != nil {
		errs = []error{cuda.ErrNeedsInstantiation}
	}
	if !w.expect(err, errs, "%s.UpdateFrom(%s)", e.name, g) {
		return
	}
	for i, k := range works {
		k.off = e.works[i].off
		k.each(func(in *modelWork) { in.changed = in.isNothing() })
	}
	e.g, e.works = g, works
}

func (w *modelWorld) cloneOf(g *modelGraph) {
	c := g.clone(w, g.g.Clone())
	w.say("%s := %s.Clone()", c.name, g.name)
	w.graphs = append(w.graphs, c)
}

// sameShape reports whether works, of g, can take the place of e's, or that it is not known.
func (e *modelExec) sameShape(g *modelGraph, works []*modelWork) (same, unknown bool) {
	if len(g.g.Nodes()) != len(e.g.g.Nodes()) || len(works) != len(e.works) {
		return false, true
	}
	for i := range works {
		a, b := slices.Clone(g.edges[i]), slices.Clone(e.g.edges[i])
		if !slices.Equal(a, b) {
			return false, true
		}
		if works[i].kind == boxed && e.works[i].kind == boxed && works[i].dst == e.works[i].dst && works[i].src == e.works[i].src && works[i].a == e.works[i].a && works[i].b == e.works[i].b {
			continue
		}
		k := works[i].copy()
		k.after = e.works[i].after
		is, maybe := e.works[i].obstacle(k)
		if is {
			return false, true
		}
		unknown = unknown || maybe
	}
	return true, unknown
}

// enable leaves a node out, or no longer.
func (w *modelWorld) enable() {
	e, ok := pickFit(w, w.execs, func(e *modelExec) bool { return !e.closed })
	if !ok {
		return
	}
	n, _ := pickOf(w, e.allNodes())
	if n == nil || n.node == nil {
		return
	}
	at := places(e.works, n)
	errs := []error(nil)
	for _, k := range at {
		switch k.kind {
		case filling, copied, boxed, launched:
			if k.changed && k.kind != launched {
				errs = []error{cuda.ErrNotSupported}
			}
			if k.dst.m.kind == "graph" || k.src.m != nil && k.src.m.kind == "graph" || k.kernel == decide {
				return // what follows would see what is undefined, or never end
			}
		default:
			errs = []error{cuda.ErrNotSupported}
		}
	}
	if e.closed {
		errs = []error{cuda.ErrClosed}
	}
	on := w.chance(40)
	do, name := e.e.Disable, "Disable"
	if on {
		do, name = e.e.Enable, "Enable"
	}
	w.soft = true
	if w.expect(do(n.node), errs, "%s.%s(%s)", e.name, name, n.name) {
		for _, k := range at {
			k.off = !on && w.wrong != wrongDisable
		}
	}
}

func (w *modelWorld) closeExec() {
	if e, ok := pickOf(w, w.execs); ok {
		w.expect(e.e.Close(), nil, "%s.Close()", e.name)
		e.closed = true
	}
}
