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

// A ConditionalNode runs one of its Bodies, or none, by the value of Condition. CUDA 12.3; an
// If with an else and a Switch need CUDA 12.8.
//
// Bodies hold kernels, copies, fills, empty nodes, conditional nodes and graphs of these.
type ConditionalNode struct {
	node
	Condition *Conditional
	Bodies    []*Graph

	kind driver.ConditionalKind
}

// NewIfNode makes a node that runs then if the value is not 0, else otherwise, which may be nil.
func NewIfNode(condition *Conditional, then, otherwise *Graph) *ConditionalNode {
	n := &ConditionalNode{Condition: condition, Bodies: []*Graph{then}, kind: driver.ConditionalIf}
	if otherwise != nil {
		n.Bodies = append(n.Bodies, otherwise)
	}
	return n
}

// NewWhileNode makes a node that runs body as long as the value is not 0.
func NewWhileNode(condition *Conditional, body *Graph) *ConditionalNode {
	return &ConditionalNode{Condition: condition, Bodies: []*Graph{body}, kind: driver.ConditionalWhile}
}

// NewSwitchNode makes a node that runs the body with the value's number, counted from 0, or none
// if there is none.
func NewSwitchNode(condition *Conditional, bodies ...*Graph) *ConditionalNode {
	return &ConditionalNode{Condition: condition, Bodies: bodies, kind: driver.ConditionalSwitch}
}

// After adds nodes that must be over before n begins. It returns n.
func (n *ConditionalNode) After(nodes ...Node) *ConditionalNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *ConditionalNode) Named(name string) *ConditionalNode { return namedNode(n, name) }

// String returns the node's name, and "if", "while" or "switch".
func (n *ConditionalNode) String() string {
	if n == nil {
		return "nil"
	}
	return n.describe([...]string{"if", "while", "switch"}[n.kind])
}

func (n *ConditionalNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *ConditionalNode) define(def *definition) error {
	if n.Condition == nil || len(n.Bodies) == 0 {
		return &Error{Op: buildOp, Detail: "it has no condition or no body", Err: ErrInvalidValue}
	}
	w := def.other()
	def.kind, w.condition, w.bodies = driver.ConditionalNodeType, n.Condition, n.Bodies
	w.params.Conditional = driver.ConditionalNodeParams{Kind: n.kind, Bodies: len(n.Bodies)}
	return nil
}

// graphMemory is what an AllocNode allocates. Addresses in it count from memoryBase, until a
// graph is built.
type graphMemory struct {
	lifetime
	bytes uint64
}

// memoryBase is an address that no device has, aligned as all of its memory is.
const memoryBase = 0xb << 60

// An AllocNode allocates memory when the graph runs. Its memory is for kernels, copies and fills
// that come after it in the same graph; it is freed by a node that Free makes, or when the graph
// is launched again or closed.
//
// CUDA Driver API, Graph Management, cuGraphAddMemAllocNode.
type AllocNode[T any] struct {
	node
	memory *graphMemory
	n      int
	err    error
}

// NewAllocNode makes a node that allocates n elements on d.
func NewAllocNode[T any](d *Device, n int) *AllocNode[T] {
	a := &AllocNode[T]{n: n}
	if d == nil {
		a.err = &Error{Op: buildOp, Detail: "the device is nil", Err: ErrInvalidValue}
		return a
	}
	bytes, err := bytesOf[T](buildOp, d, n)
	if err == nil && bytes == 0 {
		err = d.invalid(buildOp, "it allocates no bytes", ErrInvalidValue)
	}
	a.err = err
	a.memory = &graphMemory{lifetime{graphOnly: true, what: "memory", addr: memoryBase, dev: d}, bytes}
	return a
}

// All returns the memory, for nodes of the same graph.
func (n *AllocNode[T]) All() Slice[T] {
	if n == nil || n.memory == nil || n.err != nil {
		return Slice[T]{}
	}
	return Slice[T]{addr: n.memory.addr, n: n.n, owner: &n.memory.lifetime}
}

// Free makes a node that frees the memory. It must come after all nodes that use it.
func (n *AllocNode[T]) Free() *FreeNode {
	if n == nil || n.memory == nil || n.err != nil {
		return new(FreeNode)
	}
	f := &FreeNode{memory: n.memory}
	return f.After(n)
}

// After adds nodes that must be over before n begins. It returns n.
func (n *AllocNode[T]) After(nodes ...Node) *AllocNode[T] {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *AllocNode[T]) Named(name string) *AllocNode[T] { return namedNode(n, name) }

// String returns the node's name and what it allocates.
func (n *AllocNode[T]) String() string {
	if n == nil {
		return "nil"
	}
	return n.describe(fmt.Sprintf("allocate %d × %d bytes", n.n, sizeOf[T]()))
}

func (n *AllocNode[T]) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *AllocNode[T]) define(def *definition) error {
	switch {
	case n.err != nil:
		return n.err
	case n.memory == nil:
		return &Error{Op: buildOp, Detail: "make it with NewAllocNode", Err: ErrInvalidValue}
	}
	w := def.other()
	def.kind, def.dev, w.memory = driver.MemAllocNodeType, n.memory.dev, n.memory
	w.params.Alloc = driver.MemAllocNodeParams{Dev: def.dev.dev, Bytes: n.memory.bytes}
	return nil
}

// A FreeNode frees the memory of an AllocNode.
type FreeNode struct {
	node
	memory *graphMemory
}

// After adds nodes that must be over before n begins. It returns n.
func (n *FreeNode) After(nodes ...Node) *FreeNode {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *FreeNode) Named(name string) *FreeNode { return namedNode(n, name) }

// String returns the node's name, or "free".
func (n *FreeNode) String() string { return n.base().describe("free") }

func (n *FreeNode) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *FreeNode) define(def *definition) error {
	if n.memory == nil {
		return &Error{Op: buildOp, Detail: "it has no memory: make it with AllocNode.Free", Err: ErrInvalidValue}
	}
	def.kind, def.dev, def.other().memory = driver.MemFreeNodeType, n.memory.dev, n.memory
	return nil
}
