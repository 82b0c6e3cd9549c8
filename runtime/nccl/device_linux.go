//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A device is the backend of a GPU: a communicator of NCCL whose calls do not block.
type device struct {
	c   *shared
	lib *library

	// NCCL takes one call at a time for a communicator, and none while it is in progress. Whoever
	// holds use lets it go soon after c.done is closed.
	use    sync.Mutex
	handle uintptr // ncclComm_t; 0 once it is gone. NCCL writes it until it is no longer in progress
	result int32   // of ncclCommGetAsyncError
	frame  frame
	config *config
	made   *id
}

var errEnded = errors.New("the communicator has ended")

// live are the communicators that exist: NCCL has the addresses of their handles.
var live sync.Map // *device → true

func (c *shared) joinNCCL(lib *library, made *id) (backend, error) {
	b := &device{c: c, lib: lib, config: newConfig(), made: made}
	live.Store(b, true)
	err := c.dev.Do(func() error {
		b.use.Lock()
		defer b.use.Unlock()
		return b.begun("join", lib.initRank(&b.handle, c.size, c.rank, made, b.config))
	})
	if err != nil {
		b.abort()
		return nil, c.error(joinOp, "", err)
	}
	return b, nil
}

// begun returns the error of a call. That it is in progress is none.
func (b *device) begun(op string, r Result) error {
	if r == Success || r == InProgress {
		return nil
	}
	return b.failed(op, r)
}

func (b *device) failed(op string, r Result) error {
	if detail := b.lib.lastError(); detail != "" {
		return fmt.Errorf("%s: %s: %w", op, detail, r)
	}
	return fmt.Errorf("%s: %w", op, r)
}

// state asks for the state of the communicator. use is held.
func (b *device) state() Result {
	if b.handle == 0 {
		return InvalidUsage
	}
	b.frame.args[0], b.frame.args[1] = b.handle, uintptr(unsafe.Pointer(&b.result))
	if r := b.lib.call(getAsyncError, &b.frame, 2); r != Success {
		return r
	}
	return Result(b.result)
}

// spins is how often settle asks before it sleeps between questions.
const spins = 1000

// settle waits until nothing is in progress, or done is closed. use is held.
func (b *device) settle(op string, done <-chan struct{}) error {
	pause := 5 * time.Microsecond
	for i := 0; ; i++ {
		switch r := b.state(); r {
		case Success:
			return nil
		case InProgress:
		default:
			return b.failed(op, r)
		}
		select {
		case <-done:
			return errEnded
		default:
		}
		if i < spins {
			runtime.Gosched()
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
}

func (b *device) ready(ctx context.Context, done <-chan struct{}) error {
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		b.use.Lock()
		r := InProgress
		if atomic.LoadUintptr(&b.handle) != 0 { // NCCL has made it
			r = b.state()
		}
		b.use.Unlock()
		switch r {
		case Success:
			go b.watch()
			return nil
		case InProgress:
		default:
			return b.failed(joinOp, r)
		}
		select {
		case <-done:
			return errEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// watch asks for errors that NCCL notices by itself, such as those of a network.
func (b *device) watch() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-b.c.done:
			return
		case <-tick.C:
		}
		if !b.use.TryLock() {
			continue // it is asked all the time
		}
		r := Success
		if b.handle != 0 {
			r = b.state()
		}
		b.use.Unlock()
		if r != Success && r != InProgress {
			b.c.fail(b.failed("NCCL has noticed an error", r))
			return
		}
	}
}

func (b *device) issue(ops []operation) error {
	for i := range ops {
		if _, err := ops[i].stream.Query(); errors.Is(err, cuda.ErrStreamCaptureUnsupported) {
			return errCapture
		}
	}
	if b.c.size > 1 {
		return b.issueAll(ops)
	}
	// Alone, NCCL copies on the calling thread, which must have the device's context: seen with 2.28.
	return b.c.dev.Do(func() error { return b.issueAll(ops) })
}

func (b *device) issueAll(ops []operation) error {
	b.use.Lock()
	defer b.use.Unlock()
	if b.handle == 0 {
		return errEnded
	}
	// NCCL refuses a call while one is in progress, also where that one has returned success: a split
	// in which this rank gets no communicator.
	if err := b.settle(ops[0].kind.String(), b.c.done); err != nil {
		return err
	}
	if len(ops) == 1 && !b.needsGroup(&ops[0]) {
		return b.issueOne(&ops[0])
	}
	runtime.LockOSThread() // whose groups are
	defer runtime.UnlockOSThread()
	if r := b.lib.call(groupStart, &b.frame, 0); r != Success {
		return b.failed("begin a group", r)
	}
	var err error
	for i := range ops {
		if err = b.enqueueAny(&ops[i]); err != nil {
			break
		}
	}
	r := b.lib.call(groupEnd, &b.frame, 0)
	if err != nil {
		return err
	}
	if err := b.begun("end a group", r); err != nil {
		return err
	}
	return b.after("end a group", r)
}

func (b *device) issueOne(o *operation) error {
	r, err := b.enqueue(o)
	if err != nil {
		return err
	}
	return b.after(o.kind.String(), r)
}

// errCapture is the error of operations on a stream that captures. Graphs of them hung on two H200s, with
// NCCL 2.28: docs/distributed.md.
var errCapture = fmt.Errorf("operations of NCCL on GPUs cannot be captured into graphs: queue them between graphs: %w", cuda.ErrStreamCaptureUnsupported)

// after waits for a call that is still in progress: what is queued on the stream next must come
// behind.
func (b *device) after(op string, r Result) error {
	if r == Success {
		return nil
	}
	if r != InProgress {
		return b.failed(op, r)
	}
	return b.settle(op, b.c.done)
}

// needsGroup returns whether o is made of sends and receives.
func (b *device) needsGroup(o *operation) bool {
	switch o.kind {
	case kindAllToAll:
		return !b.lib.has(allToAll)
	case kindGather:
		return !b.lib.has(gather)
	case kindScatter:
		return !b.lib.has(scatter)
	}
	return false
}

// enqueueAny is enqueue in a group.
func (b *device) enqueueAny(o *operation) error {
	if !b.needsGroup(o) {
		return b.grouped(o)
	}
	bytes := o.count * o.dataType.size()
	pair := func(k kind, rank, part int) error {
		p := operation{kind: k, dataType: o.dataType, root: rank, count: o.count, stream: o.stream}
		if k == kindSend {
			p.src = o.src.Slice(part*bytes, (part+1)*bytes)
		} else {
			p.dst = o.dst.Slice(part*bytes, (part+1)*bytes)
		}
		return b.grouped(&p)
	}
	var err error
	for rank := range b.c.size {
		switch {
		case err != nil:
		case o.kind == kindAllToAll:
			err = errors.Join(pair(kindSend, rank, rank), pair(kindRecv, rank, rank))
		case o.kind == kindGather && b.c.rank == o.root:
			err = pair(kindRecv, rank, rank)
		case o.kind == kindScatter && b.c.rank == o.root:
			err = pair(kindSend, rank, rank)
		}
	}
	switch {
	case err != nil:
	case o.kind == kindGather:
		err = pair(kindSend, o.root, 0)
	case o.kind == kindScatter:
		err = pair(kindRecv, o.root, 0)
	}
	return err
}

// grouped is enqueue in a group: whether it is in progress, the group's end says.
func (b *device) grouped(o *operation) error {
	r, err := b.enqueue(o)
	if err != nil {
		return err
	}
	return b.begun(o.kind.String(), r)
}

// enqueue calls NCCL. use is held.
func (b *device) enqueue(o *operation) (Result, error) {
	stream, err := o.stream.Handle()
	if err != nil {
		return 0, err
	}
	src, dst, count, t, op, root := uintptr(o.src.Address()), uintptr(o.dst.Address()), uintptr(o.count), uintptr(o.dataType), uintptr(o.op), uintptr(o.root)
	a := &b.frame.args
	call := func(s symbol, n int) (Result, error) { return b.lib.call(s, &b.frame, n), nil }
	switch o.kind {
	case kindAllReduce:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, op, b.handle, stream
		return call(allReduce, 7)
	case kindBroadcast:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, root, b.handle, stream
		return call(broadcast, 7)
	case kindReduce:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7] = src, dst, count, t, op, root, b.handle, stream
		return call(reduceTo, 8)
	case kindAllGather:
		a[0], a[1], a[2], a[3], a[4], a[5] = src, dst, count, t, b.handle, stream
		return call(allGather, 6)
	case kindReduceScatter:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, op, b.handle, stream
		return call(reduceScatter, 7)
	case kindAllToAll:
		a[0], a[1], a[2], a[3], a[4], a[5] = src, dst, count, t, b.handle, stream
		return call(allToAll, 6)
	case kindGather:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, root, b.handle, stream
		return call(gather, 7)
	case kindScatter:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, root, b.handle, stream
		return call(scatter, 7)
	case kindSend:
		a[0], a[1], a[2], a[3], a[4], a[5] = src, count, t, root, b.handle, stream
		return call(send, 6)
	default:
		a[0], a[1], a[2], a[3], a[4], a[5] = dst, count, t, root, b.handle, stream
		return call(recv, 6)
	}
}

func (b *device) makePreMul(t dataType, factor uint64) (Op, error) {
	b.use.Lock()
	defer b.use.Unlock()
	if b.handle == 0 {
		return 0, errEnded
	}
	scalar := new(uint64)
	*scalar = factor
	f := newFrame()
	defer f.free()
	const onHost = 1 // ncclScalarHostImmediate
	copy(f.args[:], []uintptr{f.outAddress(), uintptr(unsafe.Pointer(scalar)), uintptr(t), onHost, b.handle})
	r := b.lib.call(createPreMulSum, f, 5)
	runtime.KeepAlive(scalar)
	if err := b.begun("make a pre-multiplied sum", r); err != nil {
		return 0, err
	}
	return Op(int32(f.out)), b.after("make a pre-multiplied sum", r)
}

func (b *device) dropPreMul(op Op) error {
	b.use.Lock()
	defer b.use.Unlock()
	if b.handle == 0 {
		return errEnded
	}
	f := newFrame()
	defer f.free()
	f.args[0], f.args[1] = uintptr(op), b.handle
	return b.begun("drop a pre-multiplied sum", b.lib.call(destroyOp, f, 2))
}

func (b *device) split(color, key int, into *shared) (backend, error) {
	child := &device{c: into, lib: b.lib, config: newConfig()}
	err := b.c.dev.Do(func() error {
		b.use.Lock()
		defer b.use.Unlock()
		if b.handle == 0 {
			return errEnded
		}
		live.Store(child, true)
		r := b.lib.split(b.handle, color, key, &child.handle, child.config)
		if err := b.begun("split", r); err != nil {
			return err
		}
		return b.settle("split", b.c.done)
	})
	if err != nil || color < 0 {
		live.Delete(child)
		return nil, err
	}
	return child, nil
}

// take returns the handle, which the caller ends.
func (b *device) take() uintptr {
	b.use.Lock()
	defer b.use.Unlock()
	h := b.handle
	b.handle = 0
	return h
}

func (b *device) abort() {
	defer live.Delete(b)
	if h := b.take(); h != 0 {
		b.end(commAbort, h)
	}
}

// end calls a function that ends the communicator in the device's context, if that still exists.
func (b *device) end(s symbol, handle uintptr) (r Result) {
	f := newFrame()
	defer f.free()
	f.args[0] = handle
	call := func() error {
		r = b.lib.call(s, f, 1)
		return nil
	}
	if err := b.c.dev.Do(call); errors.Is(err, cuda.ErrClosed) {
		call()
	}
	return r
}

func (b *device) finish(done <-chan struct{}) error {
	err := b.c.dev.Do(func() error {
		b.use.Lock()
		defer b.use.Unlock()
		if b.handle == 0 {
			return errEnded
		}
		b.frame.args[0] = b.handle
		if err := b.begun("finalize", b.lib.call(commFinalize, &b.frame, 1)); err != nil {
			return err
		}
		return b.settle("finalize", done)
	})
	if err != nil {
		return err
	}
	defer live.Delete(b)
	if h := b.take(); h != 0 {
		if r := b.end(commDestroy, h); r != Success && r != InProgress {
			return b.failed("destroy", r)
		}
	}
	return nil
}
