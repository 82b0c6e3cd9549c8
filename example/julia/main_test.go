package main

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// plain paints in Go. Conversions keep the compiler from fusing operations.
func (p *picture) plain() (steps []uint16) {
	for py := range p.height {
		for px := range p.width {
			x := p.span * ((float64(px) + 0.5 - 0.5*float64(p.width)) / float64(p.width))
			y := p.span * ((float64(py) + 0.5 - 0.5*float64(p.height)) / float64(p.width))
			n := 0
			for ; n < p.limit; n++ {
				xx, yy := float64(x*x), float64(y*y)
				if xx+yy > 4 {
					break
				}
				y = float64(float64(2*x)*y) + p.C.Y
				x = xx - yy + p.C.X
			}
			steps = append(steps, uint16(n))
		}
	}
	return steps
}

// Every pixel is that of plain Go.
func TestPaint(t *testing.T) {
	p := &picture{width: 70, height: 33, C: vec.Double2{X: -0.8, Y: 0.156}, span: 3.2, limit: 100}
	steps, err := p.paint(simtest.New(t))
	require.NoError(t, err)
	assert.Equal(t, p.plain(), steps)
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	p := &picture{width: 24, height: 16, C: vec.Double2{X: -0.8, Y: 0.156}, span: 3.2, limit: 50}
	path := filepath.Join(t.TempDir(), "x.png")
	require.NoError(t, p.run(path))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	img, err := png.Decode(file)
	require.NoError(t, err)
	assert.Equal(t, 24, img.Bounds().Dx())
}

// A GPU paints the same numbers.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	p := &picture{width: 480, height: 240, C: vec.Double2{X: -0.8, Y: 0.156}, span: 3.2, limit: 200}
	steps, err := p.paint(dev)
	require.NoError(t, err)
	assert.Equal(t, p.plain(), steps)
}

// docs/julia.png is what the program paints.
func TestPicture(t *testing.T) {
	file, err := os.Open("../../docs/julia.png")
	require.NoError(t, err)
	defer file.Close()
	img, err := png.Decode(file)
	require.NoError(t, err)
	p := &picture{width: 480, height: 240, C: vec.Double2{X: -0.8, Y: 0.156}, span: 3.2, limit: 200}
	require.IsType(t, new(image.Paletted), img)
	assert.Equal(t, p.colored(p.plain()).(*image.Paletted).Pix, img.(*image.Paletted).Pix)
}
