package interp

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

const ptxHeader = ".version 8.0\n.target sm_90\n.address_size 64\n"

// values are edge values of every width, of integers and of both float formats.
var values = []uint64{
	0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, math.MaxUint64,
	0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
	0x4b000001, 0x33800000, 0x34000000, 0x4f000000, 0xcf000000, 0x5f000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
	0x3ff0000000000000, 0xbff0000000000000, 0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000123, 0x7ff0000000000001, 0x3fe0000000000000, 0x41dfffffffc00000, 0x43e0000000000000, 0xc3e0000000000000, 0x36a0000000000000,
	0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x123456789abcdef0, 0xdeadbeefcafebabe,
}

// compute runs one instruction on rows of operands and returns the destinations.
// srcs are the types of the sources; the destination has type dst. text has $0 for
// the destination and $1… for the sources.
func compute(t *testing.T, text string, dst ptx.Type, srcs []ptx.Type, rows [][]uint64) []uint64 {
	t.Helper()
	return computeAs(t, ptxHeader, text, dst, srcs, rows)
}

// computeAs is compute in a module with a header.
func computeAs(t *testing.T, header, text string, dst ptx.Type, srcs []ptx.Type, rows [][]uint64) []uint64 {
	t.Helper()
	m := newMachine(t, header+computeKernel(text, dst, srcs))
	in, out := make([]uint64, 4*len(rows)), make([]uint64, len(rows))
	for n, row := range rows {
		copy(in[4*n:], row)
	}
	addr := m.upload(out)
	_, fault := m.launch("k", config(uint32(len(rows)+63)/64, 64, 0), m.upload(in), addr, uint32(len(rows)))
	require.Nil(t, fault)
	m.download(addr, out)
	return out
}

// computeKernel is the kernel that compute runs.
func computeKernel(text string, dst ptx.Type, srcs []ptx.Type) string {
	reg := func(n int, t ptx.Type) string { return fmt.Sprintf("%%v%d_%d", n, t.Size()) }
	var b strings.Builder
	b.WriteString(".entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n.reg .b64 %a<4>; .reg .u32 %i<6>; .reg .pred %p<3>;\n")
	types := append([]ptx.Type{dst}, srcs...)
	for n, ty := range types {
		fmt.Fprintf(&b, ".reg .%s %s;\n", ty, reg(n, ty))
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", n), reg(n, ty))
	}
	b.WriteString(`ld.param.u64 %a1, [in]; ld.param.u64 %a2, [out]; ld.param.u32 %i5, [n];
mov.u32 %i1, %ctaid.x; mov.u32 %i2, %ntid.x; mov.u32 %i3, %tid.x; mad.lo.u32 %i4, %i1, %i2, %i3;
setp.ge.u32 %p1, %i4, %i5; @%p1 exit;
mad.wide.u32 %a1, %i4, 32, %a1; mad.wide.u32 %a2, %i4, 8, %a2;
`)
	for n, ty := range srcs {
		fmt.Fprintf(&b, "ld.global.b%d %s, [%%a1+%d];\n", 8*ty.Size(), reg(n+1, ty), 8*n)
	}
	fmt.Fprintf(&b, "%s\nst.global.b%d [%%a2], %s;\nret; }\n", text, 8*dst.Size(), reg(0, dst))
	return b.String()
}

// rows returns all tuples of n of the values, or for n of 3 a good part of them.
func rows(n int) (all [][]uint64) {
	for _, x := range values {
		if n == 1 {
			all = append(all, []uint64{x})
			continue
		}
		for k, y := range values {
			if n == 2 {
				all = append(all, []uint64{x, y})
				continue
			}
			for z := k % 5; z < len(values); z += 5 {
				all = append(all, []uint64{x, y, values[z]})
			}
		}
	}
	return all
}

// An oracle computes an instruction from the definition in the ISA.
type oracle struct {
	text string
	dst  ptx.Type
	srcs []ptx.Type
	want func(v []uint64) uint64
}

func (o oracle) check(t *testing.T) {
	t.Helper()
	all := rows(len(o.srcs))
	got := compute(t, o.text, o.dst, o.srcs, all)
	mask := typeMask(o.dst)
	for n, row := range all {
		want := o.want(row) & mask
		if got[n]&mask != want {
			t.Fatalf("%s of %#x = %#x, want %#x", o.text, row, got[n]&mask, want)
		}
	}
}

// exact reads the low bits of v as an integer of type t.
func exact(v uint64, t ptx.Type) *big.Int {
	v &= typeMask(t)
	x := new(big.Int).SetUint64(v)
	if bytecode.IsSigned(t) && v>>(8*t.Size()-1) != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*t.Size())))
	}
	return x
}

// low returns the low 64 bits of x in two's complement.
func low(x *big.Int) uint64 {
	return new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func TestIntegerArithmetic(t *testing.T) {
	ops := map[string]func(x, y *big.Int, t ptx.Type) *big.Int{
		"add":    func(x, y *big.Int, _ ptx.Type) *big.Int { return new(big.Int).Add(x, y) },
		"sub":    func(x, y *big.Int, _ ptx.Type) *big.Int { return new(big.Int).Sub(x, y) },
		"mul.lo": func(x, y *big.Int, _ ptx.Type) *big.Int { return new(big.Int).Mul(x, y) },
		"mul.hi": func(x, y *big.Int, t ptx.Type) *big.Int {
			return new(big.Int).Rsh(new(big.Int).Mul(x, y), uint(8*t.Size()))
		},
		"min": func(x, y *big.Int, _ ptx.Type) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		},
		"max": func(x, y *big.Int, _ ptx.Type) *big.Int {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		},
		"div": func(x, y *big.Int, _ ptx.Type) *big.Int {
			if y.Sign() == 0 {
				return big.NewInt(-1)
			}
			return new(big.Int).Quo(x, y)
		},
		"rem": func(x, y *big.Int, _ ptx.Type) *big.Int {
			if y.Sign() == 0 {
				return big.NewInt(-1)
			}
			return new(big.Int).Rem(x, y)
		},
	}
	for name, f := range ops {
		for _, ty := range []ptx.Type{"u16", "s16", "u32", "s32", "u64", "s64"} {
			t.Run(name+"."+string(ty), func(t *testing.T) {
				oracle{name + "." + string(ty) + " $0, $1, $2;", ty, []ptx.Type{ty, ty}, func(v []uint64) uint64 {
					return low(f(exact(v[0], ty), exact(v[1], ty), ty))
				}}.check(t)
			})
		}
	}
	wide := map[ptx.Type]ptx.Type{"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
	for ty, to := range wide {
		oracle{"mul.wide." + string(ty) + " $0, $1, $2;", to, []ptx.Type{ty, ty}, func(v []uint64) uint64 {
			return low(new(big.Int).Mul(exact(v[0], ty), exact(v[1], ty)))
		}}.check(t)
		oracle{"mad.wide." + string(ty) + " $0, $1, $2, $3;", to, []ptx.Type{ty, ty, to}, func(v []uint64) uint64 {
			return low(new(big.Int).Mul(exact(v[0], ty), exact(v[1], ty))) + v[2]
		}}.check(t)
	}
	for _, ty := range []ptx.Type{"u32", "s32", "u64", "s64"} {
		oracle{"mad.lo." + string(ty) + " $0, $1, $2, $3;", ty, []ptx.Type{ty, ty, ty}, func(v []uint64) uint64 { return v[0]*v[1] + v[2] }}.check(t)
		oracle{"mad.hi." + string(ty) + " $0, $1, $2, $3;", ty, []ptx.Type{ty, ty, ty}, func(v []uint64) uint64 {
			return low(new(big.Int).Rsh(new(big.Int).Mul(exact(v[0], ty), exact(v[1], ty)), uint(8*ty.Size()))) + v[2]
		}}.check(t)
		oracle{"sad." + string(ty) + " $0, $1, $2, $3;", ty, []ptx.Type{ty, ty, ty}, func(v []uint64) uint64 {
			return low(new(big.Int).Abs(new(big.Int).Sub(exact(v[0], ty), exact(v[1], ty)))) + v[2]
		}}.check(t)
	}
	for _, ty := range []ptx.Type{"s16", "s32", "s64"} {
		oracle{"abs." + string(ty) + " $0, $1;", ty, []ptx.Type{ty}, func(v []uint64) uint64 { return low(new(big.Int).Abs(exact(v[0], ty))) }}.check(t)
		oracle{"neg." + string(ty) + " $0, $1;", ty, []ptx.Type{ty}, func(v []uint64) uint64 { return -v[0] }}.check(t)
	}
	oracle{"add.sat.s32 $0, $1, $2;", "s32", []ptx.Type{"s32", "s32"}, func(v []uint64) uint64 {
		return uint64(min(max(int64(int32(v[0]))+int64(int32(v[1])), math.MinInt32), math.MaxInt32))
	}}.check(t)
}

func TestCarry(t *testing.T) {
	// A 128-bit sum, difference and product of two 64-bit halves.
	oracle{"add.cc.u64 $0, $1, $2; addc.u64 $0, $3, 0;", "u64", []ptx.Type{"u64", "u64", "u64"}, func(v []uint64) uint64 {
		_, carry := bits.Add64(v[0], v[1], 0)
		return v[2] + carry
	}}.check(t)
	oracle{"sub.cc.u32 $0, $1, $2; subc.u32 $0, $3, 0;", "u32", []ptx.Type{"u32", "u32", "u32"}, func(v []uint64) uint64 {
		_, borrow := bits.Sub32(uint32(v[0]), uint32(v[1]), 0)
		return v[2] - uint64(borrow)
	}}.check(t)
	// Sums and differences have one flag: a difference sets it where nothing is borrowed.
	oracle{"sub.cc.u32 $0, $1, $2; addc.u32 $0, $3, 0;", "u32", []ptx.Type{"u32", "u32", "u32"}, func(v []uint64) uint64 {
		_, borrow := bits.Sub32(uint32(v[0]), uint32(v[1]), 0)
		return v[2] + 1 - uint64(borrow)
	}}.check(t)
	oracle{"sub.cc.u64 $0, $1, $2; madc.lo.u64 $0, $3, 3, 0;", "u64", []ptx.Type{"u64", "u64", "u64"}, func(v []uint64) uint64 {
		_, borrow := bits.Sub64(v[0], v[1], 0)
		return 3*v[2] + 1 - borrow
	}}.check(t)
	oracle{"add.cc.u64 $0, $1, $2; subc.u64 $0, $3, 5;", "u64", []ptx.Type{"u64", "u64", "u64"}, func(v []uint64) uint64 {
		_, carry := bits.Add64(v[0], v[1], 0)
		return v[2] - 5 - 1 + carry
	}}.check(t)
	oracle{"sub.cc.u64 $0, $1, $2; subc.cc.u64 $0, $3, 5; addc.u64 $0, 0, 0;", "u64", []ptx.Type{"u64", "u64", "u64"}, func(v []uint64) uint64 {
		_, borrow := bits.Sub64(v[0], v[1], 0)
		_, borrow = bits.Sub64(v[2], 5, borrow)
		return 1 - borrow
	}}.check(t)
	oracle{"mad.lo.cc.u32 $0, $1, $2, $3; madc.hi.u32 $0, $1, $2, 7;", "u32", []ptx.Type{"u32", "u32", "u32"}, func(v []uint64) uint64 {
		return (uint64(uint32(v[0]))*uint64(uint32(v[1]))+uint64(uint32(v[2])))>>32 + 7
	}}.check(t)
}

func TestBits(t *testing.T) {
	u32 := func(v []uint64, n int) uint32 { return uint32(v[n]) }
	tests := []oracle{
		{"popc.b32 $0, $1;", "u32", []ptx.Type{"b32"}, func(v []uint64) uint64 { return uint64(bits.OnesCount32(u32(v, 0))) }},
		{"clz.b32 $0, $1;", "u32", []ptx.Type{"b32"}, func(v []uint64) uint64 { return uint64(bits.LeadingZeros32(u32(v, 0))) }},
		{"clz.b64 $0, $1;", "u32", []ptx.Type{"b64"}, func(v []uint64) uint64 { return uint64(bits.LeadingZeros64(v[0])) }},
		{"brev.b32 $0, $1;", "b32", []ptx.Type{"b32"}, func(v []uint64) uint64 { return uint64(bits.Reverse32(u32(v, 0))) }},
		{"lop3.b32 $0, $1, $2, $3, 0x1b;", "b32", []ptx.Type{"b32", "b32", "b32"}, func(v []uint64) (r uint64) {
			for n := range 32 {
				index := v[0]>>n&1<<2 | v[1]>>n&1<<1 | v[2]>>n&1
				r |= 0x1b >> index & 1 << n
			}
			return r
		}},
		{"shl.b32 $0, $1, $2;", "b32", []ptx.Type{"b32", "u32"}, func(v []uint64) uint64 { return uint64(u32(v, 0) << u32(v, 1)) }},
		{"shr.s16 $0, $1, $2;", "s16", []ptx.Type{"s16", "u32"}, func(v []uint64) uint64 { return uint64(int16(v[0]) >> u32(v, 1)) }},
		{"shr.u64 $0, $1, $2;", "u64", []ptx.Type{"u64", "u32"}, func(v []uint64) uint64 { return v[0] >> u32(v, 1) }},
		{"shf.l.wrap.b32 $0, $1, $2, $3;", "b32", []ptx.Type{"b32", "b32", "u32"}, func(v []uint64) uint64 {
			n := u32(v, 2) & 31
			return uint64(u32(v, 1)<<n | u32(v, 0)>>(32-n))
		}},
		{"shf.r.clamp.b32 $0, $1, $2, $3;", "b32", []ptx.Type{"b32", "b32", "u32"}, func(v []uint64) uint64 {
			n := min(u32(v, 2), 32)
			return uint64(u32(v, 1)<<(32-n) | u32(v, 0)>>n)
		}},
		{"bfind.s32 $0, $1;", "u32", []ptx.Type{"s32"}, func(v []uint64) uint64 {
			x := int32(v[0])
			for n := 31; n >= 0; n-- {
				if x>>n&1 != x>>31&1 {
					return uint64(n)
				}
			}
			return 0xffffffff
		}},
		{"cnot.b16 $0, $1;", "b16", []ptx.Type{"b16"}, func(v []uint64) uint64 { return uint64(simd.Bit(uint16(v[0]) == 0)) }},
	}
	for _, size := range []int{32, 64} {
		for _, sign := range []string{"u", "s"} {
			ty := ptx.Type(fmt.Sprint(sign, size))
			tests = append(tests, oracle{"bfe." + string(ty) + " $0, $1, $2, $3;", ty, []ptx.Type{ty, "u32", "u32"}, func(v []uint64) (r uint64) {
				pos, length := int(uint8(v[1])), int(uint8(v[2]))
				if size == 64 {
					pos, length = int(uint32(v[1])), int(uint32(v[2]))
				}
				sbit := uint64(0)
				if sign == "s" && length > 0 {
					sbit = v[0] >> min(pos+length-1, size-1) & 1
				}
				for n := range size {
					b := sbit
					if n < length && pos+n < size {
						b = v[0] >> (pos + n) & 1
					}
					r |= b << n
				}
				return r
			}})
		}
		ty := ptx.Type(fmt.Sprint("b", size))
		tests = append(tests, oracle{fmt.Sprintf("bfi.b%d $0, $1, $2, 5, $3;", size), ty, []ptx.Type{ty, ty, "u32"}, func(v []uint64) uint64 {
			r := v[1]
			length := int(uint8(v[2]))
			if size == 64 {
				length = int(min(uint32(v[2]), 64))
			}
			for n := range length {
				if 5+n < size {
					r = r&^(1<<(5+n)) | v[0]>>n&1<<(5+n)
				}
			}
			return r
		}})
	}
	for _, test := range tests {
		t.Run(test.text, test.check)
	}
	got := compute(t, "prmt.b32 $0, $1, $2, 0x5bf0;", "b32", []ptx.Type{"b32", "b32"}, [][]uint64{{0x83820100, 0x77766554}})
	assert.Equal(t, uint64(0x65ff0000), got[0]&0xffffffff)
}

// rounded computes with enough precision to be exact and rounds once.
func rounded(t ptx.Type, f func(x []*big.Float) *big.Float, v []uint64) (uint64, bool) {
	var x []*big.Float
	for _, bits := range v {
		d := arithmetic.Float(t)(bits)
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return 0, false
		}
		x = append(x, new(big.Float).SetPrec(4500).SetFloat64(d))
	}
	r := f(x)
	if r == nil || r.Sign() == 0 {
		return 0, false
	}
	if t == "f32" {
		s, _ := r.Float32()
		return uint64(math.Float32bits(s)), true
	}
	d, _ := r.Float64()
	return math.Float64bits(d), true
}

func TestFloatingPoint(t *testing.T) {
	wide := func() *big.Float { return new(big.Float).SetPrec(4500) }
	ops := []struct {
		op      string
		sources int
		exact   func(x []*big.Float) *big.Float
		host    func(x, y, z float64) float64
	}{
		{"add.f", 2, func(x []*big.Float) *big.Float { return wide().Add(x[0], x[1]) }, func(x, y, _ float64) float64 { return x + y }},
		{"sub.rn.f", 2, func(x []*big.Float) *big.Float { return wide().Sub(x[0], x[1]) }, func(x, y, _ float64) float64 { return x - y }},
		{"mul.f", 2, func(x []*big.Float) *big.Float { return wide().Mul(x[0], x[1]) }, func(x, y, _ float64) float64 { return x * y }},
		{"fma.rn.f", 3, func(x []*big.Float) *big.Float { return wide().Add(wide().Mul(x[0], x[1]), x[2]) }, math.FMA},
		{"div.rn.f", 2, func(x []*big.Float) *big.Float {
			if x[1].Sign() == 0 {
				return nil
			}
			return wide().Quo(x[0], x[1])
		}, func(x, y, _ float64) float64 { return x / y }},
		{"sqrt.rn.f", 1, func(x []*big.Float) *big.Float {
			if x[0].Sign() <= 0 {
				return nil
			}
			return new(big.Float).SetPrec(300).Sqrt(x[0])
		}, func(x, _, _ float64) float64 { return math.Sqrt(x) }},
		{"rcp.rn.f", 1, func(x []*big.Float) *big.Float {
			if x[0].Sign() == 0 {
				return nil
			}
			return wide().Quo(big.NewFloat(1), x[0])
		}, func(x, _, _ float64) float64 { return 1 / x }},
	}
	for _, op := range ops {
		for _, ty := range []ptx.Type{"f32", "f64"} {
			name := op.op + string(ty[1:])
			t.Run(name, func(t *testing.T) {
				text := name + " $0, $1, $2, $3;"
				text = text[:len(name)+3+4*op.sources] + ";"
				srcs := []ptx.Type{ty, ty, ty}[:op.sources]
				oracle{text, ty, srcs, func(v []uint64) uint64 {
					if want, ok := rounded(ty, op.exact, v[:op.sources]); ok {
						return want
					}
					x := [3]float64{}
					for n := range op.sources {
						x[n] = arithmetic.Float(ty)(v[n])
					}
					r := op.host(x[0], x[1], x[2])
					if ty == "f32" {
						return simd.Bits32(float32(r))
					}
					if math.IsNaN(r) && op.op == "div.rn.f" {
						return softfloat.NaN64(x[0], x[1], 0)
					}
					if math.IsNaN(r) {
						return softfloat.NaN64(x[1], x[2], x[0])
					}
					return math.Float64bits(r)
				}}.check(t)
			})
		}
	}
}

// TestFMA32DoubleRounding has sums that rounding through double precision gets wrong.
func TestFMA32DoubleRounding(t *testing.T) {
	x, y, z := float32(1+0x1p-12), float32(1+0x1p-12), float32(0x1p-60)
	naive := float32(float64(x)*float64(y) + float64(z))
	want, ok := rounded("f32", func(v []*big.Float) *big.Float {
		return new(big.Float).SetPrec(500).Add(new(big.Float).SetPrec(500).Mul(v[0], v[1]), v[2])
	}, []uint64{uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z))})
	require.True(t, ok)
	assert.Equal(t, uint32(want), math.Float32bits(simd.Fma32(x, y, z)))
	assert.NotEqual(t, uint32(want), math.Float32bits(naive), "the control: two roundings differ")
}

func TestDirectedRounding(t *testing.T) {
	for name, mode := range map[string]big.RoundingMode{"rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf} {
		for _, row := range rows(2) {
			x, y := simd.F32(row[0]), simd.F32(row[1])
			if x != x || y != y || math.IsInf(float64(x), 0) || math.IsInf(float64(y), 0) {
				continue
			}
			for _, product := range []bool{true, false} {
				e := new(big.Float).SetPrec(600)
				got := float32(0)
				if product {
					e.Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
					got = softfloat.Round32(float64(x)*float64(y), 0, arithmetic.Modes[name])
				} else {
					e.Add(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
					got = softfloat.Sum32(float64(x), float64(y), arithmetic.Modes[name])
				}
				if e.Sign() == 0 {
					continue
				}
				// The neighbours of a correctly rounded value bracket the exact one.
				r := new(big.Float).SetPrec(600)
				if math.IsInf(float64(got), 0) {
					continue
				}
				r.SetFloat64(float64(got))
				above := math.Nextafter32(got, float32(math.Inf(1)))
				below := math.Nextafter32(got, float32(math.Inf(-1)))
				switch down := mode == big.ToNegativeInf || mode == big.ToZero && e.Sign() > 0; {
				case down:
					assert.True(t, r.Cmp(e) <= 0 && (math.IsInf(float64(above), 0) || big.NewFloat(float64(above)).Cmp(e) > 0), "%s %v %v = %v", name, x, y, got)
				default:
					assert.True(t, r.Cmp(e) >= 0 && (math.IsInf(float64(below), 0) || big.NewFloat(float64(below)).Cmp(e) < 0), "%s %v %v = %v", name, x, y, got)
				}
			}
		}
	}
}

func TestMinMaxAndModifiers(t *testing.T) {
	f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	nan, zero, minusZero, tiny := uint64(0x7fc00001), f(0), uint64(1<<31), uint64(1)
	tests := []struct {
		text string
		row  []uint64
		want uint64
	}{
		{"min.f32 $0, $1, $2;", []uint64{nan, f(2)}, f(2)},
		{"min.f32 $0, $1, $2;", []uint64{nan, nan}, simd.Nan32},
		{"min.f32 $0, $1, $2;", []uint64{zero, minusZero}, minusZero},
		{"max.f32 $0, $1, $2;", []uint64{minusZero, zero}, zero},
		{"max.NaN.f32 $0, $1, $2;", []uint64{nan, f(2)}, simd.Nan32},
		{"add.ftz.f32 $0, $1, $2;", []uint64{tiny, tiny}, zero},
		{"add.f32 $0, $1, $2;", []uint64{tiny, tiny}, 2},
		{"mul.ftz.f32 $0, $1, $2;", []uint64{0x80800000, f(0.5)}, minusZero},
		{"add.sat.f32 $0, $1, $2;", []uint64{f(3), f(2)}, f(1)},
		{"add.sat.f32 $0, $1, $2;", []uint64{nan, f(2)}, zero},
		{"add.sat.f32 $0, $1, $2;", []uint64{f(-3), f(2)}, zero},
		{"copysign.f32 $0, $1, $2;", []uint64{f(-3), f(2)}, f(-2)},
		{"div.approx.f32 $0, $1, $2;", []uint64{f(1), f(4)}, f(0.25)},
		{"set.gt.f32.f32 $0, $1, $2;", []uint64{f(1), f(4)}, 0},
		{"set.lt.f32.f32 $0, $1, $2;", []uint64{f(1), f(4)}, f(1)},
	}
	for _, test := range tests {
		got := compute(t, test.text, "f32", []ptx.Type{"f32", "f32"}, [][]uint64{test.row})
		assert.Equal(t, test.want, got[0]&0xffffffff, "%s %#x", test.text, test.row)
	}
}

func TestSetp(t *testing.T) {
	type compare func(c int, nan bool) bool
	ops := map[string]compare{
		"eq": func(c int, nan bool) bool { return !nan && c == 0 }, "ne": func(c int, nan bool) bool { return !nan && c != 0 },
		"lt": func(c int, nan bool) bool { return !nan && c < 0 }, "le": func(c int, nan bool) bool { return !nan && c <= 0 },
		"gt": func(c int, nan bool) bool { return !nan && c > 0 }, "ge": func(c int, nan bool) bool { return !nan && c >= 0 },
		"equ": func(c int, nan bool) bool { return nan || c == 0 }, "neu": func(c int, nan bool) bool { return nan || c != 0 },
		"ltu": func(c int, nan bool) bool { return nan || c < 0 }, "leu": func(c int, nan bool) bool { return nan || c <= 0 },
		"gtu": func(c int, nan bool) bool { return nan || c > 0 }, "geu": func(c int, nan bool) bool { return nan || c >= 0 },
		"num": func(_ int, nan bool) bool { return !nan }, "nan": func(_ int, nan bool) bool { return nan },
	}
	for name, f := range ops {
		for _, ty := range []ptx.Type{"u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"} {
			if !bytecode.IsFloat(ty) && len(name) > 2 {
				continue
			}
			text := fmt.Sprintf("setp.%s.%s %%p1|%%p2, $1, $2; selp.u32 $0, 1, 0, %%p1; @%%p2 add.u32 $0, $0, 2;", name, ty)
			oracle{text, "u32", []ptx.Type{ty, ty}, func(v []uint64) uint64 {
				holds := false
				if bytecode.IsFloat(ty) {
					x, y := arithmetic.Float(ty)(v[0]), arithmetic.Float(ty)(v[1])
					c := 0
					if x < y {
						c = -1
					} else if x > y {
						c = 1
					}
					holds = f(c, x != x || y != y)
				} else {
					holds = f(exact(v[0], ty).Cmp(exact(v[1], ty)), false)
				}
				if holds {
					return 1
				}
				return 2
			}}.check(t)
		}
	}
	got := compute(t, "setp.eq.s32 %p1, $1, 1; setp.eq.and.s32 %p2, $1, 2, !%p1; selp.u32 $0, 5, 6, %p2;", "u32", []ptx.Type{"s32"}, [][]uint64{{1}, {2}, {3}})
	assert.Equal(t, []uint64{6, 5, 6}, got)
}

func TestConvert(t *testing.T) {
	integers := []ptx.Type{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}
	reg := func(t ptx.Type) ptx.Type {
		if t.Size() == 1 {
			return "b16"
		}
		return t
	}
	clamp := func(x *big.Int, to ptx.Type) *big.Int {
		lowest, highest := arithmetic.Bounds(to)
		if l := big.NewInt(lowest); x.Cmp(l) < 0 {
			return l
		}
		if h := new(big.Int).SetUint64(highest); x.Cmp(h) > 0 {
			return h
		}
		return x
	}
	narrowing := map[ptx.Type][]ptx.Type{ // from which .sat may convert: ptxas refuses the others
		"u8": {"s8", "u16", "s16", "u32", "s32", "u64", "s64"}, "s8": {"u8", "u16", "s16", "u32", "s32", "u64", "s64"},
		"u16": {"s8", "s16", "u32", "s32", "u64", "s64"}, "s16": {"u16", "u32", "s32", "u64", "s64"},
		"u32": {"s8", "s16", "s32", "u64", "s64"}, "s32": {"u32", "u64", "s64"}, "u64": {"s8", "s16", "s32", "s64"}, "s64": {"u64"},
	}
	for _, from := range integers {
		for _, to := range integers {
			oracle{fmt.Sprintf("cvt.%s.%s $0, $1;", to, from), reg(to), []ptx.Type{reg(from)}, func(v []uint64) uint64 {
				return low(exact(low(exact(v[0], from)), to))
			}}.check(t)
			if !slices.Contains(narrowing[to], from) {
				continue
			}
			oracle{fmt.Sprintf("cvt.sat.%s.%s $0, $1;", to, from), reg(to), []ptx.Type{reg(from)}, func(v []uint64) uint64 {
				return low(clamp(exact(v[0], from), to))
			}}.check(t)
		}
		// The destination may be wider than the type: it is extended by the type's sign.
		oracle{fmt.Sprintf("cvt.%s.u64 $0, $1;", from), "u64", []ptx.Type{"u64"}, func(v []uint64) uint64 { return low(exact(v[0], from)) }}.check(t)
		for name, mode := range map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf} {
			oracle{fmt.Sprintf("cvt.%s.f32.%s $0, $1;", name, from), "f32", []ptx.Type{reg(from)}, func(v []uint64) uint64 {
				f, _ := new(big.Float).SetPrec(24).SetMode(mode).SetInt(exact(v[0], from)).Float32()
				return uint64(math.Float32bits(f))
			}}.check(t)
			oracle{fmt.Sprintf("cvt.%s.f64.%s $0, $1;", name, from), "f64", []ptx.Type{reg(from)}, func(v []uint64) uint64 {
				f, _ := new(big.Float).SetPrec(53).SetMode(mode).SetInt(exact(v[0], from)).Float64()
				return math.Float64bits(f)
			}}.check(t)
		}
		for name, round := range arithmetic.RoundInt {
			for _, f := range []ptx.Type{"f32", "f64"} {
				oracle{fmt.Sprintf("cvt.%s.%s.%s $0, $1;", name, from, f), reg(from), []ptx.Type{f}, func(v []uint64) uint64 {
					x := round(arithmetic.Float(f)(v[0]))
					switch {
					case x != x && (f == "f64" || from.Size() == 8):
						return low(exact(1<<(8*from.Size()-1), from))
					case x != x:
						return 0
					case math.IsInf(x, 1):
						x = 1e30
					case math.IsInf(x, -1):
						x = -1e30
					}
					n, _ := big.NewFloat(x).Int(nil)
					return low(clamp(n, from))
				}}.check(t)
			}
		}
	}
	oracle{"cvt.f64.f32 $0, $1;", "f64", []ptx.Type{"f32"}, func(v []uint64) uint64 { return arithmetic.Bits64Widened(simd.F32(v[0])) }}.check(t)
	oracle{"cvt.rn.f32.f64 $0, $1;", "f32", []ptx.Type{"f64"}, func(v []uint64) uint64 { return uint64(math.Float32bits(float32(simd.F64(v[0])))) }}.check(t)
	// Every half is itself again after a round trip.
	var halves [][]uint64
	for h := range uint64(1 << 16) {
		halves = append(halves, []uint64{h})
	}
	got := compute(t, "{ .reg .f32 %x; cvt.f32.f16 %x, $1; cvt.rn.f16.f32 $0, %x; }", "b16", []ptx.Type{"b16"}, halves)
	for h, back := range got {
		if h&0x7fff > 0x7c00 {
			assert.Equal(t, uint64(0x7fff), back&0xffff)
		} else if uint64(h) != back&0xffff {
			t.Fatalf("half %#x came back as %#x", h, back)
		}
	}
}
