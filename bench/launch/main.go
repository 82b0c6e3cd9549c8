// Command launch measures what launching a kernel costs: generated launches, prepared
// calls and batches against C's two forms, kernelParams and extra, in one process and in
// paired rounds. cudagen's form is kernelParams.
//
//	cc -O2 -shared -fPIC -o launch.so launch/c/launch.c -ldl
//	go run ./launch -c ./launch.so
//
// -peer adds the row of another process, as -peer "python3 peers/launch.py cupy".
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/cudagen/cudagen/bench/kernels"
	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// elements are few, so that the queue never makes the host wait for the device.
const elements = 256

// batchCalls is how many calls a batch has; it divides the launches of a round.
const batchCalls = 16

// A bench launches on one GPU, from Go and from C.
type bench struct {
	count   int // launches in a round
	dev     *cuda.Device
	kernels *example.Kernels
	own     *kernels.Kernels
	streams *race.Streams
	c       cSide
	wide    kernels.Wide
	strange *cuda.Buffer[float32] // of a stream that nothing is launched on
	on      [race.NumStreams]perStream
}

// A perStream has what is launched on one stream: buffers that were allocated there, and
// prepared calls with them.
type perStream struct {
	x, y   *cuda.Buffer[float32]
	args   example.SaxpyArgs
	saxpy  *example.SaxpyCall
	batch  *cuda.Batch
	twelve *kernels.TwelveCall
	large  *kernels.LargeCall
}

// A subject is a kernel's contestants: the first two are C's forms, and the third, if there is a
// floor, runtime.cgocall of a C function that launches.
type subject struct {
	what  string
	floor bool
	all   []*race.Contestant
}

// setsPerLaunch makes a round of Set, which queues nothing, about as long as one of launches: after
// what ran before it, the processor takes microseconds to know its branches.
const setsPerLaunch = 50

func main() {
	defer race.End()
	c, image := race.NewCSide("launch"), race.ImageFlag()
	own := flag.String("own", "kernels/kernels.ptx", "the benchmarks' image")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 400, "launches in a round, then a synchronize")
	commands := race.PeerFlag("a command that launches saxpy, too (may be given again)")
	flag.Parse()
	if *count%batchCalls != 0 {
		race.Do(fmt.Errorf("-count %d is no multiple of %d", *count, batchCalls))
	}
	b := newBench(c, *image, *own, *count)
	subjects := b.subjects()
	set := &race.Contestant{Name: "Set with the same configuration", Run: b.streams.Repeat(*count*setsPerLaunch, 1, func(*cuda.Stream) error {
		on := &b.on[b.streams.Number()]
		on.args.A++
		return on.saxpy.Set(on.args)
	})}
	var all []*race.Contestant
	for _, subject := range subjects {
		all = append(all, subject.all...)
	}
	peers, end := race.OpenPeers(*commands, *image, *count)
	defer end()
	race.Do(race.Run(append(append(all, set), peers...), *rounds))
	fmt.Printf("%s, %d rounds of %d launches\n\n", race.Machine(b.dev), *rounds, *count)
	fmt.Println("| what | path | ns (median) | ÷ C, kernelParams (median, 95 % interval) | ÷ C, extra | allocs |\n|---|---|---|---|---|---|")
	for _, subject := range subjects {
		for _, c := range subject.all {
			subject.print(c, fmt.Sprintf("%.2f", race.Allocations(c.Run, *count)))
		}
	}
	for _, c := range peers {
		subjects[0].print(c, "")
	}
	fmt.Printf("| saxpy, 4 parameters | %s | %.1f | | | %.2f |\n", set.Name, set.Median(), race.Allocations(set.Run, *count))
	race.PrintGoals(append(goals(subjects, set), race.PeerGoals("Saxpy.Launch", subjects[0].all[3], peers)...))
}

// subjects returns what is measured.
func (b *bench) subjects() []subject {
	each := func(f func(s *cuda.Stream, on *perStream) error) func() (float64, error) { return b.repeat(f, 1) }
	return []subject{
		{"saxpy, 4 parameters", true, []*race.Contestant{
			{Name: "C, kernelParams", Run: func() (float64, error) { return b.inC(0) }},
			{Name: "C, extra", Run: func() (float64, error) { return b.inC(1) }},
			{Name: "Go, runtime.cgocall of C, kernelParams", Run: b.throughC(b.c.oneSaxpy)},
			{Name: "Go, Saxpy.Launch", Run: each(func(s *cuda.Stream, on *perStream) error {
				return b.kernels.Saxpy.Launch(s, 2, on.x.All(), on.y.All())
			})},
			{Name: "Go, a prepared call", Run: each(func(s *cuda.Stream, on *perStream) error { return on.saxpy.Launch(s) })},
			{Name: fmt.Sprintf("Go, a batch of %d, each launch", batchCalls), Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.batch.Launch(s) }, batchCalls)},
			{Name: "Go, Saxpy.Launch, buffers of another stream", Run: each(func(s *cuda.Stream, on *perStream) error {
				return b.kernels.Saxpy.Launch(s, 2, on.x.All(), b.strange.All())
			})},
		}},
		{"12 parameters", true, []*race.Contestant{
			{Name: "C, kernelParams", Run: b.ownInC(&b.c.runTwelve, 0)},
			{Name: "C, extra", Run: b.ownInC(&b.c.runTwelve, 1)},
			{Name: "Go, runtime.cgocall of C, kernelParams", Run: b.throughC(b.c.oneTwelve)},
			{Name: "Go, Twelve.Launch", Run: b.repeat(func(s *cuda.Stream, on *perStream) error {
				out := on.y.All()
				return b.own.Twelve.Launch(s, out, out, out, out, 1, 2, 3, 4, 5, 6, 7, 8)
			}, 1)},
			{Name: "Go, a prepared call", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.twelve.Launch(s) }, 1)},
		}},
		{"a struct of 256 bytes", false, []*race.Contestant{
			{Name: "C, kernelParams", Run: b.ownInC(&b.c.runLarge, 0)},
			{Name: "C, extra", Run: b.ownInC(&b.c.runLarge, 1)},
			{Name: "Go, Large.Launch", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return b.own.Large.Launch(s, on.y.All(), b.wide) }, 1)},
			{Name: "Go, a prepared call", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.large.Launch(s) }, 1)},
		}},
	}
}

// goals returns the goals of bench/README.md.
func goals(subjects []subject, set *race.Contestant) []race.Goal {
	saxpy, twelve := subjects[0].all, subjects[1].all
	more := func(what string, all []*race.Contestant, i int, limit float64) race.Goal {
		return race.Goal{What: what + ": more than runtime.cgocall of C, ÷ C, kernelParams", Limit: limit, Got: race.Excess(all[i], all[2], all[0])}
	}
	return []race.Goal{
		more("Saxpy.Launch", saxpy, 3, 0.015),
		more("a prepared call of Saxpy", saxpy, 4, 0.01),
		more("Twelve.Launch", twelve, 3, 0.02),
		{What: fmt.Sprintf("a launch of a batch of %d ÷ C's faster form", batchCalls), Limit: 1.01, Got: race.Compare(saxpy[5], race.Faster(saxpy[0], saxpy[1]), race.Ratio)},
		{What: "Set with the same configuration, ns", Limit: 30, Got: race.Compare(set, set, func(a, _ float64) float64 { return a })},
	}
}

// print prints the row of c, which may be of another process.
func (s subject) print(c *race.Contestant, allocations string) {
	same, packed := race.Compare(c, s.all[0], race.Ratio), race.Compare(c, s.all[1], race.Ratio)
	fmt.Printf("| %s | %s | %.0f | %.3f (%.3f–%.3f) | %.3f (%.3f–%.3f) | %s |\n", s.what, c.Name, c.Median(),
		same.Median, same.Low, same.High, packed.Median, packed.Low, packed.High, allocations)
}

func newBench(c race.CSide, image, own string, count int) *bench {
	dev := race.Must(cuda.Open(0))
	b := &bench{count: count, dev: dev, kernels: race.Must(example.LoadKernels(dev)), own: race.Must(kernels.LoadKernels(dev)), streams: race.NewStreams(dev)}
	b.strange = race.Must(cuda.Upload(race.Must(dev.NewStream()), make([]float32, elements)))
	for i, s := range b.streams.All {
		b.on[i].prepare(s, b.kernels, b.own)
	}
	race.Do(c.Open(race.Must(os.ReadFile(image)), map[string]any{
		"load_own": &b.c.loadOwn, "run": &b.c.run, "run_twelve": &b.c.runTwelve, "run_large": &b.c.runLarge,
		"prepare_one": &b.c.prepareOne, "one_saxpy": &b.c.oneSaxpy, "one_twelve": &b.c.oneTwelve,
	}))
	race.Do(race.SetUp(b.c.loadOwn(string(race.Must(os.ReadFile(own))))))
	return b
}

// prepare makes the buffers on s, the calls and the batch.
func (p *perStream) prepare(s *cuda.Stream, k *example.Kernels, own *kernels.Kernels) {
	p.x = race.Must(cuda.Upload(s, make([]float32, elements)))
	p.y = race.Must(cuda.Upload(s, make([]float32, elements)))
	all := p.y.All()
	p.args = example.SaxpyArgs{A: 2, X: p.x.All(), Y: all}
	p.saxpy = race.Must(k.Saxpy.PrepareDefault(p.args))
	p.twelve = race.Must(own.Twelve.PrepareDefault(kernels.TwelveArgs{Out: all, A: all, B: all, C: all, I: 1, J: 2, M: 3, N: 4, F: 5, G: 6, D: 7, E: 8}))
	p.large = race.Must(own.Large.PrepareDefault(kernels.LargeArgs{Out: all}))
	calls := make([]cuda.Prepared, batchCalls)
	for i := range calls {
		calls[i] = p.saxpy.Clone()
	}
	p.batch = race.Must(cuda.NewBatch(calls...))
	p.batch.NeverGraph() // launches are measured
}

func (b *bench) inC(packed int32) (float64, error) {
	number := b.streams.Next()
	on := &b.on[number]
	return race.FromC(b.c.run(packed, int32(number), int32(b.count), elements, 2, on.x.Ptr().Address(), on.y.Ptr().Address()))
}

// ownInC launches one of the benchmarks' own kernels by C.
func (b *bench) ownInC(run *func(packed, number, count int32, out uint64) float64, packed int32) func() (float64, error) {
	return func() (float64, error) {
		number := b.streams.Next()
		return race.FromC((*run)(packed, int32(number), int32(b.count), b.on[number].y.Ptr().Address()))
	}
}

// throughC launches by a C function.
func (b *bench) throughC(one uintptr) func() (float64, error) {
	return race.ThroughC(b.dev, b.count, one, func() {
		number := b.streams.Next()
		on := &b.on[number]
		b.c.prepareOne(int32(number), elements, 2, on.x.Ptr().Address(), on.y.Ptr().Address())
	})
}

// repeat makes a contestant's Run of a function that enqueues so many launches.
func (b *bench) repeat(enqueue func(s *cuda.Stream, on *perStream) error, launches int) func() (float64, error) {
	return b.streams.Repeat(b.count, launches, func(s *cuda.Stream) error { return enqueue(s, &b.on[b.streams.Number()]) })
}

// cSide is c/launch.c.
type cSide struct {
	loadOwn    func(image string) int32
	run        func(packed, number, count, n int32, a float32, x, y uint64) float64
	runTwelve  func(packed, number, count int32, out uint64) float64
	runLarge   func(packed, number, count int32, out uint64) float64
	prepareOne func(number, n int32, a float32, x, y uint64)

	oneSaxpy, oneTwelve uintptr
}
