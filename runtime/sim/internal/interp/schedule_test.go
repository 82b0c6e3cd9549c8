package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/schedule"
)

// The numbers in which blocks and warps come are all there, in an order that a seed chooses and
// that does not vary.
func TestSchedule(t *testing.T) {
	m := newMachine(t, `.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b64 %rd<4>; .reg .b32 %r<8>;
ld.param.u64 %rd1, [out];
atom.global.inc.u32 %r1, [%rd1], 0xffffffff;
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; shr.u32 %r3, %r3, 5; mad.lo.u32 %r2, %r2, 4, %r3;
mov.u32 %r4, %tid.x; and.b32 %r4, %r4, 31;
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
st.global.u32 [%rd2+4], %r2;
ret;
}`)
	k := m.lib.Kernels["k"]
	order := func(seed uint64) []uint32 {
		out := make([]uint32, 1+8*4*32)
		addr := m.upload(out)
		run := Execute(k, &m.mem, config(8, 128, 0), Alone(), arguments(k, addr), new(atomic.Bool), 4, new(atomic.Uint64), Checks{Schedule: schedule.Seed(seed)})
		require.Nil(t, run.Fault)
		m.download(addr, out)
		return out[1:]
	}
	plain := order(0)
	assert.IsNonDecreasing(t, plain)
	different := 0
	for seed := range uint64(5) {
		got := order(seed + 1)
		assert.Equal(t, got, order(seed+1))
		assert.ElementsMatch(t, plain, got)
		if got[0]/4 != 0 && got[0]%4 != 0 {
			different++
		}
	}
	assert.Positive(t, different, "neither the first block nor the first warp begins")
}
