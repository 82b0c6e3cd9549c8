package sim

import (
	"sync"
	"sync/atomic"
	"time"
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

// patience is how long a kernel may run while its device is being closed.
const patience = 2 * time.Second

// Closing implements driver.Simulation.
func (d *device) Closing() { d.stopAfter(patience) }

// stopAfter watches over the context until it is destroyed, and stops it when nothing has
// ended for the given time although there is work. A host function may take as long as it
// likes: it cannot be stopped.
func (d *device) stopAfter(patience time.Duration) {
	d.mu.Lock()
	stop := d.stop
	d.mu.Unlock()
	if stop.closing.Swap(true) {
		return
	}
	go func() {
		tick := time.NewTicker(patience / 20)
		defer tick.Stop()
		ended, since := d.ended.Load(), time.Now()
		for {
			select {
			case <-stop.done:
				return
			case <-tick.C:
			}
			switch now := d.ended.Load(); {
			case now != ended || d.inHostFunc.Load() > 0 || d.isIdle():
				ended, since = now, time.Now()
			case time.Since(since) >= patience:
				stop.stop()
				return
			}
		}
	}()
}

// isIdle reports whether no stream has work.
func (d *device) isIdle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		if !s.isIdle() {
			return false
		}
	}
	for _, s := range d.ending {
		if !s.isIdle() {
			return false
		}
	}
	return true
}
