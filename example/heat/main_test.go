package main

import (
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// One wave of heat fades by exp(-time*k*k), and the sum of all temperatures stays.
func testWave(t *testing.T, dev *cuda.Device) {
	const width, height, time = 24, 10, 3
	wave := func(x, y int, scale float64) float32 {
		return float32(1 + scale*math.Cos(2*math.Pi*(2*float64(x)/width+3*float64(y)/height)))
	}
	plate := make([]float32, width*height)
	for i := range plate {
		plate[i] = wave(i%width, i/width, 1)
	}
	p, err := newPlate(dev, plate, width, height)
	require.NoError(t, err)
	defer p.close()
	require.NoError(t, p.wait(time))
	_, heat, err := p.frame()
	require.NoError(t, err)
	assert.InDelta(t, width*height, heat, 1e-2)
	got, err := p.temperatures.All().Download(p.stream)
	require.NoError(t, err)
	kx, ky := 2*math.Pi*2/width, 2*math.Pi*3/height
	for i, v := range got {
		require.InDelta(t, wave(i%width, i/width, math.Exp(-time*(kx*kx+ky*ky))), v, 1e-5, "element %d", i)
	}
}

func TestSimulated(t *testing.T) { testWave(t, simtest.New(t)) }

func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	testWave(t, dev)
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	path := filepath.Join(t.TempDir(), "heat.gif")
	var out strings.Builder
	require.NoError(t, run(&out, 32, 3, path))
	assert.Equal(t, 3, strings.Count(out.String(), "heat "))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	assert.Len(t, picture.Image, 3)
}

// A plate that cannot be made leaves nothing behind: the device of the test looks.
func TestNoPlate(t *testing.T) {
	_, err := newPlate(simtest.New(t), nil, 0, 0)
	assert.ErrorIs(t, err, cufft.InvalidSize)
}
