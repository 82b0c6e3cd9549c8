package public_test

import (
	"math"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// floats returns n numbers from low to high.
func (r *run) floats(n int, low, high float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = low + (high-low)*r.rand.Float32()
	}
	return x
}

// wholes returns n whole numbers from -limit to limit. Their sums and products are exact in
// every order as long as they stay below 2^24.
func (r *run) wholes(n, limit int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.rand.IntN(2*limit+1) - limit)
	}
	return x
}

// ints returns n numbers from 0 to limit-1.
func (r *run) ints(n, limit int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = r.rand.Int32N(int32(limit))
	}
	return x
}

// words returns n words.
func (r *run) words(n int) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.rand.Uint32()
	}
	return x
}

// bytes returns n bytes below limit.
func (r *run) bytes(n, limit int) []byte {
	x := make([]byte, n)
	for i := range x {
		x[i] = byte(r.rand.IntN(limit))
	}
	return x
}

// equal compares results bit for bit; NaNs equal NaNs with the same bits.
func equal[T comparable](r *run, what string, got, want []T) {
	r.t.Helper()
	if len(got) != len(want) {
		r.t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] || !sameSign(any(got[i]), any(want[i])) {
			r.t.Fatalf("%s[%d] of %d: %v, want %v", what, i, len(got), got[i], want[i])
		}
	}
}

// sameSign tells 0 from -0.
func sameSign(x, y any) bool {
	switch x := x.(type) {
	case float32:
		return math.Float32bits(x) == math.Float32bits(y.(float32))
	case float64:
		return math.Float64bits(x) == math.Float64bits(y.(float64))
	}
	return true
}

// near compares float32 results with a reference in float64. The longest way from the input to
// a result has rounds roundings, each of numbers up to scale or the result: a bound of
// rounds × 2^-24 × the greater of both. A function of CUDA's library counts as often as its
// greatest error in the CUDA C++ Programming Guide has units in the last place, twice.
func near(r *run, what string, got []float32, want []float64, rounds int, scale float64) {
	r.t.Helper()
	if len(got) != len(want) {
		r.t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		bound := float64(rounds) * 0x1p-24 * max(scale, math.Abs(want[i]))
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= bound) {
			r.t.Fatalf("%s[%d] of %d: %v, want %v ± %.3g", what, i, len(got), got[i], want[i], bound)
		}
	}
}

// fma is a*b+c, rounded once.
func fma(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact
	sum := p + float64(c)
	t := sum - p
	if err := (p - (sum - t)) + (float64(c) - t); err != 0 { // round to odd, so that rounding again does no harm
		if bits := math.Float64bits(sum); bits&1 == 0 {
			if (err > 0) == (sum > 0) {
				sum = math.Float64frombits(bits + 1)
			} else {
				sum = math.Float64frombits(bits - 1)
			}
		}
	}
	return float32(sum)
}

// wide returns x in float64.
func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(x[i])
	}
	return y
}

// each returns f of 0 to n-1.
func each[T any](n int, f func(i int) T) []T {
	y := make([]T, n)
	for i := range y {
		y[i] = f(i)
	}
	return y
}

// none is a null pointer.
func none[T any]() cuda.Slice[T] { return cuda.Slice[T]{} }
