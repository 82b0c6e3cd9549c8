package sim

import (
	"math"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Floating-Point Instructions.
//
// What is named .approx or .full is inside of the error that the ISA allows, with the special
// values of an H200, but not bit by bit as there: approx32.go.
func floatForms() []form {
	forms := []form{
		{"add.rn?.ftz?.sat?.f32", binaryOp(simd.Fast.AddF32, "f32")},
		{"add.rn?.f64", binaryOp(simd.Fast.AddF64, "f64")},
		{"sub.rn?.ftz?.sat?.f32", binaryOp(simd.Fast.SubF32, "f32")},
		{"sub.rn?.f64", binaryOp(simd.Fast.SubF64, "f64")},
		{"mul.rn?.ftz?.sat?.f32", binaryOp(simd.Fast.MulF32, "f32").flushing(exactProduct, softfloat.Nearest)},
		{"mul.rn?.f64", binaryOp(simd.Fast.MulF64, "f64")},
		{"fma.rn.ftz?.sat?.f32", ternaryOp(simd.Fast.FmaF32, "f32").flushing(exactFMA, softfloat.Nearest)},
		{"fma.rn.f64", ternaryOp(simd.Fast.FmaF64, "f64")},
		{"mad.rn.ftz?.sat?.f32", ternaryOp(simd.Fast.FmaF32, "f32").flushing(exactFMA, softfloat.Nearest)},
		{"mad.rn.f64", ternaryOp(simd.Fast.FmaF64, "f64")},
		{"div.rn.ftz?.f32", binaryOp(simd.Fast.DivF32, "f32").flushing(nearlyQuotient, softfloat.Nearest)},
		{"div.rn.f64", binaryOp(simd.Fast.DivF64, "f64")},
		{"div.full.ftz?.f32", binaryOp(divFullF32, "f32").flushing(nearlyQuotient, softfloat.Nearest)},
		{"div.approx.ftz?.f32", binaryOp(divApproxF32, "f32").flushing(nearlyQuotient, softfloat.Nearest)},
		{"rcp.rn.ftz?.f32", unaryOp(simd.Fast.RcpF32, "f32")},
		{"rcp.rn.f64", unaryOp(rcpF64, "f64")},
		{"rcp.approx.ftz?.f32", unaryOp(simd.Fast.RcpF32, "f32")},
		{"sqrt.rn.ftz?.f32", unaryOp(simd.Fast.SqrtF32, "f32")},
		{"sqrt.rn.f64", unaryOp(simd.Fast.SqrtF64, "f64")},
		{"sqrt.approx.ftz?.f32", unaryOp(simd.Fast.SqrtF32, "f32")},
		{"rsqrt.approx.ftz?.f32", unaryOp(simd.Fast.RsqrtF32, "f32")},
		{"sin.approx.ftz?.f32", unaryOp(ofRevolution(math.Sin), "f32")},
		{"cos.approx.ftz?.f32", unaryOp(ofRevolution(math.Cos), "f32")},
		{"lg2.approx.ftz?.f32", unaryOp(approx(math.Log2), "f32")},
		{"ex2.approx.ftz?.f32", unaryOp(ex2ApproxF32, "f32")},
		{"tanh.approx.f32", unaryOp(approx(math.Tanh), "f32")},
		{"abs.ftz?.f32", unaryOp(simd.Fast.AbsF32, "f32")},
		{"abs.f64", unaryOp(absF64, "f64")},
		{"neg.ftz?.f32", unaryOp(simd.Fast.NegF32, "f32")},
		{"neg.f64", unaryOp(negF64, "f64")},
		{"copysign.f32", binaryOp(copysignF32, "f32")},
		{"copysign.f64", binaryOp(copysignF64, "f64")},
		{"min.ftz?.f32", orThree(binaryOp(simd.Fast.MinF32, "f32"), simd.MinF32)},
		{"min.f64", binaryOp(minF64, "f64")},
		{"max.ftz?.f32", orThree(binaryOp(simd.Fast.MaxF32, "f32"), simd.MaxF32)},
		{"max.f64", binaryOp(maxF64, "f64")},
		{"min.ftz?.NaN.f32", orThree(binaryOp(nanWins(simd.MinF32), "f32"), simd.MinF32)},
		{"max.ftz?.NaN.f32", orThree(binaryOp(nanWins(simd.MaxF32), "f32"), simd.MaxF32)},
		{"min.ftz?.xorsign.abs.f32", binaryOp(xorsign(simd.MinF32), "f32")},
		{"max.ftz?.xorsign.abs.f32", binaryOp(xorsign(simd.MaxF32), "f32")},
		{"min.ftz?.NaN.xorsign.abs.f32", binaryOp(nanWins(xorsign(simd.MinF32)), "f32")},
		{"max.ftz?.NaN.xorsign.abs.f32", binaryOp(nanWins(xorsign(simd.MaxF32)), "f32")},
		{"testp.finite|infinite|number|notanumber|normal|subnormal.f32|f64", assembleTestp},
	}
	for name, mode := range map[string]softfloat.Rounding{"rz": softfloat.TowardZero, "rm": softfloat.Down, "rp": softfloat.Up} {
		forms = append(forms,
			form{"add." + name + ".ftz?.sat?.f32", binaryOp(addDirected(mode), "f32")},
			form{"sub." + name + ".ftz?.sat?.f32", binaryOp(subDirected(mode), "f32")},
			form{"mul." + name + ".ftz?.sat?.f32", binaryOp(mulDirected(mode), "f32").flushing(exactProduct, mode)},
			form{"fma." + name + ".ftz?.sat?.f32", ternaryOp(fmaDirected(mode), "f32").flushing(exactFMA, mode)})
	}
	return forms
}

// divApproxF32 multiplies by the reciprocal of the divisor, which is zero beyond 2^126.
//
// PTX ISA, Floating-Point Instructions: div.
func divApproxF32(d, a, b, _ *simd.Lanes) {
	const limit = 0x7e800000 // 2^126
	for l := range d {
		x, y := simd.F32(a[l]), simd.F32(b[l])
		if size := uint32(b[l]) &^ (1 << 31); size > limit && size < 0x7f800000 {
			y = float32(math.Copysign(0, float64(y)))
			d[l] = simd.Bits32(x * y)
		} else {
			d[l] = simd.Bits32(x / y)
		}
	}
}

func addDirected(mode softfloat.Rounding) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			d[l] = simd.Bits32(softfloat.Sum32(float64(simd.F32(a[l])), float64(simd.F32(b[l])), mode))
		}
	}
}

func subDirected(mode softfloat.Rounding) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			d[l] = simd.Bits32(softfloat.Sum32(float64(simd.F32(a[l])), -float64(simd.F32(b[l])), mode))
		}
	}
}

func mulDirected(mode softfloat.Rounding) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			d[l] = simd.Bits32(softfloat.Round32(float64(simd.F32(a[l]))*float64(simd.F32(b[l])), 0, mode))
		}
	}
}

func fmaDirected(mode softfloat.Rounding) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			p := float64(simd.F32(a[l])) * float64(simd.F32(b[l]))
			d[l] = simd.Bits32(softfloat.Sum32(p, float64(simd.F32(c[l])), mode))
		}
	}
}

// approx computes in double precision and rounds.
func approx(fn func(float64) float64) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			d[l] = simd.Bits32(float32(fn(float64(simd.F32(a[l])))))
		}
	}
}

func rcpF64(d, a, _, _ *simd.Lanes) {
	for l := range d {
		x := simd.F64(a[l])
		d[l] = simd.Bits64(1/x, x, 0, 0)
	}
}

func absF64(d, a, _, _ *simd.Lanes) {
	for l := range d {
		if simd.IsNaN64(a[l]) {
			d[l] = a[l] | simd.Quiet64
		} else {
			d[l] = a[l] &^ (1 << 63)
		}
	}
}

func negF64(d, a, _, _ *simd.Lanes) {
	for l := range d {
		if simd.IsNaN64(a[l]) {
			d[l] = a[l] | simd.Quiet64
		} else {
			d[l] = a[l] ^ 1<<63
		}
	}
}

// copysignF32 gives b the sign of a.
func copysignF32(d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l] = a[l]&(1<<31) | b[l]&^(1<<31)
	}
}

func copysignF64(d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l] = a[l]&(1<<63) | b[l]&^(1<<63)
	}
}

func minF64(d, a, b, _ *simd.Lanes) {
	for l := range d {
		switch {
		case simd.IsNaN64(a[l]) && simd.IsNaN64(b[l]):
			d[l] = b[l] | simd.Quiet64
		case simd.IsNaN64(a[l]):
			d[l] = b[l]
		case simd.IsNaN64(b[l]):
			d[l] = a[l]
		default:
			d[l] = math.Float64bits(min(simd.F64(a[l]), simd.F64(b[l])))
		}
	}
}

func maxF64(d, a, b, _ *simd.Lanes) {
	for l := range d {
		switch {
		case simd.IsNaN64(a[l]) && simd.IsNaN64(b[l]):
			d[l] = b[l] | simd.Quiet64
		case simd.IsNaN64(a[l]):
			d[l] = b[l]
		case simd.IsNaN64(b[l]):
			d[l] = a[l]
		default:
			d[l] = math.Float64bits(max(simd.F64(a[l]), simd.F64(b[l])))
		}
	}
}

// nanWins makes the .NaN form of an f32 min or max.
func nanWins(fn simd.Func) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		var r simd.Lanes
		fn(&r, a, b, nil)
		for l := range d {
			if simd.IsNaN32(a[l]) || simd.IsNaN32(b[l]) {
				r[l] = simd.Nan32
			}
		}
		*d = r
	}
}

// xorsign makes the .xorsign.abs form of an f32 min or max: that of the absolute values, with
// the product of the signs.
func xorsign(fn simd.Func) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		var x, y, r simd.Lanes
		for l := range d {
			x[l], y[l] = a[l]&^(1<<31), b[l]&^(1<<31)
		}
		fn(&r, &x, &y, nil)
		for l := range d {
			if d[l] = r[l]&^(1<<31) | (a[l]^b[l])&(1<<31); simd.IsNaN32(r[l]) {
				d[l] = simd.Nan32
			}
		}
	}
}

// adjusted executes an f32 instruction with .ftz or .sat.
func (w *warp) adjusted(in *instr, e uint32) {
	a, b, c := &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	if in.flush {
		flushed(&w.flushA, a)
		flushed(&w.flushB, b)
		flushed(&w.flushC, c)
		a, b, c = &w.flushA, &w.flushB, &w.flushC
	}
	in.fn(&w.result, a, b, c)
	if in.flush {
		flushed(&w.result, &w.result)
	}
	if in.sat {
		saturate(&w.result)
	}
	blend(&w.regs[in.dst], &w.result, e)
}

// saturate clamps f32 values to [0, 1]; NaN becomes +0.
func saturate(d *simd.Lanes) {
	for l := range d {
		switch x := simd.F32(d[l]); {
		case !(x > 0):
			d[l] = 0
		case x > 1:
			d[l] = uint64(math.Float32bits(1))
		}
	}
}
