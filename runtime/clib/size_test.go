package clib_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/clib"
)

// What fits into 63 bits is exact, and everything else, or made of it, is the greatest number.
func TestSizes(t *testing.T) {
	numbers := []int64{0, 1, -1, 2, -2, 3, 7, -7, 1 << 31, -1 << 31, 1<<31 - 1, 1 << 32, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		numbers = append(numbers, int64(random.Uint64())>>random.IntN(63))
	}
	type exact = func(z, a, b *big.Int) *big.Int
	unlessZero := func(do exact) exact {
		return func(z, a, b *big.Int) *big.Int {
			if b.Sign() == 0 {
				return nil
			}
			return do(z, a, b)
		}
	}
	for name, one := range map[string]struct {
		ours  func(a, b int64) int64
		exact exact
	}{
		"Add": {clib.Add, (*big.Int).Add},
		"Sub": {clib.Sub, (*big.Int).Sub},
		"Mul": {clib.Mul, (*big.Int).Mul},
		"Div": {clib.Div, unlessZero((*big.Int).Quo)},
		"Rem": {clib.Rem, unlessZero((*big.Int).Rem)},
		"Min": {func(a, b int64) int64 { return clib.Min(a, b) }, func(z, a, b *big.Int) *big.Int {
			if a.Cmp(b) < 0 {
				return a
			}
			return b
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, a := range numbers {
				for _, b := range numbers {
					want := int64(math.MaxInt64)
					if x := one.exact(new(big.Int), big.NewInt(a), big.NewInt(b)); a != math.MaxInt64 && b != math.MaxInt64 && x != nil && x.IsInt64() {
						want = x.Int64()
					}
					got := one.ours(a, b)
					if got == math.MaxInt64 && (a == math.MinInt64 || want <= -math.MaxInt64) {
						continue // the two least numbers may count as too much
					}
					assert.Equal(t, want, got, "%d, %d", a, b)
				}
			}
		})
	}
	assert.Equal(t, int64(math.MaxInt64), clib.Abs(math.MinInt64))
	assert.Equal(t, int64(7), clib.Abs(-7))
	assert.Equal(t, int64(-3), clib.Min(2, 5, -3, 4))
}

// A value of an enumeration has the first of its names, or shows its number.
func TestNameOf(t *testing.T) {
	list := []clib.Enumerator{{Value: 1, Name: "ONE"}, {Value: -2, Name: "LESS"}, {Value: 1, Name: "AGAIN"}}
	assert.Equal(t, "ONE", clib.NameOf(list, 1, "Kind"))
	assert.Equal(t, "LESS", clib.NameOf(list, -2, "Kind"))
	assert.Equal(t, "Kind(3)", clib.NameOf(list, 3, "Kind"))
}

// Nobody knows how a number that is too much compares.
func TestCompare(t *testing.T) {
	for _, one := range []struct {
		a, b int64
		want int
	}{{1, 2, -1}, {2, 2, 0}, {3, 2, 1}, {-5, math.MinInt64, 1}, {clib.TooMuch, 2, 2}, {2, clib.TooMuch, 2}, {clib.TooMuch, clib.TooMuch, 2}} {
		assert.Equal(t, one.want, clib.Compare(one.a, one.b), "%+v", one)
	}
}

// Objects keep all numbers but one that is too much.
func TestKeptNumbers(t *testing.T) {
	o := new(clib.Object)
	assert.Equal(t, clib.TooMuch, clib.Kept(o, 0))
	for _, n := range []int64{0, 1, -1, 7, -7, math.MaxInt64 - 2, math.MinInt64, clib.TooMuch} {
		o.Keep(0, n)
		assert.Equal(t, n, clib.Kept(o, 0))
	}
}
