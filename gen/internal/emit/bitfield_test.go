package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/model"
)

func TestBitLimits(t *testing.T) {
	field := func(sign model.BitsSign, size, count int64) model.BitField {
		return model.BitField{Sign: sign, Count: count, Type: model.GoType{Kind: model.Basic, Size: size}}
	}
	for _, test := range []struct {
		field model.BitField
		want  string
	}{
		{field(model.BitsBool, 1, 1), ""},
		{field(model.BitsUnsigned, 1, 8), ""},
		{field(model.BitsSigned, 8, 64), ""},
		{field(model.BitsUnsigned, 4, 8), " It panics if v is not 0 to 255."},
		{field(model.BitsUnsigned, 8, 63), " It panics if v is not 0 to 9223372036854775807."},
		{field(model.BitsSigned, 4, 3), " It panics if v is not -4 to 3."},
		{field(model.BitsSigned, 4, 1), " It panics if v is not -1 to 0."},
	} {
		assert.Equal(t, test.want, bitLimits(test.field), test.field)
	}
}
