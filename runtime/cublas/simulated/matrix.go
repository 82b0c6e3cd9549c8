package simulated

import (
	"iter"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
)

// A matrix is in the memory of the host, stored by columns that lie one behind the other. Elements more than below rows below the
// diagonal, or more than above above it, are 0 and are not used in sums: what is infinite or no number times such an element does not count.
type matrix[T number] struct {
	rows, columns int
	below, above  int
	v             []T
}

func newMatrix[T number](rows, columns int) matrix[T] {
	return matrix[T]{rows, columns, rows, columns, make([]T, rows*columns)}
}

func (m matrix[T]) at(i, j int) *T { return &m.v[i+j*m.rows] }

// used returns the rows of column j that are used, from lo to before hi.
func (m matrix[T]) used(j int) (lo, hi int) { return max(0, j-m.above), min(m.rows, j+m.below+1) }

// column returns column j.
func (m matrix[T]) column(j int) []T { return m.v[j*m.rows : (j+1)*m.rows] }

// op returns m as an argument of type cublas.Operation says.
func (m matrix[T]) op(op cublas.Operation) matrix[T] {
	if op == cublas.OpN {
		return m
	}
	of := func(v T) T { return v }
	if op == cublas.OpC {
		of = conj[T]
	}
	to := newMatrix[T](m.columns, m.rows)
	to.below, to.above = m.above, m.below
	for j := range m.columns {
		for i := range m.rows {
			*to.at(j, i) = of(*m.at(i, j))
		}
	}
	return to
}

// times returns alpha m x.
func (m matrix[T]) times(alpha T, x []T) []T {
	y := make([]T, m.rows)
	for j, v := range x {
		if lo, hi := m.used(j); lo < hi {
			to := y[lo:hi]
			for i, a := range m.column(j)[lo:hi] {
				to[i] += a * v
			}
		}
	}
	for i := range y {
		y[i] *= alpha
	}
	return y
}

// solve replaces x by the solution of m x = x, where m is triangular.
func (m matrix[T]) solve(x []T) {
	eliminate := func(j int) {
		x[j] /= *m.at(j, j)
		lo, hi := m.used(j)
		for i := lo; i < hi; i++ {
			if i != j {
				x[i] -= *m.at(i, j) * x[j]
			}
		}
	}
	if m.below == 0 {
		for j := m.columns - 1; j >= 0; j-- {
			eliminate(j)
		}
		return
	}
	for j := range m.columns {
		eliminate(j)
	}
}

// A stored is a matrix in the memory of the device, whose elements lie where a layout says.
type stored[T number] struct {
	elements[T]
	layout
}

// A layout says where elements of a matrix are.
type layout struct {
	rows, columns int
	used          func(j int) (lo, hi int) // rows of column j
	place         func(i, j int) int
}

// dense is a matrix whose columns begin ld elements behind each other.
func dense(rows, columns, ld int) layout {
	return layout{rows, columns, func(int) (int, int) { return 0, rows }, func(i, j int) int { return i + j*ld }}
}

// band is a matrix that has below diagonals below the main one and above above it. A row of the store is a diagonal.
func band(rows, columns, below, above, ld int) layout {
	return layout{
		rows, columns, func(j int) (int, int) { return max(0, j-above), min(rows, j+below+1) },
		func(i, j int) int { return above + i - j + j*ld },
	}
}

// packed is a triangle whose columns lie one behind the other.
func packed(n int, upper bool) layout {
	return dense(n, n, 0).placed(func(i, j int) int {
		if upper {
			return i + j*(j+1)/2
		}
		return i + j*(2*n-j-1)/2
	}).triangle(upper, false)
}

func (l layout) placed(place func(i, j int) int) layout {
	l.place = place
	return l
}

// triangle is one triangle of l, without the diagonal if that is unit.
func (l layout) triangle(upper, unit bool) layout {
	all := l.used
	skipped := 0
	if unit {
		skipped = 1
	}
	l.used = func(j int) (lo, hi int) {
		lo, hi = all(j)
		if upper {
			return lo, min(hi, j+1-skipped)
		}
		return max(lo, j+skipped), hi
	}
	return l
}

// part returns the elements of l.
func (l layout) part() hostwork.Part {
	return hostwork.Runs(iter.Seq2[int, int](func(yield func(at, n int) bool) {
		for j := range l.columns {
			if lo, hi := l.used(j); lo < hi && !yield(l.place(lo, j), hi-lo) {
				return
			}
		}
	}))
}

// get returns the matrix, with 0 for what is not stored.
func (s stored[T]) get(w *hostwork.Work) matrix[T] {
	m := newMatrix[T](s.rows, s.columns)
	values := s.read(w, s.part())
	for j := range s.columns {
		if lo, hi := s.used(j); lo < hi {
			copy(m.column(j)[lo:hi], values[s.place(lo, j):])
		}
	}
	return m
}

// set writes the elements of m that are stored.
func (s stored[T]) set(w *hostwork.Work, m matrix[T]) {
	part := s.part()
	values := make([]T, part.Span())
	for j := range s.columns {
		if lo, hi := s.used(j); lo < hi {
			copy(values[s.place(lo, j):], m.column(j)[lo:hi])
		}
	}
	s.write(w, part, values)
}

// combine sets s to sum + beta s. It does not read s if beta is 0.
func (s stored[T]) combine(w *hostwork.Work, sum matrix[T], beta T) {
	if beta != 0 {
		for i, v := range s.get(w).v {
			sum.v[i] += beta * v
		}
	}
	s.set(w, sum)
}

// triangular returns a triangular matrix of which l is stored; its diagonal is 1 if it is unit.
func triangular[T number](w *hostwork.Work, e elements[T], l layout, upper, unit bool, diagonals int) matrix[T] {
	m := stored[T]{e, l.triangle(upper, unit)}.get(w)
	m.below, m.above = diagonals, 0
	if upper {
		m.below, m.above = 0, diagonals
	}
	for i := range m.columns {
		if unit {
			*m.at(i, i) = 1
		}
	}
	return m
}

// symmetric returns the matrix of which l has a triangle; it is Hermitian if hermitian holds.
func symmetric[T number](w *hostwork.Work, e elements[T], l layout, upper, hermitian bool, diagonals int) matrix[T] {
	m := stored[T]{e, l.triangle(upper, false)}.get(w)
	m.below, m.above = diagonals, diagonals
	for j := range m.columns {
		lo, hi := l.triangle(upper, false).used(j)
		for i := lo; i < hi; i++ {
			v := *m.at(i, j)
			if hermitian && i == j {
				v = onlyReal(v)
				*m.at(i, j) = v
			}
			if hermitian && i != j {
				v = conj(v)
			}
			*m.at(j, i) = v
		}
	}
	return m
}
