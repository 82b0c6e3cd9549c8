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
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/bench/kernels"
	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	library := flag.String("c", "./launch.so", "the C side, built from c/launch.c")
	driver := flag.String("driver", cmp.Or(os.Getenv("CUDAGEN_LIBCUDA"), "libcuda.so.1"), "the CUDA driver's library, for C")
	image := flag.String("image", "../example/kernels.ptx", "the example's image")
	own := flag.String("own", "kernels/kernels.ptx", "the benchmarks' image")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 400, "launches in a round, then a synchronize")
	var peers []string
	flag.Func("peer", "a command that launches saxpy, too (may be given again)", race.Peers(&peers))
	flag.Parse()
	if err := run(*library, *driver, *image, *own, *rounds, *count, peers); err != nil {
		fmt.Fprintln(os.Stderr, "launch:", err)
		os.Exit(1)
	}
}

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
	c       *cSide
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

func run(library, driver, image, own string, rounds, count int, commands []string) error {
	if count%batchCalls != 0 {
		return fmt.Errorf("-count %d is no multiple of %d", count, batchCalls)
	}
	b, err := newBench(library, driver, image, own, count)
	if err != nil {
		return err
	}
	subjects := b.subjects()
	set := &race.Contestant{Name: "Set with the same configuration", Run: b.streams.Repeat(count*setsPerLaunch, 1, func(*cuda.Stream) error {
		on := &b.on[b.streams.Number()]
		on.args.A++
		return on.saxpy.Set(on.args)
	})}
	var all []*race.Contestant
	for _, subject := range subjects {
		all = append(all, subject.all...)
	}
	peers, end := race.OpenPeers(commands, image, count)
	defer end()
	if err := race.Run(append(append(all, set), peers...), rounds); err != nil {
		return err
	}
	major, minor := b.dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches\n\n", b.dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count)
	fmt.Println("| what | path | ns (median) | ÷ C, kernelParams (median, 95 % interval) | ÷ C, extra | allocs |\n|---|---|---|---|---|---|")
	for _, subject := range subjects {
		for _, c := range subject.all {
			subject.print(c, fmt.Sprintf("%.2f", race.Allocations(c.Run, count)))
		}
	}
	for _, c := range peers {
		subjects[0].print(c, "")
	}
	fmt.Printf("| saxpy, 4 parameters | %s | %.1f | | | %.2f |\n", set.Name, set.Median(), race.Allocations(set.Run, count))
	race.PrintGoals(append(goals(subjects, set), race.PeerGoals("Saxpy.Launch", subjects[0].all[3], peers)...))
	return nil
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

func newBench(library, driver, image, own string, count int) (*bench, error) {
	dev, err := cuda.Open(0)
	if err != nil {
		return nil, err
	}
	b := &bench{count: count, dev: dev}
	if b.kernels, err = example.LoadKernels(dev); err != nil {
		return nil, err
	}
	if b.own, err = kernels.LoadKernels(dev); err != nil {
		return nil, err
	}
	if b.streams, err = race.NewStreams(dev); err != nil {
		return nil, err
	}
	elsewhere, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	if b.strange, err = cuda.Upload(elsewhere, make([]float32, elements)); err != nil {
		return nil, err
	}
	for i, s := range b.streams.All {
		if err := b.on[i].prepare(s, b.kernels, b.own); err != nil {
			return nil, err
		}
	}
	runtime.LockOSThread() // C's setup makes the context current here.
	b.c, err = openC(library, driver, image, own)
	return b, err
}

// prepare makes the buffers on s, the calls and the batch.
func (p *perStream) prepare(s *cuda.Stream, k *example.Kernels, own *kernels.Kernels) (err error) {
	for _, buffer := range []**cuda.Buffer[float32]{&p.x, &p.y} {
		if *buffer, err = cuda.Upload(s, make([]float32, elements)); err != nil {
			return err
		}
	}
	all := p.y.All()
	p.args = example.SaxpyArgs{A: 2, X: p.x.All(), Y: all}
	if p.saxpy, err = k.Saxpy.PrepareDefault(p.args); err != nil {
		return err
	}
	if p.twelve, err = own.Twelve.PrepareDefault(kernels.TwelveArgs{Out: all, A: all, B: all, C: all, I: 1, J: 2, M: 3, N: 4, F: 5, G: 6, D: 7, E: 8}); err != nil {
		return err
	}
	if p.large, err = own.Large.PrepareDefault(kernels.LargeArgs{Out: all}); err != nil {
		return err
	}
	calls := make([]cuda.Prepared, batchCalls)
	for i := range calls {
		calls[i] = p.saxpy.Clone()
	}
	p.batch, err = cuda.NewBatch(calls...)
	p.batch.NeverGraph() // launches are measured
	return err
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

// throughC launches by a C function: the least that a launch from Go can cost.
func (b *bench) throughC(one uintptr) func() (float64, error) {
	return func() (float64, error) {
		number := b.streams.Next()
		on := &b.on[number]
		b.c.prepareOne(int32(number), elements, 2, on.x.Ptr().Address(), on.y.Ptr().Address())
		start := time.Now()
		for range b.count {
			if r := race.Cgocall(one, nil); r != 0 {
				return 0, cuda.Code(r)
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(b.count), b.dev.Synchronize()
	}
}

// repeat makes a contestant of a function that enqueues so many launches.
func (b *bench) repeat(enqueue func(s *cuda.Stream, on *perStream) error, launches int) func() (float64, error) {
	return b.streams.Repeat(b.count, launches, func(s *cuda.Stream) error { return enqueue(s, &b.on[b.streams.Number()]) })
}

// cSide is c/launch.c.
type cSide struct {
	setup      func(driver, image, own string) int32
	run        func(packed, number, count, n int32, a float32, x, y uint64) float64
	runTwelve  func(packed, number, count int32, out uint64) float64
	runLarge   func(packed, number, count int32, out uint64) float64
	prepareOne func(number, n int32, a float32, x, y uint64)

	oneSaxpy, oneTwelve uintptr
}

func openC(library, driver, image, own string) (*cSide, error) {
	var c cSide
	handle, err := race.OpenC(library, map[string]any{
		"setup": &c.setup, "run": &c.run, "run_twelve": &c.runTwelve, "run_large": &c.runLarge, "prepare_one": &c.prepareOne,
	})
	if err != nil {
		return nil, err
	}
	for name, one := range map[string]*uintptr{"one_saxpy": &c.oneSaxpy, "one_twelve": &c.oneTwelve} {
		if *one, err = purego.Dlsym(handle, name); err != nil {
			return nil, err
		}
	}
	ptx, err := os.ReadFile(image)
	if err != nil {
		return nil, err
	}
	ownPTX, err := os.ReadFile(own)
	if err != nil {
		return nil, err
	}
	return &c, race.SetUp(c.setup(driver, string(ptx), string(ownPTX)))
}
