// Package schedule says in which order the blocks of a grid and the warps of a block run: a seed comes in, and
// numbers in another order go out. It knows nothing of what runs.
package schedule

import (
	"math/bits"
	"math/rand/v2"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Seed stands for an order in which blocks and warps run. 0 is that of their numbers: the lowest first.
//
// CUDA Programming Guide, Programming Model: blocks run in any order, and so do warps.
type Seed uint64

// Gang returns which of n gangs, blocks that run at once, runs as the i-th. Every gang runs once: the step has no factor in
// common with n.
func (s Seed) Gang(i, n uint64) uint64 {
	if s == 0 || n < 2 {
		return i
	}
	source := rand.NewPCG(uint64(s), n)
	first, step := source.Uint64()%n, source.Uint64()%n
	for step == 0 || gcd(step, n) != 1 {
		step = (step + 1) % n
	}
	high, low := bits.Mul64(i, step)
	_, product := bits.Div64(high%n, low, n)
	return (first + product) % n
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Warps returns the turns of the n warps of the block at index; nil is the order of their numbers.
func (s Seed) Warps(index driver.Dim3, n int) *Turns {
	if s == 0 || n < 2 {
		return nil
	}
	t := &Turns{order: make([]int, n)}
	for i := range t.order {
		t.order[i] = i
	}
	t.source = rand.New(rand.NewPCG(uint64(s), uint64(index.X)<<40^uint64(index.Y)<<20^uint64(index.Z)))
	return t
}

// Turns is the order in which a block's warps run, which is another one each time.
type Turns struct {
	order  []int
	source *rand.Rand
}

// Shuffle changes the order.
func (t *Turns) Shuffle() {
	if t != nil {
		t.source.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
	}
}

// At returns which warp runs as the n-th.
func (t *Turns) At(n int) int {
	if t == nil {
		return n
	}
	return t.order[n]
}
