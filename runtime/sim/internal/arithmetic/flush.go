package arithmetic

import (
	"math"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// Flushed turns f32 subnormals into zeros of the same sign.
func Flushed(d, a *simd.Lanes) {
	for l := range d {
		d[l] = Ftz(a[l])
	}
}

func Ftz(x uint64) uint64 {
	if x&0x7f800000 == 0 {
		return x & (1 << 31)
	}
	return x
}

// leastNormal is the least normal f32, 2^-126.
const leastNormal = 0x00800000

// An exactly computes an f32 operation without rounding: the value is sum+err, where err is
// smaller than the last place of sum.
type exactly func(a, b, c uint64) (sum, err float64)

func exactProduct(a, b, _ uint64) (sum, err float64) {
	return float64(simd.F32(a)) * float64(simd.F32(b)), 0
}

func exactFMA(a, b, c uint64) (sum, err float64) {
	p, z := float64(simd.F32(a))*float64(simd.F32(b)), float64(simd.F32(c))
	return p + z, softfloat.SumError(p, z, p+z)
}

// nearlyQuotient is not exact, but close enough: no quotient of two f32 lies that close to where
// the rounding changes.
func nearlyQuotient(a, b, _ uint64) (sum, err float64) {
	return float64(simd.F32(a)) / float64(simd.F32(b)), 0
}

func nearlyReciprocal(a, _, _ uint64) (sum, err float64) { return 1 / float64(simd.F32(a)), 0 }

func exactNarrowed(a, _, _ uint64) (sum, err float64) { return simd.F64(a), 0 }

// flushingForms makes the .ftz forms of an instruction decide what is subnormal as the devices do:
// by the result rounded to the precision of an f32 as if there were no least exponent. What
// the subnormals' coarser steps alone round up to the least normal number is zero, too.
func flushingForms(assemble bytecode.Assembler, exact exactly, mode softfloat.Rounding) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := assemble(d, in)
		if i.Flush {
			i.Fn = flushing(i.Fn, exact, mode)
		}
		return i
	}
}

func flushing(fn simd.Func, exact exactly, mode softfloat.Rounding) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		fn(d, a, b, c)
		for l := range d {
			if d[l]&(1<<31-1) == leastNormal && isSubnormal(a[l], b[l], c[l], exact, mode) {
				d[l] &= 1 << 31
			}
		}
	}
}

//go:noinline
func isSubnormal(a, b, c uint64, exact exactly, mode softfloat.Rounding) bool {
	const scale = 1 << 64
	sum, err := exact(a, b, c)
	return math.Abs(float64(softfloat.Round32(sum*scale, err*scale, mode))) < scale*0x1p-126
}
