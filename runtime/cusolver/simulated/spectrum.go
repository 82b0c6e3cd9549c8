package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

func syevdSize[T number, R float](_ *cusolver.Handle, _ *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, _ cuda.Slice[T], lda int32, _ cuda.Slice[R]) (int32, error) {
	return needed(jobz <= cusolver.EigModeVector && isFill(uplo) && valid(n, n, lda), n)
}

func syevd[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	upper, rows, ld := uplo == cusolver.FillModeUpper, int(n), int(lda)
	return queue(s, jobz <= cusolver.EigModeVector && isFill(uplo) && valid(n, n, lda) && lwork >= n, info, func(w *hostwork.Work) int {
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
		return converged(ok)
	}, a.Owner(), values.Owner())
}

// converged is LAPACK's info of what has no more to say.
func converged(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

func writeReals[R float](w *hostwork.Work, s cuda.Slice[R], values []float64) {
	narrowed := make([]R, len(values))
	for i, v := range values {
		narrowed[i] = R(v)
	}
	hostwork.Write(w, s, hostwork.Vector(len(narrowed), 1), narrowed)
}

func syevjSize[T number, R float](h *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], _ *cusolver.SyevjInfo) (int32, error) {
	return syevdSize(h, s, jobz, uplo, n, a, lda, values)
}

func syevj[T number, R float](h *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], work cuda.Slice[T], lwork int32, info cuda.Slice[int32], _ *cusolver.SyevjInfo) error {
	return syevd(h, s, jobz, uplo, n, a, lda, values, work, lwork, info)
}

func gesvdSize(_ *cusolver.Handle, m, n int32) (int32, error) {
	return needed(n >= 0 && m >= n, n)
}

// isJob reports whether job is one of gesvd: all singular vectors, the first ones, those in place of the matrix, or none.
func isJob(job int8) bool { return job == 'A' || job == 'S' || job == 'O' || job == 'N' }

func gesvd[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobu, jobvt int8, m, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], u cuda.Slice[T], ldu int32, vt cuda.Slice[T], ldvt int32, _ cuda.Slice[T], lwork int32, _ cuda.Slice[R], info cuda.Slice[int32]) error {
	ok := isJob(jobu) && isJob(jobvt) && !(jobu == 'O' && jobvt == 'O') && m >= n && valid(m, n, lda) && ldu >= 1 && ldvt >= 1 && lwork >= n
	ok = ok && (jobu != 'A' && jobu != 'S' || ldu >= m) && (jobvt != 'A' && jobvt != 'S' || ldvt >= n)
	return queue(s, ok, info, func(w *hostwork.Work) int {
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
		return converged(ok)
	}, a.Owner(), values.Owner(), u.Owner(), vt.Owner())
}

func gesvdjSize[T number, R float](_ *cusolver.Handle, _ *cuda.Stream, jobz cusolver.EigMode, _, m, n int32, _ cuda.Slice[T], lda int32, _ cuda.Slice[R], _ cuda.Slice[T], ldu int32, _ cuda.Slice[T], ldv int32, _ *cusolver.GesvdjInfo) (int32, error) {
	return needed(jobz <= cusolver.EigModeVector && valid(m, n, lda) && ldu >= max(1, m) && ldv >= max(1, n), max(m, n))
}

func gesvdj[T number, R float](_ *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, econ, m, n int32, a cuda.Slice[T], lda int32, values cuda.Slice[R], u cuda.Slice[T], ldu int32, v cuda.Slice[T], ldv int32, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32], _ *cusolver.GesvdjInfo) error {
	ok := jobz <= cusolver.EigModeVector && valid(m, n, lda) && ldu >= max(1, m) && ldv >= max(1, n) && lwork >= max(m, n)
	return queue(s, ok, info, func(w *hostwork.Work) int {
		x := readAll(w, a, int(m), int(n), int(lda))
		var left, right *matrix
		var found []float64
		var ok bool
		if m >= n {
			left, found, right, ok = singular(x)
		} else {
			right, found, left, ok = singular(x.adjoint())
		}
		writeReals(w, values, found)
		if jobz == cusolver.EigModeVector {
			if econ == 0 {
				left, right = completed(left, int(m)), completed(right, int(n))
			}
			writeAll(w, u, left, int(ldu))
			writeAll(w, v, right, int(ldv))
		}
		return converged(ok)
	}, a.Owner(), values.Owner(), u.Owner(), v.Owner())
}
