package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// updateOp is what errors call an update.
const updateOp = "update a graph"

// at returns a place of n in e.nodes, or -1. A node remembers its place in the exec that has looked
// at it last.
func (e *GraphExec) at(n *Node) int {
	if n == nil {
		return -1
	}
	if i := int(n.place.Load()); i < len(e.nodes) && e.nodes[i].n == n {
		return i
	}
	nodeNotes.Lock()
	defer nodeNotes.Unlock()
	for i := range e.nodes {
		if e.nodes[i].n == n {
			n.place.Store(int64(i))
			return i
		}
	}
	return -1
}

// noteNodes tells each node its first place in e, and joins the places of each node in a ring.
func (e *GraphExec) noteNodes() {
	nodeNotes.Lock()
	defer nodeNotes.Unlock()
	for i := len(e.nodes) - 1; i >= 0; i-- {
		n := e.nodes[i].n
		e.nodes[i].twin = i
		if next := int(n.place.Load()); next > i && next < len(e.nodes) && e.nodes[next].n == n {
			e.nodes[i].twin, e.nodes[next].twin = e.nodes[next].twin, i
		}
		n.place.Store(int64(i))
	}
}

// Update makes the launches that follow do what n says now. Those that were launched before are
// not affected. It updates kernels (also to another kernel and configuration), copies and fills
// of one dimension, host functions, events and child graphs of the same shape. What the driver
// cannot update is an error that wraps ErrNeedsInstantiation and says why. On an error e stays
// as it was. Where a child graph holds n, too, it stays as it was there: update the node of ChildNode.
//
// Update allocates nothing for a node whose call, event or buffers were changed in place.
//
// CUDA Driver API, Graph Management, cuGraphExecNodeSetParams.
func (e *GraphExec) Update(n *Node) error {
	if err := e.lock(updateOp); err != nil {
		return err
	}
	defer e.mu.Unlock()
	i := e.at(n)
	if i < 0 {
		return e.errNotInGraph(updateOp, n)
	}
	if e.nodes[i].twin != i {
		if err := e.updatable(i, n); err != nil {
			return err
		}
	}
	for first := i; ; {
		if err := e.updateAt(i, n); err != nil {
			return err
		}
		if i = e.nodes[i].twin; i == first {
			return nil
		}
	}
}

// updatable returns why n, which is at i, cannot be updated at all of its places.
func (e *GraphExec) updatable(i int, n *Node) error {
	for first := i; ; {
		x := &e.nodes[i]
		if _, err := e.redefine(x, n); err != nil {
			return err
		}
		if i = x.twin; i == first {
			return nil
		}
	}
}

// updateAt updates n at i, one of its places.
func (e *GraphExec) updateAt(i int, n *Node) error {
	if x := &e.nodes[i]; x.plain {
		if c := n.prepared(); c != nil && x.hasOtherValues(c, n) {
			return e.updateCall(x, c)
		}
	}
	return e.updateNode(i, n)
}

// hasOtherValues reports whether n, which is x, launches c as before, but for the values of the
// parameters: the same kernel with the same buffers.
func (x *execNode) hasOtherValues(c *Call, n *Node) bool {
	if c != x.def.call || c.kernel != x.def.kernel || c.attributes != nil || c.empty || len(n.after) != x.after {
		return false
	}
	owners := x.def.owners // none of which is given by the graph
	for i := range c.args {
		if a := c.args[i].owner; a != nil {
			if len(owners) == 0 || owners[0] != a {
				return false
			}
			owners = owners[1:]
		}
	}
	return len(owners) == 0
}

// updateCall updates a node for which hasOtherValues is true. Device.Close, too, makes the
// kernel's handle 0 before it destroys e.
func (e *GraphExec) updateCall(x *execNode, c *Call) error {
	epoch := e.dev.hold()
	handle := c.kernel.handle()
	if handle == 0 {
		return nodeError(updateOp, x.n, e.dev.closedError(updateOp, "its kernel's library"))
	}
	if e.kernel == nil {
		e.kernel = libcuda.NewKernelNode(e.dev.ctx)
	}
	setKernelNode(e.kernel, handle, c)
	r := libcuda.SetKernelNode(e.handle, x.handle, e.kernel)
	epoch.release()
	runtime.KeepAlive(c)
	if r != driver.Success {
		return nodeError(updateOp, x.n, c.kernel.explainLaunch(&c.config, r))
	}
	return nil
}

// obstacle returns why an exec that does was cannot be made to do is, or "".
func (was *definition) obstacle(is *definition) string {
	old, now := was.done(), is.done()
	switch {
	case was.kind == driver.EmptyNodeType && is.kind == driver.EmptyNodeType:
		return "" // whatever does nothing now
	case old.needs != "":
		return old.needs
	case now.needs != "":
		return now.needs
	case was.kind != is.kind:
		return "it is work of another kind now"
	case was.attributes != is.attributes:
		return "the attributes of its launch changed"
	case was.kernel != nil && was.kernel.dev != is.kernel.dev || old.params.Ctx != now.params.Ctx:
		return "it is on another device now"
	case !slices.Equal(old.resources, now.resources):
		return "it needs something else of another library now"
	}
	switch was.kind {
	case driver.MemcpyNodeType:
		from, to := &old.params.Copy, &now.params.Copy
		if (from.Src.Host != nil) != (to.Src.Host != nil) || (from.Dst.Host != nil) != (to.Dst.Host != nil) {
			return "it copies between other kinds of memory now"
		}
	case driver.MemAllocNodeType, driver.MemFreeNodeType:
		return "nodes that allocate and free cannot be updated"
	case driver.ConditionalNodeType:
		return "conditional nodes cannot be updated, but the nodes in their bodies can"
	}
	return unique(now.inner)
}

// unique returns why a graph in a node cannot be made once more beside the one that an exec has, or "".
func unique(graphs [][]execNode) string {
	for _, nodes := range graphs {
		for i := range nodes {
			def := &nodes[i].def
			switch def.kind {
			case driver.MemAllocNodeType, driver.MemFreeNodeType:
				return "a node of its graph allocates or frees, which cannot be updated"
			case driver.ConditionalNodeType:
				return "a node of its graph is conditional, which cannot be updated"
			}
			if why := unique(def.done().inner); why != "" {
				return why
			}
		}
	}
	return ""
}

func (e *GraphExec) needsInstantiation(n *Node, why string) error {
	return &Error{Op: updateOp, Device: e.dev.String(), Driver: e.dev.version, Detail: "node " + n.String() + ": " + why, Err: ErrNeedsInstantiation, Hint: "use Graph.Instantiate"}
}

// redefine returns what n does now, which is e.scratch, or why x cannot be made to do it. The caller
// holds an epoch.
func (e *GraphExec) redefine(x *execNode, n *Node) (*definition, error) {
	d := e.dev
	if d.isClosed() {
		return nil, d.closedError(updateOp, "")
	}
	if len(n.after) != x.after {
		return nil, e.needsInstantiation(n, "it comes after other nodes now")
	}
	def := &e.scratch
	def.clear()
	if err := n.define(def); err != nil {
		return nil, nodeError(updateOp, n, err)
	}
	if err := def.include(nil); err != nil {
		return nil, nodeError(updateOp, n, err)
	}
	if def.dev != nil && def.dev != d {
		return nil, e.needsInstantiation(n, "it is on "+def.dev.besides(e.dev)+" now")
	}
	if why := x.def.obstacle(def); why != "" {
		return nil, e.needsInstantiation(n, why)
	}
	return def, nil
}

// updateNode makes the node i, whichever it is, do what n does.
func (e *GraphExec) updateNode(i int, n *Node) error {
	x := &e.nodes[i]
	defer e.dev.hold().release()
	if e.dev.isClosed() { // what ends it also ends what e has
		return e.dev.closedError(updateOp, "")
	}
	def, err := e.redefine(x, n)
	if err != nil {
		return err
	}
	if def.kind == driver.EmptyNodeType {
		return nil
	}
	e.known.revisit(i)
	block, err := e.known.resolve(def)
	if err != nil {
		return nodeError(updateOp, n, err)
	}
	def.patched = block != nil
	begun, err := e.prepare(def)
	if err == nil && def.empty { // before, so that it never runs
		err = e.leaveOut(updateOp, x, true)
	}
	if err == nil {
		err = e.set(x, def, block)
	}
	if err != nil {
		e.undo(def.done(), begun)
		return errors.Join(nodeError(updateOp, n, err), e.leaveOut(updateOp, x, x.isLeftOut()))
	}
	e.adopt(x, def)
	return e.leaveOut(updateOp, x, x.isLeftOut())
}

// prepare makes what the driver is to be told of def, and begins uses of its first events.
func (e *GraphExec) prepare(def *definition) (begun int, err error) {
	w := def.done()
	for _, ev := range w.events {
		if _, err := ev.use(updateOp); err != nil {
			return begun, err
		}
		begun++
	}
	if w.host != nil {
		w.params.Host = e.state.keep(w.host)
	}
	return begun, nil
}

// undo takes back what prepare has made.
func (e *GraphExec) undo(w *nodeWork, begun int) {
	for _, ev := range w.events[:begun] {
		ev.end()
	}
	if w.params.Host != 0 {
		e.state.drop(w.params.Host)
	}
	e.state.drop(w.innerFuncs...)
	e.state.release(w.innerEvents)
}

// set tells the driver. block is what definition.params takes.
func (e *GraphExec) set(x *execNode, def *definition, block []byte) error {
	d := e.dev
	isChild := def.done().child != nil
	if isChild {
		b := &graphBuilder{dev: d, state: e.state, known: e.known}
		child, r := d.drv.GraphCreate(0)
		if r != driver.Success {
			return d.fail(updateOp, r)
		}
		defer func() { d.given(d.drv.GraphDestroy(child)) }()
		if err := b.buildChild(child, def); err != nil {
			return err
		}
	}
	r := d.drv.GraphExecNodeSetParams(e.handle, x.handle, def.params(d, block))
	switch {
	case r == driver.Success:
		return nil
	case def.call != nil:
		return def.call.kernel.explainLaunch(&def.call.config, r)
	case isChild && (r == driver.ErrorInvalidValue || r == driver.ErrorGraphExecUpdateFailure):
		return &Error{Op: updateOp, Device: d.String(), Driver: d.version, Detail: "the nodes of its graph, or their kinds and dependencies, are others", Err: ErrNeedsInstantiation, Hint: "use Graph.Instantiate"}
	}
	return d.fail(updateOp, r)
}

// adopt makes def, which is e.scratch and which the driver has accepted, what x does.
func (e *GraphExec) adopt(x *execNode, def *definition) {
	st := e.state
	was, is := x.def.done(), def.done()
	st.release(was.events)
	st.release(was.innerEvents)
	st.events = append(st.events, is.events...)
	if len(was.innerFuncs) > 0 {
		st.dropLater(was.innerFuncs...)
	}
	if old := x.host; old != 0 {
		x.host = is.params.Host
		st.dropLater(old)
	}
	if !slices.Equal(x.def.owners, def.owners) {
		e.turn = 0
	}
	x.plain = def.isPlain()
	clear(x.def.owners) // which e.scratch gets
	otherMarks := !slices.Equal(was.marks, is.marks)
	otherKernels := x.def.kernel != def.kernel || !slices.Equal(was.kernels, is.kernels)
	x.def, e.scratch = *def, x.def
	if e.scratch.work == nil { // the room is for a node that needs it
		x.def.work, e.scratch.work = nil, x.def.work
	}
	if otherKernels {
		e.noteKernels()
	}
	if otherMarks {
		e.noteMarks()
	}
}

// release ends uses of events.
func (st *execState) release(events []*Event) {
	for _, e := range events {
		if i := slices.Index(st.events, e); i >= 0 {
			st.events = slices.Delete(st.events, i, i+1)
			e.end()
		}
	}
}

// maxReplaced bounds the functions that are kept because launches before an update may call them.
const maxReplaced = 64

// dropLater forgets functions when no launch can call them any more: at the latest when the exec
// is closed, or, when there are many, once the streams on which it was launched are idle.
func (st *execState) dropLater(funcs ...driver.HostFunc) {
	if !st.calls.launched() {
		st.drop(funcs...)
		return
	}
	if st.replaced = append(st.replaced, funcs...); len(st.replaced) < maxReplaced {
		return
	}
	replaced := st.replaced
	st.replaced = nil
	go func() {
		st.calls.drain(st.dev)
		st.drop(replaced...)
	}()
}

// Disable makes the launches that follow leave out n, a node that launches a kernel, copies or
// fills, until Enable: what comes after n comes after those that n comes after.
//
// CUDA Driver API, Graph Management, cuGraphNodeSetEnabled.
func (e *GraphExec) Disable(n *Node) error { return e.enable("disable a node of a graph", n, false) }

// Enable undoes Disable.
//
// CUDA Driver API, Graph Management, cuGraphNodeSetEnabled.
func (e *GraphExec) Enable(n *Node) error { return e.enable("enable a node of a graph", n, true) }

func (e *GraphExec) enable(op string, n *Node, on bool) error {
	if err := e.lock(op); err != nil {
		return err
	}
	defer e.mu.Unlock()
	i := e.at(n)
	if i < 0 {
		return e.errNotInGraph(op, n)
	}
	if e.nodes[i].def.kind > driver.MemsetNodeType {
		return nodeError(op, n, fmt.Errorf("only kernels, copies and fills can be disabled: %w", ErrNotSupported))
	}
	defer e.dev.hold().release()
	if e.dev.isClosed() {
		return e.dev.closedError(op, "")
	}
	for first := i; ; {
		x := &e.nodes[i]
		was := x.off
		x.off = !on
		if err := e.leaveOut(op, x, x.isLeftOut()); err != nil {
			x.off = was
			return err
		}
		if i = x.twin; i == first {
			return nil
		}
	}
}

// isLeftOut reports whether x is to be left out.
func (x *execNode) isLeftOut() bool { return x.off || x.def.empty }

// leaveOut has the driver leave x out, or not, unless it does.
func (e *GraphExec) leaveOut(op string, x *execNode, out bool) error {
	if x.left == out {
		return nil
	}
	enabled := uint32(1)
	if out {
		enabled = 0
	}
	if r := e.dev.drv.GraphNodeSetEnabled(e.handle, x.handle, enabled); r != driver.Success {
		return nodeError(op, x.n, e.dev.fail(op, r))
	}
	x.left = out
	return nil
}

// UpdateFrom makes the launches that follow do what g, a definition of the same shape, says now:
// its nodes take the places of e's. Nodes that were disabled stay so. A difference that the
// driver cannot update is an error that wraps ErrNeedsInstantiation and names the node. On an
// error e stays as it was.
//
// CUDA Driver API, Graph Management, cuGraphExecUpdate.
func (e *GraphExec) UpdateFrom(g *Graph) error {
	if err := e.lock(updateOp); err != nil {
		return err
	}
	defer e.mu.Unlock()
	b, err := g.begin(e.dev, e.state.calls)
	if err != nil {
		return err
	}
	defer b.end()
	adopted, err := e.updateFrom(g, b)
	if !adopted {
		e.dev.given(b.state.destroy())
	}
	return err
}

// updateFrom also reports whether what b has made is e's now.
func (e *GraphExec) updateFrom(g *Graph, b *graphBuilder) (adopted bool, err error) {
	if n, why := e.difference(g, b.nodes); why != "" {
		return false, e.needsInstantiation(n, why)
	}
	drv := e.dev.drv
	defer func() {
		for i := range e.nodes {
			err = errors.Join(err, e.leaveOut(updateOp, &e.nodes[i], e.nodes[i].isLeftOut()))
		}
	}()
	for i := range e.nodes { // before, so that it never runs
		if b.nodes[i].def.empty {
			if err := e.leaveOut(updateOp, &e.nodes[i], true); err != nil {
				return false, err
			}
		}
	}
	at, _, outcome, r := drv.GraphExecUpdate(e.handle, b.state.graph)
	if r != driver.Success {
		if r == driver.ErrorGraphExecUpdateFailure {
			n := b.nodeAt(at)
			if n == nil {
				n = g.nodes[0]
			}
			return false, e.needsInstantiation(n, outcome.String())
		}
		return false, e.dev.fail(updateOp, r)
	}
	// The exec knows its nodes by those of the graph that it was instantiated of.
	e.state.absorb(b.state)
	destroyed := drv.GraphDestroy(b.state.graph)
	for i := range e.nodes {
		is, was := b.nodes[i], &e.nodes[i]
		is.handle, is.off, is.left = was.handle, was.off, was.left
		e.nodes[i] = is
	}
	e.graph, e.turn = g, 0
	e.noteNodes()
	e.noteKernels()
	e.noteMarks()
	for i := range e.nodes {
		x := &e.nodes[i]
		out := x.isLeftOut()
		x.left = x.left && !out // whether the driver still leaves it out is not documented
		if err := e.leaveOut(updateOp, x, out); err != nil {
			return true, err
		}
	}
	if destroyed != driver.Success {
		return true, e.dev.fail(updateOp, destroyed)
	}
	return true, nil
}

// absorb takes over what another state holds for a graph that takes the place of st's.
func (st *execState) absorb(other *execState) {
	old, events := st.kept(), st.events
	st.calls.mu.Lock()
	st.funcs, st.events = append(st.funcs, other.funcs...), other.events
	st.calls.mu.Unlock()
	for _, e := range events {
		e.end()
	}
	st.dropLater(old...)
}

// difference returns a node of other, the nodes of g, that cannot take the place of e's, and why.
func (e *GraphExec) difference(g *Graph, other []execNode) (*Node, string) {
	if len(other) != len(e.nodes) || len(g.nodes) != len(e.graph.nodes) {
		return g.nodes[len(g.nodes)-1], "the number of nodes changed"
	}
	for i := range g.nodes {
		if !slices.Equal(g.after(i), e.graph.after(i)) {
			return g.nodes[i], "it comes after other nodes"
		}
	}
	for i := range other {
		was, is := &e.nodes[i].def, &other[i].def
		if was.kind == driver.MemcpyNodeType && is.kind == driver.MemcpyNodeType && was.work.params.Copy == is.work.params.Copy {
			continue // also in several dimensions
		}
		if w := was.done().foreign; w != nil && w == is.done().foreign {
			continue
		}
		if why := was.obstacle(is); why != "" {
			return other[i].n, why
		}
	}
	return nil, ""
}

// UpdateCall makes the launches that follow do what call says now, at all nodes that launch it, or
// copy or fill as it says, also in child graphs, and at those that captured a launch of a kernel's. Nodes
// that have a copy of the call get call. The rules of Update apply.
func (e *GraphExec) UpdateCall(call Prepared) error {
	if e == nil {
		return e.notLaunchable(updateOp, nil)
	}
	if isNilCall(call) {
		return &Error{Op: updateOp, Detail: "the call is nil", Err: ErrInvalidValue}
	}
	e.mu.Lock()
	var nodes, doing []*Node // of e, and those that do the call: they or some in their graphs
	for i := range e.nodes {
		n, before := e.nodes[i].n, len(doing)
		if e.at(n) != i {
			continue
		}
		for _, g := range n.Graphs() {
			if g.isEndless() {
				e.mu.Unlock()
				return nodeError(updateOp, n, &Error{Op: updateOp, Detail: "a graph is inside of itself", Err: ErrInvalidValue})
			}
		}
		if doing = n.doing(doing, call, false); len(doing) > before {
			nodes = append(nodes, n)
		}
	}
	e.mu.Unlock()
	if len(nodes) == 0 {
		return &Error{Op: updateOp, Detail: "no node launches the call", Err: ErrInvalidValue}
	}
	before := make([]Prepared, len(doing))
	for i, n := range doing {
		before[i] = n.Call()
		n.setCall(call)
	}
	err := e.updateCalls(nodes)
	if err != nil {
		for i, n := range slices.Backward(doing) { // one may be there twice
			n.setCall(before[i])
		}
	}
	return err
}

// doing adds to list the node n if it does call, and those that do in a child graph. Bodies of conditionals are with
// their nodes, but in child graphs.
func (n *Node) doing(list []*Node, call Prepared, inside bool) []*Node {
	if n.does(call) {
		return append(list, n)
	}
	if _, child := n.work.(childWork); child || inside {
		for _, g := range n.Graphs() {
			for _, inner := range g.Nodes() {
				list = inner.doing(list, call, true)
			}
		}
	}
	return list
}

// does reports whether n launches call, copies or fills as it says, or captured a launch of it.
func (n *Node) does(call Prepared) bool {
	if w, ok := n.work.(*callWork); ok {
		c := call.prepared()
		return c != nil && (w.captured == c || w.prepared() == c)
	}
	op, ok := call.(operation)
	return ok && n.work == work(op)
}

// setCall writes n only if it changes: another goroutine may read n.
func (n *Node) setCall(call Prepared) {
	if w, ok := n.work.(*callWork); ok && w.call != call {
		w.call = call
	}
}

// updateCalls updates nodes of e, or none of them if one cannot be updated.
func (e *GraphExec) updateCalls(nodes []*Node) error {
	if len(nodes) > 1 {
		if err := e.updatableCalls(nodes); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		if err := e.Update(n); err != nil {
			return err
		}
	}
	return nil
}

func (e *GraphExec) updatableCalls(nodes []*Node) error {
	if err := e.lock(updateOp); err != nil {
		return err
	}
	defer e.mu.Unlock()
	for _, n := range nodes {
		if err := e.updatable(e.at(n), n); err != nil {
			return err
		}
	}
	return nil
}
