package layout_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// A layout that a compiler states is taken as it is, also where it is not the usual one.
func TestStated(t *testing.T) {
	char, integer := ctype.Builtin(ctype.Char), ctype.Builtin(ctype.Int)
	s := &ctype.Struct{Name: "S", Complete: true, Fields: []ctype.Field{
		{Name: "c", Type: char}, {Name: "i", Type: integer}, {Name: "b", Type: integer, BitField: true, Bits: 3},
	}}
	s.Stated = &ctype.Stated{Size: 32, Align: 16, BitOffsets: []int64{0, 32, 69}}
	found, err := layout.Struct(s)
	require.NoError(t, err)
	assert.Equal(t, int64(32), found.Size)
	assert.Equal(t, int64(16), found.Align)
	require.Len(t, found.Members, 3)
	assert.Equal(t, int64(4), found.Members[1].Offset)
	assert.Equal(t, int64(8), found.Members[2].Offset)
	assert.Equal(t, int64(69), found.Members[2].BitOffset)
	assert.Equal(t, int64(1), found.Members[2].Size)
	size, align, err := layout.Of(&ctype.Array{Elem: s, Len: 2})
	require.NoError(t, err)
	assert.Equal(t, []int64{64, 16}, []int64{size, align})

	for _, tt := range []struct {
		name   string
		stated ctype.Stated
		want   string
	}{
		{"a field less", ctype.Stated{Size: 32, Align: 16, BitOffsets: []int64{0, 24}}, "places of 2 of its 3 fields"},
		{"no size", ctype.Stated{Size: 0, Align: 16, BitOffsets: []int64{0, 24, 69}}, "0 bytes"},
		{"alignment", ctype.Stated{Size: 36, Align: 12, BitOffsets: []int64{0, 24, 69}}, "aligned to 12"},
		{"size and alignment", ctype.Stated{Size: 36, Align: 16, BitOffsets: []int64{0, 24, 69}}, "36 bytes, aligned to 16"},
		{"outside", ctype.Stated{Size: 8, Align: 4, BitOffsets: []int64{0, 40, 0}}, "field i begins at bit 40 of 8 bytes"},
		{"before", ctype.Stated{Size: 8, Align: 4, BitOffsets: []int64{-8, 32, 0}}, "field c begins at bit -8"},
		{"within a byte", ctype.Stated{Size: 8, Align: 4, BitOffsets: []int64{0, 31, 0}}, "field i begins at bit 31"},
		{"not aligned", ctype.Stated{Size: 32, Align: 16, BitOffsets: []int64{0, 24, 69}}, "field i lies at byte 3, where its type does not lie by itself"},
		{"overlapping", ctype.Stated{Size: 32, Align: 16, BitOffsets: []int64{32, 32, 69}}, "lies in field"},
		{"partly overlapping", ctype.Stated{Size: 32, Align: 16, BitOffsets: []int64{40, 32, 96}}, "field c lies in field i"},
		{"bit-field in a field", ctype.Stated{Size: 8, Align: 4, BitOffsets: []int64{0, 32, 50}}, "field b lies in field i"},
		{"bit-field outside", ctype.Stated{Size: 8, Align: 4, BitOffsets: []int64{0, 32, 62}}, "field b begins at bit 62"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Stated = &tt.stated
			_, err := layout.Struct(s)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}
