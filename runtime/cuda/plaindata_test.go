package cuda

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

func TestPlainData(t *testing.T) {
	type inner struct {
		_ [4]byte
		A [3]float32
		B bool
	}
	for name, err := range map[string]error{
		"float32": plainData[float32]("alloc", nil),
		"struct":  plainData[inner]("alloc", nil),
		"vector":  plainData[vec.Float4]("alloc", nil),
		"array":   plainData[[2][3]int16]("alloc", nil),
		"pointer": plainData[Ptr[float32]]("alloc", nil),
		"complex": plainData[complex64]("alloc", nil),
	} {
		assert.NoError(t, err, name)
	}
	type outer struct{ Inner struct{ Name string } }
	for name, err := range map[string]error{
		"cuda: alloc: string is not plain data":                                                          plainData[string]("alloc", nil),
		"cuda: alloc: *int is not plain data":                                                            plainData[*int]("alloc", nil),
		"cuda: alloc: []int is not plain data":                                                           plainData[[]int]("alloc", nil),
		"cuda: alloc: map[int]int is not plain data":                                                     plainData[map[int]int]("alloc", nil),
		"cuda: alloc: uintptr is not plain data":                                                         plainData[uintptr]("alloc", nil),
		"cuda: alloc: interface {} is not plain data":                                                    plainData[any]("alloc", nil),
		"cuda: alloc: struct {} has no size":                                                             plainData[struct{}]("alloc", nil),
		"string is not plain data: use numbers, bools, and arrays and structs of them, in field Name of": plainData[outer]("alloc", nil),
	} {
		assert.ErrorContains(t, err, name)
		assert.ErrorIs(t, err, ErrInvalidValue)
	}
}
