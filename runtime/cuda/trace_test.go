package cuda_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A traceEvent is an event of a trace as viewers read it.
type traceEvent struct {
	Name, Cat, Ph  string
	PID, TID       int64
	TS, Dur        float64
	Args           map[string]any
	process, track string
}

// readTrace reads a trace, whose end may be missing.
func readTrace(t testing.TB, text string) (events []traceEvent) {
	t.Helper()
	if !strings.HasSuffix(strings.TrimSpace(text), "]") {
		text += "]"
	}
	require.NoError(t, json.Unmarshal([]byte(text), &events), "%.2000s", text)
	names := make(map[string]string)
	for _, e := range events {
		if name, ok := e.Args["name"].(string); ok && e.Ph == "M" {
			names[fmt.Sprintf("%s %d/%d", e.Name, e.PID, e.TID)] = name
		}
	}
	for i := range events {
		e := &events[i]
		e.process, e.track = names[fmt.Sprintf("process_name %d/0", e.PID)], names[fmt.Sprintf("thread_name %d/%d", e.PID, e.TID)]
	}
	return events
}

// only returns the events of a name and a category on tracks of goroutines, or of streams.
func only(events []traceEvent, track, category, name string) (some []traceEvent) {
	for _, e := range events {
		if e.Ph == "X" && e.Cat == category && e.Name == name && strings.Contains(e.track, track) {
			some = append(some, e)
		}
	}
	return some
}

// A traced does known work on a device.
type traced struct {
	k     *example.Kernels
	s     *cuda.Stream
	x, y  *cuda.Buffer[float32]
	call  *example.SaxpyCall
	batch *cuda.Batch
	exec  *cuda.GraphExec
	bound *cuda.BoundKernel[saxpyArgs]
}

func newTraced(t testing.TB, dev *cuda.Device) *traced {
	w := &traced{}
	w.k, w.s = loaded(t, dev)
	w.x, w.y = upload(t, w.s, make([]float32, 1000)), upload(t, w.s, make([]float32, 1000))
	var err error
	w.call, err = w.k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: w.x.All(), Y: w.y.All()})
	require.NoError(t, err)
	other, err := w.k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: w.x.All(), Y: w.y.All()})
	require.NoError(t, err)
	w.batch, err = cuda.NewBatch(w.call, other)
	require.NoError(t, err)
	w.batch.NeverGraph()
	w.exec, err = cuda.BuildGraph(cuda.NewNode(w.call))
	require.NoError(t, err)
	t.Cleanup(func() { w.exec.Close() })
	bound := boundSaxpy(t, dev)
	t.Cleanup(func() { bound.library.Close() })
	w.bound = bound.kernel
	return w
}

// run launches saxpy 6 times: alone, bound, prepared, twice by a batch, with attributes; a graph once;
// and copies 4000 bytes on the device and 4000 to Go.
func (w *traced) run(t testing.TB) {
	t.Helper()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}
	require.NoError(t, w.k.Saxpy.Launch(w.s, 2, w.x.All(), w.y.All()))
	require.NoError(t, w.bound.LaunchArgsWith(w.s, cfg, &saxpyArgs{N: 1000, A: 1, X: w.x.All(), Y: w.y.All()}))
	require.NoError(t, w.call.Launch(w.s))
	require.NoError(t, w.batch.Launch(w.s))
	cfg.Attributes = new(cuda.LaunchAttributes)
	require.NoError(t, w.k.Saxpy.LaunchWith(w.s, cfg, 2, w.x.All(), w.y.All()))
	require.NoError(t, w.exec.Launch(w.s))
	require.NoError(t, cuda.Copy(w.y.All(), w.x.All()).Launch(w.s))
	require.NoError(t, w.y.CopyTo(w.s, make([]float32, 1000)))
	require.NoError(t, w.s.Wait(t.Context()))
}

// TestTrace: what is done during a trace is in it, on the tracks of its goroutine and its stream, and
// nothing else: what comes before and after is not.
func TestTrace(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for _, times := range []bool{false, true} {
			t.Run(fmt.Sprintf("times %v", times), func(t *testing.T) {
				w := newTraced(t, dev)
				for range 5 { // by now all launches are plain
					w.run(t)
				}
				var out bytes.Buffer
				trace, err := cuda.StartTrace(&out, cuda.TraceConfig{KernelTimes: times, Labels: true})
				require.NoError(t, err)
				defer trace.Close()
				_, err = cuda.StartTrace(io.Discard, cuda.TraceConfig{})
				assert.ErrorContains(t, err, "start a trace: there is one already: close it first")

				const rounds = 3
				require.NoError(t, w.s.SetName("main stream"))
				r := cuda.StartRange("three rounds")
				for range rounds {
					w.run(t)
				}
				r.End()
				memory, err := cuda.Alloc[byte](w.s, 12345)
				require.NoError(t, err)
				require.NoError(t, memory.Close())
				require.NoError(t, dev.Synchronize())
				require.NoError(t, trace.Close())
				require.NoError(t, trace.Close())
				w.run(t)
				require.True(t, json.Valid(out.Bytes()))

				events := readTrace(t, out.String())
				launches := only(events, "goroutine", "launch", "saxpy")
				assert.Len(t, launches, 7*rounds-rounds)
				assert.Len(t, only(events, "main stream: queued", "launch", "saxpy"), 6*rounds)
				assert.Equal(t, []any{4., 1., 1.}, launches[0].Args["grid"])
				assert.Equal(t, []any{256., 1., 1.}, launches[0].Args["block"])
				assert.Len(t, only(events, "goroutine", "graph", "graph"), rounds)
				toGo := only(events, "goroutine", "copy", "cuMemcpyDtoHAsync")
				require.Len(t, toGo, rounds)
				assert.Equal(t, 4000., toGo[0].Args["bytes"])
				assert.Len(t, only(events, "main stream: queued", "copy", "cuMemcpyDtoDAsync"), rounds)
				assert.Len(t, only(events, "goroutine", "wait", "Stream.Wait"), rounds)
				assert.Len(t, only(events, "goroutine", "memory", "cuMemFreeAsync"), 1)
				allocated := only(events, "goroutine", "memory", "cuMemAllocAsync")
				require.Len(t, allocated, 1)
				assert.Equal(t, 12345., allocated[0].Args["bytes"])

				ran := only(events, "main stream: ran", "launch", "saxpy")
				if !times {
					assert.Empty(t, ran)
				} else {
					assert.Len(t, ran, 6*rounds)
					assert.Len(t, only(events, "main stream: ran", "graph", "graph"), rounds)
					assert.Len(t, only(events, "main stream: ran", "copy", "cuMemcpyDtoHAsync"), rounds)
				}
				begun, ended := 0, 0
				for _, e := range events {
					if e.Name == "three rounds" {
						begun, ended = begun+strings.Count(e.Ph, "b"), ended+strings.Count(e.Ph, "e")
					}
				}
				assert.Equal(t, []int{1, 1}, []int{begun, ended})

				kernel := trace.Summary()[0]
				assert.Equal(t, []any{"saxpy", "kernel", dev.String(), 6 * rounds}, []any{kernel.Name, kernel.Kind, kernel.Device, kernel.Count})
				assert.Positive(t, kernel.MedianQueueing)
				assert.Positive(t, kernel.Occupancy)
				assert.LessOrEqual(t, kernel.Occupancy, 1.)
				for _, line := range trace.Summary() {
					if line.Name == "cuMemcpyDtoHAsync" {
						assert.Equal(t, []any{rounds, uint64(4000 * rounds)}, []any{line.Count, line.Bytes})
					}
				}
				assert.Contains(t, trace.Summary().String(), "saxpy")
			})
		}
	})
}

// TestTraceIsOffAfterwards: launches after a trace are as before it, and allocate nothing.
func TestTraceIsOffAfterwards(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		w := newTraced(t, dev)
		w.run(t)
		before := testing.AllocsPerRun(20, func() { w.k.Saxpy.Launch(w.s, 2, w.x.All(), w.y.All()); w.call.Launch(w.s) })
		trace, err := cuda.StartTrace(nil, cuda.TraceConfig{})
		require.NoError(t, err)
		w.run(t)
		require.NoError(t, trace.Close())
		w.run(t)
		assert.Equal(t, before, testing.AllocsPerRun(20, func() { w.k.Saxpy.Launch(w.s, 2, w.x.All(), w.y.All()); w.call.Launch(w.s) }))
		assert.Equal(t, 6, trace.Summary()[0].Count)
	})
}

// TestTraceWhileOthersWork: traces begin and end beside launches, which are counted once each, and
// devices that are opened and closed.
func TestTraceWhileOthersWork(t *testing.T) {
	dev := openSimulator(t)
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for range 4 {
		w := newTraced(t, dev)
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					w.run(t)
				}
			}
		})
	}
	workers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				other, err := cuda.OpenSimulator()
				if assert.NoError(t, err) {
					assert.NoError(t, other.Close())
				}
			}
		}
	})
	for i := range 10 {
		var out bytes.Buffer
		trace, err := cuda.StartTrace(&out, cuda.TraceConfig{KernelTimes: i%2 == 0, Labels: true})
		require.NoError(t, err)
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, trace.Close())
		count := 0
		for _, line := range trace.Summary() {
			if line.Kind == "kernel" {
				count += line.Count
			}
		}
		events := readTrace(t, out.String())
		assert.InDelta(t, count, len(only(events, "goroutine", "launch", "saxpy")), 4, "a launch on its way is counted, and its line may come too late")
		w := newTraced(t, dev)
		w.run(t)
	}
	close(stop)
	workers.Wait()
}

// TestTraceClosesBesideCalls: what is on its way into the driver when a trace is closed has events to
// record until it returns.
func TestTraceClosesBesideCalls(t *testing.T) {
	dev, library := openFake(t)
	w := newTraced(t, dev)
	host := make([]float32, 1000)
	for entryPoint, call := range map[string]func() error{
		"cuLaunchKernel":    func() error { return w.k.Saxpy.Launch(w.s, 2, w.x.All(), w.y.All()) },
		"cuGraphLaunch":     func() error { return w.exec.Launch(w.s) },
		"cuMemcpyDtoHAsync": func() error { return w.y.CopyTo(w.s, host) },
	} {
		t.Run(entryPoint, func(t *testing.T) {
			trace, err := cuda.StartTrace(nil, cuda.TraceConfig{KernelTimes: true})
			require.NoError(t, err)
			library.Reset()
			library.Stall()
			called := make(chan error, 1)
			go func() { called <- call() }()
			inTheDriver(library, entryPoint)
			require.NoError(t, trace.Close())
			assert.Zero(t, count(library.Calls(), "cuEventDestroy"))
			library.Resume()
			require.NoError(t, <-called)
			calls := library.Calls()
			first, last := slices.Index(calls, "cuEventDestroy"), -1
			for i, name := range calls {
				if name == "cuEventRecord" {
					last = i
				}
			}
			assert.Greater(t, first, last, "events are destroyed behind the last record of one")
		})
	}
}

// TestTraceNumbers: a device that is opened after another was closed has a number of its own.
func TestTraceNumbers(t *testing.T) {
	var out bytes.Buffer
	trace, err := cuda.StartTrace(&out, cuda.TraceConfig{})
	require.NoError(t, err)
	first, err := cuda.OpenSimulator()
	require.NoError(t, err)
	openSimulator(t)
	require.NoError(t, first.Close())
	openSimulator(t)
	require.NoError(t, trace.Close())
	seen := map[int64]bool{}
	for _, e := range readTrace(t, out.String()) {
		if e.Name == "process_name" {
			assert.False(t, seen[e.PID], "%v", e)
			seen[e.PID] = true
		}
	}
	assert.Len(t, seen, 4, "three devices and Go")
}

// TestTraceForgetsKernels: a trace keeps nothing of a library that was closed, but its totals.
func TestTraceForgetsKernels(t *testing.T) {
	dev := openSimulator(t)
	trace, err := cuda.StartTrace(nil, cuda.TraceConfig{})
	require.NoError(t, err)
	defer trace.Close()
	s := newStream(t, dev)
	x := upload(t, s, make([]float32, 10)).All()
	for range 3 {
		k, err := example.LoadKernels(dev)
		require.NoError(t, err)
		require.NoError(t, k.Saxpy.Launch(s, 2, x, x))
		assert.Equal(t, 1, cuda.TracedKernels(trace))
		require.NoError(t, k.Close())
		assert.Zero(t, cuda.TracedKernels(trace))
	}
	require.Len(t, trace.Summary(), 2, "and a copy")
	assert.Equal(t, 3, trace.Summary()[0].Count)
}

// TestNamesBefore: a trace has the names that streams had when it began.
func TestNamesBefore(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		require.NoError(t, s.SetName("uploads"))
		require.NoError(t, s.SetName("downloads"))
		var out bytes.Buffer
		trace, err := cuda.StartTrace(&out, cuda.TraceConfig{})
		require.NoError(t, err)
		defer trace.Close()
		upload(t, s, []float32{1})
		require.NoError(t, trace.Close())
		assert.Contains(t, out.String(), `"downloads: queued"`)
		assert.NotContains(t, out.String(), `"stream `)
	})
}

// TestNamesStay: a stream that was named gives its name to no other.
func TestNamesStay(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for _, named := range []bool{true, false} {
			s, err := dev.NewStream()
			require.NoError(t, err)
			if named {
				require.NoError(t, s.SetName("uploads"))
			}
			handle := cuda.HandleOf(s)
			require.NoError(t, s.Close())
			next := newStream(t, dev)
			if named {
				assert.NotEqual(t, handle, cuda.HandleOf(next))
			} else {
				assert.Equal(t, handle, cuda.HandleOf(next), "the control")
			}
		}
	})
}

// TestWatchable: a simulated device tells of every call that a trace shows, as libcuda's does.
func TestWatchable(t *testing.T) {
	files, err := filepath.Glob("../internal/driver/*.go")
	require.NoError(t, err)
	var methods []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && types.ExprString(f.Recv.List[0].Type) == "*watchable" {
				methods = append(methods, "cu"+f.Name.Name)
			}
		}
	}
	for _, name := range cuda.WatchedEntries() {
		assert.Contains(t, methods, name)
	}
}

var errDiskFull = errors.New("the disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDiskFull }

// TestTraceFileFails: the program goes on, and Close says what was wrong.
func TestTraceFileFails(t *testing.T) {
	dev := openSimulator(t)
	trace, err := cuda.StartTrace(fullDisk{}, cuda.TraceConfig{})
	require.NoError(t, err)
	newTraced(t, dev).run(t)
	err = trace.Close()
	assert.ErrorIs(t, err, errDiskFull)
	assert.ErrorContains(t, err, "cuda: write a trace: the disk is full")
}

// traceInChild is set in the process that TestTraceOfAProgram runs.
const traceInChild = "CUDAGEN_TEST_TRACE"

// TestTraceOfAProgram: CUDAGEN_TRACE alone traces a program, which may end as it likes.
func TestTraceOfAProgram(t *testing.T) {
	testenv.Need(t, testenv.Long)
	if how := os.Getenv(traceInChild); how != "" {
		if how == "itself" {
			trace, err := cuda.StartTrace(nil, cuda.TraceConfig{})
			require.NoError(t, err)
			defer trace.Close()
		}
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		newTraced(t, dev).run(t)
		if how == "exit" {
			time.Sleep(time.Second)
			os.Exit(0)
		}
		require.NoError(t, dev.Close())
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	run := func(how, file string, more ...string) (string, error) {
		command := exec.Command(self, "-test.run=^TestTraceOfAProgram$")
		command.Env = append(append(os.Environ(), traceInChild+"="+how, "CUDAGEN_TRACE="+file), more...)
		out, err := command.CombinedOutput()
		return string(out), err
	}
	for _, how := range []string{"close", "exit"} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			out, err := run(how, filepath.Join(dir, "run-%p.json"), "CUDAGEN_TRACE_KERNELS=1")
			require.NoError(t, err, out)
			files, err := filepath.Glob(filepath.Join(dir, "run-*.json"))
			require.NoError(t, err)
			require.Len(t, files, 1)
			text, err := os.ReadFile(files[0])
			require.NoError(t, err)
			events := readTrace(t, string(text))
			assert.Len(t, only(events, "goroutine", "launch", "saxpy"), 6)
			assert.Len(t, only(events, ": ran", "launch", "saxpy"), 6)
			assert.Equal(t, how == "close", json.Valid(text), "the end of the file")
			assert.Equal(t, how == "close", strings.Contains(out, "kernel, graph or copy"), "the summary: %s", out)
		})
	}
	t.Run("a file that cannot be", func(t *testing.T) {
		out, err := run("close", filepath.Join(t.TempDir(), "none", "run.json"))
		assert.Error(t, err)
		assert.Contains(t, out, "cuda: CUDAGEN_TRACE=")
	})
	t.Run("a program that traces itself", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "run.json")
		require.NoError(t, os.WriteFile(file, []byte("of the last run"), 0o600))
		out, err := run("itself", file)
		require.NoError(t, err, out)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, "of the last run", string(text))
	})
	t.Run("a file that another process writes", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "run.json")
		other, err := tracefile.Create(file)
		require.NoError(t, err)
		defer other.Close()
		out, err := run("close", file)
		assert.Error(t, err)
		assert.Contains(t, out, "another process writes its trace there: let %p in the name")
	})
	t.Run("a switch that is none", func(t *testing.T) {
		out, err := run("close", filepath.Join(t.TempDir(), "run.json"), "CUDAGEN_TRACE_KERNELS=all")
		assert.Error(t, err)
		assert.Contains(t, out, "cuda: CUDAGEN_TRACE_KERNELS=all: want 1 or 0")
	})
}

// BenchmarkLaunchTraced measures launches over the fake driver without a trace and with one, in turns:
// the least time of many short runs each, which other programs on the machine disturb little.
func BenchmarkLaunchTraced(b *testing.B) {
	dev, library := openFake(b)
	w := newTraced(b, dev)
	benchmarkTraced(b, w, library.Reset)
}

// BenchmarkLaunchTracedOnGPU is BenchmarkLaunchTraced on the machine's GPU. It is not for a process
// that has opened the fake driver.
func BenchmarkLaunchTracedOnGPU(b *testing.B) {
	testenv.Need(b, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, dev.Close()) })
	w := newTraced(b, dev)
	benchmarkTraced(b, w, func() { require.NoError(b, w.s.Synchronize()) })
}

func benchmarkTraced(b *testing.B, w *traced, between func()) {
	const launches, bursts = 200, 50
	ways := []struct {
		name  string
		trace bool
		cfg   cuda.TraceConfig
		least time.Duration
	}{{name: "off"}, {name: "on", trace: true}, {name: "labels", trace: true, cfg: cuda.TraceConfig{Labels: true}}, {name: "times", trace: true, cfg: cuda.TraceConfig{KernelTimes: true}}, {name: "off-again"}}
	for b.Loop() {
		for i := range ways {
			way := &ways[i]
			var trace *cuda.Trace
			if way.trace {
				var err error
				trace, err = cuda.StartTrace(io.Discard, way.cfg)
				require.NoError(b, err)
			}
			for range bursts {
				between()
				began := time.Now()
				for range launches {
					if err := w.k.Saxpy.Launch(w.s, 2, w.x.All(), w.y.All()); err != nil {
						b.Fatal(err)
					}
				}
				if took := time.Since(began) / launches; way.least == 0 || took < way.least {
					way.least = took
				}
			}
			between()
			require.NoError(b, trace.Close())
		}
	}
	for _, way := range ways {
		b.ReportMetric(float64(way.least.Nanoseconds()), way.name+"-ns/launch")
	}
}

// TestProfileLabels: a CPU profile says for which kernel the time was spent.
func TestProfileLabels(t *testing.T) {
	dev, library := openFake(t) // where launching is all the work
	w := newTraced(t, dev)
	profile := func(labels bool) string {
		trace, err := cuda.StartTrace(nil, cuda.TraceConfig{Labels: labels})
		require.NoError(t, err)
		defer trace.Close()
		var out bytes.Buffer
		require.NoError(t, pprof.StartCPUProfile(&out))
		for began := time.Now(); time.Since(began) < time.Second; {
			for range 1000 {
				if err := w.call.Launch(w.s); err != nil {
					t.Fatal(err)
				}
			}
			library.Reset()
		}
		pprof.StopCPUProfile()
		r, err := gzip.NewReader(&out)
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(text)
	}
	assert.Contains(t, profile(true), "cuda_kernel")
	assert.NotContains(t, profile(false), "cuda_kernel", "the control")
}
