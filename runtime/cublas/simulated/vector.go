package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
)

// A vector has n elements, of which each lies increment elements behind the one before. If increment is negative, the last element
// lies first.
type vector[T number] struct {
	elements[T]
	n, increment int
}

// vectorOf takes a slice and an increment of level 1.
func vectorOf[T number](c *call, n int) vector[T] {
	e := array[T](c, typeOf[T]())
	return vector[T]{e, n, c.int()}
}

// vectorIn takes a slice and an increment of level 2, which is not 0.
func vectorIn[T number](c *call, n int, name string) vector[T] {
	e := array[T](c, typeOf[T]())
	return vector[T]{e, n, c.increment(name)}
}

func (v vector[T]) part() hostwork.Part { return hostwork.Vector(v.n, v.increment) }

// at returns where element i is.
func (v vector[T]) at(i int) int {
	if v.increment < 0 {
		return (i - v.n + 1) * v.increment
	}
	return i * v.increment
}

// get returns the elements in their order.
func (v vector[T]) get(w *hostwork.Work) []T {
	stored := v.read(w, v.part())
	values := make([]T, max(v.n, 0))
	for i := range values {
		values[i] = stored[v.at(i)]
	}
	return values
}

func (v vector[T]) set(w *hostwork.Work, values []T) {
	stored := make([]T, v.part().Span())
	for i, x := range values {
		stored[v.at(i)] = x
	}
	v.write(w, v.part(), stored)
}

// combine sets v to sum + beta v. It does not read v if beta is 0.
func (v vector[T]) combine(w *hostwork.Work, sum []T, beta T) {
	if beta != 0 {
		for i, x := range v.get(w) {
			sum[i] += beta * x
		}
	}
	v.set(w, sum)
}
