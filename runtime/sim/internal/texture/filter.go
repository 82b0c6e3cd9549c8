package texture

import (
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// This file has the arithmetic of texture filtering. The manual leaves most of it open. These rules
// were measured on an H200, bit by bit:
//
//   - A coordinate that is not a normal number is zero.
//   - A normalized coordinate is rounded down to a multiple of 2^-21, then multiplied with the size
//     exactly. Under point filtering the element is that of the rounded-down coordinate.
//   - Under linear filtering the coordinate less one half is rounded to a multiple of 1/256, half
//     up. Its integer part is the first element, its fraction the weight of the second.
//   - The weights of several dimensions are multiplied and rounded to multiples of 1/256, so that
//     their sum is one. Those of three dimensions are not all known.
//   - The elements are cut to 27 bits behind the first bit of the largest one that has a weight.
//     They are weighted and added exactly, and the sum is rounded to a float once, half away from
//     zero. Of Float16 it is 14 bits, and the sum is rounded to a Float16.
//   - Integers of 8 and 16 bits that are read as numbers are filtered as integers of 16 bits, and
//     their sum is rounded to one, half up.

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
	i := fixed >> fractionBits
	return tap{[2]int64{elementAt(i, n, mode), elementAt(i+1, n, mode)}, fixed & (unit - 1)}
}

// filtered returns the filtered value at coordinates of one level, before it is rounded. z is the
// layer or the face of what has some.
func (s *Sampler) filtered(level int, at [3]float32, z int64) Texel {
	m := &s.Levels[level]
	sizes, dims := [3]int64{m.Width, m.Height, m.Depth}, s.Geometry.Dims()
	var taps [3]tap
	for dim := range dims {
		taps[dim] = s.tap(dim, at[dim], sizes[dim], s.Read.Filter == driver.FilterLinear)
	}
	if dims < 3 {
		taps[2].at[0] = z
	}
	if s.Read.Filter == driver.FilterPoint {
		return s.Load(level, taps[0].at[0], taps[1].at[0], taps[2].at[0])
	}
	weights := weightsOf(taps[:dims])
	var corners [8]Texel
	for corner, weight := range weights[:1<<dims] {
		place := [3]int64{0, 0, taps[2].at[0]}
		for dim := range dims {
			place[dim] = taps[dim].at[corner>>dim&1]
		}
		if weight != 0 {
			corners[corner] = s.Load(level, place[0], place[1], place[2])
		}
	}
	return s.weighted(corners[:1<<dims], weights[:1<<dims])
}

// weightsOf returns the weights of the corners: bit n of an index is the element in dimension n.
func weightsOf(taps []tap) (weights [8]int64) {
	x := taps[0].weight
	if len(taps) == 1 {
		return [8]int64{unit - x, x}
	}
	y := taps[1].weight
	if len(taps) == 2 {
		both := weightProduct(x, y)
		return [8]int64{unit - x - y + both, x - both, y - both, both}
	}
	z := taps[2].weight
	both := weightProduct(x, z)
	for n, across := range [4]int64{unit - x - z + both, x - both, z - both, both} {
		second := weightProduct(across, y)
		first := n&1 | n>>1<<2
		weights[first], weights[first|2] = across-second, second
	}
	return weights
}

// weightProduct multiplies weights and rounds half up.
func weightProduct(a, b int64) int64 { return (a*b + unit/2) >> fractionBits }

// weighted adds weighted elements.
func (s *Sampler) weighted(elements []Texel, weights []int64) (sum Texel) {
	if units := s.filterUnits(); units != 0 {
		for c := range sum {
			for n, weight := range weights {
				sum[c] += math.Round(elements[n][c]*units) * float64(weight)
			}
			sum[c] = math.Floor(sum[c]/unit+0.5) / units
		}
		return sum
	}
	for c := range sum {
		sum[c] = math.Copysign(0, -1)
		largest, finite := 0.0, true
		for n, weight := range weights {
			if v := math.Abs(elements[n][c]); weight != 0 {
				largest = max(largest, v)
				finite = finite && v <= math.MaxFloat32
			}
		}
		step := 0.0
		if finite && largest != 0 {
			step = math.Ldexp(1, math.Ilogb(largest)-s.elementBits())
		}
		for n, weight := range weights {
			if weight == 0 {
				continue
			}
			v := elements[n][c]
			if step != 0 {
				v = math.Trunc(v/step) * step
			}
			sum[c] += v * float64(weight)
		}
		sum[c] = s.rounded(sum[c] / unit)
	}
	return sum
}

// filterUnits returns how many units the number 1 has where integers are filtered as such, or 0.
func (e elements) filterUnits() float64 {
	switch e.format {
	case driver.FormatUint8, driver.FormatUint16:
		return math.MaxUint16
	case driver.FormatInt8, driver.FormatInt16:
		return math.MaxInt16
	}
	return 0
}

// elementBits is how many bits behind the first one of the largest element filtering looks at.
func (e elements) elementBits() int {
	if e.format == driver.FormatFloat16 {
		return 14
	}
	return 27
}

// rounded returns the number that a filtered sum is read as. That of Float16 is a Float16;
// a number too small to be normal is zero, and there is one NaN.
func (e elements) rounded(v float64) float64 {
	switch {
	case v != v && e.format == driver.FormatFloat16:
		return widened(0x7fffe000)
	case v != v:
		return widened(math.MaxInt32)
	case math.Abs(v) < smallestNormal:
		return math.Copysign(0, v)
	case e.format == driver.FormatFloat16 && v != 0 && !math.IsInf(v, 0):
		step := math.Ldexp(1, max(math.Ilogb(v)-10, -24))
		return math.Round(v/step) * step
	}
	return roundedAway(v)
}

// roundedAway returns the float nearest to v; of two, that which is further away from zero.
func roundedAway(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	step := math.Ldexp(1, math.Ilogb(v)-23)
	return math.Round(v/step) * step
}

// At returns the value at coordinates and a level of detail.
func (s *Sampler) At(at [3]float32, z int64, lod float64) Texel {
	last := len(s.Levels) - 1
	if !s.Mipmapped {
		return s.filtered(0, at, z)
	}
	lod = math.Trunc(lod*unit)/unit + float64(s.Read.MipmapBias) // measured on an H200
	lod = max(float64(s.Read.MinLevel), min(lod, float64(s.Read.MaxLevel)))
	if math.IsNaN(lod) {
		lod = 0
	}
	lod = max(0, min(lod, float64(last)))
	if s.Read.MipmapFilter == driver.FilterPoint {
		return s.filtered(int(math.Floor(lod+0.5)), at, z)
	}
	fixed := int(math.Floor(lod * unit))
	level, weight := fixed>>fractionBits, int64(fixed&(unit-1))
	first := s.filtered(level, at, z)
	if weight == 0 {
		return first
	}
	for c, v := range s.filtered(level+1, at, z) {
		first[c] = (first[c]*float64(unit-weight) + v*float64(weight)) / unit
		if !s.asInteger() {
			first[c] = roundedAway(first[c])
		}
	}
	return first
}

// Detail returns the level of detail of what the derivatives of coordinates cover.
func (s *Sampler) Detail(dx, dy [3]float32) float64 {
	m := &s.Levels[0]
	sizes := [3]float64{float64(m.Width), float64(m.Height), float64(m.Depth)}
	length := func(d [3]float32) (sum float64) {
		for dim := range s.Geometry.Dims() {
			v := float64(d[dim]) * sizes[dim]
			sum += v * v
		}
		return sum
	}
	return math.Log2(max(length(dx), length(dy))) / 2
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
