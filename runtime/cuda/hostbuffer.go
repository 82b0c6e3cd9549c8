package cuda

import (
	"cmp"
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
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
