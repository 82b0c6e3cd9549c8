package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A modelWorld is what a random program has made so far, on devices and in the model.
//
// The model does all work at once, in the order of the program. So the program orders what uses the
// same memory, with events, or by waiting; what it need not order it does not.
type modelWorld struct {
	random *rand.Rand // of the step
	trace  []string
	wrong  modelMistake
	gates  []chan struct{} // that host functions wait for
	known  modelClock      // what the program has waited for

	devs     []*modelDevice
	streams  []*modelStream // also those of captures
	memories []*modelMemory
	events   []*modelEvent
	calls    []*modelCall
	batches  []*modelBatch
	nodes    []*modelNode
	graphs   []*modelGraph
	execs    []*modelExec
	names    int

	injected error // of a driver call that is made to fail, or nil
	soft     bool  // the operation whose error comes next leaves all as it was
	blind    bool  // kernels do not run
}

// A stop is that of a program of whose driver calls one has failed.
type stop struct{ err error }

// A modelMistake makes the model wrong, for the control.
type modelMistake int

const (
	rightModel modelMistake = iota
	wrongFill
	wrongCondition
	wrongDisable
	wrongClose
)

// A modelClock says of streams up to which of their works something comes after them.
type modelClock map[*modelStream]int

func (c modelClock) join(other modelClock) {
	for s, n := range other {
		c[s] = max(c[s], n)
	}
}

type modelDevice struct {
	n       int
	dev     *cuda.Device
	kernels *modelKernelsOf
	table   *modelMemory
	symbol  cuda.Symbol[[4]int32]
	pool    *cuda.Pool
	close   []func() error
}

// A modelMemory is a buffer, or what is used as one.
type modelMemory struct {
	name     string
	kind     string
	dev      *modelDevice
	data     []int32
	all      cuda.Slice[int32]
	host     func() []int32 // nil for memory of devices
	free     func() error
	portable bool
	closed   bool
	home     *modelStream // nil if no stream orders that it is freed

	modelUse
	captured modelUse // in the capture that goes on
}

// A modelUse says who has used memory last.
type modelUse struct{ reads, writes modelClock }

func (u *modelUse) note(s *modelStream, write bool) {
	if u.reads == nil {
		u.reads, u.writes = modelClock{}, modelClock{}
	}
	if write {
		u.writes[s] = s.done
	} else {
		u.reads[s] = s.done
	}
}

// reachable reports whether kernels of d can use m.
func (m *modelMemory) reachable(d *modelDevice) bool {
	return m.dev == d || m.portable || m.kind == "graph"
}

type modelStream struct {
	name    string
	dev     *modelDevice
	s       *cuda.Stream
	closed  bool
	done    int // works that were queued
	knows   modelClock
	failed  int // the work that has failed for certain, counted from 1
	mayFail bool

	capture *modelCapture // nil if it does not capture
	last    int           // the work that it captured last, counted from 1
}

type modelEvent struct {
	name   string
	dev    *modelDevice
	e      *cuda.Event
	closed bool

	stream  *modelStream // where it was recorded last, or nil
	at      int
	clock   modelClock
	exec    *modelExec    // that recorded it last, or nil
	capture *modelCapture // in which it was recorded last, or nil
}

// A mismatch is what a program has found.
type mismatch struct{ text string }

func (w *modelWorld) fail(format string, args ...any) {
	panic(mismatch{fmt.Sprintf(format, args...)})
}

func (w *modelWorld) say(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

func (w *modelWorld) name(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

func (w *modelWorld) chance(percent int) bool { return w.random.IntN(100) < percent }

func pickOf[T any](w *modelWorld, from []T) (one T, ok bool) {
	if len(from) == 0 {
		return one, false
	}
	return from[w.random.IntN(len(from))], true
}

// pickFit is pickOf those that fit, or now and then of all.
func pickFit[T any](w *modelWorld, from []T, fits func(T) bool) (one T, ok bool) {
	if !w.chance(4) {
		from = slices.DeleteFunc(slices.Clone(from), func(x T) bool { return !fits(x) })
	}
	return pickOf(w, from)
}

// expect compares err with what the model says: one of errs, or nil if there are none. It reports
// success.
func (w *modelWorld) expect(err error, errs []error, format string, args ...any) bool {
	w.say(format+" // %s", append(args, brief(err))...)
	soft := w.soft
	w.soft = false
	if w.isInjected(err) {
		w.checkError(err, format, args...)
		if soft {
			return false
		}
		panic(stop{err})
	}
	if len(errs) == 0 {
		if err != nil {
			w.fail("%s: %v, want no error", fmt.Sprintf(format, args...), err)
		}
		return true
	}
	if err == nil {
		w.fail("%s: no error, want %v", fmt.Sprintf(format, args...), errs)
	}
	w.checkError(err, format, args...)
	for _, want := range errs {
		if errors.Is(err, want) {
			return false
		}
	}
	w.fail("%s: %v, want %v", fmt.Sprintf(format, args...), err, errs)
	return false
}

// isInjected reports whether err is of a driver call that was made to fail.
func (w *modelWorld) isInjected(err error) bool {
	return err != nil && w.injected != nil && errors.Is(err, w.injected)
}

// may is expect for errors that need not be.
func (w *modelWorld) may(err error, errs []error, format string, args ...any) bool {
	if err == nil {
		errs = nil
	}
	return w.expect(err, errs, format, args...)
}

// checkError checks that err says what was tried.
func (w *modelWorld) checkError(err error, format string, args ...any) {
	var typed *cuda.Error
	if !errors.As(err, &typed) || typed.Op == "" || !strings.HasPrefix(err.Error(), "cuda: ") {
		w.fail("%s: the error does not say what was tried: %v", fmt.Sprintf(format, args...), err)
	}
}

func brief(err error) string {
	if err == nil {
		return "nil"
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// open lets all host functions go on.
func (w *modelWorld) open() {
	for _, gate := range w.gates {
		close(gate)
	}
	w.gates = nil
}

// blocking calls f, which may wait for work. Host functions go on before or meanwhile.
func (w *modelWorld) blocking(f func() error) error {
	if len(w.gates) == 0 || w.chance(50) {
		w.open()
		return f()
	}
	type result struct {
		err   error
		panic any
		stack []byte
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if r.panic = recover(); r.panic != nil {
				r.stack = debug.Stack()
			}
			done <- r
		}()
		r.err = f()
	}()
	w.open()
	r := <-done
	if r.panic != nil {
		w.fail("panic: %v\n%s", r.panic, r.stack)
	}
	return r.err
}

// order makes s wait for what used the memory, and notes that its next work does.
func (w *modelWorld) order(s *modelStream, reads, writes []*modelMemory) {
	use := func(m *modelMemory) *modelUse {
		if s.capture != nil {
			return &m.captured
		}
		return &m.modelUse
	}
	before := modelClock{}
	for _, m := range reads {
		before.join(use(m).writes)
	}
	for _, m := range writes {
		before.join(use(m).writes)
		before.join(use(m).reads)
	}
	for _, t := range w.streams {
		if n := before[t]; n > 0 && t != s && s.knows[t] < n && (s.capture != nil || w.known[t] < n) {
			w.tie(t, s)
		}
	}
	s.done++
	for _, m := range reads {
		use(m).note(s, false)
	}
	for _, m := range writes {
		use(m).note(s, true)
	}
}

// tie makes work of s that is queued from now on come after that of t.
func (w *modelWorld) tie(t, s *modelStream) {
	if s.capture == nil && t.capture == nil && w.chance(25) {
		w.synchronize(t)
		return
	}
	e, err := t.dev.dev.NewEvent(cuda.EventConfig{})
	w.expect(err, nil, "e := device%d.NewEvent()", t.dev.n)
	w.expect(e.Record(t.s), nil, "e.Record(%s)", t.name)
	w.expect(s.s.WaitEvent(e), nil, "%s.WaitEvent(e)", s.name)
	w.expect(e.Close(), nil, "e.Close()")
	s.learn(t)
}

// learn notes that s comes after all work of t so far.
func (s *modelStream) learn(t *modelStream) {
	s.knows.join(t.knows)
	s.knows[t] = max(s.knows[t], t.done)
}

// synchronize waits for t.
func (w *modelWorld) synchronize(t *modelStream) {
	var err error
	what := "Synchronize()"
	if w.chance(50) {
		err = w.blocking(t.s.Synchronize)
	} else {
		what = "Wait(ctx)"
		err = w.blocking(func() error { return t.s.Wait(context.Background()) })
	}
	w.waited(t)
	w.mayFail(err, t.failing(), t.mayFail, "%s.%s", t.name, what)
}

// waited notes that all work of t is over.
func (w *modelWorld) waited(t *modelStream) {
	w.known.join(t.knows)
	w.known[t] = max(w.known[t], t.done)
}

// failing returns the error of a stream whose host function has failed.
func (s *modelStream) failing() []error {
	if s.failed > 0 {
		return []error{cuda.ErrHostFunc}
	}
	return nil
}

// mayFail is expect, but a host function may have failed in place of success.
func (w *modelWorld) mayFail(err error, errs []error, may bool, format string, args ...any) bool {
	if may && len(errs) == 0 && err != nil {
		errs = []error{cuda.ErrHostFunc}
	}
	return w.expect(err, errs, format, args...)
}

// settle waits until nothing uses m.
func (w *modelWorld) settle(m *modelMemory) {
	for _, t := range w.streams {
		if n := max(m.reads[t], m.writes[t]); n > w.known[t] {
			w.synchronize(t)
		}
	}
}

// verify compares what is in m with the model.
func (w *modelWorld) verify(m *modelMemory) {
	if m.closed {
		return
	}
	w.settle(m)
	got := make([]int32, len(m.data))
	if m.host != nil && w.chance(70) {
		copy(got, m.host())
	} else {
		s, err := m.dev.dev.NewStream()
		if err == nil && m.kind == "table" {
			var table [4]int32
			table, err = m.dev.symbol.Get(s)
			copy(got, table[:])
		} else if err == nil {
			err = m.all.CopyTo(s, got)
		}
		if err = errors.Join(err, s.Close()); w.isInjected(err) {
			panic(stop{err})
		} else if err != nil {
			w.fail("copy from %s: %v", m.name, err)
		}
	}
	if !slices.Equal(got, m.data) && !w.blind {
		w.fail("%s has\n%d, want\n%d", m.name, got, m.data)
	}
}

// issue queues k on s, or captures it, after what it must come after.
func (w *modelWorld) issue(s *modelStream, k *modelWork, call *modelCall, how string, do func() error) bool {
	errs := k.onStream(s, call)
	if len(errs) == 0 {
		reads, writes := k.uses()
		w.order(s, reads, writes)
	}
	if !w.expect(do(), errs, "%s // %s: %v", how, s.name, k) {
		return false
	}
	s.does(w, k, call)
	return true
}

// does notes that k was queued.
func (s *modelStream) does(w *modelWorld, k *modelWork, call *modelCall) {
	if s.capture != nil {
		s.last = s.done
		s.capture.works = append(s.capture.works, k.copy())
		s.capture.calls = append(s.capture.calls, call)
		return
	}
	if k.kind == panicked {
		if s.failed == 0 {
			s.failed = s.done
		}
		return
	}
	k.run(w, nil)
}

// copy returns a copy of k, and of all that is inside of it.
func (k *modelWork) copy() *modelWork {
	c := *k
	c.parts = nil
	for _, part := range k.parts {
		c.parts = append(c.parts, copyWorks(part))
	}
	return &c
}

func copyWorks(works []*modelWork) (copies []*modelWork) {
	for _, k := range works {
		copies = append(copies, k.copy())
	}
	return copies
}

// begin opens devices.
func (w *modelWorld) begin(devices int) {
	for n := range devices {
		dev, err := cuda.Open(n)
		w.expect(err, nil, "device%d, err := cuda.Open(%d)", n, n)
		d := &modelDevice{n: n, dev: dev, kernels: new(modelKernelsOf)}
		w.devs = append(w.devs, d)
		lib, err := dev.LoadLibrary(imageOfPTX(modelPTX))
		w.expect(err, nil, "device%d.LoadLibrary()", n)
		d.close = append(d.close, lib.Close)
		k, err := example.LoadKernels(dev)
		w.expect(err, nil, "LoadKernels(device%d)", n)
		d.close = append(d.close, k.Close)
		of := d.kernels
		of.added = &k.AddDelta
		var errs [5]error
		of.affine, errs[0] = cuda.Bind[affineArgs](lib, "affine")
		of.combine, errs[1] = cuda.Bind[combineArgs](lib, "combine")
		of.tabled, errs[2] = cuda.Bind[tabledArgs](lib, "tabled")
		of.decide, errs[3] = cuda.Bind[decideArgs](lib, "decide")
		d.symbol, errs[4] = cuda.LoadSymbol[[4]int32](lib, "table", "table")
		w.expect(errors.Join(errs[:]...), nil, "kernels of device%d", n)
		d.table = &modelMemory{name: fmt.Sprintf("table%d", n), kind: "table", dev: d, data: []int32{1, 2, 3, 4}}
		d.pool, err = dev.NewPool(cuda.PoolConfig{})
		w.expect(err, nil, "pool of device%d", n)
		d.close = append(d.close, d.pool.Close)
	}
	for _, d := range w.devs {
		for range 2 {
			w.newStream(d)
		}
		for range 3 {
			w.newMemory(d)
		}
	}
}

// allMemory returns all memory, variables included.
func (w *modelWorld) allMemory() []*modelMemory {
	all := slices.Clone(w.memories)
	for _, d := range w.devs {
		all = append(all, d.table)
	}
	return all
}
