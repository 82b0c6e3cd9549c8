// Package tensormap knows what a tensor map says, and which bytes a copy by it moves. It moves none:
// it knows no memory.
package tensormap

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Map is a tensor and the box of it that a copy takes, as a driver.TensorMap has them. The
// 128 bytes of a CUtensorMap are opaque to programs, so the simulated device has a form of its own:
// a word of tags, the address, the dimensions, the strides, the box, the element strides, the corners of
// im2col and, last, a checksum, by which a kernel that names other bytes is found.
//
// CUDA Driver API, Tensor Map Object Management; PTX ISA, Tensors.
type Map struct {
	Type    driver.TensorType
	Rank    int
	swizzle uint // 0, or 1 to 3 for spans of 32, 64 and 128 bytes
	address uint64
	dims    [driver.MaxTensorRank]uint64
	strides [driver.MaxTensorRank]uint64 // bytes; the first is an element's size
	box     [driver.MaxTensorRank]uint64
	step    [driver.MaxTensorRank]uint64 // element strides
	columns *columns                     // or nil, if copies take boxes
}

// Places of words in a driver.TensorMap.
const (
	mapTags     = 0
	mapAddress  = 1
	mapDims     = 2
	mapStrides  = 7
	mapBox      = 11 // 12 bits for each dimension
	mapSteps    = 12
	mapLower    = 13 // 16 bits for each dimension
	mapUpper    = 14
	mapChecksum = 15

	mapTag  = 0x7e45 << 48 // of every map
	boxBits = 12

	mapIm2col  = 1 << 24 // a tag
	cornerBits = 16
)

// Encode returns the map that desc describes. Of im2col, the first two numbers of the box are the
// channels of a pixel and the number of pixels.
func Encode(desc driver.TensorMapDesc, im2col bool) (m driver.TensorMap, r driver.Result) {
	if desc.Rank < 1 || desc.Rank > driver.MaxTensorRank || desc.Type > driver.TensorTFloat32FTZ || desc.Swizzle > 3 {
		return m, driver.ErrorInvalidValue
	}
	row := uint64(desc.Box[0]) * ElementBytes(desc.Type)
	if desc.Interleave != 0 || desc.Fill != 0 || desc.Swizzle != 0 && row != ChunkBytes<<desc.Swizzle {
		return m, driver.ErrorNotSupported // how rows that are shorter than the span of a swizzle lie is not documented
	}
	m[mapTags] = mapTag | uint64(desc.Type) | uint64(desc.Rank)<<8 | uint64(desc.Swizzle)<<16
	m[mapAddress] = uint64(desc.Address)
	for n := range desc.Rank {
		m[mapDims+n] = desc.Dims[n]
		if n > 0 {
			m[mapStrides+n-1] = desc.Strides[n-1]
		}
		m[mapBox] |= uint64(desc.Box[n]) << (boxBits * n)
		m[mapSteps] |= uint64(desc.ElementStrides[n]) << (boxBits * n)
	}
	for n := range desc.Rank - 2 {
		if im2col {
			m[mapTags] |= mapIm2col
			m[mapLower] |= uint64(uint16(desc.LowerCorner[n])) << (cornerBits * n)
			m[mapUpper] |= uint64(uint16(desc.UpperCorner[n])) << (cornerBits * n)
		}
	}
	m[mapChecksum] = checksum(m)
	return m, driver.Success
}

// ElementBytes is the size of an element.
func (m *Map) ElementBytes() uint64 { return m.strides[0] }

// ElementBytes is the size of an element in bytes.
func ElementBytes(t driver.TensorType) uint64 {
	switch t {
	case driver.TensorUint8:
		return 1
	case driver.TensorUint16, driver.TensorFloat16, driver.TensorBFloat16:
		return 2
	case driver.TensorUint64, driver.TensorInt64, driver.TensorFloat64:
		return 8
	}
	return 4
}

// checksum is a hash of all words before it.
func checksum(m driver.TensorMap) uint64 {
	h := fnv.New64a()
	for _, word := range m[:mapChecksum] {
		h.Write(binary.LittleEndian.AppendUint64(nil, word))
	}
	return h.Sum64()
}

// Decode reads a map. ok is false if encodeMap did not make the bytes.
func Decode(words driver.TensorMap) (m Map, ok bool) {
	tags := words[mapTags]
	if tags&(0xffff<<48) != mapTag || words[mapChecksum] != checksum(words) {
		return m, false
	}
	m = Map{Type: driver.TensorType(tags & 0xff), Rank: int(tags >> 8 & 0xff), swizzle: uint(tags >> 16 & 3), address: words[mapAddress]}
	for n := range m.Rank {
		m.dims[n] = words[mapDims+n]
		m.strides[n] = ElementBytes(m.Type)
		if n > 0 {
			m.strides[n] = words[mapStrides+n-1]
		}
		m.box[n] = words[mapBox] >> (boxBits * n) & (1<<boxBits - 1)
		m.step[n] = words[mapSteps] >> (boxBits * n) & (1<<boxBits - 1)
	}
	if tags&mapIm2col != 0 {
		m.columns = &columns{}
		for n := range m.Rank - 2 {
			m.columns.lower[n] = int64(int16(words[mapLower] >> (cornerBits * n)))
			m.columns.upper[n] = int64(int16(words[mapUpper] >> (cornerBits * n)))
		}
	}
	m.step[0] = 1 // of a tensor without interleave it has no effect
	return m, true
}

// A Field is a part of a map that kernels replace.
type Field int

// The fields.
const (
	Address Field = iota
	Dim           // of a dimension, in elements
	Stride        // bytes, of the dimension behind a dimension
)

// Replace sets a field of a map, if it has that dimension.
func Replace(words *driver.TensorMap, f Field, dim int, value uint64) {
	rank := int(words[mapTags] >> 8 & 0xff)
	switch {
	case f == Address:
		words[mapAddress] = value
	case f == Dim && dim < rank:
		words[mapDims+dim] = value
	case f == Stride && dim < rank-1:
		words[mapStrides+dim] = value
	}
	words[mapChecksum] = checksum(*words)
}
