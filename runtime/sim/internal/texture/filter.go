package texture

import (
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// This file has the coordinates, weights and levels of texture filtering, filtersum.go the sums. The
// manual leaves most of it open. These rules were measured on an H200, bit by bit:
//
//   - A coordinate that is not a normal number is zero.
//   - A normalized coordinate is rounded down to a multiple of 2^-21, then multiplied with the size
//     exactly. Under point filtering the element is that of the rounded-down coordinate.
//   - Under linear filtering the coordinate less one half is rounded to a multiple of 1/256, half
//     up. Its integer part is the first element, its fraction the weight of the second. A coordinate
//     that is clamped has the element of the edge alone.
//   - A weight is shared out in units of 1/256: among levels, then in the third dimension, the
//     first and the second. Of two levels the second's weight is given, of two planes that of the first
//     is rounded half up, split says the rest. Of two parts the other is what remains.
//   - Four elements of one level and one plane are added first. In each such sum the elements are
//     cut to 27 bits behind the first bit of the largest one that has a weight. They are weighted
//     and added exactly.
//   - Where there are several such sums, of planes or levels, each is rounded down to 30 bits behind
//     the first bit of a hexadecimal digit: that in which the largest element of all begins. 1.0
//     begins in the highest bit of a digit. The sums are added exactly. Of two levels with two planes
//     the first level's are added so, then that sum and those of the second level.
//   - What was added is rounded to a float once, half away from zero.
//   - Of Float16 elements are cut to 14 bits, and the sum is rounded to a Float16.
//   - An infinite element or a NaN counts even if its weight was rounded to zero.
//   - Integers of 8 and 16 bits that are read as numbers are filtered as integers of 16 bits, and
//     their sum is rounded to one, half up. Those of int8 are widened after they were added, by
//     ofIntegers. Only the sum is at least -1, not each element.
//   - The border's colour is then an integer of the elements' format, cut to its range.
//   - A filter between levels is a sum even where one element is read.
//   - A level of detail is cut to a multiple of 1/256. That of derivatives is in detail.go.
//   - A colour of sRGB becomes a number of 8 bits whose step depends on its range, see linearRanges.
//     In a plane all are cut to the largest step. Sums of planes are rounded down as above, to 10 bits
//     instead of 30, and what was added is rounded to a Float16.

// fractionBits is how many bits of a coordinate filtering takes behind the point.
const fractionBits = 8

// unit is the weight 1.
const unit = 1 << fractionBits

// normalizedBits is how many bits a normalized coordinate has behind the point. Arrays with more
// than maxSmall elements have more; sizes of 4097 and 131072 were measured.
const (
	normalizedBits        = 21
	normalizedBitsOfLarge = 23
	maxSmall              = 65536
)

// smallestNormal is the smallest float that is a normal number.
const smallestNormal = 0x1p-126

// maxPosition bounds coordinates, in elements, so that they can be counted with.
const maxPosition = 1 << 40

// A tap is what filtering takes in one dimension: two elements and the weight of the second, in
// units of 1/256. An element of -1 is the border.
type tap struct {
	at     [2]int64
	weight int64
}

// position returns a coordinate in elements.
func (t *Texture) position(u float32, n int64, mode uint32) float64 {
	p := float64(u)
	if math.Abs(p) < smallestNormal {
		return 0
	}
	if t.IsNormalized() || t.IsCube() {
		bits := normalizedBits
		if n > maxSmall {
			bits = normalizedBitsOfLarge
		}
		p = math.Ldexp(math.Floor(math.Ldexp(p, bits)), -bits)
		if mode == driver.AddressWrap || mode == driver.AddressMirror {
			p = math.Mod(p, 2) // what remains is the same element
		}
		p *= float64(n)
	}
	if math.IsNaN(p) {
		return 0
	}
	return max(-maxPosition, min(p, maxPosition))
}

// IsCube reports whether t has the faces of cubes. Filtering stays inside of a face.
func (t *Texture) IsCube() bool { return t.Geometry == GeometryCube || t.Geometry == GeometryACube }

// mode returns the address mode of a dimension: repetition is for normalized coordinates only.
func (t *Texture) mode(dim int) uint32 {
	mode := t.Read.Address[dim]
	if t.IsCube() {
		return driver.AddressClamp
	}
	if !t.IsNormalized() && (mode == driver.AddressWrap || mode == driver.AddressMirror) {
		return driver.AddressClamp
	}
	return mode
}

// elementAt returns which of n elements stands at i, or -1 for the border.
func elementAt(i, n int64, mode uint32) int64 {
	if 0 <= i && i < n {
		return i
	}
	switch mode {
	case driver.AddressWrap:
		return ((i % n) + n) % n
	case driver.AddressMirror:
		i = ((i % (2 * n)) + 2*n) % (2 * n)
		return min(i, 2*n-1-i)
	case driver.AddressBorder:
		return -1
	}
	return max(0, min(i, n-1))
}

// tap returns what filtering takes of n elements at coordinate u.
func (t *Texture) tap(dim int, u float32, n int64, linear bool) tap {
	mode := t.mode(dim)
	p := t.position(u, n, mode)
	if !linear {
		i := elementAt(int64(math.Floor(p)), n, mode)
		return tap{[2]int64{i, i}, 0}
	}
	fixed := int64(math.Floor((p-0.5)*unit + 0.5))
	i, weight := fixed>>fractionBits, fixed&(unit-1)
	if mode == driver.AddressClamp && (i < 0 || i >= n-1) {
		weight = 0
	}
	return tap{[2]int64{elementAt(i, n, mode), elementAt(i+1, n, mode)}, weight}
}

// taps returns what filtering takes of a level in each dimension. z is the layer or the face of
// what has some.
func (s *Sampler) taps(level int, at [3]float32, z int64) (taps [3]tap) {
	m := &s.Levels[level]
	sizes := [3]int64{m.Width, m.Height, m.Depth}
	dims := s.Geometry.Dims()
	for dim := range dims {
		taps[dim] = s.tap(dim, at[dim], sizes[dim], s.Read.Filter == driver.FilterLinear)
	}
	if dims < 3 {
		taps[2].at = [2]int64{z, z}
	}
	return taps
}

// nearest returns the element at coordinates of a level, as point filtering reads it.
func (s *Sampler) nearest(level int, at [3]float32, z int64) Texel {
	taps := s.taps(level, at, z)
	return s.Load(level, taps[0].at[0], taps[1].at[0], taps[2].at[0])
}

// addPlanes adds the elements of a level to a sum. share is the level's weight.
func (s *Sampler) addPlanes(sum *filterSum, level int, at [3]float32, z, share int64) {
	taps := s.taps(level, at, z)
	first := weightProduct(share, unit-taps[2].weight)
	for n, part := range [2]int64{first, share - first} {
		if n == 1 && taps[2].weight == 0 {
			break
		}
		p := sum.next()
		p.weights = split(part, taps[0].weight, taps[1].weight)
		for corner := range p.elements {
			x, y := corner&1, corner>>1
			if p.reached[corner] = (x == 0 || taps[0].weight != 0) && (y == 0 || taps[1].weight != 0); p.reached[corner] {
				p.elements[corner] = s.loadForFilter(level, taps[0].at[x], taps[1].at[y], taps[2].at[n])
			}
		}
	}
}

// split shares out a weight among four elements, by the weights of the second ones in two
// dimensions. Bit n of an index is the element in dimension n. Where the first dimension takes the
// second element, the weight of its second is rounded half up; otherwise that of its first.
func split(share, x, y int64) [4]int64 {
	right := weightProduct(share, x)
	left := share - right
	above := weightProduct(right, y)
	below := weightProduct(left, unit-y)
	return [4]int64{below, right - above, left - below, above}
}

// weightProduct multiplies weights and rounds half up.
func weightProduct(a, b int64) int64 { return (a*b + unit/2) >> fractionBits }

// At returns the value at coordinates and a level of detail.
func (s *Sampler) At(at [3]float32, z int64, lod float64) Texel {
	last := len(s.Levels) - 1
	if !s.Mipmapped {
		return s.filtered(0, 0, at, z)
	}
	lod = math.Trunc(lod*unit)/unit + float64(s.Read.MipmapBias) // measured on an H200
	lod = max(float64(s.Read.MinLevel), min(lod, float64(s.Read.MaxLevel)))
	if math.IsNaN(lod) {
		lod = 0
	}
	lod = max(0, min(lod, float64(last)))
	if s.Read.MipmapFilter == driver.FilterPoint {
		return s.filtered(int(math.Floor(lod+0.5)), 0, at, z)
	}
	fixed := int(math.Floor(lod * unit))
	return s.filtered(fixed>>fractionBits, int64(fixed&(unit-1)), at, z)
}

// isSummed reports whether reads go through the filter's sum, even those of a single element.
func (s *Sampler) isSummed() bool {
	return s.Read.Filter == driver.FilterLinear || s.Mipmapped && s.Read.MipmapFilter == driver.FilterLinear
}

// filtered returns the value at coordinates of a level and the next one, whose weight is given.
func (s *Sampler) filtered(level int, weight int64, at [3]float32, z int64) Texel {
	if !s.isSummed() {
		return s.nearest(level, at, z)
	}
	var sum filterSum
	s.addPlanes(&sum, level, at, z, unit-weight)
	sum.first = sum.n
	if weight != 0 {
		s.addPlanes(&sum, level+1, at, z, weight)
	}
	return s.total(&sum)
}

// Gather returns one channel of the four elements that linear filtering would take at
// coordinates: below left, below right, above right, above left.
func (s *Sampler) Gather(at [3]float32, channel int) (v Texel) {
	m := &s.Levels[0]
	x, y := s.tap(0, at[0], m.Width, true), s.tap(1, at[1], m.Height, true)
	for n, corner := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		v[n] = s.Load(0, x.at[corner[0]], y.at[corner[1]], 0)[channel]
	}
	return v
}

// Face returns the face of a cube to which a direction points, and the coordinates there, from 0
// to 1.
//
// CUDA C++ Programming Guide, Cubemap Textures.
func Face(v [3]float32) (face int64, s, t float32) {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	var m, sc, tc float64
	switch {
	case ax > ay && ax > az && x >= 0:
		face, m, sc, tc = 0, ax, -z, -y
	case ax > ay && ax > az:
		face, m, sc, tc = 1, ax, z, -y
	case ay > az && y >= 0:
		face, m, sc, tc = 2, ay, x, z
	case ay > az:
		face, m, sc, tc = 3, ay, x, -z
	case z >= 0:
		face, m, sc, tc = 4, az, x, -y
	default:
		face, m, sc, tc = 5, az, -x, -y
	}
	if m == 0 { // there is no direction: the middle of a face
		return face, 0.5, 0.5
	}
	return face, float32((sc/m + 1) / 2), float32((tc/m + 1) / 2)
}
