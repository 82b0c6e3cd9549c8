package matrix

import (
	"math"

	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// A Numeric is how elements of matrices are read and written.
type Numeric struct {
	Bits int
	read func(uint64) float64 // or nil for integers
	int  func(uint64) int64
}

// IsInteger reports whether elements are integers.
func (n Numeric) IsInteger() bool { return n.read == nil }

// Numerics has the types of elements of a and b.
var Numerics = map[string]Numeric{
	"f16":  {16, softfloat.F16.Value, nil},
	"bf16": {16, softfloat.BF16.Value, nil},
	"tf32": {32, func(v uint64) float64 { return float64(math.Float32frombits(uint32(v) &^ (1<<13 - 1))) }, nil},
	"e4m3": {8, softfloat.E4M3.Value, nil},
	"e5m2": {8, softfloat.E5M2.Value, nil},
	"f32":  {32, func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }, nil},
	"f64":  {64, math.Float64frombits, nil},
	"u8":   {8, nil, func(v uint64) int64 { return int64(v) }},
	"s8":   {8, nil, func(v uint64) int64 { return int64(int8(v)) }},
	"u4":   {4, nil, func(v uint64) int64 { return int64(v) }},
	"s4":   {4, nil, func(v uint64) int64 { return int64(v<<60) >> 60 }},
	"b1":   {1, nil, func(v uint64) int64 { return int64(v) }},
	"s32":  {32, nil, func(v uint64) int64 { return int64(int32(v)) }},
}

// A Product computes d = a*b + c of matrices, whose elements stand row by row.
type Product struct {
	Shape
	TypeA, TypeB Numeric
	TypeC        Numeric
	Result       string // type
	Mode         softfloat.Rounding
	Saturate     bool                   // .satfinite of integers
	Bitwise      func(a, b int64) int64 // of b1
}

// Compute makes d.
func (p *Product) Compute(a, b, c, d []uint64) {
	if p.TypeA.read == nil {
		p.integers(a, b, c, d)
	} else {
		p.floats(a, b, c, d)
	}
}

// floats computes with the products and the sum of a row exact or in double precision, and
// rounds once; f64 by fused multiply-adds, from the first column to the last. The ISA leaves the order and the
// precision of the sum open.
func (p *Product) floats(a, b, c, d []uint64) {
	left, right := make([]float64, p.M*p.K), make([]float64, p.K*p.N)
	for n := range left {
		left[n] = p.TypeA.read(a[n])
	}
	for n := range right {
		right[n] = p.TypeB.read(b[n])
	}
	for i := range p.M {
		for j := range p.N {
			start := p.TypeC.read(c[i*p.N+j])
			if p.Result == "f64" {
				d[i*p.N+j] = p.chain(left[i*p.K:(i+1)*p.K], right[j:], start)
				continue
			}
			sum := 0.0
			for k := range p.K {
				sum += left[i*p.K+k] * right[k*p.N+j]
			}
			if sum += start; p.Result == "f16" {
				d[i*p.N+j] = softfloat.F16.Round(sum, softfloat.Nearest)
			} else {
				d[i*p.N+j] = rounded32(sum)
			}
		}
	}
}

// rounded32 rounds to an f32, of which there is one NaN.
func rounded32(x float64) uint64 {
	if x != x {
		return softfloat.NaN32
	}
	return uint64(math.Float32bits(float32(x)))
}

// chain is start and the products of a row and a column, rounded at each step.
func (p *Product) chain(row, column []float64, start float64) uint64 {
	sum := math.Float64bits(start)
	for k, x := range row {
		y, z := column[k*p.N], math.Float64frombits(sum)
		if r := math.FMA(x, y, z); r != r {
			sum = softfloat.NaN64(y, z, x)
		} else if sum = math.Float64bits(r); p.Mode != softfloat.Nearest {
			sum = softfloat.Fused64.Rounded(sum, [3]float64{x, y, z}, p.Mode)
		}
	}
	return sum
}

func (p *Product) integers(a, b, c, d []uint64) {
	for i := range p.M {
		for j := range p.N {
			sum := p.TypeC.int(c[i*p.N+j])
			for k := range p.K {
				x, y := p.TypeA.int(a[i*p.K+k]), p.TypeB.int(b[k*p.N+j])
				if p.Bitwise != nil {
					sum += p.Bitwise(x, y)
				} else {
					sum += x * y
				}
			}
			if p.Saturate {
				d[i*p.N+j] = uint64(min(max(sum, math.MinInt32), math.MaxInt32))
			} else {
				d[i*p.N+j] = uint64(uint32(sum))
			}
		}
	}
}
