package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/measure"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A deviceTrace is what a trace has of a device.
type deviceTrace struct {
	measure.Times
	dev     *Device
	text    string // what errors call dev
	process int64
	memory  [3]uint64 // that the file has; of the goroutine that collects
}

// add begins to trace d.
func (t *Trace) add(d *Device) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || t.devices[d] != nil {
		return
	}
	t.processes++
	dt := &deviceTrace{text: d.String(), dev: d, process: t.process + t.processes}
	t.devices[d] = dt
	t.file.NameProcess(dt.process, fmt.Sprintf("%v: a track for each stream", d))
	if t.cfg.KernelTimes {
		dt.Open(measure.Device{
			Driver: d.drv, InContext: d.inContext, Given: d.given,
			Hold: func() func() { return d.hold().release },
		}, t.file, t.now)
	}
	t.place(streamKey{d.watched(), d.spare}, dt, "frees")
	d.mu.Lock()
	defer d.mu.Unlock()
	for s, q := range d.streams {
		if s.Value() != nil {
			t.place(streamKey{d.watched(), q.handle}, dt, q.nameOf())
		}
	}
}

// remove ends the trace of d, whose work is over.
func (t *Trace) remove(d *Device) {
	t.mu.Lock()
	dt := t.devices[d]
	delete(t.devices, d)
	t.mu.Unlock()
	if dt == nil {
		return
	}
	dt.Collect()
	dt.Release()
}

// forgetKernels drops what t has of kernels but for the totals.
func (t *Trace) forgetKernels(kernels []*Kernel) {
	for _, k := range kernels {
		t.kernels.Delete(k)
	}
}

// forget drops what t has of d and its kernels but for the totals.
func (t *Trace) forget(d *Device) {
	t.streams.Range(func(key, st any) bool {
		if st.(*streamTrace).device() == d {
			t.streams.Delete(key)
		}
		return true
	})
	t.kernels.Range(func(k, _ any) bool {
		if k.(*Kernel).dev == d {
			t.kernels.Delete(k)
		}
		return true
	})
}

// addStream finds out of which device the stream of a key is.
func (t *Trace) addStream(key streamKey) *streamTrace {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found, ok := t.streams.Load(key); ok {
		return found.(*streamTrace)
	}
	for d, dt := range t.devices {
		if d.watched() != key.of {
			continue
		}
		if name, found := d.queueName(key.handle); found {
			return t.place(key, dt, name)
		}
	}
	return t.place(key, nil, "")
}

// queueName returns the name of the stream of d that has the handle, or "" if it has none, and whether there is one.
func (d *Device) queueName(handle driver.Stream) (name string, found bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.streams {
		if q.handle == handle {
			return q.nameOf(), true
		}
	}
	return "", false
}

// nameOf returns what SetName has said, or "".
func (q *queue) nameOf() string {
	if name := q.name.Load(); name != nil {
		return *name
	}
	return ""
}

// unknownStreams are a process of their own in viewers.
const unknownStreams = 1 << 20

// place gives a stream its tracks. t.mu is held.
func (t *Trace) place(key streamKey, dt *deviceTrace, name string) *streamTrace {
	if found, ok := t.streams.Load(key); ok {
		return found.(*streamTrace)
	}
	t.tracks += 2
	process := t.process + unknownStreams
	if dt != nil {
		process = dt.process
	}
	st := &streamTrace{dt, tracefile.Track{Process: process, Thread: t.tracks}, tracefile.Track{Process: process, Thread: t.tracks + 1}}
	if name == "" {
		name = fmt.Sprintf("stream %d", t.tracks)
	}
	t.nameTracks(st, name)
	t.streams.Store(key, st)
	return st
}

// nameTracks says what the tracks of a stream are called. t.mu is held.
func (t *Trace) nameTracks(st *streamTrace, name string) {
	t.file.NameTrack(st.queued, name+": queued")
	if t.cfg.KernelTimes {
		t.file.NameTrack(st.ran, name+": ran")
	}
}

func (st *streamTrace) device() *Device {
	if st.dev == nil {
		return nil
	}
	return st.dev.dev
}

// text returns what errors call the device.
func (st *streamTrace) text() string {
	if st.dev == nil {
		return (*Device)(nil).String()
	}
	return st.dev.text
}

// collectAll collects of all devices.
func (t *Trace) collectAll() {
	t.mu.Lock()
	var devices []*deviceTrace
	for _, dt := range t.devices {
		devices = append(devices, dt)
	}
	t.mu.Unlock()
	for _, dt := range devices {
		dt.Collect()
		t.count(dt)
	}
}

var memoryKeys = tracefile.Keys{{Name: "device"}, {Name: "page-locked"}, {Name: "managed"}}

// count adds how much memory the device's buffers have, if that has changed.
func (t *Trace) count(dt *deviceTrace) {
	use := dt.dev.memory.inUse()
	now := [3]uint64{use.bytes[pooled], use.bytes[pageLocked] + use.bytes[registered], use.bytes[managed]}
	if dt.IsReleased() || now == dt.memory {
		return
	}
	dt.memory = now
	e := tracefile.Event{
		Name: "memory", Phase: tracefile.Counter, On: tracefile.Track{Process: dt.process}, Start: t.now(), Keys: &memoryKeys,
		Values: [8]uint64{now[0], now[1], now[2]},
	}
	t.file.Add(&e)
}

// A Range is a part of a program that traces and profilers show, such as a step of training. Another
// goroutine than the one that began it may end it. The zero Range shows nothing.
type Range struct {
	name     string
	trace    *Trace
	id, nvtx uint64
	began    tracefile.Track
}

// StartRange begins a range: in the Trace, if there is one, and by NVTX, if a profiler such as Nsight
// Systems runs the program and libnvtx3interop is installed or CUDAGEN_NVTX is its path. Without both
// it costs nanoseconds.
//
//	defer cuda.StartRange("step").End()
//
// NVTX, Process Ranges, nvtxRangeStart.
func StartRange(name string) Range {
	r := Range{name: name, nvtx: libcuda.StartRange(name)}
	if t := tracing.Load(); t != nil {
		r.trace, r.id, r.began = t, t.ranges.Add(1), t.here()
		r.show(tracefile.AsyncBegin)
	}
	return r
}

// End ends the range. Call it once.
//
// NVTX, Process Ranges, nvtxRangeEnd.
func (r Range) End() {
	libcuda.EndRange(r.nvtx)
	if r.trace != nil {
		r.show(tracefile.AsyncEnd)
	}
}

func (r Range) show(phase tracefile.Phase) {
	e := tracefile.Event{Name: r.name, Category: "range", Phase: phase, On: r.began, Start: r.trace.now(), ID: r.id}
	r.trace.file.Add(&e)
}

// SetName says what traces and profilers call s, also a trace that begins later.
//
// NVTX, Resource Naming, nvtxNameCuStream.
func (s *Stream) SetName(name string) error {
	const op = "name a stream"
	defer s.hold().release()
	handle, err := s.open(op)
	if err != nil {
		return err
	}
	s.queue.name.Store(&name)
	if !s.dev.simulated {
		libcuda.NameStream(handle, name)
	}
	if t := tracing.Load(); t != nil {
		t.rename(s.dev.watched(), handle, name)
	}
	return nil
}

// rename gives the tracks of a stream another name.
func (t *Trace) rename(of driver.Driver, handle driver.Stream, name string) {
	st := t.stream(of, handle)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nameTracks(st, name)
}
