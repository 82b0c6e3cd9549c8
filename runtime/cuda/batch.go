package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A Batch launches prepared calls in order, with one call into C. Fills and copies may be among
// them: Copy, CopyBox, Fill.
//
// A batch that is launched again and again on one stream becomes a graph by itself, which is
// launched for less: from the fourth launch in a row on. NeverGraph prevents that.
//
// Only one goroutine at a time may use a Batch and its calls. A change of a call by Set
// takes effect at the next launch of the batch. A Batch needs no Close.
type Batch struct {
	_ noCopy

	calls   []*Call
	kernels []*Kernel             // those of calls, each once
	records []libcuda.BatchRecord // of calls, on stream; they point to what Set changes in place
	stream  driver.Stream         // of the last launch

	left     uint64 // launches on stream until it becomes a graph, unless never
	patience uint64 // left for another stream
	never    bool

	parts []batchPart // instead of calls, if it has fills or copies
	graph *batchGraph // that it has become, or nil
}

// NewBatch makes a batch of calls, all on the same device. A call may be in it more than
// once.
func NewBatch(calls ...Prepared) (*Batch, error) {
	if slices.ContainsFunc(calls, isOperation) {
		return newMixedBatch(calls)
	}
	return newCallBatch(calls, 0)
}

// newCallBatch makes a batch of launches. first is the number of the first one in errors.
func newCallBatch(calls []Prepared, first int) (*Batch, error) {
	b := &Batch{calls: make([]*Call, len(calls)), records: make([]libcuda.BatchRecord, len(calls)), patience: graphAfter}
	for i, p := range calls {
		var c *Call
		if !isNilCall(p) {
			c = p.prepared()
		}
		if c == nil || c.kernel == nil {
			return nil, &Error{Op: "make a batch", Detail: fmt.Sprintf("call %d was not prepared: use what Prepare returned", first+i), Err: ErrInvalidValue}
		}
		if before := b.calls[0]; i > 0 && c.kernel.dev != before.kernel.dev {
			return nil, &Error{Op: "make a batch", Kernel: c.kernel.name, Device: c.kernel.dev.String(), Detail: fmt.Sprintf("call %d is on another device than call %d, which is on %s", first+i, first, before.kernel.dev.besides(c.kernel.dev)), Err: ErrInvalidValue}
		}
		b.calls[i] = c
		if !slices.Contains(b.kernels, c.kernel) {
			b.kernels = append(b.kernels, c.kernel)
		}
		b.records[i] = batchRecordOf(c)
	}
	return b, nil
}

// batchRecordOf returns c as a record without a stream.
func batchRecordOf(c *Call) libcuda.BatchRecord {
	r := libcuda.BatchRecord{LaunchRecord: libcuda.LaunchRecord{
		Target:     c.target,
		Params:     c.params,
		Config:     (*libcuda.LaunchConfig)(unsafe.Pointer(&c.config)),
		Attributes: c.attributes,
	}}
	if c.attributes == nil {
		params := make([]unsafe.Pointer, c.target.Count+1) // never empty
		for i, offset := range unsafe.Slice(c.target.Offsets, c.target.Count) {
			params[i] = unsafe.Add(c.params, offset)
		}
		r.KernelParams = &params[0]
	}
	return r
}

// Len returns the number of calls.
func (b *Batch) Len() int {
	if b == nil {
		return 0
	}
	n := len(b.calls)
	for _, part := range b.parts {
		n += part.len()
	}
	return n
}

// Launch enqueues the calls on s in order. If one fails, the calls after it are not
// enqueued, and the error is a *BatchError with its index. It allocates nothing. No
// context need be current. An error may belong to earlier work on s.
//
// CUDA Driver API, Execution Control, cuLaunchKernel, cuLaunchKernelEx.
func (b *Batch) Launch(s *Stream) error {
	if b == nil || b.graph != nil || len(b.calls) == 0 {
		return b.launchGraph(s)
	}
	return b.launchCalls(s)
}

// launchCalls launches calls, of which there is one at least.
func (b *Batch) launchCalls(s *Stream) error {
	if s == nil {
		return &BatchError{Index: 0, Count: len(b.calls), Err: notLoaded(b.calls[0].kernel)}
	}
	turn := s.turn.Load()
	for _, c := range b.calls {
		if c.turn != turn && (checkBuffers(c, s, turn) != nil || c.empty || tracing.Load() != nil) {
			return b.launchElsewhere(s)
		}
	}
	epoch := s.epoch.Load() // before the handles
	stream := driver.Stream(s.handle.Load())
	for _, k := range b.kernels {
		if stream == 0 || k.handle() == 0 || k.native != s.dev {
			return b.launchElsewhere(s)
		}
	}
	if stream != b.stream {
		b.useStream(stream)
	}
	batch := &libcuda.Batch{Records: &b.records[0], Count: uint32(len(b.records))}
	r := libcuda.LaunchBatch(batch)
	epoch.release()
	runtime.KeepAlive(b)
	if r != driver.Success {
		c := b.calls[batch.Launched]
		return &BatchError{Index: int(batch.Launched), Count: len(b.calls), Err: c.kernel.explainLaunch(&c.config, r)}
	}
	if s.turn.Load() == turn {
		b.launched(s)
		return nil
	}
	for i, c := range b.calls {
		if err := callLaunched(c, s, turn, driver.Success); err != nil {
			return &BatchError{Index: i, Count: len(b.calls), Err: err}
		}
	}
	return nil
}

// launchNothing is Launch of a batch without calls, which belongs to no device. It launches
// nothing, and is an error if NewBatch has not made it, or s is not open.
func (b *Batch) launchNothing(s *Stream) error {
	const op = "launch a batch"
	if b == nil || b.calls == nil {
		return unmade(op, "the batch")
	}
	_, err := s.open(op)
	return err
}

// launchElsewhere launches one by one: on the simulator, with calls that launch nothing, or
// until the call that cannot be launched on s.
//
//go:noinline
func (b *Batch) launchElsewhere(s *Stream) error {
	for i, c := range b.calls {
		if err := c.Launch(s); err != nil {
			return &BatchError{Index: i, Count: len(b.calls), Err: err}
		}
	}
	b.launchedOn(s)
	return nil
}

// A BatchError reports which call of a batch failed.
type BatchError struct {
	Index int   // of the call that failed, and how many before it were enqueued
	Count int   // of calls in the batch
	Err   error // of that call
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("cuda: launch a batch: call %d of %d (numbered from 0; %d enqueued): %v", e.Index, e.Count, e.Index, e.Err)
}

// Unwrap returns the error of the call.
func (e *BatchError) Unwrap() error { return e.Err }

// An operation is a call that launches no kernel.
type operation interface {
	Prepared
	work
	refresh(told operation) bool // makes told, a frozen copy, what the operation is, and reports whether that is new
}

func errNilCall(op string) error {
	return &Error{Op: op, Detail: "the call is nil: use Copy, CopyBox or Fill", Err: ErrInvalidValue}
}

// isOperation reports whether p is an operation.
func isOperation(p Prepared) bool {
	_, is := p.(operation)
	return is
}

// A batchPart is a part of a batch: launches, or one operation.
type batchPart struct {
	calls *Batch
	op    operation
}

func (p *batchPart) len() int {
	if p.calls != nil {
		return p.calls.Len()
	}
	return 1
}

// newMixedBatch makes a batch that has fills or copies, of batches that have none.
func newMixedBatch(calls []Prepared) (*Batch, error) {
	const op = "make a batch"
	b := &Batch{patience: graphAfter}
	for len(calls) > 0 {
		n := 0
		for n < len(calls) && !isOperation(calls[n]) {
			n++
		}
		if n > 0 {
			launches, err := newCallBatch(calls[:n], b.Len())
			if err != nil {
				return nil, err
			}
			dev := launches.calls[0].kernel.dev
			for _, part := range b.parts {
				if before := part.calls; before != nil && before.calls[0].kernel.dev != dev {
					return nil, &Error{Op: op, Device: dev.String(), Detail: fmt.Sprintf("call %d is on another device than calls before it, which are on %v", b.Len(), before.calls[0].kernel.dev), Err: ErrInvalidValue}
				}
			}
			b.parts = append(b.parts, batchPart{calls: launches.NeverGraph()})
		}
		if calls = calls[n:]; len(calls) > 0 {
			if isNilCall(calls[0]) {
				return nil, &Error{Op: op, Detail: fmt.Sprintf("call %d is nil", b.Len()), Err: ErrInvalidValue}
			}
			b.parts, calls = append(b.parts, batchPart{op: calls[0].(operation)}), calls[1:]
		}
	}
	return b, nil
}

// launchParts launches the parts one after the other.
func (b *Batch) launchParts(s *Stream) error {
	first, count := 0, b.Len()
	for _, part := range b.parts {
		var err error
		if part.calls != nil {
			err = part.calls.launchCalls(s)
		} else {
			err = part.op.Launch(s)
		}
		if failed, ok := err.(*BatchError); ok {
			return &BatchError{Index: first + failed.Index, Count: count, Err: failed.Err}
		}
		if err != nil {
			return &BatchError{Index: first, Count: count, Err: err}
		}
		first += part.len()
	}
	b.launchedOn(s)
	return nil
}

// Graph returns a graph that launches the calls of b one after the other: a launch of its exec
// costs less than that of one call. Its nodes, in the order of the calls, are those that NewNode
// makes of them: after a change GraphExec.Update tells an exec.
func (b *Batch) Graph() (*Graph, error) {
	if b == nil || b.Len() == 0 {
		return nil, &Error{Op: "make a graph of a batch", Detail: "it has no calls", Err: ErrInvalidValue}
	}
	g := new(Graph)
	b.each(func(c *Call, op operation) {
		n := &Node{work: op}
		if c != nil {
			n = NewNode(c)
		}
		if last := len(g.nodes) - 1; last >= 0 {
			n.After(g.nodes[last])
		}
		g.add(n)
	})
	return g, nil
}

// each calls f for each call or operation of b, in order.
func (b *Batch) each(f func(*Call, operation)) {
	for _, c := range b.calls {
		f(c, nil)
	}
	for _, part := range b.parts {
		if part.calls == nil {
			f(nil, part.op)
			continue
		}
		part.calls.each(f)
	}
}

// graphAfter is how many launches in a row on one stream make a graph of a batch. Instantiating
// takes about as long as one launch of the batch: docs/decisions, "When does a batch become a
// graph?"
const graphAfter = 3

// A batchGraph is the graph that a batch has become.
type batchGraph struct {
	exec   *GraphExec
	stream driver.Stream // for which it is: an exec on several streams would order their work
	nodes  []batchNode
}

// A batchNode is a call or an operation, and what the exec knows of it.
type batchNode struct {
	node    *Node
	call    *Call
	version uint64
	op      operation
	told    operation // what the exec knows of op
}

// NeverGraph keeps b from becoming a graph by itself: profilers show its launches. It returns b.
func (b *Batch) NeverGraph() *Batch {
	if b != nil {
		b.never = true
		b.dropGraph()
	}
	return b
}

// useStream notes that launches are on stream now.
func (b *Batch) useStream(stream driver.Stream) {
	for i := range b.records {
		b.records[i].Stream = stream
	}
	b.stream, b.left = stream, b.patience
}

// launchedOn is launched for calls that were launched one by one.
func (b *Batch) launchedOn(s *Stream) {
	stream := driver.Stream(s.handle.Load())
	if stream == 0 { // it captures, or is closed
		return
	}
	if stream != b.stream {
		b.useStream(stream)
	}
	b.launched(s)
}

// launched makes a graph of b if s, which is b.stream, has had enough launches.
func (b *Batch) launched(s *Stream) {
	if b.left--; b.left == 0 && !b.never {
		b.becomeGraph(s)
	}
}

// becomeGraph makes a graph of b, for launches on s, unless that cannot be: it goes on as it is
// then. Launches with attributes are left alone, and those on a stream that may have a priority, which kernels of a graph
// do not have.
func (b *Batch) becomeGraph(s *Stream) {
	if !s.queue.plain {
		return
	}
	d := s.dev
	plain := true
	b.each(func(c *Call, _ operation) { plain = plain && (c == nil || c.config.Attributes == nil) })
	g, err := b.Graph()
	if b.never = !plain || err != nil; b.never {
		return
	}
	e, err := g.instantiate(d, false)
	if b.never = err != nil; b.never {
		return
	}
	b.dropGraph()
	made := &batchGraph{exec: e, stream: b.stream}
	i := 0
	b.each(func(c *Call, op operation) {
		n := batchNode{node: g.nodes[i], call: c, op: op}
		if c != nil {
			n.version = c.version
		} else {
			n.told = op.frozen().(operation)
		}
		made.nodes = append(made.nodes, n)
		i++
	})
	runtime.AddCleanup(e, func(key weak.Pointer[GraphExec]) {
		defer d.hold().release()
		if !d.isClosed() { // or it destroys the exec
			d.giveBack(key)()
		}
	}, weak.Make(e))
	b.graph = made
}

// dropGraph makes b launches again.
func (b *Batch) dropGraph() {
	g := b.graph
	if g == nil {
		return
	}
	b.graph, b.left = nil, b.patience
	g.exec.Close() // what the device cannot recover from is an error of the next launch
}

// launchGraph is Launch for a batch that is a graph, or has fills and copies, or nothing.
//
//go:noinline
func (b *Batch) launchGraph(s *Stream) error {
	if b == nil {
		return b.launchNothing(s)
	}
	if g := b.graph; g != nil && s != nil && s.handle.Load() == uintptr(g.stream) {
		turn := s.turn.Load()
		switch {
		case !g.update(): // a graph of another shape has to be worth more launches
			b.patience *= 2
			b.dropGraph()
		case g.exec.enqueue(s):
			if s.turn.Load() != turn {
				return b.closedMeanwhile(s)
			}
			return nil
		}
		// Nothing was enqueued. The launches say which of them fails, and why.
	}
	switch {
	case len(b.parts) > 0:
		return b.launchParts(s)
	case len(b.calls) > 0:
		return b.launchCalls(s)
	}
	return b.launchNothing(s)
}

// update tells the exec what has changed. It reports false if it cannot.
func (g *batchGraph) update() bool {
	for i := range g.nodes {
		n := &g.nodes[i]
		switch {
		case n.call != nil:
			if n.version == n.call.version {
				continue
			}
			n.version = n.call.version
		case !n.op.refresh(n.told):
			continue
		}
		if g.exec.Update(n.node) != nil {
			return false
		}
	}
	return true
}

// closedMeanwhile returns that a buffer of a call was closed during a launch on s, or nil.
func (b *Batch) closedMeanwhile(s *Stream) error {
	e := b.graph.exec
	for i := range b.graph.nodes {
		var closed error
		if c := b.graph.nodes[i].call; c != nil {
			closed = checkBuffers(c, s, s.turn.Load())
		}
		for _, a := range e.nodes[i].def.owners {
			if closed == nil && !a.usedOn(s) {
				closed = e.dev.closedError(launchOp, "the buffer")
			}
		}
		if closed != nil {
			return &BatchError{Index: i, Count: b.Len(), Err: meanwhile(closed)}
		}
	}
	return nil
}

// enqueue is Launch that explains nothing. It reports whether the graph was enqueued.
func (e *GraphExec) enqueue(s *Stream) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	turn := s.turn.Load() // before the buffers are looked at
	epoch := s.hold()     // before the handles
	defer epoch.release()
	stream := driver.Stream(s.handle.Load())
	if e.handle == 0 || stream == 0 || s.dev != e.dev {
		return false
	}
	if turn != e.turn {
		if e.use(s, turn, false) != nil {
			return false
		}
		if t := tracing.Load(); t != nil {
			return t.graph(e.handle, len(e.nodes), s, stream) == driver.Success
		}
	}
	if e.native == nil {
		return e.dev.drv.GraphLaunch(e.handle, stream) == driver.Success
	}
	return libcuda.LaunchGraph(e.handle, stream) == driver.Success
}
