package cuda

import (
	"time"

	"github.com/cudagen/cudagen/runtime/cuda/internal/measure"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
	defer k.hold().release()
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
