package sizes

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
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
		{"AddSizes", Arithmetic{}.AddSizes, (*big.Int).Add},
		{"SubSizes", Arithmetic{}.SubSizes, (*big.Int).Sub},
		{"MulSizes", Arithmetic{}.MulSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 && b.Sign() < 0 {
				return nil
			}
			return z.Mul(a, b)
		}},
		{"QuoSizes", Arithmetic{}.QuoSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 || b.Sign() <= 0 {
				return nil
			}
			return z.Quo(a, b)
		}},
		{"RemSizes", Arithmetic{}.RemSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 || b.Sign() <= 0 {
				return nil
			}
			return z.Rem(a, b)
		}},
		{"ShlSizes", Arithmetic{}.ShlSizes, func(z, a, b *big.Int) *big.Int {
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
		{"ShrSizes", Arithmetic{}.ShrSizes, func(z, a, b *big.Int) *big.Int {
			if a.Sign() < 0 || b.Sign() < 0 {
				return nil
			}
			return z.Rsh(a, uint(min(b.Int64(), 100)))
		}},
		{"MaxSizes", Arithmetic{}.MaxSizes, func(z, a, b *big.Int) *big.Int {
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
