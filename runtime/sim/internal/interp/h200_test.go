package interp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// TestValuesOfTheH200 holds the interpreter to what an H200 (driver 580) computes where the
// PTX ISA leaves it open or is easily misread. Every value was measured there.
func TestValuesOfTheH200(t *testing.T) {
	tests := []struct {
		name, dst, srcs string
		row             []uint64
		want            uint64
	}{
		// Of two NaNs the second wins, of three the second, the third, the first; made quiet.
		{"add.f64", "f64", "f64 f64", []uint64{0xfff8000000000000, 0x7ff0000000000001}, 0x7ff8000000000001},
		{"add.f64", "f64", "f64 f64", []uint64{0x7ff0000000000001, 0xfff8000000000000}, 0xfff8000000000000},
		{"add.f64", "f64", "f64 f64", []uint64{0x7ff8000020000456, 0xfff7ffffffffffff}, 0xffffffffffffffff},
		{"add.f64", "f64", "f64 f64", []uint64{0xfff0000000000002, 0x3ff0000000000000}, 0xfff8000000000002},
		{"add.f64", "f64", "f64 f64", []uint64{0x3ff0000000000000, 0xfff0000000000002}, 0xfff8000000000002},
		{"sub.f64", "f64", "f64 f64", []uint64{0xfff8000000000000, 0x7ff0000000000001}, 0x7ff8000000000001},
		{"sub.f64", "f64", "f64 f64", []uint64{0x7ff0000000000001, 0xfff8000000000000}, 0xfff8000000000000},
		{"sub.f64", "f64", "f64 f64", []uint64{0x7ff8000020000456, 0xfff7ffffffffffff}, 0xffffffffffffffff},
		{"sub.f64", "f64", "f64 f64", []uint64{0xfff0000000000002, 0x3ff0000000000000}, 0xfff8000000000002},
		{"sub.f64", "f64", "f64 f64", []uint64{0x3ff0000000000000, 0xfff0000000000002}, 0xfff8000000000002},
		{"mul.f64", "f64", "f64 f64", []uint64{0xfff8000000000000, 0x7ff0000000000001}, 0x7ff8000000000001},
		{"mul.f64", "f64", "f64 f64", []uint64{0x7ff0000000000001, 0xfff8000000000000}, 0xfff8000000000000},
		{"mul.f64", "f64", "f64 f64", []uint64{0x7ff8000020000456, 0xfff7ffffffffffff}, 0xffffffffffffffff},
		{"mul.f64", "f64", "f64 f64", []uint64{0xfff0000000000002, 0x3ff0000000000000}, 0xfff8000000000002},
		{"mul.f64", "f64", "f64 f64", []uint64{0x3ff0000000000000, 0xfff0000000000002}, 0xfff8000000000002},
		{"min.f64", "f64", "f64 f64", []uint64{0xfff8000000000000, 0x7ff0000000000001}, 0x7ff8000000000001},
		{"min.f64", "f64", "f64 f64", []uint64{0x7ff0000000000001, 0xfff8000000000000}, 0xfff8000000000000},
		{"min.f64", "f64", "f64 f64", []uint64{0x7ff8000020000456, 0xfff7ffffffffffff}, 0xffffffffffffffff},
		{"min.f64", "f64", "f64 f64", []uint64{0xfff0000000000002, 0x3ff0000000000000}, 0x3ff0000000000000},
		{"min.f64", "f64", "f64 f64", []uint64{0x3ff0000000000000, 0xfff0000000000002}, 0x3ff0000000000000},
		{"max.f64", "f64", "f64 f64", []uint64{0xfff8000000000000, 0x7ff0000000000001}, 0x7ff8000000000001},
		{"max.f64", "f64", "f64 f64", []uint64{0x7ff0000000000001, 0xfff8000000000000}, 0xfff8000000000000},
		{"max.f64", "f64", "f64 f64", []uint64{0x7ff8000020000456, 0xfff7ffffffffffff}, 0xffffffffffffffff},
		{"max.f64", "f64", "f64 f64", []uint64{0xfff0000000000002, 0x3ff0000000000000}, 0x3ff0000000000000},
		{"max.f64", "f64", "f64 f64", []uint64{0x3ff0000000000000, 0xfff0000000000002}, 0x3ff0000000000000},
		{"mul.f64", "f64", "f64 f64", []uint64{0x0, 0x7ff0000000000000}, 0xfff8000000000000},
		{"div.rn.f64", "f64", "f64 f64", []uint64{0xfff8000000000000, 0x7ff0000000000001}, 0xfff8000000000000},
		{"div.rn.f64", "f64", "f64 f64", []uint64{0x7ff0000000000001, 0xfff8000000000000}, 0x7ff8000000000001},
		{"div.rn.f64", "f64", "f64 f64", []uint64{0x3ff0000000000000, 0xfff0000000000002}, 0xfff8000000000002},
		{"fma.rn.f64", "f64", "f64 f64 f64", []uint64{0x7ff0000000000001, 0xfff0000000000002, 0x7ff8000020000456}, 0xfff8000000000002},
		{"fma.rn.f64", "f64", "f64 f64 f64", []uint64{0x7ff0000000000001, 0x3ff0000000000000, 0x7ff8000020000456}, 0x7ff8000020000456},
		{"fma.rn.f64", "f64", "f64 f64 f64", []uint64{0x7ff0000000000001, 0xfff0000000000002, 0x3ff0000000000000}, 0xfff8000000000002},
		{"fma.rn.f64", "f64", "f64 f64 f64", []uint64{0x7ff0000000000001, 0x3ff0000000000000, 0x3ff0000000000000}, 0x7ff8000000000001},
		{"fma.rn.f64", "f64", "f64 f64 f64", []uint64{0x3ff0000000000000, 0x7ff0000000000001, 0xfff7ffffffffffff}, 0x7ff8000000000001},
		{"abs.f64", "f64", "f64", []uint64{0xfff8000000000000}, 0xfff8000000000000},
		{"abs.f64", "f64", "f64", []uint64{0x7ff0000000000001}, 0x7ff8000000000001},
		{"abs.f64", "f64", "f64", []uint64{0xfff0000000000002}, 0xfff8000000000002},
		{"abs.f64", "f64", "f64", []uint64{0xfff7ffffffffffff}, 0xffffffffffffffff},
		{"abs.f64", "f64", "f64", []uint64{0x8000000000000001}, 0x1},
		{"neg.f64", "f64", "f64", []uint64{0xfff8000000000000}, 0xfff8000000000000},
		{"neg.f64", "f64", "f64", []uint64{0x7ff0000000000001}, 0x7ff8000000000001},
		{"neg.f64", "f64", "f64", []uint64{0xfff0000000000002}, 0xfff8000000000002},
		{"neg.f64", "f64", "f64", []uint64{0x7ff8000020000456}, 0x7ff8000020000456},
		{"neg.f64", "f64", "f64", []uint64{0x3ff0000000000000}, 0xbff0000000000000},
		{"abs.f32", "f32", "f32", []uint64{0x7fc00001}, 0x7fffffff},
		{"abs.f32", "f32", "f32", []uint64{0xff812345}, 0x7fffffff},
		{"abs.f32", "f32", "f32", []uint64{0xbf000000}, 0x3f000000},
		{"neg.f32", "f32", "f32", []uint64{0x7fc00001}, 0x7fffffff},
		{"neg.f32", "f32", "f32", []uint64{0xff812345}, 0x7fffffff},
		{"neg.f32", "f32", "f32", []uint64{0x3f800000}, 0xbf800000},
		{"abs.ftz.f32", "f32", "f32", []uint64{0xff812345}, 0x7fffffff},
		{"abs.ftz.f32", "f32", "f32", []uint64{0x807fffff}, 0x0},
		{"neg.ftz.f32", "f32", "f32", []uint64{0x7fc00001}, 0x7fffffff},
		{"neg.ftz.f32", "f32", "f32", []uint64{0x807fffff}, 0x0},
		// A conversion keeps what there is room for, unless .ftz makes the NaN canonical first.
		{"cvt.rn.f32.f64", "f32", "f64", []uint64{0xfff8000000000000}, 0xffc00000},
		{"cvt.rn.f32.f64", "f32", "f64", []uint64{0x7ff0000000000001}, 0x7fc00000},
		{"cvt.rn.f32.f64", "f32", "f64", []uint64{0xfff0000000000002}, 0xffc00000},
		{"cvt.rn.f32.f64", "f32", "f64", []uint64{0x7ff8000020000456}, 0x7fc00001},
		{"cvt.rn.f32.f64", "f32", "f64", []uint64{0xfff7ffffffffffff}, 0xffffffff},
		{"cvt.rz.f32.f64", "f32", "f64", []uint64{0xfff8000000000000}, 0xffc00000},
		{"cvt.rz.f32.f64", "f32", "f64", []uint64{0x7ff0000000000001}, 0x7fc00000},
		{"cvt.rz.f32.f64", "f32", "f64", []uint64{0xfff0000000000002}, 0xffc00000},
		{"cvt.rz.f32.f64", "f32", "f64", []uint64{0x7ff8000020000456}, 0x7fc00001},
		{"cvt.rz.f32.f64", "f32", "f64", []uint64{0xfff7ffffffffffff}, 0xffffffff},
		{"cvt.rn.ftz.f32.f64", "f32", "f64", []uint64{0x7ff8000020000456}, 0x7fc00001},
		{"cvt.rn.ftz.f32.f64", "f32", "f64", []uint64{0xfff7ffffffffffff}, 0xffffffff},
		{"cvt.f64.f32", "f64", "f32", []uint64{0x7fc00001}, 0x7ff8000020000000},
		{"cvt.f64.f32", "f64", "f32", []uint64{0xff812345}, 0xfff82468a0000000},
		{"cvt.ftz.f64.f32", "f64", "f32", []uint64{0x7fc00001}, 0x7fffffffe0000000},
		{"cvt.ftz.f64.f32", "f64", "f32", []uint64{0xff812345}, 0x7fffffffe0000000},
		{"cvt.ftz.f64.f32", "f64", "f32", []uint64{0x807fffff}, 0x8000000000000000},
		// What only the coarser steps of subnormals round up to the least normal number is zero.
		{"mul.rn.ftz.f32", "f32", "f32 f32", []uint64{0x800000, 0x3f7fffff}, 0x0},
		{"mul.rn.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0xbf000000}, 0x80000000},
		{"mul.rn.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0x3f000000}, 0x0},
		{"mul.rn.ftz.f32", "f32", "f32 f32", []uint64{0x800001, 0x3f7fffff}, 0x800000},
		{"mul.rm.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0xbf000000}, 0x80000000},
		{"mul.rp.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0x3f000000}, 0x0},
		{"mul.rp.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0xbf000000}, 0x80000000},
		{"fma.rn.ftz.f32", "f32", "f32 f32 f32", []uint64{0x800000, 0x3f7fffff, 0x0}, 0x0},
		{"fma.rn.ftz.f32", "f32", "f32 f32 f32", []uint64{0xffffff, 0xbf000000, 0xffffff}, 0x0},
		{"fma.rn.ftz.f32", "f32", "f32 f32 f32", []uint64{0xffffff, 0x3f000000, 0x800000}, 0x1000000},
		{"fma.rm.ftz.f32", "f32", "f32 f32 f32", []uint64{0xffffff, 0xbf000000, 0x1}, 0x80000000},
		{"fma.rp.ftz.f32", "f32", "f32 f32 f32", []uint64{0x3f7fffff, 0x800000, 0x807fffff}, 0x0},
		{"cvt.rn.ftz.f32.f64", "f32", "f64", []uint64{0x380ffffff0000000}, 0x800000},
		{"cvt.rn.ftz.f32.f64", "f32", "f64", []uint64{0x380fffffefffffff}, 0x0},
		{"cvt.rn.ftz.f32.f64", "f32", "f64", []uint64{0x380fffffdfffffff}, 0x0},
		{"cvt.rn.ftz.f32.f64", "f32", "f64", []uint64{0xb80fffffffffffff}, 0x80800000},
		{"cvt.rp.ftz.f32.f64", "f32", "f64", []uint64{0x380fffffefffffff}, 0x800000},
		{"cvt.rp.ftz.f32.f64", "f32", "f64", []uint64{0x380fffffdfffffff}, 0x0},
		{"cvt.rp.ftz.f32.f64", "f32", "f64", []uint64{0xb80fffffffffffff}, 0x80000000},
		{"cvt.rm.ftz.f32.f64", "f32", "f64", []uint64{0xb80fffffffffffff}, 0x80800000},
		{"cvt.rm.ftz.f32.f64", "f32", "f64", []uint64{0x380fffffefffffff}, 0x0},
		{"cvt.rn.f32.f64", "f32", "f64", []uint64{0x380fffffefffffff}, 0x800000},
		// Positions from 64 on, and lengths.
		{"bfe.u64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x3f, 0x8}, 0x1},
		{"bfe.u64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x40, 0x8}, 0x0},
		{"bfe.u64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0xc8, 0x8}, 0x0},
		{"bfe.u64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0xff, 0xff}, 0x0},
		{"bfe.u64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x8, 0xff}, 0xf23456789abcde},
		{"bfe.u64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x40, 0x0}, 0x0},
		{"bfe.s64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x3f, 0x8}, 0xffffffffffffffff},
		{"bfe.s64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x40, 0x8}, 0xffffffffffffffff},
		{"bfe.s64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0xc8, 0x8}, 0xffffffffffffffff},
		{"bfe.s64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0xff, 0xff}, 0xffffffffffffffff},
		{"bfe.s64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x8, 0xff}, 0xfff23456789abcde},
		{"bfe.s64", "u64", "u64 u32 u32", []uint64{0xf23456789abcdef1, 0x40, 0x0}, 0x0},
		{"bfi.b64", "u64", "u64 u64 u32 u32", []uint64{0xf23456789abcdef1, 0x123456789abcdef0, 0x3f, 0x8}, 0x923456789abcdef0},
		{"bfi.b64", "u64", "u64 u64 u32 u32", []uint64{0xf23456789abcdef1, 0x123456789abcdef0, 0x40, 0x8}, 0x123456789abcdef0},
		{"bfi.b64", "u64", "u64 u64 u32 u32", []uint64{0xf23456789abcdef1, 0x123456789abcdef0, 0xc8, 0xff}, 0x123456789abcdef0},
		{"bfi.b64", "u64", "u64 u64 u32 u32", []uint64{0xf23456789abcdef1, 0x123456789abcdef0, 0x8, 0xff}, 0x3456789abcdef1f0},
		{"bfe.u32", "u32", "u32 u32 u32", []uint64{0xff, 0x1, 0x100}, 0x0},
		{"bfe.u32", "u32", "u32 u32 u32", []uint64{0xff, 0x100, 0x8}, 0xff},
		{"bfe.s32", "u32", "u32 u32 u32", []uint64{0xff, 0x12c, 0x12c}, 0x0},
		{"mul.rn.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x1ffff800}, 0x800000},
		{"mul.rn.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x9ffff800}, 0x80800000},
		{"mul.rz.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x1ffff800}, 0},
		{"mul.rm.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x1ffff800}, 0},
		{"mul.rm.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x9ffff800}, 0x80800000},
		{"mul.rp.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x1ffff800}, 0x800000},
		{"mul.rp.ftz.f32", "f32", "f32 f32", []uint64{0x20000400, 0x9ffff800}, 0x80000000},
		{"fma.rn.ftz.f32", "f32", "f32 f32 f32", []uint64{0x20000400, 0x1ffff800, 0}, 0x800000},
		{"fma.rz.ftz.f32", "f32", "f32 f32 f32", []uint64{0x20000400, 0x9ffff800, 0}, 0x80000000},
		{"fma.rp.ftz.f32", "f32", "f32 f32 f32", []uint64{0x20000400, 0x1ffff800, 0}, 0x800000},
		{"div.rn.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0x40000000}, 0},
		{"div.full.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0x40000000}, 0},
		{"div.approx.ftz.f32", "f32", "f32 f32", []uint64{0xffffff, 0x40000000}, 0},
		// Divisors beyond 2^126.
		{"div.approx.f32", "f32", "f32 f32", []uint64{0x5e800000, 0x7e800000}, 0x1f800000},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0x5e800000, 0x7e800001}, 0},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0xc3000000, 0x7f000000}, 0x80000000},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0xc3000000, 0xff7fffff}, 0},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0x7f800000, 0x7f7fffff}, 0x7fffffff},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0x7f800000, 0x7e800000}, 0x7f800000},
		{"div.approx.ftz.f32", "f32", "f32 f32", []uint64{0x5f800000, 0xfe800001}, 0x80000000},
		{"div.approx.ftz.f32", "f32", "f32 f32", []uint64{0xff800000, 0xff7fffff}, 0x7fffffff},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0x5e800000, 0x7f800000}, 0},
		{"div.approx.f32", "f32", "f32 f32", []uint64{0x7fc00001, 0x7f000000}, 0x7fffffff},
		{"div.full.f32", "f32", "f32 f32", []uint64{0x7f000000, 0x7f000000}, 0x3f800000},
		// The remainder by zero.
		{"rem.u16", "u16", "u16 u16", []uint64{7, 0}, 0xffff},
		{"rem.s16", "s16", "s16 s16", []uint64{0x8000, 0}, 0xffff},
		{"rem.u32", "u32", "u32 u32", []uint64{7, 0}, 0xffffffff},
		{"rem.s32", "s32", "s32 s32", []uint64{0x80001234, 0}, 0xffffffff},
		{"rem.u64", "u64", "u64 u64", []uint64{7, 0}, 0xffffffffffffffff},
		{"rem.s64", "s64", "s64 s64", []uint64{0, 0}, 0xffffffffffffffff},
	}
	for _, test := range tests {
		text, srcs := test.name+" $0", []ptx.Type(nil)
		for n, src := range strings.Fields(test.srcs) {
			text += ", $" + string(rune('1'+n))
			srcs = append(srcs, ptx.Type(src))
		}
		got := compute(t, text+";", ptx.Type(test.dst), srcs, [][]uint64{test.row})
		assert.Equal(t, test.want, got[0]&typeMask(ptx.Type(test.dst)), "%s of %#x: got %#x, want %#x", test.name, test.row, got[0], test.want)
	}
}

// TestAtomicNaNsOfTheH200: of two NaNs the added one wins on global memory, as it is, and the
// one in shared memory there, made quiet.
func TestAtomicNaNsOfTheH200(t *testing.T) {
	const global = "st.global.b64 [%a2], $1; red.global.add.f64 [%a2], $2; ld.global.f64 $0, [%a2];"
	const inShared = "{ .shared .align 8 .b8 sum[8]; st.shared.f64 [sum], $1; red.shared.add.f64 [sum], $2; ld.shared.f64 $0, [sum]; }"
	const a, b = 0xfff8000000000002, 0x7ff0000000000001
	for _, test := range []struct {
		text string
		row  []uint64
		want uint64
	}{
		{global, []uint64{a, b}, b},
		{global, []uint64{b, a}, a},
		{inShared, []uint64{a, b}, a},
		{inShared, []uint64{b, a}, b | simd.Quiet64},
	} {
		got := compute(t, test.text, "f64", []ptx.Type{"f64", "f64"}, [][]uint64{test.row})
		assert.Equal(t, test.want, got[0], "%s of %#x: got %#x, want %#x", test.text, test.row, got[0], test.want)
	}
}

// TestTestp: PTX ISA, Floating Point Instructions, testp: zeros are normal numbers, as a special case.
func TestTestp(t *testing.T) {
	classes := []string{"finite", "infinite", "number", "notanumber", "normal", "subnormal"}
	for _, test := range []struct {
		name     string
		f32, f64 uint64
		want     string
	}{
		{"0", 0, 0, "finite number normal"},
		{"-0", 1 << 31, 1 << 63, "finite number normal"},
		{"least", 1, 1, "finite number subnormal"},
		{"-subnormal", 0x807fffff, 0x800fffffffffffff, "finite number subnormal"},
		{"least normal", 0x00800000, 0x0010000000000000, "finite number normal"},
		{"-1", 0xbf800000, 0xbff0000000000000, "finite number normal"},
		{"-inf", 0xff800000, 0xfff0000000000000, "infinite number"},
		{"NaN", 0x7fc00000, 0x7ff8000000000000, "notanumber"},
		{"signalling", 0xff800001, 0xfff0000000000001, "notanumber"},
	} {
		for ty, value := range map[ptx.Type]uint64{"f32": test.f32, "f64": test.f64} {
			var is []string
			for _, class := range classes {
				text := "{ .reg .pred %p9; testp." + class + "." + string(ty) + " %p9, $1; selp.u32 $0, 1, 0, %p9; }"
				if compute(t, text, "u32", []ptx.Type{ty}, [][]uint64{{value}})[0] == 1 {
					is = append(is, class)
				}
			}
			assert.Equal(t, test.want, strings.Join(is, " "), "%s as %s", test.name, ty)
		}
	}
}
