package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Floating-Point Instructions with the rounding modes .rz, .rm and .rp: all those of
// f64, and div, rcp and sqrt of f32.
func DirectedForms() []bytecode.Form {
	var forms []bytecode.Form
	for name, mode := range map[string]softfloat.Rounding{"rz": softfloat.TowardZero, "rm": softfloat.Down, "rp": softfloat.Up} {
		forms = append(forms,
			bytecode.Form{Pattern: "add." + name + ".f64", Assemble: directed64(softfloat.Sum64, simd.AddF64, 2, mode)},
			bytecode.Form{Pattern: "sub." + name + ".f64", Assemble: directed64(softfloat.Difference64, simd.SubF64, 2, mode)},
			bytecode.Form{Pattern: "mul." + name + ".f64", Assemble: directed64(softfloat.Product64, simd.MulF64, 2, mode)},
			bytecode.Form{Pattern: "fma|mad." + name + ".f64", Assemble: directed64(softfloat.Fused64, simd.FmaF64, 3, mode)},
			bytecode.Form{Pattern: "div." + name + ".f64", Assemble: directed64(softfloat.Quotient64, simd.DivF64, 2, mode)},
			bytecode.Form{Pattern: "rcp." + name + ".f64", Assemble: directed64(softfloat.Reciprocal64, rcpF64, 1, mode)},
			bytecode.Form{Pattern: "sqrt." + name + ".f64", Assemble: directed64(softfloat.Root64, simd.SqrtF64, 1, mode)},
			bytecode.Form{Pattern: "mad." + name + ".ftz?.sat?.f32", Assemble: flushingForms(bytecode.TernaryOp(fmaDirected(mode), "f32"), exactFMA, mode)},
			bytecode.Form{Pattern: "div." + name + ".ftz?.f32", Assemble: flushingForms(bytecode.BinaryOp(lanewise32(func(a, b, _ float64) float32 { return softfloat.Quotient32(a, b, mode) }), "f32"), nearlyQuotient, mode)},
			bytecode.Form{Pattern: "rcp." + name + ".ftz?.f32", Assemble: flushingForms(bytecode.UnaryOp(lanewise32(func(a, _, _ float64) float32 { return softfloat.Quotient32(1, a, mode) }), "f32"), nearlyReciprocal, mode)},
			bytecode.Form{Pattern: "sqrt." + name + ".ftz?.f32", Assemble: bytecode.UnaryOp(lanewise32(func(a, _, _ float64) float32 { return softfloat.Root32(a, mode) }), "f32")})
	}
	return forms
}

// directed64 makes the assembler of an operation on f64 rounded by mode, from the function that
// rounds it to nearest.
func directed64(o softfloat.Operation64, nearest simd.Func, sources int, mode softfloat.Rounding) bytecode.Assembler {
	srcs := []ptx.Type{"f64", "f64", "f64"}[:sources]
	return bytecode.Alu(func(d, a, b, c *simd.Lanes) {
		var r simd.Lanes
		nearest(&r, a, b, c)
		for l := range d {
			v := [3]float64{simd.F64(a[l])}
			if sources > 1 {
				v[1] = simd.F64(b[l])
			}
			if sources > 2 {
				v[2] = simd.F64(c[l])
			}
			d[l] = o.Rounded(r[l], v, mode)
		}
	}, "f64", srcs...)
}
