package sim

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A graphTable holds the graphs of a device. It is under device.mu; its zero value is empty.
type graphTable struct {
	graphs       map[driver.Graph]*graph
	nodes        map[driver.GraphNode]*graphNode
	execs        map[driver.GraphExec]*graphExec
	conditionals map[driver.GraphConditionalHandle]*conditional
	captured     map[driver.Stream]*captured
	captures     uint64 // that were begun

	hostFuncs    map[driver.HostFunc]func()
	nextHostFunc driver.HostFunc
}

// A graph is nodes in the order in which they were added, which puts each behind those that it
// comes after.
type graph struct {
	handle driver.Graph
	nodes  []*graphNode
	owner  *graphNode // of which it is a body or the child, or nil
}

// A graphNode is a node of a graph, or of the copy of it that an exec has.
type graphNode struct {
	handle   driver.GraphNode // of an exec's: that of the node it was made of
	graph    *graph
	params   driver.NodeParams
	kernel   *loaded
	block    []byte // the parameters, in the layout of the PTX
	attrs    driver.LaunchAttributes
	after    []*graphNode
	child    *graph
	bodies   []*graph
	captured bool // of work that was queued on a stream
	disabled bool
}

// A graphExec is a graph that can be launched.
type graphExec struct {
	graph *graph
	flags uint64
	last  chan struct{} // closed when the launch that was enqueued last is over: an exec never runs beside itself
}

func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = value
}

// newGraph returns a graph with a handle. d.mu is held.
func (d *device) newGraph(owner *graphNode) *graph {
	g := &graph{handle: driver.Graph(handle()), owner: owner}
	set(&d.graphs.graphs, g.handle, g)
	return g
}

// forget takes g and its nodes out of the tables. d.mu is held.
func (d *device) forget(g *graph) {
	delete(d.graphs.graphs, g.handle)
	for _, n := range g.nodes {
		delete(d.graphs.nodes, n.handle)
		for _, part := range n.parts() {
			d.forget(part)
		}
	}
}

// parts returns the graphs inside of n.
func (n *graphNode) parts() []*graph {
	if n.child != nil {
		return []*graph{n.child}
	}
	return n.bodies
}

// copyOf returns a copy of g without handles of its own, whose nodes know those of g's.
func copyOf(g *graph, owner *graphNode) *graph {
	c := &graph{owner: owner}
	made := make(map[*graphNode]*graphNode)
	for _, n := range g.nodes {
		m := *n
		m.graph, m.after, m.bodies = c, nil, nil
		for _, a := range n.after {
			m.after = append(m.after, made[a])
		}
		made[n] = &m
		if n.child != nil {
			m.child = copyOf(n.child, &m)
		}
		for _, body := range n.bodies {
			m.bodies = append(m.bodies, copyOf(body, &m))
		}
		c.nodes = append(c.nodes, &m)
	}
	return c
}

// register gives a copy handles. d.mu is held.
func (d *device) register(g *graph) {
	g.handle = driver.Graph(handle())
	set(&d.graphs.graphs, g.handle, g)
	for _, n := range g.nodes {
		n.handle = driver.GraphNode(handle())
		set(&d.graphs.nodes, n.handle, n)
		for _, part := range n.parts() {
			d.register(part)
		}
	}
}

// find returns the node of g, or of a graph inside of it, that was made of the one with handle.
func (g *graph) find(handle driver.GraphNode) *graphNode {
	for _, n := range g.nodes {
		if n.handle == handle {
			return n
		}
		for _, part := range n.parts() {
			if found := part.find(handle); found != nil {
				return found
			}
		}
	}
	return nil
}

// withGraphs calls f with d.mu held, if work can be done.
func (d *device) withGraphs(f func(t *graphTable) driver.Result) driver.Result {
	if r := d.usable(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return f(&d.graphs)
}

func (d *device) GraphCreate(flags uint32) (handle driver.Graph, r driver.Result) {
	r = d.withGraphs(func(*graphTable) driver.Result {
		if flags != 0 {
			return driver.ErrorInvalidValue
		}
		handle = d.newGraph(nil).handle
		return driver.Success
	})
	return handle, r
}

// GraphDestroy leaves alone what was instantiated. Bodies and children go with their nodes.
func (d *device) GraphDestroy(handle driver.Graph) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.graphs.graphs[handle]
	if g == nil || g.owner != nil {
		return driver.ErrorInvalidValue
	}
	d.forget(g)
	return driver.Result(d.sticky.Load())
}

func (d *device) GraphClone(handle driver.Graph) (clone driver.Graph, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[handle]
		if g == nil {
			return driver.ErrorInvalidValue
		}
		c := copyOf(g, nil)
		d.register(c)
		clone = c.handle
		return driver.Success
	})
	return clone, r
}

// GraphNodeFindInClone goes by the place in the graph, which holds until a node is destroyed.
func (d *device) GraphNodeFindInClone(original driver.GraphNode, clone driver.Graph) (found driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		n, c := t.nodes[original], t.graphs[clone]
		if n == nil || c == nil {
			return driver.ErrorInvalidValue
		}
		at := slices.Index(n.graph.nodes, n)
		if at >= len(c.nodes) || c.nodes[at].params.Type != n.params.Type {
			return driver.ErrorInvalidValue
		}
		found = c.nodes[at].handle
		return driver.Success
	})
	return found, r
}

func (d *device) GraphNodeGetType(handle driver.GraphNode) (typ driver.GraphNodeType, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil {
			return driver.ErrorInvalidValue
		}
		typ = n.params.Type
		return driver.Success
	})
	return typ, r
}

func (d *device) GraphNodeGetDependencies(handle driver.GraphNode) (nodes []driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil {
			return driver.ErrorInvalidValue
		}
		for _, a := range n.after {
			nodes = append(nodes, a.handle)
		}
		return driver.Success
	})
	return nodes, r
}

// GraphDestroyNode takes the node out of the dependencies of others, too.
func (d *device) GraphDestroyNode(handle driver.GraphNode) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil || n.graph.nodes == nil {
			return driver.ErrorInvalidValue
		}
		isN := func(m *graphNode) bool { return m == n }
		n.graph.nodes = slices.DeleteFunc(n.graph.nodes, isN)
		for _, m := range n.graph.nodes {
			m.after = slices.DeleteFunc(slices.Clone(m.after), isN)
		}
		delete(t.nodes, handle)
		for _, part := range n.parts() {
			d.forget(part)
		}
		return driver.Success
	})
}

func (d *device) GraphGetNodes(handle driver.Graph) (nodes []driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[handle]
		if g == nil {
			return driver.ErrorInvalidValue
		}
		for _, n := range g.nodes {
			nodes = append(nodes, n.handle)
		}
		return driver.Success
	})
	return nodes, r
}

// GraphAddNode takes a programmatic edge for a plain one, as the device may always do.
func (d *device) GraphAddNode(handle driver.Graph, after []driver.GraphEdge, p driver.NodeParams) (added driver.AddedNode, r driver.Result) {
	n, r := d.newNode(p)
	if r != driver.Success {
		return added, r
	}
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[handle]
		if g == nil {
			return driver.ErrorInvalidValue
		}
		for _, e := range after {
			before := t.nodes[e.From]
			if before == nil || before.graph != g || e.Programmatic && (before.kernel == nil || n.kernel == nil) {
				return driver.ErrorInvalidValue
			}
			n.after = append(n.after, before)
		}
		added, r = d.add(g, n)
		return r
	})
	return added, r
}

// add adds n to g. d.mu is held.
func (d *device) add(g *graph, n *graphNode) (added driver.AddedNode, r driver.Result) {
	t := &d.graphs
	switch n.params.Type {
	case driver.ChildGraphNodeType:
		child := t.graphs[n.params.Child]
		if child == nil {
			return added, driver.ErrorInvalidValue
		}
		n.child = copyOf(child, n)
		d.register(n.child)
	case driver.EventRecordNodeType:
		if d.events[n.params.Event] == nil {
			return added, driver.ErrorInvalidValue
		}
	case driver.MemAllocNodeType:
		// The address is the node's from now on, the memory is there when it has run.
		address, ok := d.mem.plan(n.params.Alloc.Bytes)
		if !ok {
			return added, driver.ErrorOutOfMemory
		}
		n.params.Free = driver.DevicePtr(address)
		added.Address = n.params.Free
	case driver.HostNodeType:
		if t.hostFuncs[n.params.Host] == nil {
			return added, driver.ErrorInvalidValue
		}
	case driver.ConditionalNodeType:
		c := t.conditionals[n.params.Conditional.Handle]
		if c == nil || c.used {
			return added, driver.ErrorInvalidValue
		}
		c.used = true
		for range n.params.Conditional.Bodies {
			body := d.newGraph(n)
			n.bodies = append(n.bodies, body)
			added.Bodies = append(added.Bodies, body.handle)
		}
	}
	n.graph, n.handle = g, driver.GraphNode(handle())
	set(&t.nodes, n.handle, n)
	g.nodes = append(g.nodes, n)
	added.Node = n.handle
	return added, driver.Success
}

// newNode returns a node that is in no graph, if the device takes one with these parameters.
func (d *device) newNode(p driver.NodeParams) (*graphNode, driver.Result) {
	n := &graphNode{params: p}
	switch p.Type {
	case driver.KernelNodeType, driver.MemcpyNodeType, driver.MemsetNodeType, driver.ConditionalNodeType:
		if p.Ctx != d.primary() {
			return nil, driver.ErrorInvalidContext
		}
	}
	ok := true
	switch p.Type {
	case driver.KernelNodeType:
		k, r := d.launchable(p.Kernel.Kernel)
		if r != driver.Success {
			return nil, r
		}
		n.kernel = k
		n.block, ok = k.gather(p.Kernel.Params, p.Kernel.Offsets)
		ok = ok && k.accepts(p.Kernel.Config)
		n.params.Kernel.Params, n.params.Kernel.Offsets = nil, nil
	case driver.MemcpyNodeType:
		for _, m := range []driver.Memory3D{p.Copy.Src, p.Copy.Dst} {
			bytes, counted := extent(p.Copy, m)
			_, there := memoryOf(uint64(m.Device), bytes)
			ok = ok && counted && (m.Host != nil || there || isPlanned(uint64(m.Device), bytes))
		}
		ok = ok && p.Copy.WidthBytes > 0 && p.Copy.Height > 0 && p.Copy.Depth > 0
	case driver.MemsetNodeType:
		bytes, counted := filledBytes(p.Memset)
		_, there := memoryOf(uint64(p.Memset.Dst), bytes)
		ok = counted && (there || isPlanned(uint64(p.Memset.Dst), bytes))
	case driver.MemAllocNodeType:
		ok = p.Alloc.Dev == d.dev && p.Alloc.Bytes > 0
	case driver.ConditionalNodeType:
		c := p.Conditional
		switch c.Kind {
		case driver.ConditionalIf:
			ok = c.Bodies == 1 || c.Bodies == 2
		case driver.ConditionalWhile:
			ok = c.Bodies == 1
		default:
			ok = c.Kind == driver.ConditionalSwitch && c.Bodies >= 1
		}
	case driver.EventWaitNodeType:
		ok = d.hasEvent(p.Event)
	case driver.MemFreeNodeType, driver.HostNodeType, driver.ChildGraphNodeType, driver.EmptyNodeType, driver.EventRecordNodeType:
	default:
		ok = false
	}
	if !ok {
		return nil, driver.ErrorInvalidValue
	}
	return n, driver.Success
}

// The attributes of kernel nodes, CUlaunchAttributeID.
const (
	nodeCooperative = 2
	nodeCluster     = 4
	nodePriority    = 8
)

func (d *device) GraphKernelNodeSetAttribute(handle driver.GraphNode, id uint32, value [8]uint64) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil || n.kernel == nil {
			return driver.ErrorInvalidValue
		}
		a := n.attrs
		switch id {
		case nodeCooperative:
			a.Cooperative = uint32(value[0]) != 0
		case nodeCluster:
			a.Cluster = driver.Dim3{X: uint32(value[0]), Y: uint32(value[0] >> 32), Z: uint32(value[1])}
		case nodePriority: // which has no effect
		default:
			return driver.ErrorInvalidValue
		}
		if _, r := n.kernel.place(n.params.Kernel.Config, a); r != driver.Success {
			return r
		}
		n.attrs = a
		return driver.Success
	})
}

// misfit returns a node that cannot be instantiated where it is, or nil.
func (g *graph) misfit(inBody bool) *graphNode {
	for _, n := range g.nodes {
		switch n.params.Type {
		case driver.HostNodeType, driver.EventRecordNodeType, driver.EventWaitNodeType, driver.MemAllocNodeType, driver.MemFreeNodeType:
			if inBody {
				return n
			}
		}
		for _, part := range n.parts() {
			if found := part.misfit(inBody || n.child == nil); found != nil {
				return found
			}
		}
	}
	return nil
}

func (d *device) GraphInstantiateWithParams(of driver.Graph, flags uint64) (e driver.GraphExec, at driver.GraphNode, outcome driver.GraphInstantiateResult, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, 0, r
	}
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[of]
		if g == nil || g.owner != nil || flags > 15 {
			return driver.ErrorInvalidValue
		}
		if n := g.misfit(false); n != nil {
			at, outcome = n.handle, 3
			return driver.ErrorInvalidValue
		}
		for _, c := range t.conditionals {
			if c.graph == g && !c.used {
				outcome = 5
				return driver.ErrorInvalidValue
			}
		}
		e = driver.GraphExec(handle())
		exec := &graphExec{graph: copyOf(g, nil), flags: flags, last: make(chan struct{})}
		close(exec.last)
		set(&t.execs, e, exec)
		return driver.Success
	})
	return e, at, outcome, r
}

// GraphExecDestroy lets launches run that were enqueued.
func (d *device) GraphExecDestroy(e driver.GraphExec) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.graphs.execs[e] == nil {
		return driver.ErrorInvalidValue
	}
	delete(d.graphs.execs, e)
	return driver.Result(d.sticky.Load())
}

// GraphExecNodeSetParams updates what the driver can: kernels, copies and fills of one
// dimension, host functions, events, and children of the same shape.
func (d *device) GraphExecNodeSetParams(e driver.GraphExec, handle driver.GraphNode, p driver.NodeParams) driver.Result {
	n, r := d.newNode(p)
	if r != driver.Success {
		return r
	}
	return d.withGraphs(func(t *graphTable) driver.Result {
		exec := t.execs[e]
		if exec == nil || t.nodes[handle] == nil {
			return driver.ErrorInvalidValue
		}
		was := exec.graph.find(handle)
		if was == nil || was.params.Type != p.Type {
			return driver.ErrorInvalidValue
		}
		switch p.Type {
		case driver.KernelNodeType:
			if _, r := n.kernel.place(p.Kernel.Config, was.attrs); r != driver.Success {
				return r
			}
		case driver.MemcpyNodeType:
			if !isLine(was.params.Copy) || !isLine(p.Copy) || kindsOf(was.params.Copy) != kindsOf(p.Copy) {
				return driver.ErrorInvalidValue
			}
		case driver.MemsetNodeType:
			if was.params.Memset.Height != 1 || p.Memset.Height != 1 {
				return driver.ErrorInvalidValue
			}
		case driver.HostNodeType:
			if t.hostFuncs[p.Host] == nil {
				return driver.ErrorInvalidValue
			}
		case driver.EventRecordNodeType:
			if d.events[p.Event] == nil {
				return driver.ErrorInvalidValue
			}
		case driver.EventWaitNodeType:
		case driver.ChildGraphNodeType:
			child := t.graphs[p.Child]
			if child == nil || was.child.difference(child) != nil {
				return driver.ErrorInvalidValue
			}
			was.child.adopt(child)
			return driver.Success
		default:
			return driver.ErrorNotSupported
		}
		was.params, was.kernel, was.block = n.params, n.kernel, n.block
		return driver.Success
	})
}

// isLine reports whether c has one dimension.
func isLine(c driver.Copy3D) bool { return c.Height == 1 && c.Depth == 1 }

// kindsOf says on which side of c memory of the host is.
func kindsOf(c driver.Copy3D) [2]bool { return [2]bool{c.Src.Host != nil, c.Dst.Host != nil} }

// A difference is why a graph cannot take the place of another one.
type difference struct {
	at      *graphNode
	outcome driver.GraphExecUpdateResult
}

// difference returns why g cannot do what other does, or nil.
func (g *graph) difference(other *graph) *difference {
	const topology, kind, parameters = 2, 3, 5
	for i, is := range other.nodes {
		if i >= len(g.nodes) {
			return &difference{is, topology}
		}
		was := g.nodes[i]
		switch {
		case len(was.after) != len(is.after):
			return &difference{is, topology}
		case was.params.Type != is.params.Type:
			return &difference{is, kind}
		case was.params.Type == driver.MemcpyNodeType && was.params.Copy != is.params.Copy &&
			(!isLine(was.params.Copy) || !isLine(is.params.Copy) || kindsOf(was.params.Copy) != kindsOf(is.params.Copy)):
			return &difference{is, parameters}
		case was.params.Type == driver.MemAllocNodeType && was.params.Alloc != is.params.Alloc:
			return &difference{is, parameters}
		case was.params.Type == driver.ConditionalNodeType && (was.params.Conditional.Kind != is.params.Conditional.Kind || len(was.bodies) != len(is.bodies)):
			return &difference{is, parameters}
		}
		for j, a := range is.after {
			if slices.Index(other.nodes, a) != slices.Index(g.nodes, was.after[j]) {
				return &difference{is, topology}
			}
		}
		for j, part := range is.parts() {
			if d := was.parts()[j].difference(part); d != nil {
				return d
			}
		}
	}
	if len(other.nodes) != len(g.nodes) {
		return &difference{nil, topology}
	}
	return nil
}

// adopt makes g do what other does, which is no difference.
func (g *graph) adopt(other *graph) {
	for i, is := range other.nodes {
		was := g.nodes[i]
		was.params, was.kernel, was.block, was.attrs = is.params, is.kernel, is.block, is.attrs
		for j, part := range is.parts() {
			was.parts()[j].adopt(part)
		}
	}
}

func (d *device) GraphExecUpdate(e driver.GraphExec, handle driver.Graph) (at, from driver.GraphNode, outcome driver.GraphExecUpdateResult, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		exec, g := t.execs[e], t.graphs[handle]
		if exec == nil || g == nil {
			outcome = 1
			return driver.ErrorInvalidValue
		}
		if diff := exec.graph.difference(g); diff != nil {
			if outcome = diff.outcome; diff.at != nil {
				at = diff.at.handle
			}
			return driver.ErrorGraphExecUpdateFailure
		}
		exec.graph.adopt(g)
		return driver.Success
	})
	return at, from, outcome, r
}

func (d *device) GraphNodeSetEnabled(e driver.GraphExec, handle driver.GraphNode, enabled uint32) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		exec := t.execs[e]
		if exec == nil || t.nodes[handle] == nil {
			return driver.ErrorInvalidValue
		}
		n := exec.graph.find(handle)
		if n == nil || n.params.Type > driver.MemsetNodeType {
			return driver.ErrorInvalidValue
		}
		n.disabled = enabled == 0
		return driver.Success
	})
}

func (d *device) KeepHostFunc(f func()) driver.HostFunc {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.graphs.nextHostFunc++
	set(&d.graphs.hostFuncs, d.graphs.nextHostFunc, f)
	return d.graphs.nextHostFunc
}

func (d *device) DropHostFunc(h driver.HostFunc) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, there := d.graphs.hostFuncs[h]
	delete(d.graphs.hostFuncs, h)
	return there
}
