//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// array3DDescriptor is CUDA_ARRAY3D_DESCRIPTOR.
type array3DDescriptor struct {
	width, height, depth uint64
	format               driver.ArrayFormat
	channels, flags      uint32
}

func array3DDescriptorOf(a driver.ArrayDesc) *array3DDescriptor {
	return &array3DDescriptor{a.Width, a.Height, a.Depth, a.Format, a.Channels, a.Flags}
}

// resourceDesc is CUDA_RESOURCE_DESC with the largest member of its union that is used. handle is
// an array, a mipmapped array, or the address of memory.
type resourceDesc struct {
	kind     driver.ResourceType
	handle   uint64
	format   driver.ArrayFormat
	channels uint32
	bytes    uint64 // of linear memory; of pitched memory the width
	height   uint64
	pitch    uint64
	_        [88]byte
	flags    uint32
}

func resourceDescOf(r driver.ResourceDesc) *resourceDesc {
	c := &resourceDesc{kind: r.Type}
	switch r.Type {
	case driver.ArrayResource:
		c.handle = uint64(r.Array)
	case driver.MipmappedResource:
		c.handle = uint64(r.Mipmapped)
	case driver.LinearResource:
		c.handle, c.format, c.channels, c.bytes = uint64(r.Device), r.Format, r.Channels, r.Bytes
	case driver.PitchedResource:
		c.handle, c.format, c.channels, c.bytes = uint64(r.Device), r.Format, r.Channels, r.Width
		c.height, c.pitch = r.Height, r.PitchBytes
	}
	return c
}

// textureDesc is CUDA_TEXTURE_DESC.
type textureDesc struct {
	address            [3]uint32
	filter, flags      uint32
	maxAnisotropy      uint32
	mipmapFilter       uint32
	bias               float32
	minClamp, maxClamp float32
	border             [4]float32
	_                  [12]int32
}

func textureDescOf(t driver.TextureDesc) *textureDesc {
	return &textureDesc{
		address: t.Address, filter: t.Filter, flags: t.Flags, maxAnisotropy: t.MaxAnisotropy, mipmapFilter: t.MipmapFilter,
		bias: t.MipmapBias, minClamp: t.MinLevel, maxClamp: t.MaxLevel, border: t.Border,
	}
}

// resourceViewDesc is CUDA_RESOURCE_VIEW_DESC.
type resourceViewDesc struct {
	format                driver.ViewFormat
	width, height, depth  uint64
	firstLevel, lastLevel uint32
	firstLayer, lastLayer uint32
	_                     [16]uint32
}

func resourceViewDescOf(v driver.ResourceViewDesc) *resourceViewDesc {
	return &resourceViewDesc{
		format: v.Format, width: v.Width, height: v.Height, depth: v.Depth,
		firstLevel: v.FirstLevel, lastLevel: v.LastLevel, firstLayer: v.FirstLayer, lastLayer: v.LastLayer,
	}
}

func (d *Driver) Array3DCreate(desc driver.ArrayDesc) (driver.Array, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.Array3DCreate, f, f.outAddress(0), f.address(0, unsafe.Pointer(array3DDescriptorOf(desc))))
	return driver.Array(f.out[0]), r
}

func (d *Driver) MipmappedArrayCreate(desc driver.ArrayDesc, levels uint32) (driver.MipmappedArray, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.MipmappedArrayCreate, f, f.outAddress(0), f.address(0, unsafe.Pointer(array3DDescriptorOf(desc))), uintptr(levels))
	return driver.MipmappedArray(f.out[0]), r
}

// TexObjectCreate passes no view if its format is 0.
func (d *Driver) TexObjectCreate(of driver.ResourceDesc, read driver.TextureDesc, view driver.ResourceViewDesc) (driver.TexObject, driver.Result) {
	f := newFrame()
	defer f.free()
	part := uintptr(0)
	if view.Format != 0 {
		part = f.address(2, unsafe.Pointer(resourceViewDescOf(view)))
	}
	r := d.call(driver.TexObjectCreate, f, f.outAddress(0),
		f.address(0, unsafe.Pointer(resourceDescOf(of))), f.address(1, unsafe.Pointer(textureDescOf(read))), part)
	return driver.TexObject(f.out[0]), r
}

func (d *Driver) SurfObjectCreate(of driver.ResourceDesc) (driver.SurfObject, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.SurfObjectCreate, f, f.outAddress(0), f.address(0, unsafe.Pointer(resourceDescOf(of))))
	return driver.SurfObject(f.out[0]), r
}
