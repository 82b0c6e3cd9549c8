package simulated

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

func potrfSize[T number](_ *cusolver.Handle, _ *cuda.Stream, uplo cusolver.FillMode, n int32, _ cuda.Slice[T], lda int32) (int32, error) {
	return needed(isFill(uplo) && valid(n, n, lda), n)
}

func potrf[T number](_ *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	return potrfIn(s, uplo, int64(n), of[T]{a}, int64(lda), int64(lwork), info)
}

func potrfIn(s *cuda.Stream, uplo cusolver.FillMode, n int64, a memory, lda, lwork int64, info cuda.Slice[int32]) error {
	upper, rows, ld := uplo == cusolver.FillModeUpper, int(n), int(lda)
	return queue(s, isFill(uplo) && valid(n, n, lda) && lwork >= n, info, func(w *hostwork.Work) int {
		part := triangle(upper, rows, ld)
		m := read(w, a, part, rows, rows, ld)
		k := cholesky(m, upper)
		write(w, a, part, m, ld)
		return k
	}, a.Owner())
}

// potri makes a triangle of the inverse of A = L L*.
func potri[T number](_ *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n int32, a cuda.Slice[T], lda int32, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	upper, rows, ld := uplo == cusolver.FillModeUpper, int(n), int(lda)
	return queue(s, isFill(uplo) && valid(n, n, lda) && lwork >= n, info, func(w *hostwork.Work) int {
		part := triangle(upper, rows, ld)
		m := read(w, of[T]{a}, part, rows, rows, ld)
		for i := range rows {
			if m.at(i, i) == 0 {
				return i + 1
			}
		}
		inverse := identity(rows, rows)
		cholesked(m, upper, inverse)
		write(w, of[T]{a}, part, inverse, ld)
		return 0
	}, a.Owner())
}

// cholesked makes X of A X = B in b, of a factor of A.
func cholesked(factor *matrix, upper bool, b *matrix) {
	other := factor.adjoint()
	if upper {
		factor, other = other, factor
	}
	solve(factor, false, false, b)
	solve(other, true, false, b)
}

func potrs[T number](_ *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n, nrhs int32, a cuda.Slice[T], lda int32, b cuda.Slice[T], ldb int32, info cuda.Slice[int32]) error {
	return potrsIn(s, uplo, int64(n), int64(nrhs), of[T]{a}, int64(lda), of[T]{b}, int64(ldb), info)
}

func potrsIn(s *cuda.Stream, uplo cusolver.FillMode, n, nrhs int64, a memory, lda int64, b memory, ldb int64, info cuda.Slice[int32]) error {
	upper, rows := uplo == cusolver.FillModeUpper, int(n)
	return queue(s, isFill(uplo) && valid(n, n, lda) && valid(n, nrhs, ldb), info, func(w *hostwork.Work) int {
		x := readAll(w, b, rows, int(nrhs), int(ldb))
		cholesked(read(w, a, triangle(upper, rows, int(lda)), rows, rows, int(lda)), upper, x)
		writeAll(w, b, x, int(ldb))
		return 0
	}, a.Owner(), b.Owner())
}

// rectangleSize is for factors of matrices of any shape.
func rectangleSize[T number](_ *cusolver.Handle, _ *cuda.Stream, m, n int32, _ cuda.Slice[T], lda int32) (int32, error) {
	return needed(valid(m, n, lda), n)
}

func getrf[T number](_ *cusolver.Handle, s *cuda.Stream, m, n int32, a cuda.Slice[T], lda int32, _ cuda.Slice[T], ipiv, info cuda.Slice[int32]) error {
	return getrfIn(s, true, int64(m), int64(n), of[T]{a}, int64(lda), ipiv, info)
}

func getrfIn[I index](s *cuda.Stream, ok bool, m, n int64, a memory, lda int64, ipiv cuda.Slice[I], info cuda.Slice[int32]) error {
	pivoting := !ipiv.IsZero()
	return queue(s, ok && valid(m, n, lda), info, func(w *hostwork.Work) int {
		x := readAll(w, a, int(m), int(n), int(lda))
		pivots, k := lu(x, pivoting)
		writeAll(w, a, x, int(lda))
		if pivoting {
			counted := make([]I, len(pivots))
			for i, p := range pivots {
				counted[i] = I(p + 1)
			}
			hostwork.Write(w, ipiv, hostwork.Vector(len(counted), 1), counted)
		}
		return k
	}, a.Owner(), ipiv.Owner())
}

func getrs[T number](_ *cusolver.Handle, s *cuda.Stream, trans cusolver.Operation, n, nrhs int32, a cuda.Slice[T], lda int32, ipiv cuda.Slice[int32], b cuda.Slice[T], ldb int32, info cuda.Slice[int32]) error {
	return getrsIn(s, trans, int64(n), int64(nrhs), of[T]{a}, int64(lda), ipiv, of[T]{b}, int64(ldb), info)
}

func getrsIn[I index](s *cuda.Stream, trans cusolver.Operation, n, nrhs int64, a memory, lda int64, ipiv cuda.Slice[I], b memory, ldb int64, info cuda.Slice[int32]) error {
	pivoting := !ipiv.IsZero()
	return queue(s, trans <= cusolver.OpC && valid(n, n, lda) && valid(n, nrhs, ldb), info, func(w *hostwork.Work) int {
		factors, x := readAll(w, a, int(n), int(n), int(lda)), readAll(w, b, int(n), int(nrhs), int(ldb))
		var pivots []I
		if pivoting {
			pivots = hostwork.Read(w, ipiv, hostwork.Vector(int(n), 1))
		}
		switch trans {
		case cusolver.OpN:
			for i, p := range pivots {
				x.exchange(i, int(p)-1)
			}
			solve(factors, false, true, x)
			solve(factors, true, false, x)
		default:
			other := factors.transposed()
			if trans == cusolver.OpC {
				other = factors.adjoint()
			}
			solve(other, false, false, x)
			solve(other, true, true, x)
			for i := range slices.Backward(pivots) {
				x.exchange(i, int(pivots[i])-1)
			}
		}
		writeAll(w, b, x, int(ldb))
		return 0
	}, a.Owner(), ipiv.Owner(), b.Owner())
}
