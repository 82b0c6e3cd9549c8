package cuda

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/goroutine"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A streamKey is a stream of the driver. Simulated devices have streams of equal handles.
type streamKey struct {
	of     driver.Driver // as in driver.WatchedCall
	handle driver.Stream
}

// A streamTrace is a stream's tracks. Viewers show one for what was queued there and when, and one for
// what ran.
type streamTrace struct {
	dev         *deviceTrace // nil for a stream that is not known to be of an open device
	queued, ran tracefile.Track
}

// A kernelTrace is what a trace has of a kernel.
type kernelTrace struct {
	total  *total
	labels atomic.Pointer[labelled]
	occupy sync.Once
}

// labelled are the labels that a goroutine with others gets while it launches a kernel.
type labelled struct{ before, with goroutine.Labels }

// launch queues a launch of k for launchElsewhere.
func (t *Trace) launch(k *Kernel, kernel driver.Kernel, s *Stream, stream driver.Stream, cfg *LaunchConfig, params unsafe.Pointer, covers *driver.Covers) error {
	kt := t.kernel(k)
	st := t.stream(s.dev.watched(), stream)
	if t.cfg.Labels {
		before := goroutine.CurrentLabels()
		kt.labelsOver(before, k.name).Use()
		defer before.Use()
	}
	timing := st.dev.begin(stream)
	began := t.now()
	err := k.enqueue(kernel, stream, cfg, params, covers)
	took := t.now() - began
	e := tracefile.Event{
		Name: k.name, Category: "launch", Phase: tracefile.Complete, On: t.here(), Start: began, Duration: took, Keys: &launchKeys,
		Values: [8]uint64{uint64(cfg.Grid.X), uint64(cfg.Grid.Y), uint64(cfg.Grid.Z), uint64(cfg.Block.X), uint64(cfg.Block.Y), uint64(cfg.Block.Z), uint64(cfg.SharedBytes)},
	}
	if err != nil {
		e.Error = err.Error()
	}
	t.queued(st, &e, timing, kt.total, err == nil, 0)
	kt.occupy.Do(func() { kt.total.occupancy.Store(k.occupied(cfg)) })
	return err
}

// graph queues a launch of e for launchSpecially.
func (t *Trace) graph(e *GraphExec, s *Stream, stream driver.Stream) driver.Result {
	st := t.stream(s.dev.watched(), stream)
	timing := st.dev.begin(stream)
	began := t.now()
	r := e.dev.drv.GraphLaunch(e.handle, stream)
	event := tracefile.Event{
		Name: "graph", Category: "graph", Phase: tracefile.Complete, On: t.here(), Start: began, Duration: t.now() - began, Keys: &graphKeys,
		Values: [8]uint64{uint64(len(e.nodes))},
	}
	if r != driver.Success {
		event.Error = r.String()
	}
	t.queued(st, &event, timing, t.total(totalKey{name: "graph", device: st.text(), kind: graphTotal}), r == driver.Success, 0)
	return r
}

// What launches and graphs have as their values.
var (
	launchKeys = tracefile.Keys{{Name: "grid", Numbers: 3}, {Name: "block", Numbers: 3}, {Name: "shared bytes"}}
	graphKeys  = tracefile.Keys{{Name: "nodes"}}
)

// here returns the track of the goroutine.
func (t *Trace) here() tracefile.Track {
	return tracefile.Track{Process: t.process, Thread: int64(goroutine.ID())}
}

// queued notes what was queued on a stream: e is as goroutines see it.
func (t *Trace) queued(st *streamTrace, e *tracefile.Event, timing timing, sum *total, succeeded bool, bytes uint64) {
	e.Also = st.queued
	t.file.Add(e)
	sum.add(e.Duration, bytes)
	if timing.start == 0 {
		return
	}
	if !succeeded {
		st.dev.giveBack(timing)
		return
	}
	e.On, e.Also = st.ran, tracefile.Track{}
	st.dev.end(timing, e, sum, bytes)
}

// kernel returns what t has of k.
func (t *Trace) kernel(k *Kernel) *kernelTrace {
	if found, ok := t.kernels.Load(k); ok {
		return found.(*kernelTrace)
	}
	made := &kernelTrace{total: t.total(totalKey{name: k.name, device: k.dev.String(), kind: kernelTotal})}
	found, _ := t.kernels.LoadOrStore(k, made)
	return found.(*kernelTrace)
}

// labelsOver returns before with the kernel's.
func (k *kernelTrace) labelsOver(before goroutine.Labels, name string) goroutine.Labels {
	if known := k.labels.Load(); known != nil && known.before == before {
		return known.with
	}
	made := &labelled{before, before.With("cuda_kernel", name)}
	k.labels.Store(made)
	return made.with
}

// watched returns what WatchedCalls of d have as Of.
func (d *Device) watched() driver.Driver {
	if d.sim == nil {
		return nil
	}
	return d.drv
}

// stream returns what t has of a stream.
func (t *Trace) stream(of driver.Driver, handle driver.Stream) *streamTrace {
	key := streamKey{of, handle}
	if found, ok := t.streams.Load(key); ok {
		return found.(*streamTrace)
	}
	return t.addStream(key)
}

// waitStream is s.wait.
func (t *Trace) waitStream(ctx context.Context, s *Stream, op string) error {
	began := t.now()
	err := s.wait(ctx, op)
	t.waited("Stream.Wait", began)
	return err
}

// waitEvent is e.wait.
func (t *Trace) waitEvent(ctx context.Context, e *Event, op string) error {
	began := t.now()
	err := e.wait(ctx, op)
	t.waited("Event.Wait", began)
	return err
}

// waited notes that the goroutine has waited since began.
func (t *Trace) waited(name string, began int64) {
	e := tracefile.Event{Name: name, Category: "wait", Phase: tracefile.Complete, On: t.here(), Start: began, Duration: t.now() - began}
	t.file.Add(&e)
}
