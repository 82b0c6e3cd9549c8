package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPairings compares what pairs make at once with what their instructions make one after the other. NaNs, and a destination that is a source,
// are among them.
func TestPairings(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seen := map[pairKey]bool{}
	for _, list := range [][]Pairing{FloatPairs, FloatTests, CountPairs} {
		for n := range list {
			c := &list[n]
			key := pairKey{CodeOf(c.First), CodeOf(c.Lanes), c.At}
			if c.Test != nil {
				key.second = CodeOf(c.Test)
			}
			require.False(t, seen[key], "%d: %+v", n, key)
			seen[key] = true
			require.Same(t, c, pairings[key])
			differ := false
			for range 3000 {
				sources := [3]*Lanes{randomLanes(r), randomLanes(r), randomLanes(r)}
				if c.Keeps { // the step
					Fill(sources[1], sources[1][0])
				}
				var value Lanes
				c.First(&value, sources[0], sources[1], nil)
				if c.Test != nil { // the limit
					Fill(sources[2], value[r.IntN(warpSize)]+uint64(r.IntN(3))-1)
				}
				operands, swapped := []*Lanes{&value, sources[2]}, []*Lanes{sources[2], &value}
				if c.At == 1 {
					operands, swapped = swapped, operands
				}
				d := append(sources[:], new(Lanes))[r.IntN(4)]
				if c.Test == nil {
					var want, other Lanes
					c.Lanes(&want, operands[0], operands[1], nil)
					c.Lanes(&other, swapped[0], swapped[1], nil)
					c.Both(d, sources[0], sources[1], sources[2])
					require.Equal(t, singles(&want), singles(d), "%d: %x", n, sources)
					differ = differ || singles(&want) != singles(&other)
					continue
				}
				want := c.Test(operands[0], operands[1])
				differ = differ || want != c.Test(swapped[0], swapped[1])
				before := *d
				require.Equal(t, want, c.Pair(d, sources[0], sources[1], sources[2]), "%d: %x", n, sources)
				if c.Keeps {
					require.Equal(t, value, *d, n)
				} else {
					require.Equal(t, before, *d, "%d: nobody needs it", n)
				}
			}
			symmetric := c.Test == nil && CodeOf(c.Lanes) != CodeOf(Portable.SubF32) || c.Test != nil && (CodeOf(c.Test) == CodeOf(Portable.Eq32) || CodeOf(c.Test) == CodeOf(Portable.Eq64))
			assert.Equal(t, !symmetric, differ, "%d: the control: operands in the other order", n)
		}
	}
}

// singles is what an f32 register holds.
func singles(d *Lanes) (r Lanes) {
	for l := range d {
		r[l] = d[l] & (1<<32 - 1)
	}
	return r
}
