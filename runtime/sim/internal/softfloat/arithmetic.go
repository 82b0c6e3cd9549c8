package softfloat

import "math"

// Canonical makes a NaN canonical. What neg and abs of a NaN are is open in the ISA.
func (f *Format) Canonical(a uint64) uint64 {
	if f.IsNaN(a) {
		return f.NaN
	}
	return a
}

// Sum is a+b exactly, or rounded to odd.
func (f *Format) Sum(a, b, _ uint64) float64 {
	x, y := f.Value(a), f.Value(b)
	return ToOdd(x+y, SumError(x, y, x+y))
}

// Difference is a-b as sum is a+b.
func (f *Format) Difference(a, b, _ uint64) float64 { return f.Sum(a, b^f.Sign(), 0) }

// Product is a*b exactly: an f64 has room for it.
func (f *Format) Product(a, b, _ uint64) float64 { return f.Value(a) * f.Value(b) }

// Fused is a*b+c exactly, or rounded to odd.
func (f *Format) Fused(a, b, c uint64) float64 {
	p, z := f.Value(a)*f.Value(b), f.Value(c)
	return ToOdd(p+z, SumError(p, z, p+z))
}

// Min is the lesser of a and b, and the other operand of a NaN; -0 is less than +0.
func (f *Format) Min(a, b uint64) uint64 { return f.chosen(a, b, math.Min) }

// Max is the greater of a and b, and the other operand of a NaN.
func (f *Format) Max(a, b uint64) uint64 { return f.chosen(a, b, math.Max) }

func (f *Format) chosen(a, b uint64, choose func(x, y float64) float64) uint64 {
	switch {
	case f.IsNaN(a):
		return f.Canonical(b)
	case f.IsNaN(b):
		return a
	}
	return f.Round(choose(f.Value(a), f.Value(b)), Nearest)
}
