package cuda_test

import (
	"maps"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A footprint is what a server takes between its requests.
type footprint struct {
	heap, goroutines, threads int
	objects                   map[fakecuda.Object]int // of the driver
}

// settled returns the footprint when what was closed is gone.
func settled(t *testing.T, dev *cuda.Device, library *fakecuda.Library) footprint {
	cuda.AwaitCalls(dev)
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	runtime.ReadMemStats(&m)
	f := footprint{int(m.HeapAlloc), runtime.NumGoroutine(), threads(t), map[fakecuda.Object]int{}}
	if library != nil {
		for o := fakecuda.Context; o <= fakecuda.GraphExec; o++ {
			f.objects[o] = library.Live(o)
		}
	}
	return f
}

// request does what a server does for one request: with its own stream, buffers, event and
// graph, and the weights that all share.
func request(dev *cuda.Device, k *example.Kernels, weights *cuda.Buffer[float32]) error {
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := cuda.Upload(s, make([]float32, 64))
	if err != nil {
		return err
	}
	defer x.Close()
	e, err := dev.NewEvent(cuda.EventConfig{})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := k.Saxpy.Launch(s, 2, weights.All(), x.All()); err != nil {
		return err
	}
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: weights.All(), Y: x.All()})
	if err != nil {
		return err
	}
	g, err := cuda.DefineGraph(cuda.NewNode(call).After(cuda.NewHostNode(func() {})))
	if err != nil {
		return err
	}
	exec, err := g.InstantiateOn(dev)
	if err != nil {
		return err
	}
	defer exec.Close()
	if err := exec.Launch(s); err != nil {
		return err
	}
	if err := e.Record(s); err != nil {
		return err
	}
	_, err = x.All().Download(s)
	return err
}

// TestRequestsLeaveNothing: 3,000 requests leave what 1,000 do. bench/requests does it with
// 100,000 and 1,000, on a GPU, too.
func TestRequestsLeaveNothing(t *testing.T) {
	const few, many = 1000, 3000
	grows := func(first, last footprint) bool { return last.heap-first.heap > max(first.heap/100, 64<<10) }
	run := func(t *testing.T, after func(dev *cuda.Device)) (first, last footprint) {
		dev, library := openFake(t)
		k, home := loaded(t, dev)
		weights := upload(t, home, make([]float32, 64))
		for i := range many {
			if i == few {
				first = settled(t, dev, library)
			}
			require.NoError(t, request(dev, k, weights))
			after(dev)
			if i%100 == 0 {
				library.Reset() // its log
			}
		}
		last = settled(t, dev, library)
		for tries := 0; tries < 20 && (grows(first, last) || last.goroutines > first.goroutines || !maps.Equal(first.objects, last.objects)); tries++ {
			last = settled(t, dev, library) // on a busy machine it takes longer until all is gone
		}
		return first, last
	}
	first, last := run(t, func(*cuda.Device) {})
	t.Logf("%+v, then %+v", first, last)
	if !raceEnabled {
		assert.False(t, grows(first, last), "%d bytes at %d, %d at %d", first.heap, few, last.heap, many)
		assert.LessOrEqual(t, last.threads, first.threads+64, "Go starts some when the machine is busy")
	}
	assert.LessOrEqual(t, last.goroutines, first.goroutines)
	assert.Equal(t, first.objects, last.objects)
	t.Run("the control: an event of each request stays open", func(t *testing.T) {
		first, last := run(t, func(dev *cuda.Device) {
			_, err := dev.NewEvent(cuda.EventConfig{})
			require.NoError(t, err)
		})
		assert.Greater(t, int64(last.heap)-int64(first.heap), int64(64<<10), "%d bytes at %d, %d at %d; other tests of the process may have left more than a hundredfold", first.heap, few, last.heap, many)
		assert.Equal(t, many-few, last.objects[fakecuda.Event]-first.objects[fakecuda.Event])
	})
}
