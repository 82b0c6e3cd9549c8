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
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

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
	c               cSide

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

func main() {
	defer race.End()
	c, image := race.NewCSide("operations"), race.ImageFlag()
	rounds := flag.Int("rounds", 201, "paired rounds")
	count := flag.Int("count", 200, "operations in a round, then a synchronize")
	launches := flag.Int("launches", 400, "launches of a goroutine or thread in a round, then a synchronize")
	flag.Parse()
	b := newBench(c, *image, *count, *launches)
	operations := b.operations()
	floor := &race.Contestant{Name: "an empty call into C", Run: b.streams.Repeat(b.count, 1, func(*cuda.Stream) error { race.Cgocall(b.c.nothing, nil); return nil })}
	all := []*race.Contestant{floor}
	for i := range operations {
		o := &operations[i]
		o.inC = race.InC(o.what, func() float64 { return o.c.many(int32(b.streams.Next()), int32(b.count)) })
		o.throughC = &race.Contestant{Name: "Go, runtime.cgocall of C, " + o.what, Run: race.ThroughC(b.dev, b.count, o.c.one, func() { b.c.prepareOne(int32(b.streams.Next())) })}
		o.inGo = &race.Contestant{Name: "Go, " + o.what, Run: b.streams.Repeat(b.count, 1, o.do)}
		all = append(all, o.inC, o.throughC, o.inGo)
	}
	race.Do(race.Run(all, *rounds))
	fmt.Printf("%s, %d rounds of %d operations; an empty call into C (runtime.cgocall) takes %.0f ns\n\n", race.Machine(b.dev), *rounds, *count, floor.Median())
	fmt.Println("| operation | C, ns (median) | runtime.cgocall of C, ns more (median, 95 % interval) | Go, ns more than C | Go, ns more than runtime.cgocall of C | allocs |\n|---|---|---|---|---|---|")
	var goals []race.Goal
	for _, o := range operations {
		through, more, above := race.Compare(o.throughC, o.inC, race.Minus), race.Compare(o.inGo, o.inC, race.Minus), race.Compare(o.inGo, o.throughC, race.Minus)
		fmt.Printf("| %s | %.0f | %.0f (%.0f–%.0f) | %.0f (%.0f–%.0f) | %.0f (%.0f–%.0f) | %.2f |\n", o.what, o.inC.Median(), through.Median, through.Low, through.High,
			more.Median, more.Low, more.High, above.Median, above.Low, above.High, race.Allocations(o.inGo.Run, *count))
		goals = append(goals, race.Goal{What: o.what + ": ns more than runtime.cgocall of C", Limit: o.limit, Got: above})
	}
	race.PrintGoals(append(goals, race.Goal{What: "launches of 8 goroutines: C's rate ÷ Go's", Limit: 1 / 0.95, Got: b.parallel(*rounds)}))
}

// parallel prints the row of launches from several threads and goroutines, and returns how much
// longer Go's take.
func (b *bench) parallel(rounds int) race.Summary {
	inC := race.InC("parallel launches", func() float64 { return b.c.parallel(int32(b.launches)) })
	inGo := &race.Contestant{Name: "Go, parallel launches", Run: func() (float64, error) {
		return race.AtOnce(b.streams.All[:], b.launches, func(i int) func() error {
			s, x, y := b.streams.All[i], b.x[i].All(), b.y[i].All()
			return func() error { return b.kernels.Saxpy.Launch(s, 2, x, y) }
		})
	}}
	race.Do(race.Run([]*race.Contestant{inC, inGo}, rounds))
	rate := race.Compare(inC, inGo, race.Ratio)
	fmt.Printf("\n%d goroutines or threads with a stream each, %d rounds of %d launches of each\n\n", race.NumStreams, rounds, b.launches)
	fmt.Println("| launches per second, C (median) | Go (median) | Go ÷ C (median, 95 % interval) |\n|---|---|---|")
	fmt.Printf("| %.3g million | %.3g million | %.3f (%.3f–%.3f) |\n", 1e3/inC.Median(), 1e3/inGo.Median(), rate.Median, rate.Low, rate.High)
	return race.Compare(inGo, inC, race.Ratio)
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

// newBench makes the event and the memory. The device's pool, which is Go's and C's, keeps
// what is freed: else each synchronize would give it back to the system.
func newBench(c race.CSide, image string, count, launches int) *bench {
	dev := race.Must(cuda.Open(0))
	b := &bench{count: count, launches: launches, dev: dev, kernels: race.Must(example.LoadKernels(dev)), streams: race.NewStreams(dev)}
	race.Do(race.Must(dev.DefaultPool()).SetReleaseThreshold(math.MaxUint64))
	b.event = race.Must(dev.NewEvent(cuda.EventConfig{}))
	b.host = race.Must(cuda.AllocHost[byte](dev, bytes, cuda.HostConfig{}))
	for i, s := range b.streams.All {
		b.memory[i] = race.Must(cuda.Alloc[byte](s, bytes))
		b.x[i] = race.Must(cuda.Upload(s, make([]float32, elements)))
		b.y[i] = race.Must(cuda.Upload(s, make([]float32, elements)))
	}
	functions := map[string]any{"prepare_one": &b.c.prepareOne, "parallel": &b.c.parallel, "nothing": &b.c.nothing}
	for name, o := range map[string]*inC{"record": &b.c.record, "copy_in": &b.c.copyIn, "copy_out": &b.c.copyOut, "set": &b.c.set, "allocate": &b.c.allocate} {
		functions[name], functions["one_"+name] = &o.many, &o.one
	}
	race.Do(c.Open(race.Must(os.ReadFile(image)), functions))
	return b
}

// cSide is c/operations.c.
type cSide struct {
	record, copyIn, copyOut, set, allocate inC
	prepareOne                             func(number int32)
	parallel                               func(count int32) float64
	nothing                                uintptr
}
