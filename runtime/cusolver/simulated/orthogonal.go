package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

func geqrf[T number](_ *cusolver.Handle, s *cuda.Stream, m, n int32, a cuda.Slice[T], lda int32, tau, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	return geqrfIn(s, int64(m), int64(n), of[T]{a}, int64(lda), of[T]{tau}, int64(lwork), info)
}

func geqrfIn(s *cuda.Stream, m, n int64, a memory, lda int64, tau memory, lwork int64, info cuda.Slice[int32]) error {
	return queue(s, valid(m, n, lda) && lwork >= n, info, func(w *hostwork.Work) int {
		x := readAll(w, a, int(m), int(n), int(lda))
		t := qr(x)
		writeAll(w, a, x, int(lda))
		tau.write(w, hostwork.Vector(len(t), 1), t)
		return 0
	}, a.Owner(), tau.Owner())
}

func orgqrSize[T number](_ *cusolver.Handle, _ *cuda.Stream, m, n, k int32, _ cuda.Slice[T], lda int32, _ cuda.Slice[T]) (int32, error) {
	return needed(valid(m, n, lda) && m >= n && n >= k && k >= 0, n)
}

func orgqr[T number](_ *cusolver.Handle, s *cuda.Stream, m, n, k int32, a cuda.Slice[T], lda int32, tau, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	return queue(s, valid(m, n, lda) && m >= n && n >= k && k >= 0 && lwork >= n, info, func(w *hostwork.Work) int {
		reflectors := readAll(w, of[T]{a}, int(m), int(k), int(lda))
		q := identity(int(m), int(n))
		times(reflectors, of[T]{tau}.read(w, hostwork.Vector(int(k), 1)), false, q)
		writeAll(w, of[T]{a}, q, int(lda))
		return 0
	}, a.Owner(), tau.Owner())
}

// canMultiply reports whether C can be multiplied by a Q of k reflectors.
func canMultiply(side cusolver.SideMode, trans cusolver.Operation, m, n, k, lda, ldc int32) bool {
	rows := m
	if side == cusolver.SideRight {
		rows = n
	}
	return side <= cusolver.SideRight && trans <= cusolver.OpC && valid(rows, k, lda) && k <= rows && valid(m, n, ldc)
}

func ormqrSize[T number](_ *cusolver.Handle, _ *cuda.Stream, side cusolver.SideMode, trans cusolver.Operation, m, n, k int32, _ cuda.Slice[T], lda int32, _, _ cuda.Slice[T], ldc int32) (int32, error) {
	return needed(canMultiply(side, trans, m, n, k, lda, ldc), max(m, n))
}

func ormqr[T number](_ *cusolver.Handle, s *cuda.Stream, side cusolver.SideMode, trans cusolver.Operation, m, n, k int32, a cuda.Slice[T], lda int32, tau, c cuda.Slice[T], ldc int32, _ cuda.Slice[T], lwork int32, info cuda.Slice[int32]) error {
	return queue(s, canMultiply(side, trans, m, n, k, lda, ldc) && lwork >= max(m, n), info, func(w *hostwork.Work) int {
		rows := int(m)
		if side == cusolver.SideRight {
			rows = int(n)
		}
		reflectors, t := readAll(w, of[T]{a}, rows, int(k), int(lda)), of[T]{tau}.read(w, hostwork.Vector(int(k), 1))
		x := readAll(w, of[T]{c}, int(m), int(n), int(ldc))
		if side == cusolver.SideLeft {
			times(reflectors, t, trans != cusolver.OpN, x)
		} else { // C Q = (Q* C*)*
			y := x.adjoint()
			times(reflectors, t, trans == cusolver.OpN, y)
			x = y.adjoint()
		}
		writeAll(w, of[T]{c}, x, int(ldc))
		return 0
	}, a.Owner(), tau.Owner(), c.Owner())
}
