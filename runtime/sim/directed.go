package sim

import (
	"math"
	"math/big"

	"github.com/cudagen/cudagen/internal/ptx"
)

// PTX ISA, Floating-Point Instructions with the rounding modes .rz, .rm and .rp: all those of
// f64, and div, rcp and sqrt of f32.
func directedForms() []form {
	var forms []form
	for name, mode := range map[string]rounding{"rz": towardZero, "rm": down, "rp": up} {
		forms = append(forms,
			form{"add." + name + ".f64", sum64.directed(mode)},
			form{"sub." + name + ".f64", difference64.directed(mode)},
			form{"mul." + name + ".f64", product64.directed(mode)},
			form{"fma|mad." + name + ".f64", fused64.directed(mode)},
			form{"div." + name + ".f64", quotient64.directed(mode)},
			form{"rcp." + name + ".f64", reciprocal64.directed(mode)},
			form{"sqrt." + name + ".f64", root64.directed(mode)},
			form{"mad." + name + ".ftz?.sat?.f32", ternaryOp(fmaDirected(mode), "f32").flushing(exactFMA, mode)},
			form{"div." + name + ".ftz?.f32", binaryOp(divDirected(mode), "f32").flushing(nearlyQuotient, mode)},
			form{"rcp." + name + ".ftz?.f32", unaryOp(rcpDirected(mode), "f32").flushing(nearlyReciprocal, mode)},
			form{"sqrt." + name + ".ftz?.f32", unaryOp(sqrtDirected(mode), "f32")})
	}
	return forms
}

// quotient32 is x/y rounded to single precision. The remainder of the quotient in double
// precision, which is exact, says on which side of it the exact one lies.
func quotient32(x, y float64, mode rounding) uint64 {
	q := x / y
	if q == 0 || math.IsInf(q, 0) || q != q {
		return bits32(float32(q))
	}
	rest := math.FMA(-q, y, x)
	if y < 0 {
		rest = -rest
	}
	return bits32(round32(q, rest*0x1p-100, mode))
}

func divDirected(mode rounding) laneFunc {
	return func(d, a, b, _ *lanes) {
		for l := range d {
			d[l] = quotient32(float64(f32(a[l])), float64(f32(b[l])), mode)
		}
	}
}

func rcpDirected(mode rounding) laneFunc {
	return func(d, a, _, _ *lanes) {
		for l := range d {
			d[l] = quotient32(1, float64(f32(a[l])), mode)
		}
	}
}

func sqrtDirected(mode rounding) laneFunc {
	return func(d, a, _, _ *lanes) {
		for l := range d {
			x := float64(f32(a[l]))
			root := math.Sqrt(x)
			if root == 0 || root != root || math.IsInf(root, 0) {
				d[l] = bits32(float32(root))
				continue
			}
			d[l] = bits32(round32(root, math.FMA(-root, root, x)*0x1p-100, mode))
		}
	}
}

// A wide number has room for every sum and product of f64 that are not rounded.
func wide(x float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(x) }

// An operation64 is an operation on f64: how it rounds to nearest, and on which side of a
// number r its exact result lies.
type operation64 struct {
	nearest laneFunc
	sources int
	side    func(x, y, z, r float64) int
	divisor int                                  // the source by which it divides, from 1, or 0
	addends func(x, y, z float64) (p, q float64) // of a sum, or nil
}

func compareSum(x, y, r float64) int {
	s := wide(x)
	return s.Add(s, wide(y)).Cmp(wide(r))
}

// compareFused compares x*y+z with r.
func compareFused(x, y, z, r float64) int {
	p := wide(x)
	p.Mul(p, wide(y))
	return p.Add(p, wide(z)).Cmp(wide(r))
}

// compareQuotient compares x/y with r.
func compareQuotient(x, y, r float64) int {
	p := wide(r)
	side := wide(x).Cmp(p.Mul(p, wide(y)))
	if y < 0 {
		return -side
	}
	return side
}

var (
	sum64 = operation64{addF64, 2, func(x, y, _, r float64) int { return compareSum(x, y, r) }, 0,
		func(x, y, _ float64) (p, q float64) { return x, y }}
	difference64 = operation64{subF64, 2, func(x, y, _, r float64) int { return compareSum(x, -y, r) }, 0,
		func(x, y, _ float64) (p, q float64) { return x, -y }}
	product64 = operation64{mulF64, 2, func(x, y, _, r float64) int { return compareFused(x, y, 0, r) }, 0, nil}
	fused64   = operation64{fmaF64, 3, compareFused, 0,
		func(x, y, z float64) (p, q float64) { return math.Copysign(1, x) * math.Copysign(1, y), z }}
	quotient64   = operation64{divF64, 2, func(x, y, _, r float64) int { return compareQuotient(x, y, r) }, 2, nil}
	reciprocal64 = operation64{rcpF64, 1, func(x, _, _, r float64) int { return compareQuotient(1, x, r) }, 1, nil}
	root64       = operation64{sqrtF64, 1, func(x, _, _, r float64) int { return compareFused(-r, r, x, 0) }, 0, nil}
)

// directed makes the assembler of the operation rounded by mode.
func (o operation64) directed(mode rounding) assembler {
	srcs := []ptx.Type{"f64", "f64", "f64"}[:o.sources]
	return alu(func(d, a, b, c *lanes) {
		var r lanes
		o.nearest(&r, a, b, c)
		for l := range d {
			v := [3]float64{f64(a[l])}
			if o.sources > 1 {
				v[1] = f64(b[l])
			}
			if o.sources > 2 {
				v[2] = f64(c[l])
			}
			d[l] = o.redirect(r[l], v, mode)
		}
	}, "f64", srcs...)
}

// redirect returns the result of the operation on v by mode; the nearest has the given bits.
func (o operation64) redirect(bits uint64, v [3]float64, mode rounding) uint64 {
	r := f64(bits)
	if r != r {
		return bits
	}
	for _, x := range v {
		if math.IsInf(x, 0) {
			return bits
		}
	}
	if math.IsInf(r, 0) {
		if o.divisor > 0 && v[o.divisor-1] == 0 || mode == up && r > 0 || mode == down && r < 0 {
			return bits
		}
		return math.Float64bits(math.Copysign(math.MaxFloat64, r))
	}
	negative, side := math.Signbit(r), o.side(v[0], v[1], v[2], r)
	switch {
	case side == 0 && r == 0 && mode == down && o.addends != nil:
		if p, q := o.addends(v[0], v[1], v[2]); math.Signbit(p) || math.Signbit(q) {
			return 1 << 63
		}
	case side > 0 && (mode == up || mode == towardZero && negative):
		return math.Float64bits(math.Nextafter(r, math.Inf(1)))
	case side < 0 && (mode == down || mode == towardZero && !negative):
		return math.Float64bits(math.Nextafter(r, math.Inf(-1)))
	}
	return bits
}
