package sim

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
func (m *tensorMap) boxEnd(dim int) int64 { return int64(m.dims[dim]) + m.columns.upper[dim-1] }

// outsideBox returns a dimension in which a pixel lies outside of the box, or 0.
func (m *tensorMap) outsideBox(at []int64) int {
	for d := 1; d < m.rank-1; d++ {
		if at[d] < m.columns.lower[d-1] || at[d] >= m.boxEnd(d) {
			return d
		}
	}
	return 0
}

// pixels is pieces of a copy in im2col mode: each pixel is a row.
func (m *tensorMap) pixels(at []int64, to uint64, do func(p piece) *failure) *failure {
	var base [driver.MaxTensorRank]int64
	copy(base[:], at)
	images := m.rank - 1
	for range m.box[1] {
		row, inside := m.address, true
		for d := 1; d < m.rank; d++ {
			pos := base[d]
			if d < images {
				pos += m.columns.offset[d-1]
			}
			inside = inside && pos >= 0 && pos < int64(m.dims[d])
			row += uint64(pos) * m.strides[d]
		}
		if fault := m.row(base[0], row, inside, to, do); fault != nil {
			return fault
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
	return nil
}
