package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// allocationCalls is the calls about memory: of the device, page-locked, managed, and in pools.
type allocationCalls struct{ *primaryContext }

// Page-locked and managed memory lies in Go's heap, as all memory of the simulated
// device, and has a device address besides.

// allocShared allocates memory that the host and the device see, and with portable every
// other device.
func (d *allocationCalls) allocShared(bytes uint64, portable bool) (addr uint64, host unsafe.Pointer, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, nil, r
	}
	if bytes == 0 {
		return 0, nil, driver.ErrorInvalidValue
	}
	addr, ok := d.mem.Alloc(bytes, memory.Allocation{Module: true, Host: portable})
	if !ok {
		return 0, nil, driver.ErrorOutOfMemory
	}
	mem, _ := memory.BytesAt(addr, bytes)
	return addr, unsafe.Pointer(unsafe.SliceData(mem)), driver.Success
}

func (d *allocationCalls) MemGetInfo() (free, total uint64, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	return limits.TotalMemory - d.mem.InUse(), limits.TotalMemory, driver.Success
}

func (d *allocationCalls) MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, driver.Result) {
	if flags&^(driver.HostAllocPortable|driver.HostAllocDeviceMap|driver.HostAllocWriteComb) != 0 {
		return nil, driver.ErrorInvalidValue
	}
	addr, host, r := d.allocShared(bytes, true)
	if r != driver.Success {
		return nil, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts[host] = addr
	return host, driver.Success
}

func (d *allocationCalls) MemFreeHost(p unsafe.Pointer) driver.Result {
	if !d.initialized.Load() {
		return driver.ErrorNotInitialized
	}
	d.mu.Lock()
	addr, ok := d.hosts[p]
	delete(d.hosts, p)
	d.mu.Unlock()
	if !ok {
		return driver.ErrorInvalidValue
	}
	d.mem.Free(addr)
	return driver.Result(d.sticky.Load())
}

// MemHostRegister makes memory that is not Go's, at an address that 8 divides, the device's, too.
func (d *allocationCalls) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	if p == nil || bytes == 0 || uintptr(p)%8 != 0 || flags&^(driver.HostRegisterPortable|driver.HostRegisterDeviceMap) != 0 {
		return driver.ErrorInvalidValue
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isPageLocked(uintptr(p), uintptr(bytes)) {
		return driver.ErrorHostMemoryAlreadyRegistered
	}
	addr, ok := d.mem.Adopt(bytes, memory.Allocation{Module: true, Host: true, Data: unsafe.Slice((*uint64)(p), (bytes+7)/8)})
	if !ok {
		return driver.ErrorOutOfMemory
	}
	d.hosts[p] = addr
	return driver.Success
}

// isPageLocked reports whether some of the bytes at p are page-locked. d.mu is held.
func (d *primaryContext) isPageLocked(p, bytes uintptr) bool {
	d.mem.Mu.Lock()
	defer d.mem.Mu.Unlock()
	for other, addr := range d.hosts {
		if a := d.mem.Own(addr); a != nil && p < uintptr(other)+uintptr(a.Size) && uintptr(other) < p+bytes {
			return true
		}
	}
	return false
}

// MemHostUnregister waits for nothing: who calls it has.
func (d *allocationCalls) MemHostUnregister(p unsafe.Pointer) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	addr, ok := d.hosts[p]
	delete(d.hosts, p)
	d.mu.Unlock()
	if !ok {
		return driver.ErrorHostMemoryNotRegistered
	}
	d.mem.Free(addr)
	return driver.Success
}

func (d *allocationCalls) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (driver.DevicePtr, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	addr, ok := d.hosts[p]
	if !ok || flags != 0 {
		return 0, driver.ErrorInvalidValue
	}
	return driver.DevicePtr(addr), driver.Success
}

func (d *allocationCalls) MemAllocManaged(bytes uint64, flags uint32) (driver.DevicePtr, unsafe.Pointer, driver.Result) {
	if flags != driver.AttachGlobal {
		return 0, nil, driver.ErrorInvalidValue
	}
	addr, host, r := d.allocShared(bytes, false)
	if r != driver.Success {
		return 0, nil, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.managed[addr] = true
	return driver.DevicePtr(addr), host, driver.Success
}

// MemAlloc allocates memory of the device that is from no pool.
func (d *allocationCalls) MemAlloc(bytes uint64) (driver.DevicePtr, driver.Result) {
	addr, _, r := d.allocShared(bytes, false)
	if r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.managed[addr] = false
	return driver.DevicePtr(addr), driver.Success
}

// MemFree frees managed memory and that of MemAlloc. It waits for all work, as the driver does.
func (d *allocationCalls) MemFree(p driver.DevicePtr) driver.Result {
	if r := d.CtxSynchronize(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	_, known := d.managed[uint64(p)]
	delete(d.managed, uint64(p))
	d.mu.Unlock()
	if !known {
		return driver.ErrorInvalidValue
	}
	d.mem.Free(uint64(p))
	return driver.Success
}

// inManaged reports whether there are bytes of managed memory at p.
func (d *allocationCalls) inManaged(p driver.DevicePtr, bytes uint64) bool {
	d.mu.Lock()
	managed := d.managed[uint64(p)&^memory.OffsetMask]
	d.mu.Unlock()
	_, ok := memory.BytesAt(uint64(p), bytes)
	return managed && ok && bytes > 0
}

// MemPrefetchAsync has nothing to move.
func (d *allocationCalls) MemPrefetchAsync(p driver.DevicePtr, bytes uint64, to driver.Device, s driver.Stream) driver.Result {
	if to != driver.CPU {
		if r := d.known(to); r != driver.Success {
			return r
		}
	}
	if _, r := d.stream(s); r != driver.Success {
		return r
	}
	if !d.inManaged(p, bytes) {
		return driver.ErrorInvalidValue
	}
	return driver.Success
}

// MemAdvise changes nothing.
func (d *allocationCalls) MemAdvise(p driver.DevicePtr, bytes uint64, advice driver.MemAdvice, dev driver.Device) driver.Result {
	if r := d.usable(); r != driver.Success {
		return r
	}
	if advice > driver.UnsetReadMostly && dev != driver.CPU && d.known(dev) != driver.Success {
		return driver.ErrorInvalidDevice
	}
	if advice < driver.SetReadMostly || advice > driver.UnsetAccessedBy || !d.inManaged(p, bytes) {
		return driver.ErrorInvalidValue
	}
	return driver.Success
}

// Heap implements driver.Simulation.
func (d *allocationCalls) Heap() []driver.HeapUse { return d.mem.HeapUse() }
