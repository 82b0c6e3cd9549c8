package image

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// CUDA C++ Programming Guide, Binary Compatibility: within a major version, from the minor
// version of the target on.
func TestRunsOn(t *testing.T) {
	for _, tt := range []struct {
		target       string
		major, minor int
		want         bool
	}{
		{"sm_80", 8, 0, true},
		{"sm_80", 8, 6, true},
		{"sm_86", 8, 0, false},
		{"sm_80", 9, 0, false},
		{"sm_90", 9, 0, true},
		{"sm_90a", 9, 0, true},
		{"sm_100a", 10, 3, false},
		{"sm_100f", 10, 3, true},
		{"sm_103f", 10, 0, false},
		{"sm_120", 12, 1, true},
		{"compute_80", 8, 0, false},
		{"sm_x", 8, 0, false},
	} {
		assert.Equal(t, tt.want, RunsOn(tt.target, tt.major, tt.minor), "%+v", tt)
	}
}
func TestParams(t *testing.T) {
	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.func f(.param .b32 x) { ret; }\n" +
		".visible .entry k(.param .u32 n, .param .u64 p, .param .align 4 .b8 s[12]) { ret; }\n"
	params, ok := Params("k.ptx", text, "k")
	assert.True(t, ok)
	assert.Equal(t, []Param{{0, 4}, {8, 8}, {16, 12}}, params)
	for _, symbol := range []string{"f", "missing"} {
		_, ok := Params("k.ptx", text, symbol)
		assert.False(t, ok, symbol)
	}
	_, ok = Params("k.cubin", "\x7fELF", "k")
	assert.False(t, ok)
}
