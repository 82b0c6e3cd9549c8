package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// Memory that is freed behind pending work is used again on its stream: seven buffers fit a pool of
// two. Another stream waits for it, and each buffer has its own values.
func TestFreedMemoryIsUsedAgain(t *testing.T) {
	const size = 4096
	drv, s := opened(t)
	d := drv.(*device)
	pool, r := d.MemPoolCreate(d.dev, 2*size)
	require.Equal(t, driver.Success, r)
	pending := make(chan struct{})
	d.mu.Lock()
	d.streams[s].Enqueue(func() { <-pending })
	d.mu.Unlock()
	seen := make(map[driver.DevicePtr]bool)
	var got [7]byte
	for n := range got {
		p, r := d.MemAllocFromPoolAsync(size, pool, s)
		require.Equal(t, driver.Success, r, n)
		require.False(t, seen[p], "a use after the free must be found")
		seen[p] = true
		assert.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&got[n]), p, 1, s))
		assert.Equal(t, driver.Success, d.MemsetD8Async(p, uint8(n), size, s))
		assert.Equal(t, driver.Success, d.MemFreeAsync(p, s))
	}
	other, r := d.StreamCreate(0)
	require.Equal(t, driver.Success, r)
	_, r = d.MemAllocFromPoolAsync(size, pool, other)
	require.Equal(t, driver.Success, r, "the pool has room for two")
	_, r = d.MemAllocFromPoolAsync(size, pool, other)
	require.Equal(t, driver.Success, r, "the other waits for the free")
	require.Equal(t, driver.ErrorNotReady, d.StreamQuery(other))
	_, r = d.MemAllocFromPoolAsync(1, pool, s)
	assert.Equal(t, driver.ErrorOutOfMemory, r, "all is in use")
	close(pending)
	require.Equal(t, driver.Success, d.StreamSynchronize(other))
	require.Equal(t, driver.Success, d.StreamSynchronize(s))
	for n, first := range got {
		assert.Equal(t, byte(simd.Undefined&0xff), first, "buffer %d is fresh", n)
	}
	used, _ := d.MemPoolGetAttribute(pool, driver.MemPoolUsedCurrent)
	assert.Equal(t, uint64(2*size), used)
	assert.Equal(t, uint64(2*size), d.mem.InUse())
	assert.Empty(t, d.freed)
	for p := range seen {
		_, there := memory.BytesAt(uint64(p), 1)
		assert.False(t, there)
	}
}
