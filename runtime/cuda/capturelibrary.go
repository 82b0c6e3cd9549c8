package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A foreignWork runs what another library has queued on a stream that captures, as it was queued
// then. It is a graph of the driver's, of which nodes have copies, and is destroyed when nobody
// can reach it, or with its device. It cannot be updated: build the graph again.
type foreignWork struct {
	dev    *Device
	handle driver.Graph
	kinds  []string
	owners []*lifetime // that Stream.Use has named
}

// resources returns those of the owners.
func (w *foreignWork) resources() (all []*Resource) {
	for _, o := range w.owners {
		if r, ok := o.object.(*Resource); ok {
			all = append(all, r)
		}
	}
	return all
}

func (w *foreignWork) text() string {
	return "work of another library: " + strings.Join(w.kinds, ", ")
}

func (w *foreignWork) frozen() work { return w }

func (w *foreignWork) define(def *definition) error {
	is := def.other()
	def.kind, def.dev = driver.ChildGraphNodeType, w.dev
	is.params.Child, is.foreign, is.needs = w.handle, w, "the work of another library cannot be updated"
	return def.useLibrary(w.owners)
}

// foreignKinds are the nodes of other libraries that copies can be made of.
var foreignKinds = map[driver.GraphNodeType]string{
	driver.KernelNodeType: "kernel", driver.MemcpyNodeType: "copy", driver.MemsetNodeType: "fill", driver.HostNodeType: "host function",
	driver.ChildGraphNodeType: "graph", driver.EmptyNodeType: "empty", driver.EventRecordNodeType: "record an event", driver.EventWaitNodeType: "wait for an event",
}

// A capturedNode is a node of the driver's graph of a capture.
type capturedNode struct {
	handle driver.GraphNode
	after  []driver.GraphNode
	own    *Node // that cudagen has captured, or nil
	kind   driver.GraphNodeType
	users  int // how many come after it
}

// readCaptured returns the nodes of a capture, each behind those that it comes after. What cannot
// be copied is an error.
func (c *capture) readCaptured(handles []driver.GraphNode) ([]*capturedNode, error) {
	drv := c.dev.drv
	byHandle := make(map[driver.GraphNode]*capturedNode)
	for _, h := range handles {
		n := &capturedNode{handle: h}
		var r driver.Result
		if n.after, r = drv.GraphNodeGetDependencies(h); r == driver.Success {
			n.kind, r = drv.GraphNodeGetType(h)
		}
		if r != driver.Success {
			return nil, c.dev.fail(captureOp, r)
		}
		if i, ours := c.index[h]; ours {
			n.own = c.graph.nodes[i]
		} else if foreignKinds[n.kind] == "" {
			return nil, c.dev.invalid(captureOp, fmt.Sprintf("another library has captured a node of type %d (CUgraphNodeType), such as an allocation, which cannot be copied: have it allocate before", n.kind), ErrNotSupported)
		}
		byHandle[h] = n
	}
	return inOrder(handles, byHandle), nil
}

// inOrder puts nodes behind those that they come after, and counts their users.
func inOrder(handles []driver.GraphNode, nodes map[driver.GraphNode]*capturedNode) (ordered []*capturedNode) {
	missing := make(map[*capturedNode]int) // how many that it comes after are not in ordered
	users := make(map[driver.GraphNode][]*capturedNode)
	for _, h := range handles {
		n := nodes[h]
		for _, a := range n.after {
			if before := nodes[a]; before != nil {
				before.users++
				missing[n]++
				users[a] = append(users[a], n)
			}
		}
		if missing[n] == 0 {
			ordered = append(ordered, n)
		}
	}
	for i := 0; i < len(ordered); i++ {
		for _, n := range users[ordered[i].handle] {
			if missing[n]--; missing[n] == 0 {
				ordered = append(ordered, n)
			}
		}
	}
	return ordered
}

// withForeign returns the graph of the capture with the work of other libraries in it. graph is
// the driver's, whose own nodes it destroys. Nodes of other libraries that follow each other are
// one node.
func (c *capture) withForeign(graph driver.Graph, nodes []*capturedNode) (*Graph, error) {
	drv := c.dev.drv
	byHandle := make(map[driver.GraphNode]*capturedNode)
	var chains [][]*capturedNode
	chainOf := make(map[driver.GraphNode]int)
	for _, n := range nodes {
		byHandle[n.handle] = n
		if n.own != nil {
			if r := drv.GraphDestroyNode(n.handle); r != driver.Success {
				return nil, c.dev.fail(captureOp, r)
			}
			continue
		}
		if len(n.after) == 1 {
			if before := byHandle[n.after[0]]; before != nil && before.own == nil && before.users == 1 {
				i := chainOf[before.handle]
				chainOf[n.handle], chains[i] = i, append(chains[i], n)
				continue
			}
		}
		chainOf[n.handle], chains = len(chains), append(chains, []*capturedNode{n})
	}
	made := make([]*Node, len(chains))
	for i, chain := range chains {
		work, err := c.cut(graph, chain, chains)
		if err != nil {
			return nil, err
		}
		made[i] = &Node{work: work}
	}
	g := new(Graph)
	at := make(map[*Node]int)
	of := func(handle driver.GraphNode) *Node {
		if n := byHandle[handle]; n.own != nil {
			return n.own
		}
		return made[chainOf[handle]]
	}
	for _, n := range nodes {
		if n.own == nil && chains[chainOf[n.handle]][0] != n {
			continue
		}
		node := of(n.handle)
		b := node
		b.after = nil
		var from []int
		for _, a := range n.after {
			before := of(a)
			b.after, from = append(b.after, before), append(from, at[before])
		}
		at[node] = len(g.nodes)
		g.append(node, from)
	}
	return g, nil
}

// cut returns a graph of the nodes of chain alone. graph has those of chains.
func (c *capture) cut(graph driver.Graph, chain []*capturedNode, chains [][]*capturedNode) (*foreignWork, error) {
	d := c.dev
	copied, r := d.drv.GraphClone(graph)
	if r != driver.Success {
		return nil, d.fail(captureOp, r)
	}
	var others []driver.GraphNode
	for _, other := range chains {
		if other[0] == chain[0] {
			continue
		}
		for _, n := range other {
			if r == driver.Success {
				var found driver.GraphNode
				found, r = d.drv.GraphNodeFindInClone(n.handle, copied)
				others = append(others, found)
			}
		}
	}
	for _, n := range others {
		if r == driver.Success {
			r = d.drv.GraphDestroyNode(n)
		}
	}
	if r != driver.Success {
		d.given(d.drv.GraphDestroy(copied))
		return nil, d.fail(captureOp, r)
	}
	work := &foreignWork{dev: d, handle: copied, owners: c.kept}
	resources := work.resources()
	if closed := beginAll(resources); closed != nil {
		d.given(d.drv.GraphDestroy(copied))
		return nil, closed.closedError(captureOp)
	}
	defer endAll(resources)
	for _, n := range chain {
		work.kinds = append(work.kinds, foreignKinds[n.kind])
	}
	key := weak.Make(work)
	if !d.own(key, nil, func() driver.Result { return d.drv.GraphDestroy(copied) }) {
		d.given(d.drv.GraphDestroy(copied))
		return nil, d.closedError(captureOp, "")
	}
	for _, res := range resources {
		res.keepWork(key)
	}
	runtime.AddCleanup(work, func(key weak.Pointer[foreignWork]) {
		defer d.hold().release()
		if !d.isClosed() { // or it destroys the graph
			d.giveBack(key)()
		}
	}, key)
	return work, nil
}
