package sim

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A stopper ends the work of a context.
type stopper struct {
	flag    atomic.Bool   // what running kernels look at
	done    chan struct{} // closed when flag is set
	once    sync.Once
	closing atomic.Bool
}

func newStopper() *stopper { return &stopper{done: make(chan struct{})} }

func (s *stopper) stop() {
	s.once.Do(func() {
		s.flag.Store(true)
		close(s.done)
	})
}

// How long nothing may end while a device, or a stream, is being closed: no block of a kernel
// and no other work. What a closed device computes is lost, but others may read what a closed
// stream does.
const (
	patience       = 2 * time.Second
	streamPatience = 5 * time.Second
)

// Closing implements driver.Simulation.
func (d *primaryContext) Closing() { d.stopAfter(patience) }

// stopAfter watches over the context until it is destroyed.
func (d *primaryContext) stopAfter(patience time.Duration) {
	stop := d.stop.Load()
	if !stop.closing.Swap(true) {
		go d.watch(stop, patience, nil)
	}
}

// ClosingStream implements driver.Simulation.
func (d *primaryContext) ClosingStream(handle driver.Stream) (closed func()) {
	d.mu.Lock()
	s := d.streams[handle]
	d.mu.Unlock()
	stop := d.stop.Load()
	if s == nil || s.IsIdle() {
		return func() {}
	}
	quit := make(chan struct{})
	go d.watch(stop, streamPatience, quit)
	return func() { close(quit) }
}

// watch stops the context when nothing has ended for the given time although there is work,
// until quit is closed or it is stopped. A host function may take as long as it likes: it
// cannot be stopped.
func (d *primaryContext) watch(stop *stopper, patience time.Duration, quit <-chan struct{}) {
	tick := time.NewTicker(patience / 20)
	defer tick.Stop()
	ended, _ := d.progress(nil)
	since := time.Now()
	for {
		select {
		case <-stop.done:
			return
		case <-quit:
			return
		case <-tick.C:
		}
		switch now, inHostFunc := d.progress(nil); {
		case now != ended || inHostFunc || d.isIdle():
			ended, since = now, time.Now()
		case time.Since(since) >= patience:
			stop.stop()
			return
		}
	}
}

// isIdle reports whether no stream has work.
func (d *primaryContext) isIdle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		if !s.IsIdle() {
			return false
		}
	}
	for _, s := range d.ending {
		if !s.IsIdle() {
			return false
		}
	}
	return true
}

// progress returns a number that changes when something ends on d or on a device whose event
// a stream of d waits for, and whether a host function runs on one of them. seen is what was
// asked already.
func (d *primaryContext) progress(seen []*primaryContext) (ended uint64, inHostFunc bool) {
	seen = append(seen, d)
	ended, inHostFunc = d.ended.Load(), d.inHostFunc.Load() > 0
	d.mu.Lock()
	awaited := slices.Collect(maps.Keys(d.awaited))
	d.mu.Unlock()
	for _, other := range awaited {
		if !slices.Contains(seen, other) {
			more, in := other.progress(seen)
			ended, inHostFunc = ended+more, inHostFunc || in
		}
	}
	return ended, inHostFunc
}
