package cuda_test

import (
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A modelCall is a prepared call, or a fill or a copy for batches.
type modelCall struct {
	name     string
	prepared cuda.Prepared
	set      func(*modelWork) error
	now      *modelWork
	mems     []*modelMemory // that it may use; nil for any
}

type modelBatch struct {
	name  string
	b     *cuda.Batch
	calls []*modelCall
}

// newCall prepares k, which has no error. It is nil for work that no call does.
func (w *modelWorld) newCall(k *modelWork) *modelCall {
	c := &modelCall{name: w.name("c"), now: k.copy()}
	switch k.kind {
	case launched:
		var err error
		errs := k.prepares()
		c.prepared, c.set, err = k.dev.kernels.prepare(k)
		if !w.expect(err, errs, "%s := prepare %v", c.name, k) {
			return nil
		}
	case filling:
		if k.width == 8 {
			f := cuda.Fill(cuda.Reinterpret[[2]int32](k.dst.slice()), [2]int32{k.a, k.b})
			c.prepared, c.set = f, func(k *modelWork) error {
				f.Dst, f.Value = cuda.Reinterpret[[2]int32](k.dst.slice()), [2]int32{k.a, k.b}
				return nil
			}
			break
		}
		k.width, c.now.width = 4, 4
		f := cuda.Fill(k.dst.slice(), k.a)
		c.prepared, c.set = f, func(k *modelWork) error { f.Dst, f.Value = k.dst.slice(), k.a; return nil }
		w.say("%s := cuda.Fill // %v", c.name, k)
	case copied:
		f := cuda.Copy(k.dst.slice(), k.src.slice())
		c.prepared, c.set = f, func(k *modelWork) error { f.Dst, f.Src = k.dst.slice(), k.src.slice(); return nil }
		w.say("%s := cuda.Copy // %v", c.name, k)
	default:
		return nil
	}
	return c
}

func (w *modelWorld) prepareCall() {
	d := w.anyDevice()
	if c := w.newCall(w.randomWork(d, w.memories)); c != nil {
		w.calls = append(w.calls, c)
	}
}

// changed returns what a call may do in place of now.
func (w *modelWorld) changed(c *modelCall) *modelWork {
	d := w.anyDevice()
	if c.now.dev != nil {
		d = c.now.dev
	}
	from := c.mems
	if from == nil {
		from = w.memories
	}
	for range 40 {
		k := w.randomWork(d, from)
		if k.kind == c.now.kind && (k.kind != launched || k.kernel == c.now.kernel) && (k.width == 8) == (c.now.width == 8) {
			if k.width == 1 {
				k.width = 4
			}
			return k
		}
	}
	k := c.now.copy() // values alone change
	if k.kernel != decide && k.kind != boxed {
		k.a = int32(w.random.IntN(9) - 3)
	}
	return k
}

// setCall changes a call.
func (w *modelWorld) setCall() {
	if c, ok := pickOf(w, w.calls); ok {
		w.change(c)
	}
}

func (w *modelWorld) change(c *modelCall) {
	k := w.changed(c)
	if k.kind == filling && k.width != 8 {
		k.width = 4
	}
	var errs []error
	if k.kind == launched {
		errs = k.prepares()
	}
	w.soft = true
	if w.expect(c.set(k), errs, "%s.Set // %v", c.name, k) {
		c.now = k.copy()
	}
}

func (w *modelWorld) launchCall() {
	c, ok := pickOf(w, w.calls)
	if !ok {
		return
	}
	s := w.anyStream(c.now.dev)
	w.issue(s, c.now, c, c.name+".Launch", func() error { return c.prepared.Launch(s.s) })
}

func (w *modelWorld) newBatch() {
	if len(w.calls) == 0 {
		return
	}
	first, _ := pickOf(w, w.calls)
	b := &modelBatch{name: w.name("batch")}
	var calls []cuda.Prepared
	for range 1 + w.random.IntN(5) {
		c, _ := pickFit(w, w.calls, func(c *modelCall) bool { return c.now.kind != launched || c.now.dev == first.now.dev })
		if c == nil {
			c = first
		}
		b.calls, calls = append(b.calls, c), append(calls, c.prepared)
	}
	var errs []error
	var dev *modelDevice
	for _, c := range b.calls {
		if c.now.kind != launched {
			continue
		}
		if dev != nil && c.now.dev != dev {
			errs = []error{cuda.ErrInvalidValue}
		}
		dev = c.now.dev
	}
	var err error
	b.b, err = cuda.NewBatch(calls...)
	if w.expect(err, errs, "%s := cuda.NewBatch(%v)", b.name, namesOf(b.calls)) {
		if w.chance(15) {
			b.b.NeverGraph()
		}
		w.batches = append(w.batches, b)
	}
}

func namesOf(calls []*modelCall) (names []string) {
	for _, c := range calls {
		names = append(names, c.name)
	}
	return names
}

// launchBatch launches a batch several times, as servers do: it becomes a graph then.
func (w *modelWorld) launchBatch() {
	b, ok := pickOf(w, w.batches)
	if !ok {
		return
	}
	var dev *modelDevice
	for _, c := range b.calls {
		if c.now.kind == launched {
			dev = c.now.dev
		}
	}
	s := w.anyStream(dev)
	for range 1 + w.random.IntN(6) {
		w.launchBatchOn(b, s)
		if w.chance(50) {
			c, _ := pickOf(w, b.calls)
			w.change(c)
		}
	}
}

func (w *modelWorld) launchBatchOn(b *modelBatch, s *modelStream) {
	failing, errs := -1, []error(nil)
	for i, c := range b.calls {
		if errs = c.now.onStream(s, c); len(errs) > 0 {
			failing = i
			break
		}
	}
	n := len(b.calls)
	if failing >= 0 {
		n = failing
	}
	var reads, writes []*modelMemory
	for _, c := range b.calls[:n] {
		r, k := c.now.uses()
		reads, writes = append(reads, r...), append(writes, k...)
	}
	w.order(s, reads, writes)
	err := b.b.Launch(s.s)
	w.expect(err, errs, "%s.Launch(%s)", b.name, s.name)
	if failing >= 0 {
		if failed, ok := err.(*cuda.BatchError); !ok || failed.Index > failing || failed.Count != len(b.calls) {
			w.fail("%s.Launch(%s): %v, want a BatchError of call %d", b.name, s.name, err, failing)
		} else {
			n = failed.Index // launches of one part are looked at before the first of them
			if n < failing && b.calls[n].now.kind != launched {
				w.fail("%s.Launch(%s): %v, want a BatchError of call %d", b.name, s.name, err, failing)
			}
		}
	}
	for _, c := range b.calls[:n] {
		s.does(w, c.now, c)
	}
}
