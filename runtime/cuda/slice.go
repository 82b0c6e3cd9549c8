package cuda

import "fmt"

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
