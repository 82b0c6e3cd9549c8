package interp

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// halfRows are all pairs of some values of f in the lower half, and others above them.
func halfRows(f *softfloat.Format) (rows [][]uint64) {
	some := []uint64{0, 1, 2, 0x3ff, 0x400, 0x401, f.One(), f.One() + 1, f.Infinity - 1, f.Infinity - 2, f.Infinity, f.Infinity + 1, f.NaN, 0x3555, 0x1234, 0x5640}
	for _, x := range some {
		some = append(some, x|f.Sign())
	}
	for n, x := range some {
		for k, y := range some {
			z := some[(n*7+k*3)%len(some)]
			rows = append(rows, []uint64{x | y<<16, y | z<<16, z | x<<16})
		}
	}
	return rows
}

// exactly rounds the exact result of an operation on values of f, by math/big.
func exactlyHalf(f *softfloat.Format, op string, v []uint64) uint64 {
	x, y := f.Value(v[0]), f.Value(v[1])
	z := 0.0
	switch op {
	case "sub":
		y = -y
	case "fma":
		z = f.Value(v[2])
	}
	plain := x + y
	switch op {
	case "mul":
		plain = x * y
	case "fma":
		plain = x*y + z
	}
	if math.IsNaN(plain) || math.IsInf(plain, 0) || plain == 0 {
		return f.Round(plain, softfloat.Nearest)
	}
	a, b, c := new(big.Float).SetPrec(4000).SetFloat64(x), new(big.Float).SetPrec(4000).SetFloat64(y), new(big.Float).SetPrec(4000).SetFloat64(z)
	if op == "mul" || op == "fma" {
		a.Mul(a, b).Add(a, c)
	} else {
		a.Add(a, b)
	}
	// Rounded to odd by hand.
	odd := new(big.Float).SetPrec(52).SetMode(big.ToZero).Set(a)
	r, _ := odd.Float64()
	if odd.Cmp(a) != 0 {
		r = math.Float64frombits(math.Float64bits(r) | 1)
	}
	return f.Round(r, softfloat.Nearest)
}

// TestHalfArithmetic holds add, sub, mul and fma of f16 and bf16, single and packed, to exact arithmetic.
func TestHalfArithmetic(t *testing.T) {
	for _, ty := range []ptx.Type{"f16", "bf16"} {
		f := bytecode.Formats[ty]
		all := halfRows(f)
		for op, text := range map[string]string{"add": "add.rn.T $0, $1, $2;", "sub": "sub.T $0, $1, $2;", "mul": "mul.rn.T $0, $1, $2;", "fma": "fma.rn.T $0, $1, $2, $3;"} {
			single := compute(t, replaced(text, "T", string(ty)), "b16", []ptx.Type{"b16", "b16", "b16"}, all)
			packed := compute(t, replaced(text, "T", string(ty)+"x2"), "b32", []ptx.Type{"b32", "b32", "b32"}, all)
			for n, row := range all {
				low := []uint64{row[0] & 0xffff, row[1] & 0xffff, row[2] & 0xffff}
				want := exactlyHalf(f, op, low)
				require.Equal(t, want, single[n]&0xffff, "%s %#x", text, low)
				high := exactlyHalf(f, op, []uint64{row[0] >> 16, row[1] >> 16, row[2] >> 16})
				require.Equal(t, want|high<<16, packed[n]&0xffffffff, "%s %#x", text, row)
			}
		}
	}
}

func TestHalfModifiers(t *testing.T) {
	b16 := []ptx.Type{"b16", "b16", "b16"}
	const nan, inf = 0x7fff, 0x7c00
	for _, test := range []struct {
		text string
		row  []uint64
		want uint64
	}{
		{"add.sat.f16 $0, $1, $2;", []uint64{0x3c00, 0x3c00}, 0x3c00},
		{"add.sat.f16 $0, $1, $2;", []uint64{0xbc00, 0x0001}, 0},
		{"add.sat.f16 $0, $1, $2;", []uint64{0x7e00, 0}, 0},
		{"add.ftz.f16 $0, $1, $2;", []uint64{0x03ff, 0x8000}, 0},
		{"mul.ftz.f16 $0, $1, $2;", []uint64{0x8400, 0x3800}, 0x8000},
		{"fma.rn.relu.f16 $0, $1, $2, $3;", []uint64{0xbc00, 0x3c00, 0}, 0},
		{"fma.rn.relu.f16 $0, $1, $2, $3;", []uint64{0xfe01, 0x3c00, 0}, nan},
		{"max.f16 $0, $1, $2;", []uint64{0x8000, 0}, 0},
		{"min.f16 $0, $1, $2;", []uint64{0, 0x8000}, 0x8000},
		{"min.f16 $0, $1, $2;", []uint64{0x7e00, 0x4000}, 0x4000},
		{"min.NaN.f16 $0, $1, $2;", []uint64{0x7e00, 0x4000}, nan},
		{"max.xorsign.abs.f16 $0, $1, $2;", []uint64{0xc000, 0x3c00}, 0xc000},
		{"min.NaN.xorsign.abs.bf16 $0, $1, $2;", []uint64{0xc000, 0xbf80}, 0x3f80},
		{"neg.f16 $0, $1;", []uint64{0x0001}, 0x8001},
		{"abs.bf16 $0, $1;", []uint64{0x8001}, 1},
		{"abs.ftz.f16 $0, $1;", []uint64{0x83ff}, 0},
		{"ex2.approx.f16 $0, $1;", []uint64{0x4400}, 0x4c00},
		{"tanh.approx.bf16 $0, $1;", []uint64{0x7f80}, 0x3f80},
		{"add.f16 $0, $1, $2;", []uint64{inf, 0xfc00}, nan},
	} {
		got := compute(t, test.text, "b16", b16, [][]uint64{append(test.row, 0, 0)[:3]})
		assert.Equal(t, test.want, got[0]&0xffff, "%s %#x: got %#x", test.text, test.row, got[0]&0xffff)
	}
}

// TestHalfComparisons: setp and set of f16 and bf16, single and packed.
func TestHalfComparisons(t *testing.T) {
	b32 := []ptx.Type{"b32", "b32"}
	const one = 0x3c00
	for _, test := range []struct {
		text string
		a, b uint64
		want uint64
	}{
		{"set.lt.f16x2.f16x2 $0, $1, $2;", 0x3c004000, 0x40003c00, one << 16},
		{"set.equ.f16x2.f16x2 $0, $1, $2;", 0x7e00_0000, 0x0000_8000, one<<16 | one},
		{"set.eq.bf16x2.bf16x2 $0, $1, $2;", 0x3f80_0000, 0x3f80_0001, 0x3f80_0000},
		{"{ .reg .pred p, q; setp.lt.f16x2 p|q, $1, $2; selp.u32 $0, 1, 0, p; @q add.u32 $0, $0, 2; }", 0x3c004000, 0x40003c00, 2},
		{"{ .reg .pred p, q; setp.eq.u32 p, 0, 0; setp.ge.and.bf16x2 p|q, $1, $2, p; selp.u32 $0, 1, 0, p; @q add.u32 $0, $0, 2; }", 0x3f80_4000, 0x3f80_4000, 3},
		{"{ .reg .b16 x, y; mov.b32 {x, y}, $1; set.gt.u32.f16 $0, x, y; }", 0x3c00_4000, 0, 0xffffffff},
		{"{ .reg .b16 x, y, z; mov.b32 {x, y}, $1; set.ne.f16.f16 z, x, y; mov.b32 $0, {z, z}; }", 0x3c00_4000, 0, one<<16 | one},
		{"{ .reg .b16 x, y; .reg .pred p; mov.b32 {x, y}, $1; setp.eq.ftz.f16 p, x, y; selp.u32 $0, 1, 0, p; }", 0x03ff_0001, 0, 1},
	} {
		got := compute(t, test.text, "b32", b32, [][]uint64{{test.a, test.b}})
		assert.Equal(t, test.want, got[0]&0xffffffff, "%s: got %#x", test.text, got[0]&0xffffffff)
	}
}
