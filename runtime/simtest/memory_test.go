package simtest

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// What a simulated device had leaves nothing behind when it is closed: of many objects on devices that were closed, and of many
// devices.
func TestClosedSimulatorsLeaveNothing(t *testing.T) {
	testenv.Need(t, testenv.Long)
	objects := testenv.Cases(1000, 4000)
	each := func(t *testing.T, n int, use func(dev *cuda.Device, s *cuda.Stream)) func() {
		return func() {
			dev, err := cuda.OpenSimulator()
			require.NoError(t, err)
			s, err := dev.NewStream()
			require.NoError(t, err)
			for range n {
				use(dev, s)
			}
			require.NoError(t, s.Close())
			require.NoError(t, dev.Close())
		}
	}
	for _, test := range []struct {
		name string
		n    int
		use  func(dev *cuda.Device, s *cuda.Stream)
	}{
		{"buffers", objects, func(dev *cuda.Device, s *cuda.Stream) {
			b, err := cuda.Alloc[byte](s, 8)
			require.NoError(t, err)
			require.NoError(t, b.Close())
		}},
		{"buffers that are left open", objects, func(dev *cuda.Device, s *cuda.Stream) {
			_, err := cuda.Alloc[byte](s, 8)
			require.NoError(t, err)
		}},
		{"streams", objects, func(dev *cuda.Device, _ *cuda.Stream) {
			s, err := dev.NewStream()
			require.NoError(t, err)
			require.NoError(t, s.Close())
		}},
		{"events", objects, func(dev *cuda.Device, s *cuda.Stream) {
			e, err := dev.NewEvent(cuda.EventConfig{})
			require.NoError(t, err)
			require.NoError(t, e.Record(s))
			require.NoError(t, s.WaitEvent(e))
			require.NoError(t, e.Close())
		}},
		{"pools", objects, func(dev *cuda.Device, s *cuda.Stream) {
			p, err := dev.NewPool(cuda.PoolConfig{})
			require.NoError(t, err)
			b, err := cuda.AllocFrom[byte](p, s, 8)
			require.NoError(t, err)
			require.NoError(t, b.Close())
			require.NoError(t, p.Close())
		}},
		{"libraries", 20, func(dev *cuda.Device, _ *cuda.Stream) {
			k, err := example.LoadKernels(dev)
			require.NoError(t, err)
			require.NoError(t, k.Close())
		}},
		{"page-locked memory", objects / 8, func(dev *cuda.Device, _ *cuda.Stream) {
			h, err := cuda.AllocHost[byte](dev, 8, cuda.HostConfig{})
			require.NoError(t, err)
			require.NoError(t, h.Close())
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Less(t, growth(each(t, test.n, test.use))/float64(test.n), 64.0, "bytes for each object")
		})
	}
	t.Run("devices", func(t *testing.T) {
		round := each(t, 1, func(dev *cuda.Device, s *cuda.Stream) {
			k, err := example.LoadKernels(dev)
			require.NoError(t, err)
			x, err := cuda.Upload(s, []float32{1, 2, 3})
			require.NoError(t, err)
			require.NoError(t, k.Saxpy.Launch(s, 2, x.All(), x.All()))
			require.NoError(t, k.Close())
		})
		assert.Less(t, growth(func() {
			for range 10 {
				round()
			}
		})/10, 1024.0, "bytes for each device")
	})
}

// growth is by how many bytes the heap grows with each call of round, by the round in which it grows least: what a round leaves
// behind is left by each, and what else a test binary allocates or frees meanwhile comes and goes.
func growth(round func()) float64 {
	round()
	least := math.Inf(1)
	for range 4 {
		before := heapBytes()
		round()
		least = min(least, float64(heapBytes()-before))
	}
	return least
}

// heapBytes is what is reachable on the heap.
func heapBytes() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
