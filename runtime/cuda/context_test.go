package cuda_test

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestDo: the function has the device's context, and the thread has afterwards what it had,
// however the function ends and whatever it has done to the contexts.
func TestDo(t *testing.T) {
	onTwo(t, func(t *testing.T, here, there *cuda.Device, library *fakecuda.Library) {
		ours := errors.New("ours")
		assert.Equal(t, ours, here.Do(func() error { return ours }))
		assert.PanicsWithValue(t, "mine", func() { here.Do(func() error { panic("mine") }) })
		if here.IsSimulated() {
			return // it has no contexts
		}
		push, pop, set := cuda.Contexts(here)
		for name, before := range map[string][]*cuda.Device{"none": nil, "own": {here}, "other": {there}, "two": {here, there}} {
			for does, f := range map[string]func(){
				"nothing":    func() {},
				"pushes":     func() { push(there); push(here); push(there) },
				"pops":       pop,
				"pops all":   func() { pop(); pop(); pop() },
				"sets":       func() { set(there) },
				"pops, sets": func() { pop(); set(there); set(here) },
				"panics":     func() { push(there); panic("in f") },
				"exits":      func() { push(there); runtime.Goexit() },
				"nests":      func() { assert.NoError(t, there.Do(func() error { push(here); return nil })) },
			} {
				t.Run(name+", "+does, func(t *testing.T) {
					var want, inside, after driver.Context
					var wg sync.WaitGroup
					wg.Go(func() {
						runtime.LockOSThread() // a thread of its own, which ends with its contexts
						for _, d := range before {
							push(d)
						}
						want = cuda.CurrentContext(here)
						defer func() {
							_ = recover()
							after = cuda.CurrentContext(here)
						}()
						assert.NoError(t, here.Do(func() error {
							inside = cuda.CurrentContext(here)
							f()
							return nil
						}))
					})
					wg.Wait()
					assert.Equal(t, cuda.OwnContext(here), inside)
					assert.Equal(t, want, after)
				})
			}
		}
	})
}

// TestDoAllocatesNothing: libraries that are called often are called through it.
func TestDoAllocatesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		calls := 0
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			dev.Do(func() error {
				calls++
				return nil
			})
		}))
		assert.NotZero(t, calls)
	})
}

// TestDoAndClose: a device may be closed inside of Do and beside it, and its context lasts.
func TestDoAndClose(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		d, err := openLike(dev)
		require.NoError(t, err)
		require.NoError(t, d.Do(func() error {
			assert.NoError(t, d.Close())
			assert.ErrorIs(t, d.Do(func() error { return nil }), cuda.ErrClosed)
			return nil
		}))
		assert.ErrorIs(t, d.Do(func() error { panic("not called") }), cuda.ErrClosed)
		assert.ErrorIs(t, (*cuda.Device)(nil).Do(func() error { return nil }), cuda.ErrInvalidValue)
		assert.ErrorIs(t, dev.Do(nil), cuda.ErrInvalidValue)
	})
}

// TestContextOfDoLasts: a closed device gives its context back when the last Do has returned.
func TestContextOfDoLasts(t *testing.T) {
	dev, library := openFake(t)
	begun, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		assert.NoError(t, dev.Do(func() error { close(begun); <-end; return nil }))
	})
	<-begun
	require.NoError(t, dev.Do(func() error { return dev.Close() }))
	assert.Equal(t, 1, library.Live(fakecuda.Context), "one is in Do")
	assert.ErrorIs(t, dev.Do(func() error { return nil }), cuda.ErrClosed)
	close(end)
	wg.Wait()
	assert.Zero(t, library.Live(fakecuda.Context))
	assert.Equal(t, 1, count(library.Calls(), "cuDevicePrimaryCtxRelease"))
}

// TestCallsOfDo: what Do calls of the driver, which calls of other libraries that are short pay for.
func TestCallsOfDo(t *testing.T) {
	dev, library := openFake(t)
	calls := func() (made []string) {
		library.Reset()
		require.NoError(t, dev.Do(func() error { return nil }))
		return library.Calls()
	}
	assert.Equal(t, []string{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuCtxPopCurrent", "cuCtxGetCurrent"}, calls())
	require.NoError(t, dev.Do(func() error {
		assert.Equal(t, []string{"cuCtxGetCurrent", "cuCtxGetCurrent"}, calls())
		return nil
	}))
}

// TestDoFails: an error of the driver is the error of Do, and f is not called without the
// context.
func TestDoFails(t *testing.T) {
	dev, library := openFake(t)
	for _, entryPoint := range []string{"cuCtxGetCurrent", "cuCtxPushCurrent"} {
		library.Fail(entryPoint, 999)
		assert.ErrorContains(t, dev.Do(func() error { panic("called") }), "make the context current on device 0 (Fake GPU 0)", entryPoint)
	}
	called := false
	assert.NoError(t, dev.Do(func() error { called = true; return nil }))
	assert.True(t, called, "the control")
	assert.Zero(t, cuda.CurrentContext(dev))
	assert.Equal(t, 1, library.Live(fakecuda.Context))
}

func TestProfiler(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		assert.NoError(t, dev.ProfilerStart())
		assert.NoError(t, dev.ProfilerStop())
	})
	if os.Getenv(onGPU) != "" {
		return // the fake is in another process
	}
	dev, library := openFake(t)
	require.NoError(t, dev.ProfilerStart())
	assert.Equal(t, 1, count(library.Calls(), "cuProfilerStart"))
	require.NoError(t, dev.ProfilerStop())
	assert.Equal(t, 1, count(library.Calls(), "cuProfilerStop"))
	library.Fail("cuProfilerStart", 999)
	assert.ErrorContains(t, dev.ProfilerStart(), "start the profiler on device 0")
	assert.ErrorIs(t, (*cuda.Device)(nil).ProfilerStart(), cuda.ErrInvalidValue)
	assert.ErrorIs(t, new(cuda.Device).ProfilerStop(), cuda.ErrInvalidValue)
}
