package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// meeting is a kernel whose threads wait at a counter in global memory until as many
// have come as its second parameter says.
const meeting = `atom.global.add.u32 %r3, [%rd1], 1;
L: ld.volatile.global.u32 %r4, [%rd1]; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;`

// TestGangsMeet: the blocks of a cluster, and all those of a cooperative launch, wait for
// each other without a deadlock.
func TestGangsMeet(t *testing.T) {
	for _, test := range []struct {
		name       string
		grid, gang driver.Dim3
		wait       uint32
	}{
		{"the grid", driver.Dim3{X: 6, Y: 2, Z: 1}, driver.Dim3{X: 6, Y: 2, Z: 1}, 12},
		{"a cluster", driver.Dim3{X: 4, Y: 2, Z: 2}, driver.Dim3{X: 2, Y: 1, Z: 2}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, entry(meeting))
			k := m.lib.Kernels["k"]
			addr := m.upload([]uint32{0})
			cfg := driver.LaunchConfig{Grid: test.grid, Block: driver.Dim3{X: 1, Y: 1, Z: 1}}
			_, fault := launchGangs(m, k, cfg, test.gang, arguments(k, addr, test.wait))
			require.Nil(t, fault)
			got := []uint32{0}
			m.download(addr, got)
			assert.Equal(t, []uint32{uint32(limits.Count(test.grid))}, got)
		})
	}
}

// TestGangIsAbandoned: what one block does wrong is reported, and ends those that wait
// for it.
func TestGangIsAbandoned(t *testing.T) {
	m := newMachine(t, entry("mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 5; @%p1 trap; L: bra L;"))
	k := m.lib.Kernels["k"]
	_, fault := launchGangs(m, k, config(6, 1, 0), driver.Dim3{X: 6, Y: 1, Z: 1}, arguments(k, uint64(0), uint32(0)))
	require.NotNil(t, fault)
	assert.Equal(t, "trap", fault.Reason)
	assert.Equal(t, driver.Dim3{X: 5}, fault.Block)
}

// launchGangs launches k by gangs on one worker.
func launchGangs(m *machine, k *bytecode.Kernel, cfg driver.LaunchConfig, gang driver.Dim3, params []byte) (uint64, *Failure) {
	place := Alone()
	place.Gang = gang
	run := Execute(k, &m.mem, cfg, place, params, new(atomic.Bool), 1, new(atomic.Uint64), Checks{})
	return run.Executed.Load(), run.Fault
}
