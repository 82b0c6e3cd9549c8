package tensormap

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// described is a tensor of 40×30 floats, and boxes of 8×4.
func described() driver.TensorMapDesc {
	d := driver.TensorMapDesc{Type: driver.TensorFloat32, Rank: 2, Address: 1 << 40}
	d.Dims[0], d.Dims[1], d.Strides[0] = 40, 30, 160
	d.Box[0], d.Box[1], d.ElementStrides[0], d.ElementStrides[1] = 8, 4, 1, 1
	return d
}

func encoded(t *testing.T, d driver.TensorMapDesc, im2col bool) driver.TensorMap {
	words, r := Encode(d, im2col)
	require.Equal(t, driver.Success, r)
	return words
}

// TestMapsAreFound: bytes that Encode or Replace did not make are no map.
func TestMapsAreFound(t *testing.T) {
	words := encoded(t, described(), false)
	m, ok := Decode(words)
	require.True(t, ok)
	assert.Equal(t, driver.TensorFloat32, m.Type)
	assert.Equal(t, 2, m.Rank)
	assert.EqualValues(t, 4, m.ElementBytes())
	assert.EqualValues(t, 8*4*4, m.BoxBytes())
	assert.False(t, m.IsIm2col())
	for n := range words {
		changed := words
		changed[n] ^= 1 << 5
		_, ok := Decode(changed)
		assert.False(t, ok, "word %d", n)
	}

	Replace(&words, Address, 0, 1<<41)
	Replace(&words, Dim, 1, 2)
	Replace(&words, Dim, 2, 77) // there is no such dimension
	Replace(&words, Stride, 0, 320)
	Replace(&words, Stride, 1, 77)
	m, ok = Decode(words)
	require.True(t, ok)
	var rows []Piece
	for p := range m.Pieces([]int64{0, 0}, 0) {
		rows = append(rows, p)
	}
	assert.Equal(t, []Piece{{1 << 41, 0, 32, true, false}, {1<<41 + 320, 32, 32, true, false}, {1<<41 + 640, 64, 32, false, false}, {1<<41 + 960, 96, 32, false, false}}, rows)
}

// TestBehindRows: what lies behind a row, but within 16 bytes of its end, is told apart.
func TestBehindRows(t *testing.T) {
	d := described()
	d.Dims[0], d.Box[1] = 37, 1
	m, ok := Decode(encoded(t, d, false))
	require.True(t, ok)
	var pieces []Piece
	for p := range m.Pieces([]int64{32, 0}, 0) {
		pieces = append(pieces, p)
	}
	assert.Equal(t, []Piece{{1<<40 + 128, 0, 20, true, false}, {1<<40 + 148, 20, 12, false, true}}, pieces)
}

// TestPiecesEnd: a loop over pieces may end after any of them.
func TestPiecesEnd(t *testing.T) {
	images := driver.TensorMapDesc{Type: driver.TensorFloat32, Rank: 3, Address: 1 << 40}
	images.Dims, images.Strides = [driver.MaxTensorRank]uint64{8, 9, 2}, [driver.MaxTensorRank - 1]uint64{32, 288}
	images.ElementStrides = [driver.MaxTensorRank]uint32{1, 1, 1}
	images.Box[0], images.Box[1] = 8, 5 // channels, pixels
	images.LowerCorner[0], images.UpperCorner[0] = -1, -1
	swizzled := described()
	swizzled.Swizzle = 1
	for name, words := range map[string]driver.TensorMap{
		"tiles": encoded(t, described(), false), "swizzled": encoded(t, swizzled, false), "im2col": encoded(t, images, true),
	} {
		m, ok := Decode(words)
		require.True(t, ok)
		at := make([]int64, m.Rank)
		at[1] = -1
		all, bytes := 0, uint64(0)
		for p := range m.Pieces(at, 0) {
			all, bytes = all+1, bytes+p.Bytes
		}
		require.Greater(t, all, 1, name)
		assert.Equal(t, m.BoxBytes(), bytes, name)
		for last := range all {
			n := 0
			for range m.Pieces(at, 0) {
				if n == last {
					break
				}
				n++
			}
			assert.Equal(t, last, n, name)
		}
	}
}

// TestOutsideBox: the first pixel of a copy in im2col mode lies between the corners.
func TestOutsideBox(t *testing.T) {
	d := driver.TensorMapDesc{Type: driver.TensorFloat32, Rank: 3}
	d.Dims[1], d.LowerCorner[0], d.UpperCorner[0] = 9, -1, -2
	m, ok := Decode(encoded(t, d, true))
	require.True(t, ok)
	for at, want := range map[int64]int{-2: 1, -1: 0, 6: 0, 7: 1} {
		dim, first, last := m.OutsideBox([]int64{0, at, 0})
		assert.Equal(t, want, dim, at)
		if dim > 0 {
			assert.Equal(t, []int64{-1, 6}, []int64{first, last})
		}
	}
	m, _ = Decode(encoded(t, described(), false))
	dim, _, _ := m.OutsideBox([]int64{-99, -99})
	assert.Zero(t, dim, "of tiles")
}
