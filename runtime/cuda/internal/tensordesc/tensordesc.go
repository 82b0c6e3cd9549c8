// Package tensordesc takes how a tensor lies in memory and returns its descriptor for the driver, or the rule that is broken.
// It makes no tensor map, and knows neither a device nor who owns the memory.
package tensordesc

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TypeOf returns the type of a tensor's elements like value. ok is false if there are no such tensors.
func TypeOf(value any) (typ driver.TensorType, ok bool) {
	switch value.(type) {
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

// The limits of tensor maps. CUDA Driver API, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col.
const (
	maxDim    = 1 << 32
	maxStride = 1 << 40 // bytes, exclusive
	maxBox    = 256
	maxStep   = 8
	maxPixels = 1024
	align     = 16 // bytes, of addresses, strides and rows of a box
)

// SimulatedLack says what the simulated device does not have of c, for elements of bytes bytes.
func SimulatedLack(c *tensormap.Config, bytes int) string {
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

// Of returns c as the driver has it, for elements of bytes bytes and a type, so many of which lie at addr, or the rule
// that is broken.
func Of(c *tensormap.Config, addr uint64, elements int, typ driver.TensorType, bytes int) (desc driver.TensorMapDesc, detail string) {
	rank := len(c.Dims)
	switch {
	case rank < 1 || rank > driver.MaxTensorRank:
		return desc, fmt.Sprintf("Dims has %d dimensions, must be 1 to %d", rank, driver.MaxTensorRank)
	case c.Format > tensormap.TF32Flushed:
		return desc, fmt.Sprintf("Format is %d, which is none of its constants", c.Format)
	case c.Swizzle > tensormap.Swizzle128:
		return desc, fmt.Sprintf("Swizzle is %d, which is none of its constants", c.Swizzle)
	case c.Promotion > tensormap.Promote256:
		return desc, fmt.Sprintf("Promotion is %d, which is none of its constants", c.Promotion)
	case c.Format != tensormap.Plain && typ != driver.TensorFloat32:
		return desc, "Format is for elements of type float32"
	case c.NaNFill && typ < driver.TensorFloat16:
		return desc, "NaNFill is for floating-point elements"
	case addr%align != 0:
		return desc, fmt.Sprintf("the slice begins at address %#x, must be a multiple of %d", addr, align)
	case c.Strides != nil && len(c.Strides) != rank-1:
		return desc, fmt.Sprintf("Strides has %d, must have one less than the %d of Dims", len(c.Strides), rank)
	case c.ElementStrides != nil && len(c.ElementStrides) != rank:
		return desc, fmt.Sprintf("ElementStrides has %d, must have the %d of Dims", len(c.ElementStrides), rank)
	}
	desc = driver.TensorMapDesc{
		Type: typ, Rank: rank, Address: driver.DevicePtr(addr),
		Swizzle: uint32(c.Swizzle), Promotion: uint32(c.Promotion),
	}
	if c.Format != tensormap.Plain {
		desc.Type = driver.TensorFloat32FTZ + driver.TensorType(c.Format-tensormap.Flushed)
	}
	if c.NaNFill {
		desc.Fill = 1
	}
	if detail := place(c, &desc, elements, bytes); detail != "" {
		return desc, detail
	}
	if c.Im2col != nil {
		return desc, columns(c, &desc, bytes)
	}
	return desc, box(c, &desc, bytes)
}

// place sets where the elements are, of which the slice has so many.
func place(c *tensormap.Config, desc *driver.TensorMapDesc, elements, bytes int) string {
	last, stride := 0, 1 // elements; the last one of the tensor
	for i, n := range c.Dims {
		if n < 1 || n > maxDim {
			return fmt.Sprintf("Dims[%d] is %d, must be 1 to %d", i, n, maxDim)
		}
		if i > 0 {
			if c.Strides != nil {
				stride = c.Strides[i-1]
			}
			if stride < 1 || stride >= maxStride/bytes || stride*bytes%align != 0 {
				return fmt.Sprintf("the stride of Dims[%d] is %d elements of %d bytes, must be a multiple of %d bytes, more than 0 and less than 2^40", i, stride, bytes, align)
			}
			desc.Strides[i-1] = uint64(stride) * uint64(bytes)
		}
		desc.Dims[i] = uint64(n)
		last = extent.Add(last, extent.Mul(n-1, stride))
		stride = extent.Mul(stride, n)
	}
	if last >= elements {
		return fmt.Sprintf("the tensor %v needs %d elements, and the slice has %d", c.Dims, extent.Add(last, 1), elements)
	}
	for i := range c.Dims {
		desc.ElementStrides[i] = 1
		if c.ElementStrides != nil {
			n := c.ElementStrides[i]
			if n < 1 || n > maxStep {
				return fmt.Sprintf("ElementStrides[%d] is %d, must be 1 to %d", i, n, maxStep)
			}
			desc.ElementStrides[i] = uint32(n)
		}
	}
	return ""
}

// box sets what a copy takes in tiles.
func box(c *tensormap.Config, desc *driver.TensorMapDesc, bytes int) string {
	if len(c.Box) != len(c.Dims) {
		return fmt.Sprintf("Box has %d dimensions, must have the %d of Dims", len(c.Box), len(c.Dims))
	}
	for i, n := range c.Box {
		if n < 1 || n > maxBox {
			return fmt.Sprintf("Box[%d] is %d, must be 1 to %d", i, n, maxBox)
		}
		desc.Box[i] = uint32(n)
	}
	return row(c, "Box[0]", c.Box[0], bytes)
}

// row returns the rule that a row of elements in shared memory breaks, or "".
func row(c *tensormap.Config, what string, elements, bytes int) string {
	if elements*bytes%align != 0 {
		return fmt.Sprintf("%s is %d elements of %d bytes, must be a multiple of %d bytes", what, elements, bytes, align)
	}
	if span := 16 << c.Swizzle; c.Swizzle != tensormap.NoSwizzle && elements*bytes > span {
		return fmt.Sprintf("%s is %d elements of %d bytes, and the swizzle's span has %d", what, elements, bytes, span)
	}
	return ""
}

// columns sets what a copy takes in columns of pixels.
func columns(c *tensormap.Config, desc *driver.TensorMapDesc, bytes int) string {
	rank, i := len(c.Dims), c.Im2col
	switch {
	case c.Box != nil:
		return "Box and Im2col are two ways: leave one of them out"
	case rank < 3:
		return fmt.Sprintf("Im2col needs 3 to %d dimensions, and there are %d", driver.MaxTensorRank, rank)
	case len(i.LowerCorner) != rank-2 || len(i.UpperCorner) != rank-2:
		return fmt.Sprintf("the corners of Im2col have %d and %d dimensions, must have two less than the %d of Dims", len(i.LowerCorner), len(i.UpperCorner), rank)
	case i.Channels < 1 || i.Channels > maxBox:
		return fmt.Sprintf("Im2col.Channels is %d, must be 1 to %d", i.Channels, maxBox)
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
	return row(c, "Im2col.Channels", i.Channels, bytes)
}
