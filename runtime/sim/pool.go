package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// pool returns the pool of a handle. d.mu is held.
func (d *allocationCalls) pool(handle driver.MemPool) (*memory.Pool, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return nil, r
	}
	if p := d.pools[handle]; p != nil {
		return p, driver.Success
	}
	return nil, driver.ErrorInvalidValue
}

func (d *allocationCalls) MemAllocAsync(bytes uint64, handle driver.Stream) (driver.DevicePtr, driver.Result) {
	return d.MemAllocFromPoolAsync(bytes, d.defaultPool, handle)
}

func (d *allocationCalls) MemAllocFromPoolAsync(bytes uint64, from driver.MemPool, handle driver.Stream) (driver.DevicePtr, driver.Result) {
	if added, r, done := d.captureNode(handle, func() driver.NodeParams {
		return driver.NodeParams{Type: driver.MemAllocNodeType, Alloc: driver.MemAllocNodeParams{Dev: d.dev, Bytes: bytes}}
	}); done {
		return added.Address, r
	}
	if _, r := d.stream(handle); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p, r := d.pool(from)
	if r != driver.Success {
		return 0, r
	}
	if bytes == 0 {
		return 0, driver.ErrorInvalidValue
	}
	loans, ok := d.loans(p, bytes, handle)
	if !ok {
		return 0, driver.ErrorOutOfMemory
	}
	addr, ok := d.mem.Adopt(bytes, memory.Allocation{Pool: p, Data: d.borrow(p, bytes, loans, handle)})
	if !ok {
		return 0, driver.ErrorOutOfMemory
	}
	p.Add(addr, bytes)
	return driver.DevicePtr(addr), driver.Success
}

func (d *allocationCalls) MemFreeAsync(p driver.DevicePtr, handle driver.Stream) driver.Result {
	if c, r := d.capturing(handle); c != nil && r == driver.Success && !d.allocates(c.Graph, p) {
		return driver.ErrorInvalidValue // it was allocated outside of the capture, which goes on
	}
	if _, r, done := d.captureNode(handle, func() driver.NodeParams { return driver.NodeParams{Type: driver.MemFreeNodeType, Free: p} }); done {
		return r
	}
	if _, r := d.stream(handle); r != driver.Success {
		return r
	}
	if !d.mem.Doom(uint64(p)) {
		return driver.ErrorInvalidValue
	}
	d.mu.Lock()
	freed := d.noteFree(uint64(p), handle)
	d.mu.Unlock()
	r := d.do(handle, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.mem.Free(uint64(p))
		d.forgetFree(freed)
	})
	if s, found := d.stream(handle); found == driver.Success {
		s.Enqueue(freed.ran.Pass) // also where an error has dropped the free
	}
	return r
}

func (d *allocationCalls) DeviceGetDefaultMemPool(dev driver.Device) (driver.MemPool, driver.Result) {
	if r := d.known(dev); r != driver.Success {
		return 0, r
	}
	of := d.peer(dev)
	if of == nil {
		return 0, driver.ErrorInvalidDevice
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	return of.defaultPool, driver.Success
}

func (d *allocationCalls) MemPoolCreate(dev driver.Device, maxBytes uint64) (driver.MemPool, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	if r := d.usable(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	created := driver.MemPool(handle())
	p := memory.NewPool()
	p.Limit = maxBytes
	d.pools[created] = p
	return created, driver.Success
}

// MemPoolDestroy leaves alone what was allocated from the pool.
func (d *allocationCalls) MemPoolDestroy(handle driver.MemPool) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, r := d.pool(handle); r != driver.Success {
		return r
	}
	if handle == d.defaultPool {
		return driver.ErrorInvalidValue
	}
	delete(d.pools, handle)
	return driver.Success
}

func (d *allocationCalls) MemPoolGetAttribute(handle driver.MemPool, attr driver.MemPoolAttribute) (uint64, driver.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, r := d.pool(handle)
	if r != driver.Success {
		return 0, r
	}
	switch attr {
	case driver.MemPoolReleaseThreshold:
		return p.Threshold, driver.Success
	case driver.MemPoolReservedCurrent:
		return p.Reserved, driver.Success
	case driver.MemPoolReservedHigh:
		return p.ReservedHigh, driver.Success
	case driver.MemPoolUsedCurrent:
		return p.Used - d.leaving(p), driver.Success
	case driver.MemPoolUsedHigh:
		return p.UsedHigh, driver.Success
	}
	return 0, driver.ErrorInvalidValue
}

// MemPoolSetAttribute takes 0 alone for the high-water marks: it resets them.
func (d *allocationCalls) MemPoolSetAttribute(handle driver.MemPool, attr driver.MemPoolAttribute, value uint64) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, r := d.pool(handle)
	switch {
	case r != driver.Success:
		return r
	case attr == driver.MemPoolReleaseThreshold:
		p.Threshold = value
	case attr == driver.MemPoolReservedHigh && value == 0:
		p.ReservedHigh = p.Reserved
	case attr == driver.MemPoolUsedHigh && value == 0:
		p.UsedHigh = p.Used
	default:
		return driver.ErrorInvalidValue
	}
	return driver.Success
}

func (d *allocationCalls) MemPoolTrimTo(handle driver.MemPool, keepBytes uint64) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, r := d.pool(handle)
	if r == driver.Success {
		p.Trim(keepBytes)
	}
	return r
}

// MemPoolSetAccess also takes pools of other devices. A pool's own device always has
// access.
func (d *allocationCalls) MemPoolSetAccess(handle driver.MemPool, dev driver.Device, flags driver.MemAccess) driver.Result {
	if r := d.usable(); r != driver.Success {
		return r
	}
	to := d.peer(dev)
	if to == nil {
		return driver.ErrorInvalidDevice
	}
	for _, owner := range append(d.others(), d.primaryContext) {
		owner.mu.Lock()
		p := owner.pools[handle]
		if p != nil && owner != to {
			p.SetAccess(to.mem, flags == driver.MemAccessReadWrite)
		}
		owner.mu.Unlock()
		switch {
		case p == nil:
			continue
		case owner == to && flags != driver.MemAccessReadWrite:
			return driver.ErrorInvalidDevice
		}
		return driver.Success
	}
	return driver.ErrorInvalidValue
}

// resetPools leaves d with its default pool alone, empty.
func (d *primaryContext) resetPools() {
	d.defaultPool = driver.MemPool(handle())
	d.pools = map[driver.MemPool]*memory.Pool{d.defaultPool: memory.NewPool()}
}
