package cuda

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A CopyCall copies Src to Dst, which have the same length. It is launched on a stream, in a Batch
// and as a node of a graph. Its fields may change between launches.
//
// Each side may be memory of the stream's device, of another device, managed memory or page-locked
// memory. Use CopyFrom and CopyTo for Go memory. It is an error if Dst and Src overlap, unless they
// are the same.
type CopyCall[T any] struct {
	Dst, Src Slice[T]
}

// Copy makes a copy of src to dst: Launch queues it, NewBatch and NewNode take it.
func Copy[T any](dst, src Slice[T]) *CopyCall[T] { return &CopyCall[T]{Dst: dst, Src: src} }

// Launch queues the copy on s. It does not wait.
//
// Either buffer may be closed before the copy has run: Close waits for it. Until then the
// program must not write page-locked memory in c.Src, or read or write page-locked memory
// in c.Dst.
//
// CUDA Driver API, Memory Management, cuMemcpyHtoDAsync, cuMemcpyDtoHAsync,
// cuMemcpyDtoDAsync, cuMemcpyPeerAsync.
func (c *CopyCall[T]) Launch(s *Stream) error {
	const op = "copy"
	if c == nil {
		return errNilCall(op)
	}
	dst, src := c.Dst, c.Src
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.add(op, NewNode(Copy(dst, src)))
	}
	stream, err := s.open(op)
	if err != nil {
		return err
	}
	if dst.isNone() || src.isNone() {
		return s.dev.invalid(op, zeroSliceOf(dst.isNone()), ErrInvalidValue)
	}
	if dst.n != src.n {
		return s.dev.invalid(op, unequalText(dst.n, src.n), unequal(dst.n, src.n))
	}
	if err := reachable(s, op, dst.owner, src.owner); err != nil {
		return err
	}
	if dst.n == 0 {
		return nil
	}
	if overlap(dst, src) {
		return s.dev.invalid(op, overlapText, ErrInvalidValue)
	}
	r, open := copyOn(s, stream, dst, src)
	switch {
	case !open:
		return s.dev.closedError(op, "the buffer")
	case r != driver.Success:
		return s.dev.fail(op, r)
	}
	return nil
}

// zeroSliceOf says which side of a copy is the zero Slice.
func zeroSliceOf(destination bool) string {
	if destination {
		return "the destination is the zero Slice: use one of a buffer"
	}
	return "the source is the zero Slice: use one of a buffer"
}

// unequal is what the error wraps of a copy of n elements to a destination of another number.
func unequal(destination, n int) error {
	if destination < n {
		return ErrShortSlice
	}
	return ErrLongSlice
}

func unequalText(destination, n int) string {
	return fmt.Sprintf("the destination has %s, the source %d: make them equally long", extent.Counted(destination, "element"), n)
}

// copyOn queues a copy between buffers that are not empty. It reports false when one of
// them is closed. Deferred calls would cost it more than all that it does.
func copyOn[T any](s *Stream, stream driver.Stream, dst, src Slice[T]) (r driver.Result, open bool) {
	to, from := dst.owner, src.owner
	there, here := to.dev.hold(), from.dev.hold() // which may be other devices than s's
	if open = to.beginOn(s); open {
		if open = from.beginOn(s); open {
			r = copyAsync(s, stream, dst, src)
			from.endOn(s)
		}
		to.endOn(s)
	}
	there.release()
	here.release()
	return r, open
}

// copyAsync queues a copy between buffers that stay as long as it runs.
func copyAsync[T any](s *Stream, stream driver.Stream, dst, src Slice[T]) driver.Result {
	drv, bytes := s.dev.drv, uint64(dst.n)*sizeOf[T]()
	to, from := driver.DevicePtr(dst.addr), driver.DevicePtr(src.addr)
	toHost, fromHost := dst.host(), src.host()
	switch {
	case toHost != nil && fromHost != nil:
		return copyInHost(s, stream, toHost, fromHost, bytes)
	case fromHost != nil && dst.owner.dev != s.dev: // drivers look at the context of pooled memory
		return dst.owner.dev.inContext(func() driver.Result { return drv.MemcpyHtoDAsync(to, fromHost, bytes, stream) })
	case toHost != nil && src.owner.dev != s.dev:
		return src.owner.dev.inContext(func() driver.Result { return drv.MemcpyDtoHAsync(toHost, from, bytes, stream) })
	case fromHost != nil:
		return drv.MemcpyHtoDAsync(to, fromHost, bytes, stream)
	case toHost != nil:
		return drv.MemcpyDtoHAsync(toHost, from, bytes, stream)
	case dst.owner.dev.dev != src.owner.dev.dev:
		return s.dev.inContext(func() driver.Result {
			return drv.MemcpyPeerAsync(to, dst.owner.dev.ctx, from, src.owner.dev.ctx, bytes, stream)
		})
	}
	return drv.MemcpyDtoDAsync(to, from, bytes, stream)
}

// copyInHost queues a copy between page-locked memory.
func copyInHost(s *Stream, stream driver.Stream, to, from unsafe.Pointer, bytes uint64) driver.Result {
	return s.dev.inContext(func() driver.Result {
		return s.dev.drv.Memcpy3DAsync(driver.Copy3D{
			Dst: driver.Memory3D{Host: to, PitchBytes: bytes, Height: 1}, Src: driver.Memory3D{Host: from, PitchBytes: bytes, Height: 1},
			WidthBytes: bytes, Height: 1, Depth: 1,
		}, stream)
	})
}

// host returns where the CPU sees s, if it is page-locked, or nil. Of an empty slice, which may
// lie at the end, where no pointer of Go's may point, it is where the memory begins.
func (s Slice[T]) host() unsafe.Pointer {
	if s.owner == nil || !s.owner.portable {
		return nil
	}
	if s.n == 0 {
		return s.owner.host
	}
	return unsafe.Add(s.owner.host, s.addr-s.owner.addr)
}

// reachable reports whether s can copy between memory of dst and of src. One of them
// must be on its device, or be the host's.
func reachable(s *Stream, op string, dst, src *lifetime) error {
	near := false
	for _, a := range []*lifetime{dst, src} {
		if a == nil {
			return s.dev.invalid(op, "a slice has no owner: give it to SliceAt", ErrInvalidValue)
		}
		if a.isClosed() {
			return a.closedError(s.dev, op, "the buffer")
		}
		if a.graphOnly {
			return a.notHere(s, op)
		}
		d := a.dev
		if d.simulated != s.dev.simulated {
			return a.elsewhere(s, op)
		}
		near = near || d.dev == s.dev.dev
	}
	if !near && (!dst.portable || !src.portable) {
		return s.dev.invalid(op, "neither buffer is on the stream's device: use a stream of one of their devices", ErrInvalidValue)
	}
	return nil
}

// A Shape selects the elements of a Box: Depth planes of Height rows of Width elements. A
// row begins RowStride elements after the previous row, and a plane PlaneRows rows after
// the previous plane. RowStride 0 means Width, PlaneRows 0 means Height; Height and Depth
// 0 mean 1.
type Shape struct {
	Width, Height, Depth int
	RowStride            int // elements
	PlaneRows            int // rows
}

// A Box is a two- or three-dimensional part of a slice or of an array, for CopyBox.
type Box[T any] struct {
	slice Slice[T] // of an array only the owner counts
	shape Shape

	array driver.Array // or 0
	at    [3]int       // in the array: elements, rows, planes
}

// normal returns s with its zeros replaced, and how many elements it spans.
func (s Shape) normal() (n Shape, span int, ok bool) {
	for _, v := range []*int{&s.Height, &s.Depth} {
		if *v == 0 {
			*v = 1
		}
	}
	if s.RowStride == 0 {
		s.RowStride = s.Width
	}
	if s.PlaneRows == 0 {
		s.PlaneRows = s.Height
	}
	if s.Width < 0 || s.Height < 0 || s.Depth < 0 || s.RowStride < s.Width || s.PlaneRows < s.Height {
		return s, 0, false
	}
	return s, extent.Span(s.Width, s.Height, s.Depth, s.RowStride, s.PlaneRows), true
}

// differs says how many elements s and from, the shapes of a copy, have if they are not as many in each dimension, or "".
func (s Shape) differs(from Shape) string {
	if s.Width == from.Width && s.Height == from.Height && s.Depth == from.Depth {
		return ""
	}
	return fmt.Sprintf("the destination has %d×%d×%d elements, the source %d×%d×%d", s.Width, s.Height, s.Depth, from.Width, from.Height, from.Depth)
}

// Box returns the elements of s that shape selects, beginning with the first element of
// s. Like slicing, it panics if shape exceeds s, or if its rows or planes overlap.
func (s Slice[T]) Box(shape Shape) Box[T] {
	normal, span, ok := shape.normal()
	if !ok || span > s.n {
		panic(fmt.Sprintf("cuda: shape %+v out of range with length %d", shape, s.n))
	}
	return Box[T]{slice: s, shape: normal}
}

// A CopyBoxCall copies Src to Dst, which have the same width, height and depth; their strides may
// differ. Both are memory or arrays of the stream's device, managed memory or page-locked memory.
// The rules of CopyCall apply. Copies of arrays cannot be in graphs.
type CopyBoxCall[T any] struct {
	Dst, Src Box[T]
}

// CopyBox makes a copy of src to dst: Launch queues it, NewBatch and NewNode take it.
func CopyBox[T any](dst, src Box[T]) *CopyBoxCall[T] { return &CopyBoxCall[T]{Dst: dst, Src: src} }

// Launch queues the copy on s. It does not wait.
//
// CUDA Driver API, Memory Management, cuMemcpy3DAsync.
func (c *CopyBoxCall[T]) Launch(s *Stream) error {
	const op = "copy a box"
	if c == nil {
		return errNilCall(op)
	}
	dst, src := c.Dst, c.Src
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.add(op, NewNode(CopyBox(dst, src)))
	}
	stream, err := dst.slice.enqueue(s, op)
	if err != nil {
		return err
	}
	defer dst.slice.owner.endOn(s)
	if _, err := src.slice.enqueue(s, op); err != nil {
		return err
	}
	defer src.slice.owner.endOn(s)
	if detail := dst.shape.differs(src.shape); detail != "" {
		return s.dev.invalid(op, detail, ErrInvalidValue)
	}
	size := dst.extent()
	if size[0] == 0 {
		return nil
	}
	if overlapBoxes(dst, src) {
		return s.dev.invalid(op, overlapText, ErrInvalidValue)
	}
	r := s.dev.inContext(func() driver.Result {
		return s.dev.drv.Memcpy3DAsync(driver.Copy3D{
			Dst: dst.memory(), Src: src.memory(), WidthBytes: size[0], Height: size[1], Depth: size[2],
		}, stream)
	})
	if r != driver.Success {
		return s.dev.fail(op, r)
	}
	return nil
}

func (b Box[T]) memory() driver.Memory3D {
	if b.array != 0 {
		return driver.Memory3D{Array: b.array, XBytes: uint64(b.at[0]) * sizeOf[T](), Y: uint64(b.at[1]), Z: uint64(b.at[2])}
	}
	return b.slice.side(uint64(b.shape.RowStride)*sizeOf[T](), uint64(b.shape.PlaneRows))
}

// side returns s as one side of a copy.
func (s Slice[T]) side(pitchBytes, rows uint64) driver.Memory3D {
	m := driver.Memory3D{Host: s.host(), PitchBytes: pitchBytes, Height: rows}
	if m.Host == nil {
		m.Device = driver.DevicePtr(s.addr)
	}
	return m
}

// extent returns the bytes, rows and planes of b.
func (b Box[T]) extent() [3]uint64 {
	return [3]uint64{uint64(b.shape.Width) * sizeOf[T](), uint64(b.shape.Height), uint64(b.shape.Depth)}
}

// rowAlignment is the bytes to which hardware likes rows aligned: what cuMemAllocPitch
// aligns them to on every device so far.
const rowAlignment = 512

// PitchedShape returns the shape of width × height × depth elements of T whose rows begin
// at multiples of 512 bytes, as cuMemAllocPitch places them, and how many elements to
// allocate for it. Height and depth 0 mean 1, as in a Shape. T is plain data, as of a Buffer.
// A negative number, and more elements than a buffer can have, are errors.
func PitchedShape[T any](width, height, depth int) (shape Shape, elements int, err error) {
	const op = "compute a pitched shape"
	if err := plainData[T](op, nil); err != nil {
		return Shape{}, 0, err
	}
	for _, size := range []struct {
		name  string
		value int
	}{{"width", width}, {"height", height}, {"depth", depth}} {
		if size.value < 0 {
			return Shape{}, 0, &Error{Op: op, Detail: fmt.Sprintf("the %s is %d, must not be negative", size.name, size.value), Err: ErrInvalidValue}
		}
	}
	height, depth = max(height, 1), max(depth, 1)
	stride := extent.Stride(width, sizeOf[T](), rowAlignment)
	elements = extent.Mul(extent.Mul(stride, height), depth)
	if elements > maxLen {
		return Shape{}, 0, &Error{Op: op, Detail: fmt.Sprintf("%d×%d×%d elements are more than a buffer can have, %d", width, height, depth, maxLen), Err: ErrOverflow}
	}
	return Shape{Width: width, Height: height, Depth: depth, RowStride: stride, PlaneRows: height}, elements, nil
}

// overlapText is what errors say of a copy whose destination and source overlap. In what order a device
// copies bytes is not defined, so neither is what they are afterwards.
const overlapText = "the destination and the source overlap: copy by way of another buffer"

// overlap reports whether a copy of src to dst overwrites what it reads. A copy of memory to itself changes
// nothing, in whatever order.
func overlap[T any](dst, src Slice[T]) bool {
	return dst.owner.mayShare(src.owner) && dst.addr != src.addr && max(dst.addr, src.addr)-min(dst.addr, src.addr) < uint64(src.n)*sizeOf[T]()
}

// overlapBoxes is overlap of boxes, which have the same width, height and depth.
func overlapBoxes[T any](dst, src Box[T]) bool {
	if !dst.slice.owner.mayShare(src.slice.owner) || dst.array != src.array {
		return false
	}
	if src.array != 0 {
		for n, length := range [3]int{src.shape.Width, src.shape.Height, src.shape.Depth} {
			if max(dst.at[n], src.at[n])-min(dst.at[n], src.at[n]) >= length {
				return false
			}
		}
		return dst.at != src.at
	}
	if dst.slice.addr == src.slice.addr && dst.shape == src.shape {
		return false
	}
	return extent.Overlap(dst.rows(), src.rows())
}

// rows returns the rows of b, a box of memory.
func (b Box[T]) rows() extent.Rows {
	s := b.shape
	return extent.Rows{
		Addr: b.slice.addr, Bytes: uint64(s.Width) * sizeOf[T](), Pitch: uint64(s.RowStride) * sizeOf[T](),
		Height: s.Height, Depth: s.Depth, PlaneRows: s.PlaneRows,
	}
}
