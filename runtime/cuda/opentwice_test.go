package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestOpenedTwice: a GPU that was opened twice is two devices with one context.
func TestOpenedTwice(t *testing.T) {
	library := loadFake(t)
	first, err := cuda.Open(0)
	require.NoError(t, err)
	second, err := cuda.Open(0)
	require.NoError(t, err)
	require.NoError(t, small(first))
	require.NoError(t, small(second))
	s := newStream(t, second)
	x := upload(t, s, []float32{1})
	require.NoError(t, first.Close())
	require.NoError(t, small(second), "closing one closes nothing of the other")
	require.NoError(t, x.CopyTo(s, make([]float32, 1)))

	third, err := cuda.Open(0)
	require.NoError(t, err)
	library.FailLate(1, int(driver.ErrorIllegalAddress))
	s.Synchronize()
	require.ErrorIs(t, s.Synchronize(), cuda.ErrDeviceLost)
	assert.ErrorIs(t, third.Synchronize(), cuda.ErrDeviceLost, "they share the context")
	second.Close()
	third.Close()
	_, err = cuda.Open(0)
	assert.ErrorIs(t, err, cuda.ErrDeviceLost)
	library.Reset()
}

// TestSharedVariables: libraries of one image on one device share their variables while one of
// them is open; other devices, other images and later loads do not.
func TestSharedVariables(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		other := openSecond(t, dev)
		type loaded struct {
			lib   *cuda.Library
			s     *cuda.Stream
			scale cuda.Symbol[float32]
		}
		load := func(d *cuda.Device, image cuda.Image) loaded {
			lib, err := d.LoadLibrary(image)
			require.NoError(t, err)
			t.Cleanup(func() { lib.Close() })
			scale, err := cuda.LoadSymbol[float32](lib, "scale", "scale")
			require.NoError(t, err)
			return loaded{lib, newStream(t, d), scale}
		}
		get := func(l loaded) float32 {
			v, err := l.scale.Get(l.s)
			require.NoError(t, err)
			return v
		}
		image := variablesImage()
		changed := variant(image, "// another image\n")
		first, second, elsewhere, different := load(dev, image), load(dev, image), load(other, image), load(dev, changed)
		for i, l := range []loaded{first, elsewhere, different} {
			require.NoError(t, l.scale.Set(l.s, float32(i+1)))
		}
		assert.Equal(t, []float32{1, 1, 2, 3}, []float32{get(first), get(second), get(elsewhere), get(different)})

		require.NoError(t, first.lib.Close())
		assert.Equal(t, float32(1), get(second), "one of them is open")
		third := load(dev, image)
		assert.Equal(t, float32(1), get(third))
		require.NoError(t, second.lib.Close())
		require.NoError(t, third.lib.Close())
		assert.Zero(t, get(load(dev, image)), "it was loaded again")
	})
}
