package race

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// NumStreams is how many streams each side has, Go and C: driver.h says so, too.
const NumStreams = 8

// Streams are one side's streams. They are not alike, so each round takes the next.
type Streams struct {
	All   [NumStreams]*cuda.Stream
	round int
}

// NewStreams makes streams on dev.
func NewStreams(dev *cuda.Device) *Streams {
	s := new(Streams)
	for i := range s.All {
		s.All[i] = Must(dev.NewStream())
	}
	return s
}

// Next begins a round and returns its stream's number.
func (s *Streams) Next() int {
	s.round++
	return s.Number()
}

// Number returns the number of the round's stream.
func (s *Streams) Number() int { return s.round % NumStreams }

// Repeat makes a contestant's Run of enqueue, which queues so many operations. A round is
// count operations, and a synchronization that is not timed.
func (s *Streams) Repeat(count, operations int, enqueue func(s *cuda.Stream) error) func() (float64, error) {
	return func() (float64, error) {
		stream := s.All[s.Next()]
		start := time.Now()
		for range count / operations {
			if err := enqueue(stream); err != nil {
				return 0, err
			}
		}
		elapsed := time.Since(start)
		return float64(elapsed.Nanoseconds()) / float64(count), stream.Synchronize()
	}
}

// AtOnce makes count launches from as many goroutines as there are streams, each on a stream of its own, at once. What
// a goroutine does is what launch returns for its number. AtOnce returns the nanoseconds from the first launch to the
// last, divided by the number of all launches.
func AtOnce(streams []*cuda.Stream, count int, launch func(i int) func() error) (float64, error) {
	workers := make([]worker, len(streams))
	var missing atomic.Int32 // workers that are not ready
	missing.Store(int32(len(streams)))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { workers[i].work(streams[i], count, launch(i), &missing) })
	}
	wg.Wait()
	var err error
	for _, w := range workers {
		err = errors.Join(err, w.err)
	}
	start := slices.MinFunc(workers, func(v, w worker) int { return v.start.Compare(w.start) }).start
	end := slices.MaxFunc(workers, func(v, w worker) int { return v.end.Compare(w.end) }).end
	return float64(end.Sub(start).Nanoseconds()) / float64(len(streams)*count), err
}

// A worker launches from a goroutine of its own.
type worker struct {
	start, end time.Time
	err        error
}

// work begins with a launch that is not timed, as C's does.
func (w *worker) work(s *cuda.Stream, count int, launch func() error, missing *atomic.Int32) {
	if w.err = launch(); w.err == nil {
		w.err = s.Synchronize()
	}
	missing.Add(-1)
	for missing.Load() > 0 {
		runtime.Gosched()
	}
	w.start = time.Now()
	for i := 0; i < count && w.err == nil; i++ {
		w.err = launch()
	}
	w.end = time.Now()
	if w.err == nil {
		w.err = s.Synchronize()
	}
}

// Machine names the device and the platform.
func Machine(dev *cuda.Device) string {
	major, minor := dev.DriverVersion()
	return fmt.Sprintf("%v, CUDA %d.%d, %s/%s", dev, major, minor, runtime.GOOS, runtime.GOARCH)
}
