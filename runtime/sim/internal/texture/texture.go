package texture

import (
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Texture is a texture object.
type Texture struct {
	elements
	Geometry
	Levels    []Image // the first that can be read, and those behind it
	Linear    bool    // memory with one dimension, which is fetched by integers only
	Read      driver.TextureDesc
	Gatherer  bool
	Mipmapped bool
}

// A Surface is a surface object.
type Surface struct {
	elements
	Geometry
	Image
}

// OfArray returns a texture of an array. How it is read is left to the caller.
func OfArray(a *Array) *Texture {
	return &Texture{elements: a.elements, Geometry: a.Geometry, Levels: []Image{a.Image}, Gatherer: a.Flags&driver.ArrayGather != 0}
}

// OfLevels returns a texture of the levels of a mipmapped array.
func OfLevels(levels []*Array) *Texture {
	t := OfArray(levels[0])
	t.Mipmapped = true
	for _, l := range levels[1:] {
		t.Levels = append(t.Levels, l.Image)
	}
	return t
}

// OfMemory returns a texture of linear or pitched memory, or false if there is none of that description.
//
// CUDA Driver API, cuTexObjectCreate.
func OfMemory(of driver.ResourceDesc) (t *Texture, ok bool) {
	t = &Texture{elements: elements{of.Format, int(of.Channels)}}
	size := t.elements.bytes()
	if size == 0 || of.Device%textureAlignment != 0 {
		return nil, false
	}
	switch of.Type {
	case driver.LinearResource:
		n := of.Bytes / size
		if n == 0 || n > maxLinearElements {
			return nil, false
		}
		t.Geometry, t.Linear = Geometry1D, true
		t.Levels = []Image{{uint64(of.Device), int64(n), 1, 1, n * size, n * size}}
	case driver.PitchedResource:
		if of.Width == 0 || of.Width > maxPitchedWidth || of.Height == 0 || of.Height > maxPitchedHeight ||
			of.PitchBytes%texturePitchAlignment != 0 || of.PitchBytes > maxPitchBytes || of.PitchBytes < of.Width*size {
			return nil, false
		}
		t.Geometry = Geometry2D
		t.Levels = []Image{{uint64(of.Device), int64(of.Width), int64(of.Height), 1, of.PitchBytes, of.PitchBytes * of.Height}}
	default:
		return nil, false
	}
	return t, true
}

// SurfaceOf returns a surface of an array.
func SurfaceOf(a *Array) *Surface {
	return &Surface{elements: a.elements, Geometry: a.Geometry, Image: a.Image}
}

// Open returns the elements of s. memory returns n bytes at an address, or false if they do not exist:
// so does open if the memory of s was freed.
func (s *Surface) Open(memory func(addr, n uint64) ([]byte, bool)) (data []byte, ok bool) {
	return memory(s.Addr, s.size(s.elements.bytes()))
}

// IsNormalized reports whether coordinates are from 0 to 1.
func (t *Texture) IsNormalized() bool { return t.Read.Flags&driver.TextureNormalized != 0 }

// asInteger reports whether the texture returns integers.
func (t *Texture) asInteger() bool {
	return !t.elements.isFloat() && (t.Read.Flags&driver.TextureReadAsInteger != 0 || t.format.Bytes() == 4)
}

// Sound reports whether t is one that the driver makes.
//
// CUDA Driver API, cuTexObjectCreate.
func (t *Texture) Sound() bool {
	r := &t.Read
	const flags = driver.TextureReadAsInteger | driver.TextureNormalized | driver.TextureSRGB | driver.TextureNoTrilinear | driver.TextureSeamlessCube
	for _, mode := range r.Address {
		if mode > driver.AddressBorder {
			return false
		}
	}
	filters := r.Filter == driver.FilterLinear || r.MipmapFilter == driver.FilterLinear && t.Mipmapped
	switch {
	case r.Flags&^flags != 0, r.Filter > driver.FilterLinear, r.MipmapFilter > driver.FilterLinear, r.MaxAnisotropy > 16,
		filters && t.asInteger(), t.Mipmapped && !t.IsNormalized(), r.Flags&driver.TextureSRGB != 0 && (t.format != driver.FormatUint8 || t.asInteger()):
		return false
	}
	return true
}

// isLinearized reports whether channel c is a colour of sRGB, and not the opacity.
func (t *Texture) isLinearized(c int) bool { return t.Read.Flags&driver.TextureSRGB != 0 && c < 3 }

// Simulated reports whether the simulated device can read t as a GPU does.
func (t *Texture) Simulated() bool {
	return t.Read.Flags&driver.TextureSeamlessCube == 0 && (!t.bordered() || t.isBorderKnown())
}

// bordered reports whether t can be read beyond an edge with a border that is not 0.
func (t *Texture) bordered() bool {
	return slices.Contains(t.Read.Address[:t.Geometry.Dims()], driver.AddressBorder) && t.Read.Border != [4]float32{}
}

// isBorderKnown reports whether measurements say what a GPU makes of the border's colour. None were
// made of sRGB, and gathered int8 has another border than what is read.
func (t *Texture) isBorderKnown() bool {
	if t.Read.Flags&driver.TextureSRGB != 0 {
		return false
	}
	if t.elements.isFloat() || t.asInteger() {
		return true
	}
	for _, v := range t.Read.Border[:t.channels] {
		n, isSure := t.quantized(v)
		if !isSure || t.Gatherer && t.format == driver.FormatInt8 && n != 0 && math.Abs(n) != math.MaxInt8 {
			return false
		}
	}
	return true
}

// A Sampler reads a texture whose memory was found.
type Sampler struct {
	*Texture
	data [][]byte // of the levels
}

// Open opens t for reading. memory returns n bytes at an address, or false if they do not exist:
// so does open if the memory of t was freed.
func (t *Texture) Open(memory func(addr, n uint64) ([]byte, bool)) (s Sampler, ok bool) {
	s.Texture = t
	for n := range t.Levels {
		data, ok := memory(t.Levels[n].Addr, t.Levels[n].size(t.elements.bytes()))
		if !ok {
			return s, false
		}
		s.data = append(s.data, data)
	}
	return s, true
}

// Load returns the element at a place of a level, as the texture converts it. Where there is
// none it is the border's colour.
func (s *Sampler) Load(level int, x, y, z int64) (v Texel) {
	m := &s.Levels[level]
	if x < 0 || y < 0 || z < 0 || x >= m.Width || y >= m.Height || z >= m.Depth {
		return s.border()
	}
	data := s.data[level][uint64(z)*m.Plane+uint64(y)*m.Pitch+uint64(x)*s.elements.bytes():]
	if !s.asInteger() {
		for c := range s.channels {
			v[c] = s.elements.channel(data, c)
			if !s.elements.isFloat() {
				v[c] = s.normalized(v[c])
			}
			if s.isLinearized(c) {
				v[c] = linears[data[c]]
			}
		}
		return v
	}
	for c := range s.channels {
		v[c] = s.elements.channel(data, c)
	}
	return v
}

// loadForFilter is Load in the units that a filter adds.
func (s *Sampler) loadForFilter(level int, x, y, z int64) (v Texel) {
	m := &s.Levels[level]
	v = s.Load(level, x, y, z)
	if s.elements.isFloat() {
		return v
	}
	inside := x >= 0 && y >= 0 && z >= 0 && x < m.Width && y < m.Height && z < m.Depth
	for c := range s.channels {
		switch {
		case s.isLinearized(c):
		case inside: // the smallest integer is not -1 yet
			v[c] = s.elements.channel(s.data[level][uint64(z)*m.Plane+uint64(y)*m.Pitch+uint64(x)*s.elements.bytes():], c) * s.filterUnits()
		default:
			n, _ := s.quantized(s.Read.Border[c])
			v[c] = n * s.filterUnits()
		}
	}
	return v
}

// quantized returns the integer of the format that a number of the border's colour becomes. An H200 was asked for 236
// numbers in each format: it rounds to the nearest integer, halves towards zero, but does the same with
// what is slightly more than a half. Where that ends is known only as far as isSure says.
func (e elements) quantized(v float32) (n float64, isSure bool) {
	least, one := e.normalizedRange()
	exact := max(least, min(float64(v)*one, one))
	n, part := math.Modf(math.Abs(exact))
	const down, up = 0.5008, 0.55 // 0.50084 was rounded up, 0.5350 down
	if part > down {
		n++
	}
	return math.Copysign(n, exact), part <= down || part >= up
}

// border returns the border's colour. Of integers it is what an element keeps of the bits of its
// numbers.
func (s *Sampler) border() (v Texel) {
	for c := range s.channels {
		switch v[c] = float64(s.Read.Border[c]); {
		case s.asInteger():
			v[c] = s.elements.wrapped(math.Float32bits(s.Read.Border[c]))
		case !s.elements.isFloat():
			n, _ := s.quantized(s.Read.Border[c])
			v[c] = s.normalized(n)
		}
	}
	return v
}

// Bits returns what an instruction writes to its registers.
func (s *Sampler) Bits(v Texel) (regs [4]uint32) {
	for c := range regs {
		if s.asInteger() {
			regs[c] = uint32(int64(v[c]))
		} else {
			regs[c] = narrowed(v[c])
		}
	}
	return regs
}
