package cuda_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestHostFunctionsMustNotWait: what waits is an error in a host function, of whichever device, and says which function it
// is. What was refused has had no effect. TestEndOfLife calls everything in host functions.
func TestHostFunctionsMustNotWait(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		onOther := newStream(t, openSecond(t, dev))
		b, host := upload(t, s, numbered(64, 0)), make([]byte, 64)
		before := dev.Stats().Buffers
		waits := map[string]func() error{
			"Stream.Synchronize": s.Synchronize, "Stream.Close": s.Close, "Device.Synchronize": dev.Synchronize, "Device.Close": dev.Close,
			"Buffer.Close": b.Close, "Library.Close": k.Close,
			"Stream.Wait":         func() error { return s.Wait(context.Background()) },
			"Device.Wait":         func() error { return dev.Wait(context.Background()) },
			"Device.CloseContext": func() error { return dev.CloseContext(context.Background()) },
			"CopyTo":              func() error { return b.CopyTo(s, host) },
			"Upload":              func() error { return errorOf(cuda.Upload(s, host)) },
			"Download":            func() error { return errorOf(b.All().Download(s)) },
			"another device":      onOther.Synchronize,
		}
		inside := newStream(t, dev)
		for name, wait := range waits {
			var err error
			require.NoError(t, inside.LaunchHostFunc(func() { err = wait() }))
			require.NoError(t, inside.Synchronize())
			assert.ErrorIs(t, err, cuda.ErrNotPermitted, name)
			assert.ErrorContains(t, err, "the host function github.com/cudagen/cudagen/runtime/cuda_test.TestHostFunctionsMustNotWait.", name)
			assert.ErrorContains(t, err, " must not wait for a device, which waits for the function", name)
		}
		assert.Equal(t, before, dev.Stats().Buffers, "Upload has left nothing")
		for name, wait := range waits { // the control
			if name != "Device.Close" && name != "Device.CloseContext" && name != "Stream.Close" && name != "Buffer.Close" && name != "Library.Close" {
				assert.NoError(t, wait(), name)
			}
		}
		assert.NoError(t, b.CopyTo(s, host), "nothing is closed")

		waited := make(chan error, 1)
		require.NoError(t, inside.LaunchHostFunc(func() {
			go func() { waited <- errors.Join(inside.Synchronize(), dev.Synchronize()) }()
		}))
		assert.NoError(t, <-waited, "a goroutine that the function does not wait for")
		again := 0
		require.NoError(t, inside.LaunchHostFunc(func() { again++ }))
		assert.NoError(t, errors.Join(inside.Close(), inside.Close()))
		assert.Equal(t, 1, again)
		var err error
		require.NoError(t, s.LaunchHostFunc(func() { err = inside.Close() }))
		require.NoError(t, s.Synchronize())
		assert.NoError(t, err, "it is closed: there is nothing to wait for")
	})
}

// TestLastUseInAHostFunction: a host function may be the last that uses a buffer which was closed meanwhile. It does not wait
// for the work that uses the buffer, which includes itself.
func TestLastUseInAHostFunction(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	s, other := newStream(t, dev), newStream(t, dev)
	b := upload(t, other, make([]byte, 64))
	require.NoError(t, other.Synchronize())
	owner := b.Owner()
	require.True(t, cuda.BeginUse(owner))
	require.NoError(t, s.LaunchHostFunc(func() {
		assert.NoError(t, s.Use(owner))
		closed := make(chan error)
		go func() { closed <- b.Close() }()
		assert.NoError(t, <-closed, "the last use frees it")
		cuda.EndUse(owner)
	}))
	require.NoError(t, s.Synchronize())
	assert.NoError(t, dev.Close())
	_, _, _, allocations := simulated.(liveCounter).Live()
	assert.Zero(t, allocations)
}
