package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

const overlapping = "the destination and the source overlap: copy by way of another buffer"

// TestOverlappingCopies: a copy that overwrites what it reads is an error of every call that copies; one that
// only touches, and one of memory to itself, is not.
func TestOverlappingCopies(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, err := dev.NewStream()
		require.NoError(t, err)
		defer s.Close()
		x := upload(t, s, make([]int32, 100))
		h, err := cuda.AllocHost[int32](dev, 100, cuda.HostConfig{})
		require.NoError(t, err)
		defer h.Close()
		for _, tt := range []struct {
			dst, src cuda.Slice[int32]
			overlap  bool
		}{
			{x.Slice(0, 50), x.Slice(49, 99), true},
			{x.Slice(49, 99), x.Slice(0, 50), true},
			{x.Slice(1, 2), x.Slice(0, 1), false},
			{x.Slice(0, 50), x.Slice(50, 100), false},
			{x.Slice(50, 100), x.Slice(0, 50), false},
			{x.All(), x.All(), false},
			{h.Slice(0, 50), h.Slice(1, 51), true},
			{h.Slice(0, 50), x.Slice(1, 51), false},
		} {
			_, build := cuda.BuildGraph(cuda.NewNode(cuda.Copy(tt.dst, tt.src)))
			_, capture := cuda.Capture(s, func(s *cuda.Stream) error { return cuda.Copy(tt.dst, tt.src).Launch(s) })
			rows := cuda.Shape{Width: tt.dst.Len()}
			for _, err := range []error{
				cuda.Copy(tt.dst, tt.src).Launch(s), cuda.Copy(tt.dst, tt.src).Launch(s), cuda.CopyBox(tt.dst.Box(rows), tt.src.Box(rows)).Launch(s), build, capture,
			} {
				if !tt.overlap {
					assert.NoError(t, err)
					continue
				}
				assert.ErrorContains(t, err, overlapping)
				assert.ErrorIs(t, err, cuda.ErrInvalidValue)
			}
		}
		assert.ErrorContains(t, cuda.Copy(x.Slice(0, 50), x.Slice(49, 99)).Launch(s), "cuda: copy on "+dev.String()+": "+overlapping)
		require.NoError(t, s.Synchronize())
	})
}

// With red zones each slice of a part has an owner of its own, and overlapping copies are errors all the same.
func TestOverlapWithRedZones(t *testing.T) {
	dev := simtest.New(t, simtest.RedZones())
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x := upload(t, s, make([]int32, 100))
	defer x.Close()
	rows := cuda.Shape{Width: 50}
	assert.ErrorContains(t, cuda.Copy(x.Slice(0, 50), x.Slice(49, 99)).Launch(s), overlapping)
	assert.ErrorContains(t, cuda.CopyBox(x.Slice(0, 50).Box(rows), x.Slice(49, 99).Box(rows)).Launch(s), overlapping)
	assert.NoError(t, cuda.Copy(x.Slice(0, 50), x.Slice(50, 100)).Launch(s))
	whole := cuda.SliceAt[int32](uint64(x.Slice(10, 50).Ptr().Address()), 40, x.Slice(20, 30).Owner())
	assert.ErrorContains(t, cuda.Copy(x.Slice(0, 40), whole).Launch(s), overlapping)
	require.NoError(t, s.Synchronize())
}

// TestOverlappingBoxes compares what CopyBox says of all places of small boxes in one buffer, and in one
// array, with the elements that they have.
func TestOverlappingBoxes(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x := upload(t, s, make([]int32, 100))
	elements := func(at int, shape cuda.Shape) map[int]bool {
		set := make(map[int]bool)
		for z := range max(shape.Depth, 1) {
			for y := range shape.Height {
				for c := range shape.Width {
					set[at+(z*shape.PlaneRows+y)*shape.RowStride+c] = true
				}
			}
		}
		return set
	}
	found := 0
	for _, dst := range []cuda.Shape{{Width: 2, Height: 3, Depth: 2, RowStride: 5, PlaneRows: 4}, {Width: 2, Height: 3, Depth: 2, RowStride: 2, PlaneRows: 3}} {
		src := cuda.Shape{Width: 2, Height: 3, Depth: 2, RowStride: 5, PlaneRows: 4}
		for to := range 40 {
			for from := range 40 {
				want := false
				read := elements(from, src)
				for e := range elements(to, dst) {
					want = want || read[e]
				}
				want = want && (to != from || dst != src)
				err := cuda.CopyBox(x.Slice(to, 100).Box(dst), x.Slice(from, 100).Box(src)).Launch(s)
				if want {
					found++
					assert.ErrorContains(t, err, overlapping, "%d %d %v", to, from, dst)
				} else {
					assert.NoError(t, err, "%d %d %v", to, from, dst)
				}
			}
		}
	}
	assert.Greater(t, found, 100)

	a, err := cuda.NewArray[int32](dev, cuda.ArrayConfig{Width: 10, Height: 10})
	require.NoError(t, err)
	defer a.Close()
	require.NoError(t, a.CopyFrom(s, make([]int32, 100)))
	shape := cuda.Shape{Width: 3, Height: 2}
	for _, tt := range []struct {
		x, y    int
		overlap bool
	}{{4, 4, false}, {6, 5, true}, {7, 4, false}, {4, 6, false}, {2, 3, true}, {5, 4, true}, {4, 3, true}} {
		err := cuda.CopyBox(a.Box(tt.x, tt.y, 0, shape), a.Box(4, 4, 0, shape)).Launch(s)
		if tt.overlap {
			assert.ErrorContains(t, err, overlapping)
		} else {
			assert.NoError(t, err, "%v", tt)
		}
	}
	require.NoError(t, s.Synchronize())
}
