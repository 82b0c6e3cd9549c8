package simd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUniformVariants compares the functions for operands that are the same in all lanes with those for any.
func TestUniformVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	same := func() *Lanes {
		d := randomLanes(r)
		Fill(d, d[0])
		return d
	}
	near := func(b *Lanes) *Lanes { // some lanes have the value of b, or one beside it
		a := randomLanes(r)
		for l := range a {
			if r.IntN(3) == 0 {
				a[l] = b[0] + uint64(r.IntN(3)) - 1
			}
		}
		return a
	}
	singles := []uintptr{CodeOf(Portable.AddF32), CodeOf(Portable.SubF32), CodeOf(Portable.MulF32), CodeOf(Portable.FmaF32)}
	// results drops what is above the width of fn's type.
	results := func(fn Func, d *Lanes) Lanes {
		r := *d
		if slices.Contains(singles, CodeOf(fn)) {
			for l := range r {
				r[l] &= 1<<32 - 1
			}
		}
		return r
	}
	const names = "of a function tell it apart"
	seen := map[uintptr]bool{}
	for n, variant := range UniformVariants {
		assert.False(t, seen[CodeOf(variant.Of)], names)
		seen[CodeOf(variant.Of)] = true
		for range 2000 {
			for _, with := range []Func{variant.With, variant.Both} {
				a, b, c := randomLanes(r), same(), same()
				var want Lanes
				if with == nil {
					continue
				}
				variant.Of(&want, a, b, c)
				d := []*Lanes{new(Lanes), a}[r.IntN(2)]
				from := *a
				with(d, a, b, c)
				require.Equal(t, results(variant.Of, &want), results(variant.Of, d), "%d: %x by %x, %x", n, from, b[0], c[0])
			}
			if variant.Same != nil {
				a, c := randomLanes(r), randomLanes(r)
				var want Lanes
				variant.Of(&want, a, a, c)
				d := []*Lanes{new(Lanes), a}[r.IntN(2)]
				variant.Same(d, a, a, c)
				require.Equal(t, results(variant.Of, &want), results(variant.Of, d), "%d", n)
			}
		}
		differ := false
		for range 100 {
			var d, x Lanes
			a, b := randomLanes(r), randomLanes(r)
			variant.Of(&d, a, b, b)
			variant.With(&x, a, b, b)
			differ = differ || d != x
		}
		assert.True(t, differ, "the control: an operand that is not the same")
	}
	for n, variant := range UniformComparers {
		assert.False(t, seen[CodeOf(variant.Of)], names)
		seen[CodeOf(variant.Of)] = true
		for range 2000 {
			b := same()
			a := near(b)
			require.Equal(t, variant.Of(a, b), variant.WithB(a, b), "%d: %x with %x", n, a, b[0])
			if variant.WithA != nil {
				require.Equal(t, variant.Of(b, a), variant.WithA(b, a), "%d: %x with %x", n, b[0], a)
			}
		}
	}
}
