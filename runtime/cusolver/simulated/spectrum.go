package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

func syevdSize[T number, R float](_ *cusolver.Handle, _ *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, _ cuda.Slice[T], lda int32, _ cuda.Slice[R]) (int32, error) {
	return needed(canDecompose(jobz, uplo) && valid(n, n, lda), n)
}

func canDecompose(jobz cusolver.EigMode, uplo cusolver.FillMode) bool {
	return jobz <= cusolver.EigModeVector && isFill(uplo)
}

func syevd[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	return syevdIn(s, jobz, uplo, int64(n), of[T]{a}, int64(lda), of[R]{values}, int64(lwork), info, 1)
}

// syevdIn leaves failed as the info if the method does not converge.
func syevdIn(s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int64, a memory, lda int64, values memory, lwork int64, info cuda.Slice[int32], failed int) error {
	upper, rows, ld := uplo == cusolver.FillModeUpper, int(n), int(lda)
	return queue(s, canDecompose(jobz, uplo) && valid(n, n, lda) && lwork >= n, info, func(w *hostwork.Work) int {
		x := read(w, a, triangle(upper, rows, ld), rows, rows, ld)
		for j := range rows { // the other triangle
			x.set(j, j, complex(real(x.at(j, j)), 0))
			for i := range j {
				if upper {
					x.set(j, i, conj(x.at(i, j)))
				} else {
					x.set(i, j, conj(x.at(j, i)))
				}
			}
		}
		found, vectors, ok := eigen(x)
		writeReals(w, values, found)
		if jobz == cusolver.EigModeVector {
			writeAll(w, a, vectors, ld)
		}
		return unless(ok, failed)
	}, a.Owner(), values.Owner())
}

// unless returns info if a method has not converged.
func unless(converged bool, info int) int {
	if converged {
		return 0
	}
	return info
}

func syevjSize[T number, R float](h *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], _ *cusolver.SyevjInfo) (int32, error) {
	return syevdSize(h, s, jobz, uplo, n, a, lda, values)
}

func syevj[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], _ cuda.Slice[T], lwork int32, info cuda.Slice[int32], _ *cusolver.SyevjInfo) error {
	return syevdIn(s, jobz, uplo, int64(n), of[T]{a}, int64(lda), of[R]{values}, int64(lwork), info, int(n)+1)
}

func gesvdSize(_ *cusolver.Handle, m, n int32) (int32, error) {
	return needed(n >= 0 && m >= n, n)
}

// A job of gesvd asks for all singular vectors, the first ones, those in place of the matrix, or none.
func isJob(job int8) bool { return job == 'A' || job == 'S' || job == 'O' || job == 'N' }

// canSplit reports whether gesvd takes such arguments.
func canSplit(jobu, jobvt int8, m, n, lda, ldu, ldvt int64) bool {
	return isJob(jobu) && isJob(jobvt) && !(jobu == 'O' && jobvt == 'O') && m >= n && valid(m, n, lda) && ldu >= 1 && ldvt >= 1 &&
		(jobu != 'A' && jobu != 'S' || ldu >= m) && (jobvt != 'A' && jobvt != 'S' || ldvt >= n)
}

func gesvd[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobu, jobvt int8, m, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], u cuda.Slice[T], ldu int32, vt cuda.Slice[T], ldvt int32, _ cuda.Slice[T], lwork int32, _ cuda.Slice[R], info cuda.Slice[int32]) error {
	return gesvdIn(s, jobu, jobvt, int64(m), int64(n), of[T]{a}, int64(lda), of[R]{values}, of[T]{u}, int64(ldu), of[T]{vt}, int64(ldvt), int64(lwork), info)
}

func gesvdIn(s *cuda.Stream, jobu, jobvt int8, m, n int64, a memory, lda int64, values, u memory, ldu int64, vt memory, ldvt, lwork int64, info cuda.Slice[int32]) error {
	return queue(s, canSplit(jobu, jobvt, m, n, lda, ldu, ldvt) && lwork >= n, info, func(w *hostwork.Work) int {
		left, found, right, ok := singular(readAll(w, a, int(m), int(n), int(lda)))
		writeReals(w, values, found)
		switch jobu {
		case 'A':
			writeAll(w, u, completed(left, int(m)), int(ldu))
		case 'S':
			writeAll(w, u, left, int(ldu))
		case 'O':
			writeAll(w, a, left, int(lda))
		}
		switch jobvt {
		case 'A', 'S':
			writeAll(w, vt, right.adjoint(), int(ldvt))
		case 'O':
			writeAll(w, a, right.adjoint(), int(lda))
		}
		return unless(ok, 1)
	}, a.Owner(), values.Owner(), u.Owner(), vt.Owner())
}

func gesvdjSize[T number, R float](_ *cusolver.Handle, _ *cuda.Stream, jobz cusolver.EigMode, _, m, n int32, _ cuda.Slice[T], lda int32, _ cuda.Slice[R], _ cuda.Slice[T], ldu int32, _ cuda.Slice[T], ldv int32, _ *cusolver.GesvdjInfo) (int32, error) {
	return needed(jobz <= cusolver.EigModeVector && valid(m, n, lda) && ldu >= max(1, m) && ldv >= max(1, n), max(m, n))
}

func gesvdj[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, econ, m, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], u cuda.Slice[T], ldu int32, v cuda.Slice[T], ldv int32, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32], _ *cusolver.GesvdjInfo) error {
	ok := jobz <= cusolver.EigModeVector && valid(m, n, lda) && ldu >= max(1, m) && ldv >= max(1, n) && lwork >= max(m, n)
	return queue(s, ok, info, func(w *hostwork.Work) int {
		x := readAll(w, of[T]{a}, int(m), int(n), int(lda))
		var left, right *matrix
		var found []float64
		var ok bool
		if m >= n {
			left, found, right, ok = singular(x)
		} else {
			right, found, left, ok = singular(x.adjoint())
		}
		writeReals(w, of[R]{values}, found)
		if jobz == cusolver.EigModeVector {
			if econ == 0 {
				left, right = completed(left, int(m)), completed(right, int(n))
			}
			writeAll(w, of[T]{u}, left, int(ldu))
			writeAll(w, of[T]{v}, right, int(ldv))
		}
		return unless(ok, int(min(m, n))+1)
	}, a.Owner(), values.Owner(), u.Owner(), v.Owner())
}
