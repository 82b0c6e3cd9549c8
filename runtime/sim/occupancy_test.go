package sim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func TestAttributedLaunchResults(t *testing.T) {
	d, s := opened(t)
	_, k := kernelOf(t, d, entry(""), "k")
	launch := func(cfg driver.LaunchConfig, a driver.LaunchAttributes) driver.Result {
		return d.LaunchKernelEx(k, cfg, a, s, make([]byte, 12), []uint32{0, 8})
	}
	cluster := func(x uint32) driver.LaunchAttributes {
		return driver.LaunchAttributes{Cluster: driver.Dim3{X: x, Y: 1, Z: 1}}
	}
	cooperative := driver.LaunchAttributes{Cooperative: true}
	fits := uint32(2 * runtime.GOMAXPROCS(0))
	assert.Equal(t, driver.Success, launch(config(16, 32, 0), driver.LaunchAttributes{HasPriority: true, Programmatic: true}))
	assert.Equal(t, driver.Success, launch(config(16, 32, 0), cluster(8)))
	assert.Equal(t, driver.ErrorInvalidValue, launch(config(15, 32, 0), cluster(8)))
	assert.Equal(t, driver.ErrorInvalidValue, launch(config(16, 32, 0), driver.LaunchAttributes{Cluster: driver.Dim3{X: 2}}))
	assert.Equal(t, driver.ErrorInvalidClusterSize, launch(config(16, 32, 0), cluster(16)))
	assert.Equal(t, driver.Success, d.KernelSetAttribute(driver.FuncNonPortableCluster, 1, k, deviceOf(d)))
	assert.Equal(t, driver.Success, launch(config(16, 32, 0), cluster(16)))
	assert.Equal(t, driver.Success, launch(config(fits, 1024, 0), cooperative))
	assert.Equal(t, driver.ErrorCooperativeLaunchTooLarge, launch(config(fits+1, 1024, 0), cooperative))

	assert.Equal(t, driver.ErrorInvalidValue, launch(config(1, 1, 100<<10), driver.LaunchAttributes{}))
	assert.Equal(t, driver.ErrorInvalidValue, d.KernelSetAttribute(driver.FuncMaxDynamicSharedBytes, 228<<10, k, deviceOf(d)))
	assert.Equal(t, driver.Success, d.KernelSetAttribute(driver.FuncMaxDynamicSharedBytes, 100<<10, k, deviceOf(d)))
	assert.Equal(t, driver.Success, launch(config(1, 1, 100<<10), driver.LaunchAttributes{}))
	assert.Equal(t, driver.ErrorInvalidValue, d.KernelSetAttribute(driver.FuncSharedCarveout, 101, k, deviceOf(d)))
	assert.Equal(t, driver.ErrorInvalidValue, d.KernelSetAttribute(driver.FuncNumRegs, 1, k, deviceOf(d)))

	blocks, r := d.OccupancyMaxActiveBlocksPerMultiprocessor(k, 256, 0)
	assert.Equal(t, []any{8, driver.Success}, []any{blocks, r})
	blocks, r = d.OccupancyMaxActiveBlocksPerMultiprocessor(k, 256, 100<<10)
	assert.Equal(t, []any{2, driver.Success}, []any{blocks, r})
	grid, block, r := d.OccupancyMaxPotentialBlockSize(k, 0, 0)
	assert.Equal(t, []any{2 * runtime.GOMAXPROCS(0), 1024, driver.Success}, []any{grid, block, r})
	grid, block, r = d.OccupancyMaxPotentialBlockSize(k, 0, 100)
	assert.Equal(t, []any{32 * runtime.GOMAXPROCS(0), 64, driver.Success}, []any{grid, block, r}, "32 × 64 threads are more than 16 × 100 and 21 × 96")
	require.Equal(t, driver.Success, d.StreamSynchronize(s))
}
