package cuda

import (
	"cmp"
	"context"
	"runtime"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A goCopy is a copy between a device and Go memory, which the driver must not use any more
// when the copy is over: docs/decisions, "How do many goroutines copy to Go memory?"
type goCopy struct {
	op     string
	toGo   bool
	device driver.DevicePtr
	host   unsafe.Pointer
	bytes  uint64
	owner  *lifetime  // in use until the copy is over; or nil
	box    *arrayCopy // in place of device; or nil
	bools  []boolRun  // that become 0 or 1 in the Go memory
}

// maxAttempts bounds how often a copy waits for a stream that others keep busy before it
// blocks a thread there.
const maxAttempts = 3

// run copies in the order of s, whose handle is handle, and ends the use of the owner. The
// epoch, which the caller has taken before the handle, is not held while run waits.
func (c goCopy) run(ctx context.Context, s *Stream, handle driver.Stream, epoch *epoch) error {
	if err := s.dev.mayWait(c.op); err != nil {
		epoch.release()
		c.owner.end()
		return err
	}
	err := c.copy(ctx, s, handle, epoch)
	if len(c.bools) > 0 { // also after an error: the program may look
		makeBools(c.host, c.bools)
	}
	return err
}

func (c goCopy) copy(ctx context.Context, s *Stream, handle driver.Stream, epoch *epoch) error {
	if ctx.Done() == nil && hasty.tryTake() {
		defer hasty.give()
		return c.blockAndEnd(s, handle, epoch)
	}
	enters := entering.takeWithin(ctx, longestEntering)
	way, staged, err := c.enter(ctx, s, handle)
	if enters {
		entering.give()
	}
	switch way {
	case blocks:
		defer patient.give()
		return c.blockAndEnd(s, handle, epoch)
	case waits:
		epoch.release()
		return staged.await(ctx, s)
	case parks:
		epoch.release()
		defer c.owner.end()
		return c.park(ctx, s)
	}
	epoch.release()
	c.owner.end()
	return err
}

// A way is how a copy goes on.
type way int

const (
	fails  way = iota
	blocks     // at once, and has taken a patient slot
	waits      // for the copy that is queued
	parks      // until the work that is queued has run
)

// enter finds the way of a copy on s, whose handle is handle.
func (c goCopy) enter(ctx context.Context, s *Stream, handle driver.Stream) (way, *stagedCopy, error) {
	if ctx.Err() != nil {
		return fails, nil, abandoned(ctx, c.op, s.dev)
	}
	idle, err := s.dev.queried(c.op, s.dev.drv.StreamQuery(handle))
	switch {
	case err != nil:
		return fails, nil, err
	case idle && patient.tryTake():
		return blocks, nil, nil
	}
	staged, err := c.stage(s, handle)
	switch {
	case err != nil:
		return fails, nil, err
	case staged == nil:
		return parks, nil, nil
	}
	return waits, staged, nil
}

// blockAndEnd is block, and ends the use of the owner.
func (c goCopy) blockAndEnd(s *Stream, handle driver.Stream, epoch *epoch) error {
	err := c.block(s, handle, epoch)
	c.owner.end()
	return err
}

// block copies, and blocks the thread until all work queued on s has run. It releases the epoch.
func (c goCopy) block(s *Stream, handle driver.Stream, epoch *epoch) error {
	pinned := s.pin()
	if pinned {
		epoch.release()
		epoch = nil
	}
	r := arrive(s.dev, handle)
	waited := driver.Success
	if r == driver.Success {
		r = c.queue(s.dev, handle, c.host)
		waited = s.dev.drv.StreamSynchronize(handle) // whatever r is: the driver may use the memory until then
	}
	runtime.KeepAlive(c.host)
	epoch.release()
	s.unpin(pinned)
	if r = cmp.Or(r, waited); r != driver.Success {
		return s.dev.fail(c.op, r)
	}
	return s.failure()
}

// arrive waits until a stream has run its work. While a copy of pageable memory waits for its stream, driver 580 lets
// no other call of the context allocate memory, create events or copy; one that waits for the stream
// alone holds up nobody.
func arrive(d *Device, handle driver.Stream) driver.Result {
	for range maxAttempts { // others may queue more
		r := d.drv.StreamQuery(handle)
		if r != driver.ErrorNotReady {
			return r
		}
		if r = d.drv.StreamSynchronize(handle); r != driver.Success {
			return r
		}
	}
	return driver.Success
}

// queue queues the copy, from or to host in place of the Go memory.
func (c goCopy) queue(d *Device, handle driver.Stream, host unsafe.Pointer) driver.Result {
	if c.box != nil {
		return c.box.queue(d, handle, host, c.toGo)
	}
	if c.toGo {
		return d.drv.MemcpyDtoHAsync(host, c.device, c.bytes, handle)
	}
	return d.drv.MemcpyHtoDAsync(c.device, host, c.bytes, handle)
}

// park waits until s has no work, and copies on one of few threads. Of the copies on s that are parked
// few ask the driver for that; the others wait for these.
func (c goCopy) park(ctx context.Context, s *Stream) error {
	turn := s.copies.turns()
	s.dev.waits.behind.Add(1)
	mine := turn.take(ctx)
	s.dev.waits.behind.Add(-1)
	if !mine {
		return abandoned(ctx, c.op, s.dev)
	}
	defer turn.give()
	for attempt := 1; ; attempt++ {
		if err := c.awaitIdle(ctx, s); err != nil {
			return err
		}
		if !patient.take(ctx) {
			return abandoned(ctx, c.op, s.dev)
		}
		done, err := c.attempt(s, attempt == maxAttempts)
		patient.give()
		if done {
			return err
		}
	}
}

// awaitIdle waits for what s has when it is called.
func (c goCopy) awaitIdle(ctx context.Context, s *Stream) error {
	enters := entering.takeWithin(ctx, longestEntering)
	epoch := s.hold()
	work, err := s.dev.waits.enterStream(s, c.op)
	epoch.release()
	if enters {
		entering.give()
	}
	if work == nil {
		return err
	}
	return s.dev.waits.await(ctx, s, work)
}

// attempt copies, unless others have queued work on s meanwhile and this is not the last
// attempt.
func (c goCopy) attempt(s *Stream, last bool) (done bool, err error) {
	epoch := s.hold()
	handle, err := s.open(c.op)
	if err != nil {
		return true, err
	}
	if !last {
		idle, err := s.dev.queried(c.op, s.dev.drv.StreamQuery(handle))
		if !idle {
			return err != nil, err
		}
	}
	return true, c.block(s, handle, epoch)
}

// A stagedCopy is a goCopy that is queued, from or to page-locked memory.
type stagedCopy struct {
	goCopy
	block stagingBlock
	over  *pending
}

// stage queues c by way of page-locked memory, without waiting. It returns nil if there is
// none for it, or if enough such copies are queued on s.
func (c goCopy) stage(s *Stream, handle driver.Stream) (*stagedCopy, error) {
	d := s.dev
	if !s.copies.stage() {
		return nil, nil
	}
	block, ok := d.staging.take(c.bytes)
	if !ok {
		s.copies.unstage()
		return nil, nil
	}
	if !c.toGo {
		copy(block.of(c.bytes), unsafe.Slice((*byte)(c.host), c.bytes))
	}
	over, err := d.waits.queued(s, handle, c.op, func() driver.Result { return c.queue(d, handle, block.host) })
	if err != nil {
		s.copies.unstage()
		d.staging.put(block)
		return nil, err
	}
	return &stagedCopy{c, block, over}, nil
}

// await parks the goroutine until the copy is over or ctx is done. Then the copy goes on
// without the Go memory.
func (c *stagedCopy) await(ctx context.Context, s *Stream) error {
	d := s.dev
	select {
	case <-c.over.done:
	case <-ctx.Done():
		block, owner := c.block, c.owner
		if d.waits.leaveLater(c.over, func() {
			s.copies.unstage()
			d.staging.put(block)
			go owner.end() // which may free memory
		}) {
			return abandoned(ctx, c.op, d)
		}
	}
	err := c.over.err
	if err == nil && c.toGo {
		copy(unsafe.Slice((*byte)(c.host), c.bytes), c.block.of(c.bytes))
	}
	s.copies.unstage()
	d.staging.put(c.block)
	c.owner.end()
	return cmp.Or(err, s.failure())
}
