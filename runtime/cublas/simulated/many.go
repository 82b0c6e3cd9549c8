package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A kind says how a function has its matrices and vectors.
type kind int

const (
	one       kind = iota
	strided        // many, which lie a stride apart
	addressed      // many, at addresses that are in the memory of the device
)

// count takes how many there are.
func (k kind) count(c *call) int {
	if k == one {
		return 1
	}
	return c.size("batchCount")
}

// typesOf are the types of the elements of the three operands of a product.
type typesOf [3]cublas.DataType

func same(t cublas.DataType) typesOf { return typesOf{t, t, t} }

// operands takes one operand of a function, which may have many, and the distance between its columns, or elements if it is a vector.
func operands[T number](c *call, k kind, stored cublas.DataType) (each func(w *hostwork.Work, count int) []elements[T], distance int) {
	if k == addressed {
		array := c.next().(memory)
		c.owners = append(c.owners, array.Owner())
		distance = c.int()
		return func(w *hostwork.Work, count int) []elements[T] { return atAddresses[T](w, array, count, stored) }, distance
	}
	e := array[T](c, stored)
	distance = c.int()
	stride := 0
	if k == strided {
		stride = c.int()
	}
	return func(_ *hostwork.Work, count int) (all []elements[T]) {
		for i := range count {
			all = append(all, e.from(i*stride))
		}
		return all
	}, distance
}

// unknown is how many elements there are said to be at an address.
const unknown = 1 << 40

// atAddresses reads addresses of elements.
func atAddresses[T number](w *hostwork.Work, array memory, count int, stored cublas.DataType) (all []elements[T]) {
	for _, address := range hostwork.Read(w, cuda.SliceAt[uint64](array.Address(), array.Len(), cuda.Owner{}), hostwork.Vector(count, 1)) {
		all = append(all, elements[T]{address, unknown, stored})
	}
	return all
}
