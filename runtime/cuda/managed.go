package cuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A ManagedBuffer is managed memory for n elements of type T, which is plain data without
// bools, as of a HostBuffer: the driver moves it between the host and the devices. Any
// goroutine may call its methods.
// The caller of AllocManaged must close it.
type ManagedBuffer[T any] struct {
	mem *allocation
	n   int
}

// AllocManaged allocates n elements of managed memory. The memory is not initialized. n
// may be 0. Advise says how it will be used.
//
// CUDA Driver API, Memory Management, cuMemAllocManaged.
func AllocManaged[T any](d *Device, n int) (*ManagedBuffer[T], error) {
	mem, err := allocShared[T](d, n, "", managed, func(bytes uint64) (driver.DevicePtr, unsafe.Pointer, driver.Result) {
		return d.drv.MemAllocManaged(bytes, driver.AttachGlobal)
	})
	if err != nil {
		return nil, err
	}
	return &ManagedBuffer[T]{mem, n}, nil
}

// Len returns the number of elements.
func (b *ManagedBuffer[T]) Len() int { return b.All().n }

// Host returns the memory, or nil after Close. The rules of HostBuffer.Host apply. On a
// device without ConcurrentManagedAccess the program must not access the memory while any
// kernel runs there.
func (b *ManagedBuffer[T]) Host() []T {
	if b == nil {
		return nil
	}
	return hostElements[T](b.mem, b.n)
}

// All returns the memory as devices see it, for Copy and for kernels.
func (b *ManagedBuffer[T]) All() Slice[T] {
	if b == nil || b.mem == nil {
		return Slice[T]{owner: noBuffer}
	}
	return Slice[T]{addr: b.mem.addr, n: b.n, owner: &b.mem.lifetime}
}

// Owner returns b as the owner of its memory.
func (b *ManagedBuffer[T]) Owner() Owner { return b.All().Owner() }

// Slice returns the elements from lo up to, not including, hi. Like slicing in Go, it
// panics unless 0 ≤ lo ≤ hi ≤ b.Len().
func (b *ManagedBuffer[T]) Slice(lo, hi int) Slice[T] { return b.All().Slice(lo, hi) }

// Prefetch moves the memory to a device, or to the host if to is nil, in the order of s.
// It does not wait.
//
// CUDA Driver API, Unified Addressing, cuMemPrefetchAsync.
func (b *ManagedBuffer[T]) Prefetch(s *Stream, to *Device) error {
	const op = "prefetch managed memory"
	defer s.hold().release()
	place, err := placeOf(op, to)
	if err != nil {
		return err
	}
	stream, err := b.All().enqueue(s, op)
	if err != nil {
		return err
	}
	defer b.mem.endOn(s)
	if b.n == 0 {
		return nil
	}
	r := s.dev.inContext(func() driver.Result {
		return s.dev.drv.MemPrefetchAsync(driver.DevicePtr(b.mem.addr), b.mem.bytes, place, stream)
	})
	if r != driver.Success {
		return s.dev.fail(op, r)
	}
	return nil
}

// An Advice tells the driver how managed memory will be used.
type Advice driver.MemAdvice

// Values of Advice. CUDA Driver API, CUmem_advise.
const (
	SetReadMostly          = Advice(driver.SetReadMostly)
	UnsetReadMostly        = Advice(driver.UnsetReadMostly)
	SetPreferredLocation   = Advice(driver.SetPreferredLocation)
	UnsetPreferredLocation = Advice(driver.UnsetPreferredLocation)
	SetAccessedBy          = Advice(driver.SetAccessedBy)
	UnsetAccessedBy        = Advice(driver.UnsetAccessedBy)
)

// Advise tells the driver how a device will use the memory, or the host if by is nil.
//
// CUDA Driver API, Unified Addressing, cuMemAdvise.
func (b *ManagedBuffer[T]) Advise(advice Advice, by *Device) error {
	const op = "advise on managed memory"
	if b == nil || b.mem == nil {
		return (*Device)(nil).closedError(op, "the buffer")
	}
	place, err := placeOf(op, by)
	if err != nil {
		return err
	}
	d := b.mem.dev
	defer d.hold().release()
	if d.isClosed() || !b.mem.begin() {
		return d.closedError(op, "the buffer")
	}
	defer b.mem.end()
	if b.n == 0 {
		return nil
	}
	r := d.inContext(func() driver.Result {
		return d.drv.MemAdvise(driver.DevicePtr(b.mem.addr), b.mem.bytes, driver.MemAdvice(advice), place)
	})
	if r != driver.Success {
		return d.fail(op, r)
	}
	return nil
}

// placeOf returns the driver's number of d, which stands for the host if it is nil.
func placeOf(op string, d *Device) (driver.Device, error) {
	switch {
	case d == nil:
		return driver.CPU, nil
	case d.isClosed():
		return 0, d.closedError(op, "")
	}
	return d.dev, nil
}

// Close waits for all work on the device of b and on streams of other devices that have
// used b, and frees the memory. The rules of Buffer.Close apply.
//
// CUDA Driver API, Memory Management, cuMemFree.
func (b *ManagedBuffer[T]) Close() error {
	if b == nil {
		return nil
	}
	return b.mem.close("free managed memory")
}
