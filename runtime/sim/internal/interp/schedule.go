package interp

import (
	"math/bits"
	"math/rand/v2"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Schedule says in which order blocks and warps run. Seed 0 is theirs: the lowest first.
//
// CUDA Programming Guide, Programming Model: blocks run in any order, and so do warps.
type Schedule struct{ Seed uint64 }

// gang returns which of n gangs runs as the i-th. Every gang runs once: the step has no factor in
// common with n.
func (s Schedule) gang(i, n uint64) uint64 {
	if s.Seed == 0 || n < 2 {
		return i
	}
	source := rand.NewPCG(s.Seed, n)
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

// warps returns the turns of a block's n warps, in a buffer that is used again; nil is the order
// of their numbers.
func (s Schedule) warps(index driver.Dim3, n int) *turns {
	if s.Seed == 0 || n < 2 {
		return nil
	}
	t := &turns{order: make([]int, n)}
	for i := range t.order {
		t.order[i] = i
	}
	t.source = rand.New(rand.NewPCG(s.Seed, uint64(index.X)<<40^uint64(index.Y)<<20^uint64(index.Z)))
	return t
}

// turns is the order in which a block's warps run, which is another one each time.
type turns struct {
	order  []int
	source *rand.Rand
}

// shuffle changes the order.
func (t *turns) shuffle() {
	if t != nil {
		t.source.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
	}
}

// at returns which warp runs as the n-th.
func (t *turns) at(n int) int {
	if t == nil {
		return n
	}
	return t.order[n]
}
