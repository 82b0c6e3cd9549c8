package cuda

import (
	"runtime"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// Graph returns a graph that launches the calls of b one after the other: a launch of its exec
// costs less than that of one call. Its nodes, in the order of the calls, are those that NewNode
// makes of them: after a change GraphExec.Update tells an exec.
func (b *Batch) Graph() (*Graph, error) {
	if b == nil || b.Len() == 0 {
		return nil, &Error{Op: "make a graph of a batch", Detail: "it has no calls", Err: ErrInvalidValue}
	}
	g := new(Graph)
	b.each(func(c *Call, op operation) {
		n := &Node{work: op}
		if c != nil {
			n = NewNode(c)
		}
		if last := len(g.nodes) - 1; last >= 0 {
			n.After(g.nodes[last])
		}
		g.add(n)
	})
	return g, nil
}

// each calls f for each call or operation of b, in order.
func (b *Batch) each(f func(*Call, operation)) {
	for _, c := range b.calls {
		f(c, nil)
	}
	for _, part := range b.parts {
		if part.calls == nil {
			f(nil, part.op)
			continue
		}
		part.calls.each(f)
	}
}

// graphAfter is how many launches in a row on one stream make a graph of a batch. Instantiating
// takes about as long as one launch of the batch: docs/decisions, "When does a batch become a
// graph?"
const graphAfter = 3

// A batchGraph is the graph that a batch has become.
type batchGraph struct {
	exec   *GraphExec
	stream driver.Stream // for which it is: an exec on several streams would order their work
	nodes  []batchNode
}

// A batchNode is a call or an operation, and what the exec knows of it.
type batchNode struct {
	node    *Node
	call    *Call
	version uint64
	op      operation
	told    operation // what the exec knows of op
}

// NeverGraph keeps b from becoming a graph by itself: profilers show its launches. It returns b.
func (b *Batch) NeverGraph() *Batch {
	if b != nil {
		b.never = true
		b.dropGraph()
	}
	return b
}

// useStream notes that launches are on stream now.
func (b *Batch) useStream(stream driver.Stream) {
	for i := range b.records {
		b.records[i].Stream = stream
	}
	b.stream, b.left = stream, b.patience
}

// launchedOn is launched for calls that were launched one by one.
func (b *Batch) launchedOn(s *Stream) {
	stream := driver.Stream(s.handle.Load())
	if stream == 0 { // it captures, or is closed
		return
	}
	if stream != b.stream {
		b.useStream(stream)
	}
	b.launched(s)
}

// launched makes a graph of b if s, which is b.stream, has had enough launches.
func (b *Batch) launched(s *Stream) {
	if b.left--; b.left == 0 && !b.never {
		b.becomeGraph(s)
	}
}

// becomeGraph makes a graph of b, for launches on s, unless that cannot be: it goes on as it is
// then. Launches with attributes are left alone.
func (b *Batch) becomeGraph(s *Stream) {
	d := s.dev
	defer d.hold().release()
	plain := true
	b.each(func(c *Call, _ operation) { plain = plain && (c == nil || c.config.Attributes == nil) })
	g, err := b.Graph()
	if b.never = !plain || err != nil; b.never {
		return
	}
	e, err := g.instantiate(d, false)
	if b.never = err != nil; b.never {
		return
	}
	b.dropGraph()
	made := &batchGraph{exec: e, stream: b.stream}
	i := 0
	b.each(func(c *Call, op operation) {
		n := batchNode{node: g.nodes[i], call: c, op: op}
		if c != nil {
			n.version = c.version
		} else {
			n.told = op.frozen().(operation)
		}
		made.nodes = append(made.nodes, n)
		i++
	})
	runtime.AddCleanup(e, func(key weak.Pointer[GraphExec]) {
		defer d.hold().release()
		if !d.isClosed() { // or it destroys the exec
			d.giveBack(key)()
		}
	}, weak.Make(e))
	b.graph = made
}

// dropGraph makes b launches again.
func (b *Batch) dropGraph() {
	g := b.graph
	if g == nil {
		return
	}
	b.graph, b.left = nil, b.patience
	g.exec.Close() // what the device cannot recover from is an error of the next launch
}

// launchGraph is Launch for a batch that is a graph, or has fills and copies, or nothing.
//
//go:noinline
func (b *Batch) launchGraph(s *Stream) error {
	if b == nil {
		return b.launchNothing(s)
	}
	if g := b.graph; g != nil && s != nil && s.handle.Load() == uintptr(g.stream) {
		turn := s.turn.Load()
		switch {
		case !g.update(): // a graph of another shape has to be worth more launches
			b.patience *= 2
			b.dropGraph()
		case g.exec.enqueue(s):
			if s.turn.Load() != turn {
				return b.closedMeanwhile(s)
			}
			return nil
		}
		// Nothing was enqueued. The launches say which of them fails, and why.
	}
	switch {
	case len(b.parts) > 0:
		return b.launchParts(s)
	case len(b.calls) > 0:
		return b.launchCalls(s)
	}
	return b.launchNothing(s)
}

// update tells the exec what has changed. It reports false if it cannot.
func (g *batchGraph) update() bool {
	for i := range g.nodes {
		n := &g.nodes[i]
		switch {
		case n.call != nil:
			if n.version == n.call.version {
				continue
			}
			n.version = n.call.version
		case !n.op.refresh(n.told):
			continue
		}
		if g.exec.Update(n.node) != nil {
			return false
		}
	}
	return true
}

// closedMeanwhile returns that a buffer of a call was closed during a launch on s, or nil.
func (b *Batch) closedMeanwhile(s *Stream) error {
	e := b.graph.exec
	for i := range b.graph.nodes {
		var closed error
		if c := b.graph.nodes[i].call; c != nil {
			closed = checkBuffers(c, s, s.turn.Load())
		}
		for _, a := range e.nodes[i].def.owners {
			if closed == nil && !a.usedOn(s) {
				closed = e.dev.closedError(launchOp, "the buffer")
			}
		}
		if closed != nil {
			return &BatchError{Index: i, Count: b.Len(), Err: meanwhile(closed)}
		}
	}
	return nil
}

// enqueue is Launch that explains nothing. It reports whether the graph was enqueued.
func (e *GraphExec) enqueue(s *Stream) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	turn := s.turn.Load() // before the buffers are looked at
	epoch := s.hold()     // before the handles
	defer epoch.release()
	stream := driver.Stream(s.handle.Load())
	if e.handle == 0 || stream == 0 || s.dev != e.dev {
		return false
	}
	if turn != e.turn {
		if e.use(s, turn, false) != nil {
			return false
		}
		if t := tracing.Load(); t != nil {
			return t.graph(e, s, stream) == driver.Success
		}
	}
	if e.native == nil {
		return e.dev.drv.GraphLaunch(e.handle, stream) == driver.Success
	}
	return libcuda.LaunchGraph(e.handle, stream) == driver.Success
}
