package limits

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestResidentBlocks: the scarcest of threads, shared memory and places says how many blocks there are.
func TestResidentBlocks(t *testing.T) {
	for _, test := range []struct {
		threads, static, dynamic uint64
		want                     int
	}{
		{1, 0, 0, 32},
		{256, 0, 0, 8},
		{257, 0, 0, 7},
		{1024, 0, 0, 2},
		{1025, 0, 0, 0},
		{0, 0, 0, 0},
		{32, 0, 27 << 10, 8},
		{32, 27 << 10, 0, 8},
		{64, 0, 32256, 7},
		{64, 0, 32257, 6}, // and 32,329, as cuda_occupancy.h computes: units of 128 bytes
		{64, 72, 32257, 6},
		{32, 1 << 10, MaxSharedOptIn - 1<<10, 1},
		{32, 1 << 10, MaxSharedOptIn - 1<<10 + 1, 0},
	} {
		assert.Equal(t, test.want, ResidentBlocks(test.threads, test.static, test.dynamic), test)
	}
}

// TestAllow: each dimension has its limit, and is at least 1.
func TestAllow(t *testing.T) {
	grid, block := driver.Dim3{X: maxGridX, Y: maxGridY, Z: maxGridZ}, driver.Dim3{X: maxBlockX, Y: maxBlockY, Z: maxBlockZ}
	assert.True(t, Allow(grid, block))
	assert.True(t, Allow(driver.Dim3{X: 1, Y: 1, Z: 1}, driver.Dim3{X: 1, Y: 1, Z: 1}))
	for _, d := range []*driver.Dim3{&grid, &block} {
		for _, v := range []*uint32{&d.X, &d.Y, &d.Z} {
			most := *v
			*v++
			assert.False(t, Allow(grid, block))
			*v = 0
			assert.False(t, Allow(grid, block))
			*v = most
		}
	}
}
