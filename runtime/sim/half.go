package sim

import (
	"math"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Half Precision Floating-Point Instructions, and the f16 and bf16 forms of
// Floating-Point Instructions. The packed types compute each half by itself.
func halfForms() []form {
	var forms []form
	for _, f := range []*softfloat.Format{softfloat.F16, softfloat.BF16} {
		types, ftz, sat := "f16|f16x2", ".ftz?", ".sat?"
		if f == softfloat.BF16 {
			types, ftz, sat = "bf16|bf16x2", "", ""
		}
		forms = append(forms,
			form{"add.rn?" + ftz + sat + "." + types, roundedHalf(f, 2, f.Sum)},
			form{"sub.rn?" + ftz + sat + "." + types, roundedHalf(f, 2, f.Difference)},
			form{"mul.rn?" + ftz + sat + "." + types, roundedHalf(f, 2, f.Product)},
			form{"fma.rn" + ftz + sat + "." + types, roundedHalf(f, 3, f.Fused)},
			form{"fma.rn" + ftz + ".relu." + types, roundedHalf(f, 3, f.Fused)},
			form{"neg" + ftz + "." + types, half1(f, func(a uint64) uint64 { return f.Canonical(a ^ f.Sign()) })},
			form{"abs" + ftz + "." + types, half1(f, func(a uint64) uint64 { return f.Canonical(a &^ f.Sign()) })},
			form{"min" + ftz + ".NaN?." + types, half2(f, f.Min)},
			form{"max" + ftz + ".NaN?." + types, half2(f, f.Max)},
			form{"min" + ftz + ".NaN?.xorsign.abs." + types, half2(f, f.Min)},
			form{"max" + ftz + ".NaN?.xorsign.abs." + types, half2(f, f.Max)},
			form{"tanh.approx." + types, half1(f, approximated(f, math.Tanh))})
	}
	return append(forms,
		form{"ex2.approx.f16|f16x2", half1(softfloat.F16, approximated(softfloat.F16, math.Exp2))},
		form{"ex2.approx.ftz.bf16|bf16x2", half1(softfloat.BF16, approximated(softfloat.BF16, math.Exp2))})
}

// approximated computes in double precision and rounds.
func approximated(f *softfloat.Format, fn func(float64) float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return f.Round(fn(f.Value(a)), softfloat.Nearest) }
}

func half1(f *softfloat.Format, fn func(a uint64) uint64) assembler {
	return halves(f, 1, func(a, _, _ uint64) uint64 { return fn(a) })
}

func half2(f *softfloat.Format, fn func(a, b uint64) uint64) assembler {
	return halves(f, 2, func(a, b, _ uint64) uint64 { return fn(a, b) })
}

// roundedHalf makes the assembler of an instruction that rounds an exact result.
func roundedHalf(f *softfloat.Format, sources int, exact func(a, b, c uint64) float64) assembler {
	gradual := halves(f, sources, func(a, b, c uint64) uint64 { return f.Round(exact(a, b, c), softfloat.Nearest) })
	flushed := halves(f, sources, func(a, b, c uint64) uint64 {
		x := exact(a, b, c)
		r := f.Round(x, softfloat.Nearest)
		if f.IsTiny(x) {
			return r & f.Sign()
		}
		return r
	})
	return func(d *decoder, in *ptx.Instr) instr {
		if has(in, "ftz") {
			return flushed(d, in)
		}
		return gradual(d, in)
	}
}

// halves makes the assembler of an instruction that computes a value of format f, or two of
// them in a packed register, from others.
func halves(f *softfloat.Format, sources int, fn func(a, b, c uint64) uint64) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		t := lastType(in)
		one := modified(f, in, fn)
		i := instr{op: opLanes, fn: lanesOf16(one)}
		if t.Size() == 4 {
			i.fn = lanesOf16x2(one)
		}
		if d.operands(in, 1+sources) {
			i.dst = d.numberDst(in.Args[0], t)
			for n := range sources {
				*[]*int32{&i.a, &i.b, &i.c}[n] = d.numberSrc(in.Args[n+1], t)
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
	if has(in, "xorsign") {
		unsigned := fn
		fn = func(a, b, c uint64) uint64 {
			r := unsigned(a&^f.Sign(), b&^f.Sign(), c)
			if f.IsNaN(r) {
				return f.NaN
			}
			return r&^f.Sign() | (a^b)&f.Sign()
		}
	}
	if has(in, "NaN") {
		number := fn
		fn = func(a, b, c uint64) uint64 {
			if f.IsNaN(a) || f.IsNaN(b) {
				return f.NaN
			}
			return number(a, b, c)
		}
	}
	if has(in, "ftz") {
		gradual := fn
		fn = func(a, b, c uint64) uint64 { return f.Flush(gradual(f.Flush(a), f.Flush(b), f.Flush(c))) }
	}
	if has(in, "sat") {
		free := fn
		fn = func(a, b, c uint64) uint64 { return f.Clamp(free(a, b, c)) }
	}
	if has(in, "relu") {
		free := fn
		fn = func(a, b, c uint64) uint64 { return f.ReLU(free(a, b, c)) }
	}
	return fn
}
