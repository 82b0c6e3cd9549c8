package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
)

func addLevel2() {
	for suffix, k := range map[string]kind{"": one, "Batched": addressed, "StridedBatched": strided} {
		four("?gemv"+suffix, gemv[float32](k, same(cublas.R32F)), gemv[float64](k, same(cublas.R64F)), gemv[complex64](k, same(cublas.C32F)), gemv[complex128](k, same(cublas.C64F)))
		if k != one {
			operations["HSHgemv"+suffix] = gemv[float32](k, same(cublas.R16F))
			operations["HSSgemv"+suffix] = gemv[float32](k, typesOf{cublas.R16F, cublas.R16F, cublas.R32F})
			operations["TSTgemv"+suffix] = gemv[float32](k, same(cublas.R16BF))
			operations["TSSgemv"+suffix] = gemv[float32](k, typesOf{cublas.R16BF, cublas.R16BF, cublas.R32F})
		}
	}
	four("?gbmv", gbmv[float32], gbmv[float64], gbmv[complex64], gbmv[complex128])
	four("?symv", symv[float32](full, false), symv[float64](full, false), symv[complex64](full, false), symv[complex128](full, false))
	twoComplex("?hemv", symv[complex64](full, true), symv[complex128](full, true))
	two("?sbmv", symv[float32](banded, false), symv[float64](banded, false))
	twoComplex("?hbmv", symv[complex64](banded, true), symv[complex128](banded, true))
	two("?spmv", symv[float32](inTriangle, false), symv[float64](inTriangle, false))
	twoComplex("?hpmv", symv[complex64](inTriangle, true), symv[complex128](inTriangle, true))
	for letter, f := range map[string]form{"r": full, "b": banded, "p": inTriangle} {
		four("?t"+letter+"mv", trmv[float32](f, false), trmv[float64](f, false), trmv[complex64](f, false), trmv[complex128](f, false))
		four("?t"+letter+"sv", trmv[float32](f, true), trmv[float64](f, true), trmv[complex64](f, true), trmv[complex128](f, true))
	}
	two("?ger", ger[float32](false), ger[float64](false))
	twoComplex("?geru", ger[complex64](false), ger[complex128](false))
	twoComplex("?gerc", ger[complex64](true), ger[complex128](true))
	four("?syr", syr[float32](full, false), syr[float64](full, false), syr[complex64](full, false), syr[complex128](full, false))
	four("?syr2", syr2[float32](full, false), syr2[float64](full, false), syr2[complex64](full, false), syr2[complex128](full, false))
	two("?spr", syr[float32](inTriangle, false), syr[float64](inTriangle, false))
	two("?spr2", syr2[float32](inTriangle, false), syr2[float64](inTriangle, false))
	twoComplex("?her", syr[complex64](full, true), syr[complex128](full, true))
	twoComplex("?her2", syr2[complex64](full, true), syr2[complex128](full, true))
	twoComplex("?hpr", syr[complex64](inTriangle, true), syr[complex128](inTriangle, true))
	twoComplex("?hpr2", syr2[complex64](inTriangle, true), syr2[complex128](inTriangle, true))
}

// A form is a way to store a symmetric or triangular matrix.
type form int

const (
	full       form = iota // with the other triangle, which is not used
	banded                 // diagonals
	inTriangle             // one column of a triangle behind the other
)

// diagonals takes how many diagonals besides the main one are used.
func (f form) diagonals(c *call, n int) int {
	if f == banded {
		return c.size("k")
	}
	return n
}

// formed takes a matrix that is stored in the form f.
func formed[T number](c *call, f form, n, diagonals int, upper bool) (elements[T], layout) {
	e := array[T](c, typeOf[T]())
	switch {
	case f == inTriangle:
		return e, packed(n, upper)
	case f == full:
		return e, dense(n, n, c.int())
	case upper:
		return e, band(n, n, 0, diagonals, c.int())
	}
	return e, band(n, n, diagonals, 0, c.int())
}

// lengths returns how many elements the vectors have by which op of a matrix is multiplied, and that are the result.
func lengths(op cublas.Operation, m, n int) (in, out int) {
	if op == cublas.OpN {
		return n, m
	}
	return m, n
}

// gemv computes y = alpha op(A) x + beta y, for one matrix or many. types are those of the elements of A, x and y.
func gemv[T number](k kind, types typesOf) operation {
	return func(c *call) job {
		op, m, n := c.operation(), c.size("m"), c.size("n")
		in, out := lengths(op, m, n)
		alpha := scalar[T](c, typeOf[T]())
		a, ld := operands[T](c, k, types[0])
		x, incx := operands[T](c, k, types[1])
		beta := scalar[T](c, typeOf[T]())
		y, incy := operands[T](c, k, types[2])
		count := k.count(c)
		c.has(incx != 0 && incy != 0, "incx is %d, incy %d", incx, incy)
		if m == 0 || n == 0 || count == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			aa, xx, yy := a(w, count), x(w, count), y(w, count)
			for i := range count {
				product(alpha, beta, m, n, func(w *hostwork.Work) matrix[T] {
					return stored[T]{aa[i], dense(m, n, ld)}.get(w).op(op)
				}, vector[T]{xx[i], in, incx}, vector[T]{yy[i], out, incy})(w)
			}
		}
	}
}

func gbmv[T number](c *call) job {
	op, m, n, below, above := c.operation(), c.size("m"), c.size("n"), c.size("kl"), c.size("ku")
	in, out := lengths(op, m, n)
	alpha, a := scalar[T](c, typeOf[T]()), array[T](c, typeOf[T]())
	ld := c.int()
	x, beta, y := vectorIn[T](c, in, "incx"), scalar[T](c, typeOf[T]()), vectorIn[T](c, out, "incy")
	s := stored[T]{a, band(m, n, below, above, ld)}
	return product(alpha, beta, m, n, func(w *hostwork.Work) matrix[T] {
		banded := s.get(w)
		banded.below, banded.above = below, above
		return banded.op(op)
	}, x, y)
}

// product computes y = alpha a x + beta y. What is multiplied by 0 is not read.
func product[T number](alpha, beta place[T], m, n int, a func(w *hostwork.Work) matrix[T], x, y vector[T]) job {
	if m == 0 || n == 0 {
		return nil
	}
	return func(w *hostwork.Work) {
		sum := make([]T, y.n)
		if factor := alpha.get(w); factor != 0 {
			sum = a(w).times(factor, x.get(w))
		}
		y.combine(w, sum, beta.get(w))
	}
}

func symv[T number](f form, hermitian bool) operation {
	return func(c *call) job {
		upper, n := c.upper(), c.size("n")
		k := f.diagonals(c, n)
		alpha := scalar[T](c, typeOf[T]())
		a, l := formed[T](c, f, n, k, upper)
		x, beta, y := vectorIn[T](c, n, "incx"), scalar[T](c, typeOf[T]()), vectorIn[T](c, n, "incy")
		return product(alpha, beta, n, n, func(w *hostwork.Work) matrix[T] { return symmetric(w, a, l, upper, hermitian, k) }, x, y)
	}
}

// trmv multiplies a vector by a triangular matrix, or by its inverse.
func trmv[T number](f form, inverse bool) operation {
	return func(c *call) job {
		upper, op, unit, n := c.upper(), c.operation(), c.unit(), c.size("n")
		k := f.diagonals(c, n)
		a, l := formed[T](c, f, n, k, upper)
		x := vectorIn[T](c, n, "incx")
		if n == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			m, values := triangular(w, a, l, upper, unit, k).op(op), x.get(w)
			if inverse {
				m.solve(values)
			} else {
				values = m.times(1, values)
			}
			x.set(w, values)
		}
	}
}

func ger[T number](conjugated bool) operation {
	return func(c *call) job {
		m, n, alpha := c.size("m"), c.size("n"), scalar[T](c, typeOf[T]())
		x, y := vectorIn[T](c, m, "incx"), vectorIn[T](c, n, "incy")
		a := array[T](c, typeOf[T]())
		s := stored[T]{a, dense(m, n, c.int())}
		if m == 0 || n == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			if factor := alpha.get(w); factor != 0 {
				s.combine(w, outer(factor, x.get(w), y.get(w), conjugated), 1)
			}
		}
	}
}

// outer returns alpha x yᵀ, or alpha x yᴴ.
func outer[T number](alpha T, x, y []T, conjugated bool) matrix[T] {
	m := newMatrix[T](len(x), len(y))
	for j, v := range y {
		if conjugated {
			v = conj(v)
		}
		for i, u := range x {
			*m.at(i, j) = alpha * u * v
		}
	}
	return m
}

// syr adds alpha x xᵀ, or alpha x xᴴ, to a symmetric or Hermitian matrix.
func syr[T number](f form, hermitian bool) operation {
	return func(c *call) job {
		upper, n, alpha := c.upper(), c.size("n"), scalar[T](c, typeOf[T]())
		x := vectorIn[T](c, n, "incx")
		a, l := formed[T](c, f, n, n, upper)
		if n == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			if factor := alpha.get(w); factor != 0 {
				values := x.get(w)
				addTriangle(w, stored[T]{a, l.triangle(upper, false)}, outer(factor, values, values, hermitian), 1, hermitian)
			}
		}
	}
}

// syr2 adds alpha x yᵀ + alpha y xᵀ to a symmetric matrix, or alpha x yᴴ and its conjugate transpose to a Hermitian one.
func syr2[T number](f form, hermitian bool) operation {
	return func(c *call) job {
		upper, n, alpha := c.upper(), c.size("n"), scalar[T](c, typeOf[T]())
		x, y := vectorIn[T](c, n, "incx"), vectorIn[T](c, n, "incy")
		a, l := formed[T](c, f, n, n, upper)
		if n == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			factor := alpha.get(w)
			if factor == 0 {
				return
			}
			sum := outer(factor, x.get(w), y.get(w), hermitian)
			addTriangle(w, stored[T]{a, l.triangle(upper, false)}, withTranspose(sum, hermitian), 1, hermitian)
		}
	}
}

// withTranspose returns the sum of m and its transpose.
func withTranspose[T number](m matrix[T], conjugated bool) matrix[T] {
	op := cublas.OpT
	if conjugated {
		op = cublas.OpC
	}
	t := m.op(op)
	for i := range t.v {
		t.v[i] += m.v[i]
	}
	return t
}

// addTriangle sets a triangle to sum + beta times itself. The diagonal of a Hermitian matrix is real.
func addTriangle[T number](w *hostwork.Work, to stored[T], sum matrix[T], beta T, hermitian bool) {
	before := newMatrix[T](to.rows, to.columns)
	if beta != 0 {
		before = to.get(w)
	}
	for j := range sum.columns {
		for i := range sum.rows {
			v := sum.at(i, j)
			if beta != 0 {
				*v += beta * *before.at(i, j)
			}
			if hermitian && i == j {
				*v = onlyReal(*v)
			}
		}
	}
	to.set(w, sum)
}
