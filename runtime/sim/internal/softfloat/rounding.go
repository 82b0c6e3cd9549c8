package softfloat

import "math"

// A Rounding is a rounding mode.
type Rounding uint8

// The rounding modes.
const (
	Nearest     Rounding = iota // to even
	TowardZero                  // .rz
	Down                        // .rm
	Up                          // .rp
	NearestAway                 // to nearest, with halves away from zero: .rna
)

// Round32 rounds sum+err to single precision; err is smaller than the last place of sum.
func Round32(sum, err float64, mode Rounding) float32 {
	r := float32(ToOdd(sum, err))
	if mode == Nearest || sum != sum || math.IsInf(sum, 0) {
		return r
	}
	exact := ToOdd(sum, err)
	switch v := float64(r); {
	case v > exact && (mode == Down || mode == TowardZero && exact > 0):
		return math.Nextafter32(r, float32(math.Inf(-1)))
	case v < exact && (mode == Up || mode == TowardZero && exact < 0):
		return math.Nextafter32(r, float32(math.Inf(1)))
	}
	return r
}

// zeroSign is the sum x+y where it is an exact zero of operands of opposite sign:
// -0 when rounding down.
func zeroSign(x, y, sum float64, mode Rounding) float64 {
	if sum == 0 && mode == Down && (math.Signbit(x) || math.Signbit(y)) {
		return math.Copysign(0, -1)
	}
	return sum
}

// Sum32 is x+y rounded to single precision.
func Sum32(x, y float64, mode Rounding) float32 {
	sum := x + y
	return Round32(zeroSign(x, y, sum, mode), SumError(x, y, sum), mode)
}

// Quotient32 is x/y rounded to single precision. The remainder of the quotient in double
// precision, which is exact, says on which side of it the exact one lies.
func Quotient32(x, y float64, mode Rounding) float32 {
	q := x / y
	if q == 0 || math.IsInf(q, 0) || q != q {
		return float32(q)
	}
	rest := math.FMA(-q, y, x)
	if y < 0 {
		rest = -rest
	}
	return Round32(q, rest*0x1p-100, mode)
}

// Root32 is the square root of x rounded to single precision.
func Root32(x float64, mode Rounding) float32 {
	root := math.Sqrt(x)
	if root == 0 || root != root || math.IsInf(root, 0) {
		return float32(root)
	}
	return Round32(root, math.FMA(-root, root, x)*0x1p-100, mode)
}

// SumError returns x+y-sum, where sum is x+y rounded; it is always exact.
func SumError(x, y, sum float64) float64 {
	back := sum - x
	return (x - (sum - back)) + (y - back)
}

// ToOdd turns sum, rounded to nearest with the error err, into sum rounded to odd:
// if inexact, the neighbour of the exact value whose last bit is one. It can be
// rounded again to a narrower format without harm.
func ToOdd(sum, err float64) float64 {
	bits := math.Float64bits(sum)
	if err == 0 || err != err || bits&1 == 1 {
		return sum
	}
	if (err > 0) == (sum > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
