package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/fill"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
		if m, ok := memory.owner.object.(*graphMemory); ok && memory.addr == m.addr && uint64(memory.n)*sizeOf[T]() == m.bytes {
			return (&Node{work: freeWork{m}}).After(m.node)
		}
	}
	return &Node{work: freeWork{}}
}

func (w freeWork) text() string { return "free" }
func (w freeWork) frozen() work { return w }

func (w freeWork) define(def *definition) error {
	if w.memory == nil {
		return &Error{Op: buildOp, Detail: "its slice is not what NewAllocNode returned, or a part of that", Err: ErrInvalidValue}
	}
	def.kind, def.dev, def.other().memory = driver.MemFreeNodeType, w.memory.dev, w.memory
	return nil
}

func (c *FillCall[T]) prepared() *Call    { return nil }
func (c *CopyCall[T]) prepared() *Call    { return nil }
func (c *CopyBoxCall[T]) prepared() *Call { return nil }

func (c *FillCall[T]) frozen() work    { return frozenOperation(c) }
func (c *CopyCall[T]) frozen() work    { return frozenOperation(c) }
func (c *CopyBoxCall[T]) frozen() work { return frozenOperation(c) }

// frozenOperation returns a copy of what c points to: C is one of the calls above.
func frozenOperation[C any, P interface {
	*C
	work
}](c P) work {
	if c == nil {
		return c
	}
	copied := *c
	return P(&copied)
}

func (c *FillCall[T]) refresh(told operation) bool {
	was := told.(*FillCall[T])
	if was.Dst == c.Dst && string(bytesOfValue(&was.Value)) == string(bytesOfValue(&c.Value)) {
		return false
	}
	*was = *c
	return true
}

func (c *CopyCall[T]) refresh(told operation) bool    { return refreshed(told.(*CopyCall[T]), c) }
func (c *CopyBoxCall[T]) refresh(told operation) bool { return refreshed(told.(*CopyBoxCall[T]), c) }

func refreshed[C comparable](told, c *C) bool {
	if *told == *c {
		return false
	}
	*told = *c
	return true
}

func (c *CopyCall[T]) text() string {
	if c == nil {
		return "nil"
	}
	return fmt.Sprintf("copy %d × %d bytes", c.Src.Len(), sizeOf[T]())
}

func (c *CopyCall[T]) define(def *definition) error {
	if c == nil {
		return errNilCall(buildOp)
	}
	if c.Dst.n != c.Src.n {
		return &Error{Op: buildOp, Detail: unequalText(c.Dst.n, c.Src.n), Err: unequal(c.Dst.n, c.Src.n)}
	}
	if overlap(c.Dst, c.Src) {
		return &Error{Op: buildOp, Detail: overlapText, Err: ErrInvalidValue}
	}
	bytes := uint64(c.Dst.n) * sizeOf[T]()
	return defineCopy(def, c.Dst.side(bytes, 1), c.Src.side(bytes, 1), c.Dst.owner, c.Src.owner, [3]uint64{bytes, 1, 1})
}

func (c *CopyBoxCall[T]) text() string {
	if c == nil {
		return "nil"
	}
	s := c.Src.shape
	return fmt.Sprintf("copy %d×%d×%d × %d bytes", s.Width, s.Height, s.Depth, sizeOf[T]())
}

func (c *CopyBoxCall[T]) define(def *definition) error {
	if c == nil {
		return errNilCall(buildOp)
	}
	if detail := c.Dst.shape.differs(c.Src.shape); detail != "" {
		return &Error{Op: buildOp, Detail: detail, Err: ErrInvalidValue}
	}
	for _, side := range []Box[T]{c.Dst, c.Src} {
		if side.array != 0 {
			return &Error{Op: buildOp, Detail: "copies from and to arrays cannot be nodes of a graph: copy beside the graph, or use a kernel with a texture or surface", Err: ErrNotSupported}
		}
	}
	if overlapBoxes(c.Dst, c.Src) {
		return &Error{Op: buildOp, Detail: overlapText, Err: ErrInvalidValue}
	}
	return defineCopy(def, c.Dst.memory(), c.Src.memory(), c.Dst.slice.owner, c.Src.slice.owner, c.Dst.extent())
}

// defineCopy writes a copy of extent bytes, rows and planes to def. A copy of nothing is an
// empty node, which cannot become a copy later.
func defineCopy(def *definition, dst, src driver.Memory3D, to, from *lifetime, extent [3]uint64) error {
	if to == nil || from == nil {
		return errNoOwner()
	}
	d := to.dev
	if to.portable {
		d = from.dev
	}
	if to.dev.simulated != from.dev.simulated {
		return d.invalidNode("the destination is on "+to.dev.String()+", the source on "+from.dev.besides(to.dev), ErrInvalidValue)
	}
	for _, a := range []*lifetime{to, from} {
		if !a.isOpenTo(d) {
			return a.closedError(d, buildOp, "its buffer")
		}
	}
	if !to.portable || !from.portable {
		def.dev = d
	}
	w := def.other()
	if extent[0] == 0 || extent[1] == 0 || extent[2] == 0 {
		def.kind, w.needs = driver.EmptyNodeType, "a copy of no elements is not in the graph"
		return nil
	}
	def.kind = driver.MemcpyNodeType
	if def.dev != nil {
		w.params.Ctx = d.ctx
	}
	for _, a := range []*lifetime{to, from} {
		if !a.graphOnly {
			def.owners = append(def.owners, a)
		}
	}
	w.params.Copy = driver.Copy3D{Dst: dst, Src: src, WidthBytes: extent[0], Height: extent[1], Depth: extent[2]}
	if to.graphOnly {
		w.graphMemory[0] = to
	}
	if from.graphOnly {
		w.graphMemory[1] = from
	}
	if extent[1] > 1 || extent[2] > 1 {
		w.needs = "copies of two or three dimensions cannot be updated"
	}
	return nil
}

func errNoOwner() error {
	return &Error{Op: buildOp, Detail: "its slice has no buffer", Err: ErrInvalidValue}
}

func (c *FillCall[T]) text() string {
	if c == nil {
		return "nil"
	}
	return fmt.Sprintf("fill %d × %d bytes with %v", c.Dst.Len(), sizeOf[T](), c.Value)
}

func (c *FillCall[T]) define(def *definition) error {
	if c == nil {
		return errNilCall(buildOp)
	}
	if c.Dst.owner == nil {
		return errNoOwner()
	}
	d := c.Dst.owner.dev
	if c.Dst.n == 0 {
		if !c.Dst.owner.isOpenTo(d) {
			return c.Dst.owner.closedError(d, buildOp, "its buffer")
		}
		def.kind, def.dev, def.other().needs = driver.EmptyNodeType, d, "a fill of no elements is not in the graph"
		return nil
	}
	if err := def.use(d, "its buffer", c.Dst.owner); err != nil {
		return err
	}
	value := c.Value
	pattern := bytesOfValue(&value)
	word, size := fill.Word(pattern, c.Dst.addr)
	if size == 0 {
		remedy := "Capture Fill, or use a kernel"
		if len(pattern) > fill.MaxPattern {
			remedy = "use a kernel"
		}
		return d.invalid(buildOp, fmt.Sprintf("the %d bytes of the value do not repeat every 1, 2 or 4 bytes: %s", len(pattern), remedy), ErrNotSupported)
	}
	w := def.other()
	def.kind, def.dev, w.params.Ctx = driver.MemsetNodeType, d, d.ctx
	if c.Dst.owner.graphOnly {
		w.graphMemory[2] = c.Dst.owner
	}
	w.params.Memset = driver.MemsetNodeParams{
		Dst: driver.DevicePtr(c.Dst.addr), Value: word, ElementBytes: uint32(size), Width: uint64(c.Dst.n) * sizeOf[T]() / uint64(size), Height: 1,
	}
	return nil
}
