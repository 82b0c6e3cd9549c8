package cuda_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// modelSteps are the operations of programs, and how often they are.
var modelSteps = []struct {
	name string
	n    int
	do   func(*modelWorld)
}{
	{"work", 30, func(w *modelWorld) { w.queueWork() }},
	{"memory", 5, func(w *modelWorld) { w.newMemory(w.anyDevice()) }},
	{"close memory", 3, (*modelWorld).closeMemory},
	{"go copy", 5, (*modelWorld).goCopy},
	{"check", 3, (*modelWorld).checkMemory},
	{"stream", 2, func(w *modelWorld) { w.newStream(w.anyDevice()) }},
	{"close stream", 1, (*modelWorld).closeStream},
	{"wait", 5, (*modelWorld).wait},
	{"gate", 4, (*modelWorld).gate},
	{"event", 5, (*modelWorld).event},
	{"table", 2, (*modelWorld).setTable},
	{"call", 5, (*modelWorld).prepareCall},
	{"set", 5, (*modelWorld).setCall},
	{"launch call", 8, (*modelWorld).launchCall},
	{"batch", 2, (*modelWorld).newBatch},
	{"launch batch", 10, (*modelWorld).launchBatch},
	{"node", 12, (*modelWorld).newNode},
	{"condition", 3, (*modelWorld).newCondition},
	{"scratch", 2, (*modelWorld).newScratch},
	{"child", 2, (*modelWorld).newChild},
	{"change node", 8, (*modelWorld).changeNode},
	{"edge", 1, (*modelWorld).addEdge},
	{"graph", 6, (*modelWorld).defineGraph},
	{"clone", 2, (*modelWorld).cloneGraph},
	{"instantiate", 6, (*modelWorld).instantiate},
	{"launch graph", 14, (*modelWorld).launchExec},
	{"update", 10, (*modelWorld).updateNode},
	{"update call", 3, (*modelWorld).updateCall},
	{"update from", 3, (*modelWorld).updateFrom},
	{"enable", 4, (*modelWorld).enable},
	{"close graph", 1, (*modelWorld).closeExec},
	{"capture", 6, (*modelWorld).captureWork},
	{"statistics", 1, (*modelWorld).statistics},
}

func (w *modelWorld) anyDevice() *modelDevice { return w.devs[w.random.IntN(len(w.devs))] }

func (w *modelWorld) newStream(d *modelDevice) {
	s, err := d.dev.NewStream()
	t := &modelStream{name: w.name("s"), dev: d, s: s, knows: modelClock{}}
	w.expect(err, nil, "%s := device%d.NewStream()", t.name, d.n)
	w.streams = append(w.streams, t)
}

// anyStream returns a stream of d, or of any device if that is nil.
func (w *modelWorld) anyStream(d *modelDevice) *modelStream {
	s, ok := pickFit(w, w.plainStreams(), func(s *modelStream) bool {
		return !s.closed && (d == nil || s.dev == d) && (s.failed == 0 && !s.mayFail || w.chance(20))
	})
	if !ok {
		if d == nil {
			d = w.anyDevice()
		}
		w.newStream(d)
		return w.streams[len(w.streams)-1]
	}
	return s
}

// plainStreams returns the streams that do not capture.
func (w *modelWorld) plainStreams() []*modelStream {
	return slices.DeleteFunc(slices.Clone(w.streams), func(s *modelStream) bool { return s.capture != nil })
}

// newMemory allocates memory of some kind, and fills it.
func (w *modelWorld) newMemory(d *modelDevice) {
	m := &modelMemory{name: w.name("b"), dev: d, data: make([]int32, 8+4*w.random.IntN(13))}
	for i := range m.data {
		m.data[i] = int32(w.random.IntN(1000))
	}
	n := len(m.data)
	var err error
	onHost := func(h []int32) { copy(h, m.data) }
	m.kind = []string{"uploaded", "uploaded", "uploaded", "pool", "host", "host", "managed", "exportable"}[w.random.IntN(8)]
	switch m.kind {
	case "uploaded", "pool":
		m.home = w.anyStream(d)
		for m.home.closed || m.home.dev != d || m.home.failed > 0 || m.home.mayFail {
			w.newStream(d)
			m.home = w.streams[len(w.streams)-1]
		}
		w.open() // an upload waits
		var b *cuda.Buffer[int32]
		if m.kind == "uploaded" {
			b, err = cuda.Upload(m.home.s, m.data)
		} else if b, err = cuda.AllocFrom[int32](d.pool, m.home.s, n); err == nil {
			err = b.CopyFrom(m.home.s, m.data)
		}
		w.expect(err, nil, "%s := %s on %s of %d", m.name, m.kind, m.home.name, n)
		w.waited(m.home)
		m.all, m.free = b.All(), b.Close
	case "host":
		b, e := cuda.AllocHost[int32](d.dev, n, cuda.HostConfig{})
		w.expect(e, nil, "%s := cuda.AllocHost(device%d, %d)", m.name, d.n, n)
		onHost(b.Host())
		m.all, m.free, m.host, m.portable = b.All(), b.Close, b.Host, true
	case "managed":
		b, e := cuda.AllocManaged[int32](d.dev, n)
		w.expect(e, nil, "%s := cuda.AllocManaged(device%d, %d)", m.name, d.n, n)
		onHost(b.Host())
		m.all, m.free, m.host = b.All(), b.Close, b.Host
	case "exportable":
		b, e := cuda.AllocExportable[int32](d.dev, n)
		w.expect(e, nil, "%s := cuda.AllocExportable(device%d, %d)", m.name, d.n, n)
		s := w.anyStream(d)
		for s.closed || s.dev != d || s.failed > 0 || s.mayFail {
			w.newStream(d)
			s = w.streams[len(w.streams)-1]
		}
		w.open()
		w.expect(b.CopyFrom(s.s, m.data), nil, "%s.CopyFrom(%s)", m.name, s.name)
		w.waited(s)
		m.all, m.free = b.All(), b.Close
	}
	w.memories = append(w.memories, m)
}

// closeMemory closes memory, also while it is used.
func (w *modelWorld) closeMemory() {
	m, ok := pickFit(w, w.memories, func(m *modelMemory) bool { return !m.closed })
	if !ok {
		return
	}
	if m.host != nil {
		w.settle(m) // host functions write there without telling
	}
	w.expect(w.blocking(m.free), nil, "%s.Close()", m.name)
	m.closed = w.wrong != wrongClose
}

// span returns a part of m.
func (w *modelWorld) span(m *modelMemory) modelSpan {
	if w.chance(30) {
		return modelSpan{m, 0, len(m.data)}
	}
	lo := w.random.IntN(len(m.data))
	return modelSpan{m, lo, lo + w.random.IntN(len(m.data)-lo+1)}
}

// memory returns memory for work on d.
func (w *modelWorld) memory(d *modelDevice, from []*modelMemory) *modelMemory {
	from = slices.DeleteFunc(slices.Clone(from), func(m *modelMemory) bool { return m.kind == "table" })
	m, ok := pickFit(w, from, func(m *modelMemory) bool { return !m.closed && (m.dev == d || m.portable || w.chance(10)) })
	if !ok {
		w.newMemory(d)
		return w.memories[len(w.memories)-1]
	}
	return m
}

// twoSpans returns parts of the same length, or nearly always, that do not overlap.
func (w *modelWorld) twoSpans(d *modelDevice, from []*modelMemory) (dst, src modelSpan) {
	dst, src = w.span(w.memory(d, from)), w.span(w.memory(d, from))
	if dst.m == src.m {
		half := len(dst.m.data) / 2
		n := w.random.IntN(half + 1)
		return modelSpan{dst.m, half, half + n}, modelSpan{dst.m, 0, n}
	}
	if n := min(dst.len(), src.len()); !w.chance(2) {
		dst.hi, src.hi = dst.lo+n, src.lo+n
	}
	return dst, src
}

// randomWork returns work for d, with memory of from.
func (w *modelWorld) randomWork(d *modelDevice, from []*modelMemory) *modelWork {
	k := &modelWork{dev: d, width: 4, a: int32(w.random.IntN(7) - 2), b: int32(w.random.IntN(100))}
	switch n := w.random.IntN(100); {
	case n < 20:
		k.kind, k.dst = filling, w.span(w.memory(d, from))
		k.width = []int{4, 4, 1, 8}[w.random.IntN(4)]
		if k.width == 8 {
			k.dst.lo &^= 1
			k.dst.hi &^= 1
		}
	case n < 40:
		k.kind = copied
		k.dst, k.src = w.twoSpans(d, from)
	case n < 50:
		w.boxWork(k, d, from)
	case n < 88:
		w.kernelWork(k, d, from)
	default:
		host := slices.DeleteFunc(slices.Clone(from), func(m *modelMemory) bool { return m.host == nil || m.closed })
		if len(host) == 0 {
			k.kind, k.dst = filling, w.span(w.memory(d, from))
			break
		}
		k.kind, k.dst = hosted, w.span(host[w.random.IntN(len(host))])
	}
	return k
}

func (w *modelWorld) boxWork(k *modelWork, d *modelDevice, from []*modelMemory) {
	k.kind = boxed
	k.dst, k.src = w.twoSpans(d, from)
	n := min(k.dst.len(), k.src.len())
	rows, width := 1+w.random.IntN(3), 1+w.random.IntN(3)
	stride := width + w.random.IntN(3)
	for rows*stride > n {
		if rows > 1 {
			rows--
		} else if stride > width {
			stride--
		} else if width > 0 {
			width--
			stride = width
		}
	}
	if width == 0 {
		rows = 0
	}
	k.a, k.b = int32(width), int32(stride)
	k.src.hi = k.src.lo + rows*width
	k.dst.hi = k.dst.lo + rows*stride
}

func (w *modelWorld) kernelWork(k *modelWork, d *modelDevice, from []*modelMemory) {
	k.kind, k.kernel = launched, modelKernel(w.random.IntN(int(decide)))
	k.dst = w.span(w.memory(d, from))
	if k.kernel == combine {
		if k.dst, k.src = w.twoSpans(d, from); k.dst.len() != k.src.len() {
			k.src.hi = k.src.lo + min(k.dst.len(), k.src.len())
			k.dst.hi = k.dst.lo + k.src.len()
		}
	}
}

// queueWork queues work on a stream.
func (w *modelWorld) queueWork() {
	d := w.anyDevice()
	k := w.randomWork(d, w.memories)
	s := w.anyStream(d)
	if w.chance(1) {
		k = &modelWork{kind: panicked}
	}
	w.issue(s, k, nil, "queue", func() error { return k.do(s.s, nil) })
}

// goCopy copies from or to Go memory.
func (w *modelWorld) goCopy() {
	d := w.anyDevice()
	p, s := w.span(w.memory(d, w.memories)), w.anyStream(d)
	k := &modelWork{kind: filling, dst: p, width: 4}
	errs := k.onStream(s, nil)
	from := w.chance(50)
	if len(errs) == 0 {
		if from {
			w.order(s, nil, []*modelMemory{p.m})
		} else {
			w.order(s, []*modelMemory{p.m}, nil)
		}
	}
	host := make([]int32, p.len())
	for i := range host {
		host[i] = int32(w.random.IntN(1000))
	}
	ctx := context.Background()
	if w.chance(50) {
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx = c
	}
	want := errs
	if len(want) == 0 && p.len() > 0 {
		want = s.failing()
	}
	var err error
	if from {
		err = w.blocking(func() error { return p.slice().CopyFromContext(ctx, s.s, host) })
	} else {
		err = w.blocking(func() error { return p.slice().CopyToContext(ctx, s.s, host) })
	}
	if len(errs) == 0 && p.len() > 0 {
		w.waited(s)
	}
	maybe := len(errs) == 0 && (s.mayFail || s.failed > 0)
	w.mayFail(err, want, maybe, "copy Go memory of %v on %s, from %v", p, s.name, from)
	switch {
	case len(errs) > 0:
	case from:
		copy(p.data(), host)
	case err == nil && !w.blind && !slices.Equal(host, p.data()):
		w.fail("CopyTo of %v: %d, want %d", p, host, p.data())
	}
}

func (w *modelWorld) checkMemory() {
	if m, ok := pickOf(w, w.memories); ok {
		w.verify(m)
	}
}

func (w *modelWorld) closeStream() {
	s, ok := pickFit(w, w.plainStreams(), func(s *modelStream) bool { return !s.closed })
	if !ok {
		return
	}
	errs := s.failing()
	if s.closed {
		errs = nil
	}
	err := w.blocking(s.s.Close)
	w.mayFail(err, errs, s.mayFail && !s.closed, "%s.Close()", s.name)
	w.waited(s)
	s.closed = true
}

// wait waits for a stream or a device, or asks.
func (w *modelWorld) wait() {
	s := w.anyStream(nil)
	errs := s.failing()
	if s.closed {
		errs = []error{cuda.ErrClosed}
	}
	switch w.random.IntN(5) {
	case 0:
		_, err := s.s.Query()
		w.mayFail(err, closedOf(s), s.mayFail || s.failed > 0, "%s.Query()", s.name)
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := s.s.Wait(ctx)
		if err != nil && len(errs) == 0 || err == nil && s.failed > 0 {
			errs = append(errs, context.Canceled, cuda.ErrHostFunc)
		} else if s.failed > 0 {
			errs = append(errs, context.Canceled)
		}
		w.may(err, errs, "%s.Wait(canceled)", s.name)
	case 2:
		d := s.dev
		err := w.blocking(d.dev.Synchronize)
		var failed []error
		maybe := false
		for _, t := range w.streams {
			if t.dev == d && !t.closed && t.capture == nil {
				failed = append(failed, t.failing()...)
				maybe = maybe || t.mayFail
				w.waited(t)
			}
		}
		w.mayFail(err, failed, maybe, "device%d.Synchronize()", d.n)
	default:
		if s.closed {
			w.expect(s.s.Synchronize(), errs, "%s.Synchronize()", s.name)
			return
		}
		w.synchronize(s)
	}
}

func closedOf(s *modelStream) []error {
	if s.closed {
		return []error{cuda.ErrClosed}
	}
	return nil
}

// gate holds up a stream until the program waits.
func (w *modelWorld) gate() {
	if w.injected != nil {
		return // the fake driver calls functions when they are queued
	}
	s := w.anyStream(nil)
	gate := make(chan struct{})
	err := s.s.LaunchHostFunc(func() { <-gate })
	if w.expect(err, closedOf(s), "%s.LaunchHostFunc(gate)", s.name) {
		w.gates = append(w.gates, gate)
		s.done++
	}
}

// event makes, records, awaits, asks or closes an event.
func (w *modelWorld) event() {
	e, ok := pickFit(w, w.events, func(e *modelEvent) bool { return !e.closed })
	if !ok || w.chance(25) {
		d := w.anyDevice()
		made, err := d.dev.NewEvent(cuda.EventConfig{Timing: w.chance(50)})
		e = &modelEvent{name: w.name("e"), dev: d, e: made}
		w.expect(err, nil, "%s := device%d.NewEvent()", e.name, d.n)
		w.events = append(w.events, e)
	}
	s := w.anyStream(e.dev)
	errs := closedOf(s)
	if e.closed {
		errs = append(errs, cuda.ErrClosed)
	}
	switch w.random.IntN(8) {
	case 0, 1, 2:
		if s.dev != e.dev {
			errs = append(errs, cuda.ErrInvalidValue)
		}
		if w.expect(e.e.Record(s.s), errs, "%s.Record(%s)", e.name, s.name) {
			e.recorded(s)
		}
	case 3, 4:
		s = w.anyStream(nil)
		errs = append(closedOf(s), errs...)
		if !e.closed {
			errs = closedOf(s)
		}
		if e.capture != nil {
			errs = append(errs, cuda.ErrStreamCaptureInvalidated, cuda.ErrInvalidValue)
		}
		if w.expect(s.s.WaitEvent(e.e), errs, "%s.WaitEvent(%s)", s.name, e.name) {
			s.knows.join(e.clock)
		}
	case 5:
		w.awaitEvent(e)
	case 6:
		_, err := e.e.Query()
		errs, maybe := e.errors()
		w.mayFail(err, errs, maybe || len(errs) == 0 && e.stream != nil && e.stream.failed > 0, "%s.Query()", e.name)
	case 7:
		if w.chance(30) {
			w.expect(e.e.Close(), nil, "%s.Close()", e.name)
			e.closed = true
		}
	}
}

func (e *modelEvent) recorded(s *modelStream) {
	e.stream, e.at, e.exec, e.capture, e.clock = s, s.done, nil, nil, modelClock{}
	e.clock.join(s.knows)
	e.clock[s] = s.done
}

// errors returns what waiting for e returns.
func (e *modelEvent) errors() (errs []error, maybe bool) {
	switch {
	case e.closed:
		return []error{cuda.ErrClosed}, false
	case e.capture != nil:
		return []error{cuda.ErrCapturedEvent}, false
	case e.exec != nil:
		return nil, e.exec.fails
	case e.stream == nil:
		return nil, false
	}
	return nil, e.stream.failed > 0 || e.stream.mayFail
}

func (w *modelWorld) awaitEvent(e *modelEvent) {
	errs, maybe := e.errors()
	must := !e.closed && e.capture == nil && e.exec == nil && e.stream != nil && e.stream.failed > 0 && e.stream.failed <= e.at
	if must {
		errs = []error{cuda.ErrHostFunc}
	}
	var err error
	if w.chance(50) {
		err = w.blocking(e.e.Synchronize)
	} else {
		err = w.blocking(func() error { return e.e.Wait(context.Background()) })
	}
	if len(errs) == 0 || must {
		w.known.join(e.clock)
	}
	w.mayFail(err, errs, maybe, "%s.Wait()", e.name)
}

// setTable sets the variable of a device.
func (w *modelWorld) setTable() {
	d := w.anyDevice()
	s := w.anyStream(d)
	errs := closedOf(s)
	if s.dev != d {
		errs = append(errs, cuda.ErrInvalidValue)
	}
	if len(errs) == 0 {
		w.order(s, nil, []*modelMemory{d.table})
	}
	var value [4]int32
	for i := range value {
		value[i] = int32(w.random.IntN(50))
	}
	err := w.blocking(func() error { return d.symbol.Set(s.s, value) })
	want := errs
	if len(errs) == 0 {
		copy(d.table.data, value[:])
		w.waited(s)
		want = s.failing()
	}
	w.mayFail(err, want, len(errs) == 0 && s.mayFail, "table%d.Set(%s, %d)", d.n, s.name, value)
}

// statistics compares the figures of a device.
func (w *modelWorld) statistics() {
	d := w.anyDevice()
	stats := d.dev.Stats()
	var events, bytes, page uint64
	for _, e := range w.events {
		if e.dev == d && !e.closed {
			events++
		}
	}
	if stats.Events < events {
		w.fail("Stats of device%d: %d events, want %d", d.n, stats.Events, events)
	}
	events = stats.Events // graphs have closed ones, too
	for _, m := range w.memories {
		switch {
		case m.dev != d || m.closed:
		case m.kind == "uploaded" || m.kind == "pool":
			bytes += 4 * uint64(len(m.data))
		case m.kind == "host":
			page += 4 * uint64(len(m.data))
		}
	}
	streams := uint64(0)
	for _, s := range w.streams {
		if s.dev == d && !s.closed && s.capture == nil {
			streams++
		}
	}
	got := fmt.Sprintf("%d events, %d bytes, %d page-locked, %d streams", stats.Events, stats.DeviceBytes, stats.PageLockedBytes, stats.Streams)
	want := fmt.Sprintf("%d events, %d bytes, %d page-locked, %d streams", events, bytes, page, streams)
	if got != want {
		w.fail("Stats of device%d: %s, want %s", d.n, got, want)
	}
}
