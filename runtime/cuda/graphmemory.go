package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/fill"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
	d, s := c.Dst.shape, c.Src.shape
	if d.Width != s.Width || d.Height != s.Height || d.Depth != s.Depth {
		return &Error{Op: buildOp, Detail: fmt.Sprintf("the destination has %d×%d×%d elements, the source %d×%d×%d", d.Width, d.Height, d.Depth, s.Width, s.Height, s.Depth), Err: ErrInvalidValue}
	}
	for _, side := range []Box[T]{c.Dst, c.Src} {
		if side.array != 0 {
			return &Error{Op: buildOp, Detail: "copies from and to arrays cannot be nodes of a graph: copy beside the graph, or use a kernel with a texture or surface", Err: ErrNotSupported}
		}
	}
	if overlapBoxes(c.Dst, c.Src) {
		return &Error{Op: buildOp, Detail: overlapText, Err: ErrInvalidValue}
	}
	size := sizeOf[T]()
	return defineCopy(def, c.Dst.slice.side(uint64(d.RowStride)*size, uint64(d.PlaneRows)), c.Src.slice.side(uint64(s.RowStride)*size, uint64(s.PlaneRows)),
		c.Dst.slice.owner, c.Src.slice.owner, [3]uint64{uint64(d.Width) * size, uint64(d.Height), uint64(d.Depth)})
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
	if c.Dst.n == 0 {
		def.kind, def.other().needs = driver.EmptyNodeType, "a fill of no elements is not in the graph"
		return nil
	}
	d := c.Dst.owner.dev
	if err := def.use(d, "its buffer", c.Dst.owner); err != nil {
		return err
	}
	value := c.Value
	pattern := bytesOfValue(&value)
	word, size := fill.Word(pattern, c.Dst.addr)
	if size == 0 {
		return d.invalid(buildOp, fmt.Sprintf("the %d bytes of the value do not repeat every 1, 2 or 4 bytes: Capture Fill, or use a kernel", len(pattern)), ErrNotSupported)
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
