package cuda

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Node is one piece of work of a graph. NewNode makes nodes of kernels, copies and fills;
// NewHostNode, NewAllocNode, NewFreeNode and methods of Event, Graph and Conditional make others.
// The zero Node is empty: it does nothing, and what comes after it comes after all that it comes
// after.
//
// A node belongs to no graph, and may be in several. DefineGraph reads which nodes it comes
// after; BuildGraph, Graph.Instantiate and GraphExec.Update read what it does: its call, copy or
// fill. What changes later is for the next of these calls.
//
// Any number of goroutines may use nodes, and graphs and execs that share them, while no goroutine
// changes one of these nodes: its call, copy or fill, or by After, Named, Set or
// GraphExec.UpdateCall.
type Node struct {
	_ noCopy

	work work // nil if it is empty

	name  string
	after []*Node
	first [1]*Node // room in after for what most nodes have

	// Where the node is in the graph that was defined last, which visit numbers, instead of a
	// map, and where it may be in an exec. nodeNotes is held to write them.
	visit uint64
	index int
	place atomic.Int64
}

// A work is what a node does.
type work interface {
	text() string // for errors and pictures
	frozen() work // a copy: what w refers to may change then
	// define writes what it does now to def, which is empty but for the room in its slices, or
	// says why it cannot be in a graph. An error leaves nothing to undo.
	define(def *definition) error
}

// NewNode makes a node that does what call says when the node is read: it launches a kernel,
// with the configuration and the arguments of the call, copies or fills. A call of a kernel may
// still be unprepared before. Go memory and arrays cannot be in a graph. The bytes of a value
// that fills must repeat after 1, 2 or 4: Capture makes nodes of other fills.
func NewNode(call Prepared) *Node {
	if op, ok := call.(operation); ok {
		return &Node{work: op}
	}
	return &Node{work: &callWork{call: call}}
}

// After adds nodes that must be over before n begins. It returns n.
func (n *Node) After(nodes ...*Node) *Node {
	if n == nil {
		return nil
	}
	if n.after == nil && len(nodes) == 1 {
		n.after = n.first[:0]
	}
	n.after = append(n.after, nodes...)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *Node) Named(name string) *Node {
	if n != nil {
		n.name = name
	}
	return n
}

// Set makes n do what other does. Its name stays, and what it comes after. GraphExec.Update
// tells an exec. With a nil other, building and updating are errors from then on.
//
// CUDA Driver API, Graph Management, cuGraphNodeSetParams.
func (n *Node) Set(other *Node) {
	if n != nil && other == nil {
		n.work = nilWork{}
	} else if n != nil {
		n.work = other.work
		if w, ok := n.work.(*callWork); ok { // UpdateCall writes it
			own := *w
			n.work = &own
		}
	}
}

// nilWork is that of a node that was set to nil.
type nilWork struct{}

func (nilWork) text() string { return "nil" }
func (nilWork) frozen() work { return nilWork{} }
func (nilWork) define(*definition) error {
	return &Error{Op: buildOp, Detail: "Set was given a nil node", Err: ErrInvalidValue}
}

// Call returns the call of which NewNode made n, or nil. Of captured launches it is a copy.
func (n *Node) Call() Prepared {
	if n == nil {
		return nil
	}
	switch w := n.work.(type) {
	case *callWork:
		return w.call
	case operation:
		return w
	}
	return nil
}

// Graphs returns the graphs inside of n: the one of Graph.ChildNode, or the bodies of a
// conditional node.
func (n *Node) Graphs() []*Graph {
	if n == nil {
		return nil
	}
	switch w := n.work.(type) {
	case childWork:
		return []*Graph{w.graph}
	case *conditionalWork:
		return slices.Clone(w.bodies)
	}
	return nil
}

// String returns the node's name, if it has one, and what it does.
func (n *Node) String() string {
	switch {
	case n == nil:
		return "nil"
	case n.name == "":
		return n.text()
	}
	return fmt.Sprintf("%s (%s)", n.name, n.text())
}

func (n *Node) text() string {
	if n.work == nil {
		return "empty"
	}
	return n.work.text()
}

func (n *Node) define(def *definition) error {
	if n.work == nil {
		def.kind = driver.EmptyNodeType
		return nil
	}
	return n.work.define(def)
}

// prepared returns the call of a kernel that n launches, or nil.
func (n *Node) prepared() *Call {
	if w, ok := n.work.(*callWork); ok {
		return w.prepared()
	}
	return nil
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
	kernels     []*Kernel   // of the nodes inside of it
	reached     []*lifetime // what these kernels have as arguments
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
func nodeError(op string, n *Node, err error) error {
	return &Error{Op: op, Detail: "node " + n.String(), Err: err}
}

// A callWork launches a kernel.
type callWork struct {
	call     Prepared
	captured *Call // a launch for which it stands; call is a copy then
}

func (w *callWork) text() string {
	if c := w.prepared(); c != nil {
		return launchText(c.kernel.name, &c.config)
	}
	return "kernel"
}

// prepared returns the call, or nil if it is not prepared.
func (w *callWork) prepared() *Call {
	if isNilCall(w.call) {
		return nil
	}
	if c := w.call.prepared(); c != nil && c.kernel != nil {
		return c
	}
	return nil
}

func (w *callWork) define(def *definition) error {
	c := w.prepared()
	if c == nil {
		return &Error{Op: buildOp, Detail: "its call has no arguments: Prepare or Set it", Err: ErrInvalidValue}
	}
	return defineCall(c, def)
}

// isNilCall reports whether p is nil or a nil pointer, whose methods would panic.
func isNilCall(p Prepared) bool {
	return p == nil || (*[2]unsafe.Pointer)(unsafe.Pointer(&p))[1] == nil
}

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

// An eventWork records an event, or waits for one.
type eventWork struct {
	mark
}

// RecordNode makes a node that records e: e completes whenever the graph comes by.
func (e *Event) RecordNode() *Node { return &Node{work: eventWork{mark{e, true}}} }

// WaitNode makes a node that waits for what e stands for when the graph is launched.
func (e *Event) WaitNode() *Node { return &Node{work: eventWork{mark{e, false}}} }

func (w eventWork) text() string {
	if w.records {
		return "record an event"
	}
	return "wait for an event"
}

func (w eventWork) frozen() work { return w }

func (w eventWork) define(def *definition) error {
	e := w.event
	if e == nil {
		return &Error{Op: buildOp, Detail: "its event is nil: make one with Device.NewEvent", Err: ErrInvalidValue}
	}
	if e.dev.isClosed() || e.uses.IsClosed() {
		return e.dev.closedError(buildOp, "its event")
	}
	def.kind = driver.EventWaitNodeType
	if w.records {
		def.kind, def.dev = driver.EventRecordNodeType, e.dev
	}
	is := def.other()
	is.params.Event, is.events, is.marks = e.handle, append(is.events, e), append(is.marks, w.mark)
	return nil
}

// A childWork runs a graph.
type childWork struct{ graph *Graph }

// ChildNode makes a node that runs g, as g is when the node is read.
func (g *Graph) ChildNode() *Node { return &Node{work: childWork{g}} }

func (w childWork) text() string {
	if w.graph == nil {
		return "graph"
	}
	return fmt.Sprintf("graph of %d nodes", len(w.graph.nodes))
}

func (w childWork) define(def *definition) error {
	if w.graph == nil {
		return &Error{Op: buildOp, Detail: "its graph is nil: make one with DefineGraph", Err: ErrInvalidValue}
	}
	def.kind, def.other().child = driver.ChildGraphNodeType, w.graph
	return nil
}

// graphMemory is what an alloc node allocates. Addresses in it count from memoryBase, until a
// graph is built.
type graphMemory struct {
	lifetime
	bytes uint64
	node  *Node // that allocates
}

// memoryBase is an address that no device has, aligned as all of its memory is.
const memoryBase = 0xb << 60

func (m *graphMemory) free() driver.Result { return driver.Success } // the graph does
