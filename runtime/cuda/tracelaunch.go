package cuda

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/measure"
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

// begin is Times.Begin of the stream's device.
func (st *streamTrace) begin(stream driver.Stream) measure.Timing {
	if st.dev == nil {
		return measure.Timing{}
	}
	return st.dev.Begin(stream)
}

// A kernelTrace is what a trace has of a kernel.
type kernelTrace struct {
	total  *measure.Total
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
	timing := st.begin(stream)
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
	kt.occupy.Do(func() { kt.total.Occupancy.Store(k.occupied(cfg)) })
	return err
}

// graph queues a launch of exec, which has so many nodes, on s for launchSpecially.
func (t *Trace) graph(exec driver.GraphExec, nodes int, s *Stream, stream driver.Stream) driver.Result {
	st := t.stream(s.dev.watched(), stream)
	timing := st.begin(stream)
	began := t.now()
	r := s.dev.drv.GraphLaunch(exec, stream)
	event := tracefile.Event{
		Name: "graph", Category: "graph", Phase: tracefile.Complete, On: t.here(), Start: began, Duration: t.now() - began, Keys: &graphKeys,
		Values: [8]uint64{uint64(nodes)},
	}
	if r != driver.Success {
		event.Error = r.String()
	}
	t.queued(st, &event, timing, t.totals.Of(measure.Key{Name: "graph", Device: st.text(), Kind: measure.Graph}), r == driver.Success, 0)
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
func (t *Trace) queued(st *streamTrace, e *tracefile.Event, timing measure.Timing, sum *measure.Total, succeeded bool, bytes uint64) {
	e.Also = st.queued
	t.file.Add(e)
	sum.Add(e.Duration, bytes)
	if timing.Start == 0 {
		return
	}
	if !succeeded {
		st.dev.GiveBack(timing)
		return
	}
	e.On, e.Also = st.ran, tracefile.Track{}
	st.dev.End(timing, e, sum, bytes)
}

// kernel returns what t has of k.
func (t *Trace) kernel(k *Kernel) *kernelTrace {
	if found, ok := t.kernels.Load(k); ok {
		return found.(*kernelTrace)
	}
	made := &kernelTrace{total: t.totals.Of(measure.Key{Name: k.name, Device: k.dev.String(), Kind: measure.Kernel})}
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

// A traceWatcher listens for its trace.
type traceWatcher struct{ *Trace }

// Watches implements driver.Watcher.
func (t traceWatcher) Watches(e driver.EntryPoint) bool {
	_, is := measure.Calls[e]
	return is
}

// Begin implements driver.Watcher.
func (t traceWatcher) Begin(c driver.WatchedCall) driver.WatchedCall {
	if at := measure.Calls[c.Entry]; at.Category == measure.CopyCategory && t.cfg.KernelTimes {
		stream, _ := at.Stream(&c)
		timing := t.stream(c.Of, stream).begin(stream)
		c.Events, c.Owner = [2]uintptr{uintptr(timing.Start), uintptr(timing.End)}, timing.Owner()
	}
	c.Began = t.now()
	return c
}

// End implements driver.Watcher.
func (t traceWatcher) End(c driver.WatchedCall, r driver.Result) {
	at := measure.Calls[c.Entry]
	e := tracefile.Event{
		Name: c.Entry.Name(), Category: at.Category, Phase: tracefile.Complete, On: t.here(),
		Start: c.Began, Duration: t.now() - c.Began,
	}
	bytes := at.Bytes(&c, &e)
	if r != driver.Success {
		e.Error = r.String()
	}
	stream, queued := at.Stream(&c)
	if !queued {
		t.file.Add(&e)
		return
	}
	st := t.stream(c.Of, stream)
	var timing measure.Timing
	if c.Events[0] != 0 {
		timing = measure.TimingOf(driver.Event(c.Events[0]), driver.Event(c.Events[1]), stream, c.Owner)
	}
	kind := measure.Other
	if at.Category == measure.CopyCategory {
		kind = measure.Copy
	}
	t.queued(st, &e, timing, t.totals.Of(measure.Key{Name: c.Entry.Name(), Device: st.text(), Kind: kind}), r == driver.Success, bytes)
}
