package cuda_test

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A modelNode is a node of graphs.
type modelNode struct {
	name  string
	node  *cuda.Node     // nil for what a capture has made several nodes of
	now   *modelWork     // what it says now, unless it has a call
	call  *modelCall     // whose arguments are those of the node, or nil
	of    *modelCall     // a captured launch of which it is
	mems  []*modelMemory // that it may use
	prior []*modelNode   // that it comes after
	part  []*modelGraph  // inside of it
	dev   *modelDevice
	fixed bool // it was captured: what uses other memory would not be ordered
}

type modelGraph struct {
	name  string
	g     *cuda.Graph
	nodes []*modelNode
	edges [][]int // as they were when it was defined
}

type modelExec struct {
	name   string
	e      *cuda.GraphExec
	g      *modelGraph
	works  []*modelWork // of the nodes
	dev    *modelDevice
	closed bool

	clock  modelClock // of the last launch
	called []*modelStream
	fails  bool // a host function has failed
}

// work returns what n does now.
func (n *modelNode) work() *modelWork {
	k := n.now
	if n.call != nil {
		k = n.call.now
	}
	k = k.copy()
	k.from, k.after = n, len(n.prior)
	k.parts = nil
	for _, g := range n.part {
		k.parts = append(k.parts, g.works())
	}
	return k
}

func (g *modelGraph) works() (works []*modelWork) {
	for _, n := range g.nodes {
		works = append(works, n.work())
	}
	return works
}

// add adds n, which comes after the nodes that use the same memory.
func (w *modelWorld) add(n *modelNode, node *cuda.Node) {
	n.node, n.name = node, w.name("n")
	var list []*cuda.Node
	for _, m := range w.nodes {
		if m.node == nil {
			continue
		}
		shares := slices.ContainsFunc(m.mems, func(x *modelMemory) bool { return slices.Contains(n.mems, x) })
		if shares || m.dev == n.dev && w.chance(5) {
			list, n.prior = append(list, m.node), append(n.prior, m)
		}
	}
	w.nodes = append(w.nodes, n)
	node.After(list...)
	w.say("%s := node after %v // %v", n.name, nodeNames(n.prior), n.work())
}

func nodeNames(nodes []*modelNode) (names []string) {
	for _, n := range nodes {
		names = append(names, n.name)
	}
	return names
}

// newNode makes a node of any simple kind. It keeps to the memory that it has at first.
func (w *modelWorld) newNode() {
	d := w.anyDevice()
	own := slices.DeleteFunc(slices.Clone(w.memories), func(m *modelMemory) bool { return m.dev != d && !w.chance(2) })
	mems := []*modelMemory{w.memory(d, own), w.memory(d, own)}
	n := &modelNode{mems: mems, dev: d}
	if w.chance(12) {
		w.eventNode(n)
		return
	}
	k := w.randomWork(d, mems)
	reads, writes := k.uses()
	n.mems = append(append(mems, reads...), writes...) // also what could not be of mems
	if k.kind == filling {
		k.width = 4
	}
	n.now = k
	switch k.kind {
	case filling:
		node := cuda.NewNode(cuda.Fill(k.dst.slice(), k.a))
		w.add(n, node)
	case copied:
		node := cuda.NewNode(cuda.Copy(k.dst.slice(), k.src.slice()))
		w.add(n, node)
	case boxed:
		node := cuda.NewNode(cuda.CopyBox(k.boxes()))
		w.add(n, node)
	case hosted:
		node := cuda.NewHostNode(k.function())
		w.add(n, node)
	case launched:
		if n.call = w.newCall(k); n.call == nil {
			return
		}
		n.call.mems = n.mems
		node := cuda.NewNode(n.call.prepared)
		w.add(n, node)
	}
}

func (w *modelWorld) eventNode(n *modelNode) {
	n.mems = nil
	e, ok := pickFit(w, w.events, func(e *modelEvent) bool { return !e.closed && e.dev == n.dev && e.capture == nil })
	switch {
	case !ok || w.chance(30):
		node := new(cuda.Node)
		n.now = &modelWork{kind: emptied}
		w.add(n, node)
	case w.chance(60):
		node := e.e.RecordNode()
		n.now = &modelWork{kind: recorded, event: e}
		w.add(n, node)
	default:
		node := e.e.WaitNode()
		n.now, n.dev = &modelWork{kind: awaited, event: e}, nil
		w.add(n, node)
	}
}

// newScratch makes nodes that compute in memory of the graph's own.
func (w *modelWorld) newScratch() {
	d := w.anyDevice()
	m := w.memory(d, w.memories)
	if m.closed || m.dev != d && !m.portable || len(m.data) == 0 {
		return
	}
	alloc, memory := cuda.NewAllocNode[int32](d.dev, len(m.data))
	own := &modelMemory{name: w.name("scratch"), kind: "graph", dev: d, data: make([]int32, len(m.data)), all: memory}
	whole, all := modelSpan{m, 0, len(m.data)}, modelSpan{own, 0, len(m.data)}
	node := func(k *modelWork, node *cuda.Node) *modelNode {
		n := &modelNode{now: k, mems: []*modelMemory{own, m}, dev: d}
		w.add(n, node)
		return n
	}
	first := node(&modelWork{kind: allocated, dst: all}, alloc)
	in := cuda.NewNode(cuda.Copy(all.slice(), whole.slice()))
	node(&modelWork{kind: copied, dst: all, src: whole}, in)
	k := &modelWork{kind: launched, kernel: affine, dev: d, dst: all, a: 3, b: int32(w.random.IntN(9))}
	call := w.newCall(k)
	if call == nil {
		return
	}
	call.mems = []*modelMemory{own}
	run := cuda.NewNode(call.prepared)
	node(k, run).call = call
	out := cuda.NewNode(cuda.Copy(whole.slice(), all.slice()))
	node(&modelWork{kind: copied, dst: whole, src: all}, out)
	if w.chance(50) {
		free := cuda.NewFreeNode(memory)
		n := node(&modelWork{kind: freed, dst: all}, free)
		n.prior = append([]*modelNode{first}, n.prior...) // by Free
	}
}

// newCondition makes a node that decides, and the conditional node.
func (w *modelWorld) newCondition() {
	d := w.anyDevice()
	m := w.memory(d, w.memories)
	if m.closed || !m.reachable(d) || len(m.data) == 0 {
		return
	}
	c := &modelCondition{initial: uint32(w.random.IntN(3))}
	c.c = cuda.NewConditional(c.initial)
	decider := func() (*modelNode, *cuda.Node) {
		lo := w.random.IntN(len(m.data))
		k := &modelWork{kind: launched, kernel: decide, dev: d, cond: c, dst: modelSpan{m, lo, lo + 1}, a: int32(1 + w.random.IntN(4))}
		call := w.newCall(k)
		if call == nil {
			return nil, nil
		}
		return &modelNode{now: k, call: call, mems: []*modelMemory{m}, dev: d}, cuda.NewNode(call.prepared)
	}
	var bodies []*modelGraph
	for _, g := range w.graphs {
		if g.fitsBody(d) && len(bodies) < 4 && w.chance(60) {
			bodies = append(bodies, g)
		}
	}
	choice := modelChoice(w.random.IntN(4))
	if choice == chooseWhile { // whose body has to end it
		n, node := decider()
		if n == nil {
			return
		}
		w.add(n, node)
		n.prior = n.prior[:0:0]
		node = cuda.NewNode(n.call.prepared) // that comes after nothing
		n.node = node
		w.nodes = w.nodes[:len(w.nodes)-1]
		g, err := cuda.DefineGraph(node)
		w.expect(err, nil, "body of %s", n.name)
		bodies = []*modelGraph{{name: w.name("g"), g: g, nodes: []*modelNode{n}, edges: [][]int{nil}}}
	}
	if len(bodies) == 0 || choice == chooseElse && len(bodies) < 2 {
		return
	}
	if w.chance(80) {
		n, node := decider()
		if n == nil {
			return
		}
		w.add(n, node)
	}
	n := &modelNode{mems: []*modelMemory{m}, dev: d, now: &modelWork{kind: conditional, cond: c, choice: choice}}
	var node *cuda.Node
	switch choice {
	case chooseIf:
		n.part = bodies[:1]
		node = c.c.If(bodies[0].g, nil)
	case chooseElse:
		n.part = bodies[:2]
		node = c.c.If(bodies[0].g, bodies[1].g)
	case chooseWhile:
		n.part = bodies
		node = c.c.While(bodies[0].g)
	default:
		n.part = bodies
		var list []*cuda.Graph
		for _, g := range bodies {
			list = append(list, g.g)
		}
		node = c.c.Switch(list...)
	}
	for _, g := range n.part {
		n.mems = append(n.mems, g.memory()...)
	}
	w.add(n, node)
}

// memory returns what the nodes of g may use.
func (g *modelGraph) memory() (mems []*modelMemory) {
	for _, n := range g.nodes {
		mems = append(mems, n.mems...)
		for _, part := range n.part {
			mems = append(mems, part.memory()...)
		}
		r, w := n.work().uses()
		mems = append(append(mems, r...), w...)
	}
	return mems
}

// fitsBody reports whether g can be inside of a conditional node on d.
func (g *modelGraph) fitsBody(d *modelDevice) bool {
	for _, k := range g.works() {
		fits := true
		k.each(func(in *modelWork) {
			switch in.kind {
			case hosted, panicked, recorded, awaited, allocated, freed, conditional:
				fits = false
			}
			fits = fits && (in.kernel != decide || in.kind != launched) && (in.device() == nil || in.device() == d)
		})
		if !fits {
			return false
		}
	}
	return true
}

// newChild makes a node of a graph.
func (w *modelWorld) newChild() {
	g, ok := pickOf(w, w.graphs)
	if !ok {
		return
	}
	bad := false
	for _, k := range g.works() {
		k.each(func(in *modelWork) {
			bad = bad || in.kind == allocated || in.kind == freed || in.kind == conditional || in.kind == launched && in.kernel == decide
		})
	}
	if bad {
		return
	}
	n := &modelNode{mems: g.memory(), part: []*modelGraph{g}, now: &modelWork{kind: childed}}
	for _, k := range g.works() {
		if d := k.device(); d != nil {
			n.dev = d
		}
	}
	node := g.g.ChildNode()
	w.add(n, node)
}

// changeNode changes what a node says.
func (w *modelWorld) changeNode() {
	if n, ok := pickOf(w, w.nodes); ok {
		w.changeOne(n)
	}
}

func (w *modelWorld) changeOne(n *modelNode) {
	if n.call != nil {
		w.change(n.call)
		return
	}
	if n.fixed {
		return
	}
	c := &modelCall{now: n.now, mems: n.mems}
	switch call := n.node.Call().(type) {
	case *cuda.FillCall[int32]:
		n.now = w.changed(c).withWidth(4)
		call.Dst, call.Value = n.now.dst.slice(), n.now.a
	case *cuda.CopyCall[int32]:
		if n.now.dst.m.kind == "graph" || n.now.src.m.kind == "graph" {
			return
		}
		n.now = w.changed(c)
		call.Dst, call.Src = n.now.dst.slice(), n.now.src.slice()
	case *cuda.CopyBoxCall[int32]:
		n.now = w.changed(c)
		if n.now.kind != boxed {
			return
		}
		call.Dst, call.Src = n.now.boxes()
	case nil:
		if !w.changeOther(n) {
			return
		}
	default:
		return
	}
	w.say("change %s // %v", n.name, n.work())
}

// changeOther changes a node that has no call. It reports whether it can.
func (w *modelWorld) changeOther(n *modelNode) bool {
	switch n.now.kind {
	case hosted, panicked:
		k := n.now.copy()
		k.a = int32(w.random.IntN(9) - 3)
		if k.kind = hosted; w.chance(4) {
			k.kind = panicked
		}
		n.now = k
		n.node.Set(cuda.NewHostNode(k.function()))
	case recorded:
		if e, ok := pickFit(w, w.events, func(e *modelEvent) bool { return !e.closed && e.capture == nil }); ok {
			n.now = &modelWork{kind: recorded, event: e}
			n.node.Set(e.e.RecordNode())
		}
	case awaited:
		if e, ok := pickFit(w, w.events, func(e *modelEvent) bool { return !e.closed && e.capture == nil }); ok {
			n.now = &modelWork{kind: awaited, event: e}
			n.node.Set(e.e.WaitNode())
		}
	case childed:
		own := n.memory()
		g, ok := pickOf(w, w.graphs)
		if !ok || slices.ContainsFunc(g.memory(), func(m *modelMemory) bool { return !slices.Contains(own, m) }) || g.has(n) || !g.isPlain() {
			return false
		}
		n.part = []*modelGraph{g}
		n.node.Set(g.g.ChildNode())
	default:
		return false
	}
	return true
}

func (n *modelNode) memory() []*modelMemory {
	mems := slices.Clone(n.mems)
	for _, g := range n.part {
		mems = append(mems, g.memory()...)
	}
	return mems
}

// isPlain reports whether g has nothing that only a graph has.
func (g *modelGraph) isPlain() bool {
	plain := true
	for _, k := range g.works() {
		k.each(func(in *modelWork) {
			plain = plain && in.kind != allocated && in.kind != freed && in.kind != conditional && (in.kind != launched || in.kernel != decide)
		})
	}
	return plain
}

// has reports whether n is in g, or inside of it.
func (g *modelGraph) has(n *modelNode) bool {
	return slices.ContainsFunc(g.nodes, func(m *modelNode) bool {
		return m == n || slices.ContainsFunc(m.part, func(part *modelGraph) bool { return part.has(n) })
	})
}

func (k *modelWork) withWidth(n int) *modelWork {
	k.width = n
	return k
}

// addEdge makes a node come after one more.
func (w *modelWorld) addEdge() {
	if len(w.nodes) < 2 {
		return
	}
	i := 1 + w.random.IntN(len(w.nodes)-1)
	n, m := w.nodes[i], w.nodes[w.random.IntN(i)]
	if n.node == nil || m.node == nil {
		return
	}
	n.node.After(m.node)
	n.prior = append(n.prior, m)
	w.say("%s.After(%s)", n.name, m.name)
}

// defineGraph makes a graph of nodes and what they come after.
func (w *modelWorld) defineGraph() {
	var last []*modelNode
	var list []*cuda.Node
	first, ok := pickOf(w, w.nodes)
	if !ok {
		return
	}
	for range 1 + w.random.IntN(3) {
		n, _ := pickFit(w, w.nodes, func(n *modelNode) bool { return n.dev == first.dev })
		if n != nil && n.node != nil {
			last, list = append(last, n), append(list, n.node)
		}
	}
	if len(list) == 0 {
		return
	}
	g := &modelGraph{name: w.name("g")}
	var visit func(n *modelNode)
	visit = func(n *modelNode) {
		if slices.Contains(g.nodes, n) {
			return
		}
		var edges []int
		for _, m := range n.prior {
			visit(m)
			if i := slices.Index(g.nodes, m); !slices.Contains(edges, i) {
				edges = append(edges, i)
			}
		}
		g.nodes, g.edges = append(g.nodes, n), append(g.edges, edges)
	}
	for _, n := range last {
		visit(n)
	}
	var err error
	g.g, err = cuda.DefineGraph(list...)
	w.expect(err, nil, "%s := cuda.DefineGraph(%v)", g.name, nodeNames(last))
	for i, n := range g.g.Nodes() {
		if n != g.nodes[i].node {
			w.fail("%s has %v in place %d, want %s", g.name, n, i, g.nodes[i].name)
		}
	}
	if w.chance(10) {
		_ = g.g.DOT()
	}
	w.graphs = append(w.graphs, g)
}

// cloneGraph copies a graph as it is now.
func (w *modelWorld) cloneGraph() {
	g, ok := pickOf(w, w.graphs)
	if !ok {
		return
	}
	if len(g.g.Nodes()) != len(g.nodes) {
		return
	}
	c := g.clone(w, g.g.Clone())
	w.say("%s := %s.Clone()", c.name, g.name)
	w.graphs = append(w.graphs, c)
}

// clone is the model of c, a clone of g.
func (g *modelGraph) clone(w *modelWorld, c *cuda.Graph) *modelGraph {
	copied := &modelGraph{name: w.name("g"), g: c, edges: g.edges}
	nodes := c.Nodes()
	if len(nodes) != len(g.nodes) {
		copied.nodes = g.nodes
		return copied
	}
	for i, n := range g.nodes {
		m := &modelNode{name: n.name + "′", node: nodes[i], now: n.work(), of: n.of, mems: n.memory(), dev: n.dev, fixed: n.fixed}
		m.now.parts = nil
		for _, j := range g.edges[i] {
			m.prior = append(m.prior, copied.nodes[j])
		}
		parts := nodes[i].Graphs()
		for j, part := range n.part {
			m.part = append(m.part, part.clone(w, parts[j]))
		}
		copied.nodes = append(copied.nodes, m)
	}
	return copied
}

func (g *modelGraph) String() string { return fmt.Sprintf("%s %v", g.name, nodeNames(g.nodes)) }
