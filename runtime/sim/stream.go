package sim

import (
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
)

// streamCalls is the calls about streams and events: work in order, and places in it.
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

// transfer enqueues f on n bytes of device memory at each of addrs. They must exist
// when it is called, and still when it runs.
func (d *primaryContext) transfer(handle driver.Stream, n uint64, f func(mem [][]byte), addrs ...driver.DevicePtr) driver.Result {
	if n == 0 {
		_, r := d.stream(handle)
		return r
	}
	find := func() (mem [][]byte, ok bool) {
		for _, addr := range addrs {
			m, ok := memory.BytesAt(uint64(addr), n)
			if !ok {
				return nil, false
			}
			mem = append(mem, m)
		}
		return mem, true
	}
	if _, ok := find(); !ok {
		if _, r := d.stream(handle); r != driver.Success {
			return r
		}
		return driver.ErrorInvalidValue
	}
	return d.do(handle, func() {
		mem, ok := find()
		if !ok {
			d.fail(freed())
			return
		}
		f(mem)
	})
}

func (d *copyCalls) MemcpyHtoDAsync(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) driver.Result {
	if src == nil && bytes > 0 {
		return driver.ErrorInvalidValue
	}
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.lineNode(side(nil, dst), side(src, 0), bytes) }); done {
		return r
	}
	return d.transfer(s, bytes, func(mem [][]byte) {
		copy(mem[0], unsafe.Slice((*byte)(src), bytes))
		memory.Define(uint64(dst), bytes)
	}, dst)
}

func (d *copyCalls) MemcpyDtoHAsync(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	if dst == nil && bytes > 0 {
		return driver.ErrorInvalidValue
	}
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.lineNode(side(dst, 0), side(nil, src), bytes) }); done {
		return r
	}
	return d.transfer(s, bytes, func(mem [][]byte) {
		copy(unsafe.Slice((*byte)(dst), bytes), mem[0])
		d.hostReads(src, bytes)
	}, src)
}

func (d *copyCalls) MemcpyDtoDAsync(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.lineNode(side(nil, dst), side(nil, src), bytes) }); done {
		return r
	}
	return d.transfer(s, bytes, func(mem [][]byte) {
		copy(mem[0], mem[1])
		memory.CopyShadow(uint64(dst), uint64(src), bytes)
	}, dst, src)
}
