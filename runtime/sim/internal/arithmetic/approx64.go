package arithmetic

import (
	"math"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Floating Point Instructions: rcp.approx.ftz.f64, rsqrt.approx.ftz.f64,
// rsqrt.approx.f64. With .ftz they use and compute the upper 32 bits of a double alone, and
// subnormal numbers are zeros. An H200 takes a NaN whose payload is in the lower 32 bits for an infinity.
func Approx64Forms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "rcp.approx.ftz.f64", Assemble: approx64(coarse(func(x float64) float64 { return 1 / x }))},
		{Pattern: "rsqrt.approx.ftz.f64", Assemble: approx64(coarse(Rsqrt64))},
		{Pattern: "rsqrt.approx.f64", Assemble: approx64(Rsqrt64)},
	}
}

func Rsqrt64(x float64) float64 { return 1 / math.Sqrt(x) }

// approx64 assembles a function of doubles. Its .ftz is not that of f32.
func approx64(fn func(float64) float64) bytecode.Assembler {
	return plain(bytecode.UnaryOp(lanewise(func(a, _, _ uint64) uint64 { return simd.Bits64(fn(simd.F64(a)), simd.F64(a), 0, 0) }), "f64"))
}

// coarse is fn from and to the upper 32 bits of doubles.
func coarse(fn func(float64) float64) func(float64) float64 {
	return func(x float64) float64 { return upperWord(fn(upperWord(x))) }
}

// upperWord returns x without the lower 32 bits, and a zero for a subnormal number.
func upperWord(x float64) float64 {
	b := math.Float64bits(x) &^ (1<<32 - 1)
	if b&(0x7ff<<52) == 0 {
		b &= 1 << 63
	}
	return math.Float64frombits(b)
}
