package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
)

// addBeyond adds what cuBLAS has beyond BLAS.
func addBeyond() {
	four("?geam", geam[float32], geam[float64], geam[complex64], geam[complex128])
	four("?dgmm", dgmm[float32], dgmm[float64], dgmm[complex64], dgmm[complex128])
	four("?tpttr", tpttr[float32], tpttr[float64], tpttr[complex64], tpttr[complex128])
	four("?trttp", trttp[float32], trttp[float64], trttp[complex64], trttp[complex128])
}

// geam computes C = alpha op(A) + beta op(B).
func geam[T number](c *call) job {
	opA, opB, m, n := c.operation(), c.operation(), c.size("m"), c.size("n")
	alpha, a := scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
	lda, beta, b := c.int(), scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
	ldb, to := c.int(), array[T](c, typeOf[T]())
	result := stored[T]{to, dense(m, n, c.int())}
	if m == 0 || n == 0 {
		return nil
	}
	return func(w *hostwork.Work) {
		sum := newMatrix[T](m, n)
		add := func(factor T, m matrix[T]) {
			for i, v := range m.v {
				sum.v[i] += factor * v
			}
		}
		if factor := alpha.get(w); factor != 0 {
			add(factor, stored[T]{a, operand(opA, m, n, lda)}.get(w).op(opA))
		}
		if factor := beta.get(w); factor != 0 {
			add(factor, stored[T]{b, operand(opB, m, n, ldb)}.get(w).op(opB))
		}
		result.set(w, sum)
	}
}

// dgmm computes C = diag(x) A, or A diag(x) on the right.
func dgmm[T number](c *call) job {
	left, m, n := c.left(), c.size("m"), c.size("n")
	a := array[T](c, typeOf[T]())
	from, x := stored[T]{a, dense(m, n, c.int())}, vectorOf[T](c, order(left, m, n))
	to := array[T](c, typeOf[T]())
	result := stored[T]{to, dense(m, n, c.int())}
	if m == 0 || n == 0 {
		return nil
	}
	return func(w *hostwork.Work) {
		values, factors := from.get(w), x.get(w)
		for j := range n {
			for i := range m {
				if left {
					*values.at(i, j) *= factors[i]
				} else {
					*values.at(i, j) *= factors[j]
				}
			}
		}
		result.set(w, values)
	}
}

// tpttr copies a triangle from packed storage to a matrix.
func tpttr[T number](c *call) job {
	upper, n := c.upper(), c.size("n")
	ap, a := array[T](c, typeOf[T]()), array[T](c, typeOf[T]())
	ld := c.int()
	if n == 0 {
		return nil
	}
	return func(w *hostwork.Work) {
		stored[T]{a, dense(n, n, ld).triangle(upper, false)}.set(w, stored[T]{ap, packed(n, upper)}.get(w))
	}
}

// trttp copies a triangle of a matrix to packed storage.
func trttp[T number](c *call) job {
	upper, n := c.upper(), c.size("n")
	a := array[T](c, typeOf[T]())
	ld := c.int()
	ap := array[T](c, typeOf[T]())
	if n == 0 {
		return nil
	}
	return func(w *hostwork.Work) {
		stored[T]{ap, packed(n, upper)}.set(w, stored[T]{a, dense(n, n, ld).triangle(upper, false)}.get(w))
	}
}
