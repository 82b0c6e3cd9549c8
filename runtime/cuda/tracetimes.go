package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A deviceTrace has what a trace needs on a device: a stream and events to measure with. It is
// the zero value, but for dev, if no times are measured.
type deviceTrace struct {
	trace   *Trace
	dev     *Device
	text    string // what errors call dev
	process int64

	collecting sync.Mutex // held while times are asked for

	mu      sync.Mutex
	closed  bool
	begun   int            // timings between begin and end, whose events calls record
	stream  driver.Stream  // of clocks; 0 if no times are measured
	idle    []driver.Event // with timing
	all     []driver.Event
	pending []measured
	clock   *clock // of work that is queued from now on
	memory  Stats  // that the file has
}

// A clock relates the times of a device to those of the host: an event, and when it was. Times are
// measured as differences of events in 32 bits, so a clock serves for a second only.
type clock struct {
	event driver.Event
	at    int64
	users int // pending measurements; under deviceTrace.mu
}

const clockFor = int64(1e9)

// A timing is a pair of events around work that is queued. Without times it is zero.
type timing struct {
	start, end driver.Event
	stream     driver.Stream
	base       *clock
}

// timingOf makes a timing of what a driver.WatchedCall has kept of it.
func timingOf(start, end driver.Event, stream driver.Stream, owner any) timing {
	base, _ := owner.(*clock)
	return timing{start, end, stream, base}
}

// A measured is a timing that waits for its work to end.
type measured struct {
	timing
	event tracefile.Event
	sum   *total
	bytes uint64
}

// add begins to trace d.
func (t *Trace) add(d *Device) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || t.devices[d] != nil {
		return
	}
	t.processes++
	dt := &deviceTrace{text: d.String(), trace: t, dev: d, process: t.process + t.processes}
	t.devices[d] = dt
	t.file.NameProcess(dt.process, fmt.Sprintf("%v: a track for each stream", d))
	if t.cfg.KernelTimes {
		dt.open()
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
	dt.collect()
	dt.release()
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

// open makes what measuring times needs. Without it nothing is measured.
func (dt *deviceTrace) open() {
	d := dt.dev
	defer d.hold().release()
	r := d.inContext(func() (r driver.Result) {
		dt.stream, r = d.drv.StreamCreate(streamNonBlocking)
		return r
	})
	if r != driver.Success {
		dt.stream = 0
		return
	}
	dt.mu.Lock()
	defer dt.mu.Unlock()
	dt.tick()
}

// eventsMade is the number of events that are made at once.
const eventsMade = 64

// take returns an event, or 0. dt.mu is held.
func (dt *deviceTrace) take() driver.Event {
	d := dt.dev
	if len(dt.idle) == 0 {
		defer d.hold().release()
		d.inContext(func() driver.Result {
			for range eventsMade {
				e, r := d.drv.EventCreate(0)
				if r != driver.Success {
					return r
				}
				dt.idle, dt.all = append(dt.idle, e), append(dt.all, e)
			}
			return driver.Success
		})
	}
	if len(dt.idle) == 0 {
		return 0
	}
	e := dt.idle[len(dt.idle)-1]
	dt.idle = dt.idle[:len(dt.idle)-1]
	return e
}

// tick makes a clock, if there is none or the last one is old. dt.mu is held.
func (dt *deviceTrace) tick() {
	if dt.stream == 0 || dt.closed || dt.clock != nil && dt.trace.now()-dt.clock.at < clockFor {
		return
	}
	event := dt.take()
	if event == 0 {
		return
	}
	d := dt.dev
	defer d.hold().release()
	var at int64  // of the event as it was recorded last
	for range 3 { // the first one may take long
		before := dt.trace.now()
		if d.drv.EventRecord(event, dt.stream) != driver.Success || !dt.idles() {
			dt.idle = append(dt.idle, event)
			return
		}
		at = (before + dt.trace.now()) / 2
	}
	if old := dt.clock; old != nil && old.users == 0 {
		dt.idle = append(dt.idle, old.event)
	}
	dt.clock = &clock{event: event, at: at}
}

// clockPatience is how long a clock may take.
const clockPatience = 100 * time.Millisecond

// idles waits for the stream of clocks, for a short time, and reports whether its work has run. A call
// that waits would be in the trace.
func (dt *deviceTrace) idles() bool {
	defer dt.dev.hold().release()
	for began := time.Now(); time.Since(began) < clockPatience; runtime.Gosched() {
		if r := dt.dev.drv.StreamQuery(dt.stream); r != driver.ErrorNotReady {
			return r == driver.Success
		}
	}
	return false
}

// begin records an event on a stream of the device before work is queued there.
func (dt *deviceTrace) begin(stream driver.Stream) timing {
	if dt == nil || dt.stream == 0 {
		return timing{}
	}
	dt.mu.Lock()
	var t timing
	if !dt.closed && dt.clock != nil && len(dt.pending) < mostTimings {
		t = timing{start: dt.take(), end: dt.take(), stream: stream, base: dt.clock}
		dt.clock.users++
		dt.begun++
	}
	dt.mu.Unlock()
	if t.base == nil {
		return timing{}
	}
	if t.end == 0 || dt.dev.drv.EventRecord(t.start, stream) != driver.Success {
		dt.giveBack(t)
		return timing{}
	}
	return t
}

// end records an event after the work, whose time becomes that of e.
func (dt *deviceTrace) end(t timing, e *tracefile.Event, sum *total, bytes uint64) {
	if dt.dev.drv.EventRecord(t.end, t.stream) != driver.Success {
		dt.giveBack(t)
		return
	}
	dt.mu.Lock()
	dt.pending = append(dt.pending, measured{t, *e, sum, bytes})
	n := len(dt.pending)
	dt.ended()
	dt.mu.Unlock()
	if n%collectAt == 0 { // work comes faster than run collects
		dt.collect()
	}
}

// The events of collectAt timings are looked at at the latest, and mostTimings wait for their work at
// most: what is queued then has no time.
const (
	collectAt   = 1024
	mostTimings = 1 << 15
)

// giveBack takes back what begin gave.
func (dt *deviceTrace) giveBack(t timing) {
	dt.mu.Lock()
	defer dt.mu.Unlock()
	dt.reuse(t)
	dt.ended()
}

// ended notes that a call has recorded its events. The last one of a trace that was closed meanwhile
// destroys all events. dt.mu is held.
func (dt *deviceTrace) ended() {
	if dt.begun--; dt.begun == 0 && dt.closed {
		dt.destroy()
	}
}

// reuse lets events be used again. dt.mu is held.
func (dt *deviceTrace) reuse(t timing) {
	for _, e := range []driver.Event{t.start, t.end} {
		if e != 0 {
			dt.idle = append(dt.idle, e)
		}
	}
	if t.base.users--; t.base.users == 0 && t.base != dt.clock {
		dt.idle = append(dt.idle, t.base.event)
	}
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
		dt.collect()
		dt.count()
	}
}

// collect adds what has ended to the trace.
func (dt *deviceTrace) collect() {
	dt.collecting.Lock()
	defer dt.collecting.Unlock()
	d := dt.dev
	defer d.hold().release()
	dt.mu.Lock()
	if dt.closed || dt.stream == 0 {
		dt.mu.Unlock()
		return
	}
	dt.tick()
	pending := dt.pending
	dt.pending = nil
	dt.mu.Unlock()
	var over []timing
	rest := pending[:0]
	for i := range pending {
		m := &pending[i]
		if d.drv.EventQuery(m.timing.end) == driver.ErrorNotReady {
			rest = append(rest, *m)
			continue
		}
		dt.measure(m)
		over = append(over, m.timing)
	}
	dt.mu.Lock()
	defer dt.mu.Unlock()
	for _, t := range over {
		dt.reuse(t)
	}
	dt.pending = append(rest, dt.pending...)
}

// measure adds m, whose work has ended, to the trace.
func (dt *deviceTrace) measure(m *measured) {
	d := dt.dev
	defer d.hold().release()
	since, r := d.drv.EventElapsedTime(m.base.event, m.start)
	took, r2 := d.drv.EventElapsedTime(m.start, m.timing.end)
	if r != driver.Success || r2 != driver.Success {
		return // the work has failed
	}
	e := &m.event
	e.Start = max(e.Start, m.base.at+int64(float64(since)*1e6)) // it did not begin before it was queued
	e.Duration = int64(float64(took) * 1e6)
	dt.trace.file.Add(e)
	m.sum.ran(e.Duration, m.bytes)
}

var memoryKeys = tracefile.Keys{{Name: "device"}, {Name: "page-locked"}, {Name: "managed"}}

// count adds how much memory the device's buffers have, if that has changed.
func (dt *deviceTrace) count() {
	now := dt.dev.Stats()
	dt.mu.Lock()
	defer dt.mu.Unlock()
	if dt.closed || now.DeviceBytes == dt.memory.DeviceBytes && now.PageLockedBytes == dt.memory.PageLockedBytes && now.ManagedBytes == dt.memory.ManagedBytes {
		return
	}
	dt.memory = now
	e := tracefile.Event{
		Name: "memory", Phase: tracefile.Counter, On: tracefile.Track{Process: dt.process}, Start: dt.trace.now(), Keys: &memoryKeys,
		Values: [8]uint64{now.DeviceBytes, now.PageLockedBytes, now.ManagedBytes},
	}
	dt.trace.file.Add(&e)
}

// release has destroyed what open and take have made, as soon as no call on its way records an event.
func (dt *deviceTrace) release() {
	dt.collecting.Lock()
	defer dt.collecting.Unlock()
	dt.mu.Lock()
	defer dt.mu.Unlock()
	if dt.closed {
		return
	}
	dt.closed = true
	if dt.begun == 0 {
		dt.destroy()
	}
}

// destroy is release when no event is in use. dt.mu is held.
func (dt *deviceTrace) destroy() {
	d := dt.dev
	defer d.hold().release()
	for _, e := range dt.all {
		d.given(d.drv.EventDestroy(e))
	}
	if dt.stream != 0 {
		d.given(d.drv.StreamDestroy(dt.stream))
	}
}
