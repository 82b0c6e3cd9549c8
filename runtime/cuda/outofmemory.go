package cuda

import (
	"fmt"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// This file holds what happens when a device has too little memory: what its pools reserve and do
// not use is given back, and the call is tried once more. docs/decisions, "What happens if the
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
		var free, total uint64
		asked := d.inContext(func() (r driver.Result) {
			free, total, r = d.drv.MemGetInfo()
			return r
		})
		if asked == driver.Success {
			e.Detail = fmt.Sprintf("%d of %d bytes are free, after pools gave back what they did not use", free, total)
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
