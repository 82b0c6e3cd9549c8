package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
)

func addLevel3() {
	four("?symm", symm[float32](false), symm[float64](false), symm[complex64](false), symm[complex128](false))
	twoComplex("?hemm", symm[complex64](true), symm[complex128](true))
	four("?syrk", rankK[float32](once, false), rankK[float64](once, false), rankK[complex64](once, false), rankK[complex128](once, false))
	four("?syr2k", rankK[float32](both, false), rankK[float64](both, false), rankK[complex64](both, false), rankK[complex128](both, false))
	four("?syrkx", rankK[float32](mixed, false), rankK[float64](mixed, false), rankK[complex64](mixed, false), rankK[complex128](mixed, false))
	twoComplex("?herk", rankK[complex64](once, true), rankK[complex128](once, true))
	twoComplex("?her2k", rankK[complex64](both, true), rankK[complex128](both, true))
	twoComplex("?herkx", rankK[complex64](mixed, true), rankK[complex128](mixed, true))
	four("?trmm", trmm[float32], trmm[float64], trmm[complex64], trmm[complex128])
	four("?trsm", trsm[float32](one), trsm[float64](one), trsm[complex64](one), trsm[complex128](one))
	four("?trsmBatched", trsm[float32](addressed), trsm[float64](addressed), trsm[complex64](addressed), trsm[complex128](addressed))
}

// symm computes C = alpha A B + beta C, or B A on the right, where A is symmetric or Hermitian.
func symm[T number](hermitian bool) operation {
	return func(c *call) job {
		left, upper, m, n := c.left(), c.upper(), c.size("m"), c.size("n")
		size := order(left, m, n)
		alpha, a := scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
		l := dense(size, size, c.int())
		b := array[T](c, typeOf[T]())
		ldb, beta, to := c.int(), scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
		result := stored[T]{to, dense(m, n, c.int())}
		if m == 0 || n == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			sum := newMatrix[T](m, n)
			if factor := alpha.get(w); factor != 0 {
				x, y := symmetric(w, a, l, upper, hermitian, size), stored[T]{b, dense(m, n, ldb)}.get(w)
				if !left {
					x, y = y, x
				}
				sum = multiply(factor, x, y)
			}
			result.combine(w, sum, beta.get(w))
		}
	}
}

// A rank says what is added to a symmetric matrix.
type rank int

const (
	once  rank = iota // op(A) op(A)ᵀ
	both              // op(A) op(B)ᵀ and its transpose
	mixed             // op(A) op(B)ᵀ, which the caller knows to be symmetric
)

// rankK computes C = alpha (…) + beta C, where C is symmetric or Hermitian.
func rankK[T number](r rank, hermitian bool) operation {
	transpose := cublas.OpT
	if hermitian {
		transpose = cublas.OpC
	}
	return func(c *call) job {
		upper, op, n, k := c.upper(), c.operation(), c.size("n"), c.size("k")
		if !isComplex[T]() && op == cublas.OpC {
			op = cublas.OpT
		}
		c.require(op == cublas.OpN || op == transpose, "trans is %v: it must be %v or %v", op, cublas.OpN, transpose)
		alpha, a := scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
		la := operand(op, n, k, c.int())
		b, lb := a, la
		if r != once {
			b = array[T](c, typeOf[T]())
			lb = operand(op, n, k, c.int())
		}
		beta, to := scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
		result := stored[T]{to, dense(n, n, c.int()).triangle(upper, false)}
		if n == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			factor, keep := alpha.get(w), beta.get(w)
			if (factor == 0 || k == 0) && keep == 1 {
				return
			}
			sum := newMatrix[T](n, n)
			if factor != 0 && k > 0 {
				x, y := stored[T]{a, la}.get(w).op(op), stored[T]{b, lb}.get(w).op(op)
				sum = multiply(factor, x, y.op(transpose))
				if r == both {
					sum = withTranspose(sum, hermitian)
				}
			}
			addTriangle(w, result, sum, keep, hermitian)
		}
	}
}

// order returns m if a triangular matrix is multiplied from the left, else n.
func order(left bool, m, n int) int {
	if left {
		return m
	}
	return n
}

// trmm computes C = alpha op(A) B, or B op(A) on the right, where A is triangular.
func trmm[T number](c *call) job {
	left, upper, op, unit, m, n := c.left(), c.upper(), c.operation(), c.unit(), c.size("m"), c.size("n")
	alpha, a := scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
	l := dense(order(left, m, n), order(left, m, n), c.int())
	b := array[T](c, typeOf[T]())
	from := stored[T]{b, dense(m, n, c.int())}
	to := array[T](c, typeOf[T]())
	result := stored[T]{to, dense(m, n, c.int())}
	if m == 0 || n == 0 {
		return nil
	}
	return func(w *hostwork.Work) {
		factor := alpha.get(w)
		if factor == 0 {
			result.set(w, newMatrix[T](m, n))
			return
		}
		x := triangular(w, a, l, upper, unit, l.rows).op(op)
		result.set(w, columnwise(from.get(w), left, x, func(x matrix[T], column []T) { copy(column, x.times(factor, column)) }))
	}
}

// columnwise has f change the columns of m with x; on the right, the rows of m with the transpose of x.
func columnwise[T number](m matrix[T], left bool, x matrix[T], f func(x matrix[T], column []T)) matrix[T] {
	if !left {
		m, x = m.op(cublas.OpT), x.op(cublas.OpT)
	}
	for j := range m.columns {
		f(x, m.column(j))
	}
	if !left {
		m = m.op(cublas.OpT)
	}
	return m
}

// trsm solves op(A) X = alpha B, or X op(A) = alpha B on the right, where A is triangular. X replaces B.
func trsm[T number](k kind) operation {
	return func(c *call) job {
		left, upper, op, unit, m, n := c.left(), c.upper(), c.operation(), c.unit(), c.size("m"), c.size("n")
		alpha := scalar[T](c, typeOf[T]())
		a, lda := operands[T](c, k, typeOf[T]())
		b, ldb := operands[T](c, k, typeOf[T]())
		count := k.count(c)
		if m == 0 || n == 0 || count == 0 {
			return nil
		}
		l := dense(order(left, m, n), order(left, m, n), lda)
		return func(w *hostwork.Work) {
			aa, bb, factor := a(w, count), b(w, count), alpha.get(w)
			for i := range count {
				to := stored[T]{bb[i], dense(m, n, ldb)}
				if factor == 0 {
					to.set(w, newMatrix[T](m, n))
					continue
				}
				values := to.get(w)
				for i := range values.v {
					values.v[i] *= factor
				}
				x := triangular(w, aa[i], l, upper, unit, l.rows).op(op)
				to.set(w, columnwise(values, left, x, matrix[T].solve))
			}
		}
	}
}
