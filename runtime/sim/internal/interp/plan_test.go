package interp

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// unplanned makes k execute each of its instructions.
func unplanned(k *bytecode.Kernel) {
	k.Planning = sync.Once{}
	k.Planning.Do(func() { k.Plan.Code, k.Plan.Spoiled = k.Code, k.AllRegisters() })
}

// TestPlan compares the results of kernels and how many instructions their threads executed with
// those of each instruction executed by itself.
func TestPlan(t *testing.T) {
	const header = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .pred %p<4>; .reg .f32 %f<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .shared .align 16 .b8 s[4096];\n" +
		"ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 64, %r2; mul.wide.u32 %rd2, %r3, 8; add.s64 %rd3, %rd1, %rd2; shl.b32 %r4, %r2, 2; mov.u32 %r5, s; add.s32 %r5, %r5, %r4;\n"
	const end = "\nst.global.v2.u32 [%rd3], {%r14, %r15}; ret; }"
	for _, c := range []struct {
		name, body string
		hoists     int // at least
		follows    bool
		fuses      int // of products and sums in the body
	}{
		{name: "a register that only some blocks write", body: "mov.u32 %r15, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r14, 5; L: "},
		{name: "a register that only some lanes write", body: "mov.u32 %r15, 1; setp.lt.s32 %p1, %r2, 40; @%p1 mov.u32 %r14, 5; "},
		{name: "a value that is written twice", body: "mov.u32 %r14, 5; st.shared.u32 [%r5], %r14; add.s32 %r14, %r14, %r1; mov.u32 %r15, %r14; ", hoists: 2},
		{name: "a value of a loop that is the same in all blocks", body: "mov.u32 %r14, 0; mov.u32 %r15, 0; L: mul.lo.s32 %r6, %r2, 3; add.s32 %r14, %r14, %r6; add.s32 %r15, %r15, 1; setp.lt.u32 %p1, %r15, %r2; @%p1 bra L; ", hoists: 2},
		{name: "a value used in the turn after it is written", body: "mov.u32 %r14, 0; mov.u32 %r15, 0; L: add.s32 %r14, %r14, %r7; mov.u32 %r7, %r2; add.s32 %r15, %r15, 1; setp.lt.u32 %p1, %r15, 3; @%p1 bra L; "},
		{name: "a label among values that are the same", body: "mov.u32 %r15, 0; mov.u32 %r14, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra L; mov.u32 %r14, %r1; L: mov.u32 %r6, 7; mov.u32 %r7, 9; add.s32 %r14, %r14, %r6; add.s32 %r15, %r15, %r7; ", hoists: 3},
		{name: "accesses by one register", body: "st.shared.u32 [%r5], %r2; st.shared.u32 [%r5+256], %r3; ld.shared.u32 %r14, [%r5]; ld.shared.u32 %r6, [%r5+256]; mad.lo.s32 %r14, %r14, 1000, %r6; ld.shared.u8 %r15, [%r5+257]; ld.shared.u16 %r6, [%r5+256]; mad.lo.s32 %r15, %r15, 1000, %r6; ", follows: true},
		{name: "wider than the first", body: "mul.lo.s32 %r6, %r2, 8; mov.u32 %r7, s; add.s32 %r7, %r7, %r6; st.shared.u32 [%r7], %r2; st.shared.u32 [%r7+4], %r3; ld.shared.v2.u32 {%r14, %r15}, [%r7]; ", follows: true},
		{name: "one address", body: "mov.u32 %r7, s; ld.shared.u32 %r14, [%r7]; st.shared.u32 [%r7], %r2; ld.shared.u32 %r15, [%r7]; st.shared.u32 [%r7+4], %r3; ", follows: true},
		{name: "a register written between", body: "st.shared.u32 [%r5], %r2; add.s32 %r5, %r5, 4; st.shared.u32 [%r5+4], %r3; bar.sync 0; ld.shared.u32 %r14, [%r5]; ld.shared.u32 %r5, [%r5+4]; mov.u32 %r15, %r5; ", follows: true},
		{name: "some lanes", body: "mov.u32 %r14, 0; mov.u32 %r15, 0; st.shared.u32 [%r5], %r2; ld.shared.u32 %r8, [%r5]; setp.lt.u32 %p1, %r2, 40; @%p1 bra L; ld.shared.u32 %r14, [%r5+0]; ld.shared.u32 %r15, [%r5+0]; L: ", follows: true},
		{name: "rows of 16", body: "and.b32 %r6, %r2, 15; shl.b32 %r6, %r6, 2; shr.u32 %r7, %r2, 4; mad.lo.s32 %r6, %r7, 72, %r6; mov.u32 %r7, s; add.s32 %r7, %r7, %r6; st.shared.u32 [%r7], %r2; st.shared.u32 [%r7+1024], %r3; bar.sync 0; ld.shared.u32 %r14, [%r7]; ld.shared.u32 %r15, [%r7+1024]; ld.shared.u8 %r6, [%r7+1025]; add.s32 %r15, %r15, %r6; ld.shared.u32 %r6, [%r7+4]; add.s32 %r14, %r14, %r6; ", follows: true},
		{name: "one place for 16", body: "st.shared.u32 [%r5], %r3; st.shared.u32 [%r5+256], %r2; bar.sync 0; shr.u32 %r6, %r2, 4; shl.b32 %r6, %r6, 3; mov.u32 %r7, s; add.s32 %r7, %r7, %r6; ld.shared.u32 %r14, [%r7]; ld.shared.s32 %r15, [%r7+4]; ld.shared.u16 %r6, [%r7+256]; add.s32 %r15, %r15, %r6; ld.shared.v2.u32 {%r6, %r8}, [%r7]; add.s32 %r15, %r15, %r8; ", follows: true},
		{name: "permuted", body: "xor.b32 %r6, %r2, 5; shl.b32 %r6, %r6, 2; mov.u32 %r7, s; add.s32 %r7, %r7, %r6; st.shared.u32 [%r7], %r2; st.shared.u32 [%r7+256], %r3; ld.shared.u32 %r14, [%r7]; ld.shared.u32 %r15, [%r7+256]; ", follows: true},
		{name: "a product that a sum alone needs", body: "mov.u32 %r14, 1; setp.ge.u32 %p1, %r2, 40; @%p1 bra L; sub.s32 %r6, %r2, 20; mul.wide.s32 %rd4, %r6, -77777777; add.s32 %r7, %r6, 1; add.s64 %rd5, %rd2, %rd4; shr.u64 %rd5, %rd5, 9; cvt.u32.u64 %r14, %rd5; L: mov.u32 %r15, %r14; ", fuses: 1},
		{name: "a product that two sums need", body: "mul.wide.s32 %rd4, %r3, -3; add.s64 %rd5, %rd4, %rd2; add.s64 %rd6, %rd4, %rd5; cvt.u32.u64 %r14, %rd5; cvt.u32.u64 %r15, %rd6; "},
		{name: "a product twice in a sum", body: "mul.wide.u32 %rd4, %r3, 3; add.s64 %rd5, %rd4, %rd4; cvt.u32.u64 %r14, %rd5; mov.u32 %r15, 0; "},
		{name: "a product of what changes before the sum", body: "mov.u32 %r6, %r3; mul.wide.u32 %rd4, %r6, 3; add.s32 %r6, %r6, 1; add.s64 %rd5, %rd4, %rd2; cvt.u32.u64 %r14, %rd5; mov.u32 %r15, %r6; "},
		{name: "a product before a barrier", body: "mul.wide.u32 %rd4, %r3, 3; bar.sync 0; add.s64 %rd5, %rd4, %rd2; cvt.u32.u64 %r14, %rd5; mov.u32 %r15, 0; "},
		{name: "a product that some lanes add", body: "mov.u64 %rd5, 9; mul.wide.u32 %rd4, %r3, 3; setp.lt.u32 %p1, %r2, 40; @%p1 add.s64 %rd5, %rd4, %rd2; cvt.u32.u64 %r14, %rd5; mov.u32 %r15, 0; "},
		{name: "a loop that lanes leave one by one", body: "mov.u32 %r14, 0; mov.u32 %r15, 7; L: mad.lo.s32 %r6, %r14, %r15, %r2; xor.b32 %r7, %r6, %r15; add.s32 %r15, %r7, %r6; add.s32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, %r2; selp.b32 %r8, %r15, %r6, %p1; mov.u32 %r15, %r8; @%p1 bra L; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var outs [2][]uint32
			var executed [2]uint64
			for n := range 2 {
				m := newMachine(t, header+c.body+end)
				k := m.lib.Kernels["k"]
				if n == 1 {
					unplanned(k)
				} else {
					p := planner.Planned(k.Program)
					assert.GreaterOrEqual(t, len(p.Hoisted), c.hoists)
					assert.Equal(t, c.follows, p.Slots > 0)
					assert.Equal(t, c.fuses, fused(k, p))
				}
				out := make([]uint32, 2*64*4)
				addr := m.upload(out)
				var fault *Failure
				executed[n], fault = launch(k, &m.mem, config(4, 64, 0), arguments(k, addr), new(atomic.Bool), 1)
				require.Nil(t, fault)
				m.download(addr, out)
				outs[n] = out
			}
			assert.Equal(t, outs[1], outs[0])
			assert.Equal(t, executed[1], executed[0])
		})
	}
}

// fused counts the products that became part of a sum, but for those of the header's instructions.
func fused(k *bytecode.Kernel, p *bytecode.Plan) (n int) {
	const header = 9
	for pc := header; pc < len(p.Code); pc++ {
		if k.Code[pc].Summed != nil && p.Code[pc].Op == bytecode.OpHoisted {
			n++
		}
	}
	return n
}

// TestTemporaries: what lanes compute that have left a loop is seen in a register that outlives
// the line, so the plan keeps it there.
func TestTemporaries(t *testing.T) {
	const body = `mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2; mov.u32 %r3, 0; L: add.s32 %r4, %r3, %r2; add.s32 %r3, %r4, 1; setp.lt.u32 %p1, %r3, 40; @%p1 bra L; st.global.u32 [%rd2], %r3;`
	for _, all := range []bool{false, true} {
		m := newMachine(t, entry(body))
		k := m.lib.Kernels["k"]
		temporary, code := 0, planner.Planned(k.Program).Quickest()
		for pc := range code {
			in := &code[pc]
			temporary += int(simd.Bit(in.Temporary))
			in.Temporary = in.Temporary || all && (in.Op == bytecode.OpLanes || in.Op == bytecode.OpPair)
		}
		assert.Positive(t, temporary)
		out := make([]uint32, 32)
		addr := m.upload(out)
		_, fault := m.launch("k", config(1, 32, 0), addr, uint32(0))
		require.Nil(t, fault)
		m.download(addr, out)
		want := make([]uint32, 32)
		for l := range want {
			for again := true; again; again = want[l] < 40 {
				want[l] += uint32(l) + 1
			}
		}
		assert.Equal(t, !all, assert.ObjectsAreEqual(want, out))
	}
}

// TestLive: what lanes that have left a loop read behind it stays theirs while others go round.
func TestLive(t *testing.T) {
	const body = `mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2; mov.u32 %r3, 0; mov.u32 %r5, 1; L: add.s32 %r3, %r3, 1; add.s32 %r5, %r5, %r5; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; st.global.u32 [%rd2], %r5;`
	for _, nothing := range []bool{false, true} {
		m := newMachine(t, entry(body))
		k := m.lib.Kernels["k"]
		for _, set := range planner.Planned(k.Program).Live {
			if nothing {
				clear(set)
			}
		}
		out := make([]uint32, 32)
		addr := m.upload(out)
		_, fault := m.launch("k", config(1, 32, 0), addr, uint32(0))
		require.Nil(t, fault)
		m.download(addr, out)
		want := make([]uint32, 32)
		for l := range want {
			want[l] = 1 << max(1, l)
		}
		assert.Equal(t, !nothing, assert.ObjectsAreEqual(want, out), "the control: nothing is live")
	}
}

// TestPlanOfSpeedKernels is TestPlan for whole kernels.
func TestPlanOfSpeedKernels(t *testing.T) {
	for _, c := range contests(1) {
		if c.result == nil {
			continue
		}
		var outs [2][]byte
		var executed [2]uint64
		for n := range 2 {
			m := newMachine(t, speedPTX(t))
			if n == 1 {
				unplanned(m.lib.Kernels[c.kernel])
			}
			args := c.args(m)
			var fault *Failure
			executed[n], fault = m.launch(c.kernel, c.cfg, args...)
			require.Nil(t, fault)
			addr := args[c.result(args)].(uint64)
			outs[n] = memory.AllocationOf(addr >> memory.OffsetBits).Bytes()
		}
		assert.Equal(t, outs[1], outs[0], c.kernel)
		assert.Equal(t, executed[1], executed[0], c.kernel)
	}
}

// An access that follows another is checked as that was.
func TestFollowersAreChecked(t *testing.T) {
	for _, c := range []struct{ name, access, reason string }{
		{"behind the end", "ld.global.u32 %r2, [%rd1+256]", "is out of bounds"},
		{"the last lane alone behind the end", "ld.global.u32 %r2, [%rd1+132]", "is out of bounds"},
		{"before the beginning", "st.global.u32 [%rd1+-4], %r2", "address"},
		{"misaligned", "ld.global.u32 %r2, [%rd1+2]", "is not aligned"},
		{"misaligned for its width", "ld.global.v2.u32 {%r2, %r3}, [%rd1]", "is not aligned"},
	} {
		m := newMachine(t, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b32 %r<8>; .reg .b64 %rd<4>;\n"+
			"ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;\nld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+128], %r2; "+c.access+"; ret; }")
		require.Positive(t, planner.Planned(m.lib.Kernels["k"].Program).Slots, c.name)
		_, fault := m.launch("k", config(1, 32, 0), m.upload(make([]byte, 256)))
		require.NotNil(t, fault, c.name)
		assert.Contains(t, fault.Reason, c.reason, c.name)
	}
}

// The pointers of accesses that follow another point where the memory begins, also when all that
// they access lies before what the leader does: one that pointed before the memory would point into
// other memory of Go's, perhaps free, which the collector does not forgive.
func TestFollowersPointIntoTheirMemory(t *testing.T) {
	load, store := *simd.WholeLoads["u32"], *simd.WholeStores[4]
	defer func() { *simd.WholeLoads["u32"], *simd.WholeStores[4] = load, store }()
	var bases []unsafe.Pointer
	simd.WholeLoads["u32"].Any = func(d *simd.Lanes, base unsafe.Pointer, by uint64, offsets *simd.Lanes) {
		bases = append(bases, base)
		load.Any(d, base, by, offsets)
	}
	simd.WholeStores[4].Any = func(base unsafe.Pointer, by uint64, offsets, s *simd.Lanes) {
		bases = append(bases, base)
		store.Any(base, by, offsets, s)
	}
	m := newMachine(t, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<8>; .reg .b64 %rd<4>;\n"+
		"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 12; add.s64 %rd1, %rd1, %rd2;\n"+
		"ld.global.u32 %r2, [%rd1+8]; ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd1+4], %r2; ret; }")
	require.Positive(t, planner.Planned(m.lib.Kernels["k"].Program).Slots)
	values := make([]uint32, 96)
	want := make([]uint32, 96)
	for n := range values {
		values[n] = uint32(n * n)
		want[n] = values[n]
		if n%3 == 1 {
			want[n] = uint32((n-1)*(n-1) + (n+1)*(n+1))
		}
	}
	addr := m.upload(values)
	_, fault := m.launch("k", config(1, 32, 0), addr)
	require.Nil(t, fault)
	m.download(addr, values)
	assert.Equal(t, want, values)
	begin := unsafe.Pointer(unsafe.SliceData(memory.AllocationOf(addr >> memory.OffsetBits).Data))
	assert.Equal(t, []unsafe.Pointer{begin, begin, begin}, bases)
}
