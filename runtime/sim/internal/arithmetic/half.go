package arithmetic

import (
	"math"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Half Precision Floating-Point Instructions, and the f16 and bf16 forms of
// Floating-Point Instructions. The packed types compute each half by itself.
func HalfForms() []bytecode.Form {
	var forms []bytecode.Form
	for _, f := range []*softfloat.Format{softfloat.F16, softfloat.BF16} {
		types, ftz, sat := "f16|f16x2", ".ftz?", ".sat?"
		if f == softfloat.BF16 {
			types, ftz, sat = "bf16|bf16x2", "", ""
		}
		forms = append(forms,
			bytecode.Form{Pattern: "add.rn?" + ftz + sat + "." + types, Assemble: roundedHalf(f, 2, f.Sum)},
			bytecode.Form{Pattern: "sub.rn?" + ftz + sat + "." + types, Assemble: roundedHalf(f, 2, f.Difference)},
			bytecode.Form{Pattern: "mul.rn?" + ftz + sat + "." + types, Assemble: roundedHalf(f, 2, f.Product)},
			bytecode.Form{Pattern: "fma.rn" + ftz + sat + "." + types, Assemble: roundedHalf(f, 3, f.Fused)},
			bytecode.Form{Pattern: "fma.rn" + ftz + ".relu." + types, Assemble: roundedHalf(f, 3, f.Fused)},
			bytecode.Form{Pattern: "neg" + ftz + "." + types, Assemble: half1(f, func(a uint64) uint64 { return f.Canonical(a ^ f.Sign()) })},
			bytecode.Form{Pattern: "abs" + ftz + "." + types, Assemble: half1(f, func(a uint64) uint64 { return f.Canonical(a &^ f.Sign()) })},
			bytecode.Form{Pattern: "min" + ftz + ".NaN?." + types, Assemble: half2(f, f.Min)},
			bytecode.Form{Pattern: "max" + ftz + ".NaN?." + types, Assemble: half2(f, f.Max)},
			bytecode.Form{Pattern: "min" + ftz + ".NaN?.xorsign.abs." + types, Assemble: half2(f, f.Min)},
			bytecode.Form{Pattern: "max" + ftz + ".NaN?.xorsign.abs." + types, Assemble: half2(f, f.Max)},
			bytecode.Form{Pattern: "tanh.approx." + types, Assemble: half1(f, approximated(f, math.Tanh))})
	}
	return append(forms,
		bytecode.Form{Pattern: "ex2.approx.f16|f16x2", Assemble: half1(softfloat.F16, approximated(softfloat.F16, math.Exp2))},
		bytecode.Form{Pattern: "ex2.approx.ftz.bf16|bf16x2", Assemble: half1(softfloat.BF16, approximated(softfloat.BF16, math.Exp2))})
}

// approximated computes in double precision and rounds.
func approximated(f *softfloat.Format, fn func(float64) float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return f.Round(fn(f.Value(a)), softfloat.Nearest) }
}

func half1(f *softfloat.Format, fn func(a uint64) uint64) bytecode.Assembler {
	return halves(f, 1, func(a, _, _ uint64) uint64 { return fn(a) })
}

func half2(f *softfloat.Format, fn func(a, b uint64) uint64) bytecode.Assembler {
	return halves(f, 2, func(a, b, _ uint64) uint64 { return fn(a, b) })
}

// roundedHalf makes the assembler of an instruction that rounds an exact result.
func roundedHalf(f *softfloat.Format, sources int, exact func(a, b, c uint64) float64) bytecode.Assembler {
	gradual := halves(f, sources, func(a, b, c uint64) uint64 { return f.Round(exact(a, b, c), softfloat.Nearest) })
	flushed := halves(f, sources, func(a, b, c uint64) uint64 {
		x := exact(a, b, c)
		r := f.Round(x, softfloat.Nearest)
		if f.IsTiny(x) {
			return r & f.Sign()
		}
		return r
	})
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		if bytecode.Has(in, "ftz") {
			return flushed(d, in)
		}
		return gradual(d, in)
	}
}

// halves makes the assembler of an instruction that computes a value of format f, or two of
// them in a packed register, from others.
func halves(f *softfloat.Format, sources int, fn func(a, b, c uint64) uint64) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		t := bytecode.LastType(in)
		one := modified(f, in, fn)
		i := bytecode.Instr{Op: bytecode.OpLanes, Fn: lanesOf16(one)}
		if t.Size() == 4 {
			i.Fn = lanesOf16x2(one)
		}
		if d.Operands(in, 1+sources) {
			i.Dst = d.NumberDst(in.Args[0], t)
			for n := range sources {
				*[]*int32{&i.A, &i.B, &i.C}[n] = d.NumberSrc(in.Args[n+1], t)
			}
		}
		return i
	}
}

func lanesOf16(fn func(a, b, c uint64) uint64) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			d[l] = fn(a[l]&0xffff, b[l]&0xffff, c[l]&0xffff)
		}
	}
}

func lanesOf16x2(fn func(a, b, c uint64) uint64) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			x, y, z := a[l], b[l], c[l]
			d[l] = fn(x&0xffff, y&0xffff, z&0xffff) | fn(x>>16&0xffff, y>>16&0xffff, z>>16&0xffff)<<16
		}
	}
}

// modified is fn with what the modifiers of in ask for.
func modified(f *softfloat.Format, in *ptx.Instr, fn func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	if bytecode.Has(in, "xorsign") {
		unsigned := fn
		fn = func(a, b, c uint64) uint64 {
			r := unsigned(a&^f.Sign(), b&^f.Sign(), c)
			if f.IsNaN(r) {
				return f.NaN
			}
			return r&^f.Sign() | (a^b)&f.Sign()
		}
	}
	if bytecode.Has(in, "NaN") {
		number := fn
		fn = func(a, b, c uint64) uint64 {
			if f.IsNaN(a) || f.IsNaN(b) {
				return f.NaN
			}
			return number(a, b, c)
		}
	}
	if bytecode.Has(in, "ftz") {
		gradual := fn
		fn = func(a, b, c uint64) uint64 { return f.Flush(gradual(f.Flush(a), f.Flush(b), f.Flush(c))) }
	}
	if bytecode.Has(in, "sat") {
		free := fn
		fn = func(a, b, c uint64) uint64 { return f.Clamp(free(a, b, c)) }
	}
	if bytecode.Has(in, "relu") {
		free := fn
		fn = func(a, b, c uint64) uint64 { return f.ReLU(free(a, b, c)) }
	}
	return fn
}
