package main

import (
	"image"
	"image/color"
	"image/png"
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

// plain blurs in Go.
func plain(img *image.RGBA, radius int) []byte {
	size := img.Bounds().Size()
	var out []byte
	for py := range size.Y {
		for px := range size.X {
			for channel := range 4 {
				sum, n := 0, 0
				for y := max(py-radius, 0); y <= min(py+radius, size.Y-1); y++ {
					for x := max(px-radius, 0); x <= min(px+radius, size.X-1); x++ {
						sum += int(img.Pix[img.PixOffset(x, y)+channel])
						n++
					}
				}
				out = append(out, byte((sum+n/2)/n))
			}
		}
	}
	return out
}

// Every byte is that of plain Go, at the edges too.
func TestBlur(t *testing.T) {
	for _, radius := range []int{0, 1, 4, 60} {
		img := picture(37, 21)
		want := plain(img, radius)
		require.NoError(t, blur(simtest.New(t), img, radius))
		assert.Equal(t, want, img.Pix, "radius %d", radius)
	}
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	in, out := filepath.Join(t.TempDir(), "in.png"), filepath.Join(t.TempDir(), "out.png")
	img := image.NewGray(image.Rect(3, 3, 12, 8)) // another kind, which does not begin at 0
	img.SetGray(7, 5, color.Gray{180})
	file, err := os.Create(in)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, img))
	require.NoError(t, file.Close())
	require.NoError(t, run([]string{in, out}, 1))
	blurred, err := read(out)
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 9, 5), blurred.Bounds())
	assert.Equal(t, color.RGBA{20, 20, 20, 255}, blurred.RGBAAt(4, 2))
	assert.Error(t, run([]string{in}, 1))
	assert.Error(t, run([]string{in, out}, -1))
}

// A GPU makes the same bytes.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	img := picture(371, 213)
	want := plain(img, 3)
	require.NoError(t, blur(dev, img, 3))
	assert.Equal(t, want, img.Pix)
}

// The picture in the README's command is blurred, too.
func TestPNG(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	const in = "../../docs/julia.png"
	out := filepath.Join(t.TempDir(), "blurred.png")
	require.NoError(t, run([]string{in, out}, 3))
	img, err := read(in)
	require.NoError(t, err)
	blurred, err := read(out)
	require.NoError(t, err)
	assert.Equal(t, plain(img, 3), blurred.Pix)
}
