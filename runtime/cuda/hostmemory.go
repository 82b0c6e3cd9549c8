package cuda

import (
	"cmp"
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/cuda/internal/mapping"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A HostBuffer is page-locked host memory for n elements of type T, which is plain data
// without bools: a device may write bytes that are no bool of Go's.
// Copies from and to it run while the program continues, and kernels can access it: All
// returns the slice for both. These are the asynchronous forms of CopyFrom and CopyTo:
//
//	err = cuda.Copy(device.All(), host.All()).Launch(s) // to the device
//	err = cuda.Copy(host.All(), device.All()).Launch(s) // from the device
//
// Any goroutine may call its methods. The caller of AllocHost or RegisterHost must close it.
type HostBuffer[T any] struct {
	mem *allocation
	n   int
}

// A HostConfig configures page-locked memory.
type HostConfig struct {
	// WriteCombined memory is not cached: the CPU should only write it, sequentially.
	// Reading it is very slow.
	WriteCombined bool
}

// AllocHost allocates n elements of page-locked memory and sets them to zero. Every
// device of the process may use it; their work on it must end before d is closed. n may
// be 0.
//
// CUDA Driver API, Memory Management, cuMemHostAlloc.
func AllocHost[T any](d *Device, n int, cfg HostConfig) (*HostBuffer[T], error) {
	mem, err := allocShared[T](d, n, "", pageLocked, func(bytes uint64) (addr driver.DevicePtr, host unsafe.Pointer, r driver.Result) {
		flags := uint32(driver.HostAllocPortable | driver.HostAllocDeviceMap)
		if cfg.WriteCombined {
			flags |= driver.HostAllocWriteComb
		}
		if host, r = d.drv.MemHostAlloc(bytes, flags); r != driver.Success {
			return 0, nil, r
		}
		addr, r = d.drv.MemHostGetDevicePointer(host, 0)
		return addr, host, r
	})
	if err != nil {
		return nil, err
	}
	b := &HostBuffer[T]{mem, n}
	clear(b.Host())
	return b, nil
}

// allocShared allocates memory that the CPU and the device see. op is what errors call that, or empty.
func allocShared[T any](d *Device, n int, op string, kind memoryKind, alloc func(bytes uint64) (driver.DevicePtr, unsafe.Pointer, driver.Result)) (*allocation, error) {
	bytes, err := bytesOf[T](op, d, n)
	if err != nil {
		return nil, err
	}
	if detail := element.NotSeenByBoth(reflect.TypeFor[T]()); detail != "" {
		return nil, d.invalid(cmp.Or(op, allocating[T](n)), detail, ErrInvalidValue)
	}
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(cmp.Or(op, allocating[T](n)), "")
	}
	a := &allocation{lifetime: lifetime{dev: d}, bytes: bytes, kind: kind}
	if bytes > 0 {
		r := d.inContext(func() driver.Result {
			addr, host, r := alloc(bytes)
			a.addr, a.host = uint64(addr), host
			return r
		})
		switch {
		case r == driver.Success:
		case a.host != nil: // it was the context
			given, _ := (&memory{addr: driver.DevicePtr(a.addr), kind: kind, host: a.host}).release(d)
			d.given(given)
			fallthrough
		default:
			return nil, d.fail(cmp.Or(op, allocating[T](n)), r)
		}
	}
	return account(a), nil
}

// hostElements returns the n elements of a where the CPU sees them.
func hostElements[T any](a *allocation, n int) []T {
	if n == 0 || !a.isOpenTo(nil) {
		return nil
	}
	return unsafe.Slice((*T)(a.host), n)
}

// Len returns the number of elements.
func (b *HostBuffer[T]) Len() int { return b.All().n }

// Host returns the memory, or nil after Close. It is not Go memory: do not use it after
// Close, and keep b reachable as long as you use it. The program must not access elements
// that queued copies or kernels still read or write.
func (b *HostBuffer[T]) Host() []T {
	if b == nil {
		return nil
	}
	return hostElements[T](b.mem, b.n)
}

// All returns the memory as devices see it, for Copy and for kernels.
func (b *HostBuffer[T]) All() Slice[T] {
	if b == nil || b.mem == nil {
		return Slice[T]{owner: noBuffer}
	}
	return Slice[T]{addr: b.mem.addr, n: b.n, owner: &b.mem.lifetime}
}

// Owner returns b as the owner of its memory.
func (b *HostBuffer[T]) Owner() Owner { return b.All().Owner() }

// Slice returns the elements from lo up to, not including, hi. Like slicing in Go, it
// panics unless 0 ≤ lo ≤ hi ≤ b.Len().
func (b *HostBuffer[T]) Slice(lo, hi int) Slice[T] { return b.All().Slice(lo, hi) }

// Close waits for all work on the device of b and on streams of other devices that have
// used b, and frees the memory. The rules of Buffer.Close apply.
//
// CUDA Driver API, Memory Management, cuMemFreeHost.
func (b *HostBuffer[T]) Close() error {
	if b == nil {
		return nil
	}
	return b.mem.close("free memory of the host")
}

// RegisterHost page-locks memory that the program has mapped from a file, such as the weights of a
// model, so that devices copy from and to it, and access it, without another copy. The memory must be
// mapped for reading and writing, and stay mapped until the buffer is closed: Close waits for the
// work that uses it, and does not unmap it. MAP_PRIVATE leaves the file as it is; the driver may
// refuse MAP_SHARED of a file on a disk.
//
// Go memory is refused, be it in the heap, on a stack or a package's variable: a device could
// access it after the garbage collector has freed it. So is all memory of which it is not known
// that a file is mapped there. Use AllocHost, CopyFrom or CopyTo. The error wraps ErrNotSupported.
//
// CUDA Driver API, Memory Management, cuMemHostRegister, CU_MEMHOSTREGISTER_PORTABLE.
func RegisterHost[T any](d *Device, memory []T) (*HostBuffer[T], error) {
	const op = "page-lock memory"
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	if _, err := bytesOf[T](op, d, len(memory)); err != nil {
		return nil, err
	}
	start := unsafe.Pointer(unsafe.SliceData(memory))
	if size := uintptr(len(memory)) * uintptr(sizeOf[T]()); size > 0 {
		if detail := mapping.NotFile(uintptr(start), size); detail != "" {
			return nil, d.invalid(op, detail+": use AllocHost, CopyFrom or CopyTo", ErrNotSupported)
		}
		if d.simulated && uintptr(start)%8 != 0 {
			return nil, d.invalid(op, "it begins at an address that 8 does not divide, as simulated devices need: register the whole mapping, and take a Slice", ErrNotSupported)
		}
	}
	mem, err := allocShared[T](d, len(memory), op, registered, func(bytes uint64) (driver.DevicePtr, unsafe.Pointer, driver.Result) {
		if r := d.drv.MemHostRegister(start, bytes, driver.HostRegisterPortable|driver.HostRegisterDeviceMap); r != driver.Success {
			return 0, nil, r
		}
		addr, r := d.drv.MemHostGetDevicePointer(start, 0)
		return addr, start, r
	})
	if err != nil {
		return nil, err
	}
	return &HostBuffer[T]{mem, len(memory)}, nil
}

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
