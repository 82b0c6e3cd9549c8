package cublaslt_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cublaslt"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Without a handle or a stream nothing is called.
func TestNil(t *testing.T) {
	var h *cublaslt.Handle
	none := cuda.Slice[byte]{}
	assert.ErrorIs(t, h.Matmul(nil, nil, nil, none, nil, none, nil, nil, none, nil, none, nil, nil, none, 0), cuda.ErrInvalidValue)
	var desc *cublaslt.MatmulDesc
	assert.ErrorIs(t, desc.SetAttribute(cublaslt.MatmulDescTransa, cublaslt.Value(cublaslt.OpT), 4), cuda.ErrInvalidValue)
	_, err := cublaslt.NewMatmulDesc(nil, cublaslt.Compute32F, cublaslt.R32F)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
}

func TestBytes(t *testing.T) {
	assert.Equal(t, []byte{1, 2, 0, 0}, cublaslt.Value(int32(0x201)))
	assert.Equal(t, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, cublaslt.Scalar(float32(1)))
	assert.Len(t, cublaslt.Scalar(2i), 16)
}

// layout makes the layout of a matrix of float32 that is stored by rows.
func layout(t *testing.T, d *cuda.Device, rows, columns uint64) *cublaslt.MatrixLayout {
	l, err := cublaslt.NewMatrixLayout(d, cublaslt.R32F, rows, columns, int64(columns))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	require.NoError(t, l.SetAttribute(cublaslt.MatrixLayoutOrder, cublaslt.Value(cublaslt.OrderRow), 4))
	return l
}

func put(t *testing.T, s *cuda.Stream, data ...float32) cuda.Slice[float32] {
	b, err := cuda.Alloc[float32](s, len(data))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	require.NoError(t, b.CopyFrom(s, data))
	return b.All()
}

// On a GPU matrices that are stored by rows are multiplied, and the epilogue cuts off what is negative.
func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	t.Setenv("CUDAGEN_LIBCUBLASLT", besides(t, testenv.CUBLASPath(t)))
	d, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	h, err := cublaslt.NewHandle(d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close()) })
	desc, err := cublaslt.NewMatmulDesc(d, cublaslt.Compute32F, cublaslt.R32F)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, desc.Close()) })
	require.NoError(t, desc.SetAttribute(cublaslt.MatmulDescEpilogue, cublaslt.Value(cublaslt.EpilogueRelu), 4))
	assert.ErrorIs(t, desc.SetAttribute(cublaslt.MatmulDescPointerMode, cublaslt.Value(int32(1)), 4), cuda.ErrInvalidValue)
	assert.ErrorIs(t, desc.SetAttribute(cublaslt.MatmulDescEpilogue, []byte{1}, 4), cuda.ErrShortSlice)
	read := make([]byte, 4)
	n, err := desc.GetAttribute(cublaslt.MatmulDescEpilogue, read, 4)
	require.NoError(t, err)
	assert.Equal(t, uint64(4), n)
	assert.Equal(t, cublaslt.Value(cublaslt.EpilogueRelu), read)

	preference, err := cublaslt.NewMatmulPreference(d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, preference.Close()) })
	la, lb, lc := layout(t, d, 2, 3), layout(t, d, 3, 4), layout(t, d, 2, 4)
	found := make([]cublaslt.MatmulHeuristicResult, 3)
	count, err := h.MatmulAlgoGetHeuristic(desc, la, lb, lc, lc, preference, 3, found)
	require.NoError(t, err)
	require.Positive(t, count)

	a, b, c := put(t, s, 1, 2, 3, -4, -5, -6), put(t, s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), put(t, s, make([]float32, 8)...)
	bytes := cuda.Reinterpret[byte, float32]
	require.NoError(t, h.Matmul(s, desc, cublaslt.Scalar(float32(1)), bytes(a), la, bytes(b), lb, cublaslt.Scalar(float32(0)), bytes(c), lc, bytes(c), lc, &found[0].Algo, cuda.Slice[byte]{}, 0))
	got, err := c.Download(s)
	require.NoError(t, err)
	assert.Equal(t, []float32{38, 44, 50, 56, 0, 0, 0, 0}, got)
	assert.ErrorIs(t, h.Matmul(s, desc, []byte{1}, bytes(a), la, bytes(b), lb, cublaslt.Scalar(float32(0)), bytes(c), lc, bytes(c), lc, nil, cuda.Slice[byte]{}, 0), cuda.ErrShortSlice)
}

// besides returns the path of cuBLASLt, beside cuBLAS.
func besides(t *testing.T, cublas string) string {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(cublas), "libcublasLt.so.1[2-9]"))
	require.NoError(t, err)
	require.NotEmpty(t, found, "there is no libcublasLt beside %s", cublas)
	return found[0]
}
