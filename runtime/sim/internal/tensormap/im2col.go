package tensormap

import "github.com/cudagen/cudagen/runtime/internal/driver"

// columns is what the map of a copy in im2col mode has besides a box, whose first two numbers are the channels of a
// pixel and the number of pixels. The dimensions of the tensor are channels, width, height and depth, as far as there
// are, and images.
//
// The copy begins at the pixel that its coordinates name and goes on to the next one as far as the element stride, within a
// box that ends at the upper corner behind the last pixel of each dimension, the width first, and then to the next image.
// What it takes is the pixel that lies the offsets further on.
//
// PTX ISA, Tensors: im2col Mode; CUDA Driver API, cuTensorMapEncodeIm2col.
type columns struct {
	lower, upper [driver.MaxTensorRank - 2]int64 // corners of the box
	offset       [driver.MaxTensorRank - 2]int64 // of the copy
}

// boxEnd is where the box ends in a dimension of the image.
func (m *Map) boxEnd(dim int) int64 { return int64(m.dims[dim]) + m.columns.upper[dim-1] }

// OutsideBox returns a dimension in which a pixel lies outside of the box of im2col, and its first and last
// coordinate there. The dimension is 0 if the pixel lies inside, or copies take boxes.
func (m *Map) OutsideBox(at []int64) (dim int, first, last int64) {
	for d := 1; m.columns != nil && d < m.Rank-1; d++ {
		if first, end := m.columns.lower[d-1], m.boxEnd(d); at[d] < first || at[d] >= end {
			return d, first, end - 1
		}
	}
	return 0, 0, 0
}

// IsIm2col reports whether copies are in im2col mode, and take no boxes.
func (m *Map) IsIm2col() bool { return m.columns != nil }

// SetOffset sets an offset of a copy in im2col mode.
func (m *Map) SetOffset(n int, offset uint16) { m.columns.offset[n] = int64(offset) }

// pixels is pieces of a copy in im2col mode: each pixel is a row.
func (m *Map) pixels(at []int64, to uint64, yield func(Piece) bool) {
	var base [driver.MaxTensorRank]int64
	copy(base[:], at)
	images := m.Rank - 1
	for range m.box[1] {
		row, inside := m.address, true
		for d := 1; d < m.Rank; d++ {
			pos := base[d]
			if d < images {
				pos += m.columns.offset[d-1]
			}
			inside = inside && pos >= 0 && pos < int64(m.dims[d])
			row += uint64(pos) * m.strides[d]
		}
		if !m.row(base[0], row, inside, to, yield) {
			return
		}
		to += m.box[0] * m.strides[0]
		d := 1
		for ; d < images; d++ {
			if base[d] += int64(m.step[d]); base[d] < m.boxEnd(d) {
				break
			}
			base[d] = m.columns.lower[d-1]
		}
		if d == images {
			base[images]++
		}
	}
}
