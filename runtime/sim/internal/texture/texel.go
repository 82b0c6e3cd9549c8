package texture

import (
	"encoding/binary"
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// A Texel is what a texture instruction returns of an element: numbers, or, of a texture that is
// read as integers, the integers, whose bits an instruction returns as they are.
type Texel [4]float64

// An elements describes the elements of an array or of memory that a texture reads.
type elements struct {
	format   driver.ArrayFormat
	channels int
}

// bytes returns the size of an element, or 0 if there are no such elements.
func (e elements) bytes() uint64 {
	if e.channels != 1 && e.channels != 2 && e.channels != 4 {
		return 0
	}
	return uint64(e.format.Bytes() * e.channels)
}

// wrapped returns the integer that a channel keeps of bits.
func (e elements) wrapped(bits uint32) float64 {
	return e.channel(binary.LittleEndian.AppendUint32(nil, bits), 0)
}

// isFloat reports whether elements are floating-point numbers.
func (e elements) isFloat() bool {
	return e.format == driver.FormatFloat16 || e.format == driver.FormatFloat32
}

// channel returns channel c of the element at the beginning of data: a number, or an integer.
func (e elements) channel(data []byte, c int) float64 {
	switch e.format {
	case driver.FormatUint8:
		return float64(data[c])
	case driver.FormatInt8:
		return float64(int8(data[c]))
	case driver.FormatUint16:
		return float64(binary.LittleEndian.Uint16(data[2*c:]))
	case driver.FormatInt16:
		return float64(int16(binary.LittleEndian.Uint16(data[2*c:])))
	case driver.FormatFloat16:
		bits := binary.LittleEndian.Uint16(data[2*c:])
		if bits&0x7fff > 0x7c00 { // a NaN, which keeps its bits
			return widened(uint32(bits&0x8000)<<16 | 0x7f800000 | uint32(bits&0x3ff)<<13)
		}
		return softfloat.F16.Value(uint64(bits))
	case driver.FormatUint32:
		return float64(binary.LittleEndian.Uint32(data[4*c:]))
	case driver.FormatInt32:
		return float64(int32(binary.LittleEndian.Uint32(data[4*c:])))
	}
	return widened(binary.LittleEndian.Uint32(data[4*c:]))
}

// widened returns the float with the given bits as a double. A NaN keeps its bits.
func widened(bits uint32) float64 {
	if f := math.Float32frombits(bits); f == f {
		return float64(f)
	}
	return math.Float64frombits(uint64(bits&0x80000000)<<32 | 0x7ff<<52 | uint64(bits&0x7fffff)<<29)
}

// narrowed returns the bits of the float nearest to v. A NaN keeps its bits.
func narrowed(v float64) uint32 {
	if v == v {
		return math.Float32bits(float32(v))
	}
	bits := math.Float64bits(v)
	return uint32(bits>>32&0x80000000) | 0x7f800000 | uint32(bits>>29&0x7fffff)
}

// normalized returns integer v of a channel as a number from 0, or -1, to 1.
//
// CUDA C++ Programming Guide, Texture Memory: cudaReadModeNormalizedFloat.
func (e elements) normalized(v float64) float64 {
	least, one := e.normalizedRange()
	return max(v, least) / one
}

// normalizedRange returns the integers that are read as the smallest number and as 1.
func (e elements) normalizedRange() (least, one float64) {
	switch e.format {
	case driver.FormatUint8:
		return 0, math.MaxUint8
	case driver.FormatInt8:
		return -math.MaxInt8, math.MaxInt8
	case driver.FormatUint16:
		return 0, math.MaxUint16
	}
	return -math.MaxInt16, math.MaxInt16
}

// linearRanges say to how many bits behind the point an H200 rounds the linear value of a byte of
// sRGB: to those of the last range that begins at the byte or before.
var linearRanges = [...]struct {
	from byte
	bits int
}{{0, 14}, {32, 13}, {48, 12}, {64, 11}, {96, 10}, {136, 9}, {184, 8}, {248, 7}}

// linears are the linear values of the bytes of sRGB.
var linears = func() (list [256]float64) {
	bits := 0
	for n := range list {
		for _, r := range linearRanges {
			if int(r.from) <= n {
				bits = r.bits
			}
		}
		list[n] = math.Ldexp(math.Round(math.Ldexp(linearOfSRGB(float64(n)/math.MaxUint8), bits)), -bits)
	}
	return list
}()

// linearStep returns the step between the linear values around v, one of linears.
func linearStep(v float64) (step float64) {
	for _, r := range linearRanges {
		if linears[r.from] <= v {
			step = math.Ldexp(1, -r.bits)
		}
	}
	return step
}

// linearOfSRGB returns the linear value of a colour of sRGB from 0 to 1.
func linearOfSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}
