package cuda

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A queue is a stream of the driver. It belongs to one Stream at a time: when that is closed,
// the next NewStream takes the queue over, or it is destroyed when no call can use it any
// more. docs/decisions, "What becomes of a closed stream?"
type queue struct {
	handle driver.Stream
	dev    *Device
	plain  bool                   // without a priority: other streams may have it, unless it is named
	name   atomic.Pointer[string] // by SetName, or nil

	captures bool // the driver captures there: it has no work, and a query would end the capture

	// generation counts the Streams that have been closed: their work has run, but for that
	// of calls beside Close.
	generation atomic.Uint64

	uses inuse.Count // calls that block there and hold no epoch, and others' waits

	mu     sync.Mutex // held while it is destroyed
	gone   atomic.Bool
	closed uint64 // while it is idle: the number of the Close; under Device.mu
}

// synchronize waits for the work queued on q, if the last of it belongs to the generation
// until or one before.
func (q *queue) synchronize(until uint64) driver.Result {
	if q.generation.Load() > until || !q.dev.pinWork() {
		return driver.Success // Close has waited, also that of the device
	}
	defer q.dev.unpin()
	if !q.begin() {
		return driver.Success
	}
	defer q.end()
	return q.dev.drv.StreamSynchronize(q.handle)
}

// begin keeps q until end. It reports false if q is gone.
func (q *queue) begin() bool {
	closed, last := q.uses.Begin()
	if last {
		q.destroy()
	}
	return !closed
}

func (q *queue) end() {
	if q.uses.End() {
		q.destroy()
	}
}

// release destroys q, or leaves that to the last of its uses.
func (q *queue) release() {
	if _, last := q.uses.Close(); last {
		q.destroy()
	}
}

// destroy destroys q after its work, unless that was done.
func (q *queue) destroy() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone.Swap(true) {
		return
	}
	q.dev.given(q.dev.drv.StreamSynchronize(q.handle))
	if t := tracing.Load(); t != nil {
		t.streams.Delete(streamKey{q.dev.watched(), q.handle}) // another device may get the handle
	}
	q.dev.given(q.dev.drv.StreamDestroy(q.handle))
}

// An idleQueues is what the closed streams of a device have left. Device.mu guards it.
type idleQueues struct {
	queues   []*queue // that a stream may take over, in the order in which they became idle
	left     []left   // that wait for calls that may use them, in the order of closing
	closings uint64   // the number of the last Close
	sweeping bool     // a sweep is due
}

// A left is what a closed stream has left.
type left struct {
	closing uint64 // the number of the Close
	word    uint64 // whose bit goes to another stream
	queue   *queue // to destroy; or nil
}

// takeQueue returns an idle queue, the one that was used last, or nil. A lost device has none: the
// driver is asked for a new one, and says so.
func (d *Device) takeQueue() *queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	idle := &d.idle
	n := len(idle.queues)
	if n == 0 || d.isClosed() || d.fault.Load() != nil {
		return nil
	}
	q := idle.queues[n-1]
	idle.queues[n-1] = nil
	idle.queues = idle.queues[:n-1]
	return q
}

// leaveQueue takes what a closed stream leaves: its queue, which another stream may have if
// again is true, and its word.
func (d *Device) leaveQueue(q *queue, word uint64, again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	idle := &d.idle
	idle.closings++
	if again {
		q.closed = idle.closings
		idle.queues = append(idle.queues, q)
		q = nil
	}
	if q != nil || word&inuse.AllBits != 0 {
		idle.left = append(idle.left, left{idle.closings, word, q})
	}
	d.sweepLater()
}

// sweepLater has all that was left so far swept when no call can use it any more. d.mu is held.
func (d *Device) sweepLater() {
	idle := &d.idle
	if idle.sweeping || len(idle.queues)+len(idle.left) == 0 {
		return
	}
	idle.sweeping = true
	last := idle.closings
	d.retireLocked(retirement{free: func() { d.sweep(last) }, quick: true})
}

// sweep destroys the queues, and gives back the bits, that were left by the Close of the given
// number or before, but for queues that have a stream again.
func (d *Device) sweep(last uint64) {
	d.mu.Lock()
	idle := &d.idle
	var old []*queue
	for len(idle.queues) > 0 && idle.queues[0].closed <= last {
		old = append(old, idle.queues[0])
		idle.queues = idle.queues[1:]
	}
	for len(idle.left) > 0 && idle.left[0].closing <= last {
		l := idle.left[0]
		d.bits.GiveBack(l.word)
		if l.queue != nil {
			old = append(old, l.queue)
		}
		idle.left = idle.left[1:]
	}
	idle.queues, idle.left = slices.Clone(idle.queues), slices.Clone(idle.left)
	idle.sweeping = false
	d.sweepLater()
	d.mu.Unlock()
	for _, q := range old {
		q.release()
	}
}
