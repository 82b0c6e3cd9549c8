package simulated

import "math"

// cholesky makes L of A = L L* in the lower triangle of a, or, if upper, U of A = U* U in the other one. It returns LAPACK's info: 0, or the
// number of the first column that has no factor.
func cholesky(a *matrix, upper bool) int {
	at := func(i, j int) complex128 { // of L
		if upper {
			return conj(a.at(j, i))
		}
		return a.at(i, j)
	}
	set := func(i, j int, v complex128) {
		if upper {
			i, j, v = j, i, conj(v)
		}
		a.set(i, j, v)
	}
	for j := range a.columns {
		d := real(at(j, j))
		for k := range j {
			d -= square(at(j, k))
		}
		if !(d > 0) {
			set(j, j, complex(d, 0))
			return j + 1
		}
		d = math.Sqrt(d)
		set(j, j, complex(d, 0))
		for i := j + 1; i < a.rows; i++ {
			v := at(i, j)
			for k := range j {
				v -= at(i, k) * conj(at(j, k))
			}
			set(i, j, v/complex(d, 0))
		}
	}
	return 0
}

// square returns the square of the magnitude of v.
func square(v complex128) float64 { return real(v)*real(v) + imag(v)*imag(v) }

// lu makes L and U of P A = L U in a. It returns the rows that each row was exchanged with, counted from 0, and LAPACK's info: 0, or the number of the
// first column without a pivot. Without pivoting no rows are exchanged.
func lu(a *matrix, pivoting bool) (pivots []int, info int) {
	for j := range min(a.rows, a.columns) {
		best := j
		if pivoting {
			for i := j; i < a.rows; i++ {
				if magnitude(a.at(i, j)) > magnitude(a.at(best, j)) {
					best = i
				}
			}
		}
		pivots = append(pivots, best)
		if a.at(best, j) == 0 {
			if info == 0 {
				info = j + 1
			}
			continue
		}
		a.exchange(j, best)
		factors := a.column(j)[j+1:]
		for i := range factors {
			factors[i] /= a.at(j, j)
		}
		for k := j + 1; k < a.columns; k++ {
			v, rest := a.at(j, k), a.column(k)[j+1:]
			for i, factor := range factors {
				rest[i] -= factor * v
			}
		}
	}
	return pivots, info
}

// magnitude is what LAPACK compares pivots by.
func magnitude(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }

// exchange exchanges two rows.
func (m *matrix) exchange(i, k int) {
	for j := range m.columns {
		v := m.at(i, j)
		m.set(i, j, m.at(k, j))
		m.set(k, j, v)
	}
}

// solve makes X of T X = B in b. T is one triangle of a.
func solve(a *matrix, upper, unit bool, b *matrix) {
	n := a.columns
	for j := range b.columns {
		x := b.column(j)
		for step := range n {
			i := step
			if upper {
				i = n - 1 - step
			}
			if !unit {
				x[i] /= a.at(i, i)
			}
			from, to := i+1, n
			if upper {
				from, to = 0, i
			}
			for k := from; k < to; k++ {
				x[k] -= a.at(k, i) * x[i]
			}
		}
	}
}

// transposed returns the transpose of m.
func (m *matrix) transposed() *matrix {
	t := m.adjoint()
	for i, v := range t.v {
		t.v[i] = conj(v)
	}
	return t
}

// reflector makes v of x, whose first element becomes what H* x has there: H = I - tau v v*, H* x = (beta, 0, …), and v begins with 1.
//
// LAPACK, xLARFG.
func reflector(x []complex128) (tau complex128) {
	alpha, rest := x[0], 0.0
	for _, v := range x[1:] {
		rest = math.Hypot(rest, math.Sqrt(square(v)))
	}
	if rest == 0 && imag(alpha) == 0 {
		return 0
	}
	beta := -math.Copysign(math.Hypot(math.Sqrt(square(alpha)), rest), real(alpha))
	tau = complex((beta-real(alpha))/beta, -imag(alpha)/beta)
	for i := range x[1:] {
		x[i+1] /= alpha - complex(beta, 0)
	}
	x[0] = complex(beta, 0)
	return tau
}

// reflect multiplies rows of m, from begin on, by I - tau v v*. The first element of v is 1, whatever is there.
func reflect(m *matrix, begin int, v []complex128, tau complex128, from int) {
	for j := from; j < m.columns; j++ {
		x := m.column(j)[begin:]
		sum := x[0]
		for i := 1; i < len(v); i++ {
			sum += conj(v[i]) * x[i]
		}
		sum *= tau
		x[0] -= sum
		for i := 1; i < len(v); i++ {
			x[i] -= v[i] * sum
		}
	}
}

// qr makes R of A = Q R in the upper triangle of a, reflectors below it, and returns their factors.
func qr(a *matrix) (tau []complex128) {
	for j := range min(a.rows, a.columns) {
		v := a.column(j)[j:]
		t := reflector(v)
		tau = append(tau, t)
		reflect(a, j, v, conj(t), j+1)
	}
	return tau
}

// times makes Q C in c, or Q* C, of reflectors that lie in columns of a.
func times(a *matrix, tau []complex128, adjoint bool, c *matrix) {
	for step := range tau {
		j := len(tau) - 1 - step
		if adjoint {
			j = step
		}
		t := tau[j]
		if adjoint {
			t = conj(t)
		}
		reflect(c, j, a.column(j)[j:], t, 0)
	}
}
