package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
)

// TestVideo: the manual's pseudocode by hand.
func TestVideo(t *testing.T) {
	const ones = 0xffffffff
	for _, test := range []struct {
		text    string
		a, b, c uint64
		want    uint64
	}{
		{"vadd.u32.u32.u32 $0, $1, $2;", 5, 7, 0, 12},
		{"vadd.s32.s32.s32.sat $0, $1, $2;", 0x7fffffff, 1, 0, 0x7fffffff},
		{"vsub.u32.u32.u32.sat $0, $1, $2;", 5, 7, 0, 0},
		{"vadd.u32.u32.u32.add $0, $1, $2, $3;", 5, 7, 100, 112},
		{"vadd.s32.s32.s32.min $0, $1.b3, $2, $3;", 0xff000000, 0, 5, ones},
		{"vabsdiff.u32.s32.s32 $0, $1.h1, $2.b0;", 0x80000000, 1, 0, 32769},
		{"vmin.u32.u32.u32 $0.b2, $1.b0, $2.b1, $3;", 0x000000aa, 0x0000bb00, 0x11223344, 0x11aa3344},
		{"vsub.s32.u32.u32.sat $0.b0, $1, $2, $3;", 0, 1000, ones, 0xffffff7f},
		{"vshl.u32.u32.u32.clamp.add $0, $1, $2, $3;", 3, 4, 1, 49},
		{"vshr.s32.s32.u32.wrap $0, $1, $2;", 0x80000000, 33, 0, 0xc0000000},
		{"vset.u32.u32.lt $0, $1, $2;", 1, 2, 0, 1},
		{"vadd2.s32.s32.s32.sat $0, $1, $2, $3;", 0x7fff8000, 0x0001ffff, 0, 0x7fff8000},
		{"vadd4.u32.u32.u32 $0, $1, $2, $3;", 0x01ff02fe, 0x01010101, 0, 0x020003ff},
		{"vadd4.u32.u32.u32.sat $0, $1, $2, $3;", 0x01ff02fe, 0x01010102, 0, 0x02ff03ff},
		{"vabsdiff4.u32.u32.u32.add $0, $1, $2, $3;", 0x05000003, 0x02000107, 1000, 1008},
		{"vset4.u32.u32.eq $0, $1, $2, $3;", 0x01020304, 0x01000300, 0, 0x01000100},
		{"vavrg2.s32.s32.s32 $0, $1, $2, $3;", 0x0001fffe, 0x0002ffff, 0, 0x0002fffe},
		{"vmax2.u32.u32.u32 $0.h0, $1.h01, $2.h32, $3;", 0x00050009, 0x00010007, 0xabcd0000, 0xabcd0007},
		{"add.u16x2 $0, $1, $2;", 0xffff0001, 0x00010001, 0, 0x00000002},
		{"max.relu.s16x2 $0, $1, $2;", 0xffff0001, 0x8000fff0, 0, 1},
		{"min.s16x2 $0, $1, $2;", 0xffff0001, 0x0001fff0, 0, 0xfffffff0},
		{"max.relu.s32 $0, $1, $2;", ones, 0xfffffff0, 0, 0},
		{"szext.wrap.s32 $0, $1, $2;", 0xff, 8, 0, ones},
		{"szext.clamp.u32 $0, $1, $2;", ones, 40, 0, ones},
		{"szext.wrap.u32 $0, $1, $2;", ones, 40, 0, 0xff},
		{"szext.clamp.s32 $0, $1, $2;", ones, 0, 0, 0},
		{"bmsk.clamp.b32 $0, $1, $2;", 4, 8, 0, 0xff0},
		{"bmsk.clamp.b32 $0, $1, $2;", 4, 40, 0, 0xfffffff0},
		{"bmsk.clamp.b32 $0, $1, $2;", 32, 4, 0, 0},
		{"bmsk.wrap.b32 $0, $1, $2;", 36, 40, 0, 0xff0},
		{"bmsk.wrap.b32 $0, $1, $2;", 20, 20, 0, 0xfff00000},
		{"fns.b32 $0, $1, $2, $3;", 0x88, 0, 2, 7},
		{"fns.b32 $0, $1, $2, $3;", 0x88, 7, ones, 7},
		{"fns.b32 $0, $1, $2, $3;", 0x88, 6, ones, 3},
		{"fns.b32 $0, $1, $2, $3;", 0x88, 3, 0, 3},
		{"fns.b32 $0, $1, $2, $3;", 0x88, 0, 3, ones},
		{"dp2a.lo.s32.u32 $0, $1, $2, $3;", 0xffff0002, 0x04030201, 10, 10},
		{"dp2a.hi.u32.s32 $0, $1, $2, $3;", 0x00010002, 0xff030201, 10, 15},
		{"mul24.hi.s32 $0, $1, $2;", 0x800000, 0x10000, 0, 0xff800000},
		{"mad24.lo.u32 $0, $1, $2, $3;", 0xff000003, 5, 1, 16},
		{"mad24.hi.sat.s32 $0, $1, $2, $3;", 0x7fffff, 0x7fffff, 0x7fffffff, 0x7fffffff},
		{"mad.hi.sat.s32 $0, $1, $2, $3;", 0x80000000, 0x7fffffff, 0x80000000, 0x80000000},
		{"{ .reg .pred p, q; setp.ne.u32 q, 0, 0; lop3.or.b32 $0|p, $1, $2, $3, 0x80, q; @p add.u32 $0, $0, 100; }", 3, 6, 2, 102},
		{"{ .reg .pred p, q; setp.eq.u32 p, 0, 0; setp.eq.u32 q, 0, 0; mov.u32 $0, 9; @p lop3.and.b32 $0|p, $1, $2, $3, 0x80, q; @p add.u32 $0, $0, 100; }", 1, 2, 4, 0},
	} {
		b32 := ptx.Type("b32")
		got := compute(t, test.text, b32, []ptx.Type{b32, b32, b32}, [][]uint64{{test.a, test.b, test.c}})
		assert.Equal(t, test.want, got[0]&ones, "%s: got %#x", test.text, got[0]&ones)
	}
}

// TestHalfAtomics: sums of halves and a compare and swap of 16 bits, beside others that stay.
func TestHalfAtomics(t *testing.T) {
	m := newMachine(t, entry(`mov.b16 %h1, 0x3c00; cvta.to.global.u64 %rd1, %rd1;
red.global.add.noftz.f16 [%rd1+2], %h1; mov.b16 %h3, 0x3f80; atom.add.noftz.bf16 %h2, [%rd1+4], %h3; mov.u32 %r3, 0x3c004000; atom.add.noftz.f16x2.global %r4, [%rd1+8], %r3;
mov.b16 %h3, 7; atom.global.cas.b16 %h4, [%rd1+14], 0, %h3; mov.u32 %r3, 0x3f803f80; red.relaxed.gpu.global.add.noftz.bf16x2 [%rd1+16], %r3;`))
	require.Empty(t, m.lib.Kernels["k"].Unsupported)
	out := make([]uint16, 12)
	out[0] = 0x1234
	addr := m.upload(out)
	_, fault := m.launch("k", config(1, 3, 0), addr, uint32(0))
	require.Nil(t, fault)
	m.download(addr, out)
	assert.Equal(t, []uint16{0x1234, 0x4200, 0x4040, 0, 0x4600, 0x4200, 0, 7, 0x4040, 0x4040, 0, 0}, out)
}

// TestHeap: malloc and free in kernels, and what goes wrong with them.
func TestHeap(t *testing.T) {
	const functions = `.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
`
	const take = `{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd3; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }`
	const give = `{ .param .b64 n; st.param.b64 [n], %rd4; call.uni free, (n); }`
	got := callResults(t, functions, "mov.u64 %rd3, 64;"+take+"st.u32 [%rd4+60], %r3; ld.u32 %r4, [%rd4+60];"+give+"mov.u64 %rd4, 0;"+give)
	assert.Equal(t, uint32(63), got[63])
	got = callResults(t, functions, "mov.u64 %rd3, 9000000;"+take+"cvt.u32.u64 %r4, %rd4;")
	assert.Equal(t, uint32(0), got[5], "more than the heap has")
	for body, want := range map[string]string{
		"mov.u64 %rd3, 64;" + take + give + give:                  "free of address",
		"mov.u64 %rd4, %rd1;" + give:                              "which malloc did not return",
		"mov.u64 %rd3, 64;" + take + give + "ld.u32 %r4, [%rd4];": "is in an allocation that was freed",
	} {
		m := newMachine(t, calling(functions, body))
		_, fault := m.launch("k", config(1, 1, 0), m.upload([]uint32{0}))
		require.NotNil(t, fault, body)
		assert.Contains(t, fault.Reason, want)
	}
}
