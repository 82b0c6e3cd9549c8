package cuda

import (
	"fmt"
	"unsafe"
)

// Adopt returns a buffer of n elements at addr, which another library allocated on d. The
// rules of Buffer apply, but for Close: when no work that was queued through the buffer
// and its slices uses the memory any more, it calls free, which may be nil. Device.Close
// does so if the buffer is still open.
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
	if bytes > 0 {
		a.memory = &memory{done: free}
	}
	return &Buffer[T]{buffer{account(a), n}}, nil
}

// SliceAt returns n elements of plain data at addr, inside of memory whose lifetime is that of owner:
// a launch with the slice fails if owner is closed or on another device. With the zero
// Owner nothing is checked but the length. SliceAt does not check that the memory is there;
// elements at address 0, which is NULL, are an error of what uses them.
func SliceAt[T any](addr uint64, n int, owner Owner) Slice[T] {
	if err := plainData[T]("make a slice", nil); err != nil {
		panic(err.Error())
	}
	if n < 0 || n > maxLen {
		panic(fmt.Sprintf("cuda: slice length %d out of range", n))
	}
	if addr == 0 && n > 0 {
		return Slice[T]{n: n, owner: noMemory}
	}
	return Slice[T]{addr: addr, n: n, owner: owner.lifetime}
}

// Reinterpret returns the memory of s as elements of type U, which is plain data. Like
// slicing, it panics if s does not hold a whole number of U, or if s begins at an address
// that Go's alignment of U does not divide.
func Reinterpret[U, T any](s Slice[T]) Slice[U] {
	if err := plainData[U]("reinterpret a slice", nil); err != nil {
		panic(err.Error())
	}
	var u U
	bytes, size := uint64(s.n)*sizeOf[T](), sizeOf[U]()
	if bytes%size != 0 || s.addr%uint64(unsafe.Alignof(u)) != 0 {
		panic(fmt.Sprintf("cuda: %d elements of %d bytes at address %#x are not elements of %d bytes, aligned to %d", s.n, sizeOf[T](), s.addr, size, unsafe.Alignof(u)))
	}
	return Slice[U]{addr: s.addr, n: int(bytes / size), owner: s.owner}
}
