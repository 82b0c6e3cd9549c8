package cuda

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlainData(t *testing.T) {
	type inner struct {
		_ [4]byte
		A [3]float32
		B bool
	}
	for name, err := range map[string]error{
		"float32": plainData[float32](),
		"struct":  plainData[inner](),
		"vector":  plainData[Float4](),
		"array":   plainData[[2][3]int16](),
		"pointer": plainData[Ptr[float32]](),
		"complex": plainData[complex64](),
	} {
		assert.NoError(t, err, name)
	}
	type outer struct{ Inner struct{ Name string } }
	for name, err := range map[string]error{
		"cuda: string is not plain data":       plainData[string](),
		"cuda: *int is not plain data":         plainData[*int](),
		"cuda: []int is not plain data":        plainData[[]int](),
		"cuda: map[int]int is not plain data":  plainData[map[int]int](),
		"cuda: uintptr is not plain data":      plainData[uintptr](),
		"cuda: interface {} is not plain data": plainData[any](),
		"cuda: struct {} has no size":          plainData[struct{}](),
		"string is not plain data: use numbers, bools, and arrays and structs of them, in field Name of": plainData[outer](),
	} {
		assert.ErrorContains(t, err, name)
		assert.ErrorContains(t, err, name)
	}
}
