package cuda_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestGraphRecordsAfterACapture: an event that a capture recorded is one to wait for once a graph
// has recorded it.
func TestGraphRecordsAfterACapture(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		event := newEvent(t, dev)
		e := built(t, event.RecordNode())
		waits := built(t, event.WaitNode().After(cuda.NewNode(cuda.Fill(x.All(), 1))))
		captured := func() {
			_, err := cuda.Capture(s, func(c *cuda.Stream) error { return cuda.Fill(x.All(), 1).Launch(c) })
			require.NoError(t, err)
			_, err = cuda.Capture(s, func(c *cuda.Stream) error {
				require.NoError(t, cuda.Fill(x.All(), 1).Launch(c))
				return event.Record(c)
			})
			require.NoError(t, err)
		}
		for range 2 {
			captured()
			assert.ErrorIs(t, event.Synchronize(), cuda.ErrCapturedEvent)
			err := waits.Launch(s)
			assert.ErrorIs(t, err, cuda.ErrCapturedEvent)
			assert.ErrorContains(t, err, "a node waits for an event that was recorded in a capture")
			require.NoError(t, e.Launch(s))
			assert.NoError(t, event.Synchronize())
			assert.NoError(t, waits.Launch(s))
		}
		captured()
		child, err := cuda.DefineGraph(event.RecordNode())
		require.NoError(t, err)
		require.NoError(t, built(t, child.ChildNode()).Launch(s))
		assert.NoError(t, event.Synchronize(), "recorded inside of a child")
		require.NoError(t, s.Synchronize())
	})
}

// TestGraphEventFailures: an event has the host functions' errors of what recorded it last, a stream
// or a graph.
func TestGraphEventFailures(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, bad := newStream(t, dev), newStream(t, dev)
		event, other := newEvent(t, dev), newEvent(t, dev)
		n := event.RecordNode()
		e := built(t, n.After(cuda.NewHostNode(func() { panic("oh") })))
		fine := built(t, event.RecordNode())
		require.NoError(t, event.Record(s))
		require.NoError(t, e.Launch(bad))
		assert.ErrorIs(t, bad.Synchronize(), cuda.ErrHostFunc)
		assert.ErrorIs(t, event.Synchronize(), cuda.ErrHostFunc, "after the stream, which is fine, a graph")
		require.NoError(t, fine.Launch(s))
		assert.NoError(t, event.Synchronize(), "after that a graph that is fine")
		require.NoError(t, event.Record(bad))
		assert.ErrorIs(t, event.Synchronize(), cuda.ErrHostFunc)
		require.NoError(t, fine.Launch(s))
		assert.NoError(t, event.Synchronize())

		n.Set(other.RecordNode())
		require.NoError(t, e.Update(n))
		require.NoError(t, e.Launch(bad))
		assert.ErrorIs(t, other.Synchronize(), cuda.ErrHostFunc, "the event of an update")
		assert.NoError(t, event.Synchronize())
		assert.ErrorIs(t, bad.Close(), cuda.ErrHostFunc)
	})
}

func newEvent(t *testing.T, dev *cuda.Device) *cuda.Event {
	t.Helper()
	e, err := dev.NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return e
}

// TestGraphWaitsForAnotherDevice: a node waits for an event of another device, as a stream does.
func TestGraphWaitsForAnotherDevice(t *testing.T) {
	devs, streams, buffers := openSimulated(t, 2)
	event, late := newEvent(t, devs[1]), newEvent(t, devs[1])
	wait := event.WaitNode()
	child, err := cuda.DefineGraph(wait)
	require.NoError(t, err)
	copied := cuda.NewNode(cuda.Copy(buffers[0].All(), buffers[1].All())).After(child.ChildNode())
	e := built(t, copied)
	own := built(t, cuda.NewNode(cuda.Fill(buffers[0].All(), 0)).After(wait))
	require.NoError(t, own.Launch(streams[0]), "an event that was never recorded")

	release := make(chan int)
	require.NoError(t, streams[1].LaunchHostFunc(func() { <-release }))
	require.NoError(t, cuda.Fill(buffers[1].All(), 7).Launch(streams[1]))
	require.NoError(t, event.Record(streams[1]))
	require.NoError(t, e.Launch(streams[0]))
	over, err := streams[0].Query()
	require.NoError(t, err)
	assert.False(t, over)
	close(release)
	assert.Equal(t, []int32{7, 7, 7}, numbersOf(t, streams[0], buffers[0]))

	wait.Set(late.WaitNode())
	require.NoError(t, own.Update(wait))
	require.NoError(t, own.Launch(streams[0]))
	require.NoError(t, streams[0].Synchronize())
	require.NoError(t, late.Close())
	assert.ErrorIs(t, own.Update(wait), cuda.ErrClosed)
	record := event.RecordNode()
	_, err = cuda.BuildGraph(record, cuda.NewNode(cuda.Fill(buffers[0].All(), 1)))
	assert.ErrorIs(t, err, cuda.ErrInvalidValue, "the control: a graph records events of its own device")
}

// TestGraphLaunchesInOrder: launches of one exec run in the order of the calls, on whatever streams.
func TestGraphLaunchesInOrder(t *testing.T) {
	dev := openSimulator(t)
	first, second := newStream(t, dev), newStream(t, dev)
	x := upload(t, first, make([]int32, 4))
	n := cuda.NewNode(cuda.Fill(x.All(), 1))
	e := built(t, n)
	release := make(chan int)
	require.NoError(t, first.LaunchHostFunc(func() { <-release }))
	require.NoError(t, e.Launch(first))
	n.Call().(*cuda.FillCall[int32]).Value = 2
	require.NoError(t, e.Update(n))
	require.NoError(t, e.Launch(second))
	assert.Never(t, func() bool {
		over, err := second.Query()
		return over || err != nil
	}, 20*time.Millisecond, time.Millisecond, "the launch before has not run")
	close(release)
	assert.Equal(t, []int32{2, 2, 2, 2}, numbersOf(t, second, x))
}

// TestGraphMemoryWhileItRuns: a graph that frees what it allocates is launched again while the launch
// before has allocated and not freed.
func TestGraphMemoryWhileItRuns(t *testing.T) {
	dev := openSimulator(t)
	s := newStream(t, dev)
	x := upload(t, s, make([]int32, 4))
	running, release := make(chan int, 2), make(chan int)
	alloc, memory := cuda.NewAllocNode[int32](dev, 4)
	fill := cuda.NewNode(cuda.Fill(memory, 3)).After(alloc)
	hold := cuda.NewHostNode(func() { running <- 1; <-release }).After(fill)
	out := cuda.NewNode(cuda.Copy(x.All(), memory)).After(hold)
	e := built(t, cuda.NewFreeNode(memory).After(out))
	require.NoError(t, e.Launch(s))
	<-running
	assert.NoError(t, e.Launch(s))
	close(release)
	assert.Equal(t, []int32{3, 3, 3, 3}, numbersOf(t, s, x))
}
