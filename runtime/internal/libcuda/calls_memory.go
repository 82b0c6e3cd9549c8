//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Values of CUmemorytype.
const (
	memoryTypeHost   = 1
	memoryTypeDevice = 2
	memoryTypeArray  = 3
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
	switch {
	case m.Array != 0:
		return memory3D{memoryType: memoryTypeArray, array: uintptr(m.Array), xBytes: m.XBytes, y: m.Y, z: m.Z}
	case m.Host != nil:
		c.memoryType = memoryTypeHost
	}
	return c
}

func memcpy3DOf(c driver.Copy3D) memcpy3D {
	return memcpy3D{src: memory3DOf(c.Src), dst: memory3DOf(c.Dst), widthBytes: c.WidthBytes, height: c.Height, depth: c.Depth}
}

func (d *Driver) Memcpy3DAsync(c driver.Copy3D, s driver.Stream) driver.Result {
	p := memcpy3DOf(c)
	bytes := c.WidthBytes * c.Height * c.Depth // for a Watcher; the driver looks at two arguments
	return d.callAt(driver.Memcpy3DAsync, [6]uintptr{0, uintptr(s), uintptr(bytes)}, unsafe.Pointer(&p), nil)
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

func (d *Driver) MemPoolCreate(dev driver.Device, maxBytes uint64) (driver.MemPool, driver.Result) {
	f := newFrame()
	defer f.free()
	props := &memPoolProps{allocationType: allocationTypePinned, locationType: locationTypeDevice, locationID: int32(dev), maxBytes: maxBytes}
	r := d.call(driver.MemPoolCreate, f, f.outAddress(0), f.address(0, unsafe.Pointer(props)))
	return driver.MemPool(f.out[0]), r
}

func (d *Driver) MemPoolSetAttribute(p driver.MemPool, attr driver.MemPoolAttribute, value uint64) driver.Result {
	f := newFrame()
	defer f.free()
	f.out[0] = value
	return d.call(driver.MemPoolSetAttribute, f, uintptr(p), uintptr(attr), f.outAddress(0))
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

// pointer returns the address of C memory as a pointer.
func pointer(address uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func (d *Driver) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (driver.DevicePtr, driver.Result) {
	address, r := d.callOut(driver.MemHostGetDevicePointer, uintptr(p), uintptr(flags), 0)
	return driver.DevicePtr(address), r
}

// MemAllocManaged returns one address twice.
func (d *Driver) MemAllocManaged(bytes uint64, flags uint32) (driver.DevicePtr, unsafe.Pointer, driver.Result) {
	p, r := d.callOut(driver.MemAllocManaged, uintptr(bytes), uintptr(flags), 0)
	return driver.DevicePtr(p), pointer(p), r
}
