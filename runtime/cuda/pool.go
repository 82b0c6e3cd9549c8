package cuda

import (
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Pool is memory of a device from which allocations are made in the order of streams.
// Any goroutine may call its methods. Whoever made it with NewPool closes it.
type Pool struct {
	handle atomic.Uintptr // driver.MemPool; 0 once closed
	dev    *Device
	own    bool // made by NewPool
}

// DefaultPool returns the pool that Alloc and Upload allocate from. Closing it does
// nothing.
//
// CUDA Driver API, Device Management, cuDeviceGetDefaultMemPool.
func (d *Device) DefaultPool() (*Pool, error) {
	return d.pool("find the default pool", false, d.drv.DeviceGetDefaultMemPool)
}

// NewPool makes a pool on d, whose release threshold is 0.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemPoolCreate.
func (d *Device) NewPool() (*Pool, error) {
	return d.pool("make a pool", true, d.drv.MemPoolCreate)
}

func (d *Device) pool(op string, own bool, get func(driver.Device) (driver.MemPool, driver.Result)) (*Pool, error) {
	if d.isClosed() {
		return nil, &Error{Op: op, Device: d.String(), Err: ErrClosed}
	}
	handle, r := get(d.dev)
	if r != driver.Success {
		return nil, d.fail(op, r)
	}
	p := &Pool{dev: d, own: own}
	p.handle.Store(uintptr(handle))
	return p, nil
}

// AllocFrom allocates n elements from p in the order of s, which must be on p's device.
// The rules of Alloc apply.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemAllocFromPoolAsync.
func AllocFrom[T any](p *Pool, s *Stream, n int) (*Buffer[T], error) {
	const op = "allocate from a pool"
	pool, err := p.open(op)
	if err != nil {
		return nil, err
	}
	if s != nil && s.dev != p.dev {
		return nil, &Error{Op: op, Device: s.dev.String(), Detail: "the pool is on " + p.dev.String(), Err: ErrInvalidValue}
	}
	bytes, stream, err := allocatable[T](s, n)
	if err != nil {
		return nil, err
	}
	a := &allocation{bytes: bytes, stream: s}
	if bytes > 0 {
		addr, r := p.dev.drv.MemAllocFromPoolAsync(bytes, pool, stream)
		if r != driver.Success {
			return nil, s.dev.fail(op, r)
		}
		a.addr = uint64(addr)
	}
	return &Buffer[T]{a, n}, nil
}

func (p *Pool) open(op string) (driver.MemPool, error) {
	if p == nil {
		return 0, &Error{Op: op, Detail: "the pool is nil: get one from Device.DefaultPool or NewPool"}
	}
	handle := p.handle.Load()
	if handle == 0 {
		return 0, &Error{Op: op, Device: p.dev.String(), Detail: "the pool", Err: ErrClosed}
	}
	return driver.MemPool(handle), nil
}

// do calls f with the pool's handle.
func (p *Pool) do(op string, f func(driver.MemPool) driver.Result) error {
	handle, err := p.open(op)
	if err != nil {
		return err
	}
	if r := f(handle); r != driver.Success {
		return p.dev.fail(op, r)
	}
	return nil
}

// SetReleaseThreshold makes p keep up to bytes of what was freed, when somebody waits
// for work, in place of giving it back to the system. At first it is 0.
//
// CUDA Driver API, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.
func (p *Pool) SetReleaseThreshold(bytes uint64) error {
	return p.do("set a pool's release threshold", func(handle driver.MemPool) driver.Result {
		return p.dev.drv.MemPoolSetAttribute(handle, driver.MemPoolReleaseThreshold, bytes)
	})
}

// PoolStats are a pool's figures, in bytes. High ones are the highest since the pool was
// made or ResetStats.
type PoolStats struct {
	ReleaseThreshold       uint64
	Reserved, ReservedHigh uint64 // of the system
	Used, UsedHigh         uint64 // allocated and not freed
}

// Stats returns p's figures. They are read one after the other, so that others who
// allocate meanwhile may show in some of them.
//
// CUDA Driver API, CUmemPool_attribute.
func (p *Pool) Stats() (stats PoolStats, err error) {
	err = p.do("read a pool's figures", func(handle driver.MemPool) driver.Result {
		for _, want := range []struct {
			attr driver.MemPoolAttribute
			into *uint64
		}{
			{driver.MemPoolReleaseThreshold, &stats.ReleaseThreshold},
			{driver.MemPoolReservedCurrent, &stats.Reserved}, {driver.MemPoolReservedHigh, &stats.ReservedHigh},
			{driver.MemPoolUsedCurrent, &stats.Used}, {driver.MemPoolUsedHigh, &stats.UsedHigh},
		} {
			v, r := p.dev.drv.MemPoolGetAttribute(handle, want.attr)
			if r != driver.Success {
				return r
			}
			*want.into = v
		}
		return driver.Success
	})
	return stats, err
}

// ResetStats makes the high figures of Stats begin with what is there.
func (p *Pool) ResetStats() error {
	return p.do("reset a pool's figures", func(handle driver.MemPool) driver.Result {
		if r := p.dev.drv.MemPoolSetAttribute(handle, driver.MemPoolReservedHigh, 0); r != driver.Success {
			return r
		}
		return p.dev.drv.MemPoolSetAttribute(handle, driver.MemPoolUsedHigh, 0)
	})
}

// Trim gives what is reserved beyond keep bytes, and not in use, back to the system.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemPoolTrimTo.
func (p *Pool) Trim(keep uint64) error {
	return p.do("trim a pool", func(handle driver.MemPool) driver.Result { return p.dev.drv.MemPoolTrimTo(handle, keep) })
}

// Close destroys a pool that NewPool made. What was allocated from it stays, and is
// freed as ever. It may be called more than once.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemPoolDestroy.
func (p *Pool) Close() error {
	if p == nil || !p.own {
		return nil
	}
	handle := driver.MemPool(p.handle.Swap(0))
	if handle == 0 {
		return nil
	}
	if r := p.dev.drv.MemPoolDestroy(handle); r != driver.Success {
		return p.dev.fail("close a pool", r)
	}
	return nil
}
