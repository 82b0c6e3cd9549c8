package element

import (
	"reflect"
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
	for name, detail := range map[string]string{
		"float32": NotPlain(reflect.TypeFor[float32]()),
		"struct":  NotPlain(reflect.TypeFor[inner]()),
		"vector":  NotPlain(reflect.TypeFor[vec.Float4]()),
		"array":   NotPlain(reflect.TypeFor[[2][3]int16]()),
		"pointer": NotPlain(reflect.TypeFor[struct{ addr uint64 }]()),
		"complex": NotPlain(reflect.TypeFor[complex64]()),
	} {
		assert.Empty(t, detail, name)
	}
	type outer struct{ Inner struct{ Name string } }
	for want, detail := range map[string]string{
		"string is not plain data":       NotPlain(reflect.TypeFor[string]()),
		"*int is not plain data":         NotPlain(reflect.TypeFor[*int]()),
		"[]int is not plain data":        NotPlain(reflect.TypeFor[[]int]()),
		"map[int]int is not plain data":  NotPlain(reflect.TypeFor[map[int]int]()),
		"uintptr is not plain data":      NotPlain(reflect.TypeFor[uintptr]()),
		"interface {} is not plain data": NotPlain(reflect.TypeFor[any]()),
		"struct {} has no size":          NotPlain(reflect.TypeFor[struct{}]()),
		"string is not plain data: use numbers, bools, and arrays and structs of them, in field Name of": NotPlain(reflect.TypeFor[outer]()),
	} {
		assert.Contains(t, detail, want)
	}
}
