package interp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// pairs counts the pairs of a plan.
func pairs(p *bytecode.Plan) (n int) {
	for pc := range p.Paired {
		if p.Paired[pc].Op == bytecode.OpHoisted && p.Code[pc].Op != bytecode.OpHoisted {
			n++
		}
	}
	return n
}

// arePortable reports whether functions on lanes are the portable ones, which pairs are made of.
func arePortable() bool { return simd.CodeOf(simd.Fast.AddF32) == simd.CodeOf(simd.Portable.AddF32) }

// specials is bits with which integers and f32 have special cases.
var specials = []uint32{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7f800001,
	0xff800001, 0x7fc00000, 0xffc12345, 0x00800000, 0x80800000, 0x007fffff, 0x00000003, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b7fffff, 0x34000000,
}

// pairKernel makes a kernel of random arithmetic with pairs, branches, loops that lanes leave one by one, and accesses, of which some fail. %f1 to
// %f6 and %r2 to %r5 are what it computes, %t registers are temporary.
func pairKernel(rng *rand.Rand) string {
	var body strings.Builder
	temporaries := 0
	for n, steps := 0, 4+rng.IntN(16); n < steps; n++ {
		body.WriteString(pairStep(rng, &temporaries, 0))
	}
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .f32 x, .param .u32 n) {
.reg .b64 %rd<8>; .reg .b32 %r<12>; .reg .f32 %f<12>; .reg .f32 %t<` + fmt.Sprint(temporaries+1) + `>; .reg .pred %p<8>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.f32 %f8, [x]; ld.param.u32 %r8, [n];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 64; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4]; ld.global.f32 %f3, [%rd2+8]; ld.global.f32 %f4, [%rd2+12]; ld.global.f32 %f5, [%rd2+16]; ld.global.f32 %f6, [%rd2+20];
ld.global.u32 %r2, [%rd2+24]; ld.global.u32 %r3, [%rd2+28]; mov.u32 %r4, %r1; mov.u32 %r5, 7; mov.u64 %rd4, %rd3;
setp.lt.u32 %p1, %r1, 40; setp.ne.u32 %p2, %r1, 3; setp.gt.f32 %p3, %f1, %f2;
` + body.String() + `
st.global.f32 [%rd1], %f1; st.global.f32 [%rd1+4], %f2; st.global.f32 [%rd1+8], %f3; st.global.f32 [%rd1+12], %f4; st.global.f32 [%rd1+16], %f5; st.global.f32 [%rd1+20], %f6;
st.global.u32 [%rd1+24], %r2; st.global.u32 [%rd1+28], %r3; st.global.u32 [%rd1+32], %r4; st.global.u32 [%rd1+36], %r5; st.global.u64 [%rd1+40], %rd4;
selp.u32 %r9, 1, 2, %p1; selp.u32 %r10, 4, 8, %p2; add.u32 %r9, %r9, %r10; selp.u32 %r10, 16, 32, %p3; add.u32 %r9, %r9, %r10; st.global.u32 [%rd1+48], %r9;
ret;
}`
}

// pairStep makes a statement; depth is in how many branches it stands.
func pairStep(rng *rand.Rand, temporaries *int, depth int) string {
	single := func() string {
		return oneOf(rng, "%f1", "%f2", "%f3", "%f4", "%f5", "%f6", "%f8", "0f40800000", "0f3F000000", "0f7F800000")
	}
	dst := func() string { return oneOf(rng, "%f1", "%f2", "%f3", "%f4", "%f5", "%f6") }
	integer := func() string { return oneOf(rng, "%r2", "%r3", "%r4", "%r5") }
	predicate := func() string { return oneOf(rng, "%p1", "%p2", "%p3") }
	op := func() string { return oneOf(rng, "add.f32", "sub.f32", "mul.f32", "add.rn.f32", "mul.rn.f32") }
	float := func() string { return oneOf(rng, "lt", "le", "gt", "ge", "eq", "ne", "ltu", "geu", "gtu") + ".f32" }
	guard := oneOf(rng, "", "", "", "", "", "@%p1 ", "@!%p2 ")
	switch rng.IntN(18) {
	case 0, 1, 2, 3, 4, 5: // a value that one instruction hands to another
		*temporaries++
		value := fmt.Sprintf("%%t%d", *temporaries)
		between := ""
		if rng.IntN(3) == 0 && depth < 2 {
			between = pairStep(rng, temporaries, 2)
		}
		twice := single()
		first := op() + " " + value + ", " + oneOf(rng, single(), twice) + ", " + twice + ";\n"
		other := single()
		if rng.IntN(8) == 0 {
			other = value
		}
		x, y := value, other
		if rng.IntN(2) == 0 {
			x, y = y, x
		}
		second := oneOf(rng, guard+op()+" "+dst()+", "+x+", "+y+";\n", op()+" "+dst()+", "+x+", "+y+";\n",
			"setp."+float()+" "+predicate()+", "+x+", "+y+";\n", "setp."+float()+" "+predicate()+", "+x+", 0f40800000;\n", "fma.rn.f32 "+dst()+", "+x+", "+y+", "+single()+";\n")
		if rng.IntN(8) == 0 {
			second += "mov.f32 " + dst() + ", " + value + ";\n" // it is needed after
		}
		return first + between + second
	case 6, 7, 8: // a count
		r := integer()
		step, limit := oneOf(rng, "1", "-1", "%r8", "4", integer()), oneOf(rng, "%r8", "40", "-5", "0", integer())
		x, y := r, limit
		if rng.IntN(3) == 0 {
			x, y = y, x
		}
		between := ""
		if rng.IntN(3) == 0 && depth < 2 {
			between = pairStep(rng, temporaries, 2)
		}
		return "add." + oneOf(rng, "s32", "u32") + " " + oneOf(rng, r, r, integer()) + ", " + integer() + ", " + step + ";\n" + between +
			"setp." + oneOf(rng, "lt", "le", "gt", "ge", "eq", "ne") + oneOf(rng, ".s32 ", ".u32 ") + predicate() + ", " + x + ", " + y + ";\n"
	case 9:
		return "add.s64 %rd4, %rd4, " + oneOf(rng, "1", "-100", "4096") + ";\nsetp." + oneOf(rng, "lt", "ge", "eq") + oneOf(rng, ".s64 ", ".u64 ") + predicate() + ", %rd4, 2048;\n"
	case 10:
		return guard + "ld.global.f32 " + dst() + ", [%rd2+" + oneOf(rng, "0", "4", "8", "32", "60") + "];\n"
	case 11:
		return guard + "st.global.f32 [%rd1+" + oneOf(rng, "52", "56", "60") + "], " + single() + ";\n"
	case 12:
		return guard + op() + " " + dst() + ", " + single() + ", " + single() + ";\n"
	case 13:
		return "selp.f32 " + dst() + ", " + single() + ", " + single() + ", " + predicate() + ";\n"
	case 14:
		if rng.IntN(6) == 0 { // misaligned or out of bounds, in some lanes
			return guard + "mul.wide.u32 %rd5, " + integer() + ", " + oneOf(rng, "2", "64", "8") + "; add.u64 %rd6, %rd2, %rd5; ld.global.f32 " + dst() + ", [%rd6];\n"
		}
		return "and.pred " + predicate() + ", " + predicate() + ", " + predicate() + ";\n"
	case 15, 16:
		if depth > 1 {
			return ""
		}
		var inner strings.Builder
		for range 1 + rng.IntN(4) {
			inner.WriteString(pairStep(rng, temporaries, depth+1))
		}
		label := fmt.Sprintf("L%d", rng.Uint32())
		if rng.IntN(2) == 0 {
			return "@" + predicate() + " bra " + label + ";\n" + inner.String() + label + ":\n"
		}
		limit := oneOf(rng, "3", "%r1", "%r7")
		return "and.b32 %r7, %r1, 7; mov.u32 %r6, 0;\n" + label + ":\n" + strings.ReplaceAll(inner.String(), "%r6", "%r11") +
			"add.s32 %r6, %r6, 1; setp." + oneOf(rng, "lt.s32", "lt.u32") + " %p4, %r6, " + limit + "; @%p4 bra " + label + ";\n"
	}
	return "mov.f32 " + dst() + ", " + single() + ";\n"
}

// TestPairsOfRandomKernels compares kernels with pairs with the same kernels whose instructions are executed one by one: memory, faults with their
// places, and counts.
func TestPairsOfRandomKernels(t *testing.T) {
	kernels := testenv.Cases(100, 1500)
	paired, faults, differ := 0, 0, 0
	for seed := range uint64(kernels) {
		rng := rand.New(rand.NewPCG(seed, 2))
		source, threads := pairKernel(rng), oneOf[uint32](rng, 64, 64, 80, 33, 7)
		in := make([]uint32, 16*80)
		for n := range in {
			in[n] = oneOf(rng, specials[rng.IntN(len(specials))], rng.Uint32(), 0x3f800000+rng.Uint32N(1<<23), rng.Uint32N(64))
		}
		x := oneOf(rng, in...)
		var results [3]checkedRun
		for n := range results {
			m := newMachine(t, source)
			k := m.lib.Kernels["k"]
			require.Empty(t, k.Unsupported, source)
			switch n {
			case 0:
				paired += pairs(planner.Planned(k.Program))
			case 1:
				unplanned(k)
			default:
				disturb(planner.Planned(k.Program))
			}
			addr := m.upload(make([]byte, 64*80))
			run := Execute(k, &m.mem, config(2, threads, 0), Alone(), arguments(k, addr, m.upload(in), x, uint32(20)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{})
			if run.Fault != nil {
				f := unplaced(run.Fault.Fault)
				results[n].Fault = &f
				faults++
			}
			results[n].Executed = run.Executed.Load()
			b, ok := memory.BytesAt(addr, 64*80)
			require.True(t, ok)
			results[n].Memory = append([]byte(nil), b...)
		}
		if !assert.Equal(t, results[1], results[0], "seed %d\n%s", seed, source) {
			return
		}
		differ += int(simd.Bit(!assert.ObjectsAreEqual(results[1], results[2])))
	}
	t.Log(paired, faults, differ)
	assert.Positive(t, faults)
	if arePortable() {
		assert.Greater(t, paired, kernels)
		assert.Greater(t, differ, kernels/10, "the control: pairs with other operands")
	} else {
		assert.Zero(t, paired)
		assert.Zero(t, differ)
	}
}

// disturb has pairs take their operands in another order.
func disturb(p *bytecode.Plan) {
	for pc := range p.Paired {
		if in := &p.Paired[pc]; in.Op == bytecode.OpLanes && simd.CodeOf(in.Fn) != simd.CodeOf(p.Code[pc].Fn) {
			in.A, in.C = in.C, in.A
		}
	}
}

// TestPairsAndChecks: where something is checked, nothing is paired.
func TestPairsAndChecks(t *testing.T) {
	if !arePortable() {
		return
	}
	m := newMachine(t, entry("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;"))
	k := m.lib.Kernels["k"]
	require.Equal(t, 1, pairs(planner.Planned(k.Program)))
	for _, c := range []struct {
		Checks
		paired bool
	}{{Checks{}, true}, {Checks{Races: true}, false}, {Checks{Undefined: true}, false}, {Checks{Coverage: true}, false}, {Checks{plainly: true}, false}} {
		place := Alone()
		b := newBlock(k, &m.mem, config(1, 32, 64), &place, make([]byte, k.ParamBytes), new(atomic.Bool))
		b.observe(c.Checks)
		assert.Equal(t, c.paired, &b.code[0] == &k.Plan.Paired[0], "%+v", c)
	}
}
