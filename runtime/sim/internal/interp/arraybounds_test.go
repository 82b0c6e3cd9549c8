package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// leftArrays runs body in a block of 32 threads with 256 bytes of dynamic shared memory, and returns what is said of accesses beyond arrays. %r1 is the
// thread's number, %r2 four times that; a and b are shared arrays of 32 words, c is one of local memory, f is a frame as LLVM has it.
func leftArrays(t *testing.T, body string, more Checks) string {
	t.Helper()
	m := newMachine(t, `.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 4 .b8 d[];
.extern .shared .align 4 .b8 e[];
.func touch(.param .u64 p) { .reg .b64 %rd1; .reg .b32 %r1; ld.param.u64 %rd1, [p]; ld.u32 %r1, [%rd1]; ret; }
.func deep(.param .u64 p, .param .u32 n) {
.local .align 4 .b8 x[16]; .local .align 4 .b8 y[16];
.reg .b64 %rd<5>; .reg .b32 %r<5>; .reg .pred %p1;
ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; st.u32 [%rd1], %r1; mov.u64 %rd2, y; st.local.u32 [%rd2+12], %r1;
setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 %r1, %r1, 1; cvta.local.u64 %rd3, %rd2;
{ .param .u64 q; .param .u32 o; st.param.u64 [q], %rd3; st.param.u32 [o], %r1; call deep, (q, o); }
mov.u64 %rd4, x; st.local.u32 [%rd4+12], %r1; ret; }
.visible .entry k(.param .u64 out) {
.reg .b64 %rd<9>; .reg .b32 %r<16>; .reg .pred %p<4>; .reg .b64 %SP, %SPL;
.shared .align 4 .b8 a[128]; .shared .align 4 .b8 b[128]; .shared .align 8 .b64 h;
.local .align 4 .b8 c[16]; .local .align 4 .b8 g[16]; .local .align 16 .b8 __local_depot0[32];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; cvt.u64.u32 %rd1, %r2; setp.eq.u32 %p1, %r1, 0;
`+body+`
ret;
}`)
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	more.Arrays = true
	run := Execute(k, &m.mem, config(1, 32, 256), Alone(), arguments(k, m.defined(make([]uint32, 64))), new(atomic.Bool), 1, new(atomic.Uint64), more)
	if run.Fault == nil {
		return ""
	}
	assert.Equal(t, memcheck, run.Fault.Check, run.Fault.Reason)
	return run.Fault.Reason
}

func TestArrayBounds(t *testing.T) {
	const address = "mov.u32 %r3, a; add.u32 %r3, %r3, %r2; "
	const frame = "mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL; add.u64 %rd2, %SPL, 0; add.u64 %rd3, %SPL, 16; "
	for _, test := range []struct{ name, body, want string }{
		{"own elements", address + "st.shared.u32 [%r3], 1; ld.shared.u32 %r4, [%r3];", ""},
		{"the next array", address + "ld.shared.u32 %r4, [%r3+4];", "shared address 0x80 is beyond the shared array a, from whose address it was computed: 4 bytes at offset 128 of 128, in the shared array b"},
		{"the array before", "mov.u32 %r3, b; st.shared.u32 [%r3+-4], 1;", "4 bytes at offset -4 of 128, in the shared array a"},
		{"by its name", "ld.shared.u32 %r4, [a+128];", "beyond the shared array a"},
		{"a part of an element", "ld.shared.v2.u32 {%r4, %r5}, [a+120]; ld.shared.u64 %rd2, [a+120];", ""},
		{"one address of all", "mov.u32 %r3, a; ld.shared.u32 %r4, [%r3+128];", "beyond the shared array a"},
		{"anywhere", "xor.b32 %r3, %r2, 64; mov.u32 %r4, a; add.u32 %r3, %r3, %r4; ld.shared.u32 %r5, [%r3+4];", "beyond the shared array a"},
		{"rows of both halves", "and.b32 %r3, %r2, 60; mov.u32 %r4, a; add.u32 %r3, %r3, %r4; ld.shared.u32 %r5, [%r3+64]; ld.shared.u32 %r6, [%r3+68];", "beyond the shared array a"},
		{"in some lanes", address + "@%p1 ld.shared.u32 %r4, [%r3+128];", "beyond the shared array a"},
		{"a generic address", "mov.u64 %rd2, a; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, %rd1; ld.u32 %r4, [%rd2+4];", "beyond the shared array a"},
		{"there and back", "mov.u64 %rd2, a; cvta.shared.u64 %rd2, %rd2; cvta.to.shared.u64 %rd3, %rd2; add.u64 %rd3, %rd3, %rd1; ld.shared.u32 %r4, [%rd3]; ld.shared.u32 %r5, [%rd3+4];", "beyond the shared array a"},
		{"an atomic", address + "red.shared.add.u32 [%r3+4], 1;", "beyond the shared array a"},
		{"a copy", "ld.param.u64 %rd2, [out]; mov.u32 %r3, a; cp.async.ca.shared.global [%r3+128], [%rd2], 4; cp.async.wait_all;", "beyond the shared array a"},
		{"a matrix", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [a+128];", "beyond the shared array a"},
		{"a shuffled address", address + "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; ld.shared.u32 %r4, [%r3+4];", "beyond the shared array a"},
		{"a chosen array", "mov.u32 %r3, a; mov.u32 %r4, b; selp.b32 %r3, %r3, %r4, %p1; add.u32 %r3, %r3, %r2; ld.shared.u32 %r5, [%r3];", ""},
		{"beyond both", "mov.u32 %r3, a; mov.u32 %r4, b; selp.b32 %r3, %r3, %r4, %p1; st.shared.u32 [%r3+128], 1; st.shared.u64 [%r3+128], %rd1;", "is in none of the shared array a, the shared array b"},
		{"a difference", "mov.u32 %r3, a; mov.u32 %r4, b; sub.u32 %r5, %r4, %r3; add.u32 %r3, %r3, %r5; ld.shared.u32 %r6, [%r3+-4]; ld.shared.u32 %r6, [%r3];", ""},
		{"a difference in memory", "mov.u32 %r3, a; mov.u32 %r4, b; sub.u32 %r5, %r4, %r3; st.shared.u32 [h], %r5; bar.sync 0; ld.shared.u32 %r6, [h]; add.u32 %r3, %r3, %r6; ld.shared.u32 %r7, [%r3];", ""},
		{"a number from memory", address + "st.shared.u32 [h], 4; bar.sync 0; ld.shared.u32 %r6, [h]; add.u32 %r3, %r3, %r6; ld.shared.u32 %r7, [%r3];", "beyond the shared array a"},
		{"an address in memory", "mov.u64 %rd2, b; cvta.shared.u64 %rd2, %rd2; st.shared.u64 [h], %rd2; bar.sync 0; ld.shared.u64 %rd3, [h]; ld.u32 %r4, [%rd3+124]; ld.u32 %r4, [%rd3+-4];", "beyond the shared array b"},
		{"a number that is an address by chance", "mov.u32 %r3, 128; ld.shared.u32 %r4, [%r3];", ""},
		{"zero, which a's address is, too", "mov.u32 %r3, 0; ld.shared.u32 %r4, [%r3+128];", ""},
		{"a call", "mov.u64 %rd2, a; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, 128; { .param .u64 q; st.param.u64 [q], %rd2; call touch, (q); }", "beyond the shared array a"},
		{"a call with either", "mov.u64 %rd2, a; cvta.shared.u64 %rd2, %rd2; { .param .u64 q; st.param.u64 [q], %rd2; call touch, (q); } mov.u64 %rd2, b; cvta.shared.u64 %rd2, %rd2; { .param .u64 q; st.param.u64 [q], %rd2; call touch, (q); }", ""},
		{"dynamic shared memory by two names", "mov.u32 %r3, d; st.shared.u32 [%r3+252], 1; mov.u32 %r4, e; st.shared.u32 [%r4], 1;", ""},
		{"before dynamic shared memory", "mov.u32 %r3, d; st.shared.u32 [%r3+-8], 1;", "beyond dynamic shared memory"},
		{"into dynamic shared memory", "mov.u32 %r4, d; st.shared.u64 [h], 1; mov.u32 %r3, h; st.shared.u64 [%r3+8], %rd1;", "beyond the shared array h, from whose address it was computed: 8 bytes at offset 8 of 8, in dynamic shared memory"},
		{"a local array", "mov.u64 %rd2, c; st.local.u32 [%rd2+12], 1; st.local.u32 [%rd2+16], 1;", "beyond the local array c"},
		{"a generic address of a local array", "mov.u64 %rd2, c; cvta.local.u64 %rd2, %rd2; st.u32 [%rd2+16], 1;", "4 bytes at offset 16 of 16, in the local array g"},
		{"in the middle of a frame that is a program's", "mov.u64 %rd2, g; add.u64 %rd3, %rd2, 8; st.local.u32 [%rd3+-8], 1; add.u64 %rd4, %rd2, 16; st.local.u32 [%rd4+-4], 1;", ""},
		{"a compiler's frame", frame + "st.local.u32 [%rd2+12], 1; st.local.u32 [%rd3], 1; st.local.u32 [%rd3+12], 1;", ""},
		{"another variable of the frame", frame + "st.local.u32 [%rd2+16], 1;", "beyond a local array of 16 bytes, from whose address it was computed: 4 bytes at offset 16 of 16, in a local array of 16 bytes"},
		{"the variable before", frame + "st.local.u32 [%rd3+-4], 1;", "4 bytes at offset -4 of 16"},
		{"a generic address in the frame", frame + "add.u64 %rd4, %SP, 16; st.u32 [%rd4+-4], 1;", "4 bytes at offset -4 of 16"},
		{"a sum of the program's", frame + "add.s64 %rd4, %rd2, 12; st.local.u32 [%rd4+-12], 1; add.s64 %rd5, %rd3, 16; st.local.u32 [%rd5+-16], 1;", ""},
		{"a frame whose address is kept", frame + "st.shared.u64 [h], %SP; st.local.u32 [%rd2+16], 1;", ""},
		{"frames of calls in each other", "mov.u64 %rd2, c; cvta.local.u64 %rd2, %rd2; { .param .u64 q; .param .u32 o; st.param.u64 [q], %rd2; st.param.u32 [o], 3; call deep, (q, o); }", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, more := range []Checks{{}, {plainly: true}, {Coverage: true}} {
				got := leftArrays(t, test.body, more)
				if test.want == "" {
					assert.Empty(t, got)
					continue
				}
				assert.Contains(t, got, test.want)
			}
		})
	}
}

func TestSourceName(t *testing.T) {
	for mangled, want := range map[string]string{
		"_ZZ15c24_sharedneighE1a":       "a",
		"_ZZ1kPfE4tile":                 "tile",
		"_ZZN5space4nameIfEEvT_E5E1E2E": "E1E2E",
		"_ZZ1kPfE1a_0":                  "a",
		"tile":                          "tile",
		"_ZZ":                           "_ZZ",
		"_ZZ1kE99a":                     "_ZZ1kE99a",
	} {
		assert.Equal(t, want, bytecode.SourceName(mangled))
	}
}
