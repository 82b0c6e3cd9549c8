package interp

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
)

var bigModes = map[string]big.RoundingMode{"rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}

// roundedTo rounds x, which is not zero, to a format of so many bits of precision by exact
// arithmetic: subnormal numbers have fewer.
func roundedTo(x *big.Float, precision, least, greatest int, mode big.RoundingMode) float64 {
	exponent := x.MantExp(nil) // x = m * 2^exponent, 0.5 <= m < 1
	bits := min(precision, exponent-least)
	if bits <= 0 { // less than the least number: it, or nothing
		up := mode == big.ToPositiveInf && x.Sign() > 0 || mode == big.ToNegativeInf && x.Sign() < 0
		r := 0.0
		if up {
			r = math.Ldexp(1, least)
		}
		return math.Copysign(r, float64(x.Sign()))
	}
	r := new(big.Float).SetMode(mode).SetPrec(uint(bits)).Set(x)
	if r.MantExp(nil) > greatest {
		if mode == big.ToPositiveInf && x.Sign() > 0 || mode == big.ToNegativeInf && x.Sign() < 0 {
			return math.Inf(x.Sign())
		}
		largest := new(big.Float).SetMantExp(big.NewFloat(1), greatest)
		largest.Sub(largest, new(big.Float).SetMantExp(big.NewFloat(1), greatest-precision))
		f, _ := largest.Float64()
		return math.Copysign(f, float64(x.Sign()))
	}
	f, _ := r.Float64()
	return f
}

// TestDirectedForms holds every operation with .rz, .rm and .rp to exact arithmetic.
func TestDirectedForms(t *testing.T) {
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(4600).SetFloat64(v) }
	operations := map[string]func(x, y, z float64) *big.Float{
		"add": func(x, y, _ float64) *big.Float { return exact(0).Add(exact(x), exact(y)) },
		"sub": func(x, y, _ float64) *big.Float { return exact(0).Sub(exact(x), exact(y)) },
		"mul": func(x, y, _ float64) *big.Float { return exact(0).Mul(exact(x), exact(y)) },
		"fma": func(x, y, z float64) *big.Float {
			p := exact(0).Mul(exact(x), exact(y))
			return p.Add(p, exact(z))
		},
		"div":  func(x, y, _ float64) *big.Float { return exact(0).Quo(exact(x), exact(y)) },
		"rcp":  func(x, _, _ float64) *big.Float { return exact(0).Quo(exact(1), exact(x)) },
		"sqrt": func(x, _, _ float64) *big.Float { return exact(0).Sqrt(exact(x)) },
	}
	sources := map[string]int{"add": 2, "sub": 2, "mul": 2, "fma": 3, "div": 2, "rcp": 1, "sqrt": 1}
	for op, f := range operations {
		for name, mode := range bigModes {
			for _, ty := range []ptx.Type{"f32", "f64"} {
				text := op + "." + name + "." + string(ty) + " $0"
				var types []ptx.Type
				for n := range sources[op] {
					text += ", $" + string(rune('1'+n))
					types = append(types, ty)
				}
				all := rows(sources[op])
				if len(all) > 20000 {
					all = all[:20000]
				}
				precision, least, greatest := 53, -1074, 1024
				if ty == "f32" {
					precision, least, greatest = 24, -149, 128
				}
				compared := 0
				for n, got := range compute(t, text+";", ty, types, all) {
					v := [3]float64{}
					usual := true
					for i, bits := range all[n] {
						v[i] = arithmetic.Float(ty)(bits)
						usual = usual && !math.IsNaN(v[i]) && !math.IsInf(v[i], 0)
					}
					if !usual || op == "div" && v[1] == 0 || op == "rcp" && v[0] == 0 || op == "sqrt" && v[0] < 0 {
						continue
					}
					want := f(v[0], v[1], v[2])
					if want.Sign() == 0 {
						continue
					}
					compared++
					r := roundedTo(want, precision, least, greatest, mode)
					bits := math.Float64bits(r)
					if ty == "f32" {
						bits = uint64(math.Float32bits(float32(r)))
					}
					if bits != got&typeMask(ty) {
						t.Fatalf("%s of %#x: got %#x, want %#x", text, all[n], got&typeMask(ty), bits)
					}
				}
				assert.Greater(t, compared, 20, text)
			}
		}
	}
	// Zeros and infinities.
	for _, test := range []struct {
		text string
		row  []uint64
		want uint64
	}{
		{"add.rm.f64 $0, $1, $2;", []uint64{0x3ff0000000000000, 0xbff0000000000000}, 1 << 63},
		{"add.rm.f64 $0, $1, $2;", []uint64{0, 0}, 0},
		{"add.rp.f64 $0, $1, $2;", []uint64{0x3ff0000000000000, 0xbff0000000000000}, 0},
		{"sub.rm.f64 $0, $1, $2;", []uint64{0, 0}, 1 << 63},
		{"mul.rm.f64 $0, $1, $2;", []uint64{0, 0x3ff0000000000000}, 0},
		{"div.rz.f64 $0, $1, $2;", []uint64{0x3ff0000000000000, 0}, 0x7ff0000000000000},
		{"div.rp.f64 $0, $1, $2;", []uint64{0x3ff0000000000000, 0x7ff0000000000000}, 0},
		{"mul.rz.f64 $0, $1, $2;", []uint64{0x7ff0000000000000, 0xbff0000000000000}, 0xfff0000000000000},
	} {
		got := compute(t, test.text, "f64", []ptx.Type{"f64", "f64"}, [][]uint64{test.row})
		assert.Equal(t, test.want, got[0], "%s of %#x: got %#x", test.text, test.row, got[0])
	}
}

// TestNarrowConversions: modifiers, packs and formats beside rounding, which TestRoundingOfFormats is about.
func TestNarrowConversions(t *testing.T) {
	for _, test := range []struct {
		text string
		srcs []ptx.Type
		row  []uint64
		want uint64
	}{
		{"{ .reg .b16 h; cvt.rm.f16.f32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f32"}, []uint64{0xbf800001}, 0xbc01},
		{"{ .reg .b16 h; cvt.rz.sat.f16.f32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f32"}, []uint64{0x40000000}, 0x3c00},
		{"{ .reg .b16 h; cvt.rn.relu.bf16.f32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f32"}, []uint64{0xc0000000}, 0},
		{"{ .reg .b16 h; cvt.rn.satfinite.f16.f32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f32"}, []uint64{0xff800000}, 0xfbff},
		{"{ .reg .b16 h; cvt.rp.ftz.f16.f32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f32"}, []uint64{1}, 1},
		{"{ .reg .b16 h; cvt.rp.f16.f32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f32"}, []uint64{1}, 1},
		{"{ .reg .b16 h; cvt.rn.f16.u32 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"u32"}, []uint64{2049}, 0x6800},
		{"{ .reg .b16 h; cvt.rp.bf16.s64 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"s64"}, []uint64{0x0100000000000001}, 0x5b81},
		{"{ .reg .b16 h; cvt.rn.f16.f64 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"f64"}, []uint64{0x3ff0020000000001}, 0x3c01},
		{"{ .reg .b16 h; mov.b32 {h, _}, $1; cvt.rni.s32.f16 $0, h; }", []ptx.Type{"b32"}, []uint64{0xc100}, 0xfffffffe},
		{"{ .reg .b16 h; mov.b32 {h, _}, $1; cvt.rzi.sat.u32.f16 $0, h; }", []ptx.Type{"b32"}, []uint64{0xc100}, 0},
		{"{ .reg .b16 h; mov.b32 {h, _}, $1; cvt.rpi.f16.f16 h, h; cvt.u32.u16 $0, h; }", []ptx.Type{"b32"}, []uint64{0x3e01}, 0x4000},
		{"{ .reg .b16 h; .reg .f32 f; mov.b32 {h, _}, $1; cvt.f32.bf16 f, h; mov.b32 $0, f; }", []ptx.Type{"b32"}, []uint64{0x7f81}, 0x7f810000},
		{"{ .reg .b16 h; .reg .f32 f; mov.b32 {h, _}, $1; cvt.sat.f32.f16 f, h; mov.b32 $0, f; }", []ptx.Type{"b32"}, []uint64{0x7e00}, 0},
		{"cvt.rn.f16x2.f32 $0, $1, $2;", []ptx.Type{"f32", "f32"}, []uint64{0x3f800000, 0x40000000}, 0x3c004000},
		{"cvt.rz.relu.bf16x2.f32 $0, $1, $2;", []ptx.Type{"f32", "f32"}, []uint64{0xbf800000, 0x40000000}, 0x4000},
		{"cvt.rna.tf32.f32 $0, $1;", []ptx.Type{"f32"}, []uint64{0x3f801000}, 0x3f802000},
		{"cvt.rn.tf32.f32 $0, $1;", []ptx.Type{"f32"}, []uint64{0x3f801000}, 0x3f800000},
		{"cvt.rna.tf32.f32 $0, $1;", []ptx.Type{"f32"}, []uint64{0xffc00001}, 0xffc00000},
		{"{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, $1, $2; cvt.u32.u16 $0, h; }", []ptx.Type{"f32", "f32"}, []uint64{0x3f800000, 0xc47a0000}, 0x38fe},
		{"{ .reg .b16 h; cvt.rn.satfinite.e5m2x2.f16x2 h, $1; cvt.u32.u16 $0, h; }", []ptx.Type{"b32"}, []uint64{0x3c00_7c00}, 0x3c7b},
		{"{ .reg .b16 h; mov.b32 {h, _}, $1; cvt.rn.f16x2.e4m3x2 $0, h; }", []ptx.Type{"b32"}, []uint64{0x387f}, 0x3c007fff},
		{"cvt.pack.sat.s16.s32 $0, $1, $2;", []ptx.Type{"s32", "s32"}, []uint64{100000, 0xfffffffe}, 0x7ffffffe},
		{"cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;", []ptx.Type{"s32", "s32", "b32"}, []uint64{300, 0xfffffffe, 0x1234}, 0x1234ff00},
		{"cvt.pack.sat.s4.s32.b32 $0, $1, $2, $3;", []ptx.Type{"s32", "s32", "b32"}, []uint64{300, 0xfffffffe, 0x123456}, 0x1234567e},
	} {
		got := compute(t, test.text, "b32", test.srcs, [][]uint64{test.row})
		assert.Equal(t, test.want, got[0]&(1<<32-1), "%s of %#x: got %#x", test.text, test.row, got[0]&(1<<32-1))
	}
}
