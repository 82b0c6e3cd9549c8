package cusolver_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// The functions that begin with X do what those for one type do.
func TestTyped(t *testing.T) {
	onBoth(t, func(b *bench) {
		params, err := cusolver.NewParams(b.device)
		require.NoError(b, err)
		defer params.Close()
		testTyped[float32, float32](b, params)
		testTyped[float64, float64](b, params)
		testTyped[complex64, float32](b, params)
		testTyped[complex128, float64](b, params)
	})
}

// typeOf returns the name of a type.
func typeOf[T cusolver.Float]() cusolver.DataType {
	switch any(*new(T)).(type) {
	case float32:
		return cusolver.R32F
	case float64:
		return cusolver.R64F
	case complex64:
		return cusolver.C32F
	}
	return cusolver.C64F
}

// raw returns the bytes of s.
func raw[T cusolver.Float](s cuda.Slice[T]) cuda.Slice[uint8] { return cuda.Reinterpret[uint8](s) }

// working calls f with workspaces of the sizes that it is told.
func working(s *cuda.Stream, device, host uint64, err error, f func(device cuda.Slice[uint8], host []byte) error) error {
	if err != nil {
		return err
	}
	work, err := cuda.Alloc[uint8](s, int(max(device, 1)))
	if err != nil {
		return err
	}
	return errors.Join(f(work.Slice(0, int(device)), make([]byte, host)), work.Close())
}

func testTyped[T cusolver.Float, R cusolver.Real](b *bench, params *cusolver.Params) {
	b.Helper()
	t, real := typeOf[T](), typeOf[R]()
	testCholesky(b, func(h *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n int, a cuda.Slice[T], lda int, info cuda.Slice[int32]) error {
		device, host, err := h.XpotrfBufferSize(s, params, uplo, int64(n), t, raw(a), int64(lda), t)
		return working(s, device, host, err, func(work cuda.Slice[uint8], hostWork []byte) error {
			return h.Xpotrf(s, params, uplo, int64(n), t, raw(a), int64(lda), t, work, device, hostWork, host, info)
		})
	}, func(h *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n, nrhs int, a cuda.Slice[T], lda int, x cuda.Slice[T], ldb int, info cuda.Slice[int32]) error {
		return h.Xpotrs(s, params, uplo, int64(n), int64(nrhs), t, raw(a), int64(lda), t, raw(x), int64(ldb), info)
	})
	testQR(b, func(h *cusolver.Handle, s *cuda.Stream, m, n int, a cuda.Slice[T], lda int, tau cuda.Slice[T], info cuda.Slice[int32]) error {
		device, host, err := h.XgeqrfBufferSize(s, params, int64(m), int64(n), t, raw(a), int64(lda), t, raw(tau), t)
		return working(s, device, host, err, func(work cuda.Slice[uint8], hostWork []byte) error {
			return h.Xgeqrf(s, params, int64(m), int64(n), t, raw(a), int64(lda), t, raw(tau), t, work, device, hostWork, host, info)
		})
	})
	testEigen(b, func(h *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int, a cuda.Slice[T], lda int, w cuda.Slice[R], info cuda.Slice[int32]) error {
		device, host, err := h.XsyevdBufferSize(s, params, jobz, uplo, int64(n), t, raw(a), int64(lda), real, raw(w), t)
		return working(s, device, host, err, func(work cuda.Slice[uint8], hostWork []byte) error {
			return h.Xsyevd(s, params, jobz, uplo, int64(n), t, raw(a), int64(lda), real, raw(w), t, work, device, hostWork, host, info)
		})
	})
	testSingular(b, func(h *cusolver.Handle, s *cuda.Stream, jobu, jobvt byte, m, n int, a cuda.Slice[T], lda int, values cuda.Slice[R], u cuda.Slice[T], ldu int, vt cuda.Slice[T], ldvt int, info cuda.Slice[int32]) error {
		device, host, err := h.XgesvdBufferSize(s, params, int8(jobu), int8(jobvt), int64(m), int64(n), t, raw(a), int64(lda), real, raw(values), t, raw(u), int64(ldu), t, raw(vt), int64(ldvt), t)
		return working(s, device, host, err, func(work cuda.Slice[uint8], hostWork []byte) error {
			return h.Xgesvd(s, params, int8(jobu), int8(jobvt), int64(m), int64(n), t, raw(a), int64(lda), real, raw(values), t, raw(u), int64(ldu), t, raw(vt), int64(ldvt), t, work, device, hostWork, host, info)
		})
	})

	info := memory[int32](b.T, b.stream, 1)
	for _, n := range []int{1, 3, 8, 33} {
		of := fmt.Sprintf("%T %d", *new(T), n)
		ld := n + 3
		a, x := random[T](b, n, n), random[T](b, n, 2)
		for i := range n {
			*a.at(i, i) += complex(float64(n), 0)
		}
		for _, ipiv := range []cuda.Slice[int64]{memory[int64](b.T, b.stream, n), {}} { // and without pivots
			factors := upload[T](b, a, ld)
			device, host, err := b.handle.XgetrfBufferSize(b.stream, params, int64(n), int64(n), t, raw(factors), int64(ld), t)
			require.NoError(b, working(b.stream, device, host, err, func(work cuda.Slice[uint8], hostWork []byte) error {
				return b.handle.Xgetrf(b.stream, params, int64(n), int64(n), t, raw(factors), int64(ld), ipiv, t, work, device, hostWork, host, info)
			}), of)
			require.NoError(b, cusolver.Check(b.stream, info), of)
			for _, op := range []cusolver.Operation{cusolver.OpN, cusolver.OpT, cusolver.OpC} {
				m := a
				if op != cusolver.OpN {
					m = a.turned(op == cusolver.OpC)
				}
				right := upload[T](b, m.times(x), ld)
				require.NoError(b, b.handle.Xgetrs(b.stream, params, op, int64(n), 2, t, raw(factors), int64(ld), ipiv, t, raw(right), int64(ld), info), of)
				same[T](b, x, download(b, right, n, 2, ld), of)
			}
		}
	}
}

// Types that do not fit together are errors.
func TestUnfit(t *testing.T) {
	run(t, simtest.New(t), func(b *bench) {
		x, y, info := filled[float32](b, 4, 0), filled[float64](b, 4, 0), filled[int32](b, 1, 0)
		assert.ErrorIs(b, cusolver.Syevd(b.handle, b.stream, cusolver.EigModeVector, cusolver.FillModeLower, 2, x, 2, y, info), cuda.ErrInvalidValue)
		assert.ErrorIs(b, cusolver.Gesvd(b.handle, b.stream, 'N', 'N', 2, 2, y, 2, x, y, 2, y, 2, info), cuda.ErrInvalidValue)
		params, err := cusolver.NewParams(b.device)
		require.NoError(b, err)
		defer params.Close()
		_, _, err = b.handle.XpotrfBufferSize(b.stream, params, cusolver.FillModeLower, 2, cusolver.R32F, raw(x), 2, cusolver.R64F)
		assert.ErrorIs(b, err, clib.ErrNotSimulated)
		_, _, err = b.handle.XpotrfBufferSize(b.stream, params, cusolver.FillModeLower, 2, cusolver.R16F, raw(x), 2, cusolver.R16F)
		assert.ErrorIs(b, err, clib.ErrNotSimulated)
	})
}
