package gravity

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// The bodies move as in plain Go, for numbers that fill tiles and that do not.
func TestStep(t *testing.T) {
	for _, n := range []int{0, 1, 64, 100} {
		got, want := New(n), New(n)
		require.NoError(t, got.Move(simtest.New(t), 3, func(int) {}))
		for range 3 {
			want.Plain()
		}
		for i := range want.Bodies {
			g, w := got.Bodies[i], want.Bodies[i]
			assert.Less(t, square(g.X-w.X, g.Y-w.Y, g.Z-w.Z), 1e-10, "body %d of %d", i, n)
		}
	}
}

// On a GPU the bodies move alike, and keep their energy.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	got, want := New(1000), New(1000)
	require.NoError(t, got.Move(dev, 3, func(int) {}))
	for range 3 {
		want.Plain()
	}
	for i := range want.Bodies {
		g, w := got.Bodies[i], want.Bodies[i]
		assert.Less(t, square(g.X-w.X, g.Y-w.Y, g.Z-w.Z), 1e-10, "body %d", i)
	}
}
