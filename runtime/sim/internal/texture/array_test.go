package texture

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestNewArray: the flags and dimensions of an array say what shape it has.
func TestNewArray(t *testing.T) {
	const layered, cube = driver.ArrayLayered, driver.ArrayCube
	for want, d := range map[Geometry]driver.ArrayDesc{
		Geometry1D:    {Width: 7},
		Geometry2D:    {Width: 7, Height: 5},
		Geometry3D:    {Width: 7, Height: 5, Depth: 3},
		GeometryA1D:   {Width: 7, Depth: 3, Flags: layered},
		GeometryA2D:   {Width: 7, Height: 5, Depth: 3, Flags: layered},
		GeometryCube:  {Width: 7, Height: 7, Depth: 6, Flags: cube},
		GeometryACube: {Width: 7, Height: 7, Depth: 12, Flags: cube | layered},
		"":            {Width: 7, Height: 5, Depth: 6, Flags: cube}, // faces are squares
	} {
		d.Format, d.Channels = driver.FormatFloat32, 2
		a, r := NewArray(d, 1<<20)
		require.Equal(t, want == "", r == driver.ErrorInvalidValue, want)
		if r != driver.Success {
			continue
		}
		assert.Equal(t, want, a.Geometry)
		bytes := 8 * d.Width * max(d.Height, 1) * max(d.Depth, 1)
		assert.EqualValues(t, bytes, a.TotalBytes(), want)
		_, r = NewArray(d, bytes-1)
		assert.Equal(t, driver.ErrorOutOfMemory, r, want)
		d.Channels = 3
		_, r = NewArray(d, 1<<20)
		assert.Equal(t, driver.ErrorInvalidValue, r, "%s of three channels", want)
	}
}

// TestLevels: every dimension but that of layers is halved.
func TestLevels(t *testing.T) {
	for _, test := range []struct {
		desc   driver.ArrayDesc
		levels uint32
		last   [3]int64
	}{
		{driver.ArrayDesc{Width: 9, Height: 2}, 4, [3]int64{1, 1, 1}},
		{driver.ArrayDesc{Width: 4, Height: 4, Depth: 16}, 5, [3]int64{1, 1, 1}},
		{driver.ArrayDesc{Width: 4, Height: 4, Depth: 16, Flags: driver.ArrayLayered}, 3, [3]int64{1, 1, 16}},
		{driver.ArrayDesc{Width: maxMipmapped + 1, Height: 1}, 0, [3]int64{}},
	} {
		test.desc.Format, test.desc.Channels = driver.FormatUint8, 1
		a, r := NewArray(test.desc, 1<<30)
		require.Equal(t, driver.Success, r)
		require.Equal(t, test.levels, a.MostLevels(), test.desc)
		if test.levels > 0 {
			last := a.Level(int(test.levels) - 1)
			assert.Equal(t, test.last, [3]int64{last.Width, last.Height, last.Depth}, test.desc)
			assert.True(t, last.Part)
			assert.False(t, a.Part)
		}
	}
}

// TestFreedMemory: what reads a texture or a surface hears when its memory is gone.
func TestFreedMemory(t *testing.T) {
	a, r := NewArray(driver.ArrayDesc{Width: 2, Format: driver.FormatUint8, Channels: 1}, 2)
	require.Equal(t, driver.Success, r)
	there := func(_, n uint64) ([]byte, bool) { return []byte{7, 9}[:n], true }
	freed := func(uint64, uint64) ([]byte, bool) { return nil, false }
	s, ok := OfArray(a).Open(there)
	require.True(t, ok)
	assert.Equal(t, Texel{9.0 / 255}, s.Load(0, 1, 0, 0))
	assert.Equal(t, Texel{}, s.Load(0, 2, 0, 0), "the border")
	_, ok = OfArray(a).Open(freed)
	assert.False(t, ok)
	data, ok := SurfaceOf(a).Open(there)
	assert.True(t, ok)
	assert.Equal(t, []byte{7, 9}, data)
	_, ok = SurfaceOf(a).Open(freed)
	assert.False(t, ok)
}
