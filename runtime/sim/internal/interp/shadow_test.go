package interp

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// followed runs body in two blocks of 40 threads with initcheck and returns the reports. %r1 is the thread's
// number; %rd1 points to 4 KiB that nobody has written, %rd2 to its word of them, %rd3 to 4 KiB of zeros.
func followed(t *testing.T, body string) []*driver.Fault {
	t.Helper()
	return followedAs(t, ".version 7.0\n.target sm_80\n.address_size 64\n", body)
}

// followedAs is followed in a module with a header.
func followedAs(t *testing.T, header, body string) []*driver.Fault {
	t.Helper()
	m := newFollowedMachine(t, header+`
.global .align 4 .b8 zeroed[256];
.func (.reg .b32 r) twice(.reg .b32 a, .reg .b32 b) { add.u32 r, a, a; ret; }
.func (.param .b32 r) memory(.param .align 4 .b8 a[8]) { .reg .b32 %x; ld.param.b32 %x, [a+4]; st.param.b32 [r], %x; ret; }
.func (.reg .b32 r) sum(.reg .b32 n) { .reg .b32 %x, %y; .reg .pred %p; mov.u32 r, 0; setp.eq.u32 %p, n, 0; @%p ret; sub.u32 %x, n, 1; call (%y), sum, (%x); add.u32 r, %y, n; ret; }
.func (.param .align 4 .b8 r[8]) pair(.param .align 4 .b8 n[8]) {
.reg .b32 %x, %y; .reg .pred %p;
ld.param.b32 %x, [n]; st.param.b32 [r], %x; setp.eq.u32 %p, %x, 0; @%p ret; ld.param.b32 %y, [n+4]; sub.u32 %x, %x, 1;
{ .param .align 4 .b8 a[8]; .param .align 4 .b8 b[8]; st.param.b32 [a], %x; st.param.b32 [a+4], %y; call (b), pair, (a); ld.param.b32 %x, [b]; }
add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }
.visible .entry k(.param .u64 fresh, .param .u64 zeros, .param .u32 n) {
.reg .b64 %rd<16>; .reg .b32 %r<32>; .reg .b16 %h<4>; .reg .f32 %f<8>; .reg .pred %p<8>;
.shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[64];
ld.param.u64 %rd1, [fresh]; ld.param.u64 %rd3, [zeros]; mov.u32 %r1, %tid.x; mov.u32 %r31, %ctaid.x; mad.lo.u32 %r30, %r31, 40, %r1; mul.wide.u32 %rd2, %r30, 4; add.u64 %rd2, %rd1, %rd2;
`+body+`
ret;
}`)
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	fresh, ok := m.mem.Alloc(4096, memory.Allocation{})
	require.True(t, ok)
	zeros := m.upload(make([]byte, 4096))
	memory.Define(zeros, 4096)
	run := Execute(k, &m.mem, config(2, 40, 0), Alone(), arguments(k, fresh, zeros, uint32(3)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Undefined: true})
	if run.Fault == nil {
		return nil
	}
	require.Equal(t, Initcheck, run.Fault.Check, run.Fault.Reason)
	return append(run.Found, &run.Fault.Fault)
}

// use makes a branch depend on register r.
func use(r string) string { return "setp.gt.s32 %p7, " + r + ", 5; @%p7 bra USED; USED:" }

func TestUndefinedValues(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"what a barrier counts", "setp.lt.u32 %p1, %r1, 9; bar.red.popc.u32 %r5, 0, %p1;" + use("%r5"), ""},
		{"what a barrier counts of undefined values", "setp.lt.u32 %p1, %r1, 9; setp.lt.u32 %p2, %r1, 39; @%p2 setp.lt.u32 %p3, %r1, 9; bar.red.popc.u32 %r5, 0, %p3;" + use("%r5"), "branches"},
		{"what holds for all at a barrier", "setp.lt.u32 %p1, %r1, 9; bar.red.and.pred %p2, 0, %p1; @%p2 bra E; bar.red.or.pred %p2, 0, %p1; @%p2 bra E; E:", ""},
		{"what holds for one, whatever is undefined", "setp.lt.u32 %p2, %r1, 39; @%p2 setp.lt.u32 %p3, %r1, 9; bar.red.or.pred %p4, 0, %p3; @%p4 bra E; bar.red.and.pred %p5, 0, %p3; @%p5 bra E; E:", ""},
		{"what holds for one, if undefined values say so", "setp.lt.u32 %p2, %r1, 39; @%p2 setp.gt.u32 %p3, %r1, 50; bar.red.or.pred %p4, 0, %p3; @%p4 bra E; E:", "branches"},
		{"what a recursion returns in memory", "{ .param .align 4 .b8 a[8]; .param .align 4 .b8 b[8]; and.b32 %r6, %r1, 3; st.param.b32 [a], %r6; st.param.b32 [a+4], %r1; call (b), pair, (a); ld.param.b32 %r5, [b]; }" + use("%r5"), ""},
		{"an undefined value through a recursion in memory", "{ .param .align 4 .b8 a[8]; .param .align 4 .b8 b[8]; st.param.b32 [a], 2; st.param.b32 [a+4], %r8; call (b), pair, (a); ld.param.b32 %r5, [b]; }" + use("%r5"), "branches"},
		{"a register", use("%r5"), "decides whether the thread branches"},
		{"a register that was set", "mov.u32 %r5, 1;" + use("%r5"), ""},
		{"set in some lanes only", "setp.lt.u32 %p1, %r1, 20; @%p1 mov.u32 %r5, 1;" + use("%r5"), "branches"},
		{"set in all lanes, in two steps", "setp.lt.u32 %p1, %r1, 20; @%p1 mov.u32 %r5, 1; @!%p1 mov.u32 %r5, 2;" + use("%r5"), ""},
		{"set and used in some lanes", "setp.lt.u32 %p1, %r1, 20; @!%p1 bra E; mov.u32 %r5, 1; setp.gt.s32 %p7, %r5, 5; @%p7 bra E; E:", ""},
		{"what set says", "set.lt.u32.u32 %r5, %r1, 9;" + use("%r5"), ""},
		{"what set says of undefined values", "set.lt.u32.u32 %r5, %r8, 9;" + use("%r5"), "branches"},
		{"what set says in some lanes only", "setp.lt.u32 %p1, %r1, 20; @%p1 set.lt.u32.u32 %r5, %r1, 9;" + use("%r5"), "branches"},
		{"what set says in some lanes of a defined register", "mov.u32 %r5, %r8; setp.lt.u32 %p1, %r1, 20; @!%p1 mov.u32 %r5, 2; @%p1 set.lt.u32.u32 %r5, %r1, 9;" + use("%r5"), ""},
		{"fresh memory", "ld.global.u32 %r5, [%rd2];" + use("%r5"), "were read at PTX line"},
		{"a wait at a barrier in memory", ".shared .align 8 .b64 bar; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 40; bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [bar]; W: mbarrier.test_wait.shared.b64 %p2, [bar], %rd5; @!%p2 bra W;", ""},
		{"a wait that only half of the threads pass", ".shared .align 8 .b64 bar; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 40; bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.test_wait.shared.b64 %p2, [bar], %rd5; @%p2 bra W; @%p3 bra W; W:", "branches"},
		{"fresh memory that is only copied", "ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2+512], %r5;", ""},
		{"copied, then used", "ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2+512], %r5; ld.global.u32 %r6, [%rd2+512];" + use("%r6"), "branches"},
		{"written, then used", "st.global.u32 [%rd2], %r1; ld.global.u32 %r6, [%rd2];" + use("%r6"), ""},
		{"zeros of the host", "ld.global.u32 %r5, [%rd3];" + use("%r5"), ""},
		{"overwritten by undefined values", "ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd3], %r5; ld.global.u32 %r6, [%rd3];" + use("%r6"), "branches"},
		{"a variable", "ld.global.u32 %r5, [zeroed];" + use("%r5"), ""},
		{"a variable that got an undefined value", "ld.global.u32 %r5, [%rd1]; st.global.u32 [zeroed], %r5; ld.global.u32 %r6, [zeroed];" + use("%r6"), "branches"},
		{"shared memory", "ld.shared.u32 %r5, [s];" + use("%r5"), "from shared address 0x0"},
		{"shared memory, written", "st.shared.u32 [s], 1; ld.shared.u32 %r5, [s];" + use("%r5"), ""},
		{"shared memory, part of it written", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s];" + use("%r5"), "branches"},
		{"the part that was written", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; and.b32 %r5, %r5, 0xffff;" + use("%r5"), ""},
		{"the part that was not", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; shr.u32 %r5, %r5, 16;" + use("%r5"), "branches"},
		{"local memory", "ld.local.u32 %r5, [l];" + use("%r5"), "from local"},
		{"local memory, written", "st.local.u32 [l], 1; ld.local.u32 %r5, [l];" + use("%r5"), ""},
		{"a generic address of shared memory", "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; ld.u32 %r5, [%rd4];" + use("%r5"), "branches"},
		{"an address", "ld.global.u64 %rd4, [%rd1]; and.b64 %rd4, %rd4, 0; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], 1;", ""},
		{"an undefined address", "ld.global.u32 %r5, [%rd2]; and.b32 %r5, %r5, 60; cvt.u64.u32 %rd4, %r5; add.u64 %rd4, %rd4, %rd3; ld.global.u32 %r6, [%rd4];", "is used as an address"},
		{"an undefined address of shared memory", "ld.global.u32 %r5, [%rd2]; and.b32 %r5, %r5, 60; st.shared.u32 [%r5], 1;", "is used as an address"},
		{"a store that depends on it", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; @%p1 st.global.u32 [%rd3], 1;", "decides whether the thread writes"},
		{"an exit that depends on it", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; @%p1 exit;", "decides whether the thread ends"},
		{"arithmetic", "ld.global.u32 %r5, [%rd2]; mul.lo.u32 %r5, %r5, 3; add.u32 %r5, %r5, 1; sub.u32 %r5, 7, %r5;" + use("%r5"), "branches"},
		{"floats", "ld.global.f32 %f1, [%rd2]; add.f32 %f1, %f1, 0f3f800000; setp.gt.f32 %p1, %f1, 0f00000000; @%p1 bra E; E:", "branches"},
		{"an accumulator", "mov.f32 %f2, 0f3f800000; fma.rn.f32 %f1, %f2, %f2, %f1; setp.gt.f32 %p1, %f1, 0f00000000; @%p1 bra E; E:", "branches"},
		{"the high half of a product by 65536", "ld.shared.u32 %r5, [s]; shl.b32 %r5, %r5, 16; and.b32 %r5, %r5, 0xffff;" + use("%r5"), ""},
		{"sums carry upwards alone", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; add.u32 %r5, %r5, 3; and.b32 %r5, %r5, 0xffff;" + use("%r5"), ""},
		{"or with ones", "ld.global.u32 %r5, [%rd2]; or.b32 %r5, %r5, 0xffffffff;" + use("%r5"), ""},
		{"lop3", "ld.global.u32 %r5, [%rd2]; mov.u32 %r6, 0; lop3.b32 %r5, %r5, %r6, %r6, 0xf0; lop3.b32 %r5, %r5, %r6, %r6, 0xc0;" + use("%r5"), ""},
		{"prmt", "st.shared.u8 [s+3], 1; ld.shared.u32 %r5, [s]; prmt.b32 %r5, %r5, 0, 0x4443;" + use("%r5"), ""},
		{"prmt of others", "st.shared.u8 [s+3], 1; ld.shared.u32 %r5, [s]; prmt.b32 %r5, %r5, 0, 0x4442;" + use("%r5"), "branches"},
		{"the other of two halves", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; add.f16x2 %r5, %r5, %r5; and.b32 %r6, %r5, 65535;" + use("%r6"), ""},
		{"that of two halves", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; fma.rn.bf16x2 %r5, %r5, %r5, %r5; shr.u32 %r6, %r5, 16;" + use("%r6"), "branches"},
		{"two halves packed, the defined one", "ld.shared.f32 %f1, [s]; mov.f32 %f2, 0f3f800000; cvt.rn.f16x2.f32 %r5, %f1, %f2; and.b32 %r6, %r5, 65535;" + use("%r6"), ""},
		{"two halves packed, the other", "ld.shared.f32 %f1, [s]; mov.f32 %f2, 0f3f800000; cvt.rn.f16x2.f32 %r5, %f2, %f1; and.b32 %r6, %r5, 65535;" + use("%r6"), "branches"},
		{"another of four bytes", "st.shared.u8 [s], 1; ld.shared.u32 %r5, [s]; vabsdiff4.u32.u32.u32 %r6, %r5, %r1, %r1; and.b32 %r6, %r6, 255;" + use("%r6"), ""},
		{"the sum of four bytes", "st.shared.u8 [s], 1; ld.shared.u32 %r5, [s]; vabsdiff4.u32.u32.u32.add %r6, %r5, %r1, %r1; and.b32 %r6, %r6, 255;" + use("%r6"), "branches"},
		{"dp2a of the defined half", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; dp2a.lo.s32.s32 %r6, %r1, %r5, %r1;" + use("%r6"), ""},
		{"dp2a of the other half", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; dp2a.hi.s32.s32 %r6, %r1, %r5, %r1;" + use("%r6"), "branches"},
		{"dp4a by zeros", "st.shared.u8 [s], 1; ld.shared.u32 %r5, [s]; mov.u32 %r6, 255; dp4a.u32.u32 %r6, %r5, %r6, %r1;" + use("%r6"), ""},
		{"dp4a by zeros, the other way", "st.shared.u8 [s], 1; ld.shared.u32 %r5, [s]; mov.u32 %r6, 255; dp4a.s32.s32 %r6, %r6, %r5, %r1;" + use("%r6"), ""},
		{"dp4a by ones", "st.shared.u8 [s], 1; ld.shared.u32 %r5, [s]; mov.u32 %r6, 257; dp4a.u32.u32 %r6, %r5, %r6, %r1;" + use("%r6"), "branches"},
		{"dp4a with an undefined sum", "mov.u32 %r6, 0; dp4a.u32.u32 %r6, %r6, %r6, %r8;" + use("%r6"), "branches"},
		{"the first one of defined bits", "st.shared.u8 [s+3], 65; ld.shared.u32 %r5, [s]; clz.b32 %r6, %r5; bfind.u32 %r5, %r5; add.u32 %r6, %r6, %r5;" + use("%r6"), ""},
		{"how far the first one of defined bits is", "st.shared.u8 [s+3], 1; ld.shared.u32 %r5, [s]; bfind.shiftamt.u32 %r6, %r5;" + use("%r6"), ""},
		{"the first one of undefined bits", "st.shared.u8 [s+3], 0; ld.shared.u32 %r5, [s]; clz.b32 %r6, %r5;" + use("%r6"), "branches"},
		{"the first bit like the sign", "st.shared.u8 [s], 1; ld.shared.u32 %r5, [s]; bfind.s32 %r6, %r5;" + use("%r6"), "branches"},
		{"the system's shared memory", "mov.u32 %r5, %reserved_smem_offset_1; ld.shared.u32 %r6, [%r5];" + use("%r6"), ""},
		{"bfe", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; bfe.u32 %r5, %r5, 4, 8;" + use("%r5"), ""},
		{"bfi", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; bfi.b32 %r5, %r1, %r5, 16, 16;" + use("%r5"), ""},
		{"conversions", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; cvt.u16.u32 %h1, %r5; cvt.u32.u16 %r6, %h1;" + use("%r6"), ""},
		{"sign extension", "ld.shared.u16 %h1, [s]; cvt.s32.s16 %r6, %h1;" + use("%r6"), "branches"},
		{"packed and unpacked", "mov.u32 %r5, 1; mov.b64 %rd4, {%r5, %r6}; mov.b64 {%r7, %r8}, %rd4;" + use("%r7"), ""},
		{"unpacked, the other half", "mov.u32 %r5, 1; mov.b64 %rd4, {%r5, %r6}; mov.b64 {%r7, %r8}, %rd4;" + use("%r8"), "branches"},
		{"vectors with padding", "st.shared.u32 [s], 1; st.shared.u32 [s+8], 2; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s]; st.shared.v4.u32 [s+16], {%r4, %r5, %r6, %r7}; ld.shared.u32 %r8, [s+24];" + use("%r8"), ""},
		{"the padding", "st.shared.u32 [s], 1; st.shared.u32 [s+8], 2; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s]; st.shared.v4.u32 [s+16], {%r4, %r5, %r6, %r7}; ld.shared.u32 %r8, [s+20];" + use("%r8"), "branches"},
		{"equal words of which one bit differs", "st.shared.u16 [s], 1; ld.shared.u32 %r5, [s]; and.b32 %r6, %r5, 0; setp.eq.u32 %p1, %r5, %r6; @%p1 bra E; E:", ""},
		{"a predicate that decides nothing", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; setp.gt.u32 %p2, %r1, 99; and.pred %p1, %p1, %p2; @%p1 bra E; E:", ""},
		{"a predicate that decides", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; setp.lt.u32 %p2, %r1, 99; and.pred %p1, %p1, %p2; @%p1 bra E; E:", "branches"},
		{"a choice", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; selp.u32 %r6, 1, 2, %p1;" + use("%r6"), "branches"},
		{"a choice of equals", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; selp.u32 %r6, 1, 1, %p1;" + use("%r6"), ""},
		{"a move that depends on it", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; mov.u32 %r6, 1; @%p1 mov.u32 %r6, 2;" + use("%r6"), "branches"},
		{"a shuffle", "mov.u32 %r5, %r1; shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; and.b32 %r7, %r6, 1;" + use("%r7"), ""},
		{"a shuffle of undefined values", "shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;" + use("%r6"), "branches"},
		{"a ballot", "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7; vote.sync.ballot.b32 %r6, %p1, -1;" + use("%r6"), "branches"},
		{"atomics", "st.global.u32 [%rd1+2048], 0; bar.sync 0; atom.global.add.u32 %r6, [%rd1+2048], 1;" + use("%r6"), ""},
		{"atomics on fresh memory", "atom.global.add.u32 %r6, [%rd1+2048], 1;" + use("%r6"), "branches"},
		{"exchanged", "atom.global.exch.b32 %r6, [%rd2], 1; ld.global.u32 %r7, [%rd2];" + use("%r7"), ""},
		{"reduced onto fresh memory", "red.global.add.u32 [%rd1+2048], 1; bar.sync 0; ld.global.u32 %r7, [%rd1+2048];" + use("%r7"), "branches"},
		{"cp.async", "cp.async.ca.shared.global [s], [%rd3], 16; cp.async.wait_all; ld.shared.u32 %r5, [s+4];" + use("%r5"), ""},
		{"cp.async of fresh memory", "cp.async.ca.shared.global [s], [%rd1], 16; cp.async.wait_all; ld.shared.u32 %r5, [s+4];" + use("%r5"), "branches"},
		{"a call", "mov.u32 %r5, 1; call (%r6), twice, (%r5, %r7);" + use("%r6"), ""},
		{"a call with an undefined argument", "call (%r6), twice, (%r5, %r7);" + use("%r6"), "branches"},
		{"a call by memory", "{ .param .align 4 .b8 a[8]; .param .b32 r; st.param.b32 [a+4], 1; call (r), memory, (a); ld.param.b32 %r6, [r]; }" + use("%r6"), ""},
		{"a call by memory with an undefined part", "{ .param .align 4 .b8 a[8]; .param .b32 r; st.param.b32 [a], 1; call (r), memory, (a); ld.param.b32 %r6, [r]; }" + use("%r6"), "branches"},
		{"recursion", "mov.u32 %r5, 5; call (%r6), sum, (%r5);" + use("%r6"), ""},
		{"the carry", "mov.u32 %r5, 1; add.cc.u32 %r6, %r5, %r5; addc.u32 %r7, %r5, %r5;" + use("%r7"), ""},
		{"an undefined carry", "mov.u32 %r5, 1; add.cc.u32 %r6, %r5, %r9; addc.u32 %r7, %r5, %r5;" + use("%r7"), "branches"},
	} {
		t.Run(test.name, func(t *testing.T) {
			reports := followed(t, test.body)
			if test.want == "" {
				for _, r := range reports {
					assert.Fail(t, fmt.Sprint((&Failure{*r}).Error()))
				}
				return
			}
			require.NotEmpty(t, reports)
			assert.Contains(t, reports[0].Reason, test.want)
		})
	}
}

// A place is reported once, with the number of times.
func TestUndefinedIsReportedOnce(t *testing.T) {
	reports := followed(t, "mov.u32 %r4, 0;\nL: ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 7;\n@%p1 bra E;\nE: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 10; @%p2 bra L;\nsetp.eq.u32 %p3, %r9, 1;\n@%p3 bra F;\nF:")
	require.Len(t, reports, 2)
	assert.ElementsMatch(t, []uint64{40, 4}, []uint64{reports[0].Count, reports[1].Count}, "two warps of two blocks")
}
