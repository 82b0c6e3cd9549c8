package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/measure"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A deviceTrace is what a trace has of a device.
type deviceTrace struct {
	measure.Times
	dev     *Device
	text    string // what errors call dev
	process int64
	memory  Stats // that the file has; of the goroutine that collects
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
	now := dt.dev.Stats()
	if dt.IsReleased() || now.DeviceBytes == dt.memory.DeviceBytes && now.PageLockedBytes == dt.memory.PageLockedBytes && now.ManagedBytes == dt.memory.ManagedBytes {
		return
	}
	dt.memory = now
	e := tracefile.Event{
		Name: "memory", Phase: tracefile.Counter, On: tracefile.Track{Process: dt.process}, Start: t.now(), Keys: &memoryKeys,
		Values: [8]uint64{now.DeviceBytes, now.PageLockedBytes, now.ManagedBytes},
	}
	t.file.Add(&e)
}
