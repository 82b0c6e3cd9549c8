package interp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// TestHints: instructions without an effect, in all their forms. Their operands are checked.
func TestHints(t *testing.T) {
	out := outputs(t, 32, `prefetch.global.L1 [%rd1+1000]; prefetch.local.L2 [8]; prefetch.L2 [0]; prefetchu.L1 [%rd1];
prefetch.global.L2::evict_last [%rd1]; prefetch.global.L2::evict_normal [%rd1];
nanosleep.u32 1000000000; nanosleep.u32 %r2; griddepcontrol.wait; griddepcontrol.launch_dependents;
st.global.u32 [%rd2], %r2;`)
	assert.Equal(t, uint32(31), out[31])
	for body, want := range map[string]string{
		"prefetch.global.L1 [%r1];":  "not an address in the space .global",
		"prefetch.global.L1 %rd1;":   "square brackets",
		"nanosleep.u32 %f1;":         "register %f1 has type .f32, want .u32",
		"griddepcontrol.wait 1;":     "has 1 operands, want 0",
		"mov.u32 %r1, %clock64;":     "special register %clock64 has type .u64, want .u32",
		"mov.u64 %rd1, %clock;":      "special register %clock has type .u32, want .u64",
		"mov.u32 %clock, %r1;":       "register %clock is not declared",
		"add.f32 %f1, %clock, %f1;":  "special register %clock stands in add: move it to a register first",
		"mov.f32 %f1, %clock;":       "special register %clock has type .u32, want .f32",
		"mov.u32 %r1, %globaltimer;": "special register %globaltimer has type .u64, want .u32",
	} {
		_, refused := loadImage([]byte(entry(body)), &memory.Memory{})
		if assert.NotNil(t, refused, body) {
			assert.Contains(t, refused.Log, want)
		}
	}
}

// TestClocks: a clock never runs back, and is the same when the kernel runs again.
//
// PTX ISA, Special Registers.
func TestClocks(t *testing.T) {
	m := newMachine(t, entry(`mov.u64 %rd3, %clock64; mov.u32 %r3, %clock; mov.u32 %r4, %clock; mov.u32 %r5, %clock; mov.u32 %r6, %clock_hi;
mov.u64 %rd4, %globaltimer; mov.u32 %r7, %globaltimer_hi; mov.u32 %r8, %globaltimer_lo; mov.u64 %rd5, %globaltimer; mov.u64 %rd6, %clock64;
setp.eq.u32 %p1, %r2, 99; @%p1 mov.u64 %rd6, %clock64;
mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd7, %r9, 64; add.s64 %rd7, %rd1, %rd7;
st.global.v2.u64 [%rd7], {%rd3, %rd4}; st.global.v2.u64 [%rd7+16], {%rd5, %rd6}; st.global.v4.u32 [%rd7+32], {%r3, %r4, %r5, %r6}; st.global.v2.u32 [%rd7+48], {%r7, %r8};
mov.u32 %r10, %smid; mov.u32 %r11, %nsmid; st.global.v2.u32 [%rd7+56], {%r10, %r11};`))
	type result struct {
		Clock64, Timer, LaterTimer, LaterClock64 uint64
		Clock                                    [3]uint32
		ClockHi, TimerHi, TimerLo                uint32
		SM, SMs                                  uint32
	}
	run := func() []result {
		results := make([]result, 5)
		addr := m.upload(results)
		_, fault := m.launch("k", config(5, 32, 0), addr, uint32(0))
		require.Nil(t, fault)
		m.download(addr, results)
		return results
	}
	before := uint64(time.Now().UnixNano())
	first, second := run(), run()
	after := uint64(time.Now().UnixNano())
	for i, r := range first {
		assert.Less(t, r.Clock64, uint64(r.Clock[0]))
		assert.Less(t, r.Clock[0], r.Clock[1])
		assert.Less(t, r.Clock[1], r.Clock[2])
		assert.Less(t, uint64(r.Clock[2]), r.LaterClock64)
		assert.Zero(t, r.ClockHi)
		assert.LessOrEqual(t, before, r.Timer)
		assert.LessOrEqual(t, r.Timer, r.LaterTimer)
		assert.LessOrEqual(t, r.LaterTimer, after)
		assert.Contains(t, []uint64{r.Timer >> 32, r.LaterTimer >> 32}, uint64(r.TimerHi))
		assert.LessOrEqual(t, r.TimerLo-uint32(r.Timer), uint32(r.LaterTimer-r.Timer))
		assert.Equal(t, uint32(i)%r.SMs, r.SM)
		assert.Equal(t, uint32(Multiprocessors()), r.SMs)
		assert.Equal(t, [5]uint64{r.Clock64, r.LaterClock64, uint64(r.Clock[0]), uint64(r.Clock[1]), uint64(r.Clock[2])},
			[5]uint64{second[i].Clock64, second[i].LaterClock64, uint64(second[i].Clock[0]), uint64(second[i].Clock[1]), uint64(second[i].Clock[2])})
		assert.Equal(t, first[0].Clock64, r.Clock64, "a block counts from its own begin")
	}
}
