package main

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/bench/race"
)

// A worker launches from a goroutine of its own on a stream of its own.
type worker struct {
	number     int
	start, end time.Time
	err        error
}

// launchAtOnce launches from as many goroutines as there are streams, at once. It returns
// the nanoseconds from the first launch to the last, divided by the number of all launches.
func (b *bench) launchAtOnce() (float64, error) {
	workers := make([]worker, race.NumStreams)
	var missing atomic.Int32 // workers that are not ready
	missing.Store(race.NumStreams)
	var wg sync.WaitGroup
	for i := range workers {
		workers[i].number = i
		wg.Go(func() { b.work(&workers[i], &missing) })
	}
	wg.Wait()
	var err error
	for _, w := range workers {
		err = errors.Join(err, w.err)
	}
	start := slices.MinFunc(workers, func(v, w worker) int { return v.start.Compare(w.start) }).start
	end := slices.MaxFunc(workers, func(v, w worker) int { return v.end.Compare(w.end) }).end
	return float64(end.Sub(start).Nanoseconds()) / float64(race.NumStreams*b.launches), err
}

// work begins with a launch that is not timed, as C's does.
func (b *bench) work(w *worker, missing *atomic.Int32) {
	s, x, y := b.streams.All[w.number], b.x[w.number].All(), b.y[w.number].All()
	if w.err = b.kernels.Saxpy.Launch(s, 2, x, y); w.err == nil {
		w.err = s.Synchronize()
	}
	missing.Add(-1)
	for missing.Load() > 0 {
		runtime.Gosched()
	}
	w.start = time.Now()
	for i := 0; i < b.launches && w.err == nil; i++ {
		w.err = b.kernels.Saxpy.Launch(s, 2, x, y)
	}
	w.end = time.Now()
	if w.err == nil {
		w.err = s.Synchronize()
	}
}
