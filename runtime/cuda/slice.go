package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Ptr is the address of a T on a device. It is not a Go pointer: it keeps nothing
// reachable and has no length. It has 8 bytes, as CUdeviceptr.
type Ptr[T any] struct{ addr uint64 }

// Address returns the device address; 0 is the null pointer.
func (p Ptr[T]) Address() uint64 { return p.addr }

// PtrAt returns the device address addr, from another API, as a Ptr. It does not check
// that a T is there.
func PtrAt[T any](addr uint64) Ptr[T] { return Ptr[T]{addr} }

// A Slice is a range of elements of a buffer: an address, a length in elements, and the
// buffer, which it keeps reachable. Kernels, copies and fills take it. Its buffer is one of these:
//
//	Alloc, Upload, AllocFrom   Buffer          memory of the device
//	AllocHost, RegisterHost    HostBuffer      page-locked memory of the host, a mapped file
//	AllocManaged               ManagedBuffer   memory that the driver moves
//	Adopt                      Buffer          memory of another library
//	NewArray                   Array           elements for textures and surfaces
//	Elements                   Slice           an array that is a variable of a library
//
// A Ptr is a bare address, about which nothing is known. Reinterpret changes the type of elements.
//
// The zero Slice belongs to no buffer. What uses it is an error, except a launch whose parameter
// may be NULL, by the directive nullable or by the tag that Bind describes. A part of a
// buffer that has no elements is no zero Slice: to copy it or to launch with it is no error.
//
// Copies and launches with a slice of a closed buffer, or of one that is on another device,
// fail.
type Slice[T any] struct {
	addr  uint64
	n     int
	owner *lifetime
}

// Len returns the number of elements.
func (s Slice[T]) Len() int { return s.n }

// IsZero reports whether s is the zero Slice.
func (s Slice[T]) IsZero() bool { return s == Slice[T]{} }

// Ptr returns the address of the first element.
func (s Slice[T]) Ptr() Ptr[T] { return Ptr[T]{s.addr} }

// Address returns the device address of the first element; 0 for the zero Slice.
func (s Slice[T]) Address() uint64 { return s.addr }

// Owner returns the buffer of s.
func (s Slice[T]) Owner() Owner { return Owner{s.owner} }

// Argument returns s as an argument of a prepared call, whose elements have the alignment
// align in C++. Code that was generated before NewCall calls it.
func (s Slice[T]) Argument(align uint64) argument {
	return argument{owner: s.owner, addr: s.addr, align: align}
}

// Slice returns the elements from lo up to, not including, hi. Like slicing in
// Go, it panics unless 0 ≤ lo ≤ hi ≤ s.Len().
func (s Slice[T]) Slice(lo, hi int) Slice[T] {
	if lo < 0 || hi < lo || hi > s.n {
		panic(fmt.Sprintf("cuda: slice bounds out of range [%d:%d] with length %d", lo, hi, s.n))
	}
	part := Slice[T]{addr: s.addr + uint64(lo)*sizeOf[T](), n: hi - lo, owner: s.owner}
	if redZones.Load() {
		part.owner = part.owner.partOf(part.addr, uint64(part.n)*sizeOf[T]())
	}
	return part
}

// SliceAt returns n elements of plain data at addr, inside of memory whose lifetime is that of owner:
// a launch with the slice fails if owner is closed or on another device. With the zero
// Owner nothing is checked but the length. SliceAt does not check that the memory is there;
// elements at address 0, which is NULL, are an error of what uses them.
func SliceAt[T any](addr uint64, n int, owner Owner) Slice[T] {
	if err := plainData[T]("make a slice", nil); err != nil {
		panic(err.Error())
	}
	if n < 0 || n > maxLen || uint64(n) > math.MaxInt64/sizeOf[T]() {
		panic(fmt.Sprintf("cuda: slice length %d out of range, with elements of %d bytes", n, sizeOf[T]()))
	}
	if addr == 0 && n > 0 {
		return Slice[T]{n: n, owner: noMemory}
	}
	bytes := uint64(n) * sizeOf[T]()
	s := Slice[T]{addr: addr, n: n, owner: owner.placed(addr, bytes, sizeOf[T]())}
	if redZones.Load() {
		s.owner = s.owner.partOf(addr, bytes)
	}
	return s
}

// Reinterpret returns the memory of s as elements of type U, which is plain data. Like
// slicing, it panics if s does not hold a whole number of U, or if s begins at an address
// that Go's alignment of U does not divide.
func Reinterpret[U, T any](s Slice[T]) Slice[U] {
	if err := plainData[U]("reinterpret a slice", nil); err != nil {
		panic(err.Error())
	}
	bytes, size := uint64(s.n)*sizeOf[T](), sizeOf[U]()
	if bytes%size != 0 || s.addr%uint64(unsafe.Alignof(*(*U)(nil))) != 0 {
		panic(fmt.Sprintf("cuda: %d elements of %d bytes at address %#x are not elements of %d bytes, aligned to %d", s.n, sizeOf[T](), s.addr, size, unsafe.Alignof(*(*U)(nil))))
	}
	return Slice[U]{addr: s.addr, n: int(bytes / size), owner: s.owner.placed(s.addr, bytes, size)}
}

// isNone reports whether s is the zero Slice, or a part of it.
func (s Slice[T]) isNone() bool { return s.owner == nil && s.addr == 0 }

const noOwnerText = "the slice is the zero Slice, or SliceAt made it without an owner: use one of a buffer"

const zeroSliceText = "the slice is the zero Slice: use one of a buffer"

// use returns the handle of stream and begins a use of s there, which s.owner.end ends,
// unless there is an error.
func (s Slice[T]) use(stream *Stream, op string) (driver.Stream, error) {
	handle, err := stream.open(op)
	switch {
	case err != nil:
		return 0, err
	case s.isNone():
		return 0, stream.dev.invalid(op, zeroSliceText, ErrInvalidValue)
	case s.owner != nil && (s.owner.isClosed() || !s.owner.graphOnly && !s.owner.isOpenTo(stream.dev)):
		return 0, s.owner.closedError(stream.dev, op, "the "+s.owner.what)
	case s.owner != nil && s.owner.graphOnly:
		return 0, s.owner.notHere(stream, op)
	case s.owner != nil && !s.owner.portable && s.owner.dev != stream.dev:
		return 0, s.owner.elsewhere(stream, op)
	case !s.owner.begin():
		return 0, stream.dev.closedError(op, "the "+s.owner.what)
	}
	return handle, nil
}

// enqueue is use for work that is queued on stream and not waited for.
func (s Slice[T]) enqueue(stream *Stream, op string) (driver.Stream, error) {
	handle, err := s.use(stream, op)
	if err == nil && !s.owner.usedOn(stream) {
		s.owner.end()
		err = stream.dev.closedError(op, "the "+s.owner.what)
	}
	return handle, err
}

// notHere is the error of an operation on s that needs l, to which only a graph gives a value.
func (l *lifetime) notHere(s *Stream, op string) error {
	return s.dev.invalid(op, "the "+l.what+" exists only in a graph", ErrInvalidValue)
}

// elsewhere is the error of an operation on s that needs l, which is on another device.
func (l *lifetime) elsewhere(s *Stream, op string) error {
	return s.dev.invalid(op, "the "+l.what+" is on "+l.dev.besides(s.dev), ErrInvalidValue)
}
