package cuda

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A TensorMap says how a tensor of up to five dimensions lies in a buffer, for kernels that copy boxes
// of it to and from shared memory by the tensor memory accelerator of Hopper and newer devices
// (cp.async.bulk.tensor). A kernel has it as a parameter const __grid_constant__ CUtensorMap, for
// which wrappers take a TensorMap. It is a value, refers to the buffer as a Slice does, and needs no
// Close: a launch after the buffer's Close fails with ErrClosed.
//
// CUDA Driver API, Tensor Map Object Management; PTX ISA, Tensors.
type TensorMap struct {
	opaque driver.TensorMap
	owner  *lifetime
}

// A TensorMapConfig describes a tensor and the boxes of it that kernels copy. All dimensions are counted
// from the innermost, whose elements are neighbours, as the coordinates in a kernel are: a matrix in
// rows has Dims {columns, rows}.
type TensorMapConfig struct {
	// Dims are the elements of each dimension, 1 to 5 of them.
	Dims []int

	// Strides are the elements from one index to the next, of the second dimension and those behind it.
	// Nil stands for a tensor without gaps. In bytes they are multiples of 16.
	Strides []int

	// Box is what one copy takes of each dimension, 1 to 256 elements. Those of the innermost dimension
	// are a multiple of 16 bytes, and with a swizzle at most its span.
	Box []int

	// ElementStrides, if it is not nil, has a copy take every second, third to eighth element of a dimension.
	// Box counts those between, too. The first one has no effect but with an Interleave.
	ElementStrides []int

	// Im2col, if it is not nil, stands in place of Box for tensors of images: 3 to 5 dimensions, which
	// are channels, width, then height and depth if there are any, and images.
	Im2col *Im2col

	Format     TensorFormat
	Interleave TensorInterleave
	Swizzle    TensorSwizzle
	Promotion  L2Promotion

	// NaNFill has elements outside of the tensor be NaN, which the hardware's fused multiply-add takes as
	// zero. Otherwise they are zero. Only for floating-point elements.
	NaNFill bool
}

// An Im2col has a copy take columns of pixels, with the channels of each, as convolutions need them.
//
// CUDA Driver API, cuTensorMapEncodeIm2col.
type Im2col struct {
	// LowerCorner and UpperCorner are the offsets of the box from the first and from the last pixel, in
	// width, height and depth, as far as there are these.
	LowerCorner, UpperCorner []int

	Channels int // of a pixel, 1 to 256
	Pixels   int // of a column, 1 to 1024
}

// A TensorFormat says how float32 elements are copied. Other elements have the format of their type.
type TensorFormat uint8

// The formats of float32 elements: as they are, with denormals flushed to zero, rounded to TF32, and
// both.
const (
	TensorPlain TensorFormat = iota
	TensorFlushed
	TensorTF32
	TensorTF32Flushed
)

// A TensorInterleave is the layout of channels in groups: NC/8HWC8 has 16 bytes, NC/16HWC16 has 32.
type TensorInterleave uint8

// The interleaved layouts. They need three dimensions. NewTensorMap refuses them with ErrNotSupported:
// how far such a tensor reaches was not compared with a GPU, and a map must not reach beyond its
// slice.
const (
	NoInterleave TensorInterleave = iota
	Interleave16
	Interleave32 // wants Swizzle32
)

// A TensorSwizzle is how 16-byte chunks of a box change places in shared memory, against conflicts of
// banks. Its number is the span in bytes.
type TensorSwizzle uint8

// The swizzles.
const (
	NoSwizzle TensorSwizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
)

// An L2Promotion is how many bytes the L2 cache fetches at once.
type L2Promotion uint8

// The promotions, by bytes.
const (
	NoPromotion L2Promotion = iota
	Promote64
	Promote128
	Promote256
)

const tensorOp = "make a tensor map"

// tensorType returns the type of a tensor's elements. ok is false if there are no such tensors.
func tensorType[T any]() (typ driver.TensorType, ok bool) {
	switch any(*new(T)).(type) {
	case uint8:
		return driver.TensorUint8, true
	case uint16:
		return driver.TensorUint16, true
	case uint32:
		return driver.TensorUint32, true
	case int32:
		return driver.TensorInt32, true
	case uint64:
		return driver.TensorUint64, true
	case int64:
		return driver.TensorInt64, true
	case float32:
		return driver.TensorFloat32, true
	case float64:
		return driver.TensorFloat64, true
	case vec.Float16:
		return driver.TensorFloat16, true
	case vec.BFloat16:
		return driver.TensorBFloat16, true
	}
	return 0, false
}

// NewTensorMap makes a map of the tensor in s that cfg describes. T is uint8, uint16, uint32, uint64,
// int32, int64, vec.Float16, vec.BFloat16, float32 or float64. s begins at a multiple of 16 bytes, and the tensor
// is within it. A device before Hopper has none, no device has an Interleave, and the simulated one no
// NaNFill: the error wraps ErrNotSupported.
//
// CUDA Driver API, Tensor Map Object Management, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col.
func NewTensorMap[T any](s Slice[T], cfg TensorMapConfig) (TensorMap, error) {
	typ, ok := tensorType[T]()
	if !ok {
		return TensorMap{}, &Error{Op: tensorOp, Detail: fmt.Sprintf("tensors have no elements of type %T", *new(T)), Err: ErrInvalidValue}
	}
	return newTensorMap(s.bytes(), typ, int(sizeOf[T]()), cfg)
}

// newTensorMap is NewTensorMap for elements of bytes bytes.
func newTensorMap(s Slice[byte], typ driver.TensorType, bytes int, cfg TensorMapConfig) (TensorMap, error) {
	d, err := s.owner.tensorDevice()
	if err != nil {
		return TensorMap{}, err
	}
	defer d.hold().release()
	switch {
	case d.isClosed():
		return TensorMap{}, d.closedError(tensorOp, "")
	case s.owner.isClosed():
		return TensorMap{}, d.closedError(tensorOp, "the "+s.owner.what)
	}
	desc, detail := cfg.descriptor(s, typ, bytes)
	if detail != "" {
		return TensorMap{}, d.invalid(tensorOp, detail, ErrInvalidValue)
	}
	if cfg.Interleave != NoInterleave {
		return TensorMap{}, d.invalid(tensorOp, "there is no Interleave here: lay the channels out without, or encode the map with cuTensorMapEncodeTiled", ErrNotSupported)
	}
	if major, r := d.drv.DeviceGetAttribute(driver.ComputeCapabilityMajor, d.dev); r == driver.Success && major < 9 {
		return TensorMap{}, d.invalid(tensorOp, fmt.Sprintf("the device has compute capability %d: tensor maps need 9.0", major), ErrNotSupported)
	}
	var m driver.TensorMap
	r := d.inContext(func() (r driver.Result) {
		if cfg.Im2col != nil {
			m, r = d.drv.TensorMapEncodeIm2col(desc)
		} else {
			m, r = d.drv.TensorMapEncodeTiled(desc)
		}
		return r
	})
	switch {
	case r == driver.ErrorNotSupported && d.simulated:
		return TensorMap{}, d.invalid(tensorOp, cfg.simulatedLack(bytes), ErrNotSupported)
	case r != driver.Success:
		return TensorMap{}, d.fail(tensorOp, r)
	}
	return TensorMap{m, s.owner}, nil
}

// tensorDevice returns the device of the memory of a tensor.
func (l *lifetime) tensorDevice() (*Device, error) {
	switch {
	case l == nil:
		return nil, &Error{Op: tensorOp, Detail: "a slice has no owner: give it to SliceAt", Err: ErrInvalidValue}
	case l.isUnmade():
		return nil, unmade(tensorOp, "the "+l.what)
	case l.graphOnly:
		return nil, &Error{Op: tensorOp, Detail: "the " + l.what + " exists only in a graph", Err: ErrInvalidValue}
	}
	return l.dev, nil
}

// The limits of tensor maps. CUDA Driver API, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col.
const (
	maxTensorDim    = 1 << 32
	maxTensorStride = 1 << 40 // bytes, exclusive
	maxTensorBox    = 256
	maxTensorStep   = 8
	maxPixels       = 1024
	tensorAlign     = 16 // bytes, of addresses, strides and rows of a box
)

// simulatedLack says what the simulated device does not have of c, for elements of bytes bytes.
func (c *TensorMapConfig) simulatedLack(bytes int) string {
	if c.NaNFill {
		return "the simulated device has no NaNFill: which NaN that is, is not documented"
	}
	row := 0
	if c.Im2col != nil {
		row = c.Im2col.Channels * bytes
	} else if len(c.Box) > 0 {
		row = c.Box[0] * bytes
	}
	return fmt.Sprintf("the simulated device copies rows of %d bytes only, for this Swizzle: those of the box have %d", 16<<c.Swizzle, row)
}

// descriptor returns c as the driver has it, for elements of bytes bytes in s, or the rule that is broken.
func (c *TensorMapConfig) descriptor(s Slice[byte], typ driver.TensorType, bytes int) (desc driver.TensorMapDesc, detail string) {
	rank := len(c.Dims)
	align := tensorAlign
	if c.Interleave == Interleave32 {
		align = 32
	}
	switch {
	case rank < 1 || rank > driver.MaxTensorRank:
		return desc, fmt.Sprintf("Dims has %d dimensions, must be 1 to %d", rank, driver.MaxTensorRank)
	case c.Format > TensorTF32Flushed:
		return desc, fmt.Sprintf("Format is %d, which is none of its constants", c.Format)
	case c.Interleave > Interleave32:
		return desc, fmt.Sprintf("Interleave is %d, which is none of its constants", c.Interleave)
	case c.Swizzle > Swizzle128:
		return desc, fmt.Sprintf("Swizzle is %d, which is none of its constants", c.Swizzle)
	case c.Promotion > Promote256:
		return desc, fmt.Sprintf("Promotion is %d, which is none of its constants", c.Promotion)
	case c.Format != TensorPlain && typ != driver.TensorFloat32:
		return desc, "Format is for elements of type float32"
	case c.Interleave != NoInterleave && rank < 3:
		return desc, fmt.Sprintf("an Interleave needs 3 dimensions, and there are %d", rank)
	case c.Interleave == Interleave32 && c.Swizzle != Swizzle32:
		return desc, "Interleave32 needs Swizzle32"
	case c.NaNFill && typ < driver.TensorFloat16:
		return desc, "NaNFill is for floating-point elements"
	case s.addr%uint64(align) != 0:
		return desc, fmt.Sprintf("the slice begins at address %#x, must be a multiple of %d", s.addr, align)
	case c.Strides != nil && len(c.Strides) != rank-1:
		return desc, fmt.Sprintf("Strides has %d, must have one less than the %d of Dims", len(c.Strides), rank)
	case c.ElementStrides != nil && len(c.ElementStrides) != rank:
		return desc, fmt.Sprintf("ElementStrides has %d, must have the %d of Dims", len(c.ElementStrides), rank)
	}
	desc = driver.TensorMapDesc{
		Type: typ, Rank: rank, Address: driver.DevicePtr(s.addr),
		Interleave: uint32(c.Interleave), Swizzle: uint32(c.Swizzle), Promotion: uint32(c.Promotion),
	}
	if c.Format != TensorPlain {
		desc.Type = driver.TensorFloat32FTZ + driver.TensorType(c.Format-TensorFlushed)
	}
	if c.NaNFill {
		desc.Fill = 1
	}
	if detail := c.place(&desc, s.n/bytes, bytes, align); detail != "" {
		return desc, detail
	}
	if c.Im2col != nil {
		return desc, c.columns(&desc, bytes)
	}
	return desc, c.box(&desc, bytes)
}

// place sets where the elements are, of which the slice has so many.
func (c *TensorMapConfig) place(desc *driver.TensorMapDesc, elements, bytes, align int) string {
	last, stride := 0, 1 // elements; the last one of the tensor
	for i, n := range c.Dims {
		if n < 1 || n > maxTensorDim {
			return fmt.Sprintf("Dims[%d] is %d, must be 1 to %d", i, n, maxTensorDim)
		}
		if i > 0 {
			if c.Strides != nil {
				stride = c.Strides[i-1]
			}
			if stride < 1 || stride >= maxTensorStride/bytes || stride*bytes%align != 0 {
				return fmt.Sprintf("the stride of Dims[%d] is %d elements of %d bytes, must be a multiple of %d bytes, more than 0 and less than 2^40", i, stride, bytes, align)
			}
			desc.Strides[i-1] = uint64(stride) * uint64(bytes)
		}
		desc.Dims[i] = uint64(n)
		last = saturatedAdd(last, saturatedMul(n-1, stride))
		stride = saturatedMul(stride, n)
	}
	if last >= elements {
		return fmt.Sprintf("the tensor %v needs %d elements, and the slice has %d", c.Dims, saturatedAdd(last, 1), elements)
	}
	for i := range c.Dims {
		desc.ElementStrides[i] = 1
		if c.ElementStrides != nil {
			n := c.ElementStrides[i]
			if n < 1 || n > maxTensorStep {
				return fmt.Sprintf("ElementStrides[%d] is %d, must be 1 to %d", i, n, maxTensorStep)
			}
			desc.ElementStrides[i] = uint32(n)
		}
	}
	return ""
}

// box sets what a copy takes in tiles.
func (c *TensorMapConfig) box(desc *driver.TensorMapDesc, bytes int) string {
	if len(c.Box) != len(c.Dims) {
		return fmt.Sprintf("Box has %d dimensions, must have the %d of Dims", len(c.Box), len(c.Dims))
	}
	for i, n := range c.Box {
		if n < 1 || n > maxTensorBox {
			return fmt.Sprintf("Box[%d] is %d, must be 1 to %d", i, n, maxTensorBox)
		}
		desc.Box[i] = uint32(n)
	}
	return c.row("Box[0]", c.Box[0], bytes)
}

// row returns the rule that a row of elements in shared memory breaks, or "".
func (c *TensorMapConfig) row(what string, elements, bytes int) string {
	if c.Interleave != NoInterleave {
		return ""
	}
	if elements*bytes%tensorAlign != 0 {
		return fmt.Sprintf("%s is %d elements of %d bytes, must be a multiple of %d bytes", what, elements, bytes, tensorAlign)
	}
	if span := 16 << c.Swizzle; c.Swizzle != NoSwizzle && elements*bytes > span {
		return fmt.Sprintf("%s is %d elements of %d bytes, and the swizzle's span has %d", what, elements, bytes, span)
	}
	return ""
}

// columns sets what a copy takes in columns of pixels.
func (c *TensorMapConfig) columns(desc *driver.TensorMapDesc, bytes int) string {
	rank, i := len(c.Dims), c.Im2col
	switch {
	case c.Box != nil:
		return "Box and Im2col are two ways: leave one of them out"
	case rank < 3:
		return fmt.Sprintf("Im2col needs 3 to %d dimensions, and there are %d", driver.MaxTensorRank, rank)
	case len(i.LowerCorner) != rank-2 || len(i.UpperCorner) != rank-2:
		return fmt.Sprintf("the corners of Im2col have %d and %d dimensions, must have two less than the %d of Dims", len(i.LowerCorner), len(i.UpperCorner), rank)
	case i.Channels < 1 || i.Channels > maxTensorBox:
		return fmt.Sprintf("Im2col.Channels is %d, must be 1 to %d", i.Channels, maxTensorBox)
	case i.Pixels < 1 || i.Pixels > maxPixels:
		return fmt.Sprintf("Im2col.Pixels is %d, must be 1 to %d", i.Pixels, maxPixels)
	}
	limit := []int{1 << 15, 1 << 7, 1 << 4}[rank-3]
	for n, corner := range slices.Concat(i.LowerCorner, i.UpperCorner) {
		if corner < -limit || corner >= limit {
			return fmt.Sprintf("a corner of Im2col is %d, must be %d to %d with %d dimensions", corner, -limit, limit-1, rank)
		}
		if n < rank-2 {
			desc.LowerCorner[n] = int32(corner)
		} else {
			desc.UpperCorner[n-(rank-2)] = int32(corner)
		}
	}
	for n := range i.LowerCorner {
		if c.Dims[1+n]+i.UpperCorner[n] <= i.LowerCorner[n] {
			return fmt.Sprintf("the box of Im2col is empty: it begins at %d and ends at %d", i.LowerCorner[n], c.Dims[1+n]+i.UpperCorner[n])
		}
	}
	desc.Channels, desc.Pixels = uint32(i.Channels), uint32(i.Pixels)
	return c.row("Im2col.Channels", i.Channels, bytes)
}

// Owner returns the buffer of m as the owner of its address. A kernel that gets m inside of a struct
// needs it among the owners of its launch.
func (m TensorMap) Owner() Owner {
	if m.owner == nil {
		return Owner{noTensor}
	}
	return Owner{m.owner}
}

// Param returns what a parameter block has for m, a CUtensorMap. Generated code calls it, and programs
// for a CUtensorMap inside of a struct, or in memory of a device at a multiple of 64 bytes.
func (m TensorMap) Param() [16]uint64 { return m.opaque }

// Argument returns m as an argument of a prepared call. Generated code calls it.
func (m TensorMap) Argument(align uint64) argument {
	return argument{owner: m.Owner().lifetime, align: 1}
}
