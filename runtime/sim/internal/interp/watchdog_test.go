package interp

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/schedule"
)

// watched runs body, which has the number of its block in %r1 and of its thread in %r2 and p in %rd1, with lines, on n workers.
func watched(t *testing.T, body string, cfg driver.LaunchConfig, n int, c Checks) (out []uint32, fault *Failure) {
	t.Helper()
	m := newMachine(t, `.version 7.0
.target sm_75
.address_size 64
.file 1 "kernels.cu"
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<4>; .reg .b32 %r<16>; .reg .pred %p<4>;
.shared .align 4 .b32 flag;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
`+body+`
ret;
}`)
	out = make([]uint32, cfg.Grid.X+3)
	addr := m.upload(out)
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	if c.Watch.Patience == 0 {
		c.Watch.Patience = 50 * time.Millisecond
	}
	run := Execute(k, &m.mem, cfg, Alone(), arguments(k, addr), new(atomic.Bool), n, new(atomic.Uint64), c)
	m.download(addr, out)
	return out, run.Fault
}

// awaitsNext is a block that waits until the next one has begun: the last begins for all.
const awaitsNext = `
setp.eq.u32 %p1, %r2, 0;
@%p1 st.volatile.global.u32 [%rd2], 1;
mov.u32 %r3, %nctaid.x; add.u32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, %r3; @%p2 bra D;
.loc 1 7 1
L: ld.volatile.global.u32 %r5, [%rd2+4]; setp.eq.u32 %p3, %r5, 0; @%p3 bra L;
D:`

// Blocks wait for blocks behind them, and in front of them, on one worker as on two.
func TestBlocksWaitForEachOther(t *testing.T) {
	blocks, locking := testenv.Cases(60, 300), uint32(50)
	if raceEnabled {
		blocks, locking = 12, 12 // each looks at what it waits for in every turn
	}
	for _, workers := range []int{1, 2} {
		for seed := range uint64(testenv.Cases(1, 3)) {
			out, fault := watched(t, awaitsNext, config(uint32(blocks), 64, 0), workers, Checks{Schedule: schedule.Seed(seed)})
			require.Nil(t, fault)
			for _, v := range out[:blocks] {
				require.Equal(t, uint32(1), v)
			}
		}
	}
	const lock = `
L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;
ld.volatile.global.u32 %r4, [%rd1+4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+4], %r4; membar.gl; atom.global.exch.b32 %r5, [%rd1], 0;`
	out, fault := watched(t, lock, config(locking, 1, 0), 2, Checks{})
	require.Nil(t, fault)
	assert.Equal(t, locking, out[1])
}

// A thread that counts while it waits does not repeat itself; the block that it waits for starts all the same.
func TestBlocksThatCountWhileTheyWait(t *testing.T) {
	counts := replaced(awaitsNext, "%r5, 0; @%p3", "%r5, 0; add.u32 %r6, %r6, 1; @%p3")
	_, fault := watched(t, counts, config(3, 32, 0), 1, Checks{})
	assert.Nil(t, fault)
}

// Control: a launch that makes no progress is stopped, with the place of every warp.
func TestNoProgress(t *testing.T) {
	testenv.Need(t, testenv.Long)
	const flag = ".loc 1 9 1\nL: ld.volatile.global.u32 %r5, [%rd1+8]; setp.eq.u32 %p3, %r5, 0; @%p3 bra L;"
	t.Run("a flag that nobody sets", func(t *testing.T) {
		_, fault := watched(t, flag, config(3, 64, 0), 2, Checks{})
		require.NotNil(t, fault)
		assert.Equal(t, driver.ErrorLaunchTimeout, fault.Result)
		assert.Equal(t, []any{"kernels.cu", 9}, []any{fault.Source, fault.Line})
		require.Len(t, fault.Waiting, 6)
		assert.Equal(t, driver.Dim3{X: 2}, fault.Waiting[5].Block)
		assert.Equal(t, 1, fault.Waiting[5].Warp)
		assert.Contains(t, fault.Reason, "no progress: every thread waits for another; 192 threads repeat a loop at kernels.cu:9 (")
	})
	t.Run("a barrier at which half the block waits", func(t *testing.T) {
		_, fault := watched(t, "setp.lt.u32 %p1, %r2, 32; @%p1 st.shared.u32 [flag], 0; @%p1 bra B;\n.loc 1 5 1\nL: ld.volatile.shared.u32 %r3, [flag]; setp.ne.u32 %p2, %r3, 7; @%p2 bra L; ret;\nB:\n.loc 1 6 1\nbar.sync 0; st.volatile.shared.u32 [flag], 7;",
			config(1, 64, 0), 1, Checks{})
		require.NotNil(t, fault)
		assert.Contains(t, fault.Reason, "32 threads wait at kernels.cu:6 (bar.sync 0) for barrier 0, at which 32 of 64 threads have arrived: block (0,0,0) warp 0")
		assert.Contains(t, fault.Reason, "32 threads repeat a loop at kernels.cu:5 (")
	})
	t.Run("blocks that have not started and do not fit", func(t *testing.T) {
		awaitsLast := replaced(awaitsNext, "mov.u32 %r3, %nctaid.x;", "mov.u32 %r3, %nctaid.x; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1; sub.u64 %rd2, %rd2, 8;")
		_, fault := watched(t, awaitsLast, config(200, 32, 40<<10), 2, Checks{})
		assert.Nil(t, fault, "five blocks fit a multiprocessor")
		if raceEnabled {
			return // it takes minutes then
		}
		cfg := config(1000, 32, 200<<10)
		_, fault = watched(t, awaitsLast, cfg, 2, Checks{})
		require.NotNil(t, fault)
		assert.Contains(t, fault.Reason, "perhaps for a block that has not started")
		assert.Len(t, fault.Waiting, gpuProcessors)
	})
	t.Run("a warp that waits for its own lanes", func(t *testing.T) {
		_, fault := watched(t, "setp.lt.u32 %p1, %r2, 16; @%p1 bra S;\nL: ld.volatile.shared.u32 %r3, [flag]; setp.ne.u32 %p2, %r3, 7; @%p2 bra L; ret;\nS: bar.warp.sync -1;", config(1, 32, 0), 1, Checks{})
		require.NotNil(t, fault)
		assert.Contains(t, fault.Reason, "lanes 0xffff0000 of its warp, which its member mask names")
	})
	t.Run("what others may still do", func(t *testing.T) {
		changes := uint64(0)
		quiet := func() (uint64, bool) { changes++; return min(changes, 100), changes > 50 }
		_, fault := watched(t, flag, config(1, 32, 0), 1, Checks{Watch: Watch{Patience: time.Millisecond, Quiet: quiet}})
		require.NotNil(t, fault)
		assert.Greater(t, changes, uint64(100), fault.Reason)
	})
	t.Run("the budget", func(t *testing.T) {
		endless := "L: add.u32 %r3, %r3, 1; bra L;"
		_, fault := watched(t, endless, config(2, 32, 0), 2, Checks{Watch: Watch{Budget: 50 * time.Millisecond}})
		require.NotNil(t, fault)
		assert.Contains(t, fault.Reason, "budget exceeded: no block has ended for 50ms")
		assert.Len(t, fault.Waiting, 2)
	})
	t.Run("a fault of another block comes first", func(t *testing.T) {
		_, fault := watched(t, "setp.eq.u32 %p1, %r1, 1; @%p1 trap;"+flag, config(2, 32, 0), 2, Checks{})
		require.NotNil(t, fault)
		assert.Equal(t, "trap", fault.Reason)
	})
}

// A launch that makes no progress looks again now and then, and at once after something has happened.
func TestStalledLaunchRests(t *testing.T) {
	c := &crew{run: &Run{}, stalled: true}
	assert.Zero(t, c.rest(), "another worker can do something")
	c.run.stall.since = time.Now().Add(-2 * time.Millisecond)
	assert.GreaterOrEqual(t, c.rest(), time.Millisecond/2)
	c.run.stall.since = time.Now().Add(-time.Second)
	assert.Equal(t, maxPause, c.rest())

	looks := 0
	quiet := func() (uint64, bool) { looks++; return 0, true }
	_, fault := watched(t, "L: ld.volatile.global.u32 %r5, [%rd1+8]; setp.eq.u32 %p3, %r5, 0; @%p3 bra L;", config(1, 32, 0), 1, Checks{Watch: Watch{Patience: 100 * time.Millisecond, Quiet: quiet}})
	require.NotNil(t, fault)
	assert.Less(t, looks, 500, "without the pause there are 700 and more")
}

// A pulse finds cycles of every length, and none where there is none.
func TestPulse(t *testing.T) {
	for range 100 {
		lead, period := rand.IntN(50), rand.IntN(50)+1
		p := pulse{limit: 1}
		for i := range 1000 {
			at := i
			if i > lead {
				at = lead + (i-lead)%period
			}
			p.see(uint64(at) + 1)
		}
		require.True(t, p.repeats, "%d, then %d", lead, period)
		require.Zero(t, p.period%period)
		for i := range 300 {
			p.see(uint64(2000 + i))
		}
		require.False(t, p.repeats)
	}
}

// Long loops and many barriers are no standstill, and cost no other blocks.
func TestLongKernelsAreNotStopped(t *testing.T) {
	_, fault := watched(t, "mov.u32 %r3, 0;\nL: bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5000; @%p1 bra L;", config(4, 64, 0), 2, Checks{Watch: Watch{Patience: time.Nanosecond, Budget: time.Minute}})
	assert.Nil(t, fault)
}

// Threads that look at the time while they wait are found out, as those of libcu++; those that wait for a time are not.
func TestWaitsThatAskTheTime(t *testing.T) {
	began := time.Now()
	_, fault := watched(t, `
.loc 1 8 1
L: ld.volatile.global.u32 %r5, [%rd1]; mov.u64 %rd3, %globaltimer; cvt.u32.u64 %r6, %rd3; and.b32 %r6, %r6, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra M; nanosleep.u32 10;
M: setp.eq.u32 %p3, %r5, 0; @%p3 bra L;`, config(2, 64, 0), 2, Checks{Watch: Watch{Patience: 10 * time.Millisecond}})
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "no progress: every thread waits for another")
	assert.GreaterOrEqual(t, time.Since(began), 10*time.Millisecond*timedPatience)

	_, fault = watched(t, `
mov.u64 %rd2, %globaltimer; add.u64 %rd2, %rd2, 50000000;
L: mov.u64 %rd3, %globaltimer; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;`, config(2, 64, 0), 2, Checks{Watch: Watch{Patience: 20 * time.Millisecond}})
	assert.Nil(t, fault)

	// What else threads do is progress.
	k := newMachine(t, `.version 7.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<4>;
mov.u64 %rd2, %globaltimer; mov.u32 %r7, 0; mov.u64 %rd1, %clock64;
L: mov.u64 %rd3, %globaltimer; setp.lt.u64 %p1, %rd3, %rd2; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 9; @%p2 bra L; ret; }`).lib.Kernels["k"]
	timed := k.Timed()
	counted := slices.DeleteFunc(slices.Clone(timed.Regs), func(is bool) bool { return !is })
	assert.Len(t, counted, 4, "rd2, rd3, and what they are read from")
	assert.Equal(t, []bool{false, false, true, false}, timed.Preds, "p1")
}
