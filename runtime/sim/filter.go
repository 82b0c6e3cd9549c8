package sim

import (
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// This file has the arithmetic of texture filtering. Where the manual leaves it open, this is the
// rule that the simulated device follows:
//
//   - A normalized coordinate is multiplied with the size exactly. Under point filtering the
//     element is that of the rounded-down coordinate.
//   - Under linear filtering the coordinate less one half is rounded to a multiple of 1/256, half
//     up. Its integer part is the first element, its fraction the weight of the second.
//   - The weights of several dimensions are multiplied exactly, the weighted elements are added
//     exactly, and the sum is rounded to a float once.
//
// CUDA C++ Programming Guide, Texture Fetching: weights have 9 bits, 8 of them of the fraction.

// fractionBits is how many bits of a coordinate filtering takes behind the point.
const fractionBits = 8

// unit is the weight 1.
const unit = 1 << fractionBits

// maxPosition bounds coordinates, in elements, so that they can be counted with.
const maxPosition = 1 << 40

// A tap is what filtering takes in one dimension: two elements and the weight of the second, in
// units of 1/256. An element of -1 is the border.
type tap struct {
	at     [2]int64
	weight int64
}

// position returns a coordinate in elements.
func (t *texture) position(u float32, n int64, mode uint32) float64 {
	p := float64(u)
	if t.isNormalized() || t.isCube() {
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

// isCube reports whether t has the faces of cubes. Filtering stays inside of a face.
func (t *texture) isCube() bool { return t.geometry == geometryCube || t.geometry == geometryACube }

// mode returns the address mode of a dimension: repetition is for normalized coordinates only.
func (t *texture) mode(dim int) uint32 {
	mode := t.read.Address[dim]
	if t.isCube() {
		return driver.AddressClamp
	}
	if !t.isNormalized() && (mode == driver.AddressWrap || mode == driver.AddressMirror) {
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
func (t *texture) tap(dim int, u float32, n int64, linear bool) tap {
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
func (s *sampler) filtered(level int, at [3]float32, z int64) texel {
	m := &s.levels[level]
	sizes, dims := [3]int64{m.width, m.height, m.depth}, s.geometry.dims()
	var taps [3]tap
	for dim := range dims {
		taps[dim] = s.tap(dim, at[dim], sizes[dim], s.read.Filter == driver.FilterLinear)
	}
	if dims < 3 {
		taps[2].at[0] = z
	}
	if s.read.Filter == driver.FilterPoint {
		return s.load(level, taps[0].at[0], taps[1].at[0], taps[2].at[0])
	}
	var sum texel
	for corner := range 1 << dims {
		weight, place := int64(1), [3]int64{0, 0, taps[2].at[0]}
		for dim := range dims {
			second := corner >> dim & 1
			place[dim] = taps[dim].at[second]
			if second == 1 {
				weight *= taps[dim].weight
			} else {
				weight *= unit - taps[dim].weight
			}
		}
		if weight == 0 {
			continue
		}
		for c, v := range s.load(level, place[0], place[1], place[2]) {
			sum[c] += v * float64(weight)
		}
	}
	for c := range sum {
		sum[c] = math.Ldexp(sum[c], -fractionBits*dims)
	}
	return sum
}

// at returns the value at coordinates and a level of detail.
func (s *sampler) at(at [3]float32, z int64, lod float64) texel {
	last := len(s.levels) - 1
	if !s.mipmapped {
		return s.filtered(0, at, z)
	}
	lod += float64(s.read.MipmapBias)
	lod = max(float64(s.read.MinLevel), min(lod, float64(s.read.MaxLevel)))
	if math.IsNaN(lod) {
		lod = 0
	}
	lod = max(0, min(lod, float64(last)))
	if s.read.MipmapFilter == driver.FilterPoint {
		return s.filtered(int(math.Floor(lod+0.5)), at, z)
	}
	fixed := int(math.Floor(lod*unit + 0.5))
	level, weight := fixed>>fractionBits, float64(fixed&(unit-1))
	first := s.filtered(level, at, z)
	if weight == 0 {
		return first
	}
	for c, v := range s.filtered(level+1, at, z) {
		first[c] = (first[c]*(unit-weight) + v*weight) / unit
	}
	return first
}

// detail returns the level of detail of what the derivatives of coordinates cover.
func (s *sampler) detail(dx, dy [3]float32) float64 {
	m := &s.levels[0]
	sizes := [3]float64{float64(m.width), float64(m.height), float64(m.depth)}
	length := func(d [3]float32) (sum float64) {
		for dim := range s.geometry.dims() {
			v := float64(d[dim]) * sizes[dim]
			sum += v * v
		}
		return sum
	}
	return math.Log2(max(length(dx), length(dy))) / 2
}

// gather returns one channel of the four elements that linear filtering would take at
// coordinates: below left, below right, above right, above left.
func (s *sampler) gather(at [3]float32, channel int) (v texel) {
	m := &s.levels[0]
	x, y := s.tap(0, at[0], m.width, true), s.tap(1, at[1], m.height, true)
	for n, corner := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		v[n] = s.load(0, x.at[corner[0]], y.at[corner[1]], 0)[channel]
	}
	return v
}

// face returns the face of a cube to which a direction points, and the coordinates there, from 0
// to 1.
//
// CUDA C++ Programming Guide, Cubemap Textures.
func face(v [3]float32) (face int64, s, t float32) {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	var m, sc, tc float64
	switch {
	case ax >= ay && ax >= az && x >= 0:
		face, m, sc, tc = 0, ax, -z, -y
	case ax >= ay && ax >= az:
		face, m, sc, tc = 1, ax, z, -y
	case ay >= az && y >= 0:
		face, m, sc, tc = 2, ay, x, z
	case ay >= az:
		face, m, sc, tc = 3, ay, x, -z
	case z >= 0:
		face, m, sc, tc = 4, az, x, -y
	default:
		face, m, sc, tc = 5, az, -x, -y
	}
	return face, float32((sc/m + 1) / 2), float32((tc/m + 1) / 2)
}
