package cuda_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestCloseSaysWhatItWaitsFor: a host function that waits for a goroutine which waits for the function's stream holds up a
// device. Close gives up and names it; no call works any more; and when it has ended, Close closes.
func TestCloseSaysWhatItWaitsFor(t *testing.T) {
	gone := errors.New("the operator has no time")
	for name, close := range map[string]func(dev *cuda.Device) error{
		"Close": func(dev *cuda.Device) error {
			defer cuda.SetHostFuncLimit(50 * time.Millisecond)()
			err := dev.Close()
			assert.ErrorIs(t, err, cuda.ErrTimeout)
			return err
		},
		"CloseContext": func(dev *cuda.Device) error {
			ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, gone)
			defer cancel()
			err := dev.CloseContext(ctx)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, err, gone)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, dev *cuda.Device) {
				dev = openSecond(t, dev) // of which the driver's objects are counted
				of := simulated
				s := newStream(t, dev)
				release, waited := make(chan struct{}), make(chan error, 2)
				require.NoError(t, s.LaunchHostFunc(func() { <-release }))
				go func() { waited <- s.Synchronize() }()
				go func() { waited <- s.Wait(context.Background()) }()
				require.Eventually(t, func() bool { return cuda.Waiting(dev) == 1 }, time.Minute, time.Millisecond)

				began := time.Now()
				err := close(dev)
				require.Error(t, err)
				assert.Less(t, time.Since(began), patience)
				assert.ErrorContains(t, err, "the host function github.com/cudagen/cudagen/runtime/cuda_test.TestCloseSaysWhatItWaitsFor.")
				assert.ErrorContains(t, err, "close it again to wait for that")
				_, err = dev.NewStream()
				assert.ErrorIs(t, err, cuda.ErrClosed)
				assert.Error(t, close(dev), "it waits again")

				close := dev.Close
				time.AfterFunc(10*time.Millisecond, func() { release <- struct{}{} })
				assert.NoError(t, close(), "and again")
				for range 2 {
					assert.NoError(t, <-waited, "the calls that were under way")
				}
				assert.NoError(t, close(), "there is nothing to wait for")
				if dev.IsSimulated() {
					contexts, libraries, streams, allocations := of.(liveCounter).Live()
					assert.Zero(t, contexts+libraries+streams+allocations)
				}
			})
		})
	}
}

// TestCloseWaitsForHostFunctions is the control: one that ends within the limit is waited for.
func TestCloseWaitsForHostFunctions(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		dev = openSecond(t, dev)
		s := newStream(t, dev)
		ran := false
		require.NoError(t, s.LaunchHostFunc(func() { time.Sleep(300 * time.Millisecond); ran = true }))
		require.NoError(t, dev.Close())
		assert.True(t, ran)
	})
}

// TestCloseContextWaitsForCalls: what keeps a device busy that is not a host function of its own is said, too.
func TestCloseContextWaitsForCalls(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	other := openSimulator(t)
	s, busy := newStream(t, dev), newStream(t, other)
	release := make(chan struct{})
	event, err := other.NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	defer event.Close()
	require.NoError(t, errors.Join(busy.LaunchHostFunc(func() { <-release }), event.Record(busy), s.WaitEvent(event)))
	closeUntil := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		return dev.CloseContext(ctx)
	}
	waited := make(chan error)
	go func() { waited <- s.Synchronize() }()
	require.Eventually(t, func() bool { return cuda.BlockingCalls(dev) == 1 }, time.Minute, time.Millisecond)
	assert.ErrorContains(t, closeUntil(), "it waits for calls of other goroutines that wait for its work: 1: ")
	close(release)
	assert.NoError(t, <-waited)
	assert.NoError(t, dev.Close())

	dev, err = cuda.OpenSimulator()
	require.NoError(t, err)
	release = make(chan struct{})
	s = newStream(t, dev)
	require.NoError(t, errors.Join(busy.LaunchHostFunc(func() { <-release }), event.Record(busy), s.WaitEvent(event)))
	assert.ErrorContains(t, closeUntil(), "it waits for its work: ")
	close(release)
	assert.NoError(t, dev.Close())
}
