package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Without optimization __syncwarp and __shfl_sync are functions, in which lanes of different branches meet, with
// different masks. Those whose mask is complete go on, as often as they come; the others wait for theirs.
func TestMasksOfDifferentBranches(t *testing.T) {
	source := ptxHeader + `
.func syncwarp(.param .b32 mask) {
.reg .b32 %r<3>;
ld.param.u32 %r1, [mask];
bar.warp.sync %r1;
ret; }
.func (.param .b32 out) total(.param .b32 mask, .param .b32 x) {
.reg .b32 %r<9>; .reg .pred %p<2>;
ld.param.u32 %r1, [mask]; ld.param.u32 %r2, [x];
shfl.sync.idx.b32 %r3, %r2, 3, 31, %r1;
vote.sync.ballot.b32 %r4, 1, %r1;
add.u32 %r3, %r3, %r4;
st.param.b32 [out], %r3;
ret; }
.entry k(.param .u64 to, .param .u32 rounds) {
.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<5>;
.shared .align 4 .u32 s[32];
ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [rounds];
mov.u32 %r2, %tid.x; mov.u32 %r3, s; shl.b32 %r4, %r2, 2; add.u32 %r3, %r3, %r4;
mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0x1ffffff;
mov.u32 %r13, -1;
setp.lt.u32 %p1, %r2, 25;
@%p1 bra LOOP;
{ .param .b32 a; st.param.b32 [a], %r13; call.uni syncwarp, (a); }
bra REST;
LOOP:
st.shared.u32 [%r3], %r10;
{ .param .b32 a; st.param.b32 [a], %r12; call.uni syncwarp, (a); }
ld.shared.u32 %r5, [s+96]; add.u32 %r11, %r11, %r5;
{ .param .b32 a, b, c; st.param.b32 [a], %r12; st.param.b32 [b], %r10; call.uni (c), total, (a, b); ld.param.b32 %r6, [c]; }
add.u32 %r11, %r11, %r6;
{ .param .b32 a; st.param.b32 [a], %r12; call.uni syncwarp, (a); }
add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r1; @%p2 bra LOOP;
{ .param .b32 a; st.param.b32 [a], %r13; call.uni syncwarp, (a); }
REST:
{ .param .b32 a, b, c; st.param.b32 [a], %r13; st.param.b32 [b], %r2; call.uni (c), total, (a, b); ld.param.b32 %r6, [c]; }
add.u32 %r11, %r11, %r6;
st.global.u32 [%rd1], %r11;
ret; }`
	for name, on := range map[string]Checks{"unchecked": {}, "checked": {Races: true, Undefined: true, Exited: true}} {
		t.Run(name, func(t *testing.T) {
			m := newFollowedMachine(t, source)
			const rounds = 4
			out := m.defined(make([]uint32, 32))
			k := m.lib.Kernels["k"]
			require.Empty(t, k.Unsupported)
			cfg := config(1, 32, 0)
			place, r := PlacementOf(k, cfg, driver.LaunchAttributes{})
			require.Equal(t, driver.Success, r)
			require.Nil(t, Execute(k, &m.mem, cfg, place, arguments(k, out, uint32(rounds)), new(atomic.Bool), 1, new(atomic.Uint64), on).Fault)
			got := make([]uint32, 32)
			m.download(out, got)
			each := uint32(0)
			for round := range uint32(rounds) {
				each += round + round + 0x1ffffff
			}
			last := uint32(2) // 3 - 1
			for lane, v := range got {
				want := last
				if lane < 25 {
					want += each
				}
				assert.Equal(t, want, v, "lane %d", lane)
			}
		})
	}
}

// Lanes that stand at one instruction with masks of each other that differ wait for ever.
func TestMasksThatNeverMeet(t *testing.T) {
	_, fault := watched(t, "setp.lt.u32 %p1, %r2, 16; mov.u32 %r3, -1; @%p1 mov.u32 %r3, 0x1ffff; bar.warp.sync %r3;", config(1, 32, 0), 1, Checks{})
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "deadlock")
	assert.Contains(t, fault.Reason, "lanes 0x00010000 of its warp with the same member mask, 0x0001ffff: theirs is another")
}
