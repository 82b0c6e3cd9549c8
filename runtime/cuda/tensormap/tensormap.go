// Package tensormap has what cuda.NewTensorMap takes: how a tensor lies in memory, and which boxes of it kernels copy by the
// tensor memory accelerator. It has values only, and knows no device and no buffer.
//
//	m, err := cuda.NewTensorMap(x.All(), tensormap.Config{
//		Dims: []int{columns, rows}, Box: []int{32, 16}, Swizzle: tensormap.Swizzle128,
//	})
package tensormap

// A Config describes a tensor and the boxes of it that kernels copy. All dimensions are counted
// from the innermost, whose elements are neighbours, as the coordinates in a kernel are: a matrix in
// rows has Dims {columns, rows}.
type Config struct {
	// Dims are the elements of each dimension, 1 to 5 of them.
	Dims []int

	// Strides are the elements from one index to the next, of the second dimension and those behind it.
	// Nil stands for a tensor without gaps. In bytes they are multiples of 16.
	Strides []int

	// Box is what one copy takes of each dimension, 1 to 256 elements. Those of the innermost dimension
	// are a multiple of 16 bytes, and with a swizzle at most its span.
	Box []int

	// ElementStrides, if it is not nil, has a copy take every second, third to eighth element of a dimension.
	// Box counts those between, too. The first one has no effect.
	ElementStrides []int

	// Im2col, if it is not nil, stands in place of Box for tensors of images: 3 to 5 dimensions, which
	// are channels, width, then height and depth if there are any, and images.
	Im2col *Im2col

	Format    Format
	Swizzle   Swizzle
	Promotion Promotion

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

// A Format says how float32 elements are copied. Other elements have the format of their type.
type Format uint8

// The formats of float32 elements: as they are, with denormals flushed to zero, rounded to TF32, and
// both.
const (
	Plain Format = iota
	Flushed
	TF32
	TF32Flushed
)

// A Swizzle is how 16-byte chunks of a box change places in shared memory, against conflicts of
// banks. Its number is the span in bytes.
type Swizzle uint8

// The swizzles.
const (
	NoSwizzle Swizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
)

// A Promotion is how many bytes the L2 cache fetches at once.
type Promotion uint8

// The promotions, by bytes.
const (
	NoPromotion Promotion = iota
	Promote64
	Promote128
	Promote256
)
