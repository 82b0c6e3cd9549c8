package cuda_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestGraphNodeInSeveralPlaces: a node may be in a graph and in bodies inside of it. An update, and
// Disable, are for all of these.
func TestGraphNodeInSeveralPlaces(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if olderThan(dev, 12, 3) {
			return // it has no conditional nodes
		}
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 1))
		call := adding(t, k, x, 1)
		n := cuda.NewNode(call)
		body, err := cuda.DefineGraph(n)
		require.NoError(t, err)
		first := cuda.NewConditional(1).If(body, nil).After(n)
		second := cuda.NewConditional(1).If(body, nil).After(first)
		e := built(t, second)
		run := func(want int32) {
			t.Helper()
			require.NoError(t, cuda.Fill(x.All(), 0).Launch(s))
			require.NoError(t, e.Launch(s))
			if got := numbersOf(t, s, x); !isFake(dev) {
				assert.Equal(t, want, got[0])
			}
		}
		run(3)
		set := func(delta int32) {
			require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: delta}))
		}
		set(10)
		require.NoError(t, e.Update(n))
		run(30)
		other := built(t, n) // which notes the node
		set(100)
		require.NoError(t, e.UpdateCall(call))
		run(300)
		require.NoError(t, other.Launch(s))
		require.NoError(t, e.Disable(n))
		run(0)
		require.NoError(t, e.Enable(n))
		run(300)
		set(1000)
		g, err := cuda.DefineGraph(n)
		require.NoError(t, err)
		require.NoError(t, other.UpdateFrom(g))
		require.NoError(t, e.Update(n))
		run(3000)
	})
}

// TestCopiedCall: Set of a call that was copied, which is not allowed, changes the copy alone.
func TestCopiedCall(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4))
		call := adding(t, k, x, 1)
		copied := new(example.AddDeltaCall)
		copyOf(copied, call)
		require.NoError(t, copied.Set(example.AddDeltaArgs{Data: y.All(), Delta: 10}))
		require.NoError(t, copied.Launch(s))
		require.NoError(t, call.Launch(s))
		if got := append(numbersOf(t, s, x), numbersOf(t, s, y)...); !isFake(dev) {
			assert.Equal(t, []int32{1, 1, 1, 1, 10, 10, 10, 10}, got)
		}
		require.NoError(t, y.Close())
		assert.NoError(t, call.Launch(s), "it has x alone")
		assert.ErrorIs(t, copied.Launch(s), cuda.ErrClosed)
	})
}

// copyOf copies what must not be copied.
func copyOf[T any](to, from *T) { *to = *from }

// TestSetAfterwards: Set of a call whose configuration stays looks at what may have changed all
// the same.
func TestSetAfterwards(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4))
		call := adding(t, k, x, 1)
		set := func(data cuda.Slice[int32]) error {
			return call.Set(example.AddDeltaArgs{Data: data, Delta: 1})
		}
		e := built(t, cuda.NewNode(call))
		require.NoError(t, y.Close())
		require.ErrorIs(t, set(y.All()), cuda.ErrClosed)
		require.NoError(t, e.UpdateCall(call), "the call is unchanged")
		require.NoError(t, e.Launch(s))
		misaligned := cuda.Shifted(x.All(), 2)
		require.ErrorIs(t, set(misaligned), cuda.ErrMisalignedAddress)
		require.NoError(t, call.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(2), got[0])
		}
		require.NoError(t, k.Close())
		assert.ErrorIs(t, set(x.All()), cuda.ErrClosed)
		assert.ErrorIs(t, e.UpdateCall(call), cuda.ErrClosed)
		assert.ErrorIs(t, e.Launch(s), cuda.ErrClosed)
		again := loadExample(t, dev)
		other := adding(t, again, x, 1)
		require.NoError(t, other.Launch(s))
		assert.ErrorIs(t, e.UpdateCall(call), cuda.ErrClosed, "its kernel is of the other library")
		require.NoError(t, dev.Close())
		assert.ErrorIs(t, e.Launch(s), cuda.ErrClosed)
		assert.ErrorIs(t, e.UpdateCall(call), cuda.ErrClosed)
	})
}

// TestGraphAfterALibrary: closing any library of the device makes graphs look at their kernels, and
// those whose library is open go on.
func TestGraphAfterALibrary(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		other := loadExample(t, dev)
		x := upload(t, s, make([]int32, 4))
		mine, its := built(t, cuda.NewNode(adding(t, k, x, 1))), built(t, (defined(t, cuda.NewNode(adding(t, other, x, 1)))).ChildNode())
		for range 3 {
			require.NoError(t, mine.Launch(s))
			require.NoError(t, its.Launch(s))
		}
		require.NoError(t, other.Close())
		for range 2 {
			assert.ErrorIs(t, its.Launch(s), cuda.ErrClosed)
			assert.NoError(t, mine.Launch(s))
		}
		later := newStream(t, dev)
		assert.ErrorIs(t, its.Launch(later), cuda.ErrClosed)
	})
}

// TestLaunchesLeaveTablesFlat: thousands of launches, updates and streams leave nothing behind.
func TestLaunchesLeaveTablesFlat(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	call := adding(t, k, x, 1)
	n, calls := cuda.NewNode(call), make(chan struct{}, 10000)
	host := cuda.NewHostNode(func() { calls <- struct{}{} }).After(n)
	e := built(t, host)
	live := func() [4]int {
		return [4]int{library.Live(fakecuda.Graph), library.Live(fakecuda.GraphExec), library.Live(fakecuda.Event), cuda.HostFunctions(e)}
	}
	require.NoError(t, e.Launch(s))
	before := live()
	for i := range 2000 {
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: int32(i)}))
		require.NoError(t, e.Update(n))
		require.NoError(t, e.Update(host))
		require.NoError(t, e.Launch(s))
		if i%100 == 0 {
			other, err := dev.NewStream()
			require.NoError(t, err)
			require.NoError(t, e.Launch(other))
			require.NoError(t, other.Close())
		}
	}
	require.NoError(t, s.Synchronize())
	assert.Eventually(t, func() bool {
		after := live()
		return cuda.HostFunctions(e) <= 66 && after[0] == before[0] && after[1] == before[1] && after[2] == before[2]
	}, 10*time.Second, time.Millisecond, "%v, before %v", live(), before)
}

func defined(t *testing.T, last *cuda.Node) *cuda.Graph {
	t.Helper()
	g, err := cuda.DefineGraph(last)
	require.NoError(t, err)
	return g
}
