package cuda_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestHandles: objects have the driver's handles, unless they are closed or simulated.
func TestHandles(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		e, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		own, err := openLike(dev)
		require.NoError(t, err)
		handles := map[string]struct {
			handle func() (uintptr, error)
			close  func() error
		}{
			"CUcontext": {own.Handle, own.Close},
			"CUkernel":  {k.Saxpy.Kernel.Handle, k.Close},
			"CUstream":  {s.Handle, s.Close},
			"CUevent":   {e.Handle, e.Close},
		}
		seen := map[uintptr]bool{}
		for what, object := range handles {
			h, err := object.handle()
			if dev.IsSimulated() {
				assert.Zero(t, h)
				assert.ErrorIs(t, err, cuda.ErrNotSupported)
				assert.ErrorContains(t, err, "has no "+what)
			} else {
				assert.NoError(t, err, what)
				assert.NotZero(t, h)
				assert.False(t, seen[h])
				seen[h] = true
				again, err := object.handle()
				assert.NoError(t, err)
				assert.Equal(t, h, again)
			}
			assert.NoError(t, object.close())
			h, err = object.handle()
			assert.Zero(t, h)
			assert.ErrorIs(t, err, cuda.ErrClosed, what)
		}
	})
	for _, handle := range []func() (uintptr, error){
		(*cuda.Device)(nil).Handle, new(cuda.Device).Handle, (*cuda.Stream)(nil).Handle, new(cuda.Stream).Handle,
		(*cuda.Kernel)(nil).Handle, new(cuda.Kernel).Handle, (*cuda.Event)(nil).Handle, new(cuda.Event).Handle,
	} {
		h, err := handle()
		assert.Zero(t, h)
		assert.Error(t, err)
	}
}

// TestHandleInACapture: other libraries get the stream on which the driver captures, and no buffer waits
// for what they queue there.
func TestHandleInACapture(t *testing.T) {
	dev, library := openFake(t)
	s, side := newStream(t, dev), newStream(t, dev)
	var during, forked uintptr
	var given *cuda.Stream
	b := upload(t, s, []int32{1})
	_, err := cuda.Capture(s, func(c *cuda.Stream) error {
		given = c
		fork, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer fork.Close()
		require.NoError(t, errors.Join(fork.Record(c), side.WaitEvent(fork)))
		during, err = c.Handle()
		require.NoError(t, err)
		forked, err = side.Handle()
		require.NoError(t, err)
		return errors.Join(fork.Record(side), c.WaitEvent(fork), c.LaunchHostFunc(func() {}))
	})
	require.NoError(t, err)
	own, err := s.Handle()
	require.NoError(t, err)
	after, err := side.Handle()
	require.NoError(t, err)
	handles := map[uintptr]bool{0: true, during: true, forked: true, own: true, after: true}
	assert.Len(t, handles, 5)
	assert.Equal(t, 2, cuda.HandedOut(dev), "but for those of the capture")
	_, err = given.Handle()
	assert.ErrorIs(t, err, cuda.ErrClosed)
	library.Reset()
	require.NoError(t, b.Close())
	assert.Equal(t, 1, count(library.Calls(), "cuEventRecord"), "side's; s is the buffer's own")
}

// TestCloseAfterForeignWork: memory is freed after what another library may have queued.
func TestCloseAfterForeignWork(t *testing.T) {
	dev, library := openFake(t)
	home, foreign := newStream(t, dev), newStream(t, dev)
	closing := func(b interface{ Close() error }) []string {
		library.Reset()
		require.NoError(t, b.Close())
		return library.Calls()
	}
	assert.Equal(t, []string{"cuMemFreeAsync"}, closing(upload(t, home, []int32{1})), "the control: nobody else uses a stream")
	locked := func() *cuda.HostBuffer[int32] {
		b, err := cuda.AllocHost[int32](dev, 1, cuda.HostConfig{})
		require.NoError(t, err)
		return b
	}
	assert.NotContains(t, closing(locked()), "cuStreamSynchronize", "the control")

	_, err := foreign.Handle()
	require.NoError(t, err)
	assert.Equal(t, 1, cuda.HandedOut(dev))
	assert.Equal(t, []string{"cuEventRecord", "cuStreamWaitEvent", "cuMemFreeAsync"}, closing(upload(t, home, []int32{1})))
	assert.Equal(t, []string{"cuMemFreeAsync"}, closing(upload(t, foreign, []int32{1})), "in the order of its own stream")
	assert.Contains(t, closing(locked()), "cuStreamSynchronize")
	freed := false
	memory := upload(t, home, []int32{1})
	adopted, err := cuda.Adopt[int32](dev, memory.Ptr().Address(), 1, func() { freed = true })
	require.NoError(t, err)
	assert.Equal(t, []string{"cuStreamSynchronize"}, closing(adopted))
	assert.True(t, freed)

	// What cannot be ordered is waited for.
	b := upload(t, home, []int32{1})
	library.Reset()
	library.Fail("cuEventRecord", 999)
	require.NoError(t, b.Close())
	assert.Equal(t, []string{"cuEventRecord", "cuStreamSynchronize", "cuMemFreeAsync"}, library.Calls())

	require.NoError(t, foreign.Close())
	cuda.AwaitCalls(dev)
	assert.Zero(t, cuda.HandedOut(dev))
	assert.Equal(t, []string{"cuMemFreeAsync"}, closing(upload(t, home, []int32{1})), "the stream is gone")
}

// TestHandleAfterUse: memory that the work of another library does not use is freed without regard to it, and other memory
// after it.
func TestHandleAfterUse(t *testing.T) {
	onTwo(t, func(t *testing.T, here, there *cuda.Device, library *fakecuda.Library) {
		home, foreign := newStream(t, here), newStream(t, there)
		mine := upload(t, foreign, []int32{1})
		handle, err := foreign.HandleAfterUse()
		if here.IsSimulated() {
			assert.ErrorIs(t, err, cuda.ErrNotSupported)
			return
		}
		require.NoError(t, err)
		if library == nil { // nothing to count on GPUs
			return
		}
		closing := func(b interface{ Close() error }) []string {
			library.Reset()
			require.NoError(t, b.Close())
			return library.Calls()
		}
		assert.Equal(t, []string{"cuMemFreeAsync"}, closing(upload(t, home, []int32{1})))
		assert.Equal(t, []string{"cuMemFreeAsync"}, closing(mine), "in the order of its own stream")
		other := newStream(t, there)
		used := upload(t, other, []int32{1})
		require.NoError(t, foreign.Use(used.Owner()))
		assert.Equal(t, []string{"cuStreamSynchronize", "cuMemFreeAsync"}, closing(used), "it waits for the work that may use it")
		locked, err := cuda.AllocHost[int32](here, 1, cuda.HostConfig{})
		require.NoError(t, err)
		assert.NotContains(t, closing(locked), "cuStreamSynchronize")
		assert.Zero(t, testing.AllocsPerRun(10, func() { foreign.HandleAfterUse() }))

		again, err := foreign.Handle() // the control
		require.NoError(t, err)
		assert.Equal(t, handle, again)
		assert.Equal(t, []string{"cuEventRecord", "cuStreamWaitEvent", "cuMemFreeAsync"}, closing(upload(t, home, []int32{1})))

		require.NoError(t, other.Close())
		lent := newStream(t, there)
		was, err := lent.HandleAfterUse()
		require.NoError(t, err)
		require.NoError(t, lent.Close())
		next, err := newStream(t, there).HandleAfterUse()
		require.NoError(t, err)
		assert.NotEqual(t, was, next, "no other stream gets a handle that a library may still use")
	})
	_, err := (*cuda.Stream)(nil).HandleAfterUse()
	assert.Error(t, err)
}

// TestHandlesBesideClose: streams are handed out, and closed, while buffers are.
func TestHandlesBesideClose(t *testing.T) {
	dev, _ := openFake(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 30 {
				s, err := dev.NewStream()
				if !assert.NoError(t, err) {
					return
				}
				b, err := cuda.Upload(s, []int32{1})
				assert.NoError(t, err)
				_, err = s.Handle()
				assert.NoError(t, err)
				assert.NoError(t, b.Close())
				assert.NoError(t, s.Close())
			}
		})
	}
	wg.Wait()
	cuda.AwaitCalls(dev)
	assert.Zero(t, cuda.HandedOut(dev))
}
