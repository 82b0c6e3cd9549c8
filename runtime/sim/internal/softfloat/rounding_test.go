package softfloat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bigModes has the rounding modes of package big.
var bigModes = map[Rounding]big.RoundingMode{Nearest: big.ToNearestEven, TowardZero: big.ToZero, Down: big.ToNegativeInf, Up: big.ToPositiveInf}

// someFloat returns a normal number that is not so large that sums and products overflow.
func someFloat(r *rand.Rand) float64 {
	return math.Ldexp(float64(float32(r.Float64()+1)), r.IntN(40)-20) * float64(1-2*r.IntN(2))
}

// bigRounded32 is x rounded by package big.
func bigRounded32(x *big.Float, mode Rounding) float32 {
	r, _ := new(big.Float).SetPrec(24).SetMode(bigModes[mode]).Set(x).Float32()
	return r
}

// TestRounding32 holds sums, quotients and roots to exact arithmetic.
func TestRounding32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 20000 {
		x, y := someFloat(r), someFloat(r)
		a, b := wide(x), wide(y)
		for mode := range bigModes {
			require.Equal(t, bigRounded32(new(big.Float).SetPrec(300).Add(a, b), mode), Sum32(x, y, mode), "%v+%v, %v", x, y, mode)
			require.Equal(t, bigRounded32(new(big.Float).SetPrec(300).Quo(a, b), mode), Quotient32(x, y, mode), "%v/%v, %v", x, y, mode)
			root := new(big.Float).SetPrec(300).Sqrt(wide(math.Abs(x)))
			require.Equal(t, bigRounded32(root, mode), Root32(math.Abs(x), mode), "root of %v, %v", x, mode)
		}
	}
	assert.True(t, math.Signbit(float64(Sum32(1, -1, Down))))
	assert.False(t, math.Signbit(float64(Sum32(1, -1, Up))))
	assert.True(t, math.IsInf(float64(Quotient32(1, 0, Down)), 1))
	assert.True(t, math.IsNaN(float64(Root32(-1, Up))))
	assert.Equal(t, float32(math.MaxFloat32), Sum32(math.MaxFloat32, math.MaxFloat32, TowardZero))
}

// TestRounded64 holds operations on f64 to exact arithmetic.
func TestRounded64(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	random := func() float64 { return math.Ldexp(r.Float64()+1, r.IntN(80)-40) * float64(1-2*r.IntN(2)) }
	for range 5000 {
		x, y, z := random(), random(), random()
		v := [3]float64{x, y, z}
		product := new(big.Float).SetPrec(4000).Mul(wide(x), wide(y))
		for name, test := range map[string]struct {
			op      Operation64
			nearest float64
			exact   *big.Float
		}{
			"sum":        {Sum64, x + y, new(big.Float).SetPrec(4000).Add(wide(x), wide(y))},
			"difference": {Difference64, x - y, new(big.Float).SetPrec(4000).Sub(wide(x), wide(y))},
			"product":    {Product64, x * y, product},
			"fused":      {Fused64, math.FMA(x, y, z), new(big.Float).SetPrec(4000).Add(product, wide(z))},
			"quotient":   {Quotient64, x / y, new(big.Float).SetPrec(4000).Quo(wide(x), wide(y))},
			"reciprocal": {Reciprocal64, 1 / x, new(big.Float).SetPrec(4000).Quo(wide(1), wide(x))},
		} {
			for mode, as := range bigModes {
				if mode == Nearest {
					continue
				}
				want, _ := new(big.Float).SetPrec(53).SetMode(as).Set(test.exact).Float64()
				got := test.op.Rounded(math.Float64bits(test.nearest), v, mode)
				require.Equal(t, math.Float64bits(want), got, "%s of %v, %v", name, v, mode)
			}
		}
	}
	nan := uint64(0x7ff8000000000123)
	assert.Equal(t, nan, Sum64.Rounded(nan, [3]float64{math.Inf(1), math.Inf(-1)}, Up))
	assert.Equal(t, math.Float64bits(math.MaxFloat64), Product64.Rounded(math.Float64bits(math.Inf(1)), [3]float64{1e300, 1e300}, Down))
	assert.Equal(t, math.Float64bits(math.Inf(1)), Quotient64.Rounded(math.Float64bits(math.Inf(1)), [3]float64{1, 0}, Down))
}

// TestNaN64: the first NaN wins, and becomes quiet.
func TestNaN64(t *testing.T) {
	first, second := math.Float64frombits(0xfff0000000000001), math.Float64frombits(0x7ff8000000000002)
	assert.EqualValues(t, uint64(0xfff8000000000001), NaN64(1, first, second))
	assert.EqualValues(t, uint64(0x7ff8000000000002), NaN64(second, first, 1))
	assert.EqualValues(t, uint64(0xfff8000000000000), NaN64(1, 2, 3))
}
