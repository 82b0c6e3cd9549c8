package cuda_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
	"github.com/cudagen/cudagen/runtime/internal/watched"
)

// This file holds what becomes of calls when what they use ends: of every exported function and method of the
// package, in each way in which an object may end. The functions are those of TestMisuse, to which
// TestMisuseIsComplete demands that every new one belongs. Whatever has ended, a call returns within a second, with
// success or with an error that names what has ended; it does not panic, and neither do later calls on other
// objects; and nothing is left.

// promptly is how long a call may take. One that takes longer on a busy machine gets patience, and other tries: unhurried.
const promptly = time.Second

var patience = 20 * time.Second

// An ended is a call that has returned, or was given up.
type outcome struct {
	err     error
	results []reflect.Value
	late    bool   // it took more than promptly
	hung    bool   // it has not returned
	problem string // it has panicked, or not returned
}

// call calls f on a goroutine of its own.
func call(f tried, args []reflect.Value) outcome {
	over := make(chan outcome, 1)
	began := time.Now()
	go func() { over <- callHere(f, args) }()
	select {
	case o := <-over:
		o.late = time.Since(began) > promptly
		return o
	case <-time.After(patience):
		return outcome{hung: true, problem: "it does not return:\n" + goroutinesOfThisModule()}
	}
}

// orEnd returns o, unless the call has not returned: then it ends the program, because what the test closes in the end would
// wait for it.
func (o outcome) orEnd(name string) outcome {
	if o.hung {
		go panic(name + ": " + o.problem)
		select {}
	}
	return o
}

// callHere calls f.
func callHere(f tried, args []reflect.Value) (o outcome) {
	defer func() {
		p := recover()
		if p != nil && !(panics[f.name] != "" && strings.Contains(fmt.Sprint(p), panics[f.name])) {
			o.problem = fmt.Sprintf("it panics: %v", p)
		}
	}()
	if f.f.Type().IsVariadic() {
		o.results = f.f.CallSlice(args)
	} else {
		o.results = f.f.Call(args)
	}
	if last := len(o.results) - 1; last >= 0 && f.f.Type().Out(last) == reflect.TypeFor[error]() {
		o.err, _ = o.results[last].Interface().(error)
	}
	return o
}

// goroutinesOfThisModule returns the stacks of the goroutines that are in calls of cudagen.
func goroutinesOfThisModule() string {
	text := make([]byte, 1<<20)
	var found []string
	for _, s := range strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if strings.Contains(s, "cudagen/runtime/") {
			found = append(found, s)
		}
	}
	return strings.Join(found, "\n\n")
}

// discard closes what a call has made, and not what it was given.
func (o outcome) discard(given map[reflect.Type][]specimen) {
	for _, r := range o.results {
		c, ok := r.Interface().(interface{ Close() error })
		if !ok || r.IsZero() || slices.ContainsFunc(given[r.Type()], func(s specimen) bool { return s.value == r.Interface() }) {
			continue
		}
		c.Close()
	}
}

// A told is the outcome of one call, and what it has to be.
type told struct {
	outcome
	what  string         // which argument has ended, and how
	fails bool           // success is wrong
	named *regexp.Regexp // what the text of an error has; or nil
	wraps error          // what an error wraps; or nil
}

// stale are errors of a driver that was given something which is gone.
var stale = []error{cuda.ErrInvalidHandle, cuda.ErrContextIsDestroyed, cuda.ErrInvalidContext, cuda.ErrIllegalAddress, cuda.ErrUnknown}

// wrong returns what should not have been, or "".
func (o told) wrong() string {
	var named *cuda.Error
	switch {
	case o.problem != "":
		return o.problem
	case o.late:
		return isLate
	case o.err == nil && o.fails:
		return "it does not fail"
	case o.err == nil:
		return ""
	case !errors.As(o.err, &named) || named.Op == "":
		return fmt.Sprintf("the error does not name the operation: %v", o.err)
	case o.named != nil && !o.named.MatchString(o.err.Error()):
		return fmt.Sprintf("the error does not name what has ended (%v): %v", o.named, o.err)
	case o.wraps != nil && !errors.Is(o.err, o.wraps):
		return fmt.Sprintf("the error does not wrap %q: %v", o.wraps, o.err)
	}
	var fault *cuda.Fault // of a launch beside the Close of its buffer
	for _, gone := range stale {
		if !errors.As(o.err, &fault) && errors.Is(o.err, gone) {
			return fmt.Sprintf("the driver was given what is gone: %v", o.err)
		}
	}
	return ""
}

// fineArguments returns the arguments of f that are fine.
func fineArguments(all map[reflect.Type][]specimen, f tried) []reflect.Value {
	args := make([]reflect.Value, f.f.Type().NumIn())
	for i := range args {
		args[i] = valueOf(f.f.Type().In(i), candidatesFor(all, f.f, i)[0].value)
	}
	return args
}

// specimenOf returns the specimen of T that is fine.
func specimenOf[T any](all map[reflect.Type][]specimen) T {
	return all[reflect.TypeFor[T]()][0].value.(T)
}

// A trial is the arguments for one call in one ending.
type trial struct {
	dev *cuda.Device
	all map[reflect.Type][]specimen
	f   tried
}

// An ending is a way in which what a call uses ends.
type ending struct {
	name    string
	applies func(f tried) bool // or nil
	alone   bool               // each function has a simulated device of its own
	onFake  bool               // it is tried with the fake driver, too
	try     func(t *testing.T, r trial) []told
}

var endings = []ending{
	{name: "ended by Capture", onFake: true, applies: takes(reflect.TypeFor[*cuda.Stream](), reflect.TypeFor[*cuda.Event]()), try: endedByCapture},
	{name: "while it captures", applies: takes(reflect.TypeFor[*cuda.Stream](), reflect.TypeFor[*cuda.Event]()), try: whileCapturing},
	{name: "when Capture ends", onFake: true, applies: takes(reflect.TypeFor[*cuda.Stream]()), try: whenCaptureEnds},
	{name: "closed before", try: closedBefore},
	{name: "in a host function", onFake: true, try: inHostFunction},
	{name: "in a host node", onFake: true, try: inHostNode},
	{name: "with a cancelled context", applies: takes(reflect.TypeFor[context.Context]()), alone: true, try: cancelledBefore},
	{name: "cancelled beside", applies: takes(reflect.TypeFor[context.Context]()), alone: true, try: cancelledBeside},
}

// takes returns whether a function has a parameter of one of types.
func takes(types ...reflect.Type) func(f tried) bool {
	return func(f tried) bool {
		for in := range f.f.Type().Ins() {
			if slices.Contains(types, in) {
				return true
			}
		}
		return false
	}
}

// endedByCapture gives f the stream of a capture that has ended, in whichever way, and an event that was recorded there.
func endedByCapture(t *testing.T, r trial) (list []told) {
	s, x := specimenOf[*cuda.Stream](r.all), specimenOf[*cuda.Buffer[float32]](r.all)
	for how, end := range map[string]func() error{
		"ended": func() error { return nil }, "failed": func() error { return errors.New("failed") }, "panicked": func() error { panic("failed") },
	} {
		var captured *cuda.Stream
		event, err := r.dev.NewEvent(cuda.EventConfig{Timing: true})
		require.NoError(t, err)
		t.Cleanup(func() { event.Close() })
		func() {
			defer func() { recover() }()
			cuda.Capture(s, func(c *cuda.Stream) error {
				captured = c
				assert.NoError(t, errors.Join(x.Clear(c), event.Record(c)))
				return end()
			})
		}()
		for i := range r.f.f.Type().NumIn() {
			args := fineArguments(r.all, r.f)
			switch r.f.f.Type().In(i) {
			case reflect.TypeFor[*cuda.Stream]():
				args[i] = reflect.ValueOf(captured)
				o := told{outcome: call(r.f, args).orEnd(r.f.name), what: "the stream of a capture that has " + how, named: regexp.MustCompile("the stream of a capture that has ended"), wraps: cuda.ErrClosed}
				o.fails = returnsError(r.f) && !isClose(r.f.name)
				list = append(list, o)
			case reflect.TypeFor[*cuda.Event]():
				args[i] = reflect.ValueOf(event)
				list = append(list, told{outcome: call(r.f, args).orEnd(r.f.name), what: "an event of a capture that has " + how, named: regexp.MustCompile("event|simulated")})
			}
		}
	}
	return list
}

// whileCapturing gives f a stream that captures, and an event that was recorded there.
func whileCapturing(t *testing.T, r trial) (list []told) {
	event, err := r.dev.NewEvent(cuda.EventConfig{Timing: true})
	require.NoError(t, err)
	t.Cleanup(func() { event.Close() })
	graph, err := cuda.Capture(specimenOf[*cuda.Stream](r.all), func(c *cuda.Stream) error {
		assert.NoError(t, event.Record(c))
		for i := range r.f.f.Type().NumIn() {
			args := fineArguments(r.all, r.f)
			switch r.f.f.Type().In(i) {
			case reflect.TypeFor[*cuda.Stream]():
				args[i] = reflect.ValueOf(c)
			case reflect.TypeFor[*cuda.Event]():
				args[i] = reflect.ValueOf(event)
			default:
				continue
			}
			o := told{outcome: call(r.f, args).orEnd(r.f.name), what: "while it captures", named: regexp.MustCompile(ended)}
			o.discard(r.all)
			list = append(list, o)
		}
		return nil
	})
	if err == nil {
		if exec, err := graph.Instantiate(); err == nil {
			assert.NoError(t, exec.Close())
		}
	}
	return list
}

// whenCaptureEnds has goroutines call f with a stream that captures, and goes on when Capture has ended.
func whenCaptureEnds(t *testing.T, r trial) (list []told) {
	s := specimenOf[*cuda.Stream](r.all)
	over := make(chan []told)
	const callers = 1 // calls and batches are for one goroutine at a time
	cuda.Capture(s, func(c *cuda.Stream) error {
		for range callers {
			args := fineArguments(r.all, r.f)
			for i := range args {
				if args[i].Type() == reflect.TypeFor[*cuda.Stream]() {
					args[i] = reflect.ValueOf(c)
				}
			}
			go func() {
				var list []told
				for range 10 {
					o := told{outcome: call(r.f, args).orEnd(r.f.name), what: "when Capture ends", named: regexp.MustCompile(ended)}
					o.discard(r.all)
					list = append(list, o)
				}
				over <- list
			}()
		}
		return nil
	})
	for range callers {
		list = append(list, <-over...)
	}
	return list
}

func returnsError(f tried) bool {
	n := f.f.Type().NumOut()
	return n > 0 && f.f.Type().Out(n-1) == reflect.TypeFor[error]()
}

// isClose reports whether a method of that name ends what it is called with.
func isClose(name string) bool {
	return strings.HasSuffix(name, ".Close") || strings.HasSuffix(name, ".CloseContext")
}

// closedBefore gives f each argument in turn that is closed. TestMisuse demands the right error.
func closedBefore(t *testing.T, r trial) (list []told) {
	for i := range r.f.f.Type().NumIn() {
		for _, c := range candidatesFor(r.all, r.f.f, i) {
			if c.state != closed {
				continue
			}
			args := fineArguments(r.all, r.f)
			args[i] = valueOf(r.f.f.Type().In(i), c.value)
			list = append(list, told{outcome: call(r.f, args).orEnd(r.f.name), what: fmt.Sprintf("argument %d", i), named: regexp.MustCompile(ended)})
		}
	}
	return list
}

// ended are what errors call what has ended.
const ended = "stream|event|pool|buffer|array|texture|surface|librar|graph|device|node|communicator|memory|tensor"

// closers returns the Close of everything that is open but the device, in any order. They may return what Stream.Fail
// has said.
func closers(all map[reflect.Type][]specimen) (list []func() error) {
	for typ, specimens := range all {
		c, ok := specimens[0].value.(interface{ Close() error })
		if ok && typ != reflect.TypeFor[*cuda.Device]() && typ.Kind() != reflect.Interface {
			list = append(list, c.Close)
		}
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// beside calls the functions of trials several times while closers are called.
func beside(trials []trial, closers []func() error) (list []told) {
	begin := make(chan struct{})
	over := make(chan []told)
	for _, r := range trials {
		args := fineArguments(r.all, r.f)
		go func() { // one for each: calls, batches and nodes are for one goroutine at a time
			<-begin
			var list []told
			for range 5 {
				o := told{outcome: call(r.f, args).orEnd(r.f.name), what: r.f.name + " closed beside"}
				o.discard(r.all)
				list = append(list, o)
			}
			over <- list
		}()
	}
	closing := make(chan outcome)
	go func() {
		<-begin
		closing <- call(tried{"Close", reflect.ValueOf(func() {
			for _, c := range closers {
				runtime.Gosched()
				c()
			}
		})}, nil).orEnd("closing")
	}()
	close(begin)
	for range trials {
		list = append(list, <-over...)
	}
	return append(list, told{outcome: <-closing, what: "the closing"})
}

// inHostFunction calls f in a host function, of a stream of the device.
func inHostFunction(t *testing.T, r trial) []told {
	return inside(t, r, func(s *cuda.Stream, f func()) error { return s.LaunchHostFunc(f) })
}

// inHostNode calls f in a host node of a graph.
func inHostNode(t *testing.T, r trial) []told {
	return inside(t, r, func(s *cuda.Stream, f func()) error {
		e, err := cuda.BuildGraph(cuda.NewHostNode(f))
		if err != nil {
			return err
		}
		return errors.Join(e.Launch(s), e.Close())
	})
}

func inside(t *testing.T, r trial, launch func(s *cuda.Stream, f func()) error) []told {
	s := specimenOf[*cuda.Stream](r.all)
	if isFake(r.dev) { // it does at once what it is given, and waits for what is queued before
		s = newStream(t, r.dev)
	}
	args := fineArguments(r.all, r.f)
	var o outcome
	returned := make(chan struct{})
	began := time.Now()
	if err := launch(s, func() {
		defer close(returned)
		o = callHere(r.f, args)
	}); err != nil {
		return []told{{outcome: outcome{err: err}, what: "the launch of the host function"}}
	}
	select {
	case <-returned:
	case <-time.After(patience):
		outcome{hung: true, problem: "it does not return in a host function:\n" + goroutinesOfThisModule()}.orEnd(r.f.name)
	}
	o.late = time.Since(began) > promptly
	after := call(tried{"Synchronize", reflect.ValueOf(s.Synchronize)}, nil).orEnd("Synchronize after " + r.f.name)
	o.discard(r.all)
	list := []told{{outcome: o, what: "in a host function"}, {outcome: after, what: "the stream behind it"}}
	if isNotPermitted := errors.Is(o.err, cuda.ErrNotPermitted); isNotPermitted {
		list[0].named = regexp.MustCompile("the host function .*cuda_test")
	}
	return list
}

// cancelledBefore gives f a context that is done.
func cancelledBefore(t *testing.T, r trial) (list []told) {
	for i := range r.f.f.Type().NumIn() {
		if r.f.f.Type().In(i) == reflect.TypeFor[context.Context]() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			args := fineArguments(r.all, r.f)
			args[i] = reflect.ValueOf(ctx)
			o := told{outcome: call(r.f, args).orEnd(r.f.name), what: "the context is cancelled", wraps: context.Canceled}
			o.discard(r.all)
			list = append(list, o)
		}
	}
	return list
}

// cancelledBeside cancels the context of f, which waits for work that does not end before.
func cancelledBeside(t *testing.T, r trial) (list []told) {
	for i := range r.f.f.Type().NumIn() {
		if r.f.f.Type().In(i) != reflect.TypeFor[context.Context]() {
			continue
		}
		s, event := specimenOf[*cuda.Stream](r.all), specimenOf[*cuda.Event](r.all)
		release := make(chan struct{})
		require.NoError(t, errors.Join(s.LaunchHostFunc(func() { <-release }), event.Record(s)))
		ctx, cancel := context.WithCancel(context.Background())
		args := fineArguments(r.all, r.f)
		args[i] = reflect.ValueOf(ctx)
		over := make(chan told)
		go func() {
			over <- told{outcome: call(r.f, args).orEnd(r.f.name), what: "the context is cancelled meanwhile", wraps: context.Canceled, fails: true}
		}()
		time.Sleep(time.Millisecond)
		cancelled := time.Now()
		cancel()
		o := <-over
		o.late = time.Since(cancelled) > promptly
		close(release)
		o.discard(r.all)
		list = append(list, o, told{outcome: call(tried{"Synchronize", reflect.ValueOf(s.Synchronize)}, nil).orEnd("Synchronize after " + r.f.name), what: "the stream behind it"})
		if r.f.name == "Device.CloseContext" {
			list = list[:len(list)-1]
		}
	}
	return list
}

// TestEndOfLife calls every exported function and method in each ending, on simulated devices that are watched.
func TestEndOfLife(t *testing.T) {
	t.Run("simulator", func(t *testing.T) { endAll(t, endings, openWatched) })
	t.Run("fake libcuda", func(t *testing.T) {
		loadFake(t)
		endAll(t, slices.DeleteFunc(slices.Clone(endings), func(end ending) bool { return !end.onFake }), func(t *testing.T) *watched.Device {
			dev, _ := openFake(t)
			return &watched.Device{Device: dev, Leaks: new(leak.Scope)}
		})
	})
}

func endAll(t *testing.T, endings []ending, open func(t *testing.T) *watched.Device) {
	list := sample(endOfLifeFunctions(t))
	for _, end := range endings {
		t.Run(end.name, func(t *testing.T) {
			defer leavesNoGoroutines(t)()
			t.Run("functions", func(t *testing.T) {
				var shared *watched.Device
				if !end.alone {
					shared = open(t)
				}
				together, alone := []tried(nil), [][]tried(nil)
				for _, f := range list {
					switch {
					case end.applies != nil && !end.applies(f), shared != nil && f.isDeviceClose():
					case returnsError(f) || end.alone:
						alone = append(alone, []tried{f})
					default: // it changes nothing
						together = append(together, f)
					}
				}
				for _, some := range append(alone, together) {
					if len(some) == 0 {
						continue
					}
					t.Run(some[0].name, func(t *testing.T) {
						unhurried(t, func() []string { return tryEnding(t, shared, some, end.try) })
					})
				}
			})
		})
	}
}

// endOfLifeFunctions are all but those that open other devices.
func endOfLifeFunctions(t *testing.T) []tried {
	return slices.DeleteFunc(allTried(specimens(t, openSimulator(t))), func(f tried) bool {
		return strings.HasPrefix(f.name, "Open") || f.name == "CheckFresh" // which knows files, and no device
	})
}

func (f tried) isDeviceClose() bool { return isClose(f.name) && strings.HasPrefix(f.name, "Device.") }

// leavesNoGoroutines begins a part of a test, at whose end the goroutines are those of the beginning.
func leavesNoGoroutines(t *testing.T) (end func()) {
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Since(began) > patience {
				t.Errorf("goroutines are left:\n%s", goroutinesOfThisModule())
				return
			}
		}
	}
}

// TestEndOfDevice calls every exported function and method on a device that was closed, or that a fault has ended: of all of
// them at once. TestAfterAFault demands the right errors after a fault.
func TestEndOfDevice(t *testing.T) {
	list := endOfLifeFunctions(t)
	slices.SortStableFunc(list, func(a, b tried) int { // what closes the specimens of others comes last
		return cmp.Compare(closeOrder(a), closeOrder(b))
	})
	for name, end := range map[string]struct {
		end   func(t *testing.T, dev *cuda.Device)
		wraps error
	}{
		"closed": {func(t *testing.T, dev *cuda.Device) { require.NoError(t, dev.Close()) }, nil},
		"lost": {func(t *testing.T, dev *cuda.Device) {
			k, s, x, err := faulted(dev)
			require.ErrorIs(t, err, cuda.ErrDeviceLost)
			t.Cleanup(func() { runtime.KeepAlive([]any{k, s, x}) }) // the device, which is closed before, closes them
		}, cuda.ErrDeviceLost},
	} {
		t.Run(name, func(t *testing.T) {
			defer leavesNoGoroutines(t)()
			t.Run("functions", func(t *testing.T) {
				d := openWatched(t)
				dev := d.Device.(*cuda.Device)
				all := specimens(t, dev)
				end.end(t, dev)
				for _, f := range list {
					o := told{outcome: call(f, fineArguments(all, f)).orEnd(f.name), wraps: end.wraps}
					o.discard(all)
					if slices.Contains(unfitAfterFault, f.name) {
						o.wraps = nil
					}
					if problem := o.wrong(); problem != "" {
						t.Errorf("%s: %s", f.name, problem)
					}
				}
			})
		})
	}
}

func closeOrder(f tried) int {
	switch {
	case f.isDeviceClose():
		return 3
	case isClose(f.name):
		return 2
	case strings.HasSuffix(f.name, ".After"):
		return 1
	}
	return 0
}

// TestEndBeside calls every exported function and method, several at a time, while what they use is closed, and while the
// device is.
func TestEndBeside(t *testing.T) {
	const atOnce = 30
	list := sample(endOfLifeFunctions(t))
	for name, closers := range map[string]func(trials []trial) []func() error{
		"objects": func(trials []trial) (list []func() error) {
			for _, r := range trials {
				list = append(list, closers(r.all)...)
			}
			return list
		},
		"device": func(trials []trial) []func() error { return []func() error{trials[0].dev.Close} },
	} {
		t.Run(name, func(t *testing.T) {
			defer leavesNoGoroutines(t)()
			var others []tried
			var groups [][]tried
			for _, f := range list {
				if strings.HasPrefix(f.name, "Symbol.") { // all libraries of an image share its variable
					groups = append(groups, []tried{f})
				} else {
					others = append(others, f)
				}
			}
			for _, some := range append(groups, slices.Collect(slices.Chunk(others, atOnce))...) {
				t.Run(some[0].name, func(t *testing.T) {
					unhurried(t, func() (problems []string) {
						d := openWatched(t)
						dev := d.Device.(*cuda.Device)
						var trials []trial
						for _, f := range some {
							if name == "device" || !f.isDeviceClose() {
								trials = append(trials, trial{dev, specimens(t, dev), f})
							}
						}
						for _, o := range beside(trials, closers(trials)) {
							if problem := o.wrong(); problem != "" {
								problems = append(problems, o.what+": "+problem)
							}
						}
						return problems
					})
				})
			}
		})
	}
}

// TestEndAtEachCall calls every exported function and method, and closes what it uses at each of its calls of the driver, when
// it has looked whether that is open.
func TestEndAtEachCall(t *testing.T) {
	for _, f := range sample(endOfLifeFunctions(t)) {
		if !returnsError(f) || isClose(f.name) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			for n, there := 1, true; there; n++ {
				unhurried(t, func() (problems []string) {
					there, problems = endAtCall(t, f, n)
					return problems
				})
			}
		})
	}
}

// unhurried reports the problems that try returns. On a busy machine a call may take longer than promptly: it is tried
// again, up to five times.
func unhurried(t *testing.T, try func() []string) {
	t.Helper()
	problems := try()
	for range 5 {
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.HasSuffix(p, isLate) }) {
			break
		}
		problems = try()
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// endAtCall calls f and closes what there is at the n-th call of the driver. It returns whether there was one, and what
// should not have been.
func endAtCall(t *testing.T, f tried, n int) (there bool, problems []string) {
	t.Run(fmt.Sprint(n), func(t *testing.T) {
		d := openWatched(t)
		dev := d.Device.(*cuda.Device)
		all := specimens(t, dev)
		args := fineArguments(all, f)
		calls := 0
		var closing sync.WaitGroup
		setBefore(t, func(string) driver.Result {
			if calls++; calls != n {
				return driver.Success
			}
			there = true
			for _, c := range closers(all) {
				closing.Go(func() { call(tried{"Close", reflect.ValueOf(c)}, nil).orEnd("a Close beside " + f.name) })
			}
			time.Sleep(time.Millisecond)
			return driver.Success
		})
		o := told{outcome: call(f, args).orEnd(f.name), what: fmt.Sprint("closed at call ", n)}
		o.discard(all)
		stopBefore() // a call that comes later, of the sweeper, closes nothing
		closing.Wait()
		if problem := o.wrong(); problem != "" {
			problems = append(problems, f.name+", "+o.what+": "+problem)
		}
	})
	return there, problems
}

// TestEndOfLifeIsFound is the control: functions that panic, hang, take too long, do not fail, say too little, give the driver
// what is gone, or harm later calls.
func TestEndOfLifeIsFound(t *testing.T) {
	before := patience
	patience = 10 * time.Millisecond
	defer func() { patience = before }()
	hold := make(chan struct{})
	for want, f := range map[string]func() error{
		"it panics: oh":                          func() error { panic("oh") },
		"it does not return:":                    func() error { <-hold; return nil },
		"it does not fail":                       func() error { return nil },
		"the error does not name the operation":  func() error { return cuda.ErrClosed },
		"the error does not name what has ended": func() error { return &cuda.Error{Op: "try", Err: cuda.ErrClosed} },
		"the error does not wrap":                func() error { return &cuda.Error{Op: "try", Detail: "the stream", Err: cuda.ErrInvalidValue} },
		"the driver was given what is gone": func() error {
			return &cuda.Error{Op: "try", Detail: "the stream", Err: errors.Join(cuda.ErrClosed, cuda.ErrInvalidHandle)}
		},
	} {
		o := told{outcome: call(tried{"Thing.Use", reflect.ValueOf(f)}, nil), fails: true, named: regexp.MustCompile("the stream"), wraps: cuda.ErrClosed}
		assert.Contains(t, o.wrong(), want)
	}
	close(hold)
	patience = before
	assert.Empty(t, told{outcome: outcome{err: &cuda.Error{Op: "try", Detail: "the stream", Err: cuda.ErrClosed}}, fails: true, named: regexp.MustCompile("the stream")}.wrong())
	assert.Equal(t, isLate, told{outcome: outcome{late: true}}.wrong())

	d := openWatched(t)
	var opened *cuda.Event
	opens := func(s *cuda.Stream) (err error) {
		opened, err = s.Device().NewEvent(cuda.EventConfig{})
		return err
	}
	breaks := func(s *cuda.Stream) error { return s.Device().Close() }
	for want, f := range map[string]func(s *cuda.Stream) error{"others on the device": breaks, "": opens} {
		f := tried{"Thing.Use", reflect.ValueOf(f)}
		problems := tryEnding(t, d, []tried{f}, func(t *testing.T, r trial) []told {
			return []told{{outcome: call(f, fineArguments(r.all, f))}}
		})
		assert.Contains(t, strings.Join(problems, "\n"), want)
		if want == "" {
			assert.Contains(t, fmt.Sprint(d.Leaks.Open()), "an event on device 0")
			assert.NoError(t, opened.Close())
		}
		d = openWatched(t)
	}
}

// isLate is how the problem of a call that took too long ends.
const isLate = "it takes more than a second"

// openWatched opens a simulated device, and demands in the end that it closes, and that nothing is left of it.
func openWatched(t *testing.T) *watched.Device {
	d, err := watched.Open(0)
	require.NoError(t, err)
	of := simulated
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		dev := d.Device.(*cuda.Device)
		err := dev.CloseContext(ctx)
		if d.Fault() == nil {
			assert.NoError(t, err)
		}
		contexts, libraries, streams, allocations := of.(liveCounter).Live()
		assert.Equal(t, [4]int{}, [4]int{contexts, libraries, streams, allocations}, "contexts, libraries, streams, allocations")
		for _, left := range d.Leaks.Open() {
			t.Errorf("not closed: %v", left)
		}
	})
	return &d
}

// tryEnding calls some functions in an ending, on a device of its own if shared is nil, and returns what should not have been.
func tryEnding(t *testing.T, shared *watched.Device, some []tried, end func(t *testing.T, r trial) []told) (problems []string) {
	d := shared
	if d == nil {
		d = openWatched(t)
	}
	t.Cleanup(func() {
		for _, left := range d.Leaks.Open() {
			t.Errorf("not closed: %v", left)
		}
	})
	dev := d.Device.(*cuda.Device)
	all := specimens(t, dev)
	for _, f := range some {
		for _, o := range end(t, trial{dev, all, f}) {
			if problem := o.wrong(); problem != "" {
				problems = append(problems, f.name+", "+o.what+": "+problem)
			}
		}
	}
	f := some[len(some)-1]
	for _, c := range closers(all) {
		o := call(tried{"Close", reflect.ValueOf(c)}, nil).orEnd("a later Close after " + f.name)
		if o.problem != "" || o.late {
			problems = append(problems, "a later Close: "+cmp.Or(o.problem, isLate))
		}
	}
	if shared != nil {
		o := call(tried{"later", reflect.ValueOf(func() error { return useAnew(dev) })}, nil).orEnd("others on the device after " + f.name)
		if o.problem != "" || o.err != nil {
			problems = append(problems, fmt.Sprintf("others on the device: %s %v", o.problem, o.err))
		}
	}
	return problems
}

// useAnew does some work on dev with objects of its own.
func useAnew(dev *cuda.Device) error {
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	x, err := cuda.Upload(s, []int32{1, 2, 3})
	if err != nil {
		return err
	}
	err = k.AddDelta.Launch(s, x.All(), 10)
	got, downloaded := x.All().Download(s)
	if !isFake(dev) && !slices.Equal(got, []int32{11, 12, 13}) {
		err = errors.Join(err, fmt.Errorf("the device has computed %v", got))
	}
	return errors.Join(err, downloaded, x.Close(), s.Close(), k.Close())
}
