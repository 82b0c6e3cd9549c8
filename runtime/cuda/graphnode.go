package cuda

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Node is one piece of work of a graph. NewCallNode and the other constructors make nodes.
//
// A node belongs to no graph, and may be in several. DefineGraph reads which nodes it comes
// after; BuildGraph, Graph.Instantiate and GraphExec.Update read its exported fields. What
// changes later is for the next of these calls.
//
// Any number of goroutines may use nodes, and graphs and execs that share them, while no goroutine
// changes one of these nodes: by its exported fields, After, Named or GraphExec.UpdateCall.
type Node interface {
	// String returns the node's name, if it has one, and what it does.
	String() string

	base() *node // nil for a nil node
	clone() Node // a copy; its name and what it comes after are the caller's to set
	// define writes what the node does now to def, which is empty but for the room in its
	// slices, or says why it cannot be in a graph. An error leaves nothing to undo.
	define(def *definition) error
}

// A node is what all nodes have.
type node struct {
	_ noCopy

	name  string
	after []Node
	first [1]Node // room in after for what most nodes have

	// Where the node is in the graph that was defined last, which visit numbers, instead of a
	// map, and where it may be in an exec. nodeNotes is held to write them.
	visit uint64
	index int
	place atomic.Int64
}

// comeAfter adds nodes to those that b, which may be nil, comes after. The slice of a call's
// arguments stays on the caller's stack: that holds for functions that are not generic.
func comeAfter(b *node, nodes []Node) {
	if b == nil {
		return
	}
	if b.after == nil && len(nodes) == 1 {
		b.after = b.first[:0]
	}
	b.after = append(b.after, nodes...)
}

func namedNode[N Node](n N, name string) N {
	if b := n.base(); b != nil {
		b.name = name
	}
	return n
}

// describe returns the text of a node that does what.
func (n *node) describe(what string) string {
	switch {
	case n == nil:
		return "nil"
	case n.name == "":
		return what
	}
	return fmt.Sprintf("%s (%s)", n.name, what)
}

// A definition is what a node does at some time: what the driver is told, and what that refers
// to. Of kernels, which most nodes are, it has little.
type definition struct {
	kind    driver.GraphNodeType
	empty   bool    // of a kernel: its grid has no blocks, so the exec leaves it out
	patched bool    // of a kernel: what only the graph has takes the place of parameters
	dev     *Device // where the work runs; nil for anywhere
	owners  []*lifetime

	// Of a kernel.
	call       *Call
	kernel     *Kernel // the call's then
	attributes driver.LaunchAttributes

	work *nodeWork // of other nodes: use def.other
}

// nodeWork is what a definition has of a node that is not a kernel.
type nodeWork struct {
	params      driver.NodeParams // but for Type
	host        func()            // of a host node: Host is made when the driver is told
	child       *Graph            // of a child node
	bodies      []*Graph          // of a conditional node
	condition   *Conditional
	kernels     []*Kernel // of the nodes inside of it
	events      []*Event
	marks       []mark       // of it, and of the nodes inside of it
	inner       [][]execNode // of the nodes of child, or of each of bodies
	foreign     *foreignWork // whose graph params.Child is
	resources   []*Resource  // of it, and of the nodes inside of it
	memory      *graphMemory // of a node that allocates or frees
	graphMemory [3]*lifetime // of the destination and the source of a copy, and of a fill: nil for other memory
	needs       string       // why an exec cannot be updated to or from it, or ""

	// What the nodes of child hold of the exec's state.
	innerFuncs  []driver.HostFunc
	innerEvents []*Event
}

// A mark is an event that a node records or waits for.
type mark struct {
	event   *Event
	records bool
}

// noWork is the work of kernels and empty nodes. It does not change.
var noWork nodeWork

// other returns the work of a node that is not a kernel, to be written.
func (def *definition) other() *nodeWork {
	if def.work == nil {
		def.work = new(nodeWork)
	}
	return def.work
}

// done returns the work of a node, to be read.
func (def *definition) done() *nodeWork {
	if def.work == nil {
		return &noWork
	}
	return def.work
}

// clear makes def empty, but for the room in its slices.
func (def *definition) clear() {
	w := def.work
	*def = definition{owners: def.owners[:0], work: w}
	if w != nil {
		*w = nodeWork{kernels: w.kernels[:0], events: w.events[:0], marks: w.marks[:0], resources: w.resources[:0]}
	}
}

// use adds the buffers of the work on d. It returns why they cannot be used there.
func (def *definition) use(d *Device, what string, owners ...*lifetime) error {
	for _, a := range owners {
		switch {
		case a == nil || a.graphOnly:
			continue
		case !a.isOpenTo(d):
			return a.closedError(d, buildOp, what)
		case !a.reachableFrom(d):
			return d.invalidNode(what+" is on "+a.dev.besides(d), ErrInvalidValue)
		}
		def.owners = append(def.owners, a)
	}
	return nil
}

// useLibrary is use of what Stream.Use has named for work on the device of def.
func (def *definition) useLibrary(owners []*lifetime) error {
	for _, o := range owners {
		if r, ok := o.object.(*Resource); ok {
			def.work.resources = append(def.work.resources, r)
		}
	}
	return def.use(def.dev, "what the work of another library uses", owners...)
}

func (d *Device) invalidNode(detail string, err error) error { return d.invalid(buildOp, detail, err) }

// buildOp is what errors call the making of an exec.
const buildOp = "build a graph"

// nodeError is the error of an operation that found n to be wrong.
func nodeError(op string, n Node, err error) error {
	return &Error{Op: op, Detail: "node " + n.String(), Err: err}
}

// A CallNode launches a prepared call, with the configuration and the arguments that the call
// has when the node is read. Call may still be unprepared before.
type CallNode struct {
	node
	Call Prepared

	captured *Call // a launch of which the node stands for; Call is a copy then
}

// NewCallNode makes a node that launches call.
func NewCallNode(call Prepared) *CallNode { return &CallNode{Call: call} }

// After adds nodes that must be over before n begins. It returns n.
func (n *CallNode) After(nodes ...Node) *CallNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *CallNode) Named(name string) *CallNode { return namedNode(n, name) }

// String returns the node's name and its launch.
func (n *CallNode) String() string {
	if c := n.prepared(); c != nil {
		return n.base().describe(launchText(c.kernel.name, &c.config))
	}
	return n.base().describe("kernel")
}

func (n *CallNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

// prepared returns the call, or nil if it is not prepared.
func (n *CallNode) prepared() *Call {
	if n == nil || isNilCall(n.Call) {
		return nil
	}
	if c := n.Call.prepared(); c != nil && c.kernel != nil {
		return c
	}
	return nil
}

func (n *CallNode) define(def *definition) error {
	c := n.prepared()
	if c == nil && n.Call != nil && isOperation(n.Call) {
		return &Error{Op: buildOp, Detail: "its call is no launch: use a MemsetNode or a MemcpyNode", Err: ErrInvalidValue}
	}
	if c == nil {
		return &Error{Op: buildOp, Detail: "its call has no arguments: Prepare or Set it", Err: ErrInvalidValue}
	}
	return defineCall(c, def)
}

// isNilCall reports whether p is nil or a nil pointer, whose methods would panic.
func isNilCall(p Prepared) bool {
	return p == nil || (*[2]unsafe.Pointer)(unsafe.Pointer(&p))[1] == nil
}

// isNilNode reports whether n is nil or a nil pointer.
func isNilNode(n Node) bool { return n == nil || n.base() == nil }

// blockOf returns the parameter block of c, as the driver interface takes it.
func blockOf(c *Call) []byte { return unsafe.Slice((*byte)(c.params), c.target.ParamBytes) }

func offsetsOf(k *Kernel) []uint32 { return unsafe.Slice(k.target.Offsets, k.target.Count) }

// launchable returns the configuration of c, with one block where it has none: the node is
// disabled then.
func launchable(c *Call) *LaunchConfig {
	if c.empty {
		return c.config.nonempty()
	}
	return &c.config
}

// checkHeld returns why a cannot be an argument of k any more, or nil. Prepare has checked it
// before.
func checkHeld(a *held, k *Kernel) error {
	detail, err := "", error(nil)
	switch {
	case a.owner == nil || a.owner.graphOnly:
		return nil
	case !a.owner.isOpenTo(k.dev):
		detail, err = a.owner.closedFor(a.param)
	case !a.owner.reachableFrom(k.dev):
		detail, err = "the "+a.owner.what+" of "+a.param+" is on "+a.owner.dev.besides(k.dev), ErrInvalidValue
	default:
		return nil
	}
	return &Error{Op: "prepare", Kernel: k.name, Device: k.dev.String(), Driver: k.dev.version, Detail: detail, Err: err}
}

func driverConfig(cfg *LaunchConfig, covers *driver.Covers) driver.LaunchConfig {
	return driver.LaunchConfig{Grid: driver.Dim3(cfg.Grid), Block: driver.Dim3(cfg.Block), SharedBytes: cfg.SharedBytes, Covers: covers}
}

// defineCall writes the launch of c to def. Its parameters stay c's own.
func defineCall(c *Call, def *definition) error {
	k := c.kernel
	if err := k.openFor(buildOp); err != nil {
		return err
	}
	for i := range c.args {
		if err := checkHeld(&c.args[i], k); err != nil {
			return err
		}
		if a := c.args[i].owner; a != nil && !a.graphOnly {
			def.owners = append(def.owners, a)
		}
	}
	def.kind, def.dev, def.call, def.kernel, def.empty = driver.KernelNodeType, k.dev, c, k, c.empty
	if c.config.Attributes != nil {
		def.attributes = c.config.Attributes.driver()
	}
	return nil
}

// An EmptyNode does nothing: what comes after it comes after all that it comes after.
type EmptyNode struct{ node }

// NewEmptyNode makes an empty node.
func NewEmptyNode() *EmptyNode { return new(EmptyNode) }

// After adds nodes that must be over before n ends. It returns n.
func (n *EmptyNode) After(nodes ...Node) *EmptyNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *EmptyNode) Named(name string) *EmptyNode { return namedNode(n, name) }

// String returns the node's name, or "empty".
func (n *EmptyNode) String() string { return n.base().describe("empty") }

func (n *EmptyNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *EmptyNode) define(def *definition) error {
	def.kind = driver.EmptyNodeType
	return nil
}

// A HostNode calls Func on a goroutine of its own. The rules of Stream.LaunchHostFunc apply:
// Func must not call this package.
type HostNode struct {
	node
	Func func()

	library *libraryUse // what Func was captured behind, or nil
}

// A libraryUse is what Stream.Use has named in a capture on dev.
type libraryUse struct {
	dev    *Device
	owners []*lifetime
}

// NewHostNode makes a node that calls f.
func NewHostNode(f func()) *HostNode { return &HostNode{Func: f} }

// After adds nodes that must be over before n begins. It returns n.
func (n *HostNode) After(nodes ...Node) *HostNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *HostNode) Named(name string) *HostNode { return namedNode(n, name) }

// String returns the node's name, or "host function".
func (n *HostNode) String() string { return n.base().describe("host function") }

func (n *HostNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *HostNode) define(def *definition) error {
	if n.Func == nil {
		return &Error{Op: buildOp, Detail: "its function is nil", Err: ErrInvalidValue}
	}
	def.kind, def.other().host = driver.HostNodeType, n.Func
	if n.library == nil {
		return nil
	}
	def.dev = n.library.dev
	return def.useLibrary(n.library.owners)
}

// An EventRecordNode records Event: it completes whenever the graph comes by.
type EventRecordNode struct {
	node
	Event *Event
}

// NewEventRecordNode makes a node that records e.
func NewEventRecordNode(e *Event) *EventRecordNode { return &EventRecordNode{Event: e} }

// After adds nodes that must be over before n begins. It returns n.
func (n *EventRecordNode) After(nodes ...Node) *EventRecordNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *EventRecordNode) Named(name string) *EventRecordNode { return namedNode(n, name) }

// String returns the node's name, or "record an event".
func (n *EventRecordNode) String() string { return n.base().describe("record an event") }

func (n *EventRecordNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *EventRecordNode) define(def *definition) error {
	return defineEvent(def, driver.EventRecordNodeType, n.Event)
}

// An EventWaitNode waits for what Event stands for when the graph is launched.
type EventWaitNode struct {
	node
	Event *Event
}

// NewEventWaitNode makes a node that waits for e.
func NewEventWaitNode(e *Event) *EventWaitNode { return &EventWaitNode{Event: e} }

// After adds nodes that must be over before n begins. It returns n.
func (n *EventWaitNode) After(nodes ...Node) *EventWaitNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *EventWaitNode) Named(name string) *EventWaitNode { return namedNode(n, name) }

// String returns the node's name, or "wait for an event".
func (n *EventWaitNode) String() string { return n.base().describe("wait for an event") }

func (n *EventWaitNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *EventWaitNode) define(def *definition) error {
	return defineEvent(def, driver.EventWaitNodeType, n.Event)
}

func defineEvent(def *definition, typ driver.GraphNodeType, e *Event) error {
	if e == nil {
		return &Error{Op: buildOp, Detail: "its event is nil: make one with Device.NewEvent", Err: ErrInvalidValue}
	}
	if e.dev.isClosed() || e.uses.isClosed() {
		return e.dev.closedError(buildOp, "its event")
	}
	w := def.other()
	def.kind, w.params.Event, w.events = typ, e.handle, append(w.events, e)
	w.marks = append(w.marks, mark{e, typ == driver.EventRecordNodeType})
	if typ == driver.EventRecordNodeType {
		def.dev = e.dev
	}
	return nil
}

// A ChildNode runs a graph, as that is when the node is read.
type ChildNode struct {
	node
	Graph *Graph
}

// NewChildNode makes a node that runs g.
func NewChildNode(g *Graph) *ChildNode { return &ChildNode{Graph: g} }

// After adds nodes that must be over before n begins. It returns n.
func (n *ChildNode) After(nodes ...Node) *ChildNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *ChildNode) Named(name string) *ChildNode { return namedNode(n, name) }

// String returns the node's name and the number of nodes of its graph.
func (n *ChildNode) String() string {
	if n == nil || n.Graph == nil {
		return n.base().describe("graph")
	}
	return n.base().describe(fmt.Sprintf("graph of %d nodes", len(n.Graph.nodes)))
}

func (n *ChildNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *ChildNode) define(def *definition) error {
	if n.Graph == nil {
		return &Error{Op: buildOp, Detail: "its graph is nil: make one with DefineGraph", Err: ErrInvalidValue}
	}
	def.kind, def.other().child = driver.ChildGraphNodeType, n.Graph
	return nil
}
