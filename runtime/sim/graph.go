package sim

import (
	"slices"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/graph"
)

// graphCalls is the calls about graphs, and captures of streams.
type graphCalls struct{ *primaryContext }

// A graphTable holds the graphs of a device. It is under device.mu; its zero value is empty.
type graphTable struct {
	graphs       map[driver.Graph]*deviceGraph
	nodes        map[driver.GraphNode]*graphNode
	execs        map[driver.GraphExec]*graphExec
	conditionals map[driver.GraphConditionalHandle]*conditional
	captured     map[driver.Stream]*captured
	captures     uint64 // that were begun

	hostFuncs    map[driver.HostFunc]func()
	nextHostFunc driver.HostFunc
}

// A graph of a device, its nodes, and captures.
type (
	deviceGraph = graph.Graph[*nodeKernel]
	graphNode   = graph.Node[*nodeKernel]
	capture     = graph.Capture[*nodeKernel]
	captured    = graph.Captured[*nodeKernel]
)

// A nodeKernel is what a kernel node launches.
type nodeKernel struct {
	*loaded
	block []byte // the parameters, in the layout of the PTX
}

// newGraph returns a graph with a handle. d.mu is held.
func (d *primaryContext) newGraph(owner *graphNode) *deviceGraph {
	g := &deviceGraph{Handle: driver.Graph(handle()), Owner: owner}
	set(&d.graphs.graphs, g.Handle, g)
	return g
}

// forget takes g and its nodes out of the tables. d.mu is held.
func (d *graphCalls) forget(g *deviceGraph) {
	delete(d.graphs.graphs, g.Handle)
	for _, n := range g.Nodes {
		delete(d.graphs.nodes, n.Handle)
		for _, part := range n.Parts() {
			d.forget(part)
		}
	}
}

// register gives a copy handles. d.mu is held.
func (d *primaryContext) register(g *deviceGraph) {
	g.Handle = driver.Graph(handle())
	set(&d.graphs.graphs, g.Handle, g)
	for _, n := range g.Nodes {
		n.Handle = driver.GraphNode(handle())
		set(&d.graphs.nodes, n.Handle, n)
		for _, part := range n.Parts() {
			d.register(part)
		}
	}
}

// withGraphs calls f with d.mu held, if work can be done.
func (d *primaryContext) withGraphs(f func(t *graphTable) driver.Result) driver.Result {
	if r := d.usable(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return f(&d.graphs)
}

func (d *graphCalls) GraphCreate(flags uint32) (handle driver.Graph, r driver.Result) {
	r = d.withGraphs(func(*graphTable) driver.Result {
		if flags != 0 {
			return driver.ErrorInvalidValue
		}
		handle = d.newGraph(nil).Handle
		return driver.Success
	})
	return handle, r
}

// GraphDestroy leaves alone what was instantiated. Bodies and children go with their nodes.
func (d *graphCalls) GraphDestroy(handle driver.Graph) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.graphs.graphs[handle]
	if g == nil || g.Owner != nil {
		return driver.ErrorInvalidValue
	}
	d.forget(g)
	return driver.Result(d.sticky.Load())
}

func (d *graphCalls) GraphClone(handle driver.Graph) (clone driver.Graph, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[handle]
		if g == nil {
			return driver.ErrorInvalidValue
		}
		c := graph.Copy(g, nil)
		d.register(c)
		clone = c.Handle
		return driver.Success
	})
	return clone, r
}

// GraphNodeFindInClone goes by the place in the graph, which holds until a node is destroyed.
func (d *graphCalls) GraphNodeFindInClone(original driver.GraphNode, clone driver.Graph) (found driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		n, c := t.nodes[original], t.graphs[clone]
		if n == nil || c == nil {
			return driver.ErrorInvalidValue
		}
		at := slices.Index(n.Graph.Nodes, n)
		if at >= len(c.Nodes) || c.Nodes[at].Params.Type != n.Params.Type {
			return driver.ErrorInvalidValue
		}
		found = c.Nodes[at].Handle
		return driver.Success
	})
	return found, r
}

func (d *graphCalls) GraphNodeGetType(handle driver.GraphNode) (typ driver.GraphNodeType, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil {
			return driver.ErrorInvalidValue
		}
		typ = n.Params.Type
		return driver.Success
	})
	return typ, r
}

func (d *graphCalls) GraphNodeGetDependencies(handle driver.GraphNode) (nodes []driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil {
			return driver.ErrorInvalidValue
		}
		for _, a := range n.After {
			nodes = append(nodes, a.Handle)
		}
		return driver.Success
	})
	return nodes, r
}

// GraphDestroyNode takes the node out of the dependencies of others, too.
func (d *graphCalls) GraphDestroyNode(handle driver.GraphNode) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil || n.Graph.Nodes == nil {
			return driver.ErrorInvalidValue
		}
		n.Remove()
		delete(t.nodes, handle)
		for _, part := range n.Parts() {
			d.forget(part)
		}
		return driver.Success
	})
}

func (d *graphCalls) GraphGetNodes(handle driver.Graph) (nodes []driver.GraphNode, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[handle]
		if g == nil {
			return driver.ErrorInvalidValue
		}
		for _, n := range g.Nodes {
			nodes = append(nodes, n.Handle)
		}
		return driver.Success
	})
	return nodes, r
}

func (d *primaryContext) KeepHostFunc(f func()) driver.HostFunc {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.graphs.nextHostFunc++
	set(&d.graphs.hostFuncs, d.graphs.nextHostFunc, f)
	return d.graphs.nextHostFunc
}

func (d *graphCalls) DropHostFunc(h driver.HostFunc) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, there := d.graphs.hostFuncs[h]
	delete(d.graphs.hostFuncs, h)
	return there
}

// A graphExec is a graph that can be launched.
type graphExec struct {
	graph *deviceGraph
	flags uint64
	last  chan struct{} // closed when the launch that was enqueued last is over: an exec never runs beside itself
}

// A conditional is the value that a conditional node looks at.
type conditional struct {
	graph   *deviceGraph
	initial uint32
	assign  bool // the initial value at each launch
	used    bool // a node has it; under device.mu
	value   atomic.Uint32
}
