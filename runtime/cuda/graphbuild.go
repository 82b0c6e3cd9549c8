package cuda

import (
	"errors"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// definitions returns what the nodes of g do now. within are the graphs that g is inside of.
func (g *Graph) definitions(within []*Graph) ([]definition, error) {
	if g == nil || len(g.nodes) == 0 {
		return nil, &Error{Op: buildOp, Detail: "it has no nodes: make it with DefineGraph", Err: ErrInvalidValue}
	}
	if slices.Contains(within, g) {
		return nil, &Error{Op: buildOp, Detail: "a graph is inside of itself", Err: ErrInvalidValue}
	}
	within = append(within, g)
	defs := make([]definition, len(g.nodes))
	for i, n := range g.nodes {
		if err := n.define(&defs[i]); err != nil {
			return nil, nodeError(buildOp, n, err)
		}
		if err := defs[i].include(within); err != nil {
			return nil, nodeError(buildOp, n, err)
		}
	}
	return defs, nil
}

// include adds what the graphs inside of a node do.
func (def *definition) include(within []*Graph) error {
	parts := def.bodies
	if def.child != nil {
		parts = []*Graph{def.child}
	}
	for _, g := range parts {
		inner, err := g.definitions(within)
		if err != nil {
			return err
		}
		dev, err := deviceOf(g, inner)
		if err != nil {
			return err
		}
		if def.dev == nil {
			def.dev = dev
		} else if dev != nil && dev != def.dev {
			return &Error{Op: buildOp, Detail: "the graphs inside of it are on " + def.dev.String() + " and " + dev.besides(def.dev), Err: ErrInvalidValue}
		}
		def.inner = append(def.inner, inner)
		for i := range inner {
			def.owners = append(def.owners, inner[i].owners...)
			def.kernels = append(def.kernels, inner[i].kernels...)
		}
	}
	return nil
}

// deviceOf returns the device on which all of defs, the nodes of g, do their work, nil for any.
func deviceOf(g *Graph, defs []definition) (dev *Device, err error) {
	first := 0
	for i := range defs {
		d := defs[i].dev
		switch {
		case d == nil:
		case dev == nil:
			dev, first = d, i
		case d != dev:
			return nil, nodeError(buildOp, g.nodes[i], &Error{Op: buildOp, Detail: "it is on " + d.String() + ", node " + g.nodes[first].String() + " on " + dev.besides(d) + ": make a graph for each device", Err: ErrInvalidValue})
		}
	}
	return dev, nil
}

// An execNode is a node as an exec has it.
type execNode struct {
	n      Node
	handle driver.GraphNode
	def    definition
	after  int // how many nodes n came after
	host   driver.HostFunc
	kernel *kernelUpdate
	off    bool // Disable says so
	left   bool // out, as the driver knows: it is off, or its grid has no blocks
}

// A kernelUpdate is what a kernel node is updated by on libcuda: see libcuda.SetKernelNode.
type kernelUpdate struct {
	node   libcuda.KernelNode
	record libcuda.BatchRecord // of the call whose parameters the node has
}

// A graphBuilder makes a driver's graph of definitions. What it has made is state's, also on an
// error.
type graphBuilder struct {
	dev   *Device
	state *execState
	nodes []execNode // of the graph and of bodies inside of it, but not of children
	known placeholders
	epoch *epoch // that begin took

	funcs  []driver.HostFunc // that were made, and uses of events that were begun
	events []*Event
}

// build adds nodes for defs, which are of g, to into. Nodes in the graph of a child node are not
// b's.
func (b *graphBuilder) build(into driver.Graph, g *Graph, defs []definition, inChild bool) error {
	if err := b.known.prepare(b, into, g, defs); err != nil {
		return err
	}
	handles := make([]driver.GraphNode, len(defs))
	var after []driver.GraphEdge
	for i := range defs {
		def := &defs[i]
		after = after[:0]
		for _, j := range g.after[i] {
			programmatic := def.attributes.Programmatic && defs[j].params.Type == driver.KernelNodeType
			if programmatic {
				if err := b.dev.needs(buildOp, programmaticEdges); err != nil {
					return nodeError(buildOp, g.nodes[i], err)
				}
			}
			after = append(after, driver.GraphEdge{From: handles[j], Programmatic: programmatic})
		}
		x := execNode{n: g.nodes[i], after: len(g.nodes[i].base().after)}
		added, err := b.add(into, after, &x, def)
		if err != nil {
			return nodeError(buildOp, g.nodes[i], err)
		}
		handles[i], x.handle = added.Node, added.Node
		if !inChild {
			x.def = *def
			b.nodes = append(b.nodes, x)
		}
		for j, body := range added.Bodies {
			if err := b.build(body, def.bodies[j], def.inner[j], inChild); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds one node.
func (b *graphBuilder) add(into driver.Graph, after []driver.GraphEdge, x *execNode, def *definition) (added driver.AddedNode, err error) {
	drv := b.dev.drv
	for _, e := range def.events {
		if _, err := e.use(buildOp); err != nil {
			return added, err
		}
		b.state.events, b.events = append(b.state.events, e), append(b.events, e)
		if def.params.Type == driver.EventRecordNodeType {
			e.recordedBy(&b.state.calls.failures)
		}
	}
	if def.host != nil {
		def.params.Host = b.state.keep(def.host)
		x.host, b.funcs = def.params.Host, append(b.funcs, def.params.Host)
	}
	if err := b.known.resolve(def); err != nil {
		return added, err
	}
	if def.child != nil {
		child, r := drv.GraphCreate(0)
		if r != driver.Success {
			return added, b.dev.fail(buildOp, r)
		}
		defer func() { // the node has a copy
			if r := drv.GraphDestroy(child); r != driver.Success && err == nil {
				err = b.dev.fail(buildOp, r)
			}
		}()
		if err := b.buildChild(child, def); err != nil {
			return added, err
		}
	}
	added, r := drv.GraphAddNode(into, after, def.params)
	if r != driver.Success {
		return added, b.refused(def, r)
	}
	if def.call != nil {
		if r := b.setAttributes(added.Node, def.attributes); r != driver.Success {
			return added, b.refused(def, r)
		}
		if def.call.kernel.native != nil && !def.patched && !def.empty {
			x.kernel = &kernelUpdate{record: batchRecordOf(def.call)}
		}
	}
	b.known.added(def, added)
	return added, nil
}

// buildChild adds the nodes inside of a node to child.
func (b *graphBuilder) buildChild(child driver.Graph, def *definition) error {
	inside := &graphBuilder{dev: b.dev, state: b.state, known: b.known}
	err := inside.build(child, def.child, def.inner[0], true)
	b.known = inside.known
	def.innerFuncs, def.innerEvents = inside.funcs, inside.events
	b.funcs, b.events = append(b.funcs, inside.funcs...), append(b.events, inside.events...)
	def.params.Child = child
	return err
}

func (b *graphBuilder) setAttributes(n driver.GraphNode, a driver.LaunchAttributes) driver.Result {
	a.Programmatic = false // an edge says so
	list := libcuda.Attributes(a)
	for _, attribute := range list.List[:list.Count] {
		if r := b.dev.drv.GraphKernelNodeSetAttribute(n, attribute.ID, attribute.Value); r != driver.Success {
			return r
		}
	}
	return driver.Success
}

// refused is the error of a node that the driver has not taken.
func (b *graphBuilder) refused(def *definition, r driver.Result) error {
	if def.call != nil {
		return def.call.kernel.explainLaunch(&def.call.config, r)
	}
	return b.dev.fail(buildOp, r)
}

// Instantiate makes of g what can be launched. Each node is what its fields say now: calls are
// checked as Prepare does, buffers and events must be open, all work must be on one device. The
// caller must close the result.
//
// CUDA Driver API, Graph Management, cuGraphInstantiateWithParams.
func (g *Graph) Instantiate() (*GraphExec, error) { return g.instantiate(nil) }

// InstantiateOn is Instantiate for a graph whose nodes may all be such that they do not lie on
// a device, as host nodes do.
func (g *Graph) InstantiateOn(d *Device) (*GraphExec, error) {
	if d == nil {
		return nil, &Error{Op: buildOp, Detail: "the device is nil", Err: ErrInvalidValue}
	}
	return g.instantiate(d)
}

func (g *Graph) instantiate(d *Device) (*GraphExec, error) {
	b, err := g.begin(d, new(hostCalls))
	if err != nil {
		return nil, err
	}
	defer b.epoch.release()
	e, err := b.instantiate(g)
	if err != nil {
		b.dev.given(b.state.destroy()) // which does nothing if Close has
		return nil, err
	}
	return e, nil
}

// begin makes a driver's graph of g, on d unless that is nil. Its functions report to calls. The
// caller releases the builder's epoch.
func (g *Graph) begin(d *Device, calls *hostCalls) (*graphBuilder, error) {
	defs, err := g.definitions(nil)
	if err != nil {
		return nil, err
	}
	dev, err := deviceOf(g, defs)
	if err != nil {
		return nil, err
	}
	switch {
	case dev == nil && d == nil:
		return nil, &Error{Op: buildOp, Detail: "no node says on which device: use InstantiateOn", Err: ErrInvalidValue}
	case dev == nil:
		dev = d
	case d != nil && d != dev:
		return nil, d.invalid(buildOp, "its nodes are on "+dev.besides(d), ErrInvalidValue)
	}
	epoch := dev.hold()
	defer epoch.release()
	if dev.isClosed() {
		return nil, dev.closedError(buildOp, "")
	}
	b := &graphBuilder{dev: dev, epoch: epoch, state: &execState{dev: dev, calls: calls}, nodes: make([]execNode, 0, len(defs))}
	var r driver.Result
	if b.state.graph, r = dev.drv.GraphCreate(0); r != driver.Success {
		return nil, dev.fail(buildOp, r)
	}
	if err := b.build(b.state.graph, g, defs, false); err != nil {
		dev.given(b.state.destroy())
		return nil, err
	}
	return b, nil
}

// nodeAt returns the node that the driver calls handle, or nil.
func (b *graphBuilder) nodeAt(handle driver.GraphNode) Node {
	for i := range b.nodes {
		if handle != 0 && b.nodes[i].handle == handle {
			return b.nodes[i].n
		}
	}
	return nil
}

func (b *graphBuilder) instantiate(g *Graph) (*GraphExec, error) {
	d := b.dev
	var at driver.GraphNode
	var outcome driver.GraphInstantiateResult
	r := d.inContext(func() (r driver.Result) {
		b.state.exec, at, outcome, r = d.drv.GraphInstantiateWithParams(b.state.graph, b.known.flags())
		return r
	})
	if r != driver.Success {
		err := &Error{Op: buildOp}
		if outcome != 0 {
			err.Detail = outcome.String()
		}
		if n := b.nodeAt(at); n != nil {
			err.Detail = "node " + n.String() + ": " + err.Detail
		}
		return nil, d.failed(err, r)
	}
	e, err := newExec(g, b)
	if err != nil {
		return nil, err
	}
	for i := range e.nodes {
		if err := e.leaveOut(buildOp, &e.nodes[i], e.nodes[i].def.empty); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	return e, nil
}
