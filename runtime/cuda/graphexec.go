package cuda

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A GraphExec is an instantiated graph: a launch of it costs less than that of one kernel,
// however many nodes it has. It keeps the calls, buffers and functions of its nodes reachable.
// A launch after the Close of a buffer or a library that a node uses fails with ErrClosed.
//
// Any number of goroutines may use nodes, and graphs and execs that share them, while no goroutine
// changes one of these nodes: its call, copy or fill, or by After, Named, Set or
// GraphExec.UpdateCall.
// The caller of BuildGraph must close the exec.
type GraphExec struct {
	// What a launch reads fits one cache line.
	mu     sync.Mutex // the driver wants no two calls on an exec at once
	handle driver.GraphExec
	turn   uint64  // of the stream on which buffers and kernels were last looked at; 0 when they have to be
	native *Device // dev, unless launches there are indirect: then nil
	dev    *Device

	nodes   []execNode
	kernel  *libcuda.KernelNode // for one update after the other
	kernels []*Kernel           // of the nodes, each once
	marks   []mark              // of the nodes: they are looked at every time
	scratch definition
	known   givenByGraph
	state   *execState
	graph   *Graph
	watch   watch
}

// An execState is what the driver, and the tables that it calls back to, have of an exec. It is
// apart from the exec, so that a device can destroy it without keeping the exec reachable.
type execState struct {
	dev    *Device
	exec   driver.GraphExec
	graph  driver.Graph // must live as long as exec, or that cannot be updated
	events []*Event     // in use
	calls  *hostCalls
	funcs  []driver.HostFunc // under calls.mu

	replaced []driver.HostFunc // those of funcs that only launches before an update call
}

// hostCalls is what host functions of an exec refer to.
type hostCalls struct {
	mu      sync.Mutex          // never held during calls of the driver
	streams map[*queue]launched // on which the exec was launched; only if it has functions

	failures hostFailures
}

// A launched is a stream on which an exec was launched, the latest of its queue.
type launched struct {
	failures *hostFailures
	until    uint64 // the last generation of the queue that has such work
}

// keep returns the number of f for a host node.
func (st *execState) keep(f func()) driver.HostFunc {
	d, calls := st.dev, st.calls
	number := d.drv.KeepHostFunc(func() {
		if err := runHostFunc(d, f); err != nil {
			calls.fail(err)
		}
	})
	calls.mu.Lock()
	defer calls.mu.Unlock()
	st.funcs = append(st.funcs, number)
	return number
}

// fail makes err the error of all streams on which the exec was launched: which of them runs is
// not known.
func (c *hostCalls) fail(err *Error) {
	c.failures.first.CompareAndSwap(nil, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	for q, l := range c.streams {
		l.failures.note(q.dev, err)
	}
}

// launchedOn notes s, if there are functions that its work may call.
func (st *execState) launchedOn(s *Stream) {
	c := st.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(st.funcs) == 0 {
		return
	}
	if c.streams == nil {
		c.streams = make(map[*queue]launched)
	}
	for q, l := range c.streams { // closed streams have waited for their work
		if q.generation.Load() > l.until {
			delete(c.streams, q)
		}
	}
	c.streams[s.queue] = launched{s.failures, max(s.until.Load(), c.streams[s.queue].until)}
}

// launched reports whether a launch may call functions.
func (c *hostCalls) launched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.streams) > 0
}

// drain waits until no launch may call a function any more.
func (c *hostCalls) drain(d *Device) {
	c.mu.Lock()
	streams := maps.Clone(c.streams)
	c.mu.Unlock()
	for q, l := range streams {
		d.given(q.synchronize(l.until))
	}
}

// drop forgets functions.
func (st *execState) drop(funcs ...driver.HostFunc) {
	st.calls.mu.Lock()
	st.funcs = slices.DeleteFunc(st.funcs, func(h driver.HostFunc) bool { return slices.Contains(funcs, h) })
	st.calls.mu.Unlock()
	for _, h := range funcs {
		st.dev.drv.DropHostFunc(h)
	}
}

// kept returns the functions.
func (st *execState) kept() []driver.HostFunc {
	st.calls.mu.Lock()
	defer st.calls.mu.Unlock()
	return slices.Clone(st.funcs)
}

// destroy destroys what the driver has. Launches that are under way end undisturbed, but call no
// functions any more.
func (st *execState) destroy() (r driver.Result) {
	drv := st.dev.drv
	if st.graph == 0 {
		return driver.Success // it was destroyed before
	}
	if st.exec != 0 {
		r = drv.GraphExecDestroy(st.exec)
	}
	if destroyed := drv.GraphDestroy(st.graph); r == driver.Success {
		r = destroyed
	}
	st.drop(st.kept()...)
	for _, e := range st.events {
		e.end()
	}
	st.exec, st.graph, st.events = 0, 0, nil
	return r
}

// newExec makes an exec of what b has built and instantiated of g.
func newExec(g *Graph, b *graphBuilder, watched bool) (*GraphExec, error) {
	d := b.dev
	e := &GraphExec{dev: d, state: b.state, graph: g, handle: b.state.exec, nodes: b.nodes, known: b.known, kernel: b.kernel}
	if !d.indirect {
		e.native = d
	}
	e.noteNodes()
	e.noteKernels()
	e.noteMarks()
	if watched {
		what := "a graph"
		if d.leaks.Enabled() { // it would cost every graph
			what = fmt.Sprintf("a graph of %d nodes", len(e.nodes))
		}
		e.watch = watching(e, d, what, d.giveBack(weak.Make(e)))
	}
	if !d.own(weak.Make(e), e.watch.record, b.state.destroy) { // it was closed meanwhile
		e.watch.end()
		return nil, d.closedError(buildOp, "")
	}
	for _, r := range b.resources {
		r.keepExec(weak.Make(e))
	}
	return e, nil
}

// noteKernels finds the kernels of the nodes.
func (e *GraphExec) noteKernels() {
	e.kernels = e.kernels[:0]
	for i := range e.nodes {
		def := &e.nodes[i].def
		if def.kernel != nil {
			e.noteKernel(def.kernel)
		}
		for _, k := range def.done().kernels {
			e.noteKernel(k)
		}
	}
}

// noteMarks finds the events of the nodes.
func (e *GraphExec) noteMarks() {
	e.marks, e.turn = e.marks[:0], 0
	for i := range e.nodes {
		e.marks = append(e.marks, e.nodes[i].def.done().marks...)
	}
}

func (e *GraphExec) noteKernel(k *Kernel) {
	if len(e.kernels) == 0 || e.kernels[len(e.kernels)-1] != k && !slices.Contains(e.kernels, k) {
		e.kernels = append(e.kernels, k)
	}
}

// launchOp is what errors call a launch.
const launchOp = "launch a graph"

// Launch enqueues the graph on s, which must be on its device. Launches of one exec run one
// after the other, on whatever streams. It allocates nothing. No context need be current. An
// error may belong to earlier work on s.
//
// CUDA Driver API, Graph Management, cuGraphLaunch.
func (e *GraphExec) Launch(s *Stream) error {
	if e == nil || s == nil {
		return e.notLaunchable(launchOp, s)
	}
	e.mu.Lock()
	turn := s.turn.Load()   // before the buffers are looked at
	epoch := s.epoch.Load() // before the handles
	stream := driver.Stream(s.handle.Load())
	// As in Generated.Launch there are few branches.
	if turn-e.turn|uint64(differ(e.native, s.dev)) == 0 && e.handle != 0 && stream != 0 {
		r := libcuda.LaunchGraph(e.handle, stream)
		epoch.release()
		if r|driver.Result(s.turn.Load()-turn) == driver.Success {
			e.mu.Unlock()
			return nil
		}
		return e.launched(s, turn, r)
	}
	return e.launchSpecially(s, turn)
}

// launchSpecially is Launch where buffers must be checked in this turn of s, and through the driver
// interface. It unlocks e.mu.
//
//go:noinline
func (e *GraphExec) launchSpecially(s *Stream, turn uint64) error {
	epoch := s.hold() // before the handles
	defer epoch.release()
	stream := driver.Stream(s.handle.Load())
	if e.handle == 0 || stream == 0 || s.dev != e.dev {
		defer e.mu.Unlock()
		return e.notLaunchable(launchOp, s)
	}
	if turn != e.turn {
		if err := e.use(s, turn, false); err != nil {
			e.mu.Unlock()
			return err
		}
	}
	if t := tracing.Load(); t != nil {
		return e.launched(s, turn, t.graph(e.handle, len(e.nodes), s, stream))
	}
	return e.launched(s, turn, e.dev.drv.GraphLaunch(e.handle, stream))
}

// launched returns the error of a launch in that turn of s whose result is r, or that a buffer or
// a library was closed meanwhile, or nil. It unlocks e.mu.
//
//go:noinline
func (e *GraphExec) launched(s *Stream, turn uint64, r driver.Result) error {
	defer e.mu.Unlock()
	if r != driver.Success {
		return e.dev.fail(launchOp, r)
	}
	if now := s.turn.Load(); now != turn {
		for i := range e.nodes {
			for _, a := range e.nodes[i].def.owners {
				a.usedLate(s)
			}
		}
		return meanwhile(e.use(s, now, true))
	}
	return nil
}

// Upload prepares the next launch on s, so that it is as fast as those after it. It does not
// wait.
//
// CUDA Driver API, Graph Management, cuGraphUpload.
func (e *GraphExec) Upload(s *Stream) error {
	const op = "upload a graph"
	if e == nil || s == nil {
		return e.notLaunchable(op, s)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	defer s.hold().release()
	stream := driver.Stream(s.handle.Load())
	if e.handle == 0 || stream == 0 || s.dev != e.dev {
		return e.notLaunchable(op, s)
	}
	if r := e.dev.drv.GraphUpload(e.handle, stream); r != driver.Success {
		r = e.dev.again(r, func() driver.Result { return e.dev.drv.GraphUpload(e.handle, stream) })
		if r != driver.Success {
			return e.dev.exhausted(op, r)
		}
	}
	return nil
}

// notLaunchable is the error of an operation that cannot be tried.
//
//go:noinline
func (e *GraphExec) notLaunchable(op string, s *Stream) error {
	switch {
	case e == nil || e.dev == nil:
		return &Error{Op: op, Detail: "there is no graph: use what BuildGraph returned", Err: ErrInvalidValue}
	case e.handle == 0:
		for _, r := range resourcesOf(e.nodes) {
			if r.life.uses.IsClosed() {
				return r.closedError(op)
			}
		}
		return e.dev.closedError(op, "the graph")
	case s == nil:
		return e.dev.invalid(op, "the stream is nil: make one with Device.NewStream", ErrInvalidValue)
	case s.dev != e.dev:
		return e.dev.invalid(op, "the stream is on "+s.dev.besides(e.dev), ErrInvalidValue)
	}
	_, err := s.open(op)
	return err
}

// use notes that s uses the buffers of the nodes in this turn of s, or returns why it cannot, or
// that a library was closed. Buffers of other devices, and events, are looked at every time. With late it was launched: a
// resource that was closed meanwhile destroys e behind that.
func (e *GraphExec) use(s *Stream, turn uint64, late bool) error {
	for _, k := range e.kernels {
		if k.handle() == 0 {
			return &Error{Op: launchOp, Kernel: k.name, Device: e.dev.String(), Driver: e.dev.version, Detail: "its library", Err: ErrClosed}
		}
	}
	for i := range e.nodes {
		x := &e.nodes[i]
		for _, a := range x.def.owners {
			if !a.usedOn(s) {
				if r, ok := a.object.(*Resource); ok && late {
					turn = 0
					continue
				} else if ok {
					return r.closedError(launchOp)
				}
				return e.dev.closedError(launchOp, "the "+a.root().what+" of node "+x.n.String())
			}
			if a.dev == s.dev {
				continue
			}
			turn = 0
			if (x.def.kernel != nil || slices.Contains(x.def.done().reached, a)) && !a.root().reachableFrom(s.dev) {
				return e.dev.invalid(launchOp, "the "+a.root().what+" of node "+x.n.String()+" is on "+a.dev.besides(s.dev), ErrInvalidValue)
			}
		}
	}
	for _, m := range e.marks {
		if turn = 0; !m.records && m.event.captured.Load() != nil {
			return e.dev.invalid(launchOp, "a node waits for an event that was recorded in a capture: record it on a stream that does not capture", ErrCapturedEvent)
		}
	}
	for _, m := range e.marks {
		if m.records {
			m.event.recordedBy(&e.state.calls.failures)
			m.event.captured.Store(nil)
		}
	}
	e.state.launchedOn(s)
	if tracing.Load() != nil {
		turn = 0
	}
	e.turn = turn
	return nil
}

// Definition returns the graph that e was instantiated of.
func (e *GraphExec) Definition() *Graph {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.graph
}

// Device returns the device that e was instantiated on.
func (e *GraphExec) Device() *Device {
	if e == nil {
		return nil
	}
	return e.dev
}

// Close destroys e. Launches that are under way end undisturbed; later calls fail with
// ErrClosed. If e has host nodes, it goes when what it was launched for is over: Close does not
// wait for that. Close may be called more than once.
//
// CUDA Driver API, Graph Management, cuGraphExecDestroy, cuGraphDestroy.
func (e *GraphExec) Close() error {
	if e == nil || e.dev == nil {
		return nil
	}
	d := e.dev
	defer d.hold().release()
	e.mu.Lock()
	open := e.handle != 0
	e.handle = 0
	e.mu.Unlock()
	if !open {
		return nil
	}
	e.watch.end()
	key := weak.Make(e)
	st := e.state
	if !st.calls.launched() {
		return d.destroyOwned("close a graph", key)
	}
	if destroy, ours := d.disown(key); ours {
		d.retire(func() {
			st.calls.drain(d)
			d.given(destroy())
		})
	}
	return nil
}

// lock locks e.mu, or returns the error of op on an exec that is closed, or none.
func (e *GraphExec) lock(op string) error {
	if e == nil {
		return e.notLaunchable(op, nil)
	}
	e.mu.Lock()
	if e.handle == 0 {
		defer e.mu.Unlock()
		return e.notLaunchable(op, nil)
	}
	return nil
}

// errNotInGraph is the error of an operation on a node that e does not have.
func (e *GraphExec) errNotInGraph(op string, n *Node) error {
	if n == nil {
		return e.dev.invalid(op, "the node is nil", ErrInvalidValue)
	}
	return e.dev.invalid(op, "node "+n.String()+": it is not a node of this graph", ErrInvalidValue)
}
