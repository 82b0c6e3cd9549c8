package cublas

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Float is a number that all levels of BLAS have functions for.
type Float interface {
	float32 | float64 | complex64 | complex128
}

// as returns s as a slice of To, which it is.
func as[To, T Float](s cuda.Slice[T]) cuda.Slice[To] { return any(s).(cuda.Slice[To]) }

// to returns v as a To, which it is.
func to[To, T Float](v T) To { return any(v).(To) }

// Scalar returns the bytes of v, for functions such as GemmEx whose scalars have the type that an argument names.
func Scalar[T any](v T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))
}

// Gemm computes C = alpha op(A) op(B) + beta C: op(A) is m by k, op(B) is k by n, and C is m by n.
func Gemm[T Float](h *Handle, s *cuda.Stream, transA, transB Operation, m, n, k int, alpha T, a cuda.Slice[T], lda int, b cuda.Slice[T], ldb int, beta T, c cuda.Slice[T], ldc int) error {
	switch any(*new(T)).(type) {
	case float32:
		return h.Sgemm(s, transA, transB, int64(m), int64(n), int64(k), to[float32](alpha), as[float32](a), int64(lda), as[float32](b), int64(ldb), to[float32](beta), as[float32](c), int64(ldc))
	case float64:
		return h.Dgemm(s, transA, transB, int64(m), int64(n), int64(k), to[float64](alpha), as[float64](a), int64(lda), as[float64](b), int64(ldb), to[float64](beta), as[float64](c), int64(ldc))
	case complex64:
		return h.Cgemm(s, transA, transB, int64(m), int64(n), int64(k), to[complex64](alpha), as[complex64](a), int64(lda), as[complex64](b), int64(ldb), to[complex64](beta), as[complex64](c), int64(ldc))
	default:
		return h.Zgemm(s, transA, transB, int64(m), int64(n), int64(k), to[complex128](alpha), as[complex128](a), int64(lda), as[complex128](b), int64(ldb), to[complex128](beta), as[complex128](c), int64(ldc))
	}
}

// Gemv computes y = alpha op(A) x + beta y, where A is m by n.
func Gemv[T Float](h *Handle, s *cuda.Stream, trans Operation, m, n int, alpha T, a cuda.Slice[T], lda int, x cuda.Slice[T], incx int, beta T, y cuda.Slice[T], incy int) error {
	switch any(*new(T)).(type) {
	case float32:
		return h.Sgemv(s, trans, int64(m), int64(n), to[float32](alpha), as[float32](a), int64(lda), as[float32](x), int64(incx), to[float32](beta), as[float32](y), int64(incy))
	case float64:
		return h.Dgemv(s, trans, int64(m), int64(n), to[float64](alpha), as[float64](a), int64(lda), as[float64](x), int64(incx), to[float64](beta), as[float64](y), int64(incy))
	case complex64:
		return h.Cgemv(s, trans, int64(m), int64(n), to[complex64](alpha), as[complex64](a), int64(lda), as[complex64](x), int64(incx), to[complex64](beta), as[complex64](y), int64(incy))
	default:
		return h.Zgemv(s, trans, int64(m), int64(n), to[complex128](alpha), as[complex128](a), int64(lda), as[complex128](x), int64(incx), to[complex128](beta), as[complex128](y), int64(incy))
	}
}

// Trsm solves op(A) X = alpha B, or X op(A) = alpha B with SideRight, where A is triangular and B is m by n. X replaces B.
func Trsm[T Float](h *Handle, s *cuda.Stream, side SideMode, uplo FillMode, trans Operation, diag DiagType, m, n int, alpha T, a cuda.Slice[T], lda int, b cuda.Slice[T], ldb int) error {
	switch any(*new(T)).(type) {
	case float32:
		return h.Strsm(s, side, uplo, trans, diag, int64(m), int64(n), to[float32](alpha), as[float32](a), int64(lda), as[float32](b), int64(ldb))
	case float64:
		return h.Dtrsm(s, side, uplo, trans, diag, int64(m), int64(n), to[float64](alpha), as[float64](a), int64(lda), as[float64](b), int64(ldb))
	case complex64:
		return h.Ctrsm(s, side, uplo, trans, diag, int64(m), int64(n), to[complex64](alpha), as[complex64](a), int64(lda), as[complex64](b), int64(ldb))
	default:
		return h.Ztrsm(s, side, uplo, trans, diag, int64(m), int64(n), to[complex128](alpha), as[complex128](a), int64(lda), as[complex128](b), int64(ldb))
	}
}

// Axpy adds alpha * x to y.
func Axpy[T Float](h *Handle, s *cuda.Stream, n int, alpha T, x cuda.Slice[T], incx int, y cuda.Slice[T], incy int) error {
	switch any(*new(T)).(type) {
	case float32:
		return h.Saxpy(s, int64(n), to[float32](alpha), as[float32](x), int64(incx), as[float32](y), int64(incy))
	case float64:
		return h.Daxpy(s, int64(n), to[float64](alpha), as[float64](x), int64(incx), as[float64](y), int64(incy))
	case complex64:
		return h.Caxpy(s, int64(n), to[complex64](alpha), as[complex64](x), int64(incx), as[complex64](y), int64(incy))
	default:
		return h.Zaxpy(s, int64(n), to[complex128](alpha), as[complex128](x), int64(incx), as[complex128](y), int64(incy))
	}
}

// Scal multiplies x by alpha.
func Scal[T Float](h *Handle, s *cuda.Stream, n int, alpha T, x cuda.Slice[T], incx int) error {
	switch any(*new(T)).(type) {
	case float32:
		return h.Sscal(s, int64(n), to[float32](alpha), as[float32](x), int64(incx))
	case float64:
		return h.Dscal(s, int64(n), to[float64](alpha), as[float64](x), int64(incx))
	case complex64:
		return h.Cscal(s, int64(n), to[complex64](alpha), as[complex64](x), int64(incx))
	default:
		return h.Zscal(s, int64(n), to[complex128](alpha), as[complex128](x), int64(incx))
	}
}

// Dot returns the sum of the products of the elements of x and y. Complex numbers are not conjugated; Dotc does that.
func Dot[T Float](h *Handle, s *cuda.Stream, n int, x cuda.Slice[T], incx int, y cuda.Slice[T], incy int) (T, error) {
	switch any(*new(T)).(type) {
	case float32:
		r, err := h.Sdot(s, int64(n), as[float32](x), int64(incx), as[float32](y), int64(incy))
		return any(r).(T), err
	case float64:
		r, err := h.Ddot(s, int64(n), as[float64](x), int64(incx), as[float64](y), int64(incy))
		return any(r).(T), err
	case complex64:
		r, err := h.Cdotu(s, int64(n), as[complex64](x), int64(incx), as[complex64](y), int64(incy))
		return any(r).(T), err
	default:
		r, err := h.Zdotu(s, int64(n), as[complex128](x), int64(incx), as[complex128](y), int64(incy))
		return any(r).(T), err
	}
}

// Dotc returns the sum of the products of the conjugates of the elements of x and the elements of y.
func Dotc[T Float](h *Handle, s *cuda.Stream, n int, x cuda.Slice[T], incx int, y cuda.Slice[T], incy int) (T, error) {
	switch any(*new(T)).(type) {
	case complex64:
		r, err := h.Cdotc(s, int64(n), as[complex64](x), int64(incx), as[complex64](y), int64(incy))
		return any(r).(T), err
	case complex128:
		r, err := h.Zdotc(s, int64(n), as[complex128](x), int64(incx), as[complex128](y), int64(incy))
		return any(r).(T), err
	default:
		return Dot(h, s, n, x, incx, y, incy)
	}
}

// Nrm2 returns the Euclidean norm of x.
func Nrm2[T Float](h *Handle, s *cuda.Stream, n int, x cuda.Slice[T], incx int) (float64, error) {
	switch any(*new(T)).(type) {
	case float32:
		r, err := h.Snrm2(s, int64(n), as[float32](x), int64(incx))
		return float64(r), err
	case float64:
		r, err := h.Dnrm2(s, int64(n), as[float64](x), int64(incx))
		return float64(r), err
	case complex64:
		r, err := h.Scnrm2(s, int64(n), as[complex64](x), int64(incx))
		return float64(r), err
	default:
		r, err := h.Dznrm2(s, int64(n), as[complex128](x), int64(incx))
		return float64(r), err
	}
}
