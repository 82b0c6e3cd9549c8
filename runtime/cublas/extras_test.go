package cublas_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A lab has what tests of single functions need.
type lab struct {
	*testing.T
	h *cublas.Handle
	s *cuda.Stream
}

// put returns data in the memory of the device.
func put[T any](l lab, data ...T) cuda.Slice[T] {
	b, err := cuda.Alloc[T](l.s, len(data))
	require.NoError(l, err)
	l.Cleanup(func() { assert.NoError(l, b.Close()) })
	require.NoError(l, b.CopyFrom(l.s, data))
	return b.All()
}

func get[T any](l lab, s cuda.Slice[T]) []T {
	data, err := s.Download(l.s)
	require.NoError(l, err)
	return data
}

// extras are functions that work with types as arguments, with addresses, or with settings.
func extras(t *testing.T, d *cuda.Device) {
	for name, test := range map[string]func(l lab){
		"types": types, "halves": halves, "rows": rows, "batches": batches, "factors": factors, "rotation": rotation, "settings": settings, "groups": groups, "capture": capture,
	} {
		t.Run(name, func(t *testing.T) {
			h, s := open(t, d)
			test(lab{t, h, s})
		})
	}
}

func types(l lab) {
	a, b, c := put[float32](l, 1, 2, 3, 4), put[float32](l, 5, 6, 7, 8), put[float32](l, 1, 1, 1, 1)
	require.NoError(l, l.h.GemmEx(l.s, cublas.OpN, cublas.OpN, 2, 2, 2, cublas.Scalar(float32(2)), cuda.Reinterpret[byte](a), cublas.R32F, 2,
		cuda.Reinterpret[byte](b), cublas.R32F, 2, cublas.Scalar(float32(1)), cuda.Reinterpret[byte](c), cublas.R32F, 2, cublas.Compute32F, cublas.GemmDefault))
	assert.Equal(l, []float32{47, 69, 63, 93}, get(l, c))
	require.NoError(l, l.h.GemmEx(l.s, cublas.OpN, cublas.OpN, 2, 2, 1, cublas.Scalar(complex64(2i)), cuda.Reinterpret[byte](a), cublas.C32F, 2,
		cuda.Reinterpret[byte](b), cublas.C32F, 1, cublas.Scalar(complex64(0)), cuda.Reinterpret[byte](put(l, make([]complex64, 4)...)), cublas.C32F, 2, cublas.Compute32F, cublas.GemmDefault))
	result := make([]byte, 8)
	require.NoError(l, l.h.DotEx(l.s, 4, cuda.Reinterpret[byte](a), cublas.R32F, 1, cuda.Reinterpret[byte](b), cublas.R32F, 1, result[:4], cublas.R32F, cublas.R32F))
	assert.Equal(l, cublas.Scalar(float32(70)), result[:4])
}

func halves(l lab) {
	one, two, three := vec.Float16(0x3c00), vec.Float16(0x4000), vec.Float16(0x4200)
	c := put[vec.Float16](l, 0)
	require.NoError(l, l.h.Hgemm(l.s, cublas.OpN, cublas.OpN, 1, 1, 2, one, put(l, one, one), 1, put(l, one, two), 2, 0, c, 1))
	assert.Equal(l, []vec.Float16{three}, get(l, c))
}

// rows is what docs/libraries.md says of matrices that are stored by rows.
func rows(l lab) {
	a, b, c := put[float64](l, 1, 2, 3, 4, 5, 6), put[float64](l, 1, 2, 3), put[float64](l, 0, 0)
	m, n, k := 2, 1, 3
	require.NoError(l, cublas.Gemm(l.h, l.s, cublas.OpN, cublas.OpN, n, m, k, 1, b, n, a, k, 0, c, n))
	assert.Equal(l, []float64{14, 32}, get(l, c))
}

func batches(l lab) {
	a, b, c := put[complex64](l, 1, 2i), put[complex64](l, 3, 4), put[complex64](l, 0, 0)
	addresses := func(s cuda.Slice[complex64]) cuda.Slice[cuda.Ptr[complex64]] {
		return put(l, s.Ptr(), s.Slice(1, 2).Ptr())
	}
	require.NoError(l, l.h.CgemmBatched(l.s, cublas.OpN, cublas.OpC, 1, 1, 1, 1, addresses(a), 1, addresses(b), 1, 0, addresses(c), 1, 2))
	assert.Equal(l, []complex64{3, 8i}, get(l, c))
}

func groups(l lab) {
	a, b, c := put[float32](l, 1, 2), put[float32](l, 3, 4), put[float32](l, 0, 0)
	addresses := func(s cuda.Slice[float32]) cuda.Slice[cuda.Ptr[float32]] { return put(l, s.Ptr(), s.Slice(1, 2).Ptr()) }
	n, ones := []cublas.Operation{cublas.OpN, cublas.OpN}, []int64{1, 1}
	require.NoError(l, l.h.SgemmGroupedBatched(l.s, n, n, ones, ones, ones, []float32{1, 10}, addresses(a), ones, addresses(b), ones, []float32{0, 0}, addresses(c), ones, 2, ones))
	assert.Equal(l, []float32{3, 80}, get(l, c))
}

// factors solves with a factored matrix, and inverts it.
func factors(l lab) {
	a, b, inverse := put[float64](l, 0, 2, 1, 1), put[float64](l, 3, 5), put[float64](l, 0, 0, 0, 0) // by columns: (0 1; 2 1)
	of := func(s cuda.Slice[float64]) cuda.Slice[cuda.Ptr[float64]] { return put(l, s.Ptr()) }
	pivots, info := put[int32](l, 0, 0), put[int32](l, 7)
	require.NoError(l, l.h.DgetrfBatched(l.s, 2, of(a), 2, pivots, info, 1))
	assert.Equal(l, []int32{0}, get(l, info))
	assert.Equal(l, []int32{2, 2}, get(l, pivots))
	wrong, err := l.h.DgetrsBatched(l.s, cublas.OpN, 2, 1, of(a), 2, pivots, of(b), 2, 1)
	require.NoError(l, err)
	assert.Zero(l, wrong)
	assert.InDeltaSlice(l, []float64{1, 3}, get(l, b), 1e-12)
	require.NoError(l, l.h.DgetriBatched(l.s, 2, of(a), 2, pivots, of(inverse), 2, info, 1))
	assert.InDeltaSlice(l, []float64{-0.5, 1, 0.5, 0}, get(l, inverse), 1e-12)
	tau, q := put[float64](l, 0, 0), put[float64](l, 3, 4, 0, 5)
	wrong, err = l.h.DgeqrfBatched(l.s, 2, 2, of(q), 2, of(tau), 1)
	require.NoError(l, err)
	assert.Zero(l, wrong)
	assert.InDelta(l, 5, math.Abs(get(l, q)[0]), 1e-12)
	tall, right := put[float64](l, 1, 1, 1), put[float64](l, 1, 2, 6)
	wrong, err = l.h.DgelsBatched(l.s, cublas.OpN, 3, 1, 1, of(tall), 3, of(right), 3, put[int32](l, 7), 1)
	require.NoError(l, err)
	assert.Zero(l, wrong)
	assert.InDelta(l, 3, get(l, right)[0], 1e-12)
}

func rotation(l lab) {
	a, b := float32(3), float32(4)
	c, s, err := l.h.Srotg(&a, &b)
	require.NoError(l, err)
	assert.InDeltaSlice(l, []float32{5, 0.6, 0.8}, []float32{a, c, s}, 1e-6)
	da, db, dc, ds := put[float64](l, 3), put[float64](l, 4), put[float64](l, 0), put[float64](l, 0)
	require.NoError(l, l.h.DrotgDevice(l.s, da, db, dc, ds))
	assert.InDeltaSlice(l, []float64{5, 0.6, 0.8}, []float64{get(l, da)[0], get(l, dc)[0], get(l, ds)[0]}, 1e-12)
	d1, d2, x1, param := 2.0, 3.0, 4.0, make([]float64, 5)
	require.NoError(l, l.h.Drotmg(&d1, &d2, &x1, 5, param))
	assert.Equal(l, 1.0, param[0])
}

func settings(l lab) {
	version, err := l.h.GetVersion()
	require.NoError(l, err)
	assert.Greater(l, version, int32(120000))
	require.NoError(l, l.h.SetMathMode(cublas.PedanticMath))
	mode, err := l.h.GetMathMode()
	require.NoError(l, err)
	assert.Equal(l, cublas.PedanticMath, mode)
	assert.ErrorIs(l, l.h.SetMathMode(1<<20), cublas.StatusInvalidValue)
	workspace, err := cuda.Alloc[byte](l.s, 8<<20)
	require.NoError(l, err)
	require.NoError(l, l.h.SetWorkspace(l.s, workspace.All(), 8<<20))
	types(l)
	require.NoError(l, workspace.Close())
	_, err = l.h.Snrm2(l.s, 1, put[float32](l, 2), 1)
	assert.ErrorIs(l, err, cuda.ErrClosed)
}

// capture launches a product as a graph.
func capture(l lab) {
	a, c := put[float32](l, 1, 2, 3, 4), put[float32](l, 0, 0, 0, 0)
	graph, err := cuda.Capture(l.s, func(s *cuda.Stream) error {
		return l.h.Sgemm(s, cublas.OpN, cublas.OpN, 2, 2, 2, 1, a, 2, a, 2, 1, c, 2)
	})
	require.NoError(l, err)
	exec, err := graph.Instantiate()
	require.NoError(l, err)
	for range 3 {
		require.NoError(l, exec.Launch(l.s))
	}
	assert.Equal(l, []float32{21, 30, 45, 66}, get(l, c))
	require.NoError(l, exec.Close())
}
