package sim

import (
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/graph"
)

// capturing returns the capture of a stream, nil if it does not capture.
func (d *primaryContext) capturing(handle driver.Stream) (c *captured, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		if c = t.captured[handle]; c != nil && c.Invalid {
			return driver.ErrorStreamCaptureInvalidated
		}
		return driver.Success
	})
	return c, r
}

// captureNode makes a node of what is queued on a stream, if that captures: then done is true. A
// node that the device does not take breaks the capture.
func (d *primaryContext) captureNode(handle driver.Stream, p func() driver.NodeParams) (added driver.AddedNode, r driver.Result, done bool) {
	c, r := d.capturing(handle)
	if c == nil || r != driver.Success {
		return added, r, r != driver.Success
	}
	n, r := d.newNode(p())
	if r == driver.Success {
		r = d.withGraphs(func(*graphTable) driver.Result {
			n.After, n.Captured = slices.Clone(c.Last), true
			added, r = d.add(c.Graph, n)
			return r
		})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r != driver.Success {
		c.BreakUp(r)
		return added, r, true
	}
	c.Last = []*graphNode{n}
	return added, driver.Success, true
}

// captureExec makes a child graph of an exec that is launched on a stream that captures.
func (d *graphCalls) captureExec(c *captured, e driver.GraphExec) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		exec := t.execs[e]
		if exec == nil {
			return c.BreakUp(driver.ErrorInvalidValue)
		}
		n := &graphNode{After: slices.Clone(c.Last), Captured: true, Handle: driver.GraphNode(handle()), Params: driver.NodeParams{Type: driver.ChildGraphNodeType}}
		n.Child = graph.Copy(exec.graph, n)
		d.register(n.Child)
		set(&t.nodes, n.Handle, n)
		c.Graph.Add(n)
		c.Last = []*graphNode{n}
		return driver.Success
	})
}

// lineNode is a copy of one dimension.
func (d *primaryContext) lineNode(dst, src driver.Memory3D, bytes uint64) driver.NodeParams {
	return driver.NodeParams{Type: driver.MemcpyNodeType, Ctx: d.primary(), Copy: driver.Copy3D{Dst: dst, Src: src, WidthBytes: bytes, Height: 1, Depth: 1}}
}

// side is one side of such a copy.
func side(host unsafe.Pointer, device driver.DevicePtr) driver.Memory3D {
	return driver.Memory3D{Host: host, Device: device}
}

// fillNode sets count elements of size bytes.
func (d *primaryContext) fillNode(dst driver.DevicePtr, value uint32, size uint32, count uint64) driver.NodeParams {
	return driver.NodeParams{Type: driver.MemsetNodeType, Ctx: d.primary(), Memset: driver.MemsetNodeParams{Dst: dst, Value: value, ElementBytes: size, Width: count, Height: 1}}
}

func (d *graphCalls) StreamBeginCapture(handle driver.Stream, mode driver.StreamCaptureMode) driver.Result {
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
		set(&t.captured, handle, &captured{Capture: &capture{ID: t.captures, Graph: d.newGraph(nil), Origin: handle}})
		return driver.Success
	})
}

func (d *graphCalls) StreamEndCapture(handle driver.Stream) (g driver.Graph, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		c := t.captured[handle]
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case c == nil:
			return driver.ErrorIllegalState
		case c.Origin != handle:
			return driver.ErrorStreamCaptureUnmatched
		}
		unjoined := false
		for s, other := range t.captured {
			if other.Capture != c.Capture {
				continue
			}
			unjoined = unjoined || slices.ContainsFunc(other.Last, func(n *graphNode) bool { return !c.Joined(n) })
			delete(t.captured, s)
		}
		c.Over = true
		if c.Invalid || unjoined {
			d.forget(c.Graph)
			if c.Invalid {
				return driver.ErrorStreamCaptureInvalidated
			}
			return driver.ErrorStreamCaptureUnjoined
		}
		g = c.Graph.Handle
		return driver.Success
	})
	return g, r
}

func (d *graphCalls) StreamGetCaptureInfo(handle driver.Stream) (status driver.StreamCaptureStatus, id uint64, g driver.Graph, last []driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		c := t.captured[handle]
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case c == nil:
			return driver.Success
		case c.Invalid:
			status = driver.CaptureInvalidated
			return driver.Success
		}
		status, id, g = driver.Capturing, c.ID, c.Graph.Handle
		for _, n := range c.Last {
			last = append(last, n.Handle)
		}
		return driver.Success
	})
	return status, id, g, last, r
}

func (d *graphCalls) StreamUpdateCaptureDependencies(handle driver.Stream, after []driver.GraphNode, flags uint32) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		c := t.captured[handle]
		switch {
		case d.streams[handle] == nil:
			return driver.ErrorInvalidHandle
		case c == nil:
			return driver.ErrorIllegalState
		case c.Invalid:
			return driver.ErrorStreamCaptureInvalidated
		case flags != driver.SetCaptureDependencies:
			return driver.ErrorInvalidValue
		}
		var last []*graphNode
		for _, handle := range after {
			n := t.nodes[handle]
			if n == nil || n.Graph != c.Graph {
				return driver.ErrorInvalidValue
			}
			last = append(last, n)
		}
		c.Last = last
		return driver.Success
	})
}

// joinCapture does StreamWaitEvent where the stream captures or the event is captured: then done
// is true.
func (d *primaryContext) joinCapture(on driver.Stream, handle driver.Event, flags uint32) (r driver.Result, done bool) {
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
func (d *primaryContext) waitCaptured(handle driver.Stream, e *event) driver.Result {
	t := &d.graphs
	c := t.captured[handle]
	switch {
	case c != nil && c.Invalid:
		return driver.ErrorStreamCaptureInvalidated
	case e.capture == nil:
		return c.BreakUp(driver.ErrorStreamCaptureIsolation)
	case e.capture.Over:
		return driver.ErrorCapturedEvent
	case c != nil && c.Capture != e.capture:
		e.capture.Invalid = true
		return c.BreakUp(driver.ErrorStreamCaptureMerge)
	case c == nil:
		c = &captured{Capture: e.capture}
		set(&t.captured, handle, c)
	}
	c.Join(e.last)
	return driver.Success
}

// allocates reports whether a node of g allocates the memory at p.
func (d *primaryContext) allocates(g *deviceGraph, p driver.DevicePtr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return g.Allocates(p)
}
