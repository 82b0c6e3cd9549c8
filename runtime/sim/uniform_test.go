package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUniformTwins compares the functions for operands that are the same in all lanes with those for any.
func TestUniformTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	same := func() *lanes {
		d := randomLanes(r)
		fill(d, d[0])
		return d
	}
	near := func(b *lanes) *lanes { // some lanes have the value of b, or one beside it
		a := randomLanes(r)
		for l := range a {
			if r.IntN(3) == 0 {
				a[l] = b[0] + uint64(r.IntN(3)) - 1
			}
		}
		return a
	}
	singles := []uintptr{codeOf(portable.addF32), codeOf(portable.subF32), codeOf(portable.mulF32), codeOf(portable.fmaF32)}
	// results drops what is above the width of fn's type.
	results := func(fn laneFunc, d *lanes) lanes {
		r := *d
		if slices.Contains(singles, codeOf(fn)) {
			for l := range r {
				r[l] &= 1<<32 - 1
			}
		}
		return r
	}
	const names = "of a function tell it apart"
	seen := map[uintptr]bool{}
	for n, twin := range uniformTwins {
		assert.False(t, seen[codeOf(twin.of)], names)
		seen[codeOf(twin.of)] = true
		for range 2000 {
			for _, with := range []laneFunc{twin.with, twin.both} {
				a, b, c := randomLanes(r), same(), same()
				var want lanes
				if with == nil {
					continue
				}
				twin.of(&want, a, b, c)
				d := []*lanes{new(lanes), a}[r.IntN(2)]
				from := *a
				with(d, a, b, c)
				require.Equal(t, results(twin.of, &want), results(twin.of, d), "%d: %x by %x, %x", n, from, b[0], c[0])
			}
			if twin.same != nil {
				a, c := randomLanes(r), randomLanes(r)
				var want lanes
				twin.of(&want, a, a, c)
				d := []*lanes{new(lanes), a}[r.IntN(2)]
				twin.same(d, a, a, c)
				require.Equal(t, results(twin.of, &want), results(twin.of, d), "%d", n)
			}
		}
		differ := false
		for range 100 {
			var d, x lanes
			a, b := randomLanes(r), randomLanes(r)
			twin.of(&d, a, b, b)
			twin.with(&x, a, b, b)
			differ = differ || d != x
		}
		assert.True(t, differ, "the control: an operand that is not the same")
	}
	for n, twin := range uniformComparers {
		assert.False(t, seen[codeOf(twin.of)], names)
		seen[codeOf(twin.of)] = true
		for range 2000 {
			b := same()
			a := near(b)
			require.Equal(t, twin.of(a, b), twin.withB(a, b), "%d: %x with %x", n, a, b[0])
			if twin.withA != nil {
				require.Equal(t, twin.of(b, a), twin.withA(b, a), "%d: %x with %x", n, b[0], a)
			}
		}
	}
}

// TestUniforms has registers that are the same in all lanes and others that are not.
func TestUniforms(t *testing.T) {
	m := newMachine(t, entry("mov.u32 %r7, %ntid.x; add.u32 %r3, %r7, 5; add.u32 %r4, %r2, 5; mov.u32 %r5, %laneid; mov.u32 %r6, %warpid; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6;"))
	k := m.lib.kernels["k"]
	require.Empty(t, k.unsupported)
	p := &planner{k: k, plan: k.planned()}
	uniform := p.uniforms()
	var stored []bool
	for pc := range k.code {
		if in := &k.code[pc]; in.op == opStore {
			stored = append(stored, uniform[in.vec[0]])
		}
	}
	assert.Equal(t, []bool{true, false, false, false}, stored)
}
