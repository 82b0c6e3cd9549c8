package simulated

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

// These functions have types as arguments, slices of bytes, and sizes of 64 bits.

// typed has the form of memory of a type.
var typed = map[cusolver.DataType]func(cuda.Slice[uint8]) memory{
	cusolver.R32F: elements[float32], cusolver.R64F: elements[float64], cusolver.C32F: elements[complex64], cusolver.C64F: elements[complex128],
}

// realOf returns the type of the eigenvalues and singular values of a matrix.
func realOf(t cusolver.DataType) cusolver.DataType {
	switch t {
	case cusolver.C32F:
		return cusolver.R32F
	case cusolver.C64F:
		return cusolver.R64F
	}
	return t
}

// elements returns whole elements of bytes.
func elements[T number](bytes cuda.Slice[uint8]) memory {
	size := int(unsafe.Sizeof(*new(T)))
	return of[T]{cuda.Reinterpret[T](bytes.Slice(0, bytes.Len()/size*size))}
}

// known reports which types a function calculates with here: those of the matrix, if the others fit.
func known(h *cusolver.Handle, function string, t cusolver.DataType, fit bool) error {
	if typed[t] == nil || !fit {
		return missing(h.Device(), function, "with these types")
	}
	return nil
}

// room returns how many elements of a type a workspace has.
func room(t cusolver.DataType, bytes uint64) int64 {
	return int64(bytes / uint64(typed[t](cuda.Slice[uint8]{}).size()))
}

// bytesFor returns how large workspaces with n elements are.
func bytesFor(t cusolver.DataType, ok bool, n int64) (device, host uint64, err error) {
	count, err := needed(ok, n)
	return uint64(count) * uint64(typed[t](cuda.Slice[uint8]{}).size()), 0, err
}

func xpotrfSize(h *cusolver.Handle, _ *cuda.Stream, _ *cusolver.Params, uplo cusolver.FillMode, n int64, t cusolver.DataType, _ cuda.Slice[uint8], lda int64, compute cusolver.DataType) (uint64, uint64, error) {
	if err := known(h, "cusolverDnXpotrf_bufferSize", t, compute == t); err != nil {
		return 0, 0, err
	}
	return bytesFor(t, isFill(uplo) && valid(n, n, lda), n)
}

func xpotrf(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, uplo cusolver.FillMode, n int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, compute cusolver.DataType, _ cuda.Slice[uint8], size uint64, _ []uint8, _ uint64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXpotrf", t, compute == t); err != nil {
		return err
	}
	return potrfIn(s, uplo, n, typed[t](a), lda, room(t, size), info)
}

func xpotrs(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, uplo cusolver.FillMode, n, nrhs int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, tb cusolver.DataType, b cuda.Slice[uint8], ldb int64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXpotrs", t, tb == t); err != nil {
		return err
	}
	return potrsIn(s, uplo, n, nrhs, typed[t](a), lda, typed[t](b), ldb, info)
}

func xgetrfSize(h *cusolver.Handle, _ *cuda.Stream, _ *cusolver.Params, m, n int64, t cusolver.DataType, _ cuda.Slice[uint8], lda int64, compute cusolver.DataType) (uint64, uint64, error) {
	if err := known(h, "cusolverDnXgetrf_bufferSize", t, compute == t); err != nil {
		return 0, 0, err
	}
	return bytesFor(t, valid(m, n, lda), n)
}

func xgetrf(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, m, n int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, ipiv cuda.Slice[int64], compute cusolver.DataType, _ cuda.Slice[uint8], size uint64, _ []uint8, _ uint64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXgetrf", t, compute == t); err != nil {
		return err
	}
	return getrfIn(s, room(t, size) >= n, m, n, typed[t](a), lda, ipiv, info)
}

func xgetrs(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, trans cusolver.Operation, n, nrhs int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, ipiv cuda.Slice[int64], tb cusolver.DataType, b cuda.Slice[uint8], ldb int64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXgetrs", t, tb == t); err != nil {
		return err
	}
	return getrsIn(s, trans, n, nrhs, typed[t](a), lda, ipiv, typed[t](b), ldb, info)
}

func xgeqrfSize(h *cusolver.Handle, _ *cuda.Stream, _ *cusolver.Params, m, n int64, t cusolver.DataType, _ cuda.Slice[uint8], lda int64, tau cusolver.DataType, _ cuda.Slice[uint8], compute cusolver.DataType) (uint64, uint64, error) {
	if err := known(h, "cusolverDnXgeqrf_bufferSize", t, tau == t && compute == t); err != nil {
		return 0, 0, err
	}
	return bytesFor(t, valid(m, n, lda), n)
}

func xgeqrf(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, m, n int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, ttau cusolver.DataType, tau cuda.Slice[uint8], compute cusolver.DataType, _ cuda.Slice[uint8], size uint64, _ []uint8, _ uint64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXgeqrf", t, ttau == t && compute == t); err != nil {
		return err
	}
	return geqrfIn(s, m, n, typed[t](a), lda, typed[t](tau), room(t, size), info)
}

func xsyevdSize(h *cusolver.Handle, _ *cuda.Stream, _ *cusolver.Params, jobz cusolver.EigMode, uplo cusolver.FillMode, n int64, t cusolver.DataType, _ cuda.Slice[uint8], lda int64, tw cusolver.DataType, _ cuda.Slice[uint8], compute cusolver.DataType) (uint64, uint64, error) {
	if err := known(h, "cusolverDnXsyevd_bufferSize", t, tw == realOf(t) && compute == t); err != nil {
		return 0, 0, err
	}
	return bytesFor(t, canDecompose(jobz, uplo) && valid(n, n, lda), n)
}

func xsyevd(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, jobz cusolver.EigMode, uplo cusolver.FillMode, n int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, tw cusolver.DataType, values cuda.Slice[uint8], compute cusolver.DataType, _ cuda.Slice[uint8], size uint64, _ []uint8, _ uint64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXsyevd", t, tw == realOf(t) && compute == t); err != nil {
		return err
	}
	return syevdIn(s, jobz, uplo, n, typed[t](a), lda, typed[tw](values), room(t, size), info, 1)
}

func xgesvdSize(h *cusolver.Handle, _ *cuda.Stream, _ *cusolver.Params, jobu, jobvt int8, m, n int64, t cusolver.DataType, _ cuda.Slice[uint8], lda int64, ts cusolver.DataType, _ cuda.Slice[uint8], tu cusolver.DataType, _ cuda.Slice[uint8], ldu int64, tvt cusolver.DataType, _ cuda.Slice[uint8], ldvt int64, compute cusolver.DataType) (uint64, uint64, error) {
	if err := known(h, "cusolverDnXgesvd_bufferSize", t, ts == realOf(t) && tu == t && tvt == t && compute == t); err != nil {
		return 0, 0, err
	}
	return bytesFor(t, canSplit(jobu, jobvt, m, n, lda, ldu, ldvt), n)
}

func xgesvd(h *cusolver.Handle, s *cuda.Stream, _ *cusolver.Params, jobu, jobvt int8, m, n int64, t cusolver.DataType, a cuda.Slice[uint8], lda int64, ts cusolver.DataType, values cuda.Slice[uint8], tu cusolver.DataType, u cuda.Slice[uint8], ldu int64, tvt cusolver.DataType, vt cuda.Slice[uint8], ldvt int64, compute cusolver.DataType, _ cuda.Slice[uint8], size uint64, _ []uint8, _ uint64, info cuda.Slice[int32]) error {
	if err := known(h, "cusolverDnXgesvd", t, ts == realOf(t) && tu == t && tvt == t && compute == t); err != nil {
		return err
	}
	return gesvdIn(s, jobu, jobvt, m, n, typed[t](a), lda, typed[ts](values), typed[t](u), ldu, typed[t](vt), ldvt, room(t, size), info)
}
