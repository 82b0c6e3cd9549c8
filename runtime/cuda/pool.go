package cuda

import (
	"errors"
	"fmt"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Pool is device memory for stream-ordered allocations. Any goroutine may call its
// methods, even while another closes it. The caller of NewPool must close it.
type Pool struct {
	handle   driver.MemPool
	uses     inuse.Count
	dev      *Device
	own      bool   // made by NewPool
	maxBytes uint64 // of PoolConfig
	watch    watch
}

// DefaultPool returns the pool that Alloc and Upload allocate from. Closing it does
// nothing.
//
// CUDA Driver API, Device Management, cuDeviceGetDefaultMemPool.
func (d *Device) DefaultPool() (*Pool, error) {
	return ask(d, "find the default pool", func() (*Pool, driver.Result) {
		handle, r := d.drv.DeviceGetDefaultMemPool(d.dev)
		return &Pool{handle: handle, dev: d}, r
	})
}

// A PoolConfig configures a pool.
type PoolConfig struct {
	// ReleaseThreshold is what SetReleaseThreshold sets, in bytes.
	ReleaseThreshold uint64

	// MaxBytes limits the pool's memory, in bytes; 0 stands for no limit. The driver may round
	// it up. Allocations beyond it are ErrOutOfMemory. It needs a driver for CUDA 12.2.
	MaxBytes uint64
}

// NewPool makes a pool on d.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemPoolCreate.
func (d *Device) NewPool(cfg PoolConfig) (*Pool, error) {
	p, err := d.newPool(cfg.MaxBytes)
	if err != nil || cfg.ReleaseThreshold == 0 {
		return p, err
	}
	if err := p.SetReleaseThreshold(cfg.ReleaseThreshold); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// poolLimits is the CUDA version that has CUmemPoolProps.maxSize.
const poolLimits = 12020

func (d *Device) newPool(maxBytes uint64) (*Pool, error) {
	const op = "make a pool"
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	if maxBytes > 0 && d.version < poolLimits {
		return nil, d.failed(&Error{Op: op, Detail: "limits of pools need a driver for CUDA 12.2"}, driver.ErrorCallRequiresNewerDriver)
	}
	handle, r := d.drv.MemPoolCreate(d.dev, maxBytes)
	if r != driver.Success {
		return nil, d.fail(op, r)
	}
	p := &Pool{handle: handle, dev: d, own: true, maxBytes: maxBytes}
	d.pools.add(handle)
	destroy := func() driver.Result { return d.pools.destroy(handle, d.drv.MemPoolDestroy) }
	p.watch = watching(p, d, "a pool", d.giveBack(weak.Make(p)))
	if !d.own(weak.Make(p), p.watch.record, destroy) { // it was closed meanwhile
		p.watch.end()
		d.given(destroy())
		return nil, d.closedError(op, "")
	}
	d.accessors.Range(func(key, _ any) bool {
		accessor := key.(*Device)
		if accessor.isClosed() {
			d.accessors.Delete(accessor)
			return true
		}
		r = d.drv.MemPoolSetAccess(handle, accessor.dev, driver.MemAccessReadWrite)
		return r == driver.Success
	})
	if r != driver.Success {
		return nil, errors.Join(d.fail(op, r), p.Close())
	}
	return p, nil
}

// hold returns the epoch that a call on p is in.
func (p *Pool) hold() *epoch {
	if p == nil {
		return nil
	}
	return p.dev.hold()
}

// use returns the handle of p and begins a use of it, which end ends, unless there is an
// error. The caller has called hold before.
func (p *Pool) use(op string) (driver.MemPool, error) {
	if p == nil {
		return 0, &Error{Op: op, Detail: "the pool is nil: get one from Device.DefaultPool or Device.NewPool", Err: ErrInvalidValue}
	}
	if p.dev.isClosed() {
		return 0, p.dev.closedError(op, "the pool")
	}
	closed, last := p.uses.Begin()
	if last {
		p.destroy() // an error has nobody to tell
	}
	if closed {
		return 0, p.dev.closedError(op, "the pool")
	}
	return p.handle, nil
}

func (p *Pool) end() {
	if p.uses.End() {
		p.destroy() // an error has nobody to tell: Close has returned
	}
}

// destroy destroys the driver's pool, unless that was done.
func (p *Pool) destroy() error { return p.dev.destroyOwned("close a pool", weak.Make(p)) }

// do calls f with the pool's handle.
func (p *Pool) do(op string, f func(driver.MemPool) driver.Result) error {
	defer p.hold().release()
	handle, err := p.use(op)
	if err != nil {
		return err
	}
	defer p.end()
	if r := f(handle); r != driver.Success {
		return p.dev.fail(op, r)
	}
	return nil
}

// SetReleaseThreshold sets how many bytes of memory p keeps, rather than release it to
// the system, when a stream, event or device is synchronized. The default is 0.
//
// CUDA Driver API, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.
func (p *Pool) SetReleaseThreshold(bytes uint64) error {
	return p.do("set a pool's release threshold", func(handle driver.MemPool) driver.Result {
		return p.dev.drv.MemPoolSetAttribute(handle, driver.MemPoolReleaseThreshold, bytes)
	})
}

// PoolStats are a pool's statistics, in bytes. ReservedHigh and UsedHigh are maxima since
// the pool was made or ResetStats was called.
type PoolStats struct {
	ReleaseThreshold       uint64
	Reserved, ReservedHigh uint64 // allocated from the system
	Used, UsedHigh         uint64 // allocated and not freed
}

// Stats returns p's statistics. They are read one by one, so concurrent allocations may
// show in some of them only.
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

// ResetStats sets ReservedHigh and UsedHigh to the current values.
func (p *Pool) ResetStats() error {
	return p.do("reset a pool's figures", func(handle driver.MemPool) driver.Result {
		if r := p.dev.drv.MemPoolSetAttribute(handle, driver.MemPoolReservedHigh, 0); r != driver.Success {
			return r
		}
		return p.dev.drv.MemPoolSetAttribute(handle, driver.MemPoolUsedHigh, 0)
	})
}

// Trim releases unused memory to the system until at most keep bytes are reserved.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemPoolTrimTo.
func (p *Pool) Trim(keep uint64) error {
	return p.do("trim a pool", func(handle driver.MemPool) driver.Result { return p.dev.drv.MemPoolTrimTo(handle, keep) })
}

// Close destroys a pool that NewPool made. Buffers allocated from it stay valid and are
// closed as usual. Close may be called more than once.
//
// CUDA Driver API, Stream Ordered Memory Allocator, cuMemPoolDestroy.
func (p *Pool) Close() error {
	if p == nil || !p.own {
		return nil
	}
	defer p.hold().release()
	first, last := p.uses.Close()
	if first {
		p.watch.end()
	}
	if !last {
		return nil
	}
	return p.destroy()
}

// When a device has too little memory, what its pools reserve and do not use is given back, and the call
// is tried once more. docs/decisions, "What happens if the
// memory does not suffice?"

// again is the result of try, which was r, after unused memory was given back if r says that there
// was too little. The caller holds an epoch.
func (d *Device) again(r driver.Result, try func() driver.Result) driver.Result {
	if r != driver.ErrorOutOfMemory {
		return r
	}
	d.trimPools()
	return try()
}

// allocAgain allocates once more what has failed with r.
func (d *Device) allocAgain(bytes uint64, stream driver.Stream, r driver.Result) (addr driver.DevicePtr, _ driver.Result) {
	r = d.again(r, func() (r driver.Result) {
		addr, r = d.drv.MemAllocAsync(bytes, stream)
		return r
	})
	return addr, r
}

// allocAgain is Device.allocAgain for p, unless p is full: then nothing helps.
func (p *Pool) allocAgain(op string, pool driver.MemPool, bytes uint64, stream driver.Stream, r driver.Result) (addr driver.DevicePtr, _ error) {
	if r == driver.ErrorOutOfMemory {
		if detail := p.full(pool, bytes); detail != "" {
			return 0, p.dev.failed(&Error{Op: op, Detail: detail}, r)
		}
	}
	r = p.dev.again(r, func() (r driver.Result) {
		addr, r = p.dev.drv.MemAllocFromPoolAsync(bytes, pool, stream)
		return r
	})
	if r != driver.Success {
		return 0, p.dev.exhausted(op, r)
	}
	return addr, nil
}

// trimPools gives back what the pools of d have and do not use.
func (d *Device) trimPools() {
	d.counts.trims.Add(1)
	if pool, r := d.drv.DeviceGetDefaultMemPool(d.dev); r == driver.Success {
		d.given(d.drv.MemPoolTrimTo(pool, 0))
	}
	for _, p := range d.openPools() {
		if handle, err := p.use("trim a pool"); err == nil {
			d.given(d.drv.MemPoolTrimTo(handle, 0))
			p.end()
		}
	}
}

// openPools returns the pools that NewPool made and that are open.
func (d *Device) openPools() (pools []*Pool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.owned {
		if w, ok := key.(weak.Pointer[Pool]); ok {
			if p := w.Value(); p != nil {
				pools = append(pools, p)
			}
		}
	}
	return pools
}

// exhausted is the error of an operation that found too little memory, or another one with the
// result r.
func (d *Device) exhausted(op string, r driver.Result) error {
	e := &Error{Op: op}
	if r == driver.ErrorOutOfMemory {
		if bytes, asked := d.memoryInfo(); asked == driver.Success {
			e.Detail = fmt.Sprintf("%d of %d bytes are free, after pools gave back what they did not use", bytes[0], bytes[1])
		}
	}
	return d.failed(e, r)
}

// full describes the limit of p if an allocation of bytes exceeds it. The caller uses p.
func (p *Pool) full(handle driver.MemPool, bytes uint64) string {
	if p.maxBytes == 0 {
		return ""
	}
	used, r := p.dev.drv.MemPoolGetAttribute(handle, driver.MemPoolUsedCurrent)
	if r != driver.Success || used+bytes <= p.maxBytes {
		return ""
	}
	return fmt.Sprintf("the pool's limit is %d bytes, and %d are in use", p.maxBytes, used)
}
