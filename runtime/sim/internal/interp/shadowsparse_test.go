package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSparseUndefined: undefined metadata makes undefined results, and undefined elements of b only where they
// are multiplied.
func TestSparseUndefined(t *testing.T) {
	const odd, third = "and.b32 %r7, %r1, 1; setp.eq.u32 %p1, %r7, 1; ", "and.b32 %r7, %r1, 3; setp.eq.u32 %p1, %r7, 2; "
	for _, test := range []struct{ name, sets, want string }{
		{"all is defined", "mov.b32 %r4, 0; mov.b32 %r5, 0x44444444;", ""},
		{"no metadata", "mov.b32 %r4, 0; ld.global.b32 %r5, [%rd2]; and.b32 %r5, %r5, 0x88888888;", "is the metadata of a sparse matrix"},
		{"no metadata where none counts", "mov.b32 %r4, 0; " + third + "@%p1 mov.b32 %r5, 0x44444444;", ""},
		{"no metadata where it counts", "mov.b32 %r4, 0; " + third + "ld.global.b32 %r5, [%rd2]; and.b32 %r5, %r5, 0x88888888; @!%p1 mov.b32 %r5, 0x44444444;", "is the metadata"},
		{"b, where it is multiplied", "mov.b32 %r5, 0x44444444; " + odd + "@%p1 mov.b32 %r4, 0;", "branches"},
		{"b, where it is not", "mov.b32 %r5, 0x44444444; " + odd + "@!%p1 mov.b32 %r4, 0;", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := followed(t, "setp.ge.u32 %p2, %r1, 32; @%p2 ret; mov.b32 %r2, 0; mov.f32 %f1, 0f00000000; "+test.sets+
				" mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f4}, {%r2, %r2}, {%r4, %r4}, {%f1, %f1, %f1, %f1}, %r5, 2; mov.b32 %r6, %f5; "+use("%r6"))
			if test.want == "" {
				assert.Empty(t, found)
			} else if assert.NotEmpty(t, found) {
				assert.Contains(t, found[0].Reason, test.want)
			}
		})
	}
}
