package cusolver

import (
	"errors"
	"fmt"
	"math"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Float is a number that matrices have.
type Float interface {
	float32 | float64 | complex64 | complex128
}

// A Real is a number that is not complex.
type Real interface{ float32 | float64 }

// An Info is what a function says of a matrix, if it is not 0: LAPACK's info. A negative one is the number of an argument that is wrong, counted
// from 1. A positive one tells where there is no factor, or how much did not converge.
type Info int32

func (i Info) Error() string {
	if i < 0 {
		return fmt.Sprintf("cusolver: argument %d is wrong (info %d)", -i, int32(i))
	}
	return fmt.Sprintf("cusolver: there is no such factor, or it did not converge (info %d)", int32(i))
}

// Check waits for s, and returns the first Info of the slice that is not 0 as an error.
func Check(s *cuda.Stream, info cuda.Slice[int32]) error {
	values, err := info.Download(s)
	for i, v := range values {
		if v == 0 {
			continue
		}
		if len(values) > 1 {
			return fmt.Errorf("matrix %d: %w", i, Info(v))
		}
		return Info(v)
	}
	return err
}

// of returns the one of the functions that has the type F.
func of[F any](functions ...any) F {
	for _, f := range functions {
		if f, ok := f.(F); ok {
			return f
		}
	}
	panic("cusolver: no function has this type")
}

// narrow returns numbers as C has them.
func narrow(numbers ...int) (list [6]int32, err error) {
	for i, n := range numbers {
		if n < math.MinInt32 || n > math.MaxInt32 {
			return list, fmt.Errorf("cusolver: %d does not fit into 32 bits: use a function that begins with X: %w", n, cuda.ErrInvalidValue)
		}
		list[i] = int32(n)
	}
	return list, nil
}

// working calls run with memory of n elements on s, and gives it back behind what that queued.
func working[T any](s *cuda.Stream, n int32, err error, run func(work cuda.Slice[T]) error) error {
	if err != nil {
		return err
	}
	work, err := cuda.Alloc[T](s, int(max(n, 1)))
	if err != nil {
		return err
	}
	return errors.Join(run(work.Slice(0, int(max(n, 0)))), work.Close())
}

// Potrf makes L of A = L L*, or U of A = U* U. It replaces that triangle of A, which is n by n.
func Potrf[T Float](h *Handle, s *cuda.Stream, uplo FillMode, n int, a cuda.Slice[T], lda int, info cuda.Slice[int32]) error {
	size := of[func(*Handle, *cuda.Stream, FillMode, int32, cuda.Slice[T], int32) (int32, error)]((*Handle).SpotrfBufferSize, (*Handle).DpotrfBufferSize, (*Handle).CpotrfBufferSize, (*Handle).ZpotrfBufferSize)
	run := of[func(*Handle, *cuda.Stream, FillMode, int32, cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Spotrf, (*Handle).Dpotrf, (*Handle).Cpotrf, (*Handle).Zpotrf)
	c, err := narrow(n, lda)
	if err != nil {
		return err
	}
	count, err := size(h, s, uplo, c[0], a, c[1])
	return working(s, count, err, func(work cuda.Slice[T]) error { return run(h, s, uplo, c[0], a, c[1], work, count, info) })
}

// Potrs solves A X = B by what Potrf has made of A. X replaces B, which is n by nrhs.
func Potrs[T Float](h *Handle, s *cuda.Stream, uplo FillMode, n, nrhs int, a cuda.Slice[T], lda int, b cuda.Slice[T], ldb int, info cuda.Slice[int32]) error {
	run := of[func(*Handle, *cuda.Stream, FillMode, int32, int32, cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Spotrs, (*Handle).Dpotrs, (*Handle).Cpotrs, (*Handle).Zpotrs)
	c, err := narrow(n, nrhs, lda, ldb)
	if err != nil {
		return err
	}
	return run(h, s, uplo, c[0], c[1], a, c[2], b, c[3], info)
}

// Getrf makes L and U of P A = L U. They replace A, which is m by n. ipiv gets min(m, n) pivots, counted from 1.
func Getrf[T Float](h *Handle, s *cuda.Stream, m, n int, a cuda.Slice[T], lda int, ipiv, info cuda.Slice[int32]) error {
	size := of[func(*Handle, *cuda.Stream, int32, int32, cuda.Slice[T], int32) (int32, error)]((*Handle).SgetrfBufferSize, (*Handle).DgetrfBufferSize, (*Handle).CgetrfBufferSize, (*Handle).ZgetrfBufferSize)
	run := of[func(*Handle, *cuda.Stream, int32, int32, cuda.Slice[T], int32, cuda.Slice[T], cuda.Slice[int32], cuda.Slice[int32]) error]((*Handle).Sgetrf, (*Handle).Dgetrf, (*Handle).Cgetrf, (*Handle).Zgetrf)
	c, err := narrow(m, n, lda)
	if err != nil {
		return err
	}
	if m == 0 || n == 0 { // cuSOLVER launches empty grids, and the next call fails
		return info.Slice(0, min(1, info.Len())).Clear(s)
	}
	count, err := size(h, s, c[0], c[1], a, c[2])
	return working(s, count, err, func(work cuda.Slice[T]) error { return run(h, s, c[0], c[1], a, c[2], work, ipiv, info) })
}

// Getrs solves op(A) X = B by what Getrf has made of A. X replaces B, which is n by nrhs.
func Getrs[T Float](h *Handle, s *cuda.Stream, trans Operation, n, nrhs int, a cuda.Slice[T], lda int, ipiv cuda.Slice[int32], b cuda.Slice[T], ldb int, info cuda.Slice[int32]) error {
	run := of[func(*Handle, *cuda.Stream, Operation, int32, int32, cuda.Slice[T], int32, cuda.Slice[int32], cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Sgetrs, (*Handle).Dgetrs, (*Handle).Cgetrs, (*Handle).Zgetrs)
	c, err := narrow(n, nrhs, lda, ldb)
	if err != nil {
		return err
	}
	if n == 0 || nrhs == 0 {
		return info.Slice(0, min(1, info.Len())).Clear(s)
	}
	return run(h, s, trans, c[0], c[1], a, c[2], ipiv, b, c[3], info)
}

// Solve solves A X = B, and waits. A is n by n, and becomes its factors L and U; X replaces B, which is n by nrhs. If A is singular, the error is
// an Info.
func Solve[T Float](h *Handle, s *cuda.Stream, n, nrhs int, a cuda.Slice[T], lda int, b cuda.Slice[T], ldb int) error {
	memory, err := cuda.Alloc[int32](s, max(n, 0)+2)
	if err != nil {
		return err
	}
	defer memory.Close()
	first, second, ipiv := memory.Slice(0, 1), memory.Slice(1, 2), memory.Slice(2, memory.Len())
	if err := Getrf(h, s, n, n, a, lda, ipiv, first); err != nil {
		return err
	}
	if err := Getrs(h, s, OpN, n, nrhs, a, lda, ipiv, b, ldb, second); err != nil {
		return err
	}
	return Check(s, memory.Slice(0, 2))
}

// Geqrf makes R of A = Q R, and min(m, n) reflectors whose product is Q. They replace A, which is m by n, and tau gets their factors.
func Geqrf[T Float](h *Handle, s *cuda.Stream, m, n int, a cuda.Slice[T], lda int, tau cuda.Slice[T], info cuda.Slice[int32]) error {
	size := of[func(*Handle, *cuda.Stream, int32, int32, cuda.Slice[T], int32) (int32, error)]((*Handle).SgeqrfBufferSize, (*Handle).DgeqrfBufferSize, (*Handle).CgeqrfBufferSize, (*Handle).ZgeqrfBufferSize)
	run := of[func(*Handle, *cuda.Stream, int32, int32, cuda.Slice[T], int32, cuda.Slice[T], cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Sgeqrf, (*Handle).Dgeqrf, (*Handle).Cgeqrf, (*Handle).Zgeqrf)
	c, err := narrow(m, n, lda)
	if err != nil {
		return err
	}
	count, err := size(h, s, c[0], c[1], a, c[2])
	return working(s, count, err, func(work cuda.Slice[T]) error { return run(h, s, c[0], c[1], a, c[2], tau, work, count, info) })
}

// Orgqr makes the first n columns of Q, which is m by m, of k reflectors that Geqrf has made. They replace A.
func Orgqr[T Float](h *Handle, s *cuda.Stream, m, n, k int, a cuda.Slice[T], lda int, tau cuda.Slice[T], info cuda.Slice[int32]) error {
	size := of[func(*Handle, *cuda.Stream, int32, int32, int32, cuda.Slice[T], int32, cuda.Slice[T]) (int32, error)]((*Handle).SorgqrBufferSize, (*Handle).DorgqrBufferSize, (*Handle).CungqrBufferSize, (*Handle).ZungqrBufferSize)
	run := of[func(*Handle, *cuda.Stream, int32, int32, int32, cuda.Slice[T], int32, cuda.Slice[T], cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Sorgqr, (*Handle).Dorgqr, (*Handle).Cungqr, (*Handle).Zungqr)
	c, err := narrow(m, n, k, lda)
	if err != nil {
		return err
	}
	count, err := size(h, s, c[0], c[1], c[2], a, c[3], tau)
	return working(s, count, err, func(work cuda.Slice[T]) error { return run(h, s, c[0], c[1], c[2], a, c[3], tau, work, count, info) })
}

// Ormqr multiplies C, which is m by n, by op(Q), from the left or from the right. Q is made of k reflectors that Geqrf has made.
func Ormqr[T Float](h *Handle, s *cuda.Stream, side SideMode, trans Operation, m, n, k int, a cuda.Slice[T], lda int, tau, c cuda.Slice[T], ldc int, info cuda.Slice[int32]) error {
	size := of[func(*Handle, *cuda.Stream, SideMode, Operation, int32, int32, int32, cuda.Slice[T], int32, cuda.Slice[T], cuda.Slice[T], int32) (int32, error)]((*Handle).SormqrBufferSize, (*Handle).DormqrBufferSize, (*Handle).CunmqrBufferSize, (*Handle).ZunmqrBufferSize)
	run := of[func(*Handle, *cuda.Stream, SideMode, Operation, int32, int32, int32, cuda.Slice[T], int32, cuda.Slice[T], cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Sormqr, (*Handle).Dormqr, (*Handle).Cunmqr, (*Handle).Zunmqr)
	i, err := narrow(m, n, k, lda, ldc)
	if err != nil {
		return err
	}
	count, err := size(h, s, side, trans, i[0], i[1], i[2], a, i[3], tau, c, i[4])
	return working(s, count, err, func(work cuda.Slice[T]) error {
		return run(h, s, side, trans, i[0], i[1], i[2], a, i[3], tau, c, i[4], work, count, info)
	})
}

// Syevd makes the eigenvalues w of a symmetric or Hermitian matrix, in ascending order, and with EigModeVector the eigenvectors, which replace A.
// The eigenvalues of complex64 are float32, and those of complex128 float64.
func Syevd[T Float, R Real](h *Handle, s *cuda.Stream, jobz EigMode, uplo FillMode, n int, a cuda.Slice[T], lda int, w cuda.Slice[R], info cuda.Slice[int32]) error {
	if err := fit[T, R](); err != nil {
		return err
	}
	size := of[func(*Handle, *cuda.Stream, EigMode, FillMode, int32, cuda.Slice[T], int32, cuda.Slice[R]) (int32, error)]((*Handle).SsyevdBufferSize, (*Handle).DsyevdBufferSize, (*Handle).CheevdBufferSize, (*Handle).ZheevdBufferSize)
	run := of[func(*Handle, *cuda.Stream, EigMode, FillMode, int32, cuda.Slice[T], int32, cuda.Slice[R], cuda.Slice[T], int32, cuda.Slice[int32]) error]((*Handle).Ssyevd, (*Handle).Dsyevd, (*Handle).Cheevd, (*Handle).Zheevd)
	c, err := narrow(n, lda)
	if err != nil {
		return err
	}
	count, err := size(h, s, jobz, uplo, c[0], a, c[1], w)
	return working(s, count, err, func(work cuda.Slice[T]) error { return run(h, s, jobz, uplo, c[0], a, c[1], w, work, count, info) })
}

// Gesvd makes the singular values of A, which is m by n with m at least n, in descending order, and singular vectors as Sgesvd says. A is lost.
// The singular values of complex64 are float32, and those of complex128 float64.
func Gesvd[T Float, R Real](h *Handle, s *cuda.Stream, jobu, jobvt byte, m, n int, a cuda.Slice[T], lda int, values cuda.Slice[R], u cuda.Slice[T], ldu int, vt cuda.Slice[T], ldvt int, info cuda.Slice[int32]) error {
	if err := fit[T, R](); err != nil {
		return err
	}
	var size func(h *Handle, m, n int32) (int32, error)
	switch any(a).(type) {
	case cuda.Slice[float32]:
		size = (*Handle).SgesvdBufferSize
	case cuda.Slice[float64]:
		size = (*Handle).DgesvdBufferSize
	case cuda.Slice[complex64]:
		size = (*Handle).CgesvdBufferSize
	default:
		size = (*Handle).ZgesvdBufferSize
	}
	run := of[func(*Handle, *cuda.Stream, int8, int8, int32, int32, cuda.Slice[T], int32, cuda.Slice[R], cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[R], cuda.Slice[int32]) error]((*Handle).Sgesvd, (*Handle).Dgesvd, (*Handle).Cgesvd, (*Handle).Zgesvd)
	c, err := narrow(m, n, lda, ldu, ldvt)
	if err != nil {
		return err
	}
	count, err := size(h, c[0], c[1])
	return working(s, count, err, func(work cuda.Slice[T]) error {
		return run(h, s, int8(jobu), int8(jobvt), c[0], c[1], a, c[2], values, u, c[3], vt, c[4], work, count, cuda.Slice[R]{}, info)
	})
}

// fit reports as an error that the eigenvalues and singular values of a matrix of elements T are no R.
func fit[T Float, R Real]() error {
	var element T
	_, single := any(*new(R)).(float32)
	switch any(element).(type) {
	case float32, complex64:
		if single {
			return nil
		}
	default:
		if !single {
			return nil
		}
	}
	return fmt.Errorf("cusolver: eigenvalues and singular values of %T are not %T: %w", element, *new(R), cuda.ErrInvalidValue)
}
