package sim

import (
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A texture is a texture object.
type texture struct {
	elements
	geometry
	levels    []image // the first that can be read, and those behind it
	linear    bool    // memory with one dimension, which is fetched by integers only
	read      driver.TextureDesc
	gatherer  bool
	mipmapped bool
}

// A surface is a surface object.
type surface struct {
	elements
	geometry
	image
}

// isNormalized reports whether coordinates are from 0 to 1.
func (t *texture) isNormalized() bool { return t.read.Flags&driver.TextureNormalized != 0 }

// asInteger reports whether the texture returns integers.
func (t *texture) asInteger() bool {
	return !t.elements.isFloat() && (t.read.Flags&driver.TextureReadAsInteger != 0 || t.format.Bytes() == 4)
}

// sound reports whether t is one that the driver makes.
//
// CUDA Driver API, cuTexObjectCreate.
func (t *texture) sound() bool {
	r := &t.read
	const flags = driver.TextureReadAsInteger | driver.TextureNormalized | driver.TextureSRGB | driver.TextureNoTrilinear | driver.TextureSeamlessCube
	for _, mode := range r.Address {
		if mode > driver.AddressBorder {
			return false
		}
	}
	filters := r.Filter == driver.FilterLinear || r.MipmapFilter == driver.FilterLinear && t.mipmapped
	switch {
	case r.Flags&^flags != 0, r.Filter > driver.FilterLinear, r.MipmapFilter > driver.FilterLinear, r.MaxAnisotropy > 16,
		filters && t.asInteger(), t.mipmapped && !t.isNormalized(), r.Flags&driver.TextureSRGB != 0 && (t.format != driver.FormatUint8 || t.asInteger()):
		return false
	}
	return true
}

// isLinearized reports whether channel c is a colour of sRGB, and not the opacity.
func (t *texture) isLinearized(c int) bool { return t.read.Flags&driver.TextureSRGB != 0 && c < 3 }

// simulated reports whether the simulated device can read t as a GPU does. What a GPU makes of a
// border's colour where elements are colours of sRGB was not measured.
func (t *texture) simulated() bool {
	bordered := slices.Contains(t.read.Address[:t.geometry.dims()], driver.AddressBorder) && t.read.Border != [4]float32{}
	return t.read.Flags&driver.TextureSeamlessCube == 0 && !(bordered && t.read.Flags&driver.TextureSRGB != 0)
}

// TexObjectCreate makes no textures with a view of another format, none that is seamless, and none
// of sRGB with a border's colour.
func (d *device) TexObjectCreate(of driver.ResourceDesc, read driver.TextureDesc, view driver.ResourceViewDesc) (driver.TexObject, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	t, r := d.textureOf(of)
	if r != driver.Success {
		return 0, r
	}
	t.read = read
	switch {
	case !t.sound():
		return 0, driver.ErrorInvalidValue
	case !t.simulated() || view.Format != 0:
		return 0, driver.ErrorNotSupported
	}
	created := handle()
	d.mem.textures.Store(uint64(created), t)
	return driver.TexObject(created), driver.Success
}

// textureOf returns a texture of a resource, without what says how it is read.
func (d *device) textureOf(of driver.ResourceDesc) (*texture, driver.Result) {
	switch of.Type {
	case driver.ArrayResource:
		d.mu.Lock()
		defer d.mu.Unlock()
		a := d.textures.arrays[of.Array]
		if a == nil {
			return nil, driver.ErrorInvalidHandle
		}
		return &texture{elements: a.elements, geometry: a.geometry, levels: []image{a.image}, gatherer: a.flags&driver.ArrayGather != 0}, driver.Success
	case driver.MipmappedResource:
		d.mu.Lock()
		defer d.mu.Unlock()
		m := d.textures.mipmapped[of.Mipmapped]
		if m == nil {
			return nil, driver.ErrorInvalidHandle
		}
		t := &texture{elements: m.levels[0].elements, geometry: m.levels[0].geometry, mipmapped: true, gatherer: m.levels[0].flags&driver.ArrayGather != 0}
		for _, l := range m.levels {
			t.levels = append(t.levels, l.image)
		}
		return t, driver.Success
	}
	t := &texture{elements: elements{of.Format, int(of.Channels)}}
	size := t.elements.bytes()
	if size == 0 || of.Device%textureAlignment != 0 {
		return nil, driver.ErrorInvalidValue
	}
	switch of.Type {
	case driver.LinearResource:
		n := of.Bytes / size
		if n == 0 || n > maxLinearElements {
			return nil, driver.ErrorInvalidValue
		}
		t.geometry, t.linear = geometry1D, true
		t.levels = []image{{uint64(of.Device), int64(n), 1, 1, n * size, n * size}}
	case driver.PitchedResource:
		if of.Width == 0 || of.Width > maxPitchedWidth || of.Height == 0 || of.Height > maxPitchedHeight ||
			of.PitchBytes%texturePitchAlignment != 0 || of.PitchBytes > maxPitchBytes || of.PitchBytes < of.Width*size {
			return nil, driver.ErrorInvalidValue
		}
		t.geometry = geometry2D
		t.levels = []image{{uint64(of.Device), int64(of.Width), int64(of.Height), 1, of.PitchBytes, of.PitchBytes * of.Height}}
	default:
		return nil, driver.ErrorInvalidValue
	}
	if _, ok := memoryOf(t.levels[0].addr, t.levels[0].size(size)); !ok {
		return nil, driver.ErrorInvalidValue
	}
	return t, driver.Success
}

func (d *device) TexObjectDestroy(t driver.TexObject) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	if _, known := d.mem.textures.LoadAndDelete(uint64(t)); !known {
		return driver.ErrorInvalidHandle
	}
	return driver.Success
}

func (d *device) SurfObjectCreate(of driver.ResourceDesc) (driver.SurfObject, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.textures.arrays[of.Array]
	switch {
	case of.Type != driver.ArrayResource:
		return 0, driver.ErrorInvalidValue
	case a == nil:
		return 0, driver.ErrorInvalidHandle
	case a.flags&driver.ArraySurface == 0:
		return 0, driver.ErrorInvalidValue
	}
	created := handle()
	d.mem.surfaces.Store(uint64(created), &surface{elements: a.elements, geometry: a.geometry, image: a.image})
	return driver.SurfObject(created), driver.Success
}

func (d *device) SurfObjectDestroy(s driver.SurfObject) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	if _, known := d.mem.surfaces.LoadAndDelete(uint64(s)); !known {
		return driver.ErrorInvalidHandle
	}
	return driver.Success
}

// forgetTextures drops what a context has of arrays, textures and surfaces; the memory is the
// context's anyway. d.mu is held.
func (d *device) forgetTextures() {
	d.textures = textureTable{}
	d.mem.textures.Clear()
	d.mem.surfaces.Clear()
}

// A sampler reads a texture whose memory was found.
type sampler struct {
	*texture
	data [][]byte // of the levels
}

// sample opens t for reading. It reports false if its memory was freed.
func (t *texture) sample() (s sampler, ok bool) {
	s.texture = t
	for n := range t.levels {
		data, ok := memoryOf(t.levels[n].addr, t.levels[n].size(t.elements.bytes()))
		if !ok {
			return s, false
		}
		s.data = append(s.data, data)
	}
	return s, true
}

// load returns the element at a place of a level, as the texture converts it. Where there is
// none it is the border's colour.
func (s *sampler) load(level int, x, y, z int64) (v texel) {
	m := &s.levels[level]
	if x < 0 || y < 0 || z < 0 || x >= m.width || y >= m.height || z >= m.depth {
		return s.border()
	}
	data := s.data[level][uint64(z)*m.plane+uint64(y)*m.pitch+uint64(x)*s.elements.bytes():]
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

// loadForFilter is load in the units that a filter adds.
func (s *sampler) loadForFilter(level int, x, y, z int64) (v texel) {
	m := &s.levels[level]
	inside := x >= 0 && y >= 0 && z >= 0 && x < m.width && y < m.height && z < m.depth
	v = s.load(level, x, y, z)
	if s.elements.isFloat() {
		return v
	}
	for c := range s.channels {
		switch {
		case s.isLinearized(c):
		case inside && s.format == driver.FormatInt8: // -128 is not -1 yet
			v[c] = s.elements.channel(s.data[level][uint64(z)*m.plane+uint64(y)*m.pitch+uint64(x)*s.elements.bytes():], c)
		default:
			v[c] = math.Round(v[c] * s.filterUnits())
		}
	}
	return v
}

// border returns the border's colour. Of integers it is what an element keeps of the bits of its
// numbers.
func (s *sampler) border() (v texel) {
	for c := range s.channels {
		v[c] = float64(s.read.Border[c])
		if s.asInteger() {
			v[c] = s.elements.wrapped(math.Float32bits(s.read.Border[c]))
		}
	}
	return v
}

// bits returns what an instruction writes to its registers.
func (s *sampler) bits(v texel) (regs [4]uint32) {
	for c := range regs {
		if s.asInteger() {
			regs[c] = uint32(int64(v[c]))
		} else {
			regs[c] = narrowed(v[c])
		}
	}
	return regs
}
