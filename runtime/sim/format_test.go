package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// finiteValues returns the finite values of f that are not negative, as the ISA defines them, in order.
func finiteValues(f *format) (values []float64) {
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
	for name, f := range formats {
		values := finiteValues(f)
		require.True(t, slices.IsSorted(values))
		for size, want := range values {
			for _, sign := range []uint64{0, f.sign()} {
				bits := uint64(size) | sign
				if sign != 0 {
					want = -want
				}
				got := f.value(bits)
				require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s %#x", name, bits)
				require.Equal(t, bits, f.round(got, nearest), "%s %#x", name, bits)
			}
		}
		if f != formatE4M3 {
			assert.True(t, math.IsInf(f.value(f.infinity|f.sign()), -1), name)
		}
		assert.True(t, math.IsNaN(f.value(f.nan)), name)
		assert.Equal(t, f.nan, f.round(math.NaN(), nearest), name)
	}
	assert.Equal(t, 448.0, formatE4M3.value(0x7e))
	assert.Equal(t, 57344.0, formatE5M2.value(0x7b))
	assert.Equal(t, 65504.0, formatF16.value(0x7bff))
	assert.Equal(t, uint64(0x7e), formatE4M3.finite(1e9, nearest))
	assert.Equal(t, uint64(0xfe), formatE4M3.finite(math.Inf(-1), nearest))
	assert.Equal(t, uint64(0x7f), formatE4M3.finite(math.NaN(), nearest))
}

// TestRoundingOfFormats compares with a search among all values.
func TestRoundingOfFormats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, f := range formats {
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
			for _, mode := range []rounding{nearest, towardZero, down, up, nearestAway} {
				require.Equal(t, nearestOf(f, values, beyond, x, mode), f.round(x, mode), "%s of %v, %v", name, x, mode)
			}
		}
	}
}

// nearestOf rounds x by looking it up.
func nearestOf(f *format, values []float64, beyond, x float64, mode rounding) uint64 {
	size, sign := math.Abs(x), uint64(0)
	if math.Signbit(x) {
		sign = f.sign()
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
	case nearest, nearestAway:
		below, over := size-values[low], above-size
		if over < below || over == below && (mode == nearestAway || low&1 == 1) {
			result = high
		}
	case up:
		if sign == 0 {
			result = high
		}
	case down:
		if sign != 0 {
			result = high
		}
	}
	if result == len(values) {
		return sign | f.infinity
	}
	return sign | uint64(result)
}
