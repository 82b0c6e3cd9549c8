package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda/internal/measure"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A Trace shows what a program does on its devices, and when: launches, graphs, copies with their
// bytes, allocations, waits, ranges of StartRange. Perfetto (ui.perfetto.dev) and Chrome show its
// file, with a track for each goroutine and for each stream.
//
// A trace is of the whole process, whatever devices it opens, and there is one at a time. While there
// is none, nothing is slower for it (docs/tracing.md). Any goroutine may call its methods.
type Trace struct {
	cfg     TraceConfig
	file    *tracefile.Writer
	began   time.Time
	process int64
	ranges  atomic.Uint64

	kernels sync.Map // *Kernel → *kernelTrace
	streams sync.Map // streamKey → *streamTrace
	totals  measure.Totals

	mu        sync.Mutex
	devices   map[*Device]*deviceTrace
	processes int64 // of devices, so far
	tracks    int64 // of streams, so far
	stopped   bool
	finish    func() error // of the file that CUDAGEN_TRACE names; nil for others
	stop      chan struct{}
	over      sync.WaitGroup
}

// A TraceConfig configures a trace.
type TraceConfig struct {
	// KernelTimes measures how long kernels, graphs and asynchronous copies take on the device, with
	// an event before and one after each. That makes their queueing slower, and kernels that would
	// overlap by programmatic dependent launches run one after the other.
	KernelTimes bool

	// Labels gives goroutines the profiling label cuda_kernel while they launch, with the name of the
	// kernel: a CPU profile of runtime/pprof then says for which kernels the time was spent. Other
	// labels of the goroutine stay.
	Labels bool
}

// tracing is the trace of the process, or nil. What looks at it is never on the way of a plain launch
// (docs/decisions, "Where does a trace listen?").
var tracing atomic.Pointer[Trace]

// starting is held while a trace begins or ends.
var starting sync.Mutex

// StartTrace begins a trace, which writes to w in the Trace Event Format until Close. w is written to
// by one goroutine at a time, every 50 ms or earlier. The format allows that the end of the file is
// missing: the file of a program that ends without Close is readable, and lacks the last 50 ms. If w
// is nil nothing is written: the trace has a Summary, and labels.
//
// The environment variable CUDAGEN_TRACE=run.json does the same for a program as it is, from its first
// device on; %p in the name stands for the number of the process. When the last device is closed, the
// summary is written to standard error. CUDAGEN_TRACE_KERNELS=1 sets KernelTimes.
//
// It is an error if there is a trace already.
func StartTrace(w io.Writer, cfg TraceConfig) (*Trace, error) {
	starting.Lock()
	defer starting.Unlock()
	return startTrace(w, cfg, nil)
}

const traceOp = "start a trace"

// startTrace is StartTrace of a file that has to be closed, if finish is not nil. starting is held.
func startTrace(w io.Writer, cfg TraceConfig, finish func() error) (*Trace, error) {
	if other := tracing.Load(); other != nil {
		detail := "there is one already: close it first"
		if other.finish != nil {
			detail = "there is one already, which CUDAGEN_TRACE asked for: unset that"
		}
		return nil, &Error{Op: traceOp, Detail: detail, Err: ErrInvalidValue}
	}
	t := &Trace{
		cfg: cfg, file: tracefile.NewWriter(w), began: time.Now(), process: int64(os.Getpid()),
		devices: make(map[*Device]*deviceTrace), finish: finish, stop: make(chan struct{}),
	}
	t.file.NameProcess(t.process, "Go: a track for each goroutine")
	devices := openDevices()
	for _, d := range devices {
		t.add(d)
	}
	tracing.Store(t)
	driver.SetWatcher(traceWatcher{t})
	libcuda.Watch()
	for _, d := range devices {
		d.divert()
	}
	t.over.Add(1)
	go t.run()
	return t, nil
}

// divert makes launches on d look for a trace: launches of kernels are not plain, and prepared
// calls are checked again.
func (d *Device) divert() {
	d.mu.Lock()
	var libraries []*Library
	for l := range d.libraries {
		if l := l.Value(); l != nil {
			libraries = append(libraries, l)
		}
	}
	d.mu.Unlock()
	for _, l := range libraries {
		l.mu.Lock()
		for _, k := range l.kernels {
			k.sharedEnd.Store(0)
		}
		l.mu.Unlock()
	}
	d.nextTurns()
}

// Close ends the trace, and returns the first error of its file. Work that still runs on a device has
// no times: synchronize before. Close may be called more than once.
func (t *Trace) Close() error {
	if t == nil || t.file == nil {
		return nil
	}
	starting.Lock()
	defer starting.Unlock()
	return t.end()
}

// end is Close. starting is held.
func (t *Trace) end() error {
	if tracing.CompareAndSwap(t, nil) {
		driver.SetWatcher(nil)
		libcuda.Watch()
		close(t.stop)
		t.over.Wait()
		t.collectAll()
		t.mu.Lock()
		t.stopped = true
		devices := t.devices
		t.devices = nil
		t.mu.Unlock()
		for _, d := range devices {
			d.Release()
		}
	}
	err := t.file.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finish != nil {
		err = cmp.Or(err, t.finish())
		t.finish = func() error { return nil }
	}
	if err != nil {
		return &Error{Op: "write a trace", Err: err}
	}
	return nil
}

// The times of kernels are asked for, and memory is counted, so often.
const collectEvery = 10 * time.Millisecond

// run does what needs to be done from time to time.
func (t *Trace) run() {
	defer t.over.Done()
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-tick.C:
			t.collectAll()
		}
	}
}

// now returns the nanoseconds since the trace began.
func (t *Trace) now() int64 { return int64(time.Since(t.began)) }

// noteOpen tells the trace of d, and begins the one that the environment asks for.
func (d *Device) noteOpen() error {
	starting.Lock()
	defer starting.Unlock()
	opened.mu.Lock()
	if opened.devices == nil {
		opened.devices = make(map[weak.Pointer[Device]]bool)
	}
	opened.devices[weak.Make(d)] = true
	opened.mu.Unlock()
	if err := startFromEnvironment(); err != nil {
		return err
	}
	if t := tracing.Load(); t != nil {
		t.add(d)
	}
	return nil
}

// noteClosed has the trace measure no more on d, whose work is over and whose context is still there.
func (d *Device) noteClosed() {
	starting.Lock()
	defer starting.Unlock()
	if t := tracing.Load(); t != nil {
		t.remove(d)
	}
}

// noteGone has the trace forget d. The last device of all shows what the environment asked for.
func (d *Device) noteGone() {
	opened.mu.Lock()
	delete(opened.devices, weak.Make(d))
	opened.mu.Unlock()
	t := tracing.Load()
	if t == nil {
		return
	}
	t.forget(d)
	if t.finish == nil || len(openDevices()) > 0 {
		return
	}
	if err := t.file.Pause(); err != nil {
		fmt.Fprintf(os.Stderr, "cuda: write the trace: %v\n", err)
	}
	fmt.Fprint(os.Stderr, t.Summary())
}

// fromEnvironment is whether CUDAGEN_TRACE was looked at. starting guards it.
var fromEnvironment bool

// startFromEnvironment begins the trace that CUDAGEN_TRACE asks for, once. starting is held.
func startFromEnvironment() error {
	name := os.Getenv("CUDAGEN_TRACE")
	if fromEnvironment || name == "" || tracing.Load() != nil { // what the program started goes first
		return nil
	}
	fromEnvironment = true
	times := false
	if text := os.Getenv("CUDAGEN_TRACE_KERNELS"); text != "" {
		var err error
		if times, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("cuda: CUDAGEN_TRACE_KERNELS=%s: want 1 or 0", text)
		}
	}
	file, err := tracefile.Create(strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid())))
	if err != nil {
		return fmt.Errorf("cuda: CUDAGEN_TRACE=%s: %w", name, err)
	}
	if _, err := startTrace(file, TraceConfig{KernelTimes: times}, file.Close); err != nil {
		return errors.Join(err, file.Close())
	}
	return nil
}

// A TraceSummary says how often things were done during a trace, and how long that took. The kernels
// come first, then graphs, then copies, each sorted by the time they took.
type TraceSummary []TraceTotal

// A TraceTotal is a line of a TraceSummary.
type TraceTotal struct {
	Name   string // of a kernel, "graph", or the driver's function that copies
	Device string // its name in errors
	Kind   string // kernel, graph or copy
	Count  int

	// How long the program took to queue all of them, and half of them at most. Medians are exact to
	// 3 %.
	Queueing, MedianQueueing time.Duration

	// How long the device was at work, by events around each. Zero without TraceConfig.KernelTimes.
	Running, MedianRunning time.Duration

	Bytes          uint64  // of copies
	BytesPerSecond float64 // of copies while the device was at work; 0 without TraceConfig.KernelTimes
	Occupancy      float64 // of kernels, 0 to 1: the threads that a multiprocessor holds of the first launch, of those it could hold
}

// Summary returns what was done so far.
func (t *Trace) Summary() (all TraceSummary) {
	if t == nil || t.file == nil {
		return nil
	}
	for _, line := range t.totals.Lines() {
		all = append(all, TraceTotal(line))
	}
	return all
}

// String returns s as a table.
func (s TraceSummary) String() string {
	lines := make([]measure.Line, len(s))
	for i, t := range s {
		lines[i] = measure.Line(t)
	}
	return measure.Table(lines)
}

// occupied returns how much of a multiprocessor a launch with cfg can fill, per mille of its threads;
// 0 if the driver does not say.
func (k *Kernel) occupied(cfg *LaunchConfig) int64 {
	o, err := k.Occupancy(LaunchConfig{Block: cfg.Block, SharedBytes: cfg.SharedBytes})
	if err != nil {
		return 0
	}
	threads, r := k.dev.drv.DeviceGetAttribute(driver.MaxThreadsPerMultiprocessor, k.dev.dev)
	if r != driver.Success || threads == 0 {
		return 0
	}
	return int64(o.BlocksPerMultiprocessor) * int64(cfg.Block.count()) * 1000 / int64(threads)
}
