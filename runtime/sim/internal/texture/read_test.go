package texture

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// opened returns a sampler of an array with the bytes.
func opened(t *testing.T, desc driver.ArrayDesc, read driver.TextureDesc, data []byte) Sampler {
	t.Helper()
	desc.Channels = max(desc.Channels, 1)
	a, r := NewArray(desc, 1<<40)
	require.Equal(t, driver.Success, r)
	tex := OfArray(a)
	tex.Read = read
	s, ok := tex.Open(func(_, n uint64) ([]byte, bool) { return data[:n], true })
	require.True(t, ok)
	return s
}

// counting is n bytes from 0 on.
func counting(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i)
	}
	return data
}

// TestLoadOutside: what lies beyond an edge in any dimension is the border, and nothing within is.
func TestLoadOutside(t *testing.T) {
	s := opened(t, driver.ArrayDesc{Width: 2, Height: 3, Depth: 4, Format: driver.FormatUint8}, driver.TextureDesc{Flags: driver.TextureReadAsInteger, Border: [4]float32{math.Float32frombits(200)}}, counting(24))
	for z := int64(-1); z <= 4; z++ {
		for y := int64(-1); y <= 3; y++ {
			for x := int64(-1); x <= 2; x++ {
				want := float64(x + 2*y + 6*z)
				if x < 0 || y < 0 || z < 0 || x == 2 || y == 3 || z == 4 {
					want = 200
				}
				assert.Equal(t, want, s.Load(0, x, y, z)[0], "%d %d %d", x, y, z)
			}
		}
	}
}

// TestFormats: an element is an integer, a number up to 1, or a floating-point number, with as many channels as it has.
func TestFormats(t *testing.T) {
	const integer = driver.TextureReadAsInteger
	for _, test := range []struct {
		format driver.ArrayFormat
		flags  uint32
		data   []byte // of two channels
		want   [2]float64
		bits   [2]uint32
	}{
		{driver.FormatUint8, integer, []byte{7, 255}, [2]float64{7, 255}, [2]uint32{7, 255}},
		{driver.FormatUint8, 0, []byte{51, 255}, [2]float64{0.2, 1}, [2]uint32{math.Float32bits(0.2), math.Float32bits(1)}},
		{driver.FormatInt8, integer, []byte{127, 128}, [2]float64{127, -128}, [2]uint32{127, 0xffffff80}},
		{driver.FormatInt8, 0, []byte{127, 128}, [2]float64{1, -1}, [2]uint32{math.Float32bits(1), math.Float32bits(-1)}},
		{driver.FormatUint16, integer, []byte{1, 2, 255, 255}, [2]float64{513, 65535}, [2]uint32{513, 65535}},
		{driver.FormatUint16, 0, []byte{0, 0, 255, 255}, [2]float64{0, 1}, [2]uint32{0, math.Float32bits(1)}},
		{driver.FormatInt16, integer, []byte{0, 128, 255, 127}, [2]float64{-32768, 32767}, [2]uint32{0xffff8000, 32767}},
		{driver.FormatInt16, 0, []byte{0, 128, 255, 127}, [2]float64{-1, 1}, [2]uint32{math.Float32bits(-1), math.Float32bits(1)}},
		{driver.FormatUint32, 0, []byte{1, 0, 0, 128, 2, 0, 0, 0}, [2]float64{1<<31 + 1, 2}, [2]uint32{1<<31 + 1, 2}},
		{driver.FormatInt32, 0, []byte{255, 255, 255, 255, 2, 0, 0, 0}, [2]float64{-1, 2}, [2]uint32{math.MaxUint32, 2}},
		{driver.FormatFloat16, 0, []byte{0, 0x3c, 0, 0xc0}, [2]float64{1, -2}, [2]uint32{math.Float32bits(1), math.Float32bits(-2)}},
		{driver.FormatFloat32, 0, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, [2]float64{1, -2}, [2]uint32{math.Float32bits(1), math.Float32bits(-2)}},
	} {
		s := opened(t, driver.ArrayDesc{Width: 1, Format: test.format, Channels: 2}, driver.TextureDesc{Flags: test.flags}, test.data)
		v := s.Load(0, 0, 0, 0)
		assert.Equal(t, Texel{test.want[0], test.want[1]}, v, "%d %d", test.format, test.flags)
		regs := s.Bits(v)
		assert.Equal(t, test.bits, [2]uint32(regs[:2]), "%d %d", test.format, test.flags)
	}
	// A NaN keeps its bits.
	s := opened(t, driver.ArrayDesc{Width: 1, Format: driver.FormatFloat32, Channels: 2}, driver.TextureDesc{}, []byte{0x45, 0x23, 0xc1, 0xff, 1, 0, 0x80, 0x7f})
	assert.Equal(t, [4]uint32{0xffc12345, 0x7f800001}, s.Bits(s.Load(0, 0, 0, 0)))
	s = opened(t, driver.ArrayDesc{Width: 1, Format: driver.FormatFloat16, Channels: 2}, driver.TextureDesc{}, []byte{0x01, 0xfe, 0x00, 0x7c})
	assert.Equal(t, [4]uint32{0xffc02000, 0x7f800000}, s.Bits(s.Load(0, 0, 0, 0)))
}

// TestElementAt: which element stands beyond an edge.
func TestElementAt(t *testing.T) {
	for mode, want := range map[uint32][]int64{ // of 3 elements, from -4 to 6
		driver.AddressWrap:   {2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
		driver.AddressClamp:  {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2},
		driver.AddressMirror: {2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0},
		driver.AddressBorder: {-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1},
	} {
		for n := range want {
			assert.Equal(t, want[n], elementAt(int64(n-4), 3, mode), "mode %d of %d", mode, n-4)
		}
	}
}

// TestFilters: elements are read by their middles, between which linear filtering interpolates in every dimension, and between levels.
func TestFilters(t *testing.T) {
	clamp := [3]uint32{driver.AddressClamp, driver.AddressClamp, driver.AddressClamp}
	point, linear := driver.TextureDesc{Address: clamp}, driver.TextureDesc{Address: clamp, Filter: driver.FilterLinear}
	floats := func(values ...float32) (data []byte) {
		for _, v := range values {
			bits := math.Float32bits(v)
			data = append(data, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
		return data
	}
	cube := opened(t, driver.ArrayDesc{Width: 2, Height: 2, Depth: 2, Format: driver.FormatFloat32}, linear, floats(0, 8, 16, 24, 64, 72, 80, 88))
	assert.Equal(t, 0.0, cube.At([3]float32{0.5, 0.5, 0.5}, 0, 0)[0])
	assert.Equal(t, 4.0, cube.At([3]float32{1, 0.5, 0.5}, 0, 0)[0])
	assert.Equal(t, 10.0, cube.At([3]float32{0.75, 1, 0.5}, 0, 0)[0])
	assert.Equal(t, 44.0, cube.At([3]float32{1, 1, 1}, 0, 0)[0])
	assert.Equal(t, 88.0, cube.At([3]float32{9, 9, 9}, 0, 0)[0])
	cube.Read = point
	assert.Equal(t, 88.0, cube.At([3]float32{1, 1, 1}, 0, 0)[0])
	assert.Equal(t, 72.0, cube.At([3]float32{1.5, 0.99, 1}, 0, 0)[0])
	assert.Equal(t, 0.0, cube.At([3]float32{-1, float32(math.NaN()), 0x1p-127}, 0, 0)[0])

	row := opened(t, driver.ArrayDesc{Width: 4, Format: driver.FormatUint8}, linear, []byte{0, 255, 0, 255})
	assert.Equal(t, 0.5, math.Round(row.At([3]float32{1}, 0, 0)[0]*256)/256)
	row.Read.Flags, row.Read.Address[0] = driver.TextureNormalized, driver.AddressWrap
	assert.Equal(t, 1.0, row.At([3]float32{-0.125}, 0, 0)[0])
	assert.Equal(t, 0.5, math.Round(row.At([3]float32{0}, 0, 0)[0]*256)/256, "the last and the first")

	first, r := NewArray(driver.ArrayDesc{Width: 2, Format: driver.FormatFloat32, Channels: 1}, 8)
	require.Equal(t, driver.Success, r)
	first.Addr = 1
	last := first.Level(1)
	last.Addr = 2
	tex := OfLevels([]*Array{first, last})
	tex.Read = driver.TextureDesc{Address: clamp, Flags: driver.TextureNormalized, MipmapFilter: driver.FilterLinear, MaxLevel: 9}
	s, ok := tex.Open(func(addr, n uint64) ([]byte, bool) {
		return map[uint64][]byte{1: floats(8, 8), 2: floats(16)}[addr][:n], true
	})
	require.True(t, ok)
	for lod, want := range map[float64]float64{-1: 8, 0: 8, 0.25: 10, 0.5: 12, 1: 16, 7: 16, math.NaN(): 8} {
		assert.Equal(t, want, s.At([3]float32{0.5}, 0, lod)[0], "level %v", lod)
	}
	s.Read.MinLevel, s.Read.MaxLevel, s.Read.MipmapBias = 0.25, 0.75, 0.125
	for lod, want := range map[float64]float64{-1: 10, 0.375: 12, 5: 14} {
		assert.Equal(t, want, s.At([3]float32{0.5}, 0, lod)[0], "level %v with limits", lod)
	}
	s.Read = driver.TextureDesc{Address: clamp, Flags: driver.TextureNormalized, MaxLevel: 9}
	for lod, want := range map[float64]float64{0.49: 8, 0.5: 16, 1: 16} {
		assert.Equal(t, want, s.At([3]float32{0.5}, 0, lod)[0], "nearest level to %v", lod)
	}
	assert.Equal(t, 1.0, s.Detail([3]float32{1}, [3]float32{0.5}), "two elements")
	assert.Equal(t, 2.0, s.Detail([3]float32{0.5}, [3]float32{2}), "four elements")
}

// TestFaces: a direction points to the face of its longest coordinate.
//
// CUDA C++ Programming Guide, Cubemap Textures.
func TestFaces(t *testing.T) {
	for _, test := range []struct {
		direction [3]float32
		face      int64
		s, t      float32
	}{
		{[3]float32{2, 1, 0}, 0, 0.5, 0.25}, {[3]float32{-2, 0, 1}, 1, 0.75, 0.5}, {[3]float32{1, 2, 0}, 2, 0.75, 0.5},
		{[3]float32{0, -2, 1}, 3, 0.5, 0.25}, {[3]float32{1, 1, 2}, 4, 0.75, 0.25}, {[3]float32{1, 0, -2}, 5, 0.25, 0.5},
		{[3]float32{1, 1, 1}, 4, 1, 0}, {[3]float32{1, 1, 0}, 2, 1, 0.5}, {[3]float32{}, 4, 0.5, 0.5},
	} {
		face, u, v := Face(test.direction)
		assert.Equal(t, test.face, face, test.direction)
		assert.Equal(t, [2]float32{test.s, test.t}, [2]float32{u, v}, test.direction)
	}
}

// TestSound: what the driver refuses of a texture, and what the simulated device does not know of one.
func TestSound(t *testing.T) {
	of := func(format driver.ArrayFormat, mipmapped bool, read driver.TextureDesc) *Texture {
		a, r := NewArray(driver.ArrayDesc{Width: 4, Height: 4, Format: format, Channels: 1}, 1<<10)
		require.Equal(t, driver.Success, r)
		tex := OfArray(a)
		tex.Read, tex.Mipmapped = read, mipmapped
		return tex
	}
	const float, byteFormat = driver.FormatFloat32, driver.FormatUint8
	for _, test := range []struct {
		tex   *Texture
		sound bool
	}{
		{of(float, false, driver.TextureDesc{}), true},
		{of(float, false, driver.TextureDesc{Filter: driver.FilterLinear}), true},
		{of(float, false, driver.TextureDesc{Filter: driver.FilterLinear + 1}), false},
		{of(float, false, driver.TextureDesc{MipmapFilter: driver.FilterLinear + 1}), false},
		{of(float, false, driver.TextureDesc{MaxAnisotropy: 16}), true},
		{of(float, false, driver.TextureDesc{MaxAnisotropy: 17}), false},
		{of(float, false, driver.TextureDesc{Flags: 1 << 30}), false},
		{of(float, false, driver.TextureDesc{Address: [3]uint32{0, 0, driver.AddressBorder}}), true},
		{of(float, false, driver.TextureDesc{Address: [3]uint32{0, 0, driver.AddressBorder + 1}}), false},
		{of(byteFormat, false, driver.TextureDesc{Filter: driver.FilterLinear}), true},
		{of(byteFormat, false, driver.TextureDesc{Filter: driver.FilterLinear, Flags: driver.TextureReadAsInteger}), false},
		{of(driver.FormatUint32, false, driver.TextureDesc{Filter: driver.FilterLinear}), false},
		{of(driver.FormatUint32, false, driver.TextureDesc{MipmapFilter: driver.FilterLinear}), true},
		{of(driver.FormatUint32, true, driver.TextureDesc{MipmapFilter: driver.FilterLinear, Flags: driver.TextureNormalized}), false},
		{of(float, true, driver.TextureDesc{}), false},
		{of(float, true, driver.TextureDesc{Flags: driver.TextureNormalized}), true},
		{of(byteFormat, false, driver.TextureDesc{Flags: driver.TextureSRGB}), true},
		{of(byteFormat, false, driver.TextureDesc{Flags: driver.TextureSRGB | driver.TextureReadAsInteger}), false},
		{of(float, false, driver.TextureDesc{Flags: driver.TextureSRGB}), false},
	} {
		assert.Equal(t, test.sound, test.tex.Sound(), "%+v", test.tex.Read)
	}
	border := func(v float32, flags uint32) driver.TextureDesc {
		return driver.TextureDesc{Address: [3]uint32{driver.AddressBorder, driver.AddressBorder}, Border: [4]float32{v}, Flags: flags}
	}
	gathered := of(driver.FormatInt8, false, border(0.5, 0))
	gathered.Gatherer = true
	for _, test := range []struct {
		tex  *Texture
		same bool
	}{
		{of(float, false, border(0.3, 0)), true},
		{of(float, false, border(0.3, driver.TextureSeamlessCube)), false},
		{of(byteFormat, false, border(1, 0)), true},
		{of(byteFormat, false, border(1, driver.TextureReadAsInteger)), true},
		{of(byteFormat, false, border(1.51/255, 0)), false},
		{of(byteFormat, false, driver.TextureDesc{Border: [4]float32{1.51 / 255}}), true},
		{of(byteFormat, false, border(1, driver.TextureSRGB)), false},
		{of(byteFormat, false, border(0, driver.TextureSRGB)), true},
		{of(driver.FormatInt8, false, border(0.5, 0)), true},
		{gathered, false},
	} {
		assert.Equal(t, test.same, test.tex.Simulated(), "%+v", test.tex.Read)
	}
}

// TestLargestMipmapped: an array of the largest size has levels.
func TestLargestMipmapped(t *testing.T) {
	a := &Array{Geometry: Geometry2D}
	a.Width, a.Height = maxMipmapped, 1
	assert.EqualValues(t, 16, a.MostLevels())
	a.Height = maxMipmapped + 1
	assert.Zero(t, a.MostLevels())
}
