package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Conditional is a number that kernels of a graph set, by cudaGraphSetConditional, and that
// one conditional node looks at. Kernels take it as a cudaGraphConditionalHandle: pass Handle.
type Conditional struct {
	initial uint32
	life    lifetime
}

// NewConditional makes a conditional whose value is initial whenever its graph is launched.
func NewConditional(initial uint32) *Conditional {
	return &Conditional{initial: initial, life: lifetime{graphOnly: true, what: "handle"}}
}

// Handle stands for the handle in a kernel's arguments. When a graph is built, its handle of the
// conditional takes the place. A launch outside of a graph is an error.
func (c *Conditional) Handle() ConditionalHandle {
	if c == nil {
		return ConditionalHandle{}
	}
	return ConditionalHandle{&c.life}
}

// A conditionalWork runs one of its bodies, or none, by the value of condition.
type conditionalWork struct {
	condition *Conditional
	bodies    []*Graph
	kind      driver.ConditionalKind
}

// If makes a node that runs then if the value of c is not 0, else otherwise, which may be nil.
// CUDA 12.3; with otherwise, CUDA 12.8.
//
// The bodies of conditional nodes hold kernels, copies, fills, empty nodes, conditional nodes and
// graphs of these.
func (c *Conditional) If(then, otherwise *Graph) *Node {
	w := &conditionalWork{condition: c, bodies: []*Graph{then}, kind: driver.ConditionalIf}
	if otherwise != nil {
		w.bodies = append(w.bodies, otherwise)
	}
	return &Node{work: w}
}

// While makes a node that runs body as long as the value of c is not 0. CUDA 12.3.
func (c *Conditional) While(body *Graph) *Node {
	return &Node{work: &conditionalWork{condition: c, bodies: []*Graph{body}, kind: driver.ConditionalWhile}}
}

// Switch makes a node that runs the body with the number that c's value is, counted from 0, or
// none if there is none. CUDA 12.8.
func (c *Conditional) Switch(bodies ...*Graph) *Node {
	return &Node{work: &conditionalWork{condition: c, bodies: bodies, kind: driver.ConditionalSwitch}}
}

func (w *conditionalWork) text() string { return [...]string{"if", "while", "switch"}[w.kind] }

func (w *conditionalWork) define(def *definition) error {
	if w.condition == nil || len(w.bodies) == 0 {
		return &Error{Op: buildOp, Detail: "it has no condition or no body", Err: ErrInvalidValue}
	}
	is := def.other()
	def.kind, is.condition, is.bodies = driver.ConditionalNodeType, w.condition, w.bodies
	is.params.Conditional = driver.ConditionalNodeParams{Kind: w.kind, Bodies: len(w.bodies)}
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

// An allocWork allocates memory.
type allocWork struct {
	memory   *graphMemory
	elements int
	size     uint64 // of each
	err      error
}

// NewAllocNode makes a node that allocates n elements on d when the graph runs. memory is for
// kernels, copies and fills that come after it in the same graph; it is freed by a node of
// NewFreeNode, or when the graph is launched again or closed.
//
// CUDA Driver API, Graph Management, cuGraphAddMemAllocNode.
func NewAllocNode[T any](d *Device, n int) (node *Node, memory Slice[T]) {
	w := &allocWork{elements: n, size: sizeOf[T]()}
	node = &Node{work: w}
	if d == nil {
		w.err = &Error{Op: buildOp, Detail: "the device is nil", Err: ErrInvalidValue}
		return node, memory
	}
	bytes, err := bytesOf[T](buildOp, d, n)
	if err == nil && bytes == 0 {
		err = d.invalid(buildOp, "it allocates no bytes", ErrInvalidValue)
	}
	if w.err = err; err != nil {
		return node, memory
	}
	w.memory = &graphMemory{lifetime: lifetime{graphOnly: true, what: "memory", addr: memoryBase, dev: d}, bytes: bytes, node: node}
	w.memory.object = w.memory
	return node, Slice[T]{addr: memoryBase, n: n, owner: &w.memory.lifetime}
}

func (m *graphMemory) free() driver.Result { return driver.Success } // the graph does

func (w *allocWork) text() string {
	return fmt.Sprintf("allocate %d × %d bytes", w.elements, w.size)
}

func (w *allocWork) frozen() work { return w }

func (w *allocWork) define(def *definition) error {
	if w.err != nil {
		return w.err
	}
	is := def.other()
	def.kind, def.dev, is.memory = driver.MemAllocNodeType, w.memory.dev, w.memory
	is.params.Alloc = driver.MemAllocNodeParams{Dev: def.dev.dev, Bytes: w.memory.bytes}
	return nil
}

// A freeWork frees the memory of an allocWork.
type freeWork struct{ memory *graphMemory }

// NewFreeNode makes a node that frees memory of NewAllocNode. It comes after the node that
// allocates, and must come after all nodes that use the memory.
//
// CUDA Driver API, Graph Management, cuGraphAddMemFreeNode.
func NewFreeNode[T any](memory Slice[T]) *Node {
	if memory.owner != nil {
		if m, ok := memory.owner.object.(*graphMemory); ok {
			return (&Node{work: freeWork{m}}).After(m.node)
		}
	}
	return &Node{work: freeWork{}}
}

func (w freeWork) text() string { return "free" }
func (w freeWork) frozen() work { return w }

func (w freeWork) define(def *definition) error {
	if w.memory == nil {
		return &Error{Op: buildOp, Detail: "its slice is not what NewAllocNode returned", Err: ErrInvalidValue}
	}
	def.kind, def.dev, def.other().memory = driver.MemFreeNodeType, w.memory.dev, w.memory
	return nil
}
