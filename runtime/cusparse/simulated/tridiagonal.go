package simulated

import (
	"math/cmplx"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// gtsvLeast is the least size of a system with three diagonals.
const gtsvLeast = 3

// eliminated solves a system with three diagonals: x is its right side, and its solution then. Rows are exchanged, as gtsv of LAPACK does.
func eliminated(lower, diagonal, upper, x []complex128) {
	n := len(x)
	second := make([]complex128, n) // the diagonal above the upper one, which exchanges fill
	for i := range n - 1 {
		if cmplx.Abs(lower[i+1]) > cmplx.Abs(diagonal[i]) {
			diagonal[i], lower[i+1] = lower[i+1], diagonal[i]
			upper[i], diagonal[i+1] = diagonal[i+1], upper[i]
			if i+2 < n {
				second[i], upper[i+1] = upper[i+1], 0
			}
			x[i], x[i+1] = x[i+1], x[i]
		}
		factor := lower[i+1] / diagonal[i]
		diagonal[i+1] -= factor * upper[i]
		upper[i+1] -= factor * second[i]
		x[i+1] -= factor * x[i]
	}
	for i := n - 1; i >= 0; i-- {
		if i+1 < n {
			x[i] -= upper[i] * x[i+1]
		}
		if i+2 < n {
			x[i] -= second[i] * x[i+2]
		}
		x[i] /= diagonal[i]
	}
}

// systemsOf solves systems of m equations whose diagonals begin stride elements apart, with right sides that begin ld elements apart.
func systemsOf[T cusparse.Float](s *cuda.Stream, m, n, stride, ld int, dl, d, du, b cuda.Slice[T]) error {
	kind, vectors := kindOf[T](), hostwork.Vector(m, 1)
	diagonals, sides := vectors.Times(min(n, 1), 0), vectors.Times(n, ld)
	if stride > 0 {
		diagonals = vectors.Times(n, stride)
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		var given [3][]complex128
		for i, from := range []cuda.Slice[T]{dl, d, du} {
			given[i] = read(w, bytesOf(from), kind, diagonals)
		}
		x := read(w, bytesOf(b), kind, sides)
		for j := range n {
			var copied [3][]complex128
			for i, list := range given {
				copied[i] = append([]complex128(nil), list[j*stride:j*stride+m]...)
			}
			eliminated(copied[0], copied[1], copied[2], x[j*ld:j*ld+m])
		}
		write(w, bytesOf(b), kind, sides, x)
	}, dl.Owner(), d.Owner(), du.Owner(), b.Owner())
}

func gtsvSize[T cusparse.Float](_ *cusparse.Handle, _ *cuda.Stream, m, n int32, _, _, _, _ cuda.Slice[T], ldb int32) (uint64, error) {
	if m < 0 || n < 0 || ldb < m {
		return 0, cusparse.StatusInvalidValue
	}
	return workspace, nil
}

// gtsv is gtsv2 and gtsv2_nopivot, which do not differ in what they solve.
func gtsv[T cusparse.Float](h *cusparse.Handle, s *cuda.Stream, m, n int32, dl, d, du, b cuda.Slice[T], ldb int32, _ cuda.Slice[uint8]) error {
	if _, err := gtsvSize(h, s, m, n, dl, d, du, b, ldb); err != nil {
		return err
	}
	if m < gtsvLeast {
		return cusparse.StatusInvalidValue
	}
	return systemsOf(s, int(m), int(n), 0, int(ldb), dl, d, du, b)
}

func gtsvBatchSize[T cusparse.Float](_ *cusparse.Handle, _ *cuda.Stream, m int32, _, _, _, _ cuda.Slice[T], count, stride int32) (uint64, error) {
	if m < gtsvLeast || count < 0 || stride < m {
		return 0, cusparse.StatusInvalidValue
	}
	return workspace, nil
}

func gtsvBatch[T cusparse.Float](h *cusparse.Handle, s *cuda.Stream, m int32, dl, d, du, x cuda.Slice[T], count, stride int32, _ cuda.Slice[uint8]) error {
	if _, err := gtsvBatchSize(h, s, m, dl, d, du, x, count, stride); err != nil {
		return err
	}
	return systemsOf(s, int(m), int(count), int(stride), int(stride), dl, d, du, x)
}
