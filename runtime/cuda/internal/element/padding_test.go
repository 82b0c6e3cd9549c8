package element

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPadding(t *testing.T) {
	type inner struct {
		A uint8
		B uint16
	}
	type outer struct {
		X [2]inner
		Y uint64
		_ [4]byte
		Z uint8
	}
	for _, test := range []struct {
		t    reflect.Type
		want string // of each byte: - is padding
	}{
		{reflect.TypeFor[float64](), "xxxxxxxx"},
		{reflect.TypeFor[inner](), "x-xx"},
		{reflect.TypeFor[[3]inner](), "x-xxx-xxx-xx"},
		{reflect.TypeFor[outer](), "x-xxx-xxxxxxxxxx----x---"},
		{reflect.TypeFor[complex64](), "xxxxxxxx"},
	} {
		got := ""
		for _, p := range Padding(test.t) {
			got += map[bool]string{true: "-", false: "x"}[p]
		}
		assert.Equal(t, test.want, got, test.t)
	}
}
