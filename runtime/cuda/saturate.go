package cuda

import (
	"math"
	"math/bits"
)

// saturatedMul returns a*b for a, b ≥ 0, or the largest int if that overflows or a factor
// is negative: no slice is as long.
func saturatedMul(a, b int) int {
	if a < 0 || b < 0 {
		return math.MaxInt
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt {
		return math.MaxInt
	}
	return int(lo)
}

// saturatedAdd returns a+b for a, b ≥ 0, or the largest int when that overflows.
func saturatedAdd(a, b int) int {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt
}
