package cuda

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/cuda/internal/hostcopy"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Upload allocates len(host) elements on s and copies host there. When it returns,
// host may be changed. The rules of Alloc and CopyFrom apply.
func Upload[T any](s *Stream, host []T) (*Buffer[T], error) {
	return UploadContext(context.Background(), s, host)
}

// UploadContext is Upload until ctx is done. The rules of CopyFromContext apply.
func UploadContext[T any](ctx context.Context, s *Stream, host []T) (*Buffer[T], error) {
	if err := s.Device().mayWait(fromGo); err != nil { // before memory is allocated
		return nil, err
	}
	b, err := Alloc[T](s, len(host))
	if err != nil {
		return nil, err
	}
	if err := b.CopyFromContext(ctx, s, host); err != nil {
		b.mem.shut("free a buffer")
		return nil, err
	}
	return b, nil
}

// Download copies s to a new slice of Go memory. The rules of CopyTo apply.
func (s Slice[T]) Download(stream *Stream) ([]T, error) {
	return s.DownloadContext(context.Background(), stream)
}

// DownloadContext is Download until ctx is done. The rules of CopyToContext apply.
func (s Slice[T]) DownloadContext(ctx context.Context, stream *Stream) ([]T, error) {
	if err := plainData[T](toGo, stream.Device()); err != nil {
		return nil, err
	}
	if _, err := stream.open(toGo); err != nil { // before memory is allocated
		return nil, err
	}
	if err := stream.dev.mayWait(toGo); err != nil {
		return nil, err
	}
	host := make([]T, s.n)
	if err := s.CopyToContext(ctx, stream, host); err != nil {
		return nil, err
	}
	return host, nil
}

// CopyTo copies all of b to host, which must have b.Len() elements. It runs in the
// order of s and is complete when it returns. The rules of Slice.CopyTo apply.
func (b *Buffer[T]) CopyTo(s *Stream, host []T) error { return b.All().CopyTo(s, host) }

// CopyFrom copies host, which must have b.Len() elements, to b. It runs in the
// order of s and is complete when it returns. The rules of Slice.CopyTo apply.
func (b *Buffer[T]) CopyFrom(s *Stream, host []T) error { return b.All().CopyFrom(s, host) }

// CopyToContext is CopyTo until ctx is done. The rules of Slice.CopyToContext apply.
func (b *Buffer[T]) CopyToContext(ctx context.Context, s *Stream, host []T) error {
	return b.All().CopyToContext(ctx, s, host)
}

// CopyFromContext is CopyFrom until ctx is done. The rules of Slice.CopyFromContext apply.
func (b *Buffer[T]) CopyFromContext(ctx context.Context, s *Stream, host []T) error {
	return b.All().CopyFromContext(ctx, s, host)
}

// What errors call copies between a device and Go memory.
const (
	toGo   = "copy from the device"
	fromGo = "copy to the device"
)

// CopyTo copies s to host, which must have s.Len() elements. It runs in the order
// of stream and is complete when it returns. The error may belong to earlier work on
// stream, host functions included.
//
// A bool becomes true where its byte is not 0.
//
// Any number of goroutines may call it: of those whose streams are busy, few block a thread,
// and the others wait as Stream.Wait does.
//
// CUDA Driver API, Memory Management, cuMemcpyDtoHAsync.
func (s Slice[T]) CopyTo(stream *Stream, host []T) error {
	return s.CopyToContext(context.Background(), stream, host)
}

// CopyFrom copies host, which must have s.Len() elements, to s. The rules of CopyTo apply.
//
// CUDA Driver API, Memory Management, cuMemcpyHtoDAsync.
func (s Slice[T]) CopyFrom(stream *Stream, host []T) error {
	return s.CopyFromContext(context.Background(), stream, host)
}

// CopyToContext is CopyTo until ctx is done. Then it returns an error that wraps ctx's,
// the work on stream continues, and nothing is written to host any more. A copy that has
// begun is not interrupted. What host has after an error is not defined.
func (s Slice[T]) CopyToContext(ctx context.Context, stream *Stream, host []T) error {
	return s.copyGo(ctx, stream, host, toGo)
}

// CopyFromContext is CopyFrom until ctx is done. Then it returns an error that wraps ctx's,
// the work on stream continues, and host is not read any more: a copy of it may still be
// written to s, in the order of stream. A copy that has begun is not interrupted.
func (s Slice[T]) CopyFromContext(ctx context.Context, stream *Stream, host []T) error {
	return s.copyGo(ctx, stream, host, fromGo)
}

// copyGo copies between s and host, in the direction that op says.
func (s Slice[T]) copyGo(ctx context.Context, stream *Stream, host []T, op string) error {
	epoch := stream.hold()
	handle, err := s.use(stream, op)
	if err != nil {
		return err
	}
	if len(host) != s.n {
		s.owner.end()
		destination, n := s.n, len(host)
		if op == toGo {
			destination, n = n, destination
		}
		return stream.dev.invalid(op, fmt.Sprintf("the device slice has %s, the host slice %d: make them equally long", extent.Counted(s.n, "element"), len(host)), unequal(destination, n))
	}
	if s.n == 0 {
		s.owner.end()
		return nil
	}
	c := goCopy{op: op, toGo: op == toGo, device: driver.DevicePtr(s.addr), host: unsafe.Pointer(unsafe.SliceData(host)), bytes: uint64(s.n) * sizeOf[T](), owner: s.owner}
	if c.toGo {
		c.bools = boolsIn[T](s.n)
	}
	return c.run(ctx, stream, handle, epoch)
}

// A goCopy is a copy between a device and Go memory, which the driver must not use any more
// when the copy is over: docs/decisions, "How do many goroutines copy to Go memory?"
type goCopy struct {
	op     string
	toGo   bool
	device driver.DevicePtr
	host   unsafe.Pointer
	bytes  uint64
	owner  *lifetime     // in use until the copy is over; or nil
	box    *arrayCopy    // in place of device; or nil
	bools  element.Bools // that become 0 or 1 in the Go memory
}

// Copies between a device and Go memory that block a thread each. Those that are hasty need
// not wait for a goroutine to be woken; they may block as long as the work before them. Those
// that are patient have waited until their stream was idle. Together with those that enter, and
// with a thread of Go's for each core, they are fewer than 32 threads and two a core.
var (
	hasty   = make(hostcopy.Semaphore, runtime.NumCPU()+8)
	patient = make(hostcopy.Semaphore, 8)
)

// Copies that ask for their stream, and queue what need not wait. The driver lets few in at a time,
// and the others would block a thread each.
var entering = make(hostcopy.Semaphore, 4)

// longestEntering bounds how long a copy waits for others that enter: the driver may let these
// wait for work that waits for this one.
const longestEntering = time.Second

// maxAttempts bounds how often a copy waits for a stream that others keep busy before it
// blocks a thread there.
const maxAttempts = 3

// run copies in the order of s, whose handle is handle, and ends the use of the owner. The
// epoch, which the caller has taken before the handle, is not held while run waits.
func (c goCopy) run(ctx context.Context, s *Stream, handle driver.Stream, epoch *epoch) error {
	if err := s.dev.mayWait(c.op); err != nil {
		c.owner.end()
		return err
	}
	err := c.copy(ctx, s, handle, epoch)
	if len(c.bools) > 0 { // also after an error: the program may look
		c.bools.Make(c.host)
	}
	return err
}

func (c goCopy) copy(ctx context.Context, s *Stream, handle driver.Stream, epoch *epoch) error {
	if ctx.Done() == nil && hasty.TryTake() {
		defer hasty.Give()
		return c.blockAndEnd(s, handle, epoch)
	}
	enters := entering.TakeWithin(ctx, longestEntering)
	way, staged, err := c.enter(ctx, s, handle)
	if enters {
		entering.Give()
	}
	switch way {
	case blocks:
		defer patient.Give()
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
	case idle && patient.TryTake():
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
	turn := s.copies.Turns()
	s.dev.waits.behind.Add(1)
	mine := turn.Take(ctx)
	s.dev.waits.behind.Add(-1)
	if !mine {
		return abandoned(ctx, c.op, s.dev)
	}
	defer turn.Give()
	for attempt := 1; ; attempt++ {
		if err := c.awaitIdle(ctx, s); err != nil {
			return err
		}
		if !patient.Take(ctx) {
			return abandoned(ctx, c.op, s.dev)
		}
		done, err := c.attempt(s, attempt == maxAttempts)
		patient.Give()
		if done {
			return err
		}
	}
}

// awaitIdle waits for what s has when it is called.
func (c goCopy) awaitIdle(ctx context.Context, s *Stream) error {
	enters := entering.TakeWithin(ctx, longestEntering)
	epoch := s.hold()
	work, err := s.dev.waits.enterStream(s, c.op)
	epoch.release()
	if enters {
		entering.Give()
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
			epoch.release()
			return err != nil, err
		}
	}
	return true, c.block(s, handle, epoch)
}

// A stagedCopy is a goCopy that is queued, from or to page-locked memory.
type stagedCopy struct {
	goCopy
	block hostcopy.Block
	over  *pending
}

// stage queues c by way of page-locked memory, without waiting. It returns nil if there is
// none for it, or if enough such copies are queued on s.
func (c goCopy) stage(s *Stream, handle driver.Stream) (*stagedCopy, error) {
	d := s.dev
	if !s.copies.Stage() {
		return nil, nil
	}
	block, ok := d.staging.Take(c.bytes)
	if !ok {
		s.copies.Unstage()
		return nil, nil
	}
	if !c.toGo {
		copy(block.Of(c.bytes), unsafe.Slice((*byte)(c.host), c.bytes))
	}
	over, err := d.waits.queued(s, handle, c.op, func() driver.Result { return c.queue(d, handle, block.Host) })
	if err != nil {
		s.copies.Unstage()
		d.staging.Put(block)
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
			s.copies.Unstage()
			d.staging.Put(block)
			go owner.end() // which may free memory
		}) {
			return abandoned(ctx, c.op, d)
		}
	}
	err := c.over.err
	if err == nil && c.toGo {
		copy(unsafe.Slice((*byte)(c.host), c.bytes), c.block.Of(c.bytes))
	}
	s.copies.Unstage()
	d.staging.Put(c.block)
	c.owner.end()
	return cmp.Or(err, s.failure())
}
