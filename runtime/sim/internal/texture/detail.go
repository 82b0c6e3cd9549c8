package texture

import (
	"math"
	"math/bits"
)

// This file has the level of detail that follows from derivatives, as it was measured on an H200: the
// base-2 logarithm of the longer one, in elements. Lengths are numbers of 10 bits, and are not exact.

// Detail returns the level of detail of what the derivatives of coordinates cover.
func (s *Sampler) Detail(dx, dy [3]float32) float64 {
	m := &s.Levels[0]
	sizes := [3]int64{m.Width, m.Height, m.Depth}
	length := func(d [3]float32) (sum float64) {
		for dim := range s.Geometry.Dims() {
			sum = hypotenuse(sum, inElements(d[dim], sizes[dim]))
		}
		return sum
	}
	return logarithm(max(length(dx), length(dy)))
}

// lengthBits is how many bits lengths have, and the factors that they are made from.
const lengthBits = 10

// inElements returns a derivative times a size, by their first bits. Of each partial product the last
// 6 bits are not added, but 7 units of what comes before those.
func inElements(d float32, size int64) float64 {
	const dropped, correction = 1<<6 - 1, 7 << 6
	v := math.Abs(float64(d))
	switch {
	case v < smallestNormal:
		return 0
	case !(v <= math.MaxFloat32):
		return v
	}
	a, exponentA := math.Frexp(v)
	b, exponentB := math.Frexp(float64(size))
	m, n := int64(a*(1<<lengthBits)), int64(b*(1<<lengthBits))
	product := int64(correction)
	for bit := range lengthBits {
		if m>>bit&1 != 0 {
			product += n << bit &^ dropped
		}
	}
	shift := bits.Len64(uint64(product)) - lengthBits
	return math.Ldexp(float64(product>>shift), shift+exponentA+exponentB-2*lengthBits)
}

// hypotenuse returns the length of what covers two lengths in different dimensions: the longer one
// and 11/32 of the shorter one, rounded down to the last bit of the longer one after 4/32 of the
// shorter one's last bit were added.
func hypotenuse(a, b float64) float64 {
	long, short := max(a, b), min(a, b)
	if !(short > 0) || math.IsInf(long, 0) {
		return long
	}
	_, exponent := math.Frexp(long)
	fraction, shorter := math.Frexp(short)
	part := math.Floor(math.Ldexp(11*math.Ldexp(fraction, lengthBits)+4, shorter-exponent-5))
	return long + math.Ldexp(part, exponent-lengthBits)
}

// logarithm returns the base-2 logarithm of v as an H200 approximates it: by the exponent and a
// table of the first 8 bits behind the point. An entry is the logarithm in the middle of what it
// stands for in units of 1/256, which is rounded up from 0.53. The first is 0, none is 1.
func logarithm(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return math.Log2(v)
	}
	const entries = 256
	fraction, exponent := math.Frexp(v)
	n := math.Floor((2*fraction - 1) * entries)
	entry := 0.0
	if n > 0 {
		entry = min(math.Floor(math.Log2(1+(n+0.5)/entries)*unit+0.47), unit-1)
	}
	return float64(exponent-1) + entry/unit
}
