package vec

import (
	"math"
	"slices"
)

// AppendFloat16 appends the Float16 nearest to each element of src to dst, as NewFloat16 rounds.
// It allocates only if dst lacks capacity: AppendFloat16(dst[:0], src) uses a slice again.
func AppendFloat16(dst []Float16, src []float32) []Float16 {
	dst, tail := extended(dst, len(src))
	for i, f := range src {
		bits := math.Float32bits(f)
		magnitude := bits & 0x7fffffff
		if magnitude-leastNormal >= firstInfinite-leastNormal {
			tail[i] = NewFloat16(f)
			continue
		}
		magnitude += magnitude>>13&1 + 0xfff
		magnitude -= (127 - 15) << 23 // as NewFloat16, which is too large to be inlined
		tail[i] = Float16(bits>>16&0x8000 | magnitude>>13)
	}
	return dst
}

// Magnitudes of float32 between these are normal values of Float16.
const (
	leastNormal   = 0x38800000 // 2^-14
	firstInfinite = 0x477ff000 // 65520
)

// AppendBFloat16 is AppendFloat16 for BFloat16, as NewBFloat16 rounds.
func AppendBFloat16(dst []BFloat16, src []float32) []BFloat16 {
	dst, tail := extended(dst, len(src))
	for i, f := range src {
		tail[i] = NewBFloat16(f)
	}
	return dst
}

// AppendFloat32 appends the exact values of src to dst. A NaN becomes some NaN. It allocates only
// if dst lacks capacity.
func AppendFloat32[T Float16 | BFloat16](dst []float32, src []T) []float32 {
	dst, tail := extended(dst, len(src))
	switch src := any(src).(type) {
	case []Float16:
		for i, h := range src {
			tail[i] = h.widened()
		}
	case []BFloat16:
		for i, b := range src {
			tail[i] = b.Float32()
		}
	}
	return dst
}

// extended returns dst with n elements more, and these.
func extended[T any](dst []T, n int) (all, tail []T) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all, all[len(dst):]
}

// widened is Float32 without a branch for denormal values: a product with 2^112 adds what the
// exponents of the two formats differ by, and it is exact.
func (h Float16) widened() float32 {
	const shift = 1 << 112
	bits := math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13) * shift)
	if h&0x7c00 == 0x7c00 { // infinite, or NaN
		bits |= 0x7f800000
	}
	return math.Float32frombits(bits | uint32(h&0x8000)<<16)
}
