package main

import (
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// plain makes the frames in Go. Conversions keep the compiler from fusing operations.
func (m *movie) plain() (frames [][]byte) {
	u, v := m.begin()
	around := func(a []float32, x, y int) float32 {
		at := func(x, y int) float32 { return a[(y+m.height)%m.height*m.width+(x+m.width)%m.width] }
		return at(x-1, y) + at(x+1, y) + at(x, y-1) + at(x, y+1) - 4*at(x, y)
	}
	rate, ending := float32(feed), float32(feed)+float32(kill)
	for range m.frames {
		frame := make([]byte, len(v))
		for i, v := range v {
			frame[i] = byte(min(max(float32(v*2.5), 0), 1) * float32(len(palette)-1))
		}
		frames = append(frames, frame)
		for range m.steps {
			nextU, nextV := slices.Clone(u), slices.Clone(v)
			for i, a := range u {
				b, x, y := v[i], i%m.width, i/m.width
				reaction := float32(float32(a*b) * b)
				nextU[i] = a + float32(0.2*around(u, x, y)) - reaction + float32(rate*(1-a))
				nextV[i] = b + float32(0.1*around(v, x, y)) + reaction - float32(ending*b)
			}
			u, v = nextU, nextV
		}
	}
	return frames
}

// frames returns the frames that dev makes.
func (m *movie) made(t *testing.T, dev *cuda.Device) (frames [][]byte) {
	require.NoError(t, m.react(dev, func(pixels []byte) { frames = append(frames, slices.Clone(pixels)) }))
	return frames
}

// Every pixel is that of plain Go.
func TestReact(t *testing.T) {
	m := &movie{width: 37, height: 33, frames: 4, steps: 20}
	want := m.plain()
	assert.NotEqual(t, want[0], want[3])
	assert.Equal(t, want, m.made(t, simtest.New(t)))
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	path := filepath.Join(t.TempDir(), "x.gif")
	m := &movie{width: 40, frames: 3, steps: 4}
	var out strings.Builder
	require.NoError(t, m.run(&out, path))
	assert.Contains(t, out.String(), "12 steps of time, wrote ")
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	assert.Len(t, picture.Image, 3)
	assert.Equal(t, 40, picture.Image[2].Bounds().Dy())
	assert.ErrorContains(t, (&movie{width: 40, frames: 3, steps: 3}).run(&out, path), "an even one")
}

// A GPU makes the same pixels.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	m := &movie{width: 256, height: 200, frames: 5, steps: 40}
	assert.Equal(t, m.plain(), m.made(t, dev))
}

// docs/grayscott.gif is what the program paints.
func TestPicture(t *testing.T) {
	file, err := os.Open("../../docs/grayscott.gif")
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	require.Len(t, picture.Image, 50)
	m := &movie{width: 128, height: 96, frames: 10, steps: 60} // the first ten
	for i, pixels := range m.plain() {
		require.Equal(t, pixels, picture.Image[i].Pix, "frame %d", i)
	}
}
