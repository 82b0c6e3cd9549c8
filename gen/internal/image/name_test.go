package image

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The length of an array is its number, of whatever type the template's parameter is: clang writes that of auto in its own way.
func TestLengthsOfArrays(t *testing.T) {
	for symbol, want := range map[string][]string{
		"_Z4rowsILj4EEvPAT__fi":                 {"float (*) [4]", "int"},
		"_Z5rows8ILm4EEvPAT__A2_fi":             {"float (*) [4][2]", "int"},
		"_Z5rowsbILb1EEvRAT__fi":                {"float (&) [1]", "int"},
		"_Z5rowseIL1E3EEvPAT__fi":               {"float (*) [3]", "int"},
		"_Z5rowsaILy7EEvPAT__fi":                {"float (*) [7]", "int"},
		"_Z5rowsaITnDaLy7EEvPAT__fi":            {"float (*) [7]", "int"},
		"_Z5rowscILc8EEvPA3_AT__Kfi":            {"float const (*) [3][8]", "int"},
		"_Z5rowssILs8EEv3BoxIAT__fEPS0_IPS1_Ei": {"Box<float [8]>", "Box<float (*) [8]>*", "int"},
		"_Z4rowsILi4EEvPAT__fi":                 {"float (*) [4]", "int"},
	} {
		_, params := demangled(symbol)
		assert.Equal(t, want, params, symbol)
	}
}
