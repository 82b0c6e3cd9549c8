//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"errors"
	"fmt"
	"runtime"

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
	a := b.frame.args[:0]
	if o.kind != kindRecv {
		a = append(a, src)
	}
	if o.kind != kindSend {
		a = append(a, dst)
	}
	a = append(a, count, t)
	switch o.kind {
	case kindAllReduce, kindReduceScatter:
		a = append(a, op)
	case kindReduce:
		a = append(a, op, root)
	case kindBroadcast, kindGather, kindScatter, kindSend, kindRecv:
		a = append(a, root)
	}
	a = append(a, comm, stream)
	return b.lib.call(functions[o.kind], &b.frame, len(a)), nil
}

// functions are those of the kinds of operations. Their arguments are src, dst, count, type, op, root, communicator and
// stream, of those that they have.
var functions = [...]symbol{
	kindAllReduce: allReduce, kindBroadcast: broadcast, kindReduce: reduceTo, kindAllGather: allGather, kindReduceScatter: reduceScatter,
	kindAllToAll: allToAll, kindGather: gather, kindScatter: scatter, kindSend: send, kindRecv: recv,
}

// with calls f with the handle of the communicator, if that has not ended. use is held meanwhile.
func (b *device) with(f func(comm uintptr) error) error {
	b.use.Lock()
	defer b.use.Unlock()
	if comm := b.comm(); comm != 0 {
		return f(comm)
	}
	return errEnded
}

func (b *device) makePreMul(t dataType, factor uint64) (made Op, err error) {
	err = b.with(func(comm uintptr) error {
		scalar := new(uint64)
		*scalar = factor
		f := newFrame()
		defer f.free()
		const onHost = 1 // ncclScalarHostImmediate
		copy(f.args[:], []uintptr{f.outAddress(), address(scalar), uintptr(t), onHost, comm})
		r := b.lib.call(createPreMulSum, f, 5)
		runtime.KeepAlive(scalar)
		if err := b.begun("make a pre-multiplied sum", r); err != nil {
			return err
		}
		made = Op(int32(f.out))
		return b.after("make a pre-multiplied sum", r)
	})
	return made, err
}

func (b *device) dropPreMul(op Op) error {
	return b.with(func(comm uintptr) error {
		f := newFrame()
		defer f.free()
		f.args[0], f.args[1] = uintptr(op), comm
		return b.begun("drop a pre-multiplied sum", b.lib.call(destroyOp, f, 2))
	})
}
