package cuda_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// launchesOf counts the launches of kernels and of graphs since the last call. The simulated device
// is not asked.
func launchesOf(library *fakecuda.Library) (kernels, graphs int) {
	for _, call := range library.Calls() {
		switch call {
		case driver.LaunchKernel.Name():
			kernels++
		case driver.GraphLaunch.Name():
			graphs++
		}
	}
	library.Reset()
	return kernels, graphs
}

// TestBatchBecomesAGraph: results are those of launches, whatever changes between them.
func TestBatchBecomesAGraph(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		other := newStream(t, dev)
		x, y := upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4))
		first, second := adding(t, k, x, 1), adding(t, k, x, 10)
		fill, copied := cuda.Fill(y.Slice(0, 1), 7), cuda.Copy(y.Slice(2, 4), x.Slice(0, 2))
		for name, calls := range map[string][]cuda.Prepared{
			"launches":           {first, second, first},
			"fills and copies":   {first, second, fill, copied, first},
			"a copy in the end":  {first, second, first, fill, copied},
			"a fill in the lead": {fill, copied, first, second, first},
		} {
			t.Run(name, func(t *testing.T) {
				batch, err := cuda.NewBatch(calls...)
				require.NoError(t, err)
				assert.Equal(t, len(calls), batch.Len())
				never, err := cuda.NewBatch(calls...)
				require.NoError(t, err)
				never.NeverGraph()
				// same launches both, which become one graph and stay launches, and compares.
				same := func(s *cuda.Stream) {
					t.Helper()
					var results [2][]int32
					for i, b := range []*cuda.Batch{batch, never} {
						require.NoError(t, cuda.Fill(x.All(), 0).Launch(s))
						require.NoError(t, cuda.Fill(y.All(), 0).Launch(s))
						require.NoError(t, b.Launch(s))
						results[i] = append(numbersOf(t, s, x), numbersOf(t, s, y)...)
					}
					assert.Equal(t, results[1], results[0])
				}
				for range 6 {
					same(s)
				}
				assert.True(t, cuda.IsGraph(batch))
				assert.False(t, cuda.IsGraph(never))
				set := func(call *example.AddDeltaCall, data cuda.Slice[int32], delta int32) {
					require.NoError(t, call.Set(example.AddDeltaArgs{Data: data, Delta: delta}))
				}
				for delta := range int32(3) {
					set(second, x.All(), 100+delta)
					same(s)
				}
				set(first, y.All(), 5)
				same(s)
				set(second, x.Slice(1, 3), 50)
				same(s)
				require.NoError(t, second.Launch(s), "which does not tell the graph")
				set(second, x.Slice(0, 0), 50)
				same(s)
				fill.Value, copied.Src = 9, x.Slice(2, 4)
				same(s)
				fill.Dst = y.Slice(0, 2)
				same(s)
				assert.True(t, cuda.IsGraph(batch), "all of that is an update")
				same(other)
				same(s)
				set(first, x.All(), 1)
				set(second, x.All(), 10)
				for range 6 {
					same(other)
				}
				fill.Dst = y.Slice(0, 0)
				for range 9 {
					same(s)
				}
				fill.Dst = y.Slice(0, 1)
				for range 3 {
					same(s)
				}
				batch.NeverGraph()
				same(s)
				assert.False(t, cuda.IsGraph(batch))
				g, err := cuda.Capture(s, batch.Launch)
				require.NoError(t, err)
				assert.Len(t, g.Nodes(), len(calls))
			})
		}
	})
}

// TestBatchGraphIsCaptured: a batch that is a graph is captured as its calls.
func TestBatchGraphIsCaptured(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		batch, err := cuda.NewBatch(adding(t, k, x, 1), cuda.Fill(x.Slice(1, 2), 3))
		require.NoError(t, err)
		for range 5 {
			require.NoError(t, batch.Launch(s))
		}
		require.True(t, cuda.IsGraph(batch))
		g, err := cuda.Capture(s, batch.Launch)
		require.NoError(t, err)
		assert.Len(t, g.Nodes(), 2)
	})
}

// TestBatchGraphCalls: what the driver is asked for.
func TestBatchGraphCalls(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	call := adding(t, k, x, 1)
	batch, err := cuda.NewBatch(call, call, call)
	require.NoError(t, err)
	library.Reset()
	launch := func(kernels, graphs int) {
		t.Helper()
		require.NoError(t, batch.Launch(s))
		gotKernels, gotGraphs := launchesOf(library)
		assert.Equal(t, []int{kernels, graphs}, []int{gotKernels, gotGraphs})
	}
	for range 3 {
		launch(3, 0)
	}
	launch(0, 1)
	require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 2}))
	launch(0, 1)
	assert.Equal(t, 1, library.Live(fakecuda.GraphExec))
	if !raceEnabled {
		assert.Zero(t, testing.AllocsPerRun(20, func() {
			if call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 3}) != nil || batch.Launch(s) != nil {
				t.Fail()
			}
		}))
	}
	library.Reset()

	// An exec on two streams would order their work.
	other := newStream(t, dev)
	require.NoError(t, batch.Launch(other))
	kernels, graphs := launchesOf(library)
	assert.Equal(t, []int{3, 0}, []int{kernels, graphs})
	launch(0, 1)

	// A graph that the driver refuses is launched call by call: the error has the call.
	library.Fail(driver.GraphLaunch.Name(), int(driver.ErrorOutOfMemory))
	launch(3, 1)
	launch(0, 1)

	// A graph that cannot be made is not tried again.
	refused, err := cuda.NewBatch(call, call)
	require.NoError(t, err)
	library.Fail(driver.GraphInstantiateWithParams.Name(), int(driver.ErrorNotSupported)) // out of memory would be tried again
	for range 9 {
		require.NoError(t, refused.Launch(s))
	}
	kernels, graphs = launchesOf(library)
	assert.Equal(t, []int{18, 0}, []int{kernels, graphs})

	// Nobody closes a batch: its exec goes with it.
	batch = nil
	assert.Eventually(t, func() bool { runtime.GC(); return library.Live(fakecuda.GraphExec) == 0 }, 10*time.Second, time.Millisecond)
	assert.Zero(t, library.Live(fakecuda.Graph))
}

// TestBatchGraphFails: errors name the call, as those of launches do.
func TestBatchGraphFails(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y, z := upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4))
		batch, err := cuda.NewBatch(adding(t, k, x, 1), cuda.Fill(z.All(), 1), adding(t, k, y, 1))
		require.NoError(t, err)
		for range 5 {
			require.NoError(t, batch.Launch(s))
		}
		require.True(t, cuda.IsGraph(batch))
		index := func(want int) {
			t.Helper()
			var failed *cuda.BatchError
			err := batch.Launch(s)
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, want, failed.Index)
			assert.Equal(t, 3, failed.Count)
			assert.ErrorIs(t, err, cuda.ErrClosed)
		}
		require.NoError(t, y.Close())
		index(2)
		require.NoError(t, z.Close())
		index(1)
		require.NoError(t, k.Close())
		index(0)
		require.Error(t, batch.Launch(nil))
		require.NoError(t, s.Synchronize())
	})
}

// TestBatchOfOperations: batches of fills and copies alone, and what cannot be in a batch.
func TestBatchOfOperations(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, []int32{1, 2, 3, 4})
		fill := cuda.Fill(x.Slice(0, 1), 5)
		batch, err := cuda.NewBatch(fill, cuda.Copy(x.Slice(3, 4), x.Slice(0, 1)))
		require.NoError(t, err)
		for n := range int32(6) {
			fill.Value = n
			require.NoError(t, batch.Launch(s))
			assert.Equal(t, []int32{n, 2, 3, n}, numbersOf(t, s, x))
		}
		assert.True(t, cuda.IsGraph(batch))
		_, err = cuda.NewBatch(adding(t, k, x, 1), (*cuda.FillCall[int32])(nil))
		assert.ErrorContains(t, err, "call 1 is nil")
		_, err = cuda.NewBatch(fill, fill, &example.SaxpyCall{})
		assert.ErrorContains(t, err, "call 2 was not prepared")
		bad, err := cuda.NewBatch(fill, adding(t, k, x, 1), cuda.Copy(x.Slice(0, 2), x.Slice(0, 1)))
		require.NoError(t, err)
		var failed *cuda.BatchError
		require.ErrorAs(t, bad.Launch(s), &failed)
		assert.Equal(t, 2, failed.Index)
		assert.ErrorContains(t, failed, "the destination has 2 elements")
	})
}

// A batch on a stream with a priority stays what it is: kernels of a graph do not have that of the stream.
func TestBatchOnUrgentStream(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		_, greatest, err := dev.StreamPriorities()
		require.NoError(t, err)
		urgent, err := dev.NewStreamWithPriority(greatest)
		require.NoError(t, err)
		defer urgent.Close()
		s := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		k, err := example.LoadKernels(dev)
		require.NoError(t, err)
		call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: x.All(), Delta: 1})
		require.NoError(t, err)
		batch, err := cuda.NewBatch(call, call)
		require.NoError(t, err)
		for range 8 {
			require.NoError(t, batch.Launch(urgent))
		}
		assert.Equal(t, greatest == 0, cuda.IsGraph(batch))
		require.NoError(t, urgent.Synchronize())
		for range 8 {
			require.NoError(t, batch.Launch(s))
		}
		assert.True(t, cuda.IsGraph(batch))
		if dev.IsSimulated() || os.Getenv(onGPU) != "" { // the fake executes no kernels
			assert.Equal(t, []int32{32, 32, 32, 32}, numbersOf(t, s, x))
		}
	})
}
