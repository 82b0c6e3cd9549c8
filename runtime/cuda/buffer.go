package cuda

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// maxLen bounds the elements of a buffer. Generated code relies on it: arithmetic
// on one length and small constants cannot overflow.
const maxLen = 1 << 48

// A Buffer is memory for n elements of type T on a device.
//
// T is plain data: numbers, bools, and arrays and structs of them. Allocating other types
// is an error.
//
// Any goroutine may call any method. The caller must order accesses to the contents: work
// on different streams, and copies from different goroutines, may overlap.
type Buffer[T any] struct{ buffer }

// sizeOf returns the bytes of a T. It makes none, which may be larger than the memory of the host.
func sizeOf[T any]() uint64 { return uint64(unsafe.Sizeof(*(*T)(nil))) }

// Alloc allocates n elements from the device's stream-ordered pool, in the order of s.
// The memory is not initialized. Work on another stream may use it once s has been
// synchronized. n may be 0.
//
// If there is not enough memory, the pools of the device give back what they do not use, and the
// allocation is tried once more; then the error wraps ErrOutOfMemory. Memory whose free is queued
// behind work that still runs is in use: waiting for the work helps.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemAllocAsync.
func Alloc[T any](s *Stream, n int) (*Buffer[T], error) {
	defer s.hold().release()
	bytes, stream, err := allocatable[T](s, n)
	if err != nil {
		return nil, err
	}
	var addr driver.DevicePtr
	if bytes > 0 {
		var r driver.Result
		if addr, r = s.dev.drv.MemAllocAsync(bytes, stream); r != driver.Success {
			if addr, r = s.dev.allocAgain(bytes, stream, r); r != driver.Success {
				return nil, s.dev.exhausted(allocating[T](n), r)
			}
		}
	}
	return newBuffer[T](s, addr, n), nil
}

// Adopt returns a buffer of n elements at addr, which another library allocated on d. The
// rules of Buffer apply, but for Close: when no work that was queued through the buffer
// and its slices uses the memory any more, it calls free, which may be nil. Device.Close
// does so if the buffer is still open, and returns an error if free panics. free must not close the device.
//
// The caller must order the other library's work on the memory. Adopt does not check that
// the memory is there.
func Adopt[T any](d *Device, addr uint64, n int, free func()) (*Buffer[T], error) {
	const op = "adopt memory"
	bytes, err := bytesOf[T](op, d, n)
	if err != nil {
		return nil, err
	}
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	if addr == 0 && n > 0 {
		return nil, d.invalid(op, "the address is 0", ErrInvalidValue)
	}
	a := &allocation{lifetime: lifetime{addr: addr, dev: d}, bytes: bytes, kind: adopted}
	if bytes > 0 || free != nil {
		a.memory = &memory{done: free}
	}
	return &Buffer[T]{buffer{account(a), n}}, nil
}

// AllocFrom allocates n elements from p in the order of s, which must be on p's device.
// The rules of Alloc apply.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemAllocFromPoolAsync.
func AllocFrom[T any](p *Pool, s *Stream, n int) (*Buffer[T], error) {
	const op = "allocate from a pool"
	defer p.hold().release()
	pool, err := p.use(op)
	if err != nil {
		return nil, err
	}
	defer p.end()
	if s != nil && s.dev != p.dev {
		return nil, s.dev.invalid(op, "the pool is on "+p.dev.besides(s.dev), ErrInvalidValue)
	}
	bytes, stream, err := allocatable[T](s, n)
	if err != nil {
		return nil, err
	}
	var addr driver.DevicePtr
	if bytes > 0 {
		var r driver.Result
		if addr, r = p.dev.drv.MemAllocFromPoolAsync(bytes, pool, stream); r != driver.Success {
			if addr, err = p.allocAgain(op, pool, bytes, stream, r); err != nil {
				return nil, err
			}
		}
	}
	return newBuffer[T](s, addr, n), nil
}

// newBuffer makes a buffer of n elements at addr, which were allocated on s.
func newBuffer[T any](s *Stream, addr driver.DevicePtr, n int) *Buffer[T] {
	if s.dev.leaks.Enabled() {
		if s.dev.sim != nil && addr != 0 { // no check asks for the values of bytes that mean nothing
			s.dev.sim.Elements(addr, element.Padding(reflect.TypeFor[T]()))
		}
		return &Buffer[T]{buffer{account(&allocation{lifetime: lifetime{addr: uint64(addr), dev: s.dev, stream: s}, bytes: uint64(n) * sizeOf[T]()}), n}}
	}
	r := s.dev.memory.newRecord()
	a := &r.allocation
	a.addr, a.bytes, a.dev, a.stream = uint64(addr), uint64(n)*sizeOf[T](), s.dev, s
	r.buffer = buffer{account(a), n}
	return (*Buffer[T])(unsafe.Pointer(&r.buffer)) // which is all that a Buffer is
}

// allocatable returns the size of n elements, if they can be allocated on s. The caller
// holds an epoch.
func allocatable[T any](s *Stream, n int) (bytes uint64, stream driver.Stream, err error) {
	if stream, err = s.open("allocate"); err != nil {
		return 0, 0, err
	}
	bytes, err = bytesOf[T]("", s.dev, n)
	return bytes, stream, err
}

// bytesOf returns the size of n elements of plain data. op names the operation in errors; empty
// means an allocation.
func bytesOf[T any](op string, d *Device, n int) (uint64, error) {
	if element.NotPlain(reflect.TypeFor[T]()) != "" {
		return 0, plainData[T](cmp.Or(op, allocating[T](n)), d)
	}
	size := sizeOf[T]()
	if n < 0 || n > maxLen || uint64(n) > math.MaxInt64/size {
		if op != "" {
			op += fmt.Sprintf(" of %d × %d bytes", n, size)
		}
		return 0, d.invalid(cmp.Or(op, allocating[T](n)), fmt.Sprintf("the length must be from 0 to %d", min(maxLen, math.MaxInt64/int64(size))), ErrInvalidValue)
	}
	return uint64(n) * size, nil
}

// allocating is what errors call the allocation of n elements.
func allocating[T any](n int) string { return fmt.Sprintf("allocate %d × %d bytes", n, sizeOf[T]()) }

// Len returns the number of elements.
func (b *Buffer[T]) Len() int { return b.All().n }

// All returns the whole buffer as a slice.
func (b *Buffer[T]) All() Slice[T] {
	if b == nil || b.mem == nil {
		return Slice[T]{owner: noBuffer}
	}
	return Slice[T]{addr: b.mem.addr, n: b.n, owner: &b.mem.lifetime}
}

// Owner returns b as the owner of its memory.
func (b *Buffer[T]) Owner() Owner { return b.All().Owner() }

// Slice returns the elements from lo up to, not including, hi. Like slicing in
// Go, it panics unless 0 ≤ lo ≤ hi ≤ b.Len().
func (b *Buffer[T]) Slice(lo, hi int) Slice[T] { return b.All().Slice(lo, hi) }

// Ptr returns the address of the first element. It does not keep b reachable.
func (b *Buffer[T]) Ptr() Ptr[T] { return b.All().Ptr() }

// Clear sets every byte of b to zero, in the order of s. It does not wait.
//
// CUDA Driver API, Memory Management, cuMemsetD8Async.
func (b *Buffer[T]) Clear(s *Stream) error { return b.All().Clear(s) }

// Close frees the memory in the order of the stream that allocated it: work queued there
// before may still use it. If other streams have used it, Close waits for the work queued
// on them. A later launch fails with ErrClosed. A concurrent launch either is queued before
// or fails with ErrClosed; a kernel of the second kind may nevertheless run and use freed
// memory. Close may be called more than once.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemFreeAsync.
func (b *Buffer[T]) Close() error {
	if b == nil {
		return nil
	}
	return b.mem.close("free a buffer")
}

// plainData returns an error of op, on d or on no device, unless T means the same bytes on a device.
func plainData[T any](op string, d *Device) error {
	if detail := element.NotPlain(reflect.TypeFor[T]()); detail != "" {
		return d.badType(op, detail)
	}
	return nil
}

// badType is the error of op with elements of a type that cannot be, on d or on no device.
func (d *Device) badType(op, detail string) error {
	e := &Error{Op: op, Detail: detail, Err: ErrInvalidValue}
	if d != nil {
		e.Device, e.Driver = d.String(), d.driverVersion()
	}
	return e
}

// boolsIn returns where n elements of type T have bools.
func boolsIn[T any](n int) element.Bools {
	return element.BoolsOf(reflect.TypeFor[T]()).Repeated(uintptr(n), uintptr(sizeOf[T]()))
}
