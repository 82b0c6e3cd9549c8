package cuda

import (
	"errors"
	"slices"
	"sync"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// captureOp is what errors call a capture.
const captureOp = "capture a graph"

// A capture makes nodes of what the program does on its streams. The driver captures, too, on
// streams of the capture's own: it knows what comes after what over streams and events, and
// forbids what no capture may do. Its graph has empty nodes only and is thrown away.
type capture struct {
	dev    *Device
	origin *Stream // the driver's stream of the capture

	mu      sync.Mutex
	over    bool
	graph   Graph
	index   map[driver.GraphNode]int // of the driver's nodes, in graph
	members []*captureMember
	kept    []*lifetime // that work of other libraries uses, each once

	link any // what events have of it: the capture itself
}

// A captureMember is the part that a stream has in a capture.
type captureMember struct {
	*capture
	stream *Stream // which the program has
	inner  *Stream // on which the driver captures
}

// Capture returns what f does on the stream that it is given as a graph, instead of doing it:
// launches, copies between buffers, fills, host functions and events. A stream that waits for an
// event of the capture takes part from then on; f must make the first stream wait for it in the
// end. s itself goes on working: it says on which device.
//
// Work that another library queues on the stream's handle becomes nodes that cannot be updated. The graph keeps the
// buffers that Stream.Use names; others the caller keeps.
//
// What cannot be captured is an error of the call that tries, and the capture goes on: queries,
// Synchronize, Wait and Close, copies from and to Go memory, allocations, launches of graphs. An
// error of f, or a panic, ends the capture without a graph.
//
// Kernels have the priority of their LaunchAttributes, not that of s.
//
// The nodes are what f had them be: later changes of calls are for GraphExec.UpdateCall.
//
// CUDA Driver API, Stream Management, cuStreamBeginCapture,
// CU_STREAM_CAPTURE_MODE_RELAXED.
func Capture(s *Stream, f func(*Stream) error) (*Graph, error) {
	if _, err := s.open(captureOp); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, s.dev.invalid(captureOp, "the function is nil", ErrInvalidValue)
	}
	c, err := beginCapture(s.dev)
	if err != nil {
		return nil, err
	}
	defer c.abandon() // after a panic
	if err := f(c.members[0].stream); err != nil {
		return nil, err
	}
	return c.end()
}

func beginCapture(d *Device) (*capture, error) {
	origin, err := d.newPlainStream(true) // which nobody else has the handle of
	if err != nil {
		return nil, err
	}
	defer d.hold().release()
	if r := d.drv.StreamBeginCapture(driver.Stream(origin.handle.Load()), driver.CaptureRelaxed); r != driver.Success {
		origin.close()
		return nil, d.fail(captureOp, r)
	}
	c := &capture{dev: d, origin: origin, index: make(map[driver.GraphNode]int)}
	c.link = c
	given := &Stream{dev: d, word: inuse.NoBit}
	given.nextTurn()
	c.admit(given, origin)
	return c, nil
}

// admit makes a stream take part.
func (c *capture) admit(s, inner *Stream) {
	m := &captureMember{capture: c, stream: s, inner: inner}
	s.capture.Store(&captureLink{m, m.launch, driver.Stream(s.handle.Load())})
	s.handle.Store(0)
	c.members = append(c.members, m)
}

// capturing returns the part that s has in a capture, or nil.
func (s *Stream) capturing() *captureMember {
	if s == nil {
		return nil
	}
	if l := s.capture.Load(); l != nil {
		return l.member.(*captureMember)
	}
	return nil
}

// add captures a node on a stream. It has said what is wrong with n before the driver knows.
func (m *captureMember) add(op string, n *Node) error {
	c := m.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.dev.hold().release()
	if err := c.usable(op); err != nil {
		return err
	}
	if h, ok := n.work.(*hostWork); ok && len(c.kept) > 0 {
		h.library = &libraryUse{c.dev, slices.Clip(c.kept)}
	}
	var def definition
	if err := n.define(&def); err != nil {
		return err
	}
	if def.dev != nil && def.dev != c.dev {
		return c.dev.invalid(op, "it is on "+def.dev.besides(c.dev), ErrInvalidValue)
	}
	drv, stream := c.dev.drv, driver.Stream(m.inner.handle.Load())
	status, _, graph, last, r := drv.StreamGetCaptureInfo(stream)
	if r == driver.Success && status != driver.Capturing {
		r = driver.ErrorStreamCaptureInvalidated
	}
	var added driver.AddedNode
	if r == driver.Success {
		var after []driver.GraphEdge
		for _, l := range last {
			after = append(after, driver.GraphEdge{From: l})
		}
		added, r = drv.GraphAddNode(graph, after, driver.NodeParams{Type: driver.EmptyNodeType})
	}
	if r == driver.Success {
		r = drv.StreamUpdateCaptureDependencies(stream, []driver.GraphNode{added.Node}, driver.SetCaptureDependencies)
	}
	if r != driver.Success {
		return c.dev.fail(op, r)
	}
	var after []int
	for _, l := range last {
		if i, ours := c.index[l]; ours { // others are for withForeign
			n.after, after = append(n.after, c.graph.nodes[i]), append(after, i)
		}
	}
	c.index[added.Node] = len(c.graph.nodes)
	c.graph.append(n, after)
	return nil
}

// usable returns why nothing can be captured any more. c.mu is held.
func (c *capture) usable(op string) error {
	switch {
	case c.over:
		return c.dev.invalid(op, "the capture is over", ErrStreamCaptureInvalidated)
	case c.dev.isClosed():
		return c.dev.closedError(op, "")
	}
	return nil
}

// launch captures a launch; that of a prepared call is what the call is now.
func (m *captureMember) launch(l capturedLaunch) error {
	k, c := l.kernel, l.call
	if k.dev != m.dev {
		return k.notLaunchable(m.stream, &l.config)
	}
	if c != nil {
		return m.add("launch", &Node{work: &callWork{call: freeze(c), captured: c}})
	}
	args := make([]argument, len(l.owners))
	for i, o := range l.owners {
		if args[i].align = 1; o.lifetime != nil {
			args[i].owner, args[i].addr = o.lifetime, o.addr
		}
		if o.lifetime != nil && o.graphOnly {
			return k.launchArgument(k.owned(i)+" exists only in a graph: use NewNode", ErrInvalidValue)
		}
	}
	f := new(Call)
	if err := Generated.Prepare(f, k, l.config, l.computed, l.params, nil, args...); err != nil {
		return err
	}
	return m.add("launch", &Node{work: &callWork{call: f}})
}

// end ends the capture and returns its graph.
func (c *capture) end() (*Graph, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, r, err := c.finish(true)
	switch {
	case r == driver.ErrorStreamCaptureUnjoined:
		return nil, c.dev.invalid(captureOp, "a stream that waited for an event of the capture was not joined: record an event on it, and make the first stream wait for that", ErrStreamCaptureUnjoined)
	case r != driver.Success:
		return nil, c.dev.fail(captureOp, r)
	case err != nil:
		return nil, err
	case c.dev.isClosed():
		return nil, c.dev.closedError(captureOp, "")
	case g == nil || len(g.nodes) == 0:
		return nil, c.dev.invalid(captureOp, "nothing was captured: use the stream that the function is given", ErrInvalidValue)
	}
	return g, nil
}

// abandon ends the capture if that was not done.
func (c *capture) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.finish(false)
	}
}

// finish gives the streams back to what they were, and returns the graph if that is wanted. c.mu is
// held.
func (c *capture) finish(wanted bool) (g *Graph, r driver.Result, err error) {
	c.over = true
	d := c.dev
	epoch := d.hold()
	defer epoch.release()
	if !d.isClosed() {
		var graph driver.Graph
		first, others, asked := c.lastNodes()
		if graph, r = d.drv.StreamEndCapture(driver.Stream(c.origin.handle.Load())); r == driver.Success {
			r = asked
		}
		if r == driver.Success && wanted {
			g, r, err = c.graphOf(graph, first, others)
		}
		if graph != 0 {
			if destroyed := d.drv.GraphDestroy(graph); r == driver.Success {
				r = destroyed
			}
		}
	}
	for _, m := range c.members {
		m.leave()
	}
	for _, m := range c.members {
		err = errors.Join(err, m.inner.close()) // it has no work
	}
	c.graph, c.index, c.members, c.kept = Graph{}, nil, nil, nil // events that were recorded keep c
	return g, r, err
}

// lastNodes returns the last nodes of the first stream, and of all streams. c.mu is held.
func (c *capture) lastNodes() (first, all []driver.GraphNode, r driver.Result) {
	for i, m := range c.members {
		_, _, _, nodes, r := c.dev.drv.StreamGetCaptureInfo(driver.Stream(m.inner.handle.Load()))
		if r != driver.Success {
			return nil, nil, r
		}
		if i == 0 {
			first = nodes
		}
		all = append(all, nodes...)
	}
	return first, all, driver.Success
}

// graphOf returns the graph of a capture whose graph the driver has given back, or
// ErrorStreamCaptureUnjoined if the last work of a stream, all, is nothing that the first stream
// waits for. The driver reports that only of work that it captured itself: not, seen with driver
// 580, of nodes that cuStreamUpdateCaptureDependencies put behind a stream. c.mu is held.
func (c *capture) graphOf(graph driver.Graph, first, all []driver.GraphNode) (*Graph, driver.Result, error) {
	handles, r := c.dev.drv.GraphGetNodes(graph)
	if r != driver.Success {
		return nil, r, nil
	}
	awaited := make(map[driver.GraphNode]bool)
	for _, n := range first {
		awaited[n] = true
	}
	var nodes []*capturedNode
	if len(handles) > len(c.index) { // another library has captured, too
		var err error
		if nodes, err = c.readCaptured(handles); err != nil {
			return nil, driver.Success, err
		}
		for _, n := range nodes {
			for _, before := range n.after {
				awaited[before] = true
			}
		}
	} else {
		known := make([]driver.GraphNode, len(c.graph.nodes))
		for handle, i := range c.index {
			known[i] = handle
		}
		for _, i := range c.graph.edges {
			awaited[known[i]] = true
		}
	}
	for _, n := range all {
		if !awaited[n] {
			return nil, driver.ErrorStreamCaptureUnjoined, nil
		}
	}
	if nodes == nil {
		g := c.graph
		return &g, driver.Success, nil
	}
	g, err := c.withForeign(graph, nodes)
	return g, driver.Success, err
}

// leave makes the stream what it was before, unless its device was closed.
func (m *captureMember) leave() {
	d := m.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, open := d.streams[weak.Make(m.stream)]; open && !d.isClosed() {
		m.stream.handle.Store(uintptr(m.stream.capture.Load().handle))
	}
	m.stream.capture.Store(nil)
}
