package cuda

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A MemcpyNode copies Src to Dst, which have the same length. The rules of Copy apply: either
// may be memory of a device, managed memory or page-locked memory. Go memory cannot be in a
// graph.
type MemcpyNode[T any] struct {
	node
	Dst, Src Slice[T]
}

// NewMemcpyNode makes a node that copies src to dst.
func NewMemcpyNode[T any](dst, src Slice[T]) *MemcpyNode[T] {
	return &MemcpyNode[T]{Dst: dst, Src: src}
}

// After adds nodes that must be over before n begins. It returns n.
func (n *MemcpyNode[T]) After(nodes ...Node) *MemcpyNode[T] {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *MemcpyNode[T]) Named(name string) *MemcpyNode[T] { return namedNode(n, name) }

// String returns the node's name and what it copies.
func (n *MemcpyNode[T]) String() string {
	if n == nil {
		return "nil"
	}
	return n.describe(fmt.Sprintf("copy %d × %d bytes", n.Src.Len(), sizeOf[T]()))
}

func (n *MemcpyNode[T]) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *MemcpyNode[T]) define(def *definition) error {
	if n.Dst.n != n.Src.n {
		return &Error{Op: buildOp, Detail: unequalText(n.Dst.n, n.Src.n), Err: unequal(n.Dst.n, n.Src.n)}
	}
	if overlap(n.Dst, n.Src) {
		return &Error{Op: buildOp, Detail: overlapText, Err: ErrInvalidValue}
	}
	bytes := uint64(n.Dst.n) * sizeOf[T]()
	return defineCopy(def, n.Dst.side(bytes, 1), n.Src.side(bytes, 1), n.Dst.owner, n.Src.owner, [3]uint64{bytes, 1, 1})
}

// A MemcpyBoxNode copies a two- or three-dimensional part of a slice. The rules of CopyBox
// apply.
type MemcpyBoxNode[T any] struct {
	node
	Dst, Src Box[T]
}

// NewMemcpyBoxNode makes a node that copies src to dst.
func NewMemcpyBoxNode[T any](dst, src Box[T]) *MemcpyBoxNode[T] {
	return &MemcpyBoxNode[T]{Dst: dst, Src: src}
}

// After adds nodes that must be over before n begins. It returns n.
func (n *MemcpyBoxNode[T]) After(nodes ...Node) *MemcpyBoxNode[T] {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *MemcpyBoxNode[T]) Named(name string) *MemcpyBoxNode[T] { return namedNode(n, name) }

// String returns the node's name and what it copies.
func (n *MemcpyBoxNode[T]) String() string {
	if n == nil {
		return "nil"
	}
	s := n.Src.shape
	return n.describe(fmt.Sprintf("copy %d×%d×%d × %d bytes", s.Width, s.Height, s.Depth, sizeOf[T]()))
}

func (n *MemcpyBoxNode[T]) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *MemcpyBoxNode[T]) define(def *definition) error {
	d, s := n.Dst.shape, n.Src.shape
	if d.Width != s.Width || d.Height != s.Height || d.Depth != s.Depth {
		return &Error{Op: buildOp, Detail: fmt.Sprintf("the destination has %d×%d×%d elements, the source %d×%d×%d", d.Width, d.Height, d.Depth, s.Width, s.Height, s.Depth), Err: ErrInvalidValue}
	}
	for _, side := range []Box[T]{n.Dst, n.Src} {
		if side.array != 0 {
			return &Error{Op: buildOp, Detail: "copies from and to arrays cannot be nodes of a graph: copy beside the graph, or use a kernel with a texture or surface", Err: ErrNotSupported}
		}
	}
	if overlapBoxes(n.Dst, n.Src) {
		return &Error{Op: buildOp, Detail: overlapText, Err: ErrInvalidValue}
	}
	size := sizeOf[T]()
	return defineCopy(def, n.Dst.slice.side(uint64(d.RowStride)*size, uint64(d.PlaneRows)), n.Src.slice.side(uint64(s.RowStride)*size, uint64(s.PlaneRows)),
		n.Dst.slice.owner, n.Src.slice.owner, [3]uint64{uint64(d.Width) * size, uint64(d.Height), uint64(d.Depth)})
}

// side returns s as one side of a copy.
func (s Slice[T]) side(pitchBytes, rows uint64) driver.Memory3D {
	m := driver.Memory3D{Host: s.host(), PitchBytes: pitchBytes, Height: rows}
	if m.Host == nil {
		m.Device = driver.DevicePtr(s.addr)
	}
	return m
}

// defineCopy writes a copy of extent bytes, rows and planes to def. A copy of nothing is an
// empty node, which cannot become a copy later.
func defineCopy(def *definition, dst, src driver.Memory3D, to, from *lifetime, extent [3]uint64) error {
	if to == nil || from == nil {
		return errNoOwner()
	}
	if extent[0] == 0 || extent[1] == 0 || extent[2] == 0 {
		def.kind, def.other().needs = driver.EmptyNodeType, "a copy of no elements is not in the graph"
		return nil
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
		if !a.graphOnly {
			def.owners = append(def.owners, a)
		}
	}
	w := def.other()
	def.kind = driver.MemcpyNodeType
	if !to.portable || !from.portable {
		def.dev, w.params.Ctx = d, d.ctx
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

// A MemsetNode sets every element of Dst to Value, whose bytes repeat after 1, 2 or 4. The rules
// of Fill apply. Capture makes nodes of a Fill with other values.
type MemsetNode[T any] struct {
	node
	Dst   Slice[T]
	Value T
}

// NewMemsetNode makes a node that sets every element of dst to value.
func NewMemsetNode[T any](dst Slice[T], value T) *MemsetNode[T] {
	return &MemsetNode[T]{Dst: dst, Value: value}
}

// After adds nodes that must be over before n begins. It returns n.
func (n *MemsetNode[T]) After(nodes ...Node) *MemsetNode[T] {
	comeAfter(n.base(), nodes)
	return n
}

// Named gives n a name for errors and pictures. It returns n.
func (n *MemsetNode[T]) Named(name string) *MemsetNode[T] { return namedNode(n, name) }

// String returns the node's name and what it sets.
func (n *MemsetNode[T]) String() string {
	if n == nil {
		return "nil"
	}
	return n.describe(fmt.Sprintf("fill %d × %d bytes with %v", n.Dst.Len(), sizeOf[T](), n.Value))
}

func (n *MemsetNode[T]) base() *node {
	if n == nil {
		return nil
	}
	return &n.node
}

func (n *MemsetNode[T]) define(def *definition) error {
	if n.Dst.owner == nil {
		return errNoOwner()
	}
	if n.Dst.n == 0 {
		def.kind, def.other().needs = driver.EmptyNodeType, "a fill of no elements is not in the graph"
		return nil
	}
	d := n.Dst.owner.dev
	if err := def.use(d, "its buffer", n.Dst.owner); err != nil {
		return err
	}
	value := n.Value
	pattern := unsafe.Slice((*byte)(unsafe.Pointer(&value)), sizeOf[T]())
	word, size := smallest(pattern, n.Dst.addr)
	if size == 0 {
		return d.invalid(buildOp, fmt.Sprintf("the %d bytes of the value do not repeat every 1, 2 or 4 bytes: Capture Fill, or use a kernel", len(pattern)), ErrNotSupported)
	}
	w := def.other()
	def.kind, def.dev, w.params.Ctx = driver.MemsetNodeType, d, d.ctx
	if n.Dst.owner.graphOnly {
		w.graphMemory[2] = n.Dst.owner
	}
	w.params.Memset = driver.MemsetNodeParams{
		Dst: driver.DevicePtr(n.Dst.addr), Value: word, ElementBytes: size, Width: uint64(n.Dst.n) * sizeOf[T]() / uint64(size), Height: 1,
	}
	return nil
}

// smallest returns the shortest element of 1, 2 or 4 bytes that repeats in pattern and to which
// addr is aligned, and its size, or 0.
func smallest(pattern []byte, addr uint64) (word, size uint32) {
	for _, size := range []uint32{1, 2, 4} {
		if repeats(pattern, int(size)) && addr%uint64(size) == 0 {
			for i := range size {
				word |= uint32(pattern[i]) << (8 * i)
			}
			return word, size
		}
	}
	return 0, 0
}
