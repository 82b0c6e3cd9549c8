package simulated

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"
)

// sweeps is how often Jacobi's methods turn all pairs at most; they need about ten.
const sweeps = 60

// eigen returns the eigenvalues of a Hermitian matrix, in ascending order, and eigenvectors. It turns pairs of rows and columns until
// the others are 0, by Jacobi's method. ok is false if that does not happen, as with NaN.
func eigen(a *matrix) (values []float64, vectors *matrix, ok bool) {
	n := a.columns
	a, vectors = a.first(n), identity(n, n)
	small := 0.0
	for _, v := range a.v {
		small = math.Hypot(small, cmplx.Abs(v))
	}
	if small *= 1e-17; math.IsNaN(small) || math.IsInf(small, 0) {
		return make([]float64, n), vectors, false
	}
	for range sweeps {
		turned := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if cmplx.Abs(a.at(p, q)) <= small {
					continue
				}
				turned = true
				c, s := turn(real(a.at(p, p)), real(a.at(q, q)), a.at(p, q))
				rotate(a.column(p), a.column(q), c, s)
				for j := range n { // and the rows
					x, y := a.at(p, j), a.at(q, j)
					a.set(p, j, complex(c, 0)*x-s*y)
					a.set(q, j, conj(s)*x+complex(c, 0)*y)
				}
				a.set(p, q, 0)
				a.set(q, p, 0)
				rotate(vectors.column(p), vectors.column(q), c, s)
			}
		}
		if !turned {
			ok = true
			break
		}
	}
	for i := range n {
		values = append(values, real(a.at(i, i)))
	}
	order := ordered(values, cmp.Compare[float64])
	return reordered(values, order), vectors.picked(order), ok
}

// turn returns the cosine and the sine, with a phase, of the rotation of two columns that makes g of [a g; g* b] to 0.
func turn(a, b float64, g complex128) (c float64, s complex128) {
	size := cmplx.Abs(g)
	theta := (b - a) / (2 * size)
	t := 1 / (math.Abs(theta) + math.Hypot(1, theta))
	if theta < 0 {
		t = -t
	}
	c = 1 / math.Hypot(1, t)
	return c, complex(c*t/size, 0) * g
}

// rotate turns columns x and y: x becomes c x - s* y, and y becomes s x + c y.
func rotate(x, y []complex128, c float64, s complex128) {
	for i := range x {
		x[i], y[i] = complex(c, 0)*x[i]-conj(s)*y[i], s*x[i]+complex(c, 0)*y[i]
	}
}

// singular returns U, the singular values in descending order, and V of A = U S V*, where A has at least as many rows as columns, and U the
// shape of A. It turns pairs of columns until all are orthogonal.
func singular(a *matrix) (u *matrix, values []float64, v *matrix, ok bool) {
	n := a.columns
	u, v = a.first(n), identity(n, n)
	small := 1e-15 * max(1, math.Sqrt(float64(a.rows))/4)
	largest := 0.0
	for _, x := range a.v {
		largest = max(largest, cmplx.Abs(x)) // NaN, if there is one
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return u, make([]float64, n), v, false
	}
	_, scale := math.Frexp(largest) // so that squares neither overflow nor vanish
	for i, x := range u.v {
		u.v[i] = complex(math.Ldexp(real(x), -scale), math.Ldexp(imag(x), -scale))
	}
	for range sweeps {
		turned := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				x, y := u.column(p), u.column(q)
				var g complex128
				var xx, yy float64
				for i := range x {
					g += conj(x[i]) * y[i]
					xx += square(x[i])
					yy += square(y[i])
				}
				if off := cmplx.Abs(g); off == 0 || off <= small*math.Sqrt(xx*yy) {
					continue
				}
				turned = true
				c, s := turn(xx, yy, g)
				rotate(x, y, c, s)
				rotate(v.column(p), v.column(q), c, s)
			}
		}
		if !turned {
			ok = true
			break
		}
	}
	for j := range n {
		norm := 0.0
		for _, x := range u.column(j) {
			norm = math.Hypot(norm, cmplx.Abs(x))
		}
		values = append(values, norm)
	}
	order := ordered(values, func(a, b float64) int { return cmp.Compare(b, a) })
	values, u, v = reordered(values, order), u.picked(order), v.picked(order)
	for j, norm := range values {
		if norm > 0 {
			for i, x := range u.column(j) {
				u.set(i, j, x/complex(norm, 0))
			}
		}
	}
	for j := range values {
		values[j] = math.Ldexp(values[j], scale)
	}
	rank := slices.IndexFunc(values, func(s float64) bool { return s <= 0 })
	if rank < 0 {
		rank = n
	}
	return completed(u.first(rank), n), values, v, ok
}

// completed returns u, whose columns are orthonormal, with so many columns that still are.
func completed(u *matrix, columns int) *matrix {
	all := newMatrix(u.rows, columns)
	copy(all.v, u.v)
	reflectors := u.first(u.columns)
	tau := qr(reflectors)
	for j := u.columns; j < columns; j++ {
		e := newMatrix(u.rows, 1)
		e.v[j] = 1
		times(reflectors, tau, false, e)
		copy(all.column(j), e.v)
	}
	return all
}

// ordered returns the places of values in their order.
func ordered(values []float64, compare func(a, b float64) int) (order []int) {
	for i := range values {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(values[i], values[j]) })
	return order
}

func reordered(values []float64, order []int) (list []float64) {
	for _, i := range order {
		list = append(list, values[i])
	}
	return list
}

// picked returns the columns of m in that order.
func (m *matrix) picked(order []int) *matrix {
	p := newMatrix(m.rows, len(order))
	for j, from := range order {
		copy(p.column(j), m.column(from))
	}
	return p
}
