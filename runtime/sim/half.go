package sim

import (
	"math"

	"github.com/cudagen/cudagen/internal/ptx"
)

// PTX ISA, Half Precision Floating-Point Instructions, and the f16 and bf16 forms of
// Floating-Point Instructions. The packed types compute each half by itself.
func halfForms() []form {
	var forms []form
	for _, f := range []*format{formatF16, formatBF16} {
		types, ftz, sat := "f16|f16x2", ".ftz?", ".sat?"
		if f == formatBF16 {
			types, ftz, sat = "bf16|bf16x2", "", ""
		}
		forms = append(forms,
			form{"add.rn?" + ftz + sat + "." + types, roundedHalf(f, 2, f.sum)},
			form{"sub.rn?" + ftz + sat + "." + types, roundedHalf(f, 2, f.difference)},
			form{"mul.rn?" + ftz + sat + "." + types, roundedHalf(f, 2, f.product)},
			form{"fma.rn" + ftz + sat + "." + types, roundedHalf(f, 3, f.fused)},
			form{"fma.rn" + ftz + ".relu." + types, roundedHalf(f, 3, f.fused)},
			form{"neg" + ftz + "." + types, half1(f, func(a uint64) uint64 { return f.canonical(a ^ f.sign()) })},
			form{"abs" + ftz + "." + types, half1(f, func(a uint64) uint64 { return f.canonical(a &^ f.sign()) })},
			form{"min" + ftz + ".NaN?." + types, half2(f, f.least)},
			form{"max" + ftz + ".NaN?." + types, half2(f, f.greatest)},
			form{"min" + ftz + ".NaN?.xorsign.abs." + types, half2(f, f.least)},
			form{"max" + ftz + ".NaN?.xorsign.abs." + types, half2(f, f.greatest)},
			form{"tanh.approx." + types, half1(f, f.approximated(math.Tanh))})
	}
	return append(forms,
		form{"ex2.approx.f16|f16x2", half1(formatF16, formatF16.approximated(math.Exp2))},
		form{"ex2.approx.ftz.bf16|bf16x2", half1(formatBF16, formatBF16.approximated(math.Exp2))})
}

// canonical makes a NaN canonical. What neg and abs of a NaN are is open in the ISA.
func (f *format) canonical(a uint64) uint64 {
	if f.isNaN(a) {
		return f.nan
	}
	return a
}

// sum and its like are exact, or rounded to odd: an f64 has room for a product.
func (f *format) sum(a, b, _ uint64) float64 {
	x, y := f.value(a), f.value(b)
	return toOdd(x+y, sumError(x, y, x+y))
}

func (f *format) difference(a, b, _ uint64) float64 { return f.sum(a, b^f.sign(), 0) }

func (f *format) product(a, b, _ uint64) float64 { return f.value(a) * f.value(b) }

func (f *format) fused(a, b, c uint64) float64 {
	p, z := f.value(a)*f.value(b), f.value(c)
	return toOdd(p+z, sumError(p, z, p+z))
}

// least and greatest return the other operand of a NaN; -0 is less than +0.
func (f *format) least(a, b uint64) uint64 { return f.chosen(a, b, math.Min) }

func (f *format) greatest(a, b uint64) uint64 { return f.chosen(a, b, math.Max) }

func (f *format) chosen(a, b uint64, choose func(x, y float64) float64) uint64 {
	switch {
	case f.isNaN(a):
		return f.canonical(b)
	case f.isNaN(b):
		return a
	}
	return f.round(choose(f.value(a), f.value(b)), nearest)
}

func (f *format) approximated(fn func(float64) float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return f.round(fn(f.value(a)), nearest) }
}

func half1(f *format, fn func(a uint64) uint64) assembler {
	return halves(f, 1, func(a, _, _ uint64) uint64 { return fn(a) })
}

func half2(f *format, fn func(a, b uint64) uint64) assembler {
	return halves(f, 2, func(a, b, _ uint64) uint64 { return fn(a, b) })
}

// roundedHalf makes the assembler of an instruction that rounds an exact result.
func roundedHalf(f *format, sources int, exact func(a, b, c uint64) float64) assembler {
	gradual := halves(f, sources, func(a, b, c uint64) uint64 { return f.round(exact(a, b, c), nearest) })
	flushed := halves(f, sources, func(a, b, c uint64) uint64 {
		x := exact(a, b, c)
		r := f.round(x, nearest)
		if f.isTiny(x) {
			return r & f.sign()
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
func halves(f *format, sources int, fn func(a, b, c uint64) uint64) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		t := lastType(in)
		one := f.modified(in, fn)
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

func lanesOf16(fn func(a, b, c uint64) uint64) laneFunc {
	return func(d, a, b, c *lanes) {
		for l := range d {
			d[l] = fn(a[l]&0xffff, b[l]&0xffff, c[l]&0xffff)
		}
	}
}

func lanesOf16x2(fn func(a, b, c uint64) uint64) laneFunc {
	return func(d, a, b, c *lanes) {
		for l := range d {
			x, y, z := a[l], b[l], c[l]
			d[l] = fn(x&0xffff, y&0xffff, z&0xffff) | fn(x>>16&0xffff, y>>16&0xffff, z>>16&0xffff)<<16
		}
	}
}

// modified is fn with what the modifiers of in ask for.
func (f *format) modified(in *ptx.Instr, fn func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	if has(in, "xorsign") {
		unsigned := fn
		fn = func(a, b, c uint64) uint64 {
			r := unsigned(a&^f.sign(), b&^f.sign(), c)
			if f.isNaN(r) {
				return f.nan
			}
			return r&^f.sign() | (a^b)&f.sign()
		}
	}
	if has(in, "NaN") {
		number := fn
		fn = func(a, b, c uint64) uint64 {
			if f.isNaN(a) || f.isNaN(b) {
				return f.nan
			}
			return number(a, b, c)
		}
	}
	if has(in, "ftz") {
		gradual := fn
		fn = func(a, b, c uint64) uint64 { return f.flush(gradual(f.flush(a), f.flush(b), f.flush(c))) }
	}
	if has(in, "sat") {
		free := fn
		fn = func(a, b, c uint64) uint64 { return f.clamp(free(a, b, c)) }
	}
	if has(in, "relu") {
		free := fn
		fn = func(a, b, c uint64) uint64 { return f.relu(free(a, b, c)) }
	}
	return fn
}
