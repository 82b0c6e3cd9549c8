package cuda

import (
	"errors"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// definitions returns what the nodes of g do now. within are the graphs that g is inside of.
func (g *Graph) definitions(within []*Graph) ([]execNode, error) {
	if g == nil || len(g.nodes) == 0 {
		return nil, &Error{Op: buildOp, Detail: "it has no nodes: make it with DefineGraph", Err: ErrInvalidValue}
	}
	if slices.Contains(within, g) {
		return nil, &Error{Op: buildOp, Detail: "a graph is inside of itself", Err: ErrInvalidValue}
	}
	within = append(within, g)
	nodes := make([]execNode, len(g.nodes))
	var room []*lifetime // for owners of many nodes
	for i, n := range g.nodes {
		if cap(room) == 0 {
			room = make([]*lifetime, 0, min(4*(len(g.nodes)-i), 1024))
		}
		x := &nodes[i]
		x.n, x.after, x.def.owners = n, len(n.after), room
		if err := n.define(&x.def); err != nil {
			if r := g.closedResource(); r != nil { // the memory that a library has for it goes with it
				return nil, r.closedError(buildOp)
			}
			return nil, nodeError(buildOp, n, err)
		}
		if err := x.def.include(within); err != nil {
			return nil, nodeError(buildOp, n, err)
		}
		used := len(x.def.owners)
		room = room[min(used, cap(room)):cap(room)][:0] // owners for which there was no room lie elsewhere
		x.def.owners = x.def.owners[:used:used]
	}
	return nodes, nil
}

// closedResource returns a resource of host functions or work of other libraries that is closed, or nil.
func (g *Graph) closedResource() *Resource {
	for _, n := range g.nodes {
		var owners []*lifetime
		switch w := n.work.(type) {
		case *hostWork:
			if w.library != nil {
				owners = w.library.owners
			}
		case *foreignWork:
			owners = w.owners
		}
		for _, o := range owners {
			if r, ok := o.object.(*Resource); ok && r.life.uses.IsClosed() {
				return r
			}
		}
	}
	return nil
}

// include adds what the graphs inside of a node do.
func (def *definition) include(within []*Graph) error {
	w := def.done()
	parts := w.bodies
	if w.child != nil {
		parts = []*Graph{w.child}
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
		w.inner = append(w.inner, inner)
		for i := range inner {
			in := &inner[i].def
			def.owners = append(def.owners, in.owners...)
			if in.kernel != nil {
				w.kernels, w.reached = append(w.kernels, in.kernel), append(w.reached, in.owners...)
			}
			w.reached = append(w.reached, in.done().reached...)
			w.kernels = append(w.kernels, in.done().kernels...)
			w.marks = append(w.marks, in.done().marks...)
			w.resources = append(w.resources, in.done().resources...)
		}
	}
	return nil
}

// deviceOf returns the device on which all of nodes, which are of g, do their work, nil for any.
func deviceOf(g *Graph, nodes []execNode) (dev *Device, err error) {
	first := 0
	for i := range nodes {
		d := nodes[i].def.dev
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
	n      *Node
	handle driver.GraphNode
	def    definition
	after  int // how many nodes n came after
	host   driver.HostFunc
	plain  bool // a kernel that is updated on libcuda: see libcuda.SetKernelNode
	twin   int  // the next place of n, which may be in several bodies, in a ring
	off    bool // Disable says so
	left   bool // out, as the driver knows: it is off, or its grid has no blocks
}

// isPlain reports whether libcuda adds and updates the node: a launch without attributes, of a
// kernel that is not launched through the driver interface, with its call's parameters.
func (def *definition) isPlain() bool {
	return def.call != nil && def.kernel.native != nil && !def.patched && !def.empty && def.call.attributes == nil
}

// A graphBuilder makes a driver's graph of definitions. What it has made is state's, also on an
// error.
type graphBuilder struct {
	dev    *Device
	state  *execState
	bodies []execNode // of graphs inside of conditional nodes, but not of those inside of child nodes
	nodes  []execNode // once it is done: of the graph, and bodies
	known  givenByGraph
	epoch  *epoch // that begin took

	resources []*Resource // in use

	// What is told of one node after the other.
	from   []driver.GraphNode
	edges  []driver.GraphEdge
	kernel *libcuda.KernelNode

	funcs  []driver.HostFunc // that were made, and uses of events that were begun
	events []*Event
}

// end ends what begin began.
func (b *graphBuilder) end() {
	endAll(b.resources)
	b.epoch.release()
}

// build adds nodes, which are of g, to into. Nodes in the graph of a child node are not b's.
func (b *graphBuilder) build(into driver.Graph, g *Graph, nodes []execNode, inChild bool) error {
	if err := b.known.prepare(b, into, g, nodes); err != nil {
		return err
	}
	b.known.enter(len(nodes))
	defer b.known.leave()
	for i := range nodes {
		x := &nodes[i]
		b.known.step(i, g.after(i))
		if inChild && x.def.empty {
			x.def.becomeEmpty()
		}
		added, err := b.add(into, x, g.after(i), nodes)
		if err != nil {
			return nodeError(buildOp, x.n, err)
		}
		x.handle = added.Node
		for j, body := range added.Bodies {
			inner := x.def.work.inner[j]
			if err := b.build(body, x.def.work.bodies[j], inner, inChild); err != nil {
				return err
			}
			if !inChild {
				b.bodies = append(b.bodies, inner...)
			}
		}
		if len(added.Bodies) > 0 {
			x.def.work.inner = nil
		}
	}
	return nil
}

// isForeign reports whether x is not for the body of a conditional node.
//
// CUDA Programming Guide, Conditional Graph Nodes: requirements of body graphs.
func (x execNode) isForeign() bool {
	switch x.def.kind {
	case driver.HostNodeType, driver.EventWaitNodeType, driver.EventRecordNodeType, driver.MemAllocNodeType, driver.MemFreeNodeType:
		return true
	}
	return false
}

// becomeEmpty makes the launch of no blocks an empty node, for graphs whose nodes an exec cannot
// leave out: those of child nodes.
func (def *definition) becomeEmpty() {
	*def = definition{kind: driver.EmptyNodeType, dev: def.dev, owners: def.owners}
}

// add adds x, which comes after those of nodes.
func (b *graphBuilder) add(into driver.Graph, x *execNode, after []int, nodes []execNode) (added driver.AddedNode, err error) {
	def, drv := &x.def, b.dev.drv
	if w := def.work; w != nil {
		for _, e := range w.events {
			if _, err := e.use(buildOp); err != nil {
				return added, err
			}
			b.state.events, b.events = append(b.state.events, e), append(b.events, e)
		}
		if w.host != nil {
			w.params.Host = b.state.keep(w.host)
			x.host, b.funcs = w.params.Host, append(b.funcs, w.params.Host)
		}
	}
	block, err := b.known.resolve(def)
	if err != nil {
		return added, err
	}
	if def.patched = block != nil; def.isPlain() {
		return b.addKernel(into, x, after, nodes)
	}
	if w := def.work; w != nil && w.child != nil {
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
	b.edges = b.edges[:0]
	for _, j := range after {
		programmatic := def.attributes.Programmatic && nodes[j].def.kind == driver.KernelNodeType
		if programmatic {
			if err := b.dev.needs(buildOp, programmaticEdges); err != nil {
				return added, err
			}
		}
		b.edges = append(b.edges, driver.GraphEdge{From: nodes[j].handle, Programmatic: programmatic})
	}
	added, r := drv.GraphAddNode(into, b.edges, def.params(b.dev, block))
	if r != driver.Success {
		return added, b.refused(def, r)
	}
	if def.call != nil {
		if r := b.setAttributes(added.Node, def.attributes); r != driver.Success {
			return added, b.refused(def, r)
		}
	}
	b.known.added(def, added)
	return added, nil
}

// addKernel adds a node for which isPlain is true.
func (b *graphBuilder) addKernel(into driver.Graph, x *execNode, after []int, nodes []execNode) (added driver.AddedNode, err error) {
	c := x.def.call
	if b.kernel == nil {
		b.kernel = libcuda.NewKernelNode(b.dev.ctx)
	}
	setKernelNode(b.kernel, c.kernel.handle(), c)
	b.from = b.from[:0]
	for _, j := range after {
		b.from = append(b.from, nodes[j].handle)
	}
	var r driver.Result
	added.Node, r = libcuda.AddKernelNode(into, b.from, b.kernel)
	runtime.KeepAlive(c)
	if r != driver.Success {
		return added, b.refused(&x.def, r)
	}
	x.plain = true
	return added, nil
}

// setKernelNode makes n the launch of c, whose kernel has that handle.
func setKernelNode(n *libcuda.KernelNode, handle driver.Kernel, c *Call) {
	n.Set(handle, &c.kernel.target, (*libcuda.LaunchConfig)(unsafe.Pointer(&c.config)), c.params)
}

// params returns what the driver is told of the node in a graph on d. block are the parameters of a
// call in which some were replaced, or nil.
func (def *definition) params(d *Device, block []byte) driver.NodeParams {
	p := def.done().params
	p.Type = def.kind
	if p.Type == driver.MemcpyNodeType && def.dev == nil { // between memory of the host
		p.Ctx = d.ctx
	}
	if c := def.call; c != nil {
		if block == nil {
			block = blockOf(c)
		}
		p.Ctx = c.kernel.dev.ctx
		p.Kernel = driver.KernelNodeParams{Kernel: c.kernel.handle(), Config: driverConfig(launchable(c), callCovers(c)), Params: block, Offsets: offsetsOf(c.kernel)}
	}
	return p
}

// buildChild adds the nodes inside of a node to child.
func (b *graphBuilder) buildChild(child driver.Graph, def *definition) error {
	w := def.work
	inside := &graphBuilder{dev: b.dev, state: b.state, known: b.known, kernel: b.kernel}
	err := inside.build(child, w.child, w.inner[0], true)
	b.known = inside.known
	w.innerFuncs, w.innerEvents = inside.funcs, inside.events
	b.funcs, b.events = append(b.funcs, inside.funcs...), append(b.events, inside.events...)
	w.params.Child = child
	w.inner = nil
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

// Instantiate makes an exec of g, which can be launched. Each node is what its fields say now:
// calls are checked as Prepare does, buffers and events must be open, all work must be on one
// device. The caller must close the result.
//
// CUDA Driver API, Graph Management, cuGraphInstantiateWithParams.
func (g *Graph) Instantiate() (*GraphExec, error) { return g.instantiate(nil, true) }

// InstantiateOn is Instantiate for a graph whose nodes may all be such that they do not lie on
// a device, as host nodes do.
func (g *Graph) InstantiateOn(d *Device) (*GraphExec, error) {
	if d == nil {
		return nil, &Error{Op: buildOp, Detail: "the device is nil", Err: ErrInvalidValue}
	}
	return g.instantiate(d, true)
}

// instantiate is InstantiateOn d, unless that is nil. If it is not watched, the caller closes the
// result when nobody can reach it, and that is no leak.
func (g *Graph) instantiate(d *Device, watched bool) (*GraphExec, error) {
	b, err := g.begin(d, new(hostCalls))
	if err != nil {
		return nil, err
	}
	defer b.end()
	e, err := b.instantiate(g, watched)
	if err != nil {
		b.dev.given(b.state.destroy()) // which does nothing if Close has
		return nil, err
	}
	return e, nil
}

// begin makes a driver's graph of g, on d unless that is nil. Its functions report to calls. The
// caller ends the builder.
func (g *Graph) begin(d *Device, calls *hostCalls) (*graphBuilder, error) {
	nodes, err := g.definitions(nil)
	if err != nil {
		return nil, err
	}
	dev, err := deviceOf(g, nodes)
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
	b := &graphBuilder{dev: dev, epoch: epoch, state: &execState{dev: dev, calls: calls}, resources: resourcesOf(nodes)}
	if closed := beginAll(b.resources); closed != nil {
		return nil, closed.closedError(buildOp)
	}
	var r driver.Result
	if b.state.graph, r = dev.drv.GraphCreate(0); r != driver.Success {
		b.end()
		return nil, dev.fail(buildOp, r)
	}
	if err := b.build(b.state.graph, g, nodes, false); err != nil {
		dev.given(b.state.destroy())
		b.end()
		return nil, err
	}
	b.nodes = append(nodes, b.bodies...)
	return b, nil
}

// resourcesOf returns those of nodes, each once.
func resourcesOf(nodes []execNode) (all []*Resource) {
	for i := range nodes {
		for _, r := range nodes[i].def.done().resources {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// nodeAt returns the node that the driver calls handle, or nil.
func (b *graphBuilder) nodeAt(handle driver.GraphNode) *Node {
	for i := range b.nodes {
		if handle != 0 && b.nodes[i].handle == handle {
			return b.nodes[i].n
		}
	}
	return nil
}

func (b *graphBuilder) instantiate(g *Graph, watched bool) (*GraphExec, error) {
	d := b.dev
	var at driver.GraphNode
	var outcome driver.GraphInstantiateResult
	try := func() driver.Result {
		return d.inContext(func() (r driver.Result) {
			b.state.exec, at, outcome, r = d.drv.GraphInstantiateWithParams(b.state.graph, b.known.flags())
			return r
		})
	}
	r := d.again(try(), try)
	if r != driver.Success {
		err := &Error{Op: buildOp}
		if outcome != 0 {
			err.Detail = outcome.String()
		}
		if n := b.nodeAt(at); n != nil {
			err.Detail = "node " + n.String() + ": " + err.Detail
			if slices.ContainsFunc(b.bodies, func(x execNode) bool { return x.handle == at && x.isForeign() }) {
				err.Detail += ": the body of a conditional node holds kernels, copies, fills, empty nodes, conditional nodes and graphs of these alone"
			}
		}
		return nil, d.failed(err, r)
	}
	e, err := newExec(g, b, watched)
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
