//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A listener notes the calls of some entry points.
type listener struct {
	to    map[driver.EntryPoint]bool
	begun []driver.EntryPoint
	ended []driver.WatchedCall
}

func (l *listener) Watches(e driver.EntryPoint) bool { return l.to[e] }

func (l *listener) Begin(c driver.WatchedCall) driver.WatchedCall {
	l.begun = append(l.begun, c.Entry)
	c.Began = int64(len(l.begun))
	return c
}

func (l *listener) End(c driver.WatchedCall, r driver.Result) {
	if r == driver.Success {
		l.ended = append(l.ended, c)
	}
}

// TestWatch: a Watcher is told of the calls that it watches, with their arguments; they do what they
// do without, and the others are not delayed.
func TestWatch(t *testing.T) {
	d := newDevice(t)
	l := &listener{to: map[driver.EntryPoint]bool{driver.MemAllocAsync: true, driver.MemcpyHtoDAsync: true, driver.LibraryLoadData: true}}
	driver.SetWatcher(l)
	defer driver.SetWatcher(nil)
	d.setAside(l)
	assert.Zero(t, d.entry(driver.MemAllocAsync), "the control: it is set aside")
	assert.NotZero(t, d.entry(driver.MemFreeAsync))

	p, r := d.MemAllocAsync(64, d.stream)
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, d.MemcpyHtoDAsync(p, unsafe.Pointer(&pattern(1, 64)[0]), 64, d.stream))
	require.Equal(t, driver.Success, d.StreamSynchronize(d.stream))
	d.kernels(t, []param{{4, 4}})
	require.Equal(t, driver.Success, d.MemFreeAsync(p, d.stream))
	require.Equal(t, []driver.EntryPoint{driver.MemAllocAsync, driver.MemcpyHtoDAsync, driver.LibraryLoadData}, l.begun)
	require.Len(t, l.ended, 3)
	assert.Equal(t, []uintptr{64, uintptr(d.stream)}, l.ended[0].Args[1:3])
	assert.Equal(t, uintptr(p), l.ended[1].Args[0])
	assert.Equal(t, []uintptr{64, uintptr(d.stream)}, l.ended[1].Args[2:4])
	assert.Equal(t, int64(2), l.ended[1].Began)
	assert.Contains(t, d.fake.Calls(), "cuMemcpyHtoDAsync")

	_, r = d.MemAllocAsync(0, d.stream)
	assert.Equal(t, driver.ErrorInvalidValue, r)
	assert.Len(t, l.begun, 4)
	assert.Len(t, l.ended, 3)

	driver.SetWatcher(nil)
	d.setAside(nil)
	assert.Equal(t, d.address(driver.MemAllocAsync), d.entry(driver.MemAllocAsync))
	_, r = d.MemAllocAsync(64, d.stream)
	require.Equal(t, driver.Success, r)
	assert.Len(t, l.begun, 4)
}

// TestWatchMissing: what the driver lacks it lacks with a Watcher, too.
func TestWatchMissing(t *testing.T) {
	d, _ := openFake(t, fakecuda.Options{Without: []string{"cuMemsetD8Async"}})
	require.Equal(t, driver.Success, d.Init())
	l := &listener{to: map[driver.EntryPoint]bool{driver.MemsetD8Async: true}}
	assert.Equal(t, driver.ErrorCallRequiresNewerDriver, d.MemsetD8Async(1, 0, 1, 0))
	driver.SetWatcher(l)
	defer driver.SetWatcher(nil)
	d.setAside(l)
	assert.Equal(t, driver.ErrorCallRequiresNewerDriver, d.MemsetD8Async(1, 0, 1, 0))
	assert.Empty(t, l.begun)
	assert.Error(t, d.Check(driver.MemsetD8Async))
	assert.NoError(t, d.Check(driver.MemsetD16Async))
}

// TestIPCHandles: handles are passed by value, whole, and refused when a word differs.
func TestIPCHandles(t *testing.T) {
	d := newDevice(t)
	d.withContext(t, func() {
		p, r := d.MemAlloc(2 << 20)
		require.Equal(t, driver.Success, r)
		h, r := d.IpcGetMemHandle(p)
		require.Equal(t, driver.Success, r)
		_, r = d.IpcOpenMemHandle(h, driver.IpcLazyPeerAccess)
		assert.Equal(t, driver.ErrorInvalidContext, r, "it arrived whole, and is this process's")
		_, r = d.IpcOpenMemHandle(h, 7)
		assert.Equal(t, driver.ErrorInvalidValue, r, "the flags arrive")
		h[8]++ // the process
		opened, r := d.IpcOpenMemHandle(h, driver.IpcLazyPeerAccess)
		require.Equal(t, driver.Success, r)
		assert.Equal(t, driver.Success, d.IpcCloseMemHandle(opened))
		for _, i := range []int{0, 16, 24, 63} { // the control
			h[i]++
			_, r = d.IpcOpenMemHandle(h, driver.IpcLazyPeerAccess)
			assert.Equal(t, driver.ErrorInvalidValue, r, "byte %d", i)
			h[i]--
		}
		e, r := d.EventCreate(driver.EventDisableTiming | driver.EventInterprocess)
		require.Equal(t, driver.Success, r)
		h, r = d.IpcGetEventHandle(e)
		require.Equal(t, driver.Success, r)
		_, r = d.IpcOpenEventHandle(h)
		assert.Equal(t, driver.ErrorInvalidContext, r)
		h[8]++
		imported, r := d.IpcOpenEventHandle(h)
		require.Equal(t, driver.Success, r)
		assert.Equal(t, driver.Success, d.EventDestroy(imported))
		assert.Equal(t, driver.Success, d.EventDestroy(e))
		assert.Equal(t, driver.Success, d.MemFree(p))
	})
}
