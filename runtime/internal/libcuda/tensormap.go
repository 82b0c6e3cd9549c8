//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// tensorMapAlign is the alignment in bytes of a CUtensorMap, by the header of CUDA 13; that of 12 has 64.
const tensorMapAlign = 128

// tensorArgs is the memory of a call that encodes a tensor map. The map begins at the first multiple of
// tensorMapAlign in room.
type tensorArgs struct {
	room [tensorMapAlign + unsafe.Sizeof(driver.TensorMap{})]byte
	desc driver.TensorMapDesc
}

// at returns where the driver writes the map.
func (a *tensorArgs) at() *driver.TensorMap {
	p := unsafe.Pointer(&a.room)
	return (*driver.TensorMap)(unsafe.Add(p, -uintptr(p)&(tensorMapAlign-1)))
}

func (d *Driver) TensorMapEncodeTiled(desc driver.TensorMapDesc) (driver.TensorMap, driver.Result) {
	f, a := newFrame(), &tensorArgs{desc: desc}
	defer f.free()
	f.address(0, unsafe.Pointer(a))
	r := d.call(driver.TensorMapEncodeTiled, f, uintptr(unsafe.Pointer(a.at())), uintptr(desc.Type), uintptr(desc.Rank), uintptr(desc.Address),
		uintptr(unsafe.Pointer(&a.desc.Dims)), uintptr(unsafe.Pointer(&a.desc.Strides)), uintptr(unsafe.Pointer(&a.desc.Box)), uintptr(unsafe.Pointer(&a.desc.ElementStrides)),
		uintptr(desc.Interleave), uintptr(desc.Swizzle), uintptr(desc.Promotion), uintptr(desc.Fill))
	return *a.at(), r
}

func (d *Driver) TensorMapEncodeIm2col(desc driver.TensorMapDesc) (driver.TensorMap, driver.Result) {
	f, a := newFrame(), &tensorArgs{desc: desc}
	defer f.free()
	f.address(0, unsafe.Pointer(a))
	r := d.call(driver.TensorMapEncodeIm2col, f, uintptr(unsafe.Pointer(a.at())), uintptr(desc.Type), uintptr(desc.Rank), uintptr(desc.Address),
		uintptr(unsafe.Pointer(&a.desc.Dims)), uintptr(unsafe.Pointer(&a.desc.Strides)), uintptr(unsafe.Pointer(&a.desc.LowerCorner)), uintptr(unsafe.Pointer(&a.desc.UpperCorner)),
		uintptr(desc.Channels), uintptr(desc.Pixels), uintptr(unsafe.Pointer(&a.desc.ElementStrides)),
		uintptr(desc.Interleave), uintptr(desc.Swizzle), uintptr(desc.Promotion), uintptr(desc.Fill))
	return *a.at(), r
}
