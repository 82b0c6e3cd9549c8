package matrix

import (
	"encoding/binary"
	"iter"

	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// A Descriptor is the descriptor of a matrix in shared memory, decoded: offsets in bytes.
type Descriptor struct {
	start, leading, stride uint64
	Base                   uint64
	swizzle                uint // 0, or 1 to 3 for spans of 32, 64 and 128 bytes
}

// DescriptorOf decodes a descriptor.
func DescriptorOf(word uint64) Descriptor {
	encoded := func(shift int) uint64 { return word >> shift & (1<<14 - 1) << 4 }
	d := Descriptor{start: encoded(0), leading: encoded(16), stride: encoded(32), Base: word >> 49 & 7}
	if mode := word >> 62; mode != 0 {
		d.swizzle = uint(4 - mode) // 1 is 128 bytes, 3 is 32
	}
	return d
}

// chunk returns the address of the 16 bytes that hold, of a matrix whose neighbours have one row,
// those from a byte of a row on, and of a transposed one, those from a row's byte on of one k.
func (d Descriptor) chunk(row, k int, bits int, transposed bool) uint64 {
	span := uint64(1) << d.swizzle // in chunks
	addr := d.start
	if !transposed {
		n, column := uint64(row), uint64(k*bits/8/tensormap.ChunkBytes)
		addr += n%8*span*tensormap.ChunkBytes + n/8*d.stride
		if d.swizzle == 0 {
			addr += column * d.leading
		} else {
			addr += column * tensormap.ChunkBytes
		}
	} else {
		n, column := uint64(row*bits/8/tensormap.ChunkBytes), uint64(k)
		if d.swizzle == 0 {
			addr += n*d.stride + column%8*tensormap.ChunkBytes + column/8*d.leading
		} else {
			addr += n%span*tensormap.ChunkBytes + n/span*d.leading + column%8*span*tensormap.ChunkBytes + column/8*d.stride
		}
	}
	return tensormap.SwizzledAddress(addr&(1<<18-1), d.swizzle)
}

// A Layout says how the elements of a matrix lie in shared memory besides what its descriptor says. Its
// rows are those of a, or the columns of b.
type Layout struct {
	Bits       int  // of an element
	Transposed bool // neighbours in memory are of one k, not of one row
}

// A Chunk is 16 bytes of a matrix.
type Chunk struct {
	row, column int // of its first element
	Addr        uint64
}

// Chunks yields each chunk of the matrix; rows are counted from a row on.
func (m *Layout) Chunks(d Descriptor, from, rows, k int) iter.Seq[Chunk] {
	across, along := 1, tensormap.ChunkBytes*8/m.Bits
	if m.Transposed {
		across, along = along, across
	}
	return func(yield func(Chunk) bool) {
		for row := 0; row < rows; row += across {
			for column := 0; column < k; column += along {
				if !yield(Chunk{row, column, d.chunk(from+row, column, m.Bits, m.Transposed)}) {
					return
				}
			}
		}
	}
}

// Unpack gives set the elements of a chunk.
func (m *Layout) Unpack(bytes []byte, c Chunk, set func(row, k int, value uint64)) {
	for n := range tensormap.ChunkBytes * 8 / m.Bits {
		at := n * m.Bits
		var word [8]byte
		copy(word[:], bytes[at/8:])
		value := binary.LittleEndian.Uint64(word[:]) >> (at % 8) & (1<<m.Bits - 1)
		if m.Transposed {
			set(c.row+n, c.column, value)
		} else {
			set(c.row, c.column+n, value)
		}
	}
}
