package cuda_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// TestEmptyLaunch: a computed configuration without blocks launches nothing, after what
// every launch checks was checked.
func TestEmptyLaunch(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, closed := newStream(t, dev), newStream(t, dev)
		require.NoError(t, closed.Close())
		k := loadExample(t, dev)
		x := upload(t, s, []float32{1, 2, 3})
		gone := upload(t, s, []float32{1, 2, 3})
		require.NoError(t, gone.Close())
		pixels := upload(t, s, make([]vec.UChar4, 4))
		assert.NoError(t, k.Saxpy.Launch(s, 2, x.Slice(0, 0), x.All()))
		assert.ErrorContains(t, k.Saxpy.Launch(s, 2, cuda.Slice[float32]{}, cuda.Slice[float32]{}), "x is the zero Slice")
		assert.NoError(t, k.Mandelbrot.Launch(s, pixels.All(), 4, 0, vec.Double2{}, 1, 1))
		for _, size := range [][2]int32{{0, 4}, {0, 64}, {64, 0}, {48, 0}, {0, 0}} {
			assert.NoError(t, k.Mandelbrot.Launch(s, pixels.All(), size[0], size[1], vec.Double2{}, 1, 1), size)
		}
		for what, err := range map[string]error{
			"buffer": k.Saxpy.Launch(s, 2, gone.Slice(0, 0), x.All()),
			"stream": k.Saxpy.Launch(closed, 2, x.Slice(0, 0), x.All()),
		} {
			assert.ErrorIs(t, err, cuda.ErrClosed, what)
		}
		assert.Error(t, k.Mandelbrot.Launch(s, pixels.All(), -4, 0, vec.Double2{}, 1, 1), "a negative size is none")
		assert.ErrorContains(t, k.Saxpy.Launch(nil, 2, x.Slice(0, 0), x.All()), "the stream is nil")

		// An explicit one is an error, and so is a block without threads.
		err := k.Saxpy.LaunchWith(s, cuda.LaunchConfig{Block: cuda.Dim(256)}, 2, x.Slice(0, 0), x.All())
		assert.ErrorContains(t, err, "the grid has no blocks in x")
		_, err = k.Saxpy.Prepare(cuda.LaunchConfig{Block: cuda.Dim(256)}, example.SaxpyArgs{X: x.Slice(0, 0), Y: x.All()})
		assert.ErrorContains(t, err, "the grid has no blocks in x")
		got := make([]float32, 3)
		require.NoError(t, x.CopyTo(s, got))
		assert.Equal(t, []float32{1, 2, 3}, got, "nothing ran")
	})
}

// TestEmptyPreparedCall: a prepared call goes to no blocks and back, alone and in a batch.
func TestEmptyPreparedCall(t *testing.T) {
	onEachCounted(t, func(t *testing.T, dev *cuda.Device, calls func(string) int) {
		s := newStream(t, dev)
		k := loadExample(t, dev)
		x, y := upload(t, s, []float32{1, 2, 3}), upload(t, s, make([]float32, 3))
		empty, full := example.SaxpyArgs{A: 1, X: x.Slice(0, 0), Y: y.All()}, example.SaxpyArgs{A: 1, X: x.All(), Y: y.All()}
		call, err := k.Saxpy.PrepareDefault(empty)
		require.NoError(t, err)
		other, err := k.Saxpy.PrepareDefault(full)
		require.NoError(t, err)
		batch, err := cuda.NewBatch(call, other, call)
		require.NoError(t, err)
		batch.NeverGraph()
		launches := func(f func(*cuda.Stream) error) int {
			before := calls("cuLaunchKernel")
			for range 2 {
				require.NoError(t, f(s))
			}
			return (calls("cuLaunchKernel") - before) / 2
		}
		assert.Equal(t, 0, launches(call.Launch))
		assert.Equal(t, 1, launches(batch.Launch))
		require.NoError(t, call.Set(full))
		assert.Equal(t, 1, launches(call.Launch))
		assert.Equal(t, 3, launches(batch.Launch))
		require.NoError(t, call.Set(empty))
		assert.Equal(t, 0, launches(call.Launch))
		assert.Equal(t, 0, launches(call.Clone().Launch))
		assert.Equal(t, 1, launches(batch.Launch))
		require.NoError(t, x.Close())
		assert.ErrorIs(t, call.Launch(s), cuda.ErrClosed)
		assert.ErrorIs(t, batch.Launch(s), cuda.ErrClosed)
	})
}

// TestEmptyGrid tries all combinations of few and many blocks.
func TestEmptyGrid(t *testing.T) {
	sizes := []uint32{0, 1, 2, 3, 1 << 31, math.MaxUint32}
	for _, x := range sizes {
		for _, y := range sizes {
			for _, z := range sizes {
				assert.Equal(t, x == 0 || y == 0 || z == 0, cuda.EmptyGrid(cuda.Dim3{X: x, Y: y, Z: z}), "%d, %d, %d", x, y, z)
			}
		}
	}
}
