package cuda_test

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A modelSpan is a part of memory.
type modelSpan struct {
	m      *modelMemory
	lo, hi int
}

func (p modelSpan) len() int { return p.hi - p.lo }

func (p modelSpan) slice() cuda.Slice[int32] {
	if p.m == nil {
		return cuda.Slice[int32]{}
	}
	return p.m.all.Slice(p.lo, p.hi)
}

func (p modelSpan) data() []int32 { return p.m.data[p.lo:p.hi] }

func (p modelSpan) String() string {
	if p.m == nil {
		return "none"
	}
	return fmt.Sprintf("%s[%d:%d]", p.m.name, p.lo, p.hi)
}

type modelKind int

const (
	filling modelKind = iota // each element of dst is a; of width 1, each byte; of width 8, a and b in turn
	copied
	boxed // rows of a elements, every b elements of dst, from src without gaps
	launched
	hosted   // a function of the host: dst = a·dst + 1
	panicked // a function of the host panics
	recorded
	awaited
	emptied
	childed
	conditional
	allocated // memory of a graph
	freed
)

// A modelWork is one piece of work, of a stream or of a graph.
type modelWork struct {
	kind     modelKind
	dst, src modelSpan
	a, b     int32
	width    int
	kernel   modelKernel
	dev      *modelDevice // of a launch
	event    *modelEvent
	cond     *modelCondition
	choice   modelChoice // of cond
	parts    [][]*modelWork

	from    *modelNode // in an exec
	after   int        // how many nodes that came after
	off     bool
	changed bool // it was a copy or fill of nothing when it was built: it cannot be updated
}

// A modelCondition is a number that kernels set.
type modelCondition struct {
	c       *cuda.Conditional
	initial uint32
}

type modelChoice int

const (
	chooseIf modelChoice = iota
	chooseElse
	chooseWhile
	chooseSwitch
)

func (k *modelWork) String() string {
	switch k.kind {
	case filling:
		return fmt.Sprintf("fill %v with %d, %d of %d bytes", k.dst, k.a, k.b, k.width)
	case copied:
		return fmt.Sprintf("copy to %v from %v", k.dst, k.src)
	case boxed:
		return fmt.Sprintf("copy rows of %d every %d to %v from %v", k.a, k.b, k.dst, k.src)
	case launched:
		name := [...]string{"affine", "combine", "tabled", "add_delta", "decide"}[k.kernel]
		return fmt.Sprintf("%s of device %d: x=%v y=%v a=%d b=%d", name, k.dev.n, k.dst, k.src, k.a, k.b)
	case hosted:
		return fmt.Sprintf("host function of %v with %d", k.dst, k.a)
	case panicked:
		return "host function that panics"
	case recorded, awaited:
		return fmt.Sprintf("%s %s", map[modelKind]string{recorded: "record", awaited: "wait for"}[k.kind], k.event.name)
	case childed:
		return fmt.Sprintf("child of %v", k.parts)
	case conditional:
		return fmt.Sprintf("%s of %v", [...]string{"if", "if else", "while", "switch"}[k.choice], k.parts)
	}
	return map[modelKind]string{emptied: "nothing", allocated: "allocate", freed: "free"}[k.kind]
}

// uses returns the memory that k, and what is inside of it, reads and writes.
func (k *modelWork) uses() (reads, writes []*modelMemory) {
	if k.dst.m != nil {
		writes = append(writes, k.dst.m)
	}
	if k.src.m != nil {
		reads = append(reads, k.src.m)
	}
	if k.kind == launched && k.kernel == tabled {
		reads = append(reads, k.dev.table)
	}
	for _, part := range k.parts {
		for _, in := range part {
			r, w := in.uses()
			reads, writes = append(reads, r...), append(writes, w...)
		}
	}
	return reads, writes
}

// each calls f for k and all that is inside of it.
func (k *modelWork) each(f func(*modelWork)) {
	f(k)
	for _, part := range k.parts {
		for _, in := range part {
			in.each(f)
		}
	}
}

// isNothing reports whether k is a copy or a fill of no elements.
func (k *modelWork) isNothing() bool {
	return (k.kind == filling || k.kind == copied) && k.dst.len() == 0 || k.kind == boxed && k.a == 0
}

// run does k in the model. values are those of conditionals.
func (k *modelWork) run(w *modelWorld, values map[*modelCondition]uint32) {
	if k.off {
		return
	}
	switch k.kind {
	case filling:
		x := k.dst.data()
		for i := range x {
			switch {
			case k.width == 1:
				x[i] = int32(uint32(uint8(k.a)) * 0x01010101)
			case k.width == 8 && i%2 == 1:
				x[i] = k.b
			default:
				x[i] = k.a
			}
		}
		if w.wrong == wrongFill && len(x) > 3 {
			x[3]++
		}
	case copied:
		copy(k.dst.data(), k.src.data())
	case boxed:
		x, y := k.dst.data(), k.src.data()
		for row := 0; k.a > 0 && (row+1)*int(k.a) <= len(y); row++ {
			copy(x[row*int(k.b):][:k.a], y[row*int(k.a):])
		}
	case launched:
		k.runKernel(values)
	case hosted:
		for i, v := range k.dst.data() {
			k.dst.data()[i] = v*k.a + 1
		}
	case childed:
		for _, in := range k.parts[0] {
			in.run(w, values)
		}
	case conditional:
		k.choose(w, values)
	}
}

func (k *modelWork) runKernel(values map[*modelCondition]uint32) {
	x := k.dst.data()
	for i := range x {
		switch k.kernel {
		case affine:
			x[i] = x[i]*k.a + k.b
		case combine:
			x[i] = x[i]*3 + k.src.data()[i]
		case tabled:
			x[i] = x[i]*5 + k.dev.table.data[i%4]
		case added:
			x[i] += k.a
		}
	}
	if k.kernel == decide {
		values[k.cond] = uint32(x[0]) % uint32(k.a)
		x[0] = int32(uint32(x[0]) >> 1)
	}
}

func (k *modelWork) choose(w *modelWorld, values map[*modelCondition]uint32) {
	body := func(i int) {
		for _, in := range k.parts[i] {
			in.run(w, values)
		}
	}
	switch value := values[k.cond]; {
	case k.choice == chooseWhile:
		for values[k.cond] != 0 {
			body(0)
		}
	case k.choice == chooseSwitch && int(value) < len(k.parts):
		body(int(value))
	case k.choice == chooseSwitch:
	case value != 0:
		body(0)
	case k.choice == chooseElse:
		body(1)
	}
	if w.wrong == wrongCondition {
		body(0)
	}
}

// do does k on s.
func (k *modelWork) do(s *cuda.Stream, call *modelCall) error {
	switch k.kind {
	case filling:
		switch {
		case k.width == 1 && k.a == 0:
			return k.dst.slice().Clear(s)
		case k.width == 1:
			return cuda.Fill(cuda.Reinterpret[byte](k.dst.slice()), byte(k.a)).Launch(s)
		case k.width == 8:
			return cuda.Fill(cuda.Reinterpret[[2]int32](k.dst.slice()), [2]int32{k.a, k.b}).Launch(s)
		}
		return cuda.Fill(k.dst.slice(), k.a).Launch(s)
	case copied:
		return cuda.Copy(k.dst.slice(), k.src.slice()).Launch(s)
	case boxed:
		dst, src := k.boxes()
		return cuda.CopyBox(dst, src).Launch(s)
	case launched:
		if call != nil {
			return call.prepared.Launch(s)
		}
		return k.dev.kernels.launch(s, k)
	case hosted, panicked:
		return s.LaunchHostFunc(k.function())
	}
	panic("not of a stream")
}

func (k *modelWork) boxes() (dst, src cuda.Box[int32]) {
	shape := cuda.Shape{Width: int(k.a), RowStride: int(k.b)}
	if k.a > 0 {
		shape.Height = k.src.len() / int(k.a)
	}
	dst = k.dst.slice().Box(shape)
	shape.RowStride = 0
	return dst, k.src.slice().Box(shape)
}

func (k *modelWork) function() func() {
	if k.kind == panicked {
		return func() { panic("as the model has it") }
	}
	m, lo, hi, a := k.dst.m, k.dst.lo, k.dst.hi, k.a
	return func() {
		host := m.host()
		for i := lo; i < hi; i++ {
			host[i] = host[i]*a + 1
		}
	}
}

// device returns where a node that does k runs, nil for anywhere.
func (k *modelWork) device() *modelDevice {
	switch {
	case k.kind == filling:
		return k.dst.m.dev
	case k.kind == copied || k.kind == boxed:
		switch {
		case k.dst.m.portable && k.src.m.portable:
			return nil
		case k.dst.m.portable:
			return k.src.m.dev
		}
		return k.dst.m.dev
	case k.kind == launched:
		return k.dev
	case k.kind == recorded:
		return k.event.dev
	case k.kind == allocated:
		return k.dst.m.dev
	}
	for _, part := range k.parts {
		for _, in := range part {
			if d := in.device(); d != nil {
				return d
			}
		}
	}
	return nil
}

// devices returns those of k and all that is inside of it.
func (k *modelWork) devices() (all []*modelDevice) {
	k.each(func(in *modelWork) {
		if d := in.device(); d != nil && !slices.Contains(all, d) {
			all = append(all, d)
		}
	})
	return all
}

// open returns ErrClosed if memory of k, or an event, is closed.
func (k *modelWork) open() (errs []error) {
	k.each(func(in *modelWork) {
		for _, p := range []modelSpan{in.dst, in.src} {
			if p.m != nil && p.m.closed && !in.isHost() && in.kind != allocated && in.kind != freed {
				errs = append(errs, cuda.ErrClosed)
			}
		}
		if in.event != nil && in.event.closed {
			errs = append(errs, cuda.ErrClosed)
		}
	})
	return errs
}

// onStream returns the errors, one of which doing k on s has. nodes says that it becomes a node.
func (k *modelWork) onStream(s *modelStream, call *modelCall) (errs []error) {
	if s.closed {
		errs = append(errs, cuda.ErrClosed)
	}
	if s.capture != nil {
		for _, d := range k.devices() {
			if d != s.dev {
				errs = append(errs, cuda.ErrInvalidValue)
			}
		}
		if (k.kind == copied) && k.dst.len() != k.src.len() {
			errs = append(errs, unequalError(k))
		}
		if k.kind == launched {
			errs = append(errs, k.prepares()...)
		}
		return append(errs, k.open()...)
	}
	far := func(p modelSpan) bool { return p.m != nil && p.m.dev != s.dev }
	closed := func(p modelSpan) {
		if p.m != nil && p.m.closed {
			errs = append(errs, cuda.ErrClosed)
		}
	}
	switch k.kind {
	case filling, boxed:
		closed(k.dst)
		closed(k.src)
		if far(k.dst) && !k.dst.m.portable || far(k.src) && !k.src.m.portable {
			errs = append(errs, cuda.ErrInvalidValue)
		}
	case copied:
		closed(k.dst)
		closed(k.src)
		if k.dst.len() != k.src.len() {
			errs = append(errs, unequalError(k))
		}
		if far(k.dst) && far(k.src) && !(k.dst.m.portable && k.src.m.portable) {
			errs = append(errs, cuda.ErrInvalidValue)
		}
	case launched:
		errs = append(errs, k.prepares()...)
		if k.dev != s.dev || k.kernel == decide {
			errs = append(errs, cuda.ErrInvalidValue)
		}
	}
	return errs
}

func unequalError(k *modelWork) error {
	if k.dst.len() < k.src.len() {
		return cuda.ErrShortSlice
	}
	return cuda.ErrInvalidValue
}

// prepares returns the errors, one of which preparing the launch k has.
func (k *modelWork) prepares() (errs []error) {
	for _, p := range []modelSpan{k.dst, k.src} {
		switch {
		case p.m == nil:
		case p.m.closed:
			errs = append(errs, cuda.ErrClosed)
		case !p.m.reachable(k.dev):
			errs = append(errs, cuda.ErrInvalidValue)
		}
	}
	return errs
}
