package softfloat

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var all = map[string]*Format{"f16": F16, "bf16": BF16, "tf32": TF32, "e4m3": E4M3, "e5m2": E5M2}

// finiteValues returns the finite values of f that are not negative, as the ISA defines them, in order.
func finiteValues(f *Format) (values []float64) {
	for size := range f.largest + 1 {
		exponent, fraction := int(size>>f.fraction), float64(size&(1<<f.fraction-1))
		if exponent > 0 {
			fraction += float64(uint64(1) << f.fraction)
		}
		values = append(values, math.Ldexp(fraction, max(exponent, 1)-int(f.bias())-int(f.fraction)))
	}
	return values
}

// TestFormats: every value of every format is what the ISA says, and stays itself when it is rounded.
func TestFormats(t *testing.T) {
	for name, f := range all {
		values := finiteValues(f)
		require.True(t, slices.IsSorted(values))
		for size, want := range values {
			for _, sign := range []uint64{0, f.Sign()} {
				bits := uint64(size) | sign
				if sign != 0 {
					want = -want
				}
				got := f.Value(bits)
				require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s %#x", name, bits)
				require.Equal(t, bits, f.Round(got, Nearest), "%s %#x", name, bits)
			}
		}
		if f != E4M3 {
			assert.True(t, math.IsInf(f.Value(f.Infinity|f.Sign()), -1), name)
		}
		assert.True(t, math.IsNaN(f.Value(f.NaN)), name)
		assert.Equal(t, f.NaN, f.Round(math.NaN(), Nearest), name)
	}
	assert.Equal(t, 448.0, E4M3.Value(0x7e))
	assert.Equal(t, 57344.0, E5M2.Value(0x7b))
	assert.Equal(t, 65504.0, F16.Value(0x7bff))
	assert.Equal(t, uint64(0x7e), E4M3.Finite(1e9, Nearest))
	assert.Equal(t, uint64(0xfe), E4M3.Finite(math.Inf(-1), Nearest))
	assert.Equal(t, uint64(0x7f), E4M3.Finite(math.NaN(), Nearest))
}

// TestRoundingOfFormats compares with a search among all values.
func TestRoundingOfFormats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, f := range all {
		values := finiteValues(f)
		step := values[1]
		beyond := 2*values[len(values)-1] - values[len(values)-2] // where the next value would be
		for range 20000 {
			x := values[random.IntN(len(values))]
			switch random.IntN(4) {
			case 0:
				x += step * random.Float64()
			case 1: // between two values, or halfway
				n := random.IntN(len(values) - 1)
				x = values[n] + (values[n+1]-values[n])*float64(random.IntN(9))/8
			case 2:
				x = math.Nextafter(x, float64(random.IntN(2))*1e300)
			}
			if random.IntN(2) == 0 {
				x = -x
			}
			for _, mode := range []Rounding{Nearest, TowardZero, Down, Up, NearestAway} {
				require.Equal(t, nearestOf(f, values, beyond, x, mode), f.Round(x, mode), "%s of %v, %v", name, x, mode)
			}
		}
	}
}

// nearestOf rounds x by looking it up.
func nearestOf(f *Format, values []float64, beyond, x float64, mode Rounding) uint64 {
	size, sign := math.Abs(x), uint64(0)
	if math.Signbit(x) {
		sign = f.Sign()
	}
	n := sort.SearchFloat64s(values, size) // the first not below
	if n < len(values) && values[n] == size {
		return sign | uint64(n)
	}
	low, high := n-1, n
	above := beyond
	if n < len(values) {
		above = values[n]
	}
	result := low
	switch mode {
	case Nearest, NearestAway:
		below, over := size-values[low], above-size
		if over < below || over == below && (mode == NearestAway || low&1 == 1) {
			result = high
		}
	case Up:
		if sign == 0 {
			result = high
		}
	case Down:
		if sign != 0 {
			result = high
		}
	}
	if result == len(values) {
		return sign | f.Infinity
	}
	return sign | uint64(result)
}
