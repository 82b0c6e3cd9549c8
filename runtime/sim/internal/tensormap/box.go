package tensormap

import (
	"iter"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Piece is a part of a box whose bytes lie together in the tensor and in shared memory.
type Piece struct {
	Global uint64 // address
	Shared uint64 // address
	Bytes  uint64 // how many
	Inside bool   // of the tensor
	Behind bool   // a row of the tensor, up to a multiple of RowUnit
}

// RowUnit is what the offset in a row of a tensor at which a box begins is a multiple of, and to what an
// H200 stores: the bytes behind a row, up to a multiple of it, are written as if the tensor had them.
const RowUnit = 16 // bytes

// BoxBytes is what a copy moves, elements outside of the tensor included.
func (m *Map) BoxBytes() uint64 {
	if m.IsIm2col() {
		return m.strides[0] * m.box[0] * m.box[1]
	}
	n := m.strides[0]
	for d := range m.Rank {
		n *= m.count(d)
	}
	return n
}

// count is how many elements of a dimension a copy takes: those between two steps are left out.
func (m *Map) count(dim int) uint64 { return (m.box[dim] + m.step[dim] - 1) / m.step[dim] }

// Pieces yields each piece of the box at coordinates, which begins in shared memory at to.
//
// PTX ISA, Tensors: Tiled Mode, Swizzling Modes. Chunks of 16 bytes change places by their address.
func (m *Map) Pieces(at []int64, to uint64) iter.Seq[Piece] {
	if m.IsIm2col() {
		return func(yield func(Piece) bool) { m.pixels(at, to, yield) }
	}
	return func(yield func(Piece) bool) { m.tile(at, to, yield) }
}

// tile is pieces of a copy in tiled mode.
func (m *Map) tile(at []int64, to uint64, yield func(Piece) bool) {
	var index [driver.MaxTensorRank]uint64
	for {
		row, inside := m.address, true
		for d := 1; d < m.Rank; d++ {
			pos := at[d] + int64(index[d]*m.step[d])
			inside = inside && pos >= 0 && pos < int64(m.dims[d])
			row += uint64(pos) * m.strides[d]
		}
		if !m.row(at[0], row, inside, to, yield) {
			return
		}
		to += m.box[0] * m.strides[0]
		d := 1
		for ; d < m.Rank; d++ {
			if index[d]++; index[d] < m.count(d) {
				break
			}
			index[d] = 0
		}
		if d >= m.Rank {
			return
		}
	}
}

// row yields the pieces of a row of a box that begins at element first of the tensor's row at an address, if that
// is inside of the tensor, and in shared memory at to. It reports whether to go on.
func (m *Map) row(first int64, row uint64, inside bool, to uint64, yield func(Piece) bool) bool {
	size := int64(m.strides[0])
	at, width, length := first*size, int64(m.box[0])*size, int64(m.dims[0])*size
	within := func(end int64) int64 { return min(max(end-at, 0), width) }
	bounds := [...]int64{0, within(0), within(length), within((length + RowUnit - 1) &^ (RowUnit - 1)), width}
	if !inside {
		bounds = [...]int64{0, width, width, width, width}
	}
	for n := range len(bounds) - 1 {
		from, end := bounds[n], bounds[n+1]
		p := Piece{Global: row + uint64(at+from), Shared: to + uint64(from), Bytes: uint64(end - from), Inside: n == 1, Behind: n == 2}
		if !p.swizzled(m.swizzle, yield) {
			return false
		}
	}
	return true
}

// ChunkBytes is what a swizzle moves as a whole.
const ChunkBytes = 16

// swizzled yields the parts of p that a swizzle leaves together, and reports whether to go on.
func (p Piece) swizzled(swizzle uint, yield func(Piece) bool) bool {
	if p.Bytes == 0 {
		return true
	}
	if swizzle == 0 {
		return yield(p)
	}
	for p.Bytes > 0 {
		part := p
		part.Bytes = min(p.Bytes, ChunkBytes-p.Shared%ChunkBytes)
		part.Shared = SwizzledAddress(p.Shared, swizzle)
		if !yield(part) {
			return false
		}
		p.Shared, p.Global, p.Bytes = p.Shared+part.Bytes, p.Global+part.Bytes, p.Bytes-part.Bytes
	}
	return true
}

// SwizzledAddress is where a swizzle puts the byte at addr: bits 4 and on are combined with bits 7 and
// on, one of them for a span of 32 bytes, two for 64 and three for 128.
func SwizzledAddress(addr uint64, swizzle uint) uint64 {
	return addr ^ addr>>7&(1<<swizzle-1)<<4
}
