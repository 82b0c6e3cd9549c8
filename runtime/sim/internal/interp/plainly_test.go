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
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// accessKernel makes a kernel of random accesses, barriers and branches. %r2 to %r9 are addresses in shared memory, %rd2 to %rd5 in
// global memory; %r10 to %r13 are values, of which nobody gives %r13 one, and %r14 to %r19 are computed. Up to %p3 predicates are set.
func accessKernel(rng *rand.Rand) string {
	var body strings.Builder
	for n, steps := 0, 8+rng.IntN(24); n < steps; n++ {
		body.WriteString(accessStep(rng, n, 0))
	}
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 fresh) {
.reg .b64 %rd<12>; .reg .b32 %r<24>; .reg .b16 %h<4>; .reg .pred %p<8>;
.shared .align 16 .b8 s[4096];
ld.param.u64 %rd1, [out]; ld.param.u64 %rd6, [fresh];
mov.u32 %r1, %tid.x; mov.u32 %r5, s;
shl.b32 %r20, %r1, 2; add.u32 %r2, %r20, %r5;
xor.b32 %r3, %r20, 128; add.u32 %r3, %r3, %r5;
xor.b32 %r4, %r20, 4; add.u32 %r4, %r4, %r5;
shr.u32 %r6, %r1, 4; shl.b32 %r6, %r6, 6; add.u32 %r6, %r6, %r5;
and.b32 %r7, %r20, 60; add.u32 %r7, %r7, %r5;
mul.lo.u32 %r8, %r1, 37; and.b32 %r8, %r8, 63; shl.b32 %r8, %r8, 2; add.u32 %r8, %r8, %r5;
shl.b32 %r9, %r1, 4; add.u32 %r9, %r9, %r5;
mov.u32 %r10, 7; mul.lo.u32 %r11, %r1, 3; and.b32 %r12, %r1, 1; mov.u32 %r14, 0; mov.u32 %r15, %r1; mov.u32 %r16, 1; mov.u32 %r17, 2;
mul.wide.u32 %rd7, %r1, 4; add.u64 %rd2, %rd1, %rd7; add.u64 %rd3, %rd6, %rd7;
mul.wide.u32 %rd8, %r11, 4; add.u64 %rd4, %rd1, %rd8; mul.wide.u32 %rd9, %r12, 4; add.u64 %rd5, %rd6, %rd9;
setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 40; setp.ne.u32 %p3, %r12, 0;
` + body.String() + `
ret;
}`
}

func oneOf[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }

// accessStep makes a statement; depth is in how many branches it stands.
func accessStep(rng *rand.Rand, n, depth int) string {
	guard := oneOf(rng, "", "", "", "", "@%p1 ", "@%p2 ", "@!%p2 ", "@%p3 ", "@%p4 ")
	value := func() string {
		return oneOf(rng, "%r10", "%r10", "%r11", "%r1", "%r12", "%r14", "%r15", "%r16", "%r17", "%r13")
	}
	dst := func() string { return oneOf(rng, "%r14", "%r15", "%r16", "%r17", "%r18", "%r19") }
	shared := func() string {
		at := oneOf(rng, "%r2", "%r2", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8")
		return fmt.Sprintf("[%s+%d]", at, oneOf(rng, 0, 0, 0, 4, 64, 128, 1024, 1024, 2048))
	}
	global := func() string {
		return fmt.Sprintf("[%s+%d]", oneOf(rng, "%rd2", "%rd3", "%rd4", "%rd5"), oneOf(rng, 0, 0, 4, 512))
	}
	switch rng.IntN(20) {
	case 0, 1, 2:
		return guard + "ld.shared.u32 " + dst() + ", " + shared() + ";\n"
	case 3, 4, 5:
		return guard + "st.shared.u32 " + shared() + ", " + value() + ";\n"
	case 6:
		return oneOf(rng,
			"ld.shared.v2.u32 {"+dst()+", "+dst()+"}, [%r9+1024];\n", "st.shared.v4.u32 [%r9], {"+value()+", "+value()+", "+value()+", "+value()+"};\n",
			"st.shared.u8 [%r5+8], "+value()+";\n", "add.u32 %r21, %r5, %r1; st.shared.u8 [%r21+512], "+value()+"; ld.shared.u8 "+dst()+", [%r21+511];\n",
			"cvt.u16.u32 %h1, "+value()+"; st.shared.u16 [%r2], %h1; ld.shared.u16 %h2, [%r4+2]; cvt.u32.u16 "+dst()+", %h2;\n",
			"ld.shared.u64 %rd10, [%r9+8]; cvt.u32.u64 "+dst()+", %rd10;\n", "cvt.u64.u32 %rd10, "+value()+"; st.shared.u64 [%r9+8], %rd10;\n")
	case 7:
		return guard + oneOf(rng, "red.shared.add.u32 "+shared()+", "+value()+";\n", "atom.shared.add.u32 "+dst()+", "+shared()+", 1;\n",
			"atom.shared.exch.b32 "+dst()+", [%r2], "+value()+";\n", "atom.acq_rel.cta.shared.add.u32 "+dst()+", "+shared()+", 1;\n")
	case 8:
		return guard + oneOf(rng, "st.volatile.shared.u32 "+shared()+", "+value()+";\n", "ld.volatile.shared.u32 "+dst()+", "+shared()+";\n", "membar.cta;\n",
			"st.relaxed.cta.shared.u32 "+shared()+", "+value()+";\n", "ld.acquire.cta.shared.u32 "+dst()+", "+shared()+";\n")
	case 9, 10, 11:
		if depth > 0 {
			return ""
		}
		return oneOf(rng, "bar.sync 0;\n", "bar.sync 0;\n", "bar.sync 0;\n", "bar.warp.sync -1;\n", "barrier.sync 3, 96;\n", "@%p3 bar.warp.sync 0xaaaaaaaa;\n", "barrier.sync 1;\n")
	case 12:
		return guard + "ld.global.u32 " + dst() + ", " + global() + ";\n"
	case 13:
		return guard + "st.global.u32 " + global() + ", " + value() + ";\n"
	case 14:
		return guard + "mad.lo.u32 " + dst() + ", " + value() + ", " + value() + ", " + value() + ";\n"
	case 15:
		return oneOf(rng, "setp.lt.u32 %p4, "+value()+", 9;\n", "setp.eq.u32 %p5, "+value()+", "+value()+"; selp.u32 "+dst()+", "+value()+", "+value()+", %p5;\n",
			"and.pred %p4, %p2, %p6;\n", "selp.u32 "+dst()+", "+value()+", 3, %p3;\n", "xor.pred %p6, %p1, %p3;\n")
	case 16:
		return "mul.wide.u32 %rd10, " + value() + ", 4; add.u64 %rd11, %rd10, %rd1; cvt.u32.u64 " + dst() + ", %rd11;\n"
	case 17:
		if depth > 1 {
			return ""
		}
		var inner strings.Builder
		for i := range 1 + rng.IntN(4) {
			inner.WriteString(accessStep(rng, i, depth+1))
		}
		label := fmt.Sprintf("L%d_%d_%d", depth, n, rng.Uint32())
		return "@" + oneOf(rng, "%p1", "%p2", "%p3", "!%p2", "%p4") + " bra " + label + ";\n" + inner.String() + label + ":\n"
	case 18:
		if depth > 0 {
			return ""
		}
		label := fmt.Sprintf("R%d_%d", n, rng.Uint32())
		return "mov.u32 %r22, 0;\n" + label + ":\n" + accessStep(rng, n, 2) + accessStep(rng, n, 2) +
			oneOf(rng, "", "bar.sync 0;\n") + "add.u32 %r22, %r22, 1; setp.lt.u32 %p7, %r22, 3; @%p7 bra " + label + ";\n"
	}
	return oneOf(rng, "mov.u32 "+dst()+", "+value()+";\n", "shl.b32 "+dst()+", "+value()+", 1;\n", "add.u32 "+dst()+", "+value()+", "+value()+";\n",
		oneOf(rng, "@%p1 exit;\n", "", "")+"not.b32 "+dst()+", "+value()+";\n")
}

// A checkedRun is what checks found in a launch and what the launch left in memory.
type checkedRun struct {
	Found    []driver.Fault
	Fault    *driver.Fault
	Executed uint64
	Memory   []byte
}

// runChecked runs a kernel of accessKernel with checks.
func runChecked(t *testing.T, source string, threads uint32, c Checks) (result checkedRun) {
	t.Helper()
	m := loadMachine(t, source, c.Undefined)
	k := m.lib.Kernels["k"]
	require.Empty(t, k.Unsupported, source)
	out := m.defined(make([]byte, 2048))
	fresh, ok := m.mem.Alloc(2048, memory.Allocation{})
	require.True(t, ok)
	run := Execute(k, &m.mem, config(2, threads, 0), Alone(), arguments(k, out, fresh), new(atomic.Bool), 1, new(atomic.Uint64), c)
	for _, f := range run.Found {
		result.Found = append(result.Found, unplaced(*f))
	}
	if run.Fault != nil {
		f := unplaced(run.Fault.Fault)
		result.Fault = &f
	}
	result.Executed = run.Executed.Load()
	for _, addr := range []uint64{out, fresh} {
		b, ok := memory.BytesAt(addr, 2048)
		require.True(t, ok)
		result.Memory = append(result.Memory, b...)
	}
	return result
}

// unplaced is f without what differs from one allocation to another.
func unplaced(f driver.Fault) driver.Fault {
	if f.Address>>memory.OffsetBits != 0 {
		before := f.Address
		f.Address &= memory.OffsetMask
		f.Reason = strings.ReplaceAll(f.Reason, fmt.Sprintf("%#x", before), "address")
	}
	if at := strings.Index(f.Reason, "global address 0x"); at >= 0 {
		head, tail := f.Reason[:at], f.Reason[at+len("global address "):]
		_, rest, _ := strings.Cut(tail, ":")
		f.Reason = head + rest
	}
	return f
}

// TestPlainly compares what checks find the fast ways with what they find instruction by instruction and access by access, in kernels
// of random accesses: places, threads, messages and counts.
func TestPlainly(t *testing.T) {
	kernels := testenv.Cases(80, 1500)
	found, clean, missed := map[string]int{}, 0, 0
	for seed := range uint64(kernels) {
		rng := rand.New(rand.NewPCG(seed, 1))
		source, threads := accessKernel(rng), oneOf[uint32](rng, 96, 96, 80, 64)
		for _, c := range []Checks{{Races: true}, {Undefined: true}, {Races: true, Undefined: true, Exited: true}} {
			quick := runChecked(t, source, threads, c)
			c.plainly = true
			slow := runChecked(t, source, threads, c)
			if !assert.Equal(t, slow, quick, "seed %d\n%s", seed, source) {
				return
			}
			if len(quick.Found) == 0 && quick.Fault == nil {
				clean++
			}
			for _, f := range quick.Found {
				found[f.Check]++
			}
			if strings.Contains(source, "bar.sync 0;") && c.Races && !c.Undefined {
				other := runChecked(t, strings.Replace(source, "bar.sync 0;", "", 1), threads, c)
				missed += int(simd.Bit(!assert.ObjectsAreEqual(slow.Found, other.Found)))
			}
		}
	}
	t.Log(found, clean, missed)
	assert.Greater(t, found[racecheck], kernels/4)
	assert.Greater(t, found[Initcheck], kernels/4)
	assert.Greater(t, clean, kernels/8)
	assert.Greater(t, missed, kernels/8, "the control: without a barrier other races are found")
}
