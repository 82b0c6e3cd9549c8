package cuda

import (
	"fmt"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
