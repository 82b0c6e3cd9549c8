package arithmetic

import (
	"math"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Floating-Point Instructions.
//
// What is named .approx or .full is inside of the error that the ISA allows, with the special
// values of an H200, but not bit by bit as there: approx32.go.
func FloatForms() []bytecode.Form {
	forms := []bytecode.Form{
		{Pattern: "add.rn?.ftz?.sat?.f32", Assemble: bytecode.BinaryOp(simd.Fast.AddF32, "f32")},
		{Pattern: "add.rn?.f64", Assemble: bytecode.BinaryOp(simd.Fast.AddF64, "f64")},
		{Pattern: "sub.rn?.ftz?.sat?.f32", Assemble: bytecode.BinaryOp(simd.Fast.SubF32, "f32")},
		{Pattern: "sub.rn?.f64", Assemble: bytecode.BinaryOp(simd.Fast.SubF64, "f64")},
		{Pattern: "mul.rn?.ftz?.sat?.f32", Assemble: flushingForms(bytecode.BinaryOp(simd.Fast.MulF32, "f32"), exactProduct, softfloat.Nearest)},
		{Pattern: "mul.rn?.f64", Assemble: bytecode.BinaryOp(simd.Fast.MulF64, "f64")},
		{Pattern: "fma.rn.ftz?.sat?.f32", Assemble: flushingForms(bytecode.TernaryOp(simd.Fast.FmaF32, "f32"), exactFMA, softfloat.Nearest)},
		{Pattern: "fma.rn.f64", Assemble: bytecode.TernaryOp(simd.Fast.FmaF64, "f64")},
		{Pattern: "mad.rn.ftz?.sat?.f32", Assemble: flushingForms(bytecode.TernaryOp(simd.Fast.FmaF32, "f32"), exactFMA, softfloat.Nearest)},
		{Pattern: "mad.rn.f64", Assemble: bytecode.TernaryOp(simd.Fast.FmaF64, "f64")},
		{Pattern: "div.rn.ftz?.f32", Assemble: flushingForms(bytecode.BinaryOp(simd.Fast.DivF32, "f32"), nearlyQuotient, softfloat.Nearest)},
		{Pattern: "div.rn.f64", Assemble: bytecode.BinaryOp(simd.Fast.DivF64, "f64")},
		{Pattern: "div.full.ftz?.f32", Assemble: flushingForms(bytecode.BinaryOp(divFullF32, "f32"), nearlyQuotient, softfloat.Nearest)},
		{Pattern: "div.approx.ftz?.f32", Assemble: flushingForms(bytecode.BinaryOp(divApproxF32, "f32"), nearlyQuotient, softfloat.Nearest)},
		{Pattern: "rcp.rn.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.RcpF32, "f32")},
		{Pattern: "rcp.rn.f64", Assemble: bytecode.UnaryOp(rcpF64, "f64")},
		{Pattern: "rcp.approx.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.RcpF32, "f32")},
		{Pattern: "sqrt.rn.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.SqrtF32, "f32")},
		{Pattern: "sqrt.rn.f64", Assemble: bytecode.UnaryOp(simd.Fast.SqrtF64, "f64")},
		{Pattern: "sqrt.approx.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.SqrtF32, "f32")},
		{Pattern: "rsqrt.approx.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.RsqrtF32, "f32")},
		{Pattern: "sin.approx.ftz?.f32", Assemble: bytecode.UnaryOp(ofRevolution(math.Sin), "f32")},
		{Pattern: "cos.approx.ftz?.f32", Assemble: bytecode.UnaryOp(ofRevolution(math.Cos), "f32")},
		{Pattern: "lg2.approx.ftz?.f32", Assemble: bytecode.UnaryOp(approx(math.Log2), "f32")},
		{Pattern: "ex2.approx.ftz?.f32", Assemble: bytecode.UnaryOp(ex2ApproxF32, "f32")},
		{Pattern: "tanh.approx.f32", Assemble: bytecode.UnaryOp(approx(math.Tanh), "f32")},
		{Pattern: "abs.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.AbsF32, "f32")},
		{Pattern: "abs.f64", Assemble: bytecode.UnaryOp(absF64, "f64")},
		{Pattern: "neg.ftz?.f32", Assemble: bytecode.UnaryOp(simd.Fast.NegF32, "f32")},
		{Pattern: "neg.f64", Assemble: bytecode.UnaryOp(negF64, "f64")},
		{Pattern: "copysign.f32", Assemble: bytecode.BinaryOp(copysign(1<<31), "f32")},
		{Pattern: "copysign.f64", Assemble: bytecode.BinaryOp(copysign(1<<63), "f64")},
		{Pattern: "min.ftz?.f32", Assemble: orThree(bytecode.BinaryOp(simd.Fast.MinF32, "f32"), simd.MinF32)},
		{Pattern: "min.f64", Assemble: bytecode.BinaryOp(extremeF64(false), "f64")},
		{Pattern: "max.ftz?.f32", Assemble: orThree(bytecode.BinaryOp(simd.Fast.MaxF32, "f32"), simd.MaxF32)},
		{Pattern: "max.f64", Assemble: bytecode.BinaryOp(extremeF64(true), "f64")},
		{Pattern: "min.ftz?.NaN.f32", Assemble: orThree(bytecode.BinaryOp(nanWins(simd.MinF32), "f32"), simd.MinF32)},
		{Pattern: "max.ftz?.NaN.f32", Assemble: orThree(bytecode.BinaryOp(nanWins(simd.MaxF32), "f32"), simd.MaxF32)},
		{Pattern: "min.ftz?.xorsign.abs.f32", Assemble: bytecode.BinaryOp(xorsign(simd.MinF32), "f32")},
		{Pattern: "max.ftz?.xorsign.abs.f32", Assemble: bytecode.BinaryOp(xorsign(simd.MaxF32), "f32")},
		{Pattern: "min.ftz?.NaN.xorsign.abs.f32", Assemble: bytecode.BinaryOp(nanWins(xorsign(simd.MinF32)), "f32")},
		{Pattern: "max.ftz?.NaN.xorsign.abs.f32", Assemble: bytecode.BinaryOp(nanWins(xorsign(simd.MaxF32)), "f32")},
		{Pattern: "testp.finite|infinite|number|notanumber|normal|subnormal.f32|f64", Assemble: assembleTestp},
	}
	for name, mode := range map[string]softfloat.Rounding{"rz": softfloat.TowardZero, "rm": softfloat.Down, "rp": softfloat.Up} {
		forms = append(forms,
			bytecode.Form{Pattern: "add." + name + ".ftz?.sat?.f32", Assemble: bytecode.BinaryOp(addDirected(mode), "f32")},
			bytecode.Form{Pattern: "sub." + name + ".ftz?.sat?.f32", Assemble: bytecode.BinaryOp(subDirected(mode), "f32")},
			bytecode.Form{Pattern: "mul." + name + ".ftz?.sat?.f32", Assemble: flushingForms(bytecode.BinaryOp(mulDirected(mode), "f32"), exactProduct, mode)},
			bytecode.Form{Pattern: "fma." + name + ".ftz?.sat?.f32", Assemble: flushingForms(bytecode.TernaryOp(fmaDirected(mode), "f32"), exactFMA, mode)})
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
	return lanewise32(func(a, b, _ float64) float32 { return softfloat.Sum32(a, b, mode) })
}

func subDirected(mode softfloat.Rounding) simd.Func {
	return lanewise32(func(a, b, _ float64) float32 { return softfloat.Sum32(a, -b, mode) })
}

func mulDirected(mode softfloat.Rounding) simd.Func {
	return lanewise32(func(a, b, _ float64) float32 { return softfloat.Round32(a*b, 0, mode) })
}

func fmaDirected(mode softfloat.Rounding) simd.Func {
	return lanewise32(func(a, b, c float64) float32 { return softfloat.Sum32(a*b, c, mode) })
}

// approx computes in double precision and rounds.
func approx(fn func(float64) float64) simd.Func {
	return lanewise32(func(a, _, _ float64) float32 { return float32(fn(a)) })
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

// copysign gives b the sign of a.
func copysign(sign uint64) simd.Func {
	return lanewise(func(a, b, _ uint64) uint64 { return a&sign | b&^sign })
}

// extremeF64 is min or max.
func extremeF64(greatest bool) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			switch {
			case simd.IsNaN64(a[l]) && simd.IsNaN64(b[l]):
				d[l] = b[l] | simd.Quiet64
			case simd.IsNaN64(a[l]):
				d[l] = b[l]
			case simd.IsNaN64(b[l]):
				d[l] = a[l]
			case greatest:
				d[l] = math.Float64bits(max(simd.F64(a[l]), simd.F64(b[l])))
			default:
				d[l] = math.Float64bits(min(simd.F64(a[l]), simd.F64(b[l])))
			}
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

// Saturate clamps f32 values to [0, 1]; NaN becomes +0.
func Saturate(d *simd.Lanes) {
	for l := range d {
		switch x := simd.F32(d[l]); {
		case !(x > 0):
			d[l] = 0
		case x > 1:
			d[l] = uint64(math.Float32bits(1))
		}
	}
}
