//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func (b *device) issue(ops []operation) error {
	for i := range ops {
		if !ops[i].stream.IsCapturing() {
			continue
		}
		if b.flow != nil {
			return errCapture
		}
		if err := ops[i].stream.Use(b.c.graphs.Owner()); err != nil {
			return err
		}
	}
	if b.flow == nil {
		return b.launch(ops)
	}
	if err := b.flow.launch(b.c.rank, ops, b.c.done); err != nil {
		return err
	}
	err := b.launch(ops)
	b.flow.launched(b.c.rank, ops, err)
	return err
}

func (b *device) launch(ops []operation) error {
	if b.c.size > 1 && !b.c.cfg.Blocking {
		return b.issueAll(ops) // the thread that NCCL starts makes the context current
	}
	// Alone, NCCL copies on the calling thread, which must have the device's context: seen with 2.28. Where calls block
	// it also launches there, and leaves a context behind.
	return b.c.dev.Do(func() error { return b.issueAll(ops) })
}

func (b *device) issueAll(ops []operation) error {
	b.use.Lock()
	defer b.use.Unlock()
	if b.comm() == 0 {
		return errEnded
	}
	// NCCL refuses a call while one is in progress, also where that one has returned success: a split
	// in which this rank gets no communicator.
	if !b.c.cfg.Blocking {
		if err := b.settle(ops[0].kind.String(), b.c.done); err != nil {
			return err
		}
	}
	if len(ops) == 1 && !b.needsGroup(&ops[0]) {
		r, err := b.enqueue(&ops[0])
		if err != nil {
			return err
		}
		return b.after(ops[0].kind.String(), r)
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

// errCapture is the error of operations on a stream that captures. How far each rank is with launches of a graph, the
// flow does not know.
var errCapture = fmt.Errorf("operations of several GPUs of one process cannot be captured into graphs: have a process for each GPU, or queue them between graphs: %w", cuda.ErrStreamCaptureUnsupported)

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
	stream, err := o.stream.HandleAfterUse() // Use has named the owners
	if err != nil {
		return 0, err
	}
	comm := b.comm()
	src, dst, count, t, op, root := uintptr(o.src.Address()), uintptr(o.dst.Address()), uintptr(o.count), uintptr(o.dataType), uintptr(o.op), uintptr(o.root)
	a := &b.frame.args
	call := func(s symbol, n int) (Result, error) { return b.lib.call(s, &b.frame, n), nil }
	switch o.kind {
	case kindAllReduce:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, op, comm, stream
		return call(allReduce, 7)
	case kindBroadcast:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, root, comm, stream
		return call(broadcast, 7)
	case kindReduce:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7] = src, dst, count, t, op, root, comm, stream
		return call(reduceTo, 8)
	case kindAllGather:
		a[0], a[1], a[2], a[3], a[4], a[5] = src, dst, count, t, comm, stream
		return call(allGather, 6)
	case kindReduceScatter:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, op, comm, stream
		return call(reduceScatter, 7)
	case kindAllToAll:
		a[0], a[1], a[2], a[3], a[4], a[5] = src, dst, count, t, comm, stream
		return call(allToAll, 6)
	case kindGather:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, root, comm, stream
		return call(gather, 7)
	case kindScatter:
		a[0], a[1], a[2], a[3], a[4], a[5], a[6] = src, dst, count, t, root, comm, stream
		return call(scatter, 7)
	case kindSend:
		a[0], a[1], a[2], a[3], a[4], a[5] = src, count, t, root, comm, stream
		return call(send, 6)
	default:
		a[0], a[1], a[2], a[3], a[4], a[5] = dst, count, t, root, comm, stream
		return call(recv, 6)
	}
}

func (b *device) makePreMul(t dataType, factor uint64) (Op, error) {
	b.use.Lock()
	defer b.use.Unlock()
	comm := b.comm()
	if comm == 0 {
		return 0, errEnded
	}
	scalar := new(uint64)
	*scalar = factor
	f := newFrame()
	defer f.free()
	const onHost = 1 // ncclScalarHostImmediate
	copy(f.args[:], []uintptr{f.outAddress(), uintptr(unsafe.Pointer(scalar)), uintptr(t), onHost, comm})
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
	comm := b.comm()
	if comm == 0 {
		return errEnded
	}
	f := newFrame()
	defer f.free()
	f.args[0], f.args[1] = uintptr(op), comm
	return b.begun("drop a pre-multiplied sum", b.lib.call(destroyOp, f, 2))
}
