package softfloat

import (
	"math"
	"math/big"
)

// A wide number has room for every sum and product of f64 that are not rounded.
func wide(x float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(x) }

// An Operation64 is an operation on f64: on which side of a number r its exact result lies.
type Operation64 struct {
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

// The operations that PTX rounds by a mode.
var (
	Sum64 = Operation64{func(x, y, _, r float64) int { return compareSum(x, y, r) }, 0,
		func(x, y, _ float64) (p, q float64) { return x, y }}
	Difference64 = Operation64{func(x, y, _, r float64) int { return compareSum(x, -y, r) }, 0,
		func(x, y, _ float64) (p, q float64) { return x, -y }}
	Product64 = Operation64{func(x, y, _, r float64) int { return compareFused(x, y, 0, r) }, 0, nil}
	Fused64   = Operation64{compareFused, 0,
		func(x, y, z float64) (p, q float64) { return math.Copysign(1, x) * math.Copysign(1, y), z }}
	Quotient64   = Operation64{func(x, y, _, r float64) int { return compareQuotient(x, y, r) }, 2, nil}
	Reciprocal64 = Operation64{func(x, _, _, r float64) int { return compareQuotient(1, x, r) }, 1, nil}
	Root64       = Operation64{func(x, _, _, r float64) int { return compareFused(-r, r, x, 0) }, 0, nil}
)

// Rounded returns the result of the operation on v by mode; the nearest has the given bits. It
// leaves a NaN alone.
func (o Operation64) Rounded(bits uint64, v [3]float64, mode Rounding) uint64 {
	r := math.Float64frombits(bits)
	if r != r {
		return bits
	}
	for _, x := range v {
		if math.IsInf(x, 0) {
			return bits
		}
	}
	if math.IsInf(r, 0) {
		if o.divisor > 0 && v[o.divisor-1] == 0 || mode == Up && r > 0 || mode == Down && r < 0 {
			return bits
		}
		return math.Float64bits(math.Copysign(math.MaxFloat64, r))
	}
	negative, side := math.Signbit(r), o.side(v[0], v[1], v[2], r)
	switch {
	case side == 0 && r == 0 && mode == Down && o.addends != nil:
		if p, q := o.addends(v[0], v[1], v[2]); math.Signbit(p) || math.Signbit(q) {
			return 1 << 63
		}
	case side > 0 && (mode == Up || mode == TowardZero && negative):
		return math.Float64bits(math.Nextafter(r, math.Inf(1)))
	case side < 0 && (mode == Down || mode == TowardZero && !negative):
		return math.Float64bits(math.Nextafter(r, math.Inf(-1)))
	}
	return bits
}
