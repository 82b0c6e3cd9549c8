package cuda_test

import (
	"errors"
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A modelCapture is a capture that goes on.
type modelCapture struct {
	works []*modelWork
	calls []*modelCall
}

// errModel is why captures of the model end without a graph.
var errModel = errors.New("as the model has it")

// captureWork captures works on a stream and on others that join in.
func (w *modelWorld) captureWork() {
	d := w.anyDevice()
	on := w.anyStream(d)
	if on.closed {
		_, err := cuda.Capture(on.s, func(*cuda.Stream) error { return nil })
		w.expect(err, []error{cuda.ErrClosed}, "cuda.Capture(%s)", on.name)
		return
	}
	d = on.dev
	c := &modelCapture{}
	var sides []*modelStream
	for _, s := range w.plainStreams() {
		if !s.closed && s.dev == d && s != on && len(sides) < 2 && w.chance(50) {
			sides = append(sides, s)
		}
	}
	for _, m := range w.allMemory() {
		m.captured = modelUse{}
	}
	end := w.random.IntN(12)
	unjoined := false
	first := &modelStream{name: w.name("s"), dev: d, knows: modelClock{}, capture: c}
	knew := make([]modelClock, len(sides))
	g, err := w.capture(on, func(s *cuda.Stream) error {
		first.s = s
		w.streams = append(w.streams, first)
		w.say("cuda.Capture(%s, func(%s) {", on.name, first.name)
		n := 1 + w.random.IntN(6)
		for i := range n {
			if i < len(sides) {
				side := sides[i]
				knew[i], side.knows = side.knows, modelClock{}
				side.capture, side.last = c, 0
				w.tie(first, side)
			}
			w.captureStep(first, sides[:min(i+1, len(sides))], d)
		}
		if len(sides) > n {
			sides = sides[:n]
		}
		for i, side := range sides {
			if i == 0 && end == 1 {
				k := &modelWork{kind: filling, dst: w.span(w.memory(d, w.memories)), width: 4}
				w.issue(side, k, nil, "unjoined", func() error { return k.do(side.s, nil) })
				continue
			}
			w.tie(side, first)
		}
		for _, side := range sides {
			unjoined = unjoined || first.knows[side] < side.last
		}
		switch end {
		case 2:
			return fmt.Errorf("%w", errModel)
		case 3:
			panic(errModel)
		}
		return nil
	})
	for i, side := range sides {
		side.capture, side.knows = nil, knew[i]
	}
	first.closed = true
	name := w.name("g")
	switch {
	case (end == 2 || end == 3) && !w.isInjected(err):
		if err != errModel && (end != 2 || err == nil) {
			w.fail("a capture that fails: %v", err)
		}
		w.say("}) // fails")
		return
	case unjoined:
		w.expect(err, []error{cuda.ErrStreamCaptureUnjoined}, "}) // unjoined")
		return
	case len(c.works) == 0:
		w.expect(err, []error{cuda.ErrInvalidValue}, "}) // nothing")
		return
	}
	w.expect(err, nil, "}) // %s", name)
	w.graphs = append(w.graphs, c.graph(name, g, d))
}

// capture is cuda.Capture, with a panic as an error.
func (w *modelWorld) capture(on *modelStream, f func(*cuda.Stream) error) (g *cuda.Graph, err error) {
	defer func() {
		if v := recover(); v == errModel {
			err = errModel
		} else if v != nil {
			panic(v)
		}
	}()
	return cuda.Capture(on.s, f)
}

// captureStep captures one work, or tries what is refused.
func (w *modelWorld) captureStep(first *modelStream, sides []*modelStream, d *modelDevice) {
	s := first
	if len(sides) > 0 && w.chance(50) {
		s = sides[w.random.IntN(len(sides))]
	}
	if w.chance(15) {
		var err error
		what := []string{"Synchronize", "Query", "Close", "Alloc", "Capture"}[w.random.IntN(5)]
		switch what {
		case "Synchronize":
			err = s.s.Synchronize()
		case "Query":
			_, err = s.s.Query()
		case "Close":
			err = s.s.Close()
		case "Alloc":
			_, err = cuda.Alloc[int32](s.s, 4)
		case "Capture":
			_, err = cuda.Capture(s.s, func(*cuda.Stream) error { return nil })
		}
		w.expect(err, []error{cuda.ErrStreamCaptureUnsupported}, "%s of %s", what, s.name)
		return
	}
	if e, ok := pickFit(w, w.events, func(e *modelEvent) bool { return !e.closed && e.dev == d }); ok && w.chance(8) {
		var errs []error
		if e.closed {
			errs = append(errs, cuda.ErrClosed)
		}
		if e.dev != d {
			errs = append(errs, cuda.ErrInvalidValue)
		}
		if w.expect(e.e.Record(s.s), errs, "%s.Record(%s)", e.name, s.name) {
			e.capture = first.capture
		}
		return
	}
	if e, ok := pickOf(w, w.execs); ok && w.chance(5) {
		w.expect(e.e.Launch(s.s), e.launchErrors(s), "%s.Launch(%s)", e.name, s.name)
		return
	}
	if c, ok := pickFit(w, w.calls, func(c *modelCall) bool { return c.now.kind == launched && c.now.dev == d }); ok && w.chance(40) {
		w.issue(s, c.now, c, c.name+".Launch", func() error { return c.prepared.Launch(s.s) })
		return
	}
	if b, ok := pickOf(w, w.batches); ok && w.chance(20) {
		w.launchBatchOn(b, s)
		return
	}
	k := w.randomWork(d, w.memories)
	w.issue(s, k, nil, "capture", func() error { return k.do(s.s, nil) })
}

// graph returns the model of g, what was captured.
func (c *modelCapture) graph(name string, g *cuda.Graph, d *modelDevice) *modelGraph {
	made := &modelGraph{name: name, g: g}
	nodes := g.Nodes()
	for i, k := range c.works {
		n := &modelNode{name: fmt.Sprintf("%s.%d", name, i), now: k, dev: d}
		if len(nodes) == len(c.works) {
			n.node = nodes[i]
			if c.calls[i] != nil && k.kind == launched {
				n.of = c.calls[i]
			}
			_, n.mems = k.uses()
			n.fixed = k.kind != filling
		}
		made.nodes, made.edges = append(made.nodes, n), append(made.edges, nil)
	}
	return made
}
