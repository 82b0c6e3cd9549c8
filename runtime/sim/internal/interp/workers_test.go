package interp

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/schedule"
)

// tinyPTX is blocks that take so little that workers take many ahead. Each counts itself in out. Block waits waits until block
// opens has run; from the block first on, each seventh fails.
const tinyPTX = `.version 8.0
.target sm_75
.address_size 64
.visible .entry tiny(.param .u64 out, .param .u64 flag, .param .u32 waits, .param .u32 opens, .param .u32 first)
{
	.reg .pred %p<6>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<6>;
	mov.u32 %r1, %ctaid.x;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [flag];
	ld.param.u32 %r2, [waits];
	ld.param.u32 %r3, [opens];
	ld.param.u32 %r4, [first];
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd1, %rd3;
	atom.global.add.u32 %r5, [%rd4], 1;
	setp.ne.u32 %p1, %r1, %r2;
	@%p1 bra run;
wait:
	ld.volatile.global.u32 %r6, [%rd2];
	setp.eq.u32 %p2, %r6, 0;
	@%p2 bra wait;
run:
	setp.eq.u32 %p3, %r1, %r3;
	@%p3 st.volatile.global.u32 [%rd2], 1;
	setp.lt.u32 %p4, %r1, %r4;
	@%p4 bra end;
	rem.u32 %r7, %r1, 7;
	setp.ne.u32 %p5, %r7, 0;
	@%p5 bra end;
	mov.u64 %rd5, 8;
	st.global.u32 [%rd5], %r1;
end:
	ret;
}
`

const tinyBlocks = 6000

// tiny runs tinyPTX, and returns how often each block ran.
func tiny(t *testing.T, workers int, seed uint64, waits, opens, first uint32) (ran []uint32, fault *Failure) {
	m := newMachine(t, tinyPTX)
	out, flag := m.upload(make([]uint32, tinyBlocks)), m.upload(make([]uint32, 1))
	k := m.lib.Kernels["tiny"]
	run := Execute(k, &m.mem, config(tinyBlocks, 1, 0), Alone(), arguments(k, out, flag, waits, opens, first), new(atomic.Bool), workers, new(atomic.Uint64), Checks{Schedule: schedule.Seed(seed)})
	assert.Zero(t, run.live.Load(), "all workers have ended")
	assert.Zero(t, run.given.left.Load())
	if run.Fault == nil {
		assert.Equal(t, uint64(tinyBlocks), run.finished.Load())
	}
	ran = make([]uint32, tinyBlocks)
	m.download(out, ran)
	return ran, run.Fault
}

// TestTinyBlocksRunOnce: whoever takes them, also when one waits for another that its worker had taken ahead, or
// that lies far behind.
func TestTinyBlocksRunOnce(t *testing.T) {
	testenv.Need(t, testenv.Long)
	const never = tinyBlocks
	for _, workers := range []int{1, 2, 3, 8} {
		for _, pair := range [][2]uint32{{never, never}, {3000, 3001}, {3000, 3020}, {3000, 2999}, {2000, 5999}, {5990, 5999}, {0, 1}} {
			for seed := range uint64(2) {
				t.Run(fmt.Sprintf("%d workers, %d waits for %d, seed %d", workers, pair[0], pair[1], seed), func(t *testing.T) {
					ran, fault := tiny(t, workers, seed, pair[0], pair[1], never)
					require.Nil(t, fault)
					for block, times := range ran {
						require.Equal(t, uint32(1), times, block)
					}
				})
			}
		}
	}
}

// TestFirstTinyBlockThatFails: of those that fail, the first is reported.
func TestFirstTinyBlockThatFails(t *testing.T) {
	testenv.Need(t, testenv.Long)
	const never = tinyBlocks
	for _, workers := range []int{1, 2, 3, 8} {
		for _, first := range []uint32{0, 14, 2996, 4002, 5992} {
			for range 5 {
				_, fault := tiny(t, workers, 0, never, never, first)
				require.NotNil(t, fault)
				assert.Equal(t, driver.Dim3{X: (first + 6) / 7 * 7}, fault.Block)
			}
			_, fault := tiny(t, workers, 0, 2900, 2910, first) // also when turns are given back
			require.NotNil(t, fault)
			assert.Equal(t, driver.Dim3{X: (first + 6) / 7 * 7}, fault.Block)
		}
	}
}

// TestLongBlockGivesBack: what is behind a block that takes long runs beside it.
func TestLongBlockGivesBack(t *testing.T) {
	m := newMachine(t, `.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u32 long, .param .u32 turns)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	mov.u32 %r1, %ctaid.x;
	ld.param.u32 %r2, [long];
	ld.param.u32 %r3, [turns];
	setp.ne.u32 %p1, %r1, %r2;
	@%p1 bra end;
again:
	sub.u32 %r3, %r3, 1;
	setp.ne.u32 %p2, %r3, 0;
	@%p2 bra again;
end:
	ret;
}
`)
	k := m.lib.Kernels["k"]
	for turns, gives := range map[uint32]bool{1: false, aheadLimit: true} {
		run := Execute(k, &m.mem, config(3000, 1, 0), Alone(), arguments(k, uint32(1000), turns), new(atomic.Bool), 2, new(atomic.Uint64), Checks{})
		require.Nil(t, run.Fault)
		assert.Equal(t, gives, run.given.any.Load())
		assert.Equal(t, uint64(3000), run.finished.Load())
	}
}

// TestTurnsAhead: workers do take turns ahead, few near the end, and give them back.
func TestTurnsAhead(t *testing.T) {
	m := newMachine(t, tinyPTX)
	r := &Run{k: m.lib.Kernels["tiny"], gangs: driver.Dim3{X: 100, Y: 1, Z: 1}, workers: 2}
	r.failedAt.Store(100)
	r.live.Store(2)
	g := &gang{run: r, blocks: []*block{{executed: 16}}}
	taken := func() (turns []uint64) {
		for {
			turn, ok := r.turn(g)
			if !ok {
				return turns
			}
			turns = append(turns, turn)
			if g.ahead.isEmpty() {
				return turns
			}
		}
	}
	assert.Equal(t, []uint64{0, 1, 2, 3, 4, 5}, taken(), "100 / (8 · 2)")
	turn, ok := r.turn(g)
	assert.True(t, ok)
	assert.Equal(t, uint64(6), turn)
	r.giveBack(g)
	assert.False(t, r.leave(false), "turns are left")
	assert.Equal(t, []uint64{7}, taken(), "one by one since")
	assert.Equal(t, []uint64{8}, taken())
	r.dropGivenBack()
	assert.Equal(t, []uint64{11}, taken())
	assert.True(t, r.leave(false))
	r.fail(12, &Failure{})
	assert.Empty(t, taken(), "nothing behind a failure")
}
