package cuda

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

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
