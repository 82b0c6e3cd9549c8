package main

import (
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// picture returns a picture without any regularity.
func picture(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	state := uint32(1)
	for i := range img.Pix {
		state = state*1664525 + 1013904223
		img.Pix[i] = uint8(state >> 24)
	}
	return img
}

// plain turns img in Go, with the filter of textures: coordinates and weights are rounded to 1/256,
// sums to 1/65535.
func plain(img *image.RGBA, angle, scale float64) *image.RGBA {
	size, m := img.Bounds().Size(), matrixOf(angle, scale)
	at := func(x, y, channel int) int {
		if x < 0 || y < 0 || x >= size.X || y >= size.Y {
			return 0
		}
		return 257 * int(img.Pix[img.PixOffset(x, y)+channel])
	}
	fixed := func(f float32) (i, weight int) {
		p := int(math.Floor((float64(f)-0.5)*256 + 0.5))
		return p >> 8, p & 255
	}
	out := image.NewRGBA(img.Bounds())
	width, height := float32(size.X), float32(size.Y)
	for py := range size.Y {
		for px := range size.X {
			dx, dy := float32(px)+0.5-0.5*width, float32(py)+0.5-0.5*height
			x := width/2 + float32(float32(m.cos*dx)+float32(m.sin*dy))
			y := height/2 + float32(float32(-m.sin*dx)+float32(m.cos*dy))
			i, a := fixed(x)
			j, b := fixed(y)
			ab := (a*b + 128) >> 8
			for c := range 4 {
				v := (256-a-b+ab)*at(i, j, c) + (a-ab)*at(i+1, j, c) + (b-ab)*at(i, j+1, c) + ab*at(i+1, j+1, c)
				out.Pix[out.PixOffset(px, py)+c] = uint8(math.RoundToEven(float64(float32((v+128)>>8) / 65535 * 255)))
			}
		}
	}
	return out
}

// differences returns how many bytes differ, and by how much at most.
func differences(a, b []byte) (count, most int) {
	for i := range a {
		if d := max(int(a[i])-int(b[i]), int(b[i])-int(a[i])); d > 0 {
			count++
			most = max(most, d)
		}
	}
	return count, most
}

// On the simulated device every byte is that of plain Go.
func TestRotate(t *testing.T) {
	for _, turn := range [][2]float64{{0, 1}, {90, 1}, {30, 1.5}, {-123.4, 0.4}, {7, 9}} {
		img := picture(37, 21)
		got, err := rotate(simtest.New(t), img, turn[0], turn[1])
		require.NoError(t, err)
		assert.Equal(t, plain(img, turn[0], turn[1]).Pix, got.Pix, "%v degrees, %v times", turn[0], turn[1])
		if turn[0] == 0 {
			assert.Equal(t, img.Pix, got.Pix)
		}
	}
}

// TestGPU turns on the GPU: a byte may differ by 1 from the simulated device's.
func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	img := picture(640, 480)
	got, err := rotate(dev, img, 30, 1.5)
	require.NoError(t, err)
	count, most := differences(plain(img, 30, 1.5).Pix, got.Pix)
	t.Logf("%d of %d bytes differ", count, len(got.Pix))
	assert.LessOrEqual(t, most, 1)
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.png")
	file, err := os.Create(in)
	require.NoError(t, err)
	img := picture(16, 9)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	require.NoError(t, png.Encode(file, img))
	require.NoError(t, file.Close())
	require.NoError(t, run([]string{in, out}, 180, 1))
	turned, err := read(out)
	require.NoError(t, err)
	assert.Equal(t, plain(img, 180, 1).Pix, turned.Pix)

	assert.Error(t, run([]string{in}, 0, 1))
	assert.Error(t, run([]string{in, out}, 0, 0))
	assert.Error(t, run([]string{in, out}, math.Inf(1), 1))
	assert.ErrorContains(t, run([]string{filepath.Join(dir, "none.png"), out}, 0, 1), "none.png")
}
