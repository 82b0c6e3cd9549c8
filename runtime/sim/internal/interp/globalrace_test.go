package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// globallyRaced runs body in three blocks of 64 threads and returns the races in it. %r1 is the thread's number, %r2 the
// block's; p is in %rd1, %rd2 is its word of the thread, %rd3 that of the thread in the grid, %rd4 that of
// the same thread in the next block, %rd5 that of the thread in the other warp, %rd6 that of the neighbour.
func globallyRaced(t *testing.T, body string) []*driver.Fault {
	t.Helper()
	m := newMachine(t, `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .b16 %h<4>; .reg .pred %p<4>;
.shared .align 4 .b32 last;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
mad.wide.u32 %rd2, %r1, 4, %rd1; mad.wide.u32 %rd3, %r3, 4, %rd1; add.u32 %r4, %r3, 64; rem.u32 %r4, %r4, 192; mad.wide.u32 %rd4, %r4, 4, %rd1;
xor.b32 %r4, %r3, 32; mad.wide.u32 %rd5, %r4, 4, %rd1; xor.b32 %r4, %r3, 1; mad.wide.u32 %rd6, %r4, 4, %rd1;
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;
`+body+`
ret;
}`)
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	run := Execute(k, &m.mem, config(3, 64, 0), Alone(), arguments(k, m.upload(make([]uint32, 1024))), new(atomic.Bool), 2, new(atomic.Uint64), Checks{GlobalRaces: true})
	if run.Fault == nil {
		return nil
	}
	require.Equal(t, racecheck, run.Fault.Check, run.Fault.Reason)
	return append([]*driver.Fault{&run.Fault.Fault}, run.Found...)
}

func TestGlobalRaces(t *testing.T) {
	// The last block to arrive reads what all have written.
	const lastBlock = `st.global.u32 [%rd3], %r3; FENCE bar.sync 0; @%p1 atom.global.add.u32 %r5, [%rd1+2048], 1; @%p1 st.shared.u32 [last], %r5; bar.sync 0;
ld.shared.u32 %r6, [last]; setp.ne.u32 %p3, %r6, 2; @%p3 bra E; ld.global.u32 %r7, [%rd4]; E:`
	// The first warp of a block writes and sets a flag, for which the other warp waits.
	const flag = `setp.ge.u32 %p3, %r1, 32; @%p3 bra W; st.global.u32 [%rd3], %r1; bar.warp.sync -1; FENCE @%p1 st.volatile.global.u32 [%rd1+2048], 1; bra E;
W: @!%p2 bra E; L: ld.volatile.global.u32 %r5, [%rd1+2048]; setp.eq.u32 %p3, %r5, 0; @%p3 bra L; BEHIND ld.global.u32 %r6, [%rd5]; E:`
	// Block 0 writes and sets a flag, for which block 1 waits.
	const blocks = `@!%p1 bra E; @%p2 bra W; setp.ne.u32 %p3, %r2, 1; @%p3 bra E;
L: WAIT setp.eq.u32 %p3, %r5, 0; @%p3 bra L; BEHIND ld.global.u32 %r6, [%rd1]; bra E;
W: st.global.u32 [%rd1], 42; FENCE SET E:`
	// Threads count; USE is what the thread does that finds N.
	const arrive = "@!%p1 bra E; atom.global.add.u32 %r5, [%rd1+2048], 1; setp.ne.u32 %p3, %r5, N; @%p3 bra E; USE E:"
	const arriveAll = "atom.global.add.u32 %r5, [%rd1+2048], 1; setp.ne.u32 %p3, %r5, N; @%p3 bra E; USE E:"
	const wait, set = "ld.volatile.global.u32 %r5, [%rd1+2048];", "st.volatile.global.u32 [%rd1+2048], 1;"
	const inShared = "L: atom.shared.cas.b32 %r5, [last+4], 0, 1; setp.ne.u32 %p3, %r5, 0; @%p3 bra L; FENCE ld.global.u32 %r6, [%rd1+1024]; add.u32 %r6, %r6, %r1; st.global.u32 [%rd1+1024], %r6; FENCE atom.shared.exch.b32 %r5, [last+4], 0; E:"
	fill := func(text string, parts ...string) string {
		for n := 0; n < len(parts); n += 2 {
			text = replaced(text, parts[n], parts[n+1])
		}
		return text
	}
	for _, test := range []struct{ name, body, want string }{
		{"own words", "st.global.u32 [%rd3], %r1; ld.global.u32 %r5, [%rd3];", ""},
		{"one word of all blocks", "st.global.u32 [%rd2], %r3;", "writes global address"},
		{"one value", "st.global.u32 [%rd2], 7;", ""},
		{"read by all", "ld.global.u32 %r5, [%rd2];", ""},
		{"what another block writes", "st.global.u32 [%rd3], %r1; ld.global.u32 %r5, [%rd4];", "of block (0,0,0) read at PTX line 11"},
		{"what another block reads", "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd3], %r1;", "of block (0,0,0) read"},
		{"a barrier is of one block", "st.global.u32 [%rd3], %r1; bar.sync 0; ld.global.u32 %r5, [%rd4];", "of block"},
		{"another warp", "st.global.u32 [%rd3], %r1; ld.global.u32 %r5, [%rd5];", "put __syncthreads() between"},
		{"another warp, with a barrier", "st.global.u32 [%rd3], %r1; bar.sync 0; ld.global.u32 %r5, [%rd5];", ""},
		{"a neighbour", "st.global.u32 [%rd3], %r1; ld.global.u32 %r5, [%rd6];", "of the same warp"},
		{"a neighbour, with __syncwarp", "st.global.u32 [%rd3], %r1; bar.warp.sync -1; ld.global.u32 %r5, [%rd6];", ""},
		{"atomics", "red.global.add.u32 [%rd1], 1;", ""},
		{"an atomic and a write", "red.global.add.u32 [%rd1], 1; @%p1 st.global.u32 [%rd1], 1;", "global address"},
		{"an atomic of 128 bits and a write", ".reg .b128 %q<3>; @%p1 atom.global.exch.b128 %q1, [%rd1], %q2; setp.eq.u32 %p3, %r2, 1; and.pred %p3, %p3, %p1; @%p3 st.global.u32 [%rd1+8], 1;", "global address"},
		{"a lock of 128 bits", `.reg .b128 %q<4>; @!%p1 bra E; mov.u64 %rd2, 0; mov.u64 %rd3, 1; mov.b128 %q1, {%rd2, %rd2}; mov.b128 %q2, {%rd3, %rd2};
L: atom.global.cas.b128 %q3, [%rd1+512], %q1, %q2; mov.b128 {%rd4, %rd5}, %q3; setp.ne.u64 %p3, %rd4, 0; @%p3 bra L; membar.gl; ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;
membar.gl; atom.global.exch.b128 %q3, [%rd1+512], %q1; E:`, ""},
		{"the same without a fence", `.reg .b128 %q<4>; @!%p1 bra E; mov.u64 %rd2, 0; mov.u64 %rd3, 1; mov.b128 %q1, {%rd2, %rd2}; mov.b128 %q2, {%rd3, %rd2};
L: atom.global.cas.b128 %q3, [%rd1+512], %q1, %q2; mov.b128 {%rd4, %rd5}, %q3; setp.ne.u64 %p3, %rd4, 0; @%p3 bra L; membar.gl; ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;
atom.global.exch.b128 %q3, [%rd1+512], %q1; E:`, "global address"},
		{"the same by acquire and release", `.reg .b128 %q<4>; @!%p1 bra E; mov.u64 %rd2, 0; mov.u64 %rd3, 1; mov.b128 %q1, {%rd2, %rd2}; mov.b128 %q2, {%rd3, %rd2};
L: atom.acquire.gpu.global.cas.b128 %q3, [%rd1+512], %q1, %q2; mov.b128 {%rd4, %rd5}, %q3; setp.ne.u64 %p3, %rd4, 0; @%p3 bra L; ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;
atom.release.gpu.global.exch.b128 %q3, [%rd1+512], %q1; E:`, ""},
		{"volatile", "st.volatile.global.u32 [%rd1], %r1; ld.volatile.global.u32 %r5, [%rd1];", ""},
		{"the last block, with fences", replaced(lastBlock, "FENCE", "membar.gl;"), ""},
		{"the last block, without", replaced(lastBlock, "FENCE", ""), "of block"},
		{"the last block, by a release", replaced(replaced(lastBlock, "FENCE", ""), "atom.global.add", "atom.global.release.gpu.add"), ""},
		{"a flag of the other warp", fill(flag, "FENCE", "membar.cta;", "BEHIND", "membar.cta;"), ""},
		{"a flag of the other warp, by release and acquire", fill(flag, "FENCE", "", "BEHIND", "", "st.volatile.global", "st.release.gpu.global", "ld.volatile.global", "ld.acquire.gpu.global"), ""},
		{"a flag of the other warp, no fence behind", fill(flag, "FENCE", "membar.cta;", "BEHIND", ""), "put __syncthreads() between"},
		{"a flag of another block", fill(blocks, "FENCE", "membar.gl;", "BEHIND", "membar.gl;", "WAIT", wait, "SET", set), ""},
		{"a flag of another block, a fence of the system", fill(blocks, "FENCE", "fence.acq_rel.sys;", "BEHIND", "fence.sc.gpu;", "WAIT", wait, "SET", set), ""},
		{"a flag of another block, no fence before", fill(blocks, "FENCE", "", "BEHIND", "membar.gl;", "WAIT", wait, "SET", set), "of block (0,0,0) wrote"},
		{"a flag of another block, no fence behind", fill(blocks, "FENCE", "membar.gl;", "BEHIND", "", "WAIT", wait, "SET", set), "of block (0,0,0) wrote"},
		{"a flag of another block, a barrier behind", fill(blocks, "@!%p1 bra E;", "", "@%p2 bra W;", "@%p2 bra W;", "FENCE", "membar.gl;", "BEHIND", "bar.sync 0;", "WAIT", wait, "SET", set), ""},
		{"a flag of another block, fences of the block", fill(blocks, "FENCE", "membar.cta;", "BEHIND", "membar.gl;", "WAIT", wait, "SET", set), "of block (0,0,0) wrote"},
		{"a flag of another block, a fence of the block behind", fill(blocks, "FENCE", "membar.gl;", "BEHIND", "fence.acq_rel.cta;", "WAIT", wait, "SET", set), "of block (0,0,0) wrote"},
		{"a flag of another block, a fence of its cluster", fill(blocks, "FENCE", "fence.acq_rel.cluster;", "BEHIND", "membar.gl;", "WAIT", wait, "SET", set), "of block (0,0,0) wrote"},
		{"a flag of another block, acquired", fill(blocks, "FENCE", "", "BEHIND", "", "WAIT", "ld.acquire.gpu.global.u32 %r5, [%rd1+2048];", "SET", "st.release.gpu.global.u32 [%rd1+2048], 1;"), ""},
		{"a flag of another block, acquired for the block", fill(blocks, "FENCE", "", "BEHIND", "", "WAIT", "ld.acquire.cta.global.u32 %r5, [%rd1+2048];", "SET", "st.release.gpu.global.u32 [%rd1+2048], 1;"), "of block"},
		{"a flag of another block, released for the block", fill(blocks, "FENCE", "", "BEHIND", "", "WAIT", "ld.acquire.gpu.global.u32 %r5, [%rd1+2048];", "SET", "st.release.cta.global.u32 [%rd1+2048], 1;"), "of block"},
		{"a flag of another block, set by an atomic of the block", fill(blocks, "FENCE", "membar.gl;", "BEHIND", "membar.gl;", "WAIT", wait, "SET", "red.cta.global.add.u32 [%rd1+2048], 1;"), "no atomic for other blocks"},
		{"a flag of another block, set by an atomic", fill(blocks, "FENCE", "membar.gl;", "BEHIND", "membar.gl;", "WAIT", "atom.global.add.u32 %r5, [%rd1+2048], 0;", "SET", "red.global.add.u32 [%rd1+2048], 1;"), ""},
		{"atomics of the block", "red.cta.global.add.u32 [%rd1], 1;", "no atomic for other blocks"},
		{"atomics of the block, in words of the block", "mad.wide.u32 %rd7, %r2, 4, %rd1; red.cta.global.add.u32 [%rd7], 1;", ""},
		{"volatile and an atomic of the block", "@%p2 red.cta.global.add.u32 [%rd1], 1; @!%p2 ld.volatile.global.u32 %r5, [%rd1];", "no atomic for other blocks"},
		{"an atomic and the own value", "@%p1 red.global.add.u32 [%rd1], 1; setp.eq.u32 %p3, %r2, 1; and.pred %p3, %p3, %p1; @%p3 ld.global.u32 %r5, [%rd1];", "reads global address"},
		{"an atomic, then a write", "@%p1 red.global.add.u32 [%rd1], 1; setp.eq.u32 %p3, %r2, 2; and.pred %p3, %p3, %p1; @%p3 st.global.u32 [%rd1], 5;", "writes global address"},
		{"an atomic, then a write, both first", "@%p1 red.global.add.u32 [%rd1], 1; and.pred %p3, %p2, %p1; @%p3 st.global.u32 [%rd1], 5;", "global address"},
		{"the last to arrive, then a write", fill(arrive, "N", "2", "USE", "st.global.u32 [%rd1+2048], 0;"), ""},
		{"the last to arrive, then a read", fill(arrive, "N", "2", "USE", "ld.global.u32 %r5, [%rd1+2048];"), ""},
		{"the last to arrive of many", fill(arriveAll, "N", "191", "USE", "st.global.u32 [%rd1+2048], 0;"), ""},
		{"the last to arrive, then a write behind a barrier", "@%p1 atom.global.add.u32 %r5, [%rd1+2048], 1; @%p1 st.shared.u32 [last], %r5; bar.sync 0; ld.shared.u32 %r6, [last]; setp.eq.u32 %p3, %r6, 2; setp.eq.u32 %p2, %r1, 40; and.pred %p3, %p3, %p2; @%p3 st.global.u32 [%rd1+2048], 0;", ""},
		{"the first to arrive, then a write", fill(arrive, "N", "0", "USE", "st.global.u32 [%rd1+2048], 0;"), "updates global address"},
		{"one between, then a write", fill(arrive, "N", "1", "USE", "st.global.u32 [%rd1+2048], 0;"), "updates global address"},
		{"all that arrive, then a write", fill(arrive, "setp.ne.u32 %p3, %r5, N; @%p3 bra E;", "", "USE", "ld.global.u32 %r5, [%rd1+2048]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1+2048], %r5;"), "updates global address"},
		{"the last thread to arrive, then a write of another", "atom.global.add.u32 %r5, [%rd1], 1; @%p1 st.global.u32 [%rd1], 0;", "global address"},
		{"the last to arrive by atomics of the block", fill(arrive, "atom.global", "atom.cta.global", "N", "2", "USE", "st.global.u32 [%rd1+2048], 0;"), "no atomic for other blocks"},
		{"the last to arrive, whose value nothing reads", "@%p1 atom.global.add.u32 %r9, [%rd1], 1; setp.eq.u32 %p3, %r2, 2; and.pred %p3, %p3, %p1; @%p3 st.global.u32 [%rd1], 0;", "writes global address"},
		{"the last to arrive, without the value", "@%p1 red.global.add.u32 [%rd1], 1; setp.eq.u32 %p3, %r2, 2; and.pred %p3, %p3, %p1; @%p3 st.global.u32 [%rd1], 0;", "writes global address"},
		{"a write, then an atomic", "and.pred %p3, %p2, %p1; @%p3 st.global.u32 [%rd1], 5; @%p1 red.global.add.u32 [%rd1], 1;", "updates global address"},
		{"a read, then an atomic", "and.pred %p3, %p2, %p1; @%p3 ld.global.u32 %r5, [%rd1]; @%p1 red.global.add.u32 [%rd1], 1;", "which thread (0,0,0) of block (0,0,0) read"},
		{"atomics of many, then a read of one", "red.global.add.u32 [%rd1], 1; setp.eq.u32 %p3, %r3, 191; @%p3 ld.global.u32 %r5, [%rd1];", "reads global address"},
		{"an atomic, a barrier, then a read of the own block's", "mad.wide.u32 %rd7, %r2, 4, %rd1; red.global.add.u32 [%rd7], 1; bar.sync 0; ld.global.u32 %r5, [%rd7];", ""},
		{"cleared, then counted", "mad.wide.u32 %rd7, %r2, 4, %rd1; @%p1 st.global.u32 [%rd7], 0; bar.sync 0; red.global.add.u32 [%rd7], 1; bar.sync 0; @%p1 ld.global.u32 %r5, [%rd7];", ""},
		{"a lock in shared memory", "mad.wide.u32 %rd1, %r2, 4, %rd1; @%p1 st.shared.u32 [last], 0; bar.sync 0; and.b32 %r5, %r1, 31; setp.ne.u32 %p3, %r5, 0; @%p3 bra E;" + fill(inShared, "last+4", "last", "FENCE", "membar.cta;"), ""},
		{"a lock in shared memory, without fences", "mad.wide.u32 %rd1, %r2, 4, %rd1; @%p1 st.shared.u32 [last], 0; bar.sync 0; and.b32 %r5, %r1, 31; setp.ne.u32 %p3, %r5, 0; @%p3 bra E;" + fill(inShared, "last+4", "last", "FENCE", ""), "put __syncthreads() between"},
		{"bytes side by side", "cvt.u64.u32 %rd7, %r3; add.u64 %rd7, %rd7, %rd1; st.global.u8 [%rd7], %r1;", ""},
		{"a byte and its word", "cvt.u64.u32 %rd7, %r3; add.u64 %rd7, %rd7, %rd1; st.global.u8 [%rd7], %r1; @%p1 ld.global.u32 %r5, [%rd1];", "which thread"},
		{"vectors", "mad.wide.u32 %rd7, %r3, 8, %rd1; st.global.v2.u32 [%rd7], {%r1, %r3}; ld.global.u32 %r5, [%rd7+4];", ""},
		{"vectors that overlap", "and.b32 %r5, %r3, -2; mad.wide.u32 %rd7, %r5, 4, %rd1; st.global.v2.u32 [%rd7], {%r3, %r3};", "of the same warp"},
	} {
		t.Run(test.name, func(t *testing.T) {
			races := globallyRaced(t, test.body)
			if test.want == "" {
				for _, r := range races {
					assert.Fail(t, (&Failure{*r}).Error())
				}
				return
			}
			text := ""
			for _, r := range races {
				text += r.Reason + "\n"
			}
			assert.Contains(t, text, test.want)
		})
	}
}
