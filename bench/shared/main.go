// Command shared measures launches from 16 goroutines with a stream each that share one
// buffer, as the weights of a model are shared, against 16 threads of C: memory of the
// device, page-locked and managed memory, in one process and in paired rounds.
//
//	cc -O2 -shared -fPIC -pthread -o shared.so shared/c/shared.c -ldl
//	go run ./shared -c ./shared.so
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	library := flag.String("c", "./shared.so", "the C side, built from c/shared.c")
	driver := flag.String("driver", cmp.Or(os.Getenv("CUDAGEN_LIBCUDA"), "libcuda.so.1"), "the CUDA driver's library, for C")
	image := flag.String("image", "../example/kernels.ptx", "the example's image")
	rounds := flag.Int("rounds", 101, "paired rounds")
	launches := flag.Int("launches", 400, "launches of a goroutine or thread in a round, then a synchronize")
	flag.Parse()
	if err := run(*library, *driver, *image, *rounds, *launches); err != nil {
		fmt.Fprintln(os.Stderr, "shared:", err)
		os.Exit(1)
	}
}

const (
	goroutines = 16
	elements   = 256 // few, so that the queue never makes the host wait for the device
)

// A bench launches on one GPU, from Go and from C.
type bench struct {
	launches int // of a goroutine in a round
	kernels  *example.Kernels
	streams  [goroutines]*cuda.Stream
	own, y   [goroutines]*cuda.Buffer[float32] // each allocated on the stream of its number
	inC      func(count int32, x uint64, ys *uint64) float64
}

func run(library, driver, image string, rounds, launches int) error {
	dev, err := cuda.Open(0)
	if err != nil {
		return err
	}
	b := &bench{launches: launches}
	if b.kernels, err = example.LoadKernels(dev); err != nil {
		return err
	}
	for i := range b.streams {
		if b.streams[i], err = dev.NewStream(); err != nil {
			return err
		}
		for _, buffer := range []**cuda.Buffer[float32]{&b.own[i], &b.y[i]} {
			if *buffer, err = cuda.Upload(b.streams[i], make([]float32, elements)); err != nil {
				return err
			}
		}
	}
	locked, err := cuda.AllocHost[float32](dev, elements, cuda.HostConfig{})
	if err != nil {
		return err
	}
	managed, err := cuda.AllocManaged[float32](dev, elements)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // C's setup makes the context current here.
	if err := b.openC(library, driver, image); err != nil {
		return err
	}
	subjects := []struct {
		what string
		x    func(i int) cuda.Slice[float32]
	}{
		{"a buffer for each stream", func(i int) cuda.Slice[float32] { return b.own[i].All() }},
		{"one buffer of the device", func(int) cuda.Slice[float32] { return b.own[0].All() }},
		{"page-locked memory", func(int) cuda.Slice[float32] { return locked.All() }},
		{"managed memory", func(int) cuda.Slice[float32] { return managed.All() }},
	}
	fmt.Printf("%v, %s/%s, GOMAXPROCS %d, %d goroutines or threads with a stream each, %d rounds of %d launches of each\n\n",
		dev, runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), goroutines, rounds, launches)
	fmt.Println("| x | launches per second, C (median) | Go (median) | Go ÷ C (median, 95 % interval) |\n|---|---|---|---|")
	for _, subject := range subjects {
		inC := &race.Contestant{Name: "C, " + subject.what, Run: func() (float64, error) { return b.launchInC(subject.x(0)) }}
		inGo := &race.Contestant{Name: "Go, " + subject.what, Run: func() (float64, error) { return b.launchAtOnce(subject.x) }}
		if err := race.Run([]*race.Contestant{inC, inGo}, rounds); err != nil {
			return err
		}
		rate := race.Compare(inC, inGo, func(c, g float64) float64 { return c / g })
		fmt.Printf("| %s | %.3g million | %.3g million | %.3f (%.3f–%.3f) |\n", subject.what, 1e3/inC.Median(), 1e3/inGo.Median(), rate.Median, rate.Low, rate.High)
	}
	return nil
}

func (b *bench) openC(library, driver, image string) error {
	var setup func(driver, image string) int32
	if _, err := race.OpenC(library, map[string]any{"setup": &setup, "parallel": &b.inC}); err != nil {
		return err
	}
	ptx, err := os.ReadFile(image)
	if err != nil {
		return err
	}
	return race.SetUp(setup(driver, string(ptx)))
}

func (b *bench) launchInC(x cuda.Slice[float32]) (float64, error) {
	var ys [goroutines]uint64
	for i, y := range b.y {
		ys[i] = y.All().Address()
	}
	return race.FromC(b.inC(int32(b.launches), x.Address(), &ys[0]))
}

// A worker launches from a goroutine of its own on a stream of its own.
type worker struct {
	start, end time.Time
	err        error
}

// launchAtOnce launches from all goroutines at once. It returns the nanoseconds from the
// first launch to the last, divided by the number of all launches.
func (b *bench) launchAtOnce(x func(i int) cuda.Slice[float32]) (float64, error) {
	workers := make([]worker, goroutines)
	var missing atomic.Int32 // workers that are not ready
	missing.Store(goroutines)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { b.work(&workers[i], b.streams[i], x(i), b.y[i].All(), &missing) })
	}
	wg.Wait()
	var err error
	for _, w := range workers {
		err = errors.Join(err, w.err)
	}
	start := slices.MinFunc(workers, func(v, w worker) int { return v.start.Compare(w.start) }).start
	end := slices.MaxFunc(workers, func(v, w worker) int { return v.end.Compare(w.end) }).end
	return float64(end.Sub(start).Nanoseconds()) / float64(goroutines*b.launches), err
}

// work begins with a launch that is not timed, as C's does.
func (b *bench) work(w *worker, s *cuda.Stream, x, y cuda.Slice[float32], missing *atomic.Int32) {
	if w.err = b.kernels.Saxpy.Launch(s, 2, x, y); w.err == nil {
		w.err = s.Synchronize()
	}
	missing.Add(-1)
	for missing.Load() > 0 {
		runtime.Gosched()
	}
	w.start = time.Now()
	for i := 0; i < b.launches && w.err == nil; i++ {
		w.err = b.kernels.Saxpy.Launch(s, 2, x, y)
	}
	w.end = time.Now()
	if w.err == nil {
		w.err = s.Synchronize()
	}
}
