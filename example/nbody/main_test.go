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
	"github.com/cudagen/cudagen/runtime/simtest"
)

// plain makes one step in Go, in double precision.
func (w *world) plain() {
	before := append([]cuda.Float4(nil), w.bodies...)
	for i, b := range before {
		var a [3]float64
		for _, other := range before {
			d := [3]float64{float64(other.X) - float64(b.X), float64(other.Y) - float64(b.Y), float64(other.Z) - float64(b.Z)}
			d2 := d[0]*d[0] + d[1]*d[1] + d[2]*d[2] + softening
			for axis := range a {
				a[axis] += float64(other.W) / (d2 * math.Sqrt(d2)) * d[axis]
			}
		}
		v := &w.velocities[i]
		v.X, v.Y, v.Z = v.X+float32(dt*a[0]), v.Y+float32(dt*a[1]), v.Z+float32(dt*a[2])
		w.bodies[i] = cuda.Float4{X: b.X + dt*v.X, Y: b.Y + dt*v.Y, Z: b.Z + dt*v.Z, W: b.W}
	}
}

// The bodies move as in plain Go, for numbers that fill tiles and that do not.
func TestStep(t *testing.T) {
	for _, n := range []int{0, 1, 64, 100} {
		got, want := newWorld(n), newWorld(n)
		require.NoError(t, got.move(simtest.New(t), 3, func(int) {}))
		for range 3 {
			want.plain()
		}
		for i := range want.bodies {
			g, w := got.bodies[i], want.bodies[i]
			assert.Less(t, square(g.X-w.X, g.Y-w.Y, g.Z-w.Z), 1e-10, "body %d of %d", i, n)
		}
	}
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	path := filepath.Join(t.TempDir(), "x.gif")
	require.NoError(t, run(&out, 128, 20, path))
	assert.Contains(t, out.String(), "128 bodies, 20 steps: energy -")
	assert.Error(t, run(&out, -1, 1, path))
	assert.Error(t, run(&out, 1, 0, path))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	assert.Len(t, picture.Image, 5)
	assert.NotEqual(t, picture.Image[0].Pix, picture.Image[4].Pix)
}

// On a GPU the bodies move alike, and keep their energy.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	got, want := newWorld(1000), newWorld(1000)
	require.NoError(t, got.move(dev, 3, func(int) {}))
	for range 3 {
		want.plain()
	}
	for i := range want.bodies {
		g, w := got.bodies[i], want.bodies[i]
		assert.Less(t, square(g.X-w.X, g.Y-w.Y, g.Z-w.Z), 1e-10, "body %d", i)
	}
}
