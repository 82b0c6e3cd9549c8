package cuda_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// No call makes an element in Go, which may be larger than the memory of the host.
func TestHugeElements(t *testing.T) {
	dev := simtest.New(t)
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	_, err = cuda.Alloc[[1 << 45]byte](s, 8)
	assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
	var before, after runtime.MemStats
	x := cuda.SliceAt[[1 << 40]byte](1<<20, 3, cuda.Owner{})
	runtime.ReadMemStats(&before)
	part := x.Slice(1, 3)
	assert.Equal(t, 2<<40, cuda.Reinterpret[byte](part).Len())
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	assert.PanicsWithValue(t, "cuda: slice length 8388608 out of range, with elements of 1099511627776 bytes", func() { cuda.SliceAt[[1 << 40]byte](1<<20, 1<<23, cuda.Owner{}) })
}
