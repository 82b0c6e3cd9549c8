package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestPeerAccess: a kernel reaches memory of another device only while it has access.
func TestPeerAccess(t *testing.T) {
	near, s := opened(t)
	far, farStream := opened(t)
	managed, _, r := far.MemAllocManaged(8, driver.AttachGlobal)
	require.Equal(t, driver.Success, r)
	pooled := alloc(t, far, farStream, []int32{1, 2})
	locked, r := far.MemHostAlloc(8, driver.HostAllocPortable)
	require.Equal(t, driver.Success, r)
	host, r := far.MemHostGetDevicePointer(locked, 0)
	require.Equal(t, driver.Success, r)
	pool, r := near.DeviceGetDefaultMemPool(deviceOf(far))
	require.Equal(t, driver.Success, r)
	peer := far.(*device).primary()

	run := func(p driver.DevicePtr) string {
		d, s := near, s
		lib, k := kernelOf(t, d, examplePTX(t), "add_delta")
		require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 32, 0), s, addDelta(2, p, 5), addDeltaOffsets))
		d.StreamSynchronize(s)
		text := ""
		if fault := d.(*device).Fault(); fault != nil { // a new context, which has no peers
			text = fault.Reason
			require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
			_, r := d.DevicePrimaryCtxRetain(deviceOf(d))
			require.Equal(t, driver.Success, r)
		}
		require.Equal(t, driver.Success, d.LibraryUnload(lib))
		return text
	}
	renewed := func() {
		s, r = near.StreamCreate(0)
		require.Equal(t, driver.Success, r)
	}
	assert.Empty(t, run(host), "page-locked memory is everybody's")
	assert.Contains(t, run(managed), "is in memory of another device: this one has no peer access to it")
	renewed()
	assert.Contains(t, run(pooled+8), "is in no allocation of this device")
	renewed()
	require.Equal(t, driver.Success, near.CtxEnablePeerAccess(peer, 0))
	assert.Equal(t, driver.ErrorPeerAccessAlreadyEnabled, near.CtxEnablePeerAccess(peer, 0))
	assert.Empty(t, run(managed))
	assert.Contains(t, run(pooled), "is in memory of another device", "a pool has its own access")
	renewed()
	require.Equal(t, driver.Success, near.MemPoolSetAccess(pool, deviceOf(near), driver.MemAccessReadWrite))
	assert.Empty(t, run(pooled))
	require.Equal(t, driver.Success, near.MemPoolSetAccess(pool, deviceOf(near), driver.MemAccessNone))
	assert.Contains(t, run(pooled), "is in memory of another device")
	renewed()
	assert.Equal(t, driver.ErrorPeerAccessNotEnabled, near.CtxDisablePeerAccess(peer))
	assert.Equal(t, driver.ErrorInvalidContext, near.CtxEnablePeerAccess(near.(*device).primary(), 0), "itself")

	// Copies need no access, but the right devices.
	p := alloc(t, near, s, []int32{0, 0})
	own := near.(*device).primary()
	require.Equal(t, driver.Success, near.MemcpyPeerAsync(p, own, pooled, peer, 8, s))
	assert.Equal(t, driver.ErrorInvalidValue, near.MemcpyPeerAsync(p, peer, pooled, own, 8, s))
	var got [2]int32
	require.Equal(t, driver.Success, near.MemcpyDtoHAsync(unsafe.Pointer(&got), p, 8, s))
	require.Equal(t, driver.Success, near.StreamSynchronize(s))
	assert.Equal(t, [2]int32{6, 7}, got, "add_delta has run once")
	require.Equal(t, driver.Success, far.DevicePrimaryCtxRelease(deviceOf(far)))
	assert.Equal(t, driver.ErrorInvalidContext, near.MemcpyPeerAsync(p, own, pooled, peer, 8, s), "it is closed")
	assert.Equal(t, driver.ErrorInvalidDevice, second(near.DeviceCanAccessPeer(deviceOf(near), deviceOf(far))))
}
