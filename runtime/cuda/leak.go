package cuda

import (
	"runtime"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
	"github.com/cudagen/cudagen/runtime/internal/watched"
)

func init() { watched.Register(openWatched, onStale) }

// openWatched opens a simulated device with leak detection, for runtime/simtest.
func openWatched(ordinal int) (watched.Device, error) {
	drv, sim, err := newSimulator(ordinal)
	if err != nil {
		return watched.Device{}, err
	}
	leaks := new(leak.Scope)
	d, err := openDevice(drv, sim, ordinal, leaks)
	if err != nil {
		return watched.Device{}, err
	}
	return watched.Device{Device: d, Leaks: leaks, SetOutput: sim.SetOutput, SetChecks: func(c driver.Checks) {
		if sim.SetChecks(c); c.RedZones {
			d.useRedZones()
		}
	}, SetStale: func(report func(error)) { d.stale = report }, Heap: sim.Heap, Coverage: sim.Coverage, Stop: sim.Stop, Fault: func() error {
		if first := d.fault.Load(); first != nil {
			return first
		}
		return nil
	}}, nil
}

// A watch reports a handle that becomes unreachable before it is closed. It exists only
// with leak detection (CUDAGEN_LEAKS=1, simtest): docs/decisions, "Why is leak
// detection off by default?".
type watch struct {
	record  *leak.Record
	cleanup runtime.Cleanup
}

// watching begins a watch on h, a what on d. If h is lost while d is open, free, which
// releases its object, is queued. free must not refer to h.
func watching[T any](h *T, d *Device, what string, free func()) watch {
	if !d.leaks.Enabled() {
		return watch{}
	}
	record := d.leaks.Opened(what + " on " + d.String())
	return watch{record, runtime.AddCleanup(h, func(free func()) {
		if d.isClosed() { // and so is h
			record.Closed()
			return
		}
		record.Lost()
		d.park(free)
	}, free)}
}

// end says that the handle was closed.
func (w *watch) end() {
	if w.record.Closed() {
		w.cleanup.Stop()
	}
}

// park keeps free until no queue can use what it gives back: until Device.Synchronize
// has succeeded, or Device.Close. A handle may be lost before the work that uses it
// has run, and even before it is launched.
func (d *Device) park(free func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parked = append(d.parked, free)
}

// unpark returns what was parked so far.
func (d *Device) unpark() (free []func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	free, d.parked = d.parked, nil
	return free
}

// restore parks again what unpark has returned.
func (d *Device) restore(free []func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parked = append(d.parked, free...)
}
