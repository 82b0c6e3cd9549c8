package cuda_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// leastSize is the least number; what is below is a reason why there is none.
const leastSize = math.MinInt + 3

func TestSizesAreExactOrNone(t *testing.T) {
	edges := []int{
		math.MinInt, math.MinInt + 1, math.MinInt + 2, leastSize, leastSize + 1, math.MinInt / 2, -1 << 32, -3037000500, -3037000499, -257, -2, -1,
		0, 1, 2, 3, 61, 62, 63, 64, 255, 1 << 31, 3037000499, 3037000500, 1<<32 - 1, 1 << 32, 1 << 61, 1 << 62, math.MaxInt/2 + 1, math.MaxInt - 1, math.MaxInt,
	}
	for _, test := range []struct {
		name string
		got  func(a, b int) int
		want func(z, a, b *big.Int) *big.Int // nil when there is no result
	}{
		{"AddSizes", cuda.Generated.AddSizes, (*big.Int).Add},
		{"SubSizes", cuda.Generated.SubSizes, (*big.Int).Sub},
		{"MulSizes", cuda.Generated.MulSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 && b.Sign() < 0 {
				return nil
			}
			return z.Mul(a, b)
		}},
		{"QuoSizes", cuda.Generated.QuoSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 || b.Sign() <= 0 {
				return nil
			}
			return z.Quo(a, b)
		}},
		{"RemSizes", cuda.Generated.RemSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 || b.Sign() <= 0 {
				return nil
			}
			return z.Rem(a, b)
		}},
		{"ShlSizes", cuda.Generated.ShlSizes, func(z, a, b *big.Int) *big.Int {
			switch {
			case a.Sign() < 0 || b.Sign() < 0:
				return nil
			case a.Sign() == 0:
				return z
			case b.Int64() > 63:
				return nil
			}
			return z.Lsh(a, uint(b.Int64()))
		}},
		{"ShrSizes", cuda.Generated.ShrSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 || b.Sign() < 0 {
				return nil
			}
			return z.Rsh(a, uint(min(b.Int64(), 100)))
		}},
		{"MaxSizes", cuda.Generated.MaxSizes, func(z, a, b *big.Int) *big.Int {
			if a.Cmp(b) < 0 {
				a = b
			}
			return z.Set(a)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, a := range edges {
				for _, b := range edges {
					got := test.got(a, b)
					if a < leastSize || b < leastSize {
						require.Less(t, got, leastSize, "%d, %d: a reason stays", a, b)
						continue
					}
					want := test.want(new(big.Int), big.NewInt(int64(a)), big.NewInt(int64(b)))
					if want == nil || want.Cmp(big.NewInt(leastSize)) < 0 || want.Cmp(big.NewInt(math.MaxInt)) > 0 {
						require.Less(t, got, leastSize, "%d, %d", a, b)
						continue
					}
					require.Equal(t, want.Int64(), int64(got), "%d, %d", a, b)
				}
			}
		})
	}
}

func TestBadSizes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
		is   error
	}{
		{cuda.Generated.BadSize(nil, "len p=n-m", -3, "n, m", 2, 5), "len p=n-m is -3, must not be negative, with n=2, m=5", cuda.ErrInvalidValue},
		{cuda.Generated.BadSize(nil, "threads a*b", cuda.Generated.MulSizes(1<<62, 2), "a, b", 1<<62, 2), "threads a*b does not fit into 64 bits with a=4611686018427387904, b=2", cuda.ErrOverflow},
		{cuda.Generated.BadSize(nil, "threads (a-1)*(b-1)", cuda.Generated.MulSizes(-1, -1), "a, b", 0, 0), "multiplies, divides or shifts negative numbers with a=0, b=0", cuda.ErrInvalidValue},
		{cuda.Generated.BadSize(nil, "grid n/m", cuda.Generated.QuoSizes(5, 0), "n, m", 5, 0), "grid n/m divides by 0 with n=5, m=0", cuda.ErrInvalidValue},
		{cuda.Generated.BadSize(nil, "grid n", 1<<40, "n", 1<<40), "grid n is 1099511627776, which is too large, with n=1099511627776", cuda.ErrOverflow},
		{cuda.Generated.NegativeInput(nil, "len p=rows*cols", "rows", -1), "len p=rows*cols: rows is -1, must not be negative", cuda.ErrInvalidValue},
		{cuda.Generated.LargeInput(nil, "len p=n", "n", 1<<63), "len p=n: n is 9223372036854775808, limit 9223372036854775807", cuda.ErrOverflow},
	} {
		assert.ErrorContains(t, test.err, test.want)
		assert.ErrorIs(t, test.err, test.is)
	}
	assert.Equal(t, 1, cuda.Generated.Bit(true))
	assert.Equal(t, 0, cuda.Generated.Bit(false))
}
