// Command operations measures what a program does on streams besides launching: recording
// events, copies, memsets, allocations, and launches from eight goroutines at once; each
// against C, in one process and in paired rounds.
//
//	cc -O2 -shared -fPIC -pthread -o operations.so operations/c/operations.c -ldl
//	go run ./operations -c ./operations.so
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	library := flag.String("c", "./operations.so", "the C side, built from c/operations.c")
	driver := flag.String("driver", cmp.Or(os.Getenv("CUDAGEN_LIBCUDA"), "libcuda.so.1"), "the CUDA driver's library, for C")
	image := flag.String("image", "../example/kernels.ptx", "the example's image")
	rounds := flag.Int("rounds", 201, "paired rounds")
	count := flag.Int("count", 200, "operations in a round, then a synchronize")
	launches := flag.Int("launches", 400, "launches of a goroutine or thread in a round, then a synchronize")
	flag.Parse()
	if err := run(*library, *driver, *image, *rounds, *count, *launches); err != nil {
		fmt.Fprintln(os.Stderr, "operations:", err)
		os.Exit(1)
	}
}

// elements are few, so that the queue never makes the host wait for the device.
const elements = 256

// bytes is what a copy, a memset and an allocation have.
const bytes = 4096

// A bench works on one GPU, from Go and from C.
type bench struct {
	count, launches int // in a round
	dev             *cuda.Device
	kernels         *example.Kernels
	streams         *race.Streams
	c               *cSide

	event  *cuda.Event
	host   *cuda.HostBuffer[byte]
	memory [race.NumStreams]*cuda.Buffer[byte] // each allocated on the stream of its number
	x, y   [race.NumStreams]*cuda.Buffer[float32]
}

// An operation is measured in C, in Go by way of a C function, and in Go.
type operation struct {
	what  string
	c     inC
	limit float64 // of the ns that Go takes more than runtime.cgocall of C
	do    func(s *cuda.Stream) error

	inC, throughC, inGo *race.Contestant
}

// inC is an operation in C: one that is done count times, and the address of a function that
// does it once.
type inC struct {
	many func(number, count int32) float64
	one  uintptr
}

func run(library, driver, image string, rounds, count, launches int) error {
	b, err := newBench(library, driver, image, count, launches)
	if err != nil {
		return err
	}
	operations := b.operations()
	floor := &race.Contestant{Name: "an empty call into C", Run: b.streams.Repeat(b.count, 1, func(*cuda.Stream) error { race.Cgocall(b.c.nothing, nil); return nil })}
	all := []*race.Contestant{floor}
	for i := range operations {
		o := &operations[i]
		o.inC = &race.Contestant{Name: "C, " + o.what, Run: func() (float64, error) {
			return race.FromC(o.c.many(int32(b.streams.Next()), int32(b.count)))
		}}
		o.throughC = &race.Contestant{Name: "Go, runtime.cgocall of C, " + o.what, Run: b.throughC(o.c.one)}
		o.inGo = &race.Contestant{Name: "Go, " + o.what, Run: b.streams.Repeat(b.count, 1, o.do)}
		all = append(all, o.inC, o.throughC, o.inGo)
	}
	if err := race.Run(all, rounds); err != nil {
		return err
	}
	major, minor := b.dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d operations; an empty call into C (runtime.cgocall) takes %.0f ns\n\n", b.dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count, floor.Median())
	fmt.Println("| operation | C, ns (median) | runtime.cgocall of C, ns more (median, 95 % interval) | Go, ns more than C | Go, ns more than runtime.cgocall of C | allocs |\n|---|---|---|---|---|---|")
	var goals []race.Goal
	for _, o := range operations {
		through, more, above := race.Compare(o.throughC, o.inC, race.Minus), race.Compare(o.inGo, o.inC, race.Minus), race.Compare(o.inGo, o.throughC, race.Minus)
		fmt.Printf("| %s | %.0f | %.0f (%.0f–%.0f) | %.0f (%.0f–%.0f) | %.0f (%.0f–%.0f) | %.2f |\n", o.what, o.inC.Median(), through.Median, through.Low, through.High,
			more.Median, more.Low, more.High, above.Median, above.Low, above.High, race.Allocations(o.inGo.Run, count))
		goals = append(goals, race.Goal{What: o.what + ": ns more than runtime.cgocall of C", Limit: o.limit, Got: above})
	}
	rate, err := b.parallel(rounds)
	if err != nil {
		return err
	}
	goals = append(goals, race.Goal{What: "launches of 8 goroutines: C's rate ÷ Go's", Limit: 1 / 0.95, Got: rate})
	race.PrintGoals(goals)
	return nil
}

// throughC does an operation by a C function, the least that it can cost in Go.
func (b *bench) throughC(one uintptr) func() (float64, error) {
	return func() (float64, error) {
		b.c.prepareOne(int32(b.streams.Next()))
		start := time.Now()
		for range b.count {
			if r := race.Cgocall(one, nil); r != 0 {
				return 0, cuda.Code(r)
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(b.count), b.dev.Synchronize()
	}
}

// parallel prints the row of launches from several threads and goroutines, and returns how much
// longer Go's take.
func (b *bench) parallel(rounds int) (race.Summary, error) {
	inC := &race.Contestant{Name: "C, parallel launches", Run: func() (float64, error) { return race.FromC(b.c.parallel(int32(b.launches))) }}
	inGo := &race.Contestant{Name: "Go, parallel launches", Run: b.launchAtOnce}
	if err := race.Run([]*race.Contestant{inC, inGo}, rounds); err != nil {
		return race.Summary{}, err
	}
	rate := race.Compare(inC, inGo, race.Ratio)
	fmt.Printf("\n%d goroutines or threads with a stream each, %d rounds of %d launches of each\n\n", race.NumStreams, rounds, b.launches)
	fmt.Println("| launches per second, C (median) | Go (median) | Go ÷ C (median, 95 % interval) |\n|---|---|---|")
	fmt.Printf("| %.3g million | %.3g million | %.3f (%.3f–%.3f) |\n", 1e3/inC.Median(), 1e3/inGo.Median(), rate.Median, rate.Low, rate.High)
	return race.Compare(inGo, inC, race.Ratio), nil
}

func (b *bench) operations() []operation {
	memory := func() cuda.Slice[byte] { return b.memory[b.streams.Number()].All() }
	host := b.host.All()
	return []operation{
		{what: "record an event", c: b.c.record, limit: 20, do: func(s *cuda.Stream) error { return b.event.Record(s) }},
		{what: "copy 4 KiB, page-locked, to the device", c: b.c.copyIn, limit: 60, do: func(s *cuda.Stream) error { return cuda.Copy(memory(), host).Launch(s) }},
		{what: "copy 4 KiB, page-locked, from the device", c: b.c.copyOut, limit: 60, do: func(s *cuda.Stream) error { return cuda.Copy(host, memory()).Launch(s) }},
		{what: "memset of 4 KiB: Fill", c: b.c.set, limit: 50, do: func(s *cuda.Stream) error { return cuda.Fill(memory(), 1).Launch(s) }},
		{what: "memset of 4 KiB: Clear", c: b.c.set, limit: 50, do: func(s *cuda.Stream) error { return memory().Clear(s) }},
		{what: "allocate 4 KiB from the pool and free it", c: b.c.allocate, limit: 150, do: func(s *cuda.Stream) error {
			m, err := cuda.Alloc[byte](s, bytes)
			if err != nil {
				return err
			}
			return m.Close()
		}},
	}
}

func newBench(library, driver, image string, count, launches int) (*bench, error) {
	dev, err := cuda.Open(0)
	if err != nil {
		return nil, err
	}
	b := &bench{count: count, launches: launches, dev: dev}
	if b.kernels, err = example.LoadKernels(dev); err != nil {
		return nil, err
	}
	if b.streams, err = race.NewStreams(dev); err != nil {
		return nil, err
	}
	if err := b.allocate(); err != nil {
		return nil, err
	}
	runtime.LockOSThread() // C's setup makes the context current here.
	b.c, err = openC(library, driver, image)
	return b, err
}

// allocate makes the event and the memory. The device's pool, which is Go's and C's, keeps
// what is freed: else each synchronize would give it back to the system.
func (b *bench) allocate() error {
	pool, err := b.dev.DefaultPool()
	if err != nil {
		return err
	}
	if err := pool.SetReleaseThreshold(math.MaxUint64); err != nil {
		return err
	}
	if b.event, err = b.dev.NewEvent(cuda.EventConfig{}); err != nil {
		return err
	}
	if b.host, err = cuda.AllocHost[byte](b.dev, bytes, cuda.HostConfig{}); err != nil {
		return err
	}
	for i, s := range b.streams.All {
		if b.memory[i], err = cuda.Alloc[byte](s, bytes); err != nil {
			return err
		}
		for _, buffer := range []**cuda.Buffer[float32]{&b.x[i], &b.y[i]} {
			if *buffer, err = cuda.Upload(s, make([]float32, elements)); err != nil {
				return err
			}
		}
	}
	return nil
}

// cSide is c/operations.c.
type cSide struct {
	setup                                  func(driver, image string) int32
	record, copyIn, copyOut, set, allocate inC
	prepareOne                             func(number int32)
	parallel                               func(count int32) float64
	nothing                                uintptr
}

func openC(library, driver, image string) (*cSide, error) {
	var c cSide
	operations := map[string]*inC{"record": &c.record, "copy_in": &c.copyIn, "copy_out": &c.copyOut, "set": &c.set, "allocate": &c.allocate}
	functions := map[string]any{"setup": &c.setup, "prepare_one": &c.prepareOne, "parallel": &c.parallel}
	for name, o := range operations {
		functions[name] = &o.many
	}
	handle, err := race.OpenC(library, functions)
	if err != nil {
		return nil, err
	}
	for name, o := range operations {
		if o.one, err = purego.Dlsym(handle, "one_"+name); err != nil {
			return nil, err
		}
	}
	if c.nothing, err = purego.Dlsym(handle, "nothing"); err != nil {
		return nil, err
	}
	ptx, err := os.ReadFile(image)
	if err != nil {
		return nil, err
	}
	return &c, race.SetUp(c.setup(driver, string(ptx)))
}
