package interp

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// raced runs body in a block of 64 threads, twice over, and returns the race in it. %r1 is the
// thread's number, %r2 its address in shared memory s of 64 words, %r3 that of the thread opposite,
// in the other warp, %r4 that of its neighbour in the warp; %r9 is 0 but for thread 0.
func raced(t *testing.T, body string) *Failure {
	t.Helper()
	m := newMachine(t, racedPTX(body))
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	run := Execute(k, &m.mem, config(2, 64, 0), Alone(), arguments(k, m.upload(make([]uint32, 64))), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Races: true})
	return run.Fault
}

// racedPTX is the kernel of raced.
func racedPTX(body string) string {
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b64 %rd<4>; .reg .b32 %r<16>; .reg .f32 %f<9>; .reg .pred %p<8>;
ld.param.u64 %rd1, [out];
.shared .align 16 .b8 s[1024];
mov.u32 %r1, %tid.x; mov.u32 %r5, s;
shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, %r5;
xor.b32 %r3, %r1, 32; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r5;
xor.b32 %r4, %r1, 1; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r5;
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32; setp.lt.u32 %p3, %r1, 32;
` + body + `
ret;
}`
}

func TestRaces(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"own words", "st.shared.u32 [%r2], %r1; ld.shared.u32 %r6, [%r2];", ""},
		{"no barrier between warps", "st.shared.u32 [%r2], %r1; ld.shared.u32 %r6, [%r3];", "race: "},
		{"a barrier", "st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r6, [%r3];", ""},
		{"read, then written", "ld.shared.u32 %r6, [%r3]; st.shared.u32 [%r2], %r1;", "race: "},
		{"read, a barrier, then written", "ld.shared.u32 %r6, [%r3]; bar.sync 0; st.shared.u32 [%r2], %r1;", ""},
		{"a loop that lacks its second barrier", "mov.u32 %r7, 0;\nL: st.shared.u32 [%r2], %r7; bar.sync 0; ld.shared.u32 %r6, [%r3]; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3;\n@%p2 bra L;", "race: "},
		{"a loop with both", "mov.u32 %r7, 0;\nL: st.shared.u32 [%r2], %r7; bar.sync 0; ld.shared.u32 %r6, [%r3]; bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3;\n@%p2 bra L;", ""},
		{"lockstep orders nothing", "st.shared.u32 [%r2], %r1; ld.shared.u32 %r6, [%r4];", "of the same warp wrote at PTX line"},
		{"__syncwarp does", "st.shared.u32 [%r2], %r1; bar.warp.sync -1; ld.shared.u32 %r6, [%r4];", ""},
		{"not of another pair", "st.shared.u32 [%r2], %r1; and.b32 %r8, %r1, 31; and.b32 %r8, %r8, 1; mov.u32 %r9, 0xaaaaaaaa; setp.ne.u32 %p2, %r8, 0; @%p2 bar.warp.sync %r9; ld.shared.u32 %r6, [%r4];", "of the same warp"},
		{"not between warps", "st.shared.u32 [%r2], %r1; bar.warp.sync -1; ld.shared.u32 %r6, [%r3];", "no barrier between"},
		{"a shuffle is no fence", "st.shared.u32 [%r2], %r1; shfl.sync.idx.b32 %r6, %r1, 0, 31, -1; ld.shared.u32 %r6, [%r4];", "of the same warp"},
		{"one value by all", "st.shared.u32 [s], 7;", ""},
		{"different values by all", "st.shared.u32 [s], %r1;", "which thread (31,0,0) wrote at PTX line 13, with no barrier between: let one thread do that"},
		{"different values by a warp", "@%p3 st.shared.u32 [s], %r1;", "writes another value at PTX line 13 in the same instruction"},
		{"one value, two warps", "mov.u32 %r6, 7; st.shared.u32 [%r2], %r6; st.shared.u32 [%r3], %r6;", ""},
		{"two values, two warps", "st.shared.u32 [%r2], 1; st.shared.u32 [%r3], %r1;", "race: "},
		{"atomics", "red.shared.add.u32 [s], 1;", ""},
		{"an atomic and a read", "red.shared.add.u32 [s], 1; ld.shared.u32 %r6, [s];", "race: "},
		{"an atomic and a read of the same warp's", "red.shared.add.u32 [%r2], 1; bar.warp.sync -1; ld.shared.u32 %r6, [%r4];", ""},
		{"an atomic and a read behind the own one", "red.shared.add.u32 [s], 1; @%p2 ld.shared.u32 %r6, [s];", "which thread (0,0,0) updated"},
		{"an atomic and a write behind the own one", "red.shared.add.u32 [s], 1; @%p2 st.shared.u32 [s], %r1;", "which thread (0,0,0) updated"},
		{"a write in front of the own atomic", "@%p1 st.shared.u32 [s], %r1; red.shared.add.u32 [s], 1;", "wrote at PTX line"},
		{"a read in front of the own atomic", "@%p1 ld.shared.u32 %r6, [s]; red.shared.add.u32 [s], 1;", "read at PTX line"},
		{"a byte of a word that is counted", "red.shared.add.u32 [s], 1; @%p2 ld.shared.u8 %r6, [s+1];", "race: "},
		{"another word than is counted", "red.shared.add.u32 [s], 1; @%p2 ld.shared.u32 %r6, [s+4];", ""},
		{"counted in a lock", "mov.u32 %r7, 31; and.b32 %r7, %r7, %r1; setp.ne.u32 %p4, %r7, 0; @%p1 st.shared.u32 [s], 0; bar.sync 0; @%p4 bra X;\nL: atom.shared.cas.b32 %r6, [s], 0, 1; setp.ne.u32 %p5, %r6, 0; @%p5 bra L; membar.cta; ld.shared.u32 %r8, [s+4]; st.shared.u32 [s+4], %r1; membar.cta; atom.shared.exch.b32 %r6, [s], 0; X: bar.sync 0; ld.shared.u32 %r8, [s];", ""},
		{"counted again and again", "@%p1 st.shared.u32 [s], 0; mov.u32 %r7, 0;\nL: bar.sync 0; red.shared.add.u32 [s], 1; bar.sync 0; @%p2 ld.shared.u32 %r6, [s]; @%p2 st.shared.u32 [s], 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 3; @%p5 bra L;", ""},
		{"an atomic, a barrier, a read", "red.shared.add.u32 [s], 1; bar.sync 0; ld.shared.u32 %r6, [s];", ""},
		{"volatile on both sides", "st.volatile.shared.u32 [%r2], %r1; ld.volatile.shared.u32 %r6, [%r3];", ""},
		{"volatile on one side", "st.volatile.shared.u32 [%r2], %r1; ld.shared.u32 %r6, [%r3];", "race: "},
		{"volatile in a warp", "st.volatile.shared.u32 [%r2], %r1; ld.volatile.shared.u32 %r6, [%r4];", "of the same warp wrote at PTX line"},
		{"volatile in a warp, read first", "ld.volatile.shared.u32 %r6, [%r4]; st.volatile.shared.u32 [%r2], %r1;", "of the same warp read at PTX line"},
		{"volatile in a warp, with barriers", "st.volatile.shared.u32 [%r2], %r1; bar.warp.sync -1; ld.volatile.shared.u32 %r6, [%r4];", ""},
		{"one volatile value by all", "st.volatile.shared.u32 [s], 7; st.volatile.shared.u32 [s], 7;", ""},
		{"relaxed in a warp", "st.relaxed.cta.shared.u32 [%r2], %r1; ld.relaxed.cta.shared.u32 %r6, [%r4];", ""},
		{"volatile and atomic in a warp", "st.volatile.shared.u32 [%r2], %r1; red.shared.add.u32 [%r4], 1;", ""},
		{"a flag with fences", "@%p1 st.shared.u32 [s+4], 5; @%p1 membar.cta; @%p1 st.volatile.shared.u32 [s+256], 1;\nL: @%p2 ld.volatile.shared.u32 %r6, [s+256]; @!%p2 mov.u32 %r6, 1; setp.ne.u32 %p3, %r6, 1; @%p3 bra L; @%p2 membar.cta; @%p2 ld.shared.u32 %r6, [s+4];", ""},
		{"a flag without the reader's fence", "@%p1 st.shared.u32 [s+4], 5; @%p1 membar.cta; @%p1 st.volatile.shared.u32 [s+256], 1;\nL: @%p2 ld.volatile.shared.u32 %r6, [s+256]; @!%p2 mov.u32 %r6, 1; setp.ne.u32 %p3, %r6, 1; @%p3 bra L; @%p2 ld.shared.u32 %r6, [s+4];", "no barrier between"},
		{"parts of a word", "shr.u32 %r6, %r1, 1; shl.b32 %r6, %r6, 1; add.u32 %r6, %r6, %r5; st.shared.u16 [%r6], 1; and.b32 %r7, %r1, 1; add.u32 %r6, %r6, %r7; ld.shared.u8 %r8, [%r6];", "of the same warp"},
		{"bytes side by side", "add.u32 %r6, %r5, %r1; st.shared.u8 [%r6], %r1; ld.shared.u8 %r7, [%r6];", ""},
		{"vectors", "shl.b32 %r6, %r1, 3; add.u32 %r6, %r6, %r5; st.shared.v2.u32 [%r6], {%r1, %r1}; ld.shared.u32 %r7, [%r6+8];", "race"},
		{"named barriers of both warps", "st.shared.u32 [%r2], %r1; barrier.sync 3, 64; ld.shared.u32 %r6, [%r3];", ""},
		{"arrive does not wait", "@%p3 st.shared.u32 [%r2], %r1; @%p3 bar.arrive 1, 64; @%p3 ld.shared.u32 %r6, [%r3]; @!%p3 st.shared.u32 [%r2], %r1; @!%p3 bar.sync 1, 64; ", "race"},
		{"a producer arrives, a consumer waits", "@%p3 st.shared.u32 [%r2], %r1; @%p3 bar.arrive 1, 64; @!%p3 bar.sync 1, 64; @!%p3 ld.shared.u32 %r6, [%r3];", ""},
		{"threads that ended", "st.shared.u32 [%r2], %r1; @%p3 exit; bar.sync 0; ld.shared.u32 %r6, [%r3];", ""},
		{"a barrier that does not count threads that ended", "@%p3 st.shared.u32 [%r2], %r1; @%p3 exit; barrier.sync 1, 32; ld.shared.u32 %r6, [%r3];", "race: "},
		{"ldmatrix of what others have written", "st.shared.u32 [%r2], %r1; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [s];", "race: "},
		{"ldmatrix behind a barrier", "st.shared.u32 [%r2], %r1; bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [s];", ""},
		{"cp.async without a barrier", "@%p1 cp.async.ca.shared.global [s], [%rd1], 4; cp.async.wait_all; ld.shared.u32 %r6, [s];", "race: "},
		{"cp.async and a barrier", "@%p1 cp.async.ca.shared.global [s], [%rd1], 4; cp.async.wait_all; bar.sync 0; ld.shared.u32 %r6, [s];", ""},
		{"wmma.load of what others have written", "st.shared.u32 [%r2], %r1; wmma.load.c.sync.aligned.row.m8n32k16.shared.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [s];", "race: "},
		{"generic addresses", "cvt.u64.u32 %rd1, %r2; cvta.shared.u64 %rd1, %rd1; cvt.u64.u32 %rd2, %r3; cvta.shared.u64 %rd2, %rd2; st.u32 [%rd1], %r1; ld.u32 %r6, [%rd2];", "race: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			fault := raced(t, test.body)
			if test.want == "" {
				assert.Nil(t, fault)
				return
			}
			require.NotNil(t, fault)
			assert.Contains(t, fault.Reason, "race: ")
			assert.Contains(t, fault.Reason, test.want)
		})
	}
}

// tiled is a product of matrices of 128 × 128 in tiles of 16 × 16, as compilers have it.
var tiled = `.version 7.0
.target sm_75
.address_size 64
.visible .entry tiled(.param .u64 pa, .param .u64 pb, .param .u64 pc) {
.reg .b64 %rd<9>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .pred %p<3>;
.shared .align 4 .b8 ta[1024]; .shared .align 4 .b8 tb[1024];
ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
shl.b32 %r5, %r4, 4; add.u32 %r5, %r5, %r2;
shl.b32 %r6, %r3, 4; add.u32 %r6, %r6, %r1;
mad.lo.u32 %r7, %r5, 128, %r1; mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd1, %rd4;
mad.lo.u32 %r7, %r2, 128, %r6; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd2, %rd5;
mad.lo.u32 %r7, %r5, 128, %r6; mul.wide.u32 %rd6, %r7, 4; add.u64 %rd6, %rd3, %rd6;
mov.u32 %r10, ta; mov.u32 %r11, tb;
shl.b32 %r8, %r2, 6; add.u32 %r12, %r10, %r8; shl.b32 %r9, %r1, 2; add.u32 %r13, %r11, %r9;
add.u32 %r8, %r8, %r9; add.u32 %r10, %r10, %r8; add.u32 %r11, %r11, %r8;
mov.f32 %f1, 0f00000000; mov.u32 %r14, 0;
L: ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5];
st.shared.f32 [%r10], %f2; st.shared.f32 [%r11], %f3;
bar.sync 0;
` + tiledSteps + `
bar.sync 0;
add.u64 %rd4, %rd4, 64; add.u64 %rd5, %rd5, 8192; add.u32 %r14, %r14, 1;
setp.lt.u32 %p1, %r14, 8; @%p1 bra L;
st.global.f32 [%rd6], %f1;
ret;
}`

var tiledSteps = func() (text string) {
	for i := range 16 {
		text += fmt.Sprintf("ld.shared.f32 %%f4, [%%r12+%d]; ld.shared.f32 %%f5, [%%r13+%d]; fma.rn.f32 %%f1, %%f4, %%f5, %%f1;\n", 4*i, 64*i)
	}
	return text
}()

func BenchmarkTiled(b *testing.B) {
	for _, test := range []struct {
		name   string
		checks Checks
	}{{"none", Checks{}}, {"arrays", Checks{Arrays: true}}, {racecheck, Checks{Races: true}}, {Initcheck, Checks{Undefined: true}}} {
		b.Run(test.name, func(b *testing.B) {
			m := loadMachine(b, tiled, test.checks.Undefined)
			k := m.lib.Kernels["tiled"]
			matrix := func() uint64 { return m.defined(make([]float32, 128*128)) }
			params, stop := arguments(k, matrix(), matrix(), matrix()), new(atomic.Bool)
			executed := uint64(0)
			for b.Loop() {
				run := Execute(k, &m.mem, config2(8, 8, 16, 16), Alone(), params, stop, 1, new(atomic.Uint64), test.checks)
				require.Nil(b, run.Fault)
				executed += run.Executed.Load()
			}
			report(b, executed)
		})
	}
}
