package lex

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPacks: which packing holds from which token on. 0 is the compiler's own.
//
// GCC, Structure-Layout Pragmas; Microsoft C/C++, pack pragma.
func TestPacks(t *testing.T) {
	for source, want := range map[string][]int64{ // of tokens a, b, c …
		"a\n#pragma pack(1)\nb\n#pragma pack()\nc":                                                                           {0, 1, 0},
		"a\n#pragma pack(push)\n#pragma pack(2)\nb\n#pragma pack(pop)\nc":                                                    {0, 2, 0},
		"#pragma pack(4)\na\n#pragma pack(push, 1)\nb\n#pragma pack(push, 2)\nc\n#pragma pack(pop)\nd\n#pragma pack(pop)\ne": {4, 1, 2, 1, 4},
		"#pragma pack(push, x, 1)\na\n#pragma pack(push, y, 2)\nb\n#pragma pack(pop, x)\nc":                                  {1, 2, 0},
		"#pragma pack(push, x, 1)\na\n#pragma pack(push, 2)\nb\n#pragma pack(pop, x, 8)\nc":                                  {1, 2, 8},
		"a\n#pragma pack(pop)\nb": {0, 0},
		"a\n#pragma pack(16)\nb":  {0, 16},
	} {
		p := Preprocess(&Config{}, "t.cu", source)
		require.NoError(t, p.Errors.Err(), source)
		var got []int64
		for i := range len(p.Tokens) - 1 {
			align := int64(0)
			for _, pack := range p.Packs {
				if pack.Index <= i {
					align = pack.Align
				}
			}
			got = append(got, align)
		}
		assert.Equal(t, want, got, source)
	}
	for source, want := range map[string]string{
		"#pragma pack(3)":  "it is not a power of two up to 16",
		"#pragma pack(32)": "it is not a power of two up to 16",
		"#pragma pack(N)":  "its value is not known",
		"#pragma pack(+)":  "#pragma pack: unexpected",
	} {
		assert.ErrorContains(t, Preprocess(&Config{}, "t.cu", source).Errors.Err(), want, source)
	}
}
