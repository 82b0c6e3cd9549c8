package matrix

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// TestProducts: d is the product of a and b, and c, for each kind of element.
func TestProducts(t *testing.T) {
	shape := Shape{M: 3, N: 2, K: 4}
	f32 := func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
	f16 := func(v float64) uint64 { return softfloat.F16.Round(v, softfloat.Nearest) }
	whole := func(bits int) func(float64) uint64 {
		return func(v float64) uint64 { return uint64(int64(v)) & (1<<bits - 1) }
	}
	for _, test := range []struct {
		a, c, result string
		of, ofC      func(float64) uint64
		ofD          func(float64) uint64
	}{
		{"f16", "f32", "f32", f16, f32, f32},
		{"f16", "f16", "f16", f16, f16, f16},
		{"tf32", "f32", "f32", f32, f32, f32},
		{"f64", "f64", "f64", math.Float64bits, math.Float64bits, math.Float64bits},
		{"s8", "s32", "s32", whole(8), whole(32), whole(32)},
		{"s4", "s32", "s32", whole(4), whole(32), whole(32)},
	} {
		x := func(n int) float64 { return float64(n*5%7 - 3) }
		y := func(n int) float64 { return float64(n*3%5 - 2) }
		a, b, c, want := make([]uint64, 12), make([]uint64, 8), make([]uint64, 6), make([]uint64, 6)
		for n := range a {
			a[n] = test.of(x(n))
		}
		for n := range b {
			b[n] = test.of(y(n))
		}
		for n := range c {
			c[n] = test.ofC(float64(n - 2))
			sum := float64(n - 2)
			for k := range 4 {
				sum += x(n/2*4+k) * y(k*2+n%2)
			}
			want[n] = test.ofD(sum)
		}
		p := &Product{Shape: shape, TypeA: Numerics[test.a], TypeB: Numerics[test.a], TypeC: Numerics[test.c], Result: test.result, Mode: softfloat.Nearest}
		d := make([]uint64, 6)
		p.Compute(a, b, c, d)
		assert.Equal(t, want, d, "%s to %s", test.a, test.result)
	}
}

// TestSaturation: sums of integers end at the largest and the smallest, or begin again.
func TestSaturation(t *testing.T) {
	for _, saturate := range []bool{false, true} {
		p := &Product{Shape: Shape{M: 1, N: 2, K: 1}, TypeA: Numerics["s8"], TypeB: Numerics["s8"], TypeC: Numerics["s32"], Result: "s32", Saturate: saturate}
		d := make([]uint64, 2)
		p.Compute([]uint64{1}, []uint64{1, 0xff}, []uint64{math.MaxInt32, 1 << 31}, d)
		want := []uint32{1 << 31, math.MaxInt32}
		if saturate {
			want = []uint32{math.MaxInt32, 1 << 31}
		}
		assert.Equal(t, want, []uint32{uint32(d[0]), uint32(d[1])})
	}
	p := &Product{Shape: Shape{M: 1, N: 1, K: 3}, TypeA: Numerics["b1"], TypeB: Numerics["b1"], TypeC: Numerics["s32"], Result: "s32", Bitwise: func(a, b int64) int64 { return a & b }}
	d := make([]uint64, 1)
	p.Compute([]uint64{1, 1, 0}, []uint64{1, 1, 1}, []uint64{5}, d)
	assert.Equal(t, []uint64{7}, d)
}
