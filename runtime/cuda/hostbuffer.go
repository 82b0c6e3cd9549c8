package cuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A HostBuffer is page-locked memory of the host for n elements of type T, plain data.
// Copies from and to it run while the program goes on, and kernels can use it where it
// lies: All is a slice for both. Any goroutine may call its methods. Whoever made it
// closes it.
type HostBuffer[T any] struct {
	mem *allocation
	n   int
}

// A HostConfig says how page-locked memory is used.
type HostConfig struct {
	// WriteCombined memory is not cached: the CPU should only write it, from the
	// beginning to the end. Reading it is slower by far.
	WriteCombined bool
}

// AllocHost allocates n elements of page-locked memory, zero. Every device of the
// process may use it; their work on it must have ended before d is closed. n may be 0.
//
// CUDA Driver API, Memory Management, cuMemHostAlloc.
func AllocHost[T any](d *Device, n int, cfg HostConfig) (*HostBuffer[T], error) {
	mem, err := allocShared[T](d, n, pageLocked, func(bytes uint64) (addr driver.DevicePtr, host unsafe.Pointer, r driver.Result) {
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

// allocShared allocates memory that the CPU and the device see.
func allocShared[T any](d *Device, n int, kind memoryKind, alloc func(bytes uint64) (driver.DevicePtr, unsafe.Pointer, driver.Result)) (*allocation, error) {
	bytes, err := bytesOf[T](d, n)
	if err != nil {
		return nil, err
	}
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(allocating[T](n), "")
	}
	a := &allocation{bytes: bytes, dev: d, kind: kind}
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
			return nil, d.fail(allocating[T](n), r)
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
func (b *HostBuffer[T]) Len() int { return b.n }

// Host returns the memory, or nil once b is closed. It is not Go's: it must not be used
// after Close, and b must be kept as long as it is used. The program must not touch
// what a copy or a kernel that was queued still reads or writes.
func (b *HostBuffer[T]) Host() []T { return hostElements[T](b.mem, b.n) }

// All returns the memory as devices see it, for Copy and for kernels.
func (b *HostBuffer[T]) All() Slice[T] { return Slice[T]{addr: b.mem.addr, n: b.n, owner: b.mem} }

// Slice returns the elements from lo up to, not including, hi. Like slicing in Go, it
// panics unless 0 ≤ lo ≤ hi ≤ b.Len().
func (b *HostBuffer[T]) Slice(lo, hi int) Slice[T] { return b.All().Slice(lo, hi) }

// Close waits for all work on the device that made b, and on streams of other devices
// that have used it, and frees the memory. The rules of Buffer.Close apply.
//
// CUDA Driver API, Memory Management, cuMemFreeHost.
func (b *HostBuffer[T]) Close() error { return b.mem.close("free memory of the host") }

// RegisterHost refuses: it stands here to say why. Page-locking Go memory would have the
// device write to it while the collector may have given it to somebody else, or, on a
// stack, moved it. AllocHost gives memory that devices may use.
func RegisterHost[T any](d *Device, memory []T) error {
	return &Error{
		Op: "page-lock Go memory", Device: d.String(), Err: ErrNotSupported,
		Detail: "a device may use it after the collector has freed or moved it: use AllocHost, or copy with CopyFrom and CopyTo, which are complete when they return",
	}
}
