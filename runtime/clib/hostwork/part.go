package hostwork

import "iter"

// A Part says which elements of a slice are used: runs of elements that lie one behind the other. The zero Part has none.
type Part struct {
	span int // behind the last element
	runs iter.Seq2[int, int]
}

// Runs is the part of the runs that the sequence has: where one begins, and how many elements it has.
func Runs(runs iter.Seq2[int, int]) Part {
	p := Part{runs: func(yield func(at, n int) bool) {
		for at, n := range runs {
			if n > 0 && !yield(at, n) {
				return
			}
		}
	}}
	for at, n := range p.runs {
		p.span = max(p.span, at+n)
	}
	return p
}

// Matrix is a matrix that is stored by columns: rows elements for each, which begin ld elements behind those of the column before.
func Matrix(rows, columns, ld int) Part {
	if rows <= 0 || columns <= 0 {
		return none
	}
	if ld == rows {
		rows, columns = rows*columns, 1
	}
	return Part{(columns-1)*ld + rows, func(yield func(at, n int) bool) {
		for j := range columns {
			if !yield(j*ld, rows) {
				return
			}
		}
	}}
}

// Vector is n elements, of which each lies increment elements behind the one before; before it, if increment is negative. They
// begin at the first element of the slice in both cases. With the increment 0 it is one element.
func Vector(n, increment int) Part {
	if increment == 0 {
		n = min(n, 1)
	}
	return Matrix(1, n, max(increment, -increment))
}

// Times is the elements of p, count times, each time stride elements behind the time before.
func (p Part) Times(count, stride int) Part {
	if count <= 0 || p.span == 0 {
		return none
	}
	if stride == 0 {
		return p
	}
	return Part{(count-1)*stride + p.span, func(yield func(at, n int) bool) {
		for i := range count {
			for at, n := range p.each() {
				if !yield(i*stride+at, n) {
					return
				}
			}
		}
	}}
}

// Span returns how many elements a slice needs that has p.
func (p Part) Span() int { return p.span }

// none is the part without elements.
var none Part

// each returns the runs of p.
func (p Part) each() iter.Seq2[int, int] {
	if p.runs == nil {
		return func(func(at, n int) bool) {}
	}
	return p.runs
}
