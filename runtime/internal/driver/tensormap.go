package driver

// A TensorMap is a CUtensorMap: how a tensor lies in memory, in the form of the hardware.
type TensorMap [16]uint64

// MaxTensorRank is the most dimensions of a tensor map. CUDA Driver API, Tensor Map Object Management.
const MaxTensorRank = 5

// A TensorType is a CUtensorMapDataType.
type TensorType uint32

// The types of a tensor's elements. CUDA Driver API, CUtensorMapDataType.
const (
	TensorUint8 TensorType = iota
	TensorUint16
	TensorUint32
	TensorInt32
	TensorUint64
	TensorInt64
	TensorFloat16
	TensorFloat32
	TensorFloat64
	TensorBFloat16
	TensorFloat32FTZ
	TensorTFloat32
	TensorTFloat32FTZ
)

// A TensorMapDesc describes a tensor and what of it a copy takes: a box, or pixels and channels of the
// im2col mode. Dimensions are counted from the innermost. CUDA Driver API, cuTensorMapEncodeTiled,
// cuTensorMapEncodeIm2col.
type TensorMapDesc struct {
	Type           TensorType
	Rank           int
	Address        DevicePtr
	Dims           [MaxTensorRank]uint64
	Strides        [MaxTensorRank - 1]uint64 // bytes, of the second dimension and those after it
	Box            [MaxTensorRank]uint32     // tiled
	LowerCorner    [MaxTensorRank - 2]int32  // im2col
	UpperCorner    [MaxTensorRank - 2]int32  // im2col
	Channels       uint32                    // im2col, of a pixel
	Pixels         uint32                    // im2col, of a column
	ElementStrides [MaxTensorRank]uint32
	Interleave     uint32
	Swizzle        uint32
	Promotion      uint32
	Fill           uint32
}
