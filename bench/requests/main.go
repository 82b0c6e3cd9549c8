// Command requests serves many requests in one process, as a server does for months: each has a
// stream, two buffers, an event and a graph of its own, and closes them. It compares what the
// process has kept after few requests with what it has kept after many.
//
//	go run ./requests
//
// Over the fake driver it counts the driver's objects too.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	defer race.End()
	few := flag.Int("few", 1000, "requests before the first look")
	many := flag.Int("many", 100000, "requests before the last look")
	workers := flag.Int("workers", 8, "goroutines that serve")
	threads := flag.Int("threads", 128, "threads that Go has before")
	goroutines := flag.Int("goroutines", 4096, "goroutines that Go has had before")
	leak := flag.Bool("leak", false, "keep each request's event, to see that it shows")
	flag.Parse()
	run(*few, *many, *workers, *threads, *goroutines, *leak)
}

const elements = 256

// A server serves requests on one device.
type server struct {
	dev     *cuda.Device
	kernels *example.Kernels
	fake    *fakecuda.Library // nil on a GPU
	leaked  func(*cuda.Event) // nil unless asked for
}

// A look is what the process has at a moment when no request is served.
type look struct {
	heap, used uint64 // bytes: of Go's live objects, and of the device's memory
	goroutines int
	threads    int
	objects    map[string]int // of the fake driver
}

func run(few, many, workers, idleThreads, idleGoroutines int, leak bool) {
	dev := race.Must(cuda.Open(0))
	s := &server{dev: dev, kernels: race.Must(example.LoadKernels(dev))}
	if leak {
		var mu sync.Mutex
		var kept []*cuda.Event
		s.leaked = func(e *cuda.Event) {
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, e)
		}
	}
	if path := os.Getenv("CUDAGEN_LIBCUDA"); path != "" && bytes.Contains([]byte(dev.String()), []byte("Fake GPU")) {
		s.fake = race.Must(fakecuda.LoadFile(path))
	}
	makeIdle(idleThreads, idleGoroutines)
	began := time.Now()
	race.Do(s.serve(few, workers))
	before := race.Must(s.look())
	race.Do(s.serve(many-few, workers))
	took := time.Since(began)
	after := race.Must(s.look())
	fmt.Printf("%v, %s/%s, %s: %d goroutines, %.0f requests a second\n\n", dev, runtime.GOOS, runtime.GOARCH, runtime.Version(), workers, float64(many)/took.Seconds())
	fmt.Println("| requests | live heap, KiB | goroutines | threads | device memory in use, MiB | driver's objects |\n|---|---|---|---|---|---|")
	for _, row := range []struct {
		n int
		l look
	}{{few, before}, {many, after}} {
		objects := "not counted"
		if s.fake != nil {
			objects = fmt.Sprint(row.l.objects)
		}
		fmt.Printf("| %d | %.1f | %d | %d | %.1f | %s |\n", row.n, float64(row.l.heap)/1024, row.l.goroutines, row.l.threads, float64(row.l.used)/(1<<20), objects)
	}
	more := func(what string, before, after, limit float64) race.Goal {
		return race.Goal{What: what, Limit: limit, Got: race.Summary{Median: after - before, Low: after - before, High: after - before}}
	}
	goals := []race.Goal{
		more("live heap: KiB more", float64(before.heap)/1024, float64(after.heap)/1024, max(64, 0.01*float64(before.heap)/1024)),
		more("goroutines more", float64(before.goroutines), float64(after.goroutines), 0),
		more("threads more", float64(before.threads), float64(after.threads), 0),
		more("device memory: MiB more", float64(before.used)/(1<<20), float64(after.used)/(1<<20), 0),
	}
	for _, name := range slices.Sorted(maps.Keys(before.objects)) {
		goals = append(goals, more("driver's "+name+" more", float64(before.objects[name]), float64(after.objects[name]), 0))
	}
	race.PrintGoals(goals)
}

// makeIdle has Go make threads and goroutines. It keeps what it needs for each, 8 KiB and half a KiB of
// its heap, after they have ended. How many the requests need at once varies, and this does not count
// as theirs.
func makeIdle(threads, goroutines int) {
	var all, done sync.WaitGroup
	all.Add(goroutines)
	for i := range goroutines {
		done.Go(func() {
			if i < threads {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			all.Done()
			all.Wait()
		})
	}
	done.Wait()
}

// serve serves n requests and waits for them.
func (s *server) serve(n, workers int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	failures := make(chan error, workers)
	for range workers {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				if err := s.request(); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failures)
	var all []error
	for err := range failures {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// request computes y = 2x + y twice, in a graph.
func (s *server) request() (err error) {
	stream, err := s.dev.NewStream()
	if err != nil {
		return err
	}
	closed := func(c interface{ Close() error }) { err = errors.Join(err, c.Close()) }
	defer closed(stream)
	host := make([]float32, elements)
	for i := range host {
		host[i] = float32(i)
	}
	x, err := cuda.Upload(stream, host)
	if err != nil {
		return err
	}
	defer closed(x)
	y, err := cuda.Upload(stream, make([]float32, elements))
	if err != nil {
		return err
	}
	defer closed(y)
	event, err := s.dev.NewEvent(cuda.EventConfig{})
	if err != nil {
		return err
	}
	if s.leaked != nil {
		s.leaked(event)
	} else {
		defer closed(event)
	}
	call, err := s.kernels.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
	if err != nil {
		return err
	}
	graph, err := cuda.BuildGraph(cuda.NewNode(call).After(cuda.NewNode(call)))
	if err != nil {
		return err
	}
	defer closed(graph)
	if err := graph.Launch(stream); err != nil {
		return err
	}
	if err := event.Record(stream); err != nil {
		return err
	}
	if err := event.Synchronize(); err != nil {
		return err
	}
	if err := y.CopyTo(stream, host); err != nil {
		return err
	}
	for i, value := range host {
		if s.fake == nil && value != 4*float32(i) {
			return fmt.Errorf("y[%d] is %v, want %v", i, value, 4*float32(i))
		}
	}
	return nil
}

// look waits until what was closed is gone, and looks.
func (s *server) look() (l look, err error) {
	if err := s.dev.Synchronize(); err != nil {
		return l, err
	}
	for range 5 {
		runtime.GC()
		time.Sleep(20 * time.Millisecond) // cleanups run beside
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.heap, l.goroutines, l.threads = m.HeapAlloc, runtime.NumGoroutine(), int(race.Status("Threads"))
	free, total, err := s.dev.MemoryInfo()
	if err != nil {
		return l, err
	}
	l.used = total - free
	if s.fake != nil {
		l.objects = map[string]int{"streams": s.fake.Live(fakecuda.Stream), "memory": s.fake.Live(fakecuda.Memory), "events": s.fake.Live(fakecuda.Event),
			"graphs": s.fake.Live(fakecuda.Graph), "execs": s.fake.Live(fakecuda.GraphExec)}
		s.fake.Reset() // the log of calls
	}
	return l, nil
}
