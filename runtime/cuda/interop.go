package cuda

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Handle returns the CUcontext of d, its primary context, which the CUDA runtime API uses, too.
// It is valid until d is closed. The CUdevice is d.Ordinal. Do makes the context current. On a
// simulated device the error wraps ErrNotSupported.
//
// CUDA Driver API, Primary Context Management.
func (d *Device) Handle() (uintptr, error) {
	switch {
	case d.isClosed():
		return 0, d.closedError(handleOp, "")
	case d.simulated:
		return 0, d.noHandle("CUcontext")
	}
	return uintptr(d.ctx), nil
}

// Handle returns the CUkernel of k, which cuLaunchKernel also takes as a CUfunction. It is valid
// until the library of k is closed. On a simulated device the error wraps ErrNotSupported.
//
// CUDA Driver API, Library Management.
func (k *Kernel) Handle() (uintptr, error) {
	if err := k.openFor(handleOp + " of"); err != nil {
		return 0, err
	}
	if k.dev.simulated {
		return 0, k.dev.noHandle("CUkernel")
	}
	return uintptr(k.handle()), nil
}

// Handle returns the CUevent of e. It is valid until e is closed. On a simulated device the error
// wraps ErrNotSupported.
//
// CUDA Driver API, Event Management.
func (e *Event) Handle() (uintptr, error) {
	defer e.hold().release()
	handle, err := e.use(handleOp)
	if err != nil {
		return 0, err
	}
	defer e.end()
	if e.dev.simulated {
		return 0, e.dev.noHandle("CUevent")
	}
	return uintptr(handle), nil
}

// Handle returns the CUstream of s, so that other libraries queue their work there: its order
// is that of s, and waiting for s waits for it. It is valid until s is closed. The caller must
// keep s reachable, and must not capture on it or destroy it.
//
// This package does not see which memory that work uses; HandleAfterUse tells it. So from the first Handle on, buffers that
// are closed are freed after all work that s has at that time, whether or not it uses them: a Buffer
// in stream order, without waiting; other memory after Close has waited. Memory that work refers to
// which is queued after Close must stay open, as for launches.
//
// In a capture, the handle is that of the stream on which the driver captures, until the capture ends:
// what other libraries queue there becomes nodes that cannot be updated.
//
// A stream of a simulated device has no handle: the error wraps ErrNotSupported. There is no handle 0,
// which would be the null stream.
//
// CUDA Driver API, Stream Management.
func (s *Stream) Handle() (uintptr, error) {
	if m := s.capturing(); m != nil {
		return m.innerHandle()
	}
	handle, err := s.realHandle()
	if err != nil {
		return 0, err
	}
	if err := s.handOut(); err != nil {
		return 0, err
	}
	return handle, nil
}

// HandleAfterUse is Handle for work that uses only memory whose owners Use has named: other buffers that are closed do
// not wait for it. Work that waits for another device, as that of NCCL does, needs this: a free that is ordered behind it
// would hold back what it waits for.
//
// CUDA Driver API, Stream Management.
func (s *Stream) HandleAfterUse() (uintptr, error) {
	if m := s.capturing(); m != nil {
		return m.innerHandle()
	}
	if s != nil && !s.lent.Load() {
		s.lent.Store(true)
	}
	return s.realHandle()
}

// innerHandle is Handle of a stream that takes part in a capture. Nothing runs there, so that no buffer
// has to wait for it.
func (m *captureMember) innerHandle() (uintptr, error) {
	c := m.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(handleOp); err != nil {
		return 0, err
	}
	if c.dev.simulated {
		return 0, c.dev.noHandle("CUstream")
	}
	return m.inner.handle.Load(), nil
}

// useOp is what errors call the method Use.
const useOp = "use memory in another library's work"

// foreignOp is what errors call such work.
const foreignOp = "run the work of another library"

// Use says that work which another library queues on s next uses owners. It returns an error if
// one of them is closed or on a device that s's device does not reach, and otherwise has buffers
// wait for the work when they are closed, as launches do. The caller must keep the owners open
// until the work is queued.
//
// On a stream that captures, the graph keeps the owners if work of other libraries or a host function is captured
// next, and its execs cannot be launched when one is closed.
func (s *Stream) Use(owners ...Owner) error {
	if m := s.capturing(); m != nil {
		return m.keep(owners)
	}
	if _, err := s.open(useOp); err != nil {
		return err
	}
	for _, o := range owners {
		if Generated.Uses(o, s.word) {
			continue
		}
		if err := o.usable(s.dev); err != nil {
			return err
		}
		if !o.usedOn(s) {
			return o.closedError(s.dev, useOp, "the "+o.what)
		}
	}
	return nil
}

// usable returns why other libraries' work on d cannot use l.
func (l *lifetime) usable(d *Device) error {
	switch {
	case l == nil:
		return nil
	case l.graphOnly:
		return d.invalid(useOp, "the "+l.what+" exists only in a graph", ErrInvalidValue)
	case !l.isOpenTo(d):
		return l.closedError(d, useOp, "the "+l.what)
	case !l.reachableFrom(d):
		return d.invalid(useOp, "the "+l.what+" is on "+l.dev.besides(d), ErrInvalidValue)
	}
	return nil
}

// Work returns the device of s, nil if s has none, and the bits by which Uses knows s: 0 if s captures or is closed.
func (generated) Work(s *Stream) (d *Device, bits uint64) {
	if s == nil {
		return nil, 0
	}
	if s.handle.Load() == 0 || s.IsCapturing() {
		return s.dev, 0
	}
	return s.dev, s.word
}

// Uses reports whether the stream with these bits uses o already, so that Use would do nothing.
func (generated) Uses(o Owner, bits uint64) bool { return bits != 0 && bits&^o.usersOf() == 0 }

// Usable returns why work of another library on d cannot use memory of owners, if it cannot: for calls without a stream.
func (generated) Usable(d *Device, owners []Owner) error {
	for _, o := range owners {
		if err := o.usable(d); err != nil {
			return err
		}
	}
	return nil
}

// keep has the graph of the capture keep owners, for work of other libraries.
func (m *captureMember) keep(owners []Owner) error {
	c := m.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(useOp); err != nil {
		return err
	}
	for _, o := range owners {
		if o.lifetime == nil {
			continue
		}
		if err := o.usable(c.dev); err != nil {
			return err
		}
		if !slices.Contains(c.kept, o.lifetime) {
			c.kept = append(c.kept, o.lifetime)
		}
	}
	return nil
}

// Fail says that work which another library queued on s has failed with err: whatever waits for
// s returns an *Error that wraps err from then on, as after a host function that has panicked. Of
// several errors of a stream the first one counts.
func (s *Stream) Fail(err error) error {
	const op = "note a failure"
	if _, opened := s.open(op); opened != nil {
		return opened
	}
	if err == nil {
		return s.dev.invalid(op, "the error is nil", ErrInvalidValue)
	}
	s.failures.note(s.dev, &Error{Op: foreignOp, Device: s.dev.String(), Driver: s.dev.version, Err: err})
	return nil
}

// A Resource stands for what another library's work needs and this package does not know, such as a
// communicator of NCCL. Stream.Use takes its Owner before such work is captured. The graph then keeps the
// resource, and when it is closed, the driver's part of all graphs that have it is destroyed: libraries wait for
// that before they end what captured work uses.
//
// Any goroutine may call any method.
type Resource struct {
	life *lifetime
	over chan struct{} // closed when it is freed
	once sync.Once

	failure atomic.Pointer[error] // that Fail was given

	mu     sync.Mutex
	graphs map[any]func() // what destroys each, by its key in Device.owned
	enough int            // of graphs, before those that were destroyed are looked for
}

// NewResource makes a resource on d. Errors call it what.
func (d *Device) NewResource(what string) *Resource {
	r := &Resource{over: make(chan struct{}), graphs: make(map[any]func())}
	r.life = &lifetime{dev: d, what: what, object: r}
	return r
}

// Owner returns what Stream.Use takes.
func (r *Resource) Owner() Owner {
	if r == nil {
		return Owner{}
	}
	return Owner{r.life}
}

// Fail says that work which needs r has failed with err: whatever waits for a stream on which a graph with
// such work was launched returns an *Error that wraps err from then on. See Stream.Fail. Launches that follow fail with
// ErrClosed and err, as after Close, which Fail does not wait for. Of several errors the first one counts.
func (r *Resource) Fail(err error) {
	if r == nil || r.life == nil || err == nil {
		return
	}
	e := err
	first := r.failure.CompareAndSwap(nil, &e)
	if r.stop() {
		go r.free()
	}
	if !first {
		return
	}
	d := r.life.dev
	for _, u := range r.life.others.Load().all() {
		u.stream.failures.note(d, &Error{Op: foreignOp, Device: d.String(), Driver: d.driverVersion(), Err: err})
	}
}

// Close destroys the driver's part of the graphs that have r. What was launched runs to its end. Launches
// that follow fail with ErrClosed, and so does Instantiate; GraphExec.Close has nothing left to do. Close again has
// no effect.
func (r *Resource) Close() error {
	if r == nil || r.life == nil {
		return nil
	}
	select {
	case <-r.over:
		return nil
	default:
	}
	if err := r.life.dev.mayWait("close " + r.life.what); err != nil {
		return err
	}
	if r.stop() {
		r.free()
	}
	<-r.over // a graph with it may just be instantiated
	return nil
}

// stop has launches fail. It reports whether r is to be freed.
func (r *Resource) stop() bool {
	first, last := r.life.uses.Close()
	if first {
		r.life.recheck()
	}
	return first && last
}

// free is called when r is closed, and no graph is being instantiated with it.
func (r *Resource) free() driver.Result {
	r.once.Do(func() {
		defer r.life.dev.hold().release()
		r.mu.Lock()
		graphs := r.graphs
		r.graphs = nil
		r.mu.Unlock()
		if !r.life.dev.isClosed() { // or it has destroyed them
			for _, destroy := range graphs {
				destroy()
			}
		}
		close(r.over)
	})
	return driver.Success
}

// begin keeps r from being freed until end. It reports false if r is closed.
func (r *Resource) begin() bool {
	closed, last := r.life.uses.Begin()
	if last {
		go r.free() // the caller may have the lock of an exec
	}
	return !closed
}

// end ends what begin began.
func (r *Resource) end() {
	if r.life.uses.End() {
		go r.free()
	}
}

// beginAll begins a use of each, or of none if one is closed, which it returns.
func beginAll(resources []*Resource) (closed *Resource) {
	for i, r := range resources {
		if !r.begin() {
			endAll(resources[:i])
			return r
		}
	}
	return nil
}

func endAll(resources []*Resource) {
	for _, r := range resources {
		r.end()
	}
}

// closedError is the error of an operation that needs r, which is closed.
func (r *Resource) closedError(op string) error {
	err := r.life.dev.closedError(op, "the "+r.life.what)
	if e, ok := err.(*Error); ok && e.Err == ErrClosed {
		if cause := r.failure.Load(); cause != nil {
			e.Err = fmt.Errorf("%w: %w", ErrClosed, *cause)
		}
	}
	return err
}

// keepWork notes that the driver has a graph of w, which needs r.
func (r *Resource) keepWork(w weak.Pointer[foreignWork]) {
	r.keep(w, r.life.dev.giveBack(w))
}

// keepExec notes that e needs r.
func (r *Resource) keepExec(e weak.Pointer[GraphExec]) {
	d := r.life.dev
	r.keep(e, func() {
		exec := e.Value()
		if exec == nil {
			d.giveBack(e)()
			return
		}
		exec.mu.Lock()
		exec.handle = 0
		exec.mu.Unlock()
		exec.watch.end()
		if destroy, open := d.disown(e); open {
			exec.state.calls.drain(d)
			d.given(destroy())
		}
	})
}

// keep notes what destroys a graph. r is in use.
func (r *Resource) keep(key any, destroy func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.graphs) >= r.enough {
		r.forget()
	}
	r.graphs[key] = destroy
}

// forget drops what was destroyed. r.mu is held.
func (r *Resource) forget() {
	d := r.life.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range r.graphs {
		if _, open := d.owned[key]; !open {
			delete(r.graphs, key)
		}
	}
	r.enough = max(2*len(r.graphs), 16)
}
