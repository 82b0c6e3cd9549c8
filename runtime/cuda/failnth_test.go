package cuda_test

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/driver/drivertest"
)

// programs are made to fail at each of their driver calls. A program opens a device by
// p.open, closes what it opens by p.later, and returns its first error. It makes the
// same calls whenever it is run: no goroutines.
var programs = []struct {
	name string
	run  func(p *attempt) error
}{
	{"the example", runExample},
	{"several streams", runStreams},
	{"libraries", runLibraries},
	{"nothing is closed but the device", runCareless},
	{"questions", runQuestions},
	{"prepared calls", runPrepared},
	{"events and pools", runEvents},
	{"graphs", runGraphs},
	{"captures", runCaptures},
	{"a batch that becomes a graph", runBatch},
}

func runExample(p *attempt) error {
	dev, k, s, err := p.begin()
	if err != nil {
		return err
	}
	x, err := cuda.Upload(s, []float32{1, 2, 3})
	if err != nil {
		return err
	}
	p.later(x.Close)
	y, err := cuda.Alloc[float32](s, 3)
	if err != nil {
		return err
	}
	p.later(y.Close)
	if err := y.Clear(s); err != nil {
		return err
	}
	if err := k.Saxpy.Launch(s, 2, x.All(), y.All()); err != nil {
		return err
	}
	if err := y.CopyTo(s, make([]float32, 3)); err != nil {
		return err
	}
	if _, err := k.Saxpy.Kernel.Attributes(); err != nil {
		return err
	}
	return dev.Synchronize()
}

func runStreams(p *attempt) error {
	dev, err := p.open()
	if err != nil {
		return err
	}
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	p.later(k.Close)
	var streams [3]*cuda.Stream
	for i := range streams {
		if streams[i], err = dev.NewStream(); err != nil {
			return err
		}
		p.later(streams[i].Close)
	}
	x, err := cuda.Upload(streams[0], make([]int32, 1000))
	if err != nil {
		return err
	}
	p.later(x.Close)
	for i, s := range streams {
		if err := k.AddDelta.Launch(s, x.All(), int32(i)); err != nil {
			return err
		}
		if err := x.Clear(s); err != nil {
			return err
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
	}
	return streams[0].Close()
}

func runLibraries(p *attempt) error {
	dev, err := p.open()
	if err != nil {
		return err
	}
	first, err := dev.LoadLibrary(p.image)
	if err != nil {
		return err
	}
	p.later(first.Close)
	second, err := dev.LoadLibrary(p.image)
	if err != nil {
		return err
	}
	p.later(second.Close)
	var k *cuda.Kernel
	if _, err = second.Kernel(spec(&k)); err != nil {
		return err
	}
	if err := second.Close(); err != nil {
		return err
	}
	_, err = first.Kernel(spec(&k))
	return err
}

func runCareless(p *attempt) error {
	dev, err := p.open()
	if err != nil {
		return err
	}
	if _, err := dev.LoadLibrary(p.image); err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	_, err = cuda.Upload(s, make([]float32, 100))
	return err
}

func runQuestions(p *attempt) error {
	dev, err := p.open()
	if err != nil {
		return err
	}
	if _, err := dev.UUID(); err != nil {
		return err
	}
	if _, err := dev.TotalMemory(); err != nil {
		return err
	}
	_, _, err = dev.ComputeCapability()
	return err
}

func runPrepared(p *attempt) error {
	_, k, s, err := p.begin()
	if err != nil {
		return err
	}
	x, err := cuda.Alloc[float32](s, 3)
	if err != nil {
		return err
	}
	p.later(x.Close)
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()})
	if err != nil {
		return err
	}
	if err := call.Launch(s); err != nil {
		return err
	}
	batch, err := cuda.NewBatch(call, call)
	if err != nil {
		return err
	}
	if err := batch.Launch(s); err != nil {
		return err
	}
	return s.Synchronize()
}

func runEvents(p *attempt) error {
	dev, err := p.open()
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	p.later(s.Close)
	e, err := dev.NewEvent(cuda.EventConfig{})
	if err != nil {
		return err
	}
	p.later(e.Close)
	pool, err := dev.NewPool(cuda.PoolConfig{})
	if err != nil {
		return err
	}
	p.later(pool.Close)
	x, err := cuda.AllocFrom[int32](pool, s, 10)
	if err != nil {
		return err
	}
	p.later(x.Close)
	host, err := cuda.AllocHost[int32](dev, 10, cuda.HostConfig{})
	if err != nil {
		return err
	}
	p.later(host.Close)
	if err := cuda.Fill(x.All(), 7).Launch(s); err != nil {
		return err
	}
	if err := cuda.Copy(host.All(), x.All()).Launch(s); err != nil {
		return err
	}
	if err := e.Record(s); err != nil {
		return err
	}
	return e.Synchronize()
}

func runGraphs(p *attempt) error {
	dev, k, s, err := p.begin()
	if err != nil {
		return err
	}
	x, err := cuda.Alloc[int32](s, 3)
	if err != nil {
		return err
	}
	p.later(x.Close)
	call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: x.All(), Delta: 1})
	if err != nil {
		return err
	}
	event, err := dev.NewEvent(cuda.EventConfig{})
	if err != nil {
		return err
	}
	p.later(event.Close)
	inner, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(x.Slice(0, 1), 1)))
	if err != nil {
		return err
	}
	choice := new(cuda.Node)
	if major, minor := dev.DriverVersion(); major > 12 || minor >= 3 {
		choice = cuda.NewConditional(1).If(inner, nil)
	}
	alloc, scratch := cuda.NewAllocNode[int32](dev, 3)
	fill := cuda.NewNode(cuda.Fill(scratch, 3)).After(alloc, choice)
	n := cuda.NewNode(call).After(fill, inner.ChildNode())
	host := cuda.NewHostNode(func() {}).After(n)
	record := event.RecordNode().After(host)
	e, err := cuda.BuildGraph(record, cuda.NewFreeNode(scratch).After(fill))
	if err != nil {
		return err
	}
	p.later(e.Close)
	if err := e.Upload(s); err != nil {
		return err
	}
	if err := e.Launch(s); err != nil {
		return err
	}
	for _, n := range []*cuda.Node{n, host, record} {
		if err := e.Update(n); err != nil {
			return err
		}
	}
	if err := e.Disable(n); err != nil {
		return err
	}
	g, err := cuda.DefineGraph(cuda.NewNode(call))
	if err != nil {
		return err
	}
	other, err := g.Instantiate()
	if err != nil {
		return err
	}
	p.later(other.Close)
	if err := other.UpdateFrom(g); err != nil {
		return err
	}
	if err := other.Launch(s); err != nil {
		return err
	}
	return s.Synchronize()
}

// runBatch has errors of launches alone: a batch whose graph fails goes on with launches.
func runBatch(p *attempt) error {
	_, k, s, err := p.begin()
	if err != nil {
		return err
	}
	x, err := cuda.Alloc[float32](s, 3)
	if err != nil {
		return err
	}
	p.later(x.Close)
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()})
	if err != nil {
		return err
	}
	fill := cuda.Fill(x.All(), 1)
	batch, err := cuda.NewBatch(fill, call)
	if err != nil {
		return err
	}
	p.later(func() error { batch.NeverGraph(); return nil })
	for n := range 5 {
		fill.Value = float32(n)
		if err := call.Set(example.SaxpyArgs{A: float32(n), X: x.All(), Y: x.All()}); err != nil {
			return err
		}
		if err := batch.Launch(s); err != nil {
			return err
		}
	}
	return s.Synchronize()
}

func runCaptures(p *attempt) error {
	dev, k, s, err := p.begin()
	if err != nil {
		return err
	}
	x, err := cuda.Alloc[int32](s, 3)
	if err != nil {
		return err
	}
	p.later(x.Close)
	side, err := dev.NewStream()
	if err != nil {
		return err
	}
	p.later(side.Close)
	event, err := dev.NewEvent(cuda.EventConfig{})
	if err != nil {
		return err
	}
	p.later(event.Close)
	g, err := cuda.Capture(s, func(s *cuda.Stream) error {
		for _, step := range []func() error{
			func() error { return k.AddDelta.Launch(s, x.All(), 1) },
			func() error { return event.Record(s) },
			func() error { return side.WaitEvent(event) },
			func() error { return cuda.Fill(x.All(), 2).Launch(side) },
			func() error { return foreignFill(side, x.All()) },
			func() error { return event.Record(side) },
			func() error { return s.WaitEvent(event) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	e, err := g.Instantiate()
	if err != nil {
		return err
	}
	p.later(e.Close)
	if err := e.Launch(s); err != nil {
		return err
	}
	return side.Synchronize()
}

// An attempt is one run of a row of programs.
type attempt struct {
	side    side
	image   cuda.Image
	closers []func() error
	made    []string // calls
	body    int      // how many of them before the device was closed
}

func (p *attempt) open() (*cuda.Device, error) {
	dev, err := p.side.open()
	if err != nil {
		return nil, err
	}
	p.later(func() error {
		p.body = len(p.side.calls())
		return dev.Close()
	})
	return dev, nil
}

// begin opens a device with the example's kernels and a stream.
func (p *attempt) begin() (dev *cuda.Device, k *example.Kernels, s *cuda.Stream, err error) {
	if dev, err = p.open(); err != nil {
		return
	}
	if k, err = example.LoadKernels(dev); err != nil {
		return
	}
	p.later(k.Close)
	if s, err = dev.NewStream(); err != nil {
		return
	}
	p.later(s.Close)
	return
}

func (p *attempt) later(closer func() error) { p.closers = append(p.closers, closer) }

// run runs the program with a deadline and returns its errors; a panic is one.
func (p *attempt) run(program func(*attempt) error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
			done <- err
		}()
		err = program(p)
		for _, closer := range slices.Backward(p.closers) {
			err = errors.Join(err, closer())
		}
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		return errors.New("the program hangs")
	}
}

// A side is a driver whose calls can be made to fail.
type side interface {
	open() (*cuda.Device, error)
	// fail makes the nth call fail with r or, late, all those after it that need a
	// context that works. Calls are counted from here.
	fail(nth int, r driver.Result, late bool)
	calls() []string
	live() map[string]int
}

// fakeSide fails inside of C, so the way back through the trampoline is taken, too.
type fakeSide struct{ library *fakecuda.Library }

func (f fakeSide) open() (*cuda.Device, error) { return cuda.Open(0) }
func (f fakeSide) calls() []string             { return f.library.Calls() }

func (f fakeSide) fail(nth int, r driver.Result, late bool) {
	f.library.Reset()
	if late {
		f.library.FailLate(nth, int(r))
	} else {
		f.library.FailNth(nth, int(r))
	}
}

func (f fakeSide) live() map[string]int {
	return map[string]int{
		"contexts": f.library.Live(fakecuda.Context), "libraries": f.library.Live(fakecuda.LoadedLibrary),
		"streams": f.library.Live(fakecuda.Stream), "memory": f.library.Live(fakecuda.Memory),
		"graphs": f.library.Live(fakecuda.Graph), "execs": f.library.Live(fakecuda.GraphExec),
	}
}

// simulatorSide fails in front of the simulator.
type simulatorSide struct {
	mu    sync.Mutex
	made  []string
	nth   int
	r     driver.Result
	late  bool
	stuck bool
}

func (s *simulatorSide) open() (*cuda.Device, error) { return cuda.OpenSimulator() }

func (s *simulatorSide) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.made)
}

func (s *simulatorSide) fail(nth int, r driver.Result, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made, s.nth, s.r, s.late, s.stuck = nil, nth, r, late, false
}

func (s *simulatorSide) before(entryPoint string) driver.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, entryPoint)
	switch {
	case s.stuck && strings.HasPrefix(entryPoint, "cuDevicePrimaryCtxRe"):
		s.stuck = false
	case s.stuck && needsContext(entryPoint):
		return s.r
	case len(s.made) == s.nth && !s.late:
		switch entryPoint { // the error is one of earlier work
		case "cuCtxPopCurrent":
			simulated.CtxPopCurrent()
		case "cuDevicePrimaryCtxRelease":
			dev, _ := simulated.DeviceGet(0)
			simulated.DevicePrimaryCtxRelease(dev)
		}
		return s.r
	case len(s.made) == s.nth:
		s.stuck = needsContext(entryPoint)
	}
	return driver.Success
}

func (s *simulatorSide) live() map[string]int {
	before.Lock()
	defer before.Unlock()
	sum := map[string]int{"contexts": 0, "libraries": 0, "streams": 0, "memory": 0}
	everSimulated = slices.DeleteFunc(everSimulated, func(d driver.Driver) bool { // closed, with nothing left
		contexts, libraries, streams, memory := d.(liveCounter).Live()
		sum["contexts"] += contexts
		sum["libraries"] += libraries
		sum["streams"] += streams
		sum["memory"] += memory
		return contexts+libraries+streams+memory == 0
	})
	return sum
}

// needsContext says whether a call fails once the context has ended.
func needsContext(entryPoint string) bool {
	return !drivertest.Global(entryPoint) && entryPoint != "cuLibraryUnload"
}

// TestFailNth makes each driver call of each program fail in turn, or every twelfth. The program's error
// is the one made and says what was tried; nothing hangs, panics or stays open, and the
// program runs when it is run again.
func TestFailNth(t *testing.T) {
	testenv.Need(t, testenv.Long)
	// What was closed goes when the device is, and not before: the calls can be counted.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	t.Run("simulator", func(t *testing.T) {
		dev, err := cuda.OpenSimulator() // makes it
		require.NoError(t, err)
		require.NoError(t, dev.Close())
		s := new(simulatorSide)
		setBefore(t, s.before)
		failPrograms(t, s)
	})
	t.Run("fake libcuda", func(t *testing.T) {
		library := loadFake(t)
		dev, err := cuda.Open(0) // the process's driver stays open
		require.NoError(t, err)
		require.NoError(t, dev.Close())
		failPrograms(t, fakeSide{library})
	})
}

func failPrograms(t *testing.T, side side) {
	modes := []struct {
		name string
		r    driver.Result
		late bool
	}{
		{"unknown", driver.ErrorUnknown, false},
		{"out of memory", driver.ErrorOutOfMemory, false},
		{"late", driver.ErrorIllegalAddress, true},
	}
	if raceEnabled {
		modes = modes[1:] // each takes a minute then
	}
	image := imageOf(t, "failing")
	for _, row := range programs {
		t.Run(row.name, func(t *testing.T) {
			run := func(nth int, r driver.Result, late bool) (*attempt, error) {
				side.fail(nth, r, late)
				defer side.fail(0, driver.Success, false)
				p := &attempt{side: side, image: image}
				err := p.run(row.run)
				p.made = side.calls()
				return p, err
			}
			for _, mode := range modes {
				t.Run(mode.name, func(t *testing.T) {
					for nth := 1; ; nth += testenv.Stride(12) {
						before := side.live()
						p, err := run(nth, mode.r, mode.late)
						if nth > len(p.made) { // none has failed
							require.NoError(t, err, "the program can go on")
							assert.Greater(t, nth, 10)
							return
						}
						at := fmt.Sprintf("call %d, %s: %v", nth, p.made[nth-1], err)
						if err == nil && mode.r == driver.ErrorOutOfMemory && slices.Contains(p.made[nth:min(nth+3, len(p.made))], "cuMemPoolTrimTo") {
							continue // it was tried again
						}
						explained := slices.Contains([]string{"prepared calls", "graphs", "captures", "a batch that becomes a graph"}, row.name) && explaining[p.made[nth-1]]
						explained = explained || strings.HasPrefix(row.name, "a batch") && forgiven(p.made[:nth])
						checkFailure(t, p.wantsError(nth, mode.late) && !explained, err, mode.r, at)
						for kind, n := range side.live() {
							stays := 0
							if !mode.late && slices.Contains(gives[p.made[nth-1]], kind) {
								stays = 1 // the driver has refused to take it back
							}
							assert.LessOrEqual(t, n, before[kind]+stays, "%s stay after %s", kind, at)
						}
						if t.Failed() {
							return
						}
					}
				})
			}
		})
	}
}

// explaining are the calls of Prepare that look for a limit that the launch breaks. When
// they fail, the launch itself finds out.
var explaining = map[string]bool{"cuKernelGetAttribute": true, "cuDeviceGetAttribute": true}

// forgiven reports whether the last call is of a batch's graph: the batch launches instead, and what
// cannot be destroyed has nobody to tell.
func forgiven(made []string) bool {
	last := made[len(made)-1]
	around := (last == "cuCtxPushCurrent" || last == "cuCtxPopCurrent") && slices.Contains(made, "cuGraphCreate")
	return around || strings.HasPrefix(last, "cuGraph")
}

// foreignFill is what another library captures.
func foreignFill(s *cuda.Stream, x cuda.Slice[int32]) error {
	if r := cuda.FillForeign(s, x, 1, false); r != driver.Success {
		return &cuda.Error{Op: "fill", Err: cuda.Code(r)}
	}
	return nil
}

// gives says what a call gives back to the driver.
var gives = map[string][]string{
	"cuLibraryUnload": {"libraries", "memory"}, // of its variable
	"cuStreamDestroy": {"streams"},
	"cuMemFreeAsync":  {"memory"},
	"cuMemFreeHost":   {"memory"},
	"cuGraphDestroy":  {"graphs"},

	"cuGraphExecDestroy": {"execs", "graphs"},
}

// wantsError says whether a failure at the nth call made must show: what is left when
// the device is closed has nobody to tell.
func (p *attempt) wantsError(nth int, late bool) bool {
	if p.body == 0 { // no device was opened
		return true
	}
	if !late {
		return nth <= p.body
	}
	return needsContext(p.made[nth-1]) && slices.ContainsFunc(p.made[min(nth, p.body):p.body], needsContext)
}

func checkFailure(t *testing.T, wanted bool, err error, r driver.Result, at string) {
	if err == nil {
		assert.False(t, wanted, "no error of %s", at)
		return
	}
	var typed *cuda.Error
	assert.ErrorIs(t, err, cuda.Code(r), at)
	if assert.ErrorAs(t, err, &typed, at) {
		assert.NotEmpty(t, typed.Op, at)
	}
}
