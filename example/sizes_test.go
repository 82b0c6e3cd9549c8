package example_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A launch with a negative size is an error that names the kernel, the directive, the
// parameter and its value, also for products of two negative numbers and of sizes that do
// not fit.
func TestSizesThatCannotBe(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	k, err := example.LoadKernels(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	image, err := cuda.Alloc[vec.UChar4](s, 1)
	require.NoError(t, err)
	defer image.Close()
	counts, err := cuda.Alloc[uint32](s, 1)
	require.NoError(t, err)
	defer counts.Close()
	bytes, err := cuda.Alloc[uint8](s, 1)
	require.NoError(t, err)
	defer bytes.Close()
	floats, err := cuda.Alloc[float32](s, 1)
	require.NoError(t, err)
	defer floats.Close()

	err = k.Mandelbrot.Launch(s, image.All(), -1, -1, vec.Double2{}, 1, 1)
	assert.ErrorContains(t, err, "check the arguments of mandelbrot")
	assert.ErrorContains(t, err, "threads width: width is -1, must not be negative")
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
	err = k.Mandelbrot.LaunchWith(s, cfg, image.All(), -1, -1, vec.Double2{}, 1, 1)
	assert.ErrorContains(t, err, "threads width: width is -1, must not be negative")
	_, err = k.Mandelbrot.Prepare(cfg, example.MandelbrotArgs{Image: image.All(), Width: 1, Height: math.MinInt32})
	assert.ErrorContains(t, err, "threads height: height is -2147483648, must not be negative")
	_, err = k.Mandelbrot.PrepareDefault(example.MandelbrotArgs{Image: image.All(), Width: math.MaxInt32, Height: math.MaxInt32})
	assert.ErrorContains(t, err, "image has 1 element, needs 4611686014132420609")
	assert.NoError(t, k.Mandelbrot.Launch(s, image.All(), 1, 1, vec.Double2{}, 1, 1), "the control")

	err = k.HeatStep.Launch(s, floats.All(), floats.All(), example.Plate{}, math.MaxUint32, math.MaxUint32)
	assert.ErrorContains(t, err, "check the arguments of heat_step")
	assert.ErrorContains(t, err, "len out=columns*rows does not fit into 64 bits with columns=4294967295, rows=4294967295")
	assert.ErrorIs(t, err, cuda.ErrOverflow)

	err = k.Histogram.Launch(s, bytes.All(), counts.All(), -3)
	assert.ErrorContains(t, err, "shared 4*bins: bins is -3, must not be negative")
	err = k.Histogram.Launch(s, bytes.All(), counts.All(), math.MaxInt32)
	assert.ErrorContains(t, err, "shared 4*bins is 8589934588, which is too large, with bins=2147483647")
}
