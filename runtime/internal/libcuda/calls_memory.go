//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (d *Driver) MemsetD16Async(dst driver.DevicePtr, value uint16, count uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemsetD16Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *Driver) MemsetD32Async(dst driver.DevicePtr, value uint32, count uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemsetD32Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *Driver) MemcpyPeerAsync(dst driver.DevicePtr, dstCtx driver.Context, src driver.DevicePtr, srcCtx driver.Context, bytes uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
}

// Values of CUmemorytype.
const (
	memoryTypeHost   = 1
	memoryTypeDevice = 2
)

// memcpy3D is CUDA_MEMCPY3D.
type memcpy3D struct {
	src, dst                  memory3D
	widthBytes, height, depth uint64
}

// memory3D is the half of CUDA_MEMCPY3D that is there twice.
type memory3D struct {
	xBytes, y, z, lod uint64
	memoryType        uint32
	host              unsafe.Pointer
	device            driver.DevicePtr
	array, reserved   uintptr
	pitch, height     uint64
}

func memory3DOf(m driver.Memory3D) memory3D {
	c := memory3D{memoryType: memoryTypeDevice, host: m.Host, device: m.Device, pitch: m.PitchBytes, height: m.Height}
	if m.Host != nil {
		c.memoryType = memoryTypeHost
	}
	return c
}

func (d *Driver) Memcpy3DAsync(c driver.Copy3D, s driver.Stream) driver.Result {
	p := memcpy3D{src: memory3DOf(c.Src), dst: memory3DOf(c.Dst), widthBytes: c.WidthBytes, height: c.Height, depth: c.Depth}
	return d.callAt(driver.Memcpy3DAsync, [6]uintptr{0, uintptr(s)}, unsafe.Pointer(&p), nil)
}

func (d *Driver) DeviceGetDefaultMemPool(dev driver.Device) (driver.MemPool, driver.Result) {
	p, r := d.callOut(driver.DeviceGetDefaultMemPool, uintptr(dev), 0, 0)
	return driver.MemPool(p), r
}

// Values of CUmemAllocationType and CUmemLocationType.
const (
	allocationTypePinned = 1
	locationTypeDevice   = 1
)

// memPoolProps is CUmemPoolProps.
type memPoolProps struct {
	allocationType, handleTypes uint32
	locationType                uint32
	locationID                  int32
	securityAttributes          uintptr
	maxBytes                    uint64
	usage                       uint16
	reserved                    [54]byte
}

func (d *Driver) MemPoolCreate(dev driver.Device) (driver.MemPool, driver.Result) {
	f := newFrame()
	defer f.free()
	props := &memPoolProps{allocationType: allocationTypePinned, locationType: locationTypeDevice, locationID: int32(dev)}
	r := d.call(driver.MemPoolCreate, f, f.outAddress(0), f.address(0, unsafe.Pointer(props)))
	return driver.MemPool(f.out[0]), r
}

func (d *Driver) MemPoolDestroy(p driver.MemPool) driver.Result {
	return d.callPlain(driver.MemPoolDestroy, uintptr(p))
}

func (d *Driver) MemPoolGetAttribute(p driver.MemPool, attr driver.MemPoolAttribute) (uint64, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.MemPoolGetAttribute, f, uintptr(p), uintptr(attr), f.outAddress(0))
	return f.out[0], r
}

func (d *Driver) MemPoolSetAttribute(p driver.MemPool, attr driver.MemPoolAttribute, value uint64) driver.Result {
	f := newFrame()
	defer f.free()
	f.out[0] = value
	return d.call(driver.MemPoolSetAttribute, f, uintptr(p), uintptr(attr), f.outAddress(0))
}

func (d *Driver) MemPoolTrimTo(p driver.MemPool, keepBytes uint64) driver.Result {
	return d.callPlain(driver.MemPoolTrimTo, uintptr(p), uintptr(keepBytes))
}

// memAccessDesc is CUmemAccessDesc.
type memAccessDesc struct {
	locationType uint32
	locationID   int32
	flags        driver.MemAccess
}

func (d *Driver) MemPoolSetAccess(p driver.MemPool, dev driver.Device, flags driver.MemAccess) driver.Result {
	f := newFrame()
	defer f.free()
	access := &memAccessDesc{locationTypeDevice, int32(dev), flags}
	return d.call(driver.MemPoolSetAccess, f, uintptr(p), f.address(0, unsafe.Pointer(access)), 1)
}

func (d *Driver) MemAllocFromPoolAsync(bytes uint64, p driver.MemPool, s driver.Stream) (driver.DevicePtr, driver.Result) {
	address, r := d.callOut(driver.MemAllocFromPoolAsync, uintptr(bytes), uintptr(p), uintptr(s))
	return driver.DevicePtr(address), r
}

func (d *Driver) MemGetInfo() (free, total uint64, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.MemGetInfo, f, f.outAddress(0), f.outAddress(1))
	return f.out[0], f.out[1], r
}

// pointer returns the address of C memory as a pointer.
func pointer(address uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func (d *Driver) MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, driver.Result) {
	p, r := d.callOut(driver.MemHostAlloc, uintptr(bytes), uintptr(flags), 0)
	return pointer(p), r
}

func (d *Driver) MemFreeHost(p unsafe.Pointer) driver.Result {
	return d.callAt(driver.MemFreeHost, [6]uintptr{}, p, nil)
}

func (d *Driver) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (driver.DevicePtr, driver.Result) {
	address, r := d.callOut(driver.MemHostGetDevicePointer, uintptr(p), uintptr(flags), 0)
	return driver.DevicePtr(address), r
}

// MemAllocManaged returns one address twice.
func (d *Driver) MemAllocManaged(bytes uint64, flags uint32) (driver.DevicePtr, unsafe.Pointer, driver.Result) {
	p, r := d.callOut(driver.MemAllocManaged, uintptr(bytes), uintptr(flags), 0)
	return driver.DevicePtr(p), pointer(p), r
}

func (d *Driver) MemFree(p driver.DevicePtr) driver.Result {
	return d.callPlain(driver.MemFree, uintptr(p))
}

func (d *Driver) MemPrefetchAsync(p driver.DevicePtr, bytes uint64, to driver.Device, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemPrefetchAsync, uintptr(p), uintptr(bytes), uintptr(to), uintptr(s))
}

func (d *Driver) MemAdvise(p driver.DevicePtr, bytes uint64, advice driver.MemAdvice, dev driver.Device) driver.Result {
	return d.callPlain(driver.MemAdvise, uintptr(p), uintptr(bytes), uintptr(advice), uintptr(dev))
}
