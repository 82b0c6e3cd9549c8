package driver

// An ArrayFormat is a CUarray_format.
type ArrayFormat uint32

// The formats of arrays' channels. CUDA Driver API, CUarray_format.
const (
	FormatUint8   ArrayFormat = 0x01
	FormatUint16  ArrayFormat = 0x02
	FormatUint32  ArrayFormat = 0x03
	FormatInt8    ArrayFormat = 0x08
	FormatInt16   ArrayFormat = 0x09
	FormatInt32   ArrayFormat = 0x0a
	FormatFloat16 ArrayFormat = 0x10
	FormatFloat32 ArrayFormat = 0x20
)

// Bytes returns the size of a channel, or 0 for an unknown format.
func (f ArrayFormat) Bytes() int {
	switch f {
	case FormatUint8, FormatInt8:
		return 1
	case FormatUint16, FormatInt16, FormatFloat16:
		return 2
	case FormatUint32, FormatInt32, FormatFloat32:
		return 4
	}
	return 0
}

// Flags of ArrayDesc. CUDA Driver API, CUDA_ARRAY3D_DESCRIPTOR.
const (
	ArrayLayered = 1 // Depth counts layers
	ArraySurface = 2 // kernels may write it through surfaces
	ArrayCube    = 4 // Depth counts faces, 6 for each cube
	ArrayGather  = 8 // kernels may gather from it
)

// An ArrayDesc describes an array. A Height of 0 makes it one-dimensional, a Depth of 0
// two-dimensional. CUDA Driver API, CUDA_ARRAY3D_DESCRIPTOR.
type ArrayDesc struct {
	Width, Height, Depth uint64
	Format               ArrayFormat
	Channels             uint32
	Flags                uint32
}

// A ResourceType is a CUresourcetype.
type ResourceType uint32

// What textures and surfaces are made of. CUDA Driver API, CUresourcetype.
const (
	ArrayResource     ResourceType = 0
	MipmappedResource ResourceType = 1
	LinearResource    ResourceType = 2
	PitchedResource   ResourceType = 3
)

// A ResourceDesc says what a texture or surface is made of: Array, Mipmapped, or memory at
// Device, of which linear memory has Bytes and pitched memory Height rows of Width elements.
// CUDA Driver API, CUDA_RESOURCE_DESC.
type ResourceDesc struct {
	Type      ResourceType
	Array     Array
	Mipmapped MipmappedArray

	Device                    DevicePtr
	Format                    ArrayFormat
	Channels                  uint32
	Bytes                     uint64
	Width, Height, PitchBytes uint64
}

// Values of TextureDesc.Address. CUDA Driver API, CUaddress_mode.
const (
	AddressWrap   = 0
	AddressClamp  = 1
	AddressMirror = 2
	AddressBorder = 3
)

// Values of TextureDesc.Filter. CUDA Driver API, CUfilter_mode.
const (
	FilterPoint  = 0
	FilterLinear = 1
)

// Flags of TextureDesc. CUDA Driver API, CU_TRSF_….
const (
	TextureReadAsInteger = 0x01
	TextureNormalized    = 0x02
	TextureSRGB          = 0x10
	TextureNoTrilinear   = 0x20
	TextureSeamlessCube  = 0x40
)

// A TextureDesc says how a texture is read. CUDA Driver API, CUDA_TEXTURE_DESC.
type TextureDesc struct {
	Address            [3]uint32
	Filter             uint32
	Flags              uint32
	MaxAnisotropy      uint32
	MipmapFilter       uint32
	MipmapBias         float32
	MinLevel, MaxLevel float32
	Border             [4]float32
}

// A ViewFormat is a CUresourceViewFormat; 0 stands for no view.
type ViewFormat uint32

// A ResourceViewDesc says which part of an array a texture has, and as what its elements are
// read. CUDA Driver API, CUDA_RESOURCE_VIEW_DESC.
type ResourceViewDesc struct {
	Format                ViewFormat
	Width, Height, Depth  uint64
	FirstLevel, LastLevel uint32
	FirstLayer, LastLayer uint32
}
