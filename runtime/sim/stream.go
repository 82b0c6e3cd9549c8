package sim

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
)

// streamCalls is the calls about streams: work in order.
type streamCalls struct{ *primaryContext }

// stream returns a stream that work can be queued on. What is not captured breaks a capture.
func (d *primaryContext) stream(handle driver.Stream) (*queue.Queue, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return nil, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[handle]
	if s == nil {
		return nil, driver.ErrorInvalidHandle
	}
	if c := d.graphs.captured[handle]; c != nil {
		return nil, c.BreakUp(driver.ErrorStreamCaptureUnsupported)
	}
	return s, driver.Success
}

// StreamCreate knows the flags CU_STREAM_DEFAULT (0) and CU_STREAM_NON_BLOCKING (1),
// which mean the same without a null stream.
func (d *streamCalls) StreamCreate(flags uint32) (driver.Stream, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	if flags > 1 {
		return 0, driver.ErrorInvalidValue
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	created := driver.Stream(handle())
	d.streams[created] = queue.New(&d.ended)
	return created, driver.Success
}

// StreamDestroy returns at once; what was enqueued still runs.
func (d *streamCalls) StreamDestroy(handle driver.Stream) driver.Result {
	if !d.initialized.Load() {
		return driver.ErrorNotInitialized
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[handle]
	if s == nil {
		return driver.ErrorInvalidHandle
	}
	delete(d.streams, handle)
	if c := d.graphs.captured[handle]; c != nil {
		c.Invalid = true
		delete(d.graphs.captured, handle)
	}
	d.ending = append(slices.DeleteFunc(d.ending, (*queue.Queue).IsIdle), s)
	return driver.Result(d.sticky.Load())
}

func (d *streamCalls) StreamSynchronize(handle driver.Stream) driver.Result {
	s, r := d.stream(handle)
	if r != driver.Success {
		return r
	}
	s.Wait()
	d.trimPools()
	return d.usable()
}

func (d *streamCalls) StreamGetCtx(handle driver.Stream) (driver.Context, driver.Result) {
	if _, r := d.stream(handle); r != driver.Success {
		return 0, r
	}
	return d.primary(), driver.Success
}

func (d *streamCalls) StreamQuery(handle driver.Stream) driver.Result {
	s, r := d.stream(handle)
	if r != driver.Success {
		return r
	}
	if !s.IsIdle() {
		return driver.ErrorNotReady
	}
	return d.usable()
}

// do enqueues work on a stream. It is dropped when an error has stuck by then.
func (d *primaryContext) do(handle driver.Stream, work func()) driver.Result {
	s, r := d.stream(handle)
	if r != driver.Success {
		return r
	}
	s.Enqueue(func() {
		if d.usable() == driver.Success {
			work()
		}
	})
	return driver.Success
}

func (d *primaryContext) CtxSynchronize() driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	var all []*queue.Queue
	for _, s := range d.streams {
		all = append(all, s)
	}
	d.mu.Unlock()
	for _, s := range all {
		s.Wait()
	}
	d.trimPools()
	return d.usable()
}

// StreamWaitEvent also waits for events of other devices.
func (d *streamCalls) StreamWaitEvent(on driver.Stream, handle driver.Event, flags uint32) driver.Result {
	if r, done := d.joinCapture(on, handle, flags); done {
		return r
	}
	s, r := d.stream(on)
	if r != driver.Success {
		return r
	}
	m, foreign, r := d.anyMark(handle)
	if r != driver.Success {
		return r
	}
	if flags > 1 {
		return driver.ErrorInvalidValue
	}
	if m == nil {
		return driver.Success
	}
	if foreign != nil {
		s.Enqueue(d.foreignWait(m, foreign))
	} else {
		s.Enqueue(m.Wait)
	}
	return driver.Success
}

// LaunchHostFunc runs f on the stream's own goroutine.
func (d *streamCalls) LaunchHostFunc(on driver.Stream, f func()) driver.Result {
	if f == nil {
		return driver.ErrorInvalidValue
	}
	c, r := d.capturing(on)
	if c != nil && r == driver.Success { // the graph keeps it
		number := d.KeepHostFunc(f)
		_, r, _ := d.captureNode(on, func() driver.NodeParams { return driver.NodeParams{Type: driver.HostNodeType, Host: number} })
		return r
	}
	return d.do(on, func() { d.callHost(f) })
}

func (d *primaryContext) callHost(f func()) {
	d.inHostFunc.Add(1)
	defer d.inHostFunc.Add(-1)
	f()
}

// The simulator's streams have two priorities and treat them alike.
const (
	leastPriority    = 0
	greatestPriority = -1
)

func (d *streamCalls) CtxGetStreamPriorityRange() (least, greatest int, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	return leastPriority, greatestPriority, driver.Success
}

// StreamCreateWithPriority takes any priority, as the driver does, which moves it into
// its range.
func (d *streamCalls) StreamCreateWithPriority(flags uint32, _ int) (driver.Stream, driver.Result) {
	return d.StreamCreate(flags)
}
