package interp

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A block that an earlier launch has left finds what a new one finds: other arguments, grids and special registers, whichever checks there are.
func TestBlocksAreReused(t *testing.T) {
	m := newMachine(t, entry(`mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x; mov.u64 %rd5, %gridid; cvt.u32.u64 %r5, %rd5;
mad.lo.u32 %r6, %r3, 100, %r4; mad.lo.u32 %r6, %r1, 10000, %r6;
mov.u32 %r7, %ntid.x; mad.lo.u32 %r8, %r4, %r7, %r2; mul.wide.u32 %rd2, %r8, 8; add.s64 %rd2, %rd1, %rd2;
st.global.u32 [%rd2], %r6; st.global.u32 [%rd2+4], %r5;`))
	k := m.lib.Kernels["k"]
	last := uint32(0)
	for n := range uint32(60) {
		grid, threads := 1+n%3, 1+n%5*20
		out := make([]uint32, 2*grid*threads)
		addr := m.upload(out)
		checks := Checks{Races: n%4 == 1, Undefined: n%4 == 2, Arrays: n%4 == 3}
		run := Execute(k, &m.mem, config(grid, threads, 64*(n%2)), Alone(), arguments(k, addr, n), new(atomic.Bool), int(1+n%2), new(atomic.Uint64), checks)
		require.Nil(t, run.Fault)
		m.download(addr, out)
		for i := range grid * threads {
			require.Equal(t, n*10000+grid*100+i/threads, out[2*i], "launch %d, thread %d", n, i)
			require.Greater(t, out[2*i+1], last, "the number of the grid")
		}
		last = out[1]
	}
	addr := m.upload(make([]uint32, 4096))
	params, stop, ended := arguments(k, addr, uint32(1)), new(atomic.Bool), new(atomic.Uint64)
	launch := func() { Execute(k, &m.mem, config(4, 256, 64), Alone(), params, stop, 2, ended, Checks{}) }
	launch()
	if !raceEnabled { // whose pools lose some of what they are given
		assert.LessOrEqual(t, testing.AllocsPerRun(100, launch), 2.0, "allocations of a launch")
	}
}

// A Run is small, and what all workers write is alone in its last cache line.
func TestRunIsSmall(t *testing.T) {
	const header = 8 // that the allocator puts in front of what has pointers
	size := unsafe.Sizeof(Run{}) + header
	assert.LessOrEqual(t, size, uintptr(768), "bytes of each launch")
	assert.Zero(t, size%cacheLine, "what lies behind begins a line")
}

// What a thread may access does not depend on how deep the stack of a block before was.
func TestReusedStacks(t *testing.T) {
	m := newMachine(t, entry(`cvt.u64.u32 %rd3, %r1; alloca.u64 %rd4, %rd3; st.local.u32 [%rd4+2000], %r2; ld.local.u32 %r5, [%rd4+2000];`))
	k := m.lib.Kernels["k"]
	require.Empty(t, k.Unsupported)
	addr := m.upload(make([]uint32, 32))
	for n, test := range []struct {
		bytes uint32
		valid bool
	}{{16, false}, {4096, true}, {16, false}, {4096, true}, {16, false}} {
		run := Execute(k, &m.mem, config(1, 32, 0), Alone(), arguments(k, addr, test.bytes), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Undefined: n%2 == 1})
		assert.Equal(t, test.valid, run.Fault == nil, "launch %d with %d bytes", n, test.bytes)
	}
}

// How often a race is found does not depend on blocks before that accessed bytes of the words.
func TestReusedWords(t *testing.T) {
	m := newMachine(t, entry(`mov.u32 %r3, dyn; mul.lo.u32 %r4, %r2, 0x01010101; setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.u32 [%r3], %r4;
@!%p1 st.shared.u8 [%r3+1], %r4;`))
	k := m.lib.Kernels["k"]
	addr := m.upload(make([]uint32, 32))
	counts := make(map[uint32][]uint64)
	for _, n := range []uint32{0, 0, 1, 0, 1, 0} {
		run := Execute(k, &m.mem, config(1, 64, 64), Alone(), arguments(k, addr, n), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Races: true})
		require.NotNil(t, run.Fault)
		counts[n] = append(counts[n], run.Fault.Count)
	}
	for n, all := range counts {
		for _, count := range all {
			assert.Equal(t, all[0], count, "%d: %v", n, all)
		}
	}
}
