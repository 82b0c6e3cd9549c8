package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Every gang runs once, in an order of the seed's.
func TestGangs(t *testing.T) {
	for range 200 {
		n, s := rand.Uint64N(300)+1, Seed(rand.Uint64())
		seen := make(map[uint64]bool)
		for i := range n {
			seen[s.Gang(i, n)] = true
			assert.Less(t, s.Gang(i, n), n)
		}
		require.Len(t, seen, int(n))
	}
	assert.Equal(t, uint64(7), Seed(0).Gang(7, 9))
	huge := uint64(1)<<63 - 25
	assert.Less(t, Seed(3).Gang(huge-1, huge), huge)
}

// All warps of a block run in each turn, in an order of the seed's and the block's.
func TestWarps(t *testing.T) {
	orders := func(s Seed, index driver.Dim3) (list [][]int) {
		const warps = 9
		turns := s.Warps(index, warps)
		for range 8 {
			turns.Shuffle()
			var order []int
			for n := range warps {
				order = append(order, turns.At(n))
			}
			require.ElementsMatch(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, order)
			list = append(list, order)
		}
		return list
	}
	for _, order := range orders(0, driver.Dim3{}) {
		assert.IsIncreasing(t, order)
	}
	seen := make(map[string]string)
	for _, s := range []Seed{1, 2} {
		for _, index := range []driver.Dim3{{}, {X: 1}, {Y: 1}, {Z: 1}} {
			assert.Equal(t, orders(s, index), orders(s, index), "it does not vary")
			text, label := fmt.Sprint(orders(s, index)), fmt.Sprint(s, index)
			assert.Empty(t, seen[text], "the order of %s is also that of %s", seen[text], label)
			seen[text] = label
		}
	}
}
