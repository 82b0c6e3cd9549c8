package sim

import (
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A capture makes nodes of what is queued on its streams.
type capture struct {
	id      uint64
	graph   *graph
	origin  driver.Stream
	invalid bool
	over    bool
}

// captured is a stream that captures.
type captured struct {
	*capture
	last []*graphNode // that what is captured next comes after
}

// breakUp makes c useless and returns why.
func (c *capture) breakUp(why driver.Result) driver.Result {
	if c.invalid {
		return driver.ErrorStreamCaptureInvalidated
	}
	c.invalid = true
	return why
}

// capturing returns the capture of a stream, nil if it does not capture.
func (d *device) capturing(handle driver.Stream) (c *captured, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		if c = t.captured[handle]; c != nil && c.invalid {
			return driver.ErrorStreamCaptureInvalidated
		}
		return driver.Success
	})
	return c, r
}

// captureNode makes a node of what is queued on a stream, if that captures: then done is true. A
// node that the device does not take breaks the capture.
func (d *device) captureNode(handle driver.Stream, p func() driver.NodeParams) (added driver.AddedNode, r driver.Result, done bool) {
	c, r := d.capturing(handle)
	if c == nil || r != driver.Success {
		return added, r, r != driver.Success
	}
	n, r := d.newNode(p())
	if r == driver.Success {
		r = d.withGraphs(func(*graphTable) driver.Result {
			n.after, n.captured = slices.Clone(c.last), true
			added, r = d.add(c.graph, n)
			return r
		})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r != driver.Success {
		c.breakUp(r)
		return added, r, true
	}
	c.last = []*graphNode{n}
	return added, driver.Success, true
}

// captureExec makes a child graph of an exec that is launched on a stream that captures.
func (d *device) captureExec(c *captured, e driver.GraphExec) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		exec := t.execs[e]
		if exec == nil {
			return c.breakUp(driver.ErrorInvalidValue)
		}
		n := &graphNode{graph: c.graph, after: slices.Clone(c.last), captured: true, handle: driver.GraphNode(handle()), params: driver.NodeParams{Type: driver.ChildGraphNodeType}}
		n.child = copyOf(exec.graph, n)
		d.register(n.child)
		set(&t.nodes, n.handle, n)
		c.graph.nodes = append(c.graph.nodes, n)
		c.last = []*graphNode{n}
		return driver.Success
	})
}

// lineNode is a copy of one dimension.
func (d *device) lineNode(dst, src driver.Memory3D, bytes uint64) driver.NodeParams {
	return driver.NodeParams{Type: driver.MemcpyNodeType, Ctx: d.primary(), Copy: driver.Copy3D{Dst: dst, Src: src, WidthBytes: bytes, Height: 1, Depth: 1}}
}

// side is one side of such a copy.
func side(host unsafe.Pointer, device driver.DevicePtr) driver.Memory3D {
	return driver.Memory3D{Host: host, Device: device}
}

// fillNode sets count elements of size bytes.
func (d *device) fillNode(dst driver.DevicePtr, value uint32, size uint32, count uint64) driver.NodeParams {
	return driver.NodeParams{Type: driver.MemsetNodeType, Ctx: d.primary(), Memset: driver.MemsetNodeParams{Dst: dst, Value: value, ElementBytes: size, Width: count, Height: 1}}
}

func (d *device) StreamBeginCapture(handle driver.Stream, mode driver.StreamCaptureMode) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case mode < driver.CaptureGlobal || mode > driver.CaptureRelaxed:
			return driver.ErrorInvalidValue
		case t.captured[handle] != nil:
			return driver.ErrorIllegalState
		}
		t.captures++
		set(&t.captured, handle, &captured{capture: &capture{id: t.captures, graph: d.newGraph(nil), origin: handle}})
		return driver.Success
	})
}

// joined reports whether the stream of c waits for n. As driver 580, it does not look at nodes
// that StreamUpdateCaptureDependencies put behind a stream.
func (c *captured) joined(n *graphNode) bool {
	return !n.captured || slices.Contains(c.last, n) || slices.ContainsFunc(c.graph.nodes, func(m *graphNode) bool { return slices.Contains(m.after, n) })
}

func (d *device) StreamEndCapture(handle driver.Stream) (g driver.Graph, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		c := t.captured[handle]
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case c == nil:
			return driver.ErrorIllegalState
		case c.origin != handle:
			return driver.ErrorStreamCaptureUnmatched
		}
		unjoined := false
		for s, other := range t.captured {
			if other.capture != c.capture {
				continue
			}
			unjoined = unjoined || slices.ContainsFunc(other.last, func(n *graphNode) bool { return !c.joined(n) })
			delete(t.captured, s)
		}
		c.over = true
		if c.invalid || unjoined {
			d.forget(c.graph)
			if c.invalid {
				return driver.ErrorStreamCaptureInvalidated
			}
			return driver.ErrorStreamCaptureUnjoined
		}
		g = c.graph.handle
		return driver.Success
	})
	return g, r
}

func (d *device) StreamGetCaptureInfo(handle driver.Stream) (status driver.StreamCaptureStatus, id uint64, g driver.Graph, last []driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		c := t.captured[handle]
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case c == nil:
			return driver.Success
		case c.invalid:
			status = driver.CaptureInvalidated
			return driver.Success
		}
		status, id, g = driver.Capturing, c.id, c.graph.handle
		for _, n := range c.last {
			last = append(last, n.handle)
		}
		return driver.Success
	})
	return status, id, g, last, r
}

func (d *device) StreamUpdateCaptureDependencies(handle driver.Stream, after []driver.GraphNode, flags uint32) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		c := t.captured[handle]
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case c == nil:
			return driver.ErrorIllegalState
		case c.invalid:
			return driver.ErrorStreamCaptureInvalidated
		case flags != driver.SetCaptureDependencies:
			return driver.ErrorInvalidValue
		}
		var last []*graphNode
		for _, handle := range after {
			n := t.nodes[handle]
			if n == nil || n.graph != c.graph {
				return driver.ErrorInvalidValue
			}
			last = append(last, n)
		}
		c.last = last
		return driver.Success
	})
}

// recordCaptured is EventRecord on a stream that captures. d.mu is held.
func (e *event) recordCaptured(c *captured) driver.Result {
	if c.invalid {
		return driver.ErrorStreamCaptureInvalidated
	}
	e.capture, e.last = c.capture, slices.Clone(c.last)
	return driver.Success
}

// joinCapture does StreamWaitEvent where the stream captures or the event is captured: then done
// is true.
func (d *device) joinCapture(on driver.Stream, handle driver.Event, flags uint32) (r driver.Result, done bool) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		e := d.events[handle]
		if d.streams[on] == nil || e == nil || flags > 1 || t.captured[on] == nil && e.capture == nil {
			return driver.Success
		}
		done = true
		return d.waitCaptured(on, e)
	})
	return r, done || r != driver.Success
}

// waitCaptured is StreamWaitEvent where the stream captures or the event is captured: the stream
// joins the capture. d.mu is held.
func (d *device) waitCaptured(handle driver.Stream, e *event) driver.Result {
	t := &d.graphs
	c := t.captured[handle]
	switch {
	case c != nil && c.invalid:
		return driver.ErrorStreamCaptureInvalidated
	case e.capture == nil:
		return c.breakUp(driver.ErrorStreamCaptureIsolation)
	case e.capture.over:
		return driver.ErrorCapturedEvent
	case c != nil && c.capture != e.capture:
		e.capture.invalid = true
		return c.breakUp(driver.ErrorStreamCaptureMerge)
	case c == nil:
		c = &captured{capture: e.capture}
		set(&t.captured, handle, c)
	}
	for _, n := range e.last {
		if !slices.Contains(c.last, n) {
			c.last = append(slices.Clip(c.last), n)
		}
	}
	return driver.Success
}

// usableMark returns why an event cannot be asked or waited for by the program: it is captured,
// which breaks the capture. d.mu is held.
func (e *event) usableMark() driver.Result {
	if e.capture == nil {
		return driver.Success
	}
	if !e.capture.over {
		e.capture.invalid = true
	}
	return driver.ErrorCapturedEvent
}

// allocates reports whether a node of g allocates the memory at p.
func (d *device) allocates(g *graph, p driver.DevicePtr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(g.nodes, func(n *graphNode) bool { return n.params.Type == driver.MemAllocNodeType && n.params.Free == p })
}
