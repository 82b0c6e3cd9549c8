// Command launch measures what launching a kernel costs: generated launches, prepared
// calls and batches against C's two forms, kernelParams and extra, in one process and in
// paired rounds.
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
	flag.Func("peer", "a command that launches saxpy, too (may be given again)", func(command string) error {
		peers = append(peers, command)
		return nil
	})
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
	saxpy  *example.SaxpyCall
	batch  *cuda.Batch
	twelve *kernels.TwelveCall
	large  *kernels.LargeCall
}

// A subject is a kernel's contestants: the first two are C's.
type subject struct {
	what string
	all  []*race.Contestant
}

func run(library, driver, image, own string, rounds, count int, commands []string) error {
	if count%batchCalls != 0 {
		return fmt.Errorf("-count %d is no multiple of %d", count, batchCalls)
	}
	b, err := newBench(library, driver, image, own, count)
	if err != nil {
		return err
	}
	subjects := []subject{
		{"saxpy, 4 parameters", []*race.Contestant{
			{Name: "C, kernelParams", Run: func() (float64, error) { return b.inC(0) }},
			{Name: "C, extra", Run: func() (float64, error) { return b.inC(1) }},
			{Name: "Go, runtime.cgocall of a C function that launches", Run: b.throughC},
			{Name: "Go, Saxpy.Launch", Run: b.repeat(func(s *cuda.Stream, on *perStream) error {
				return b.kernels.Saxpy.Launch(s, 2, on.x.All(), on.y.All())
			}, 1)},
			{Name: "Go, Saxpy.Launch, buffers of another stream", Run: b.repeat(func(s *cuda.Stream, on *perStream) error {
				return b.kernels.Saxpy.Launch(s, 2, on.x.All(), b.strange.All())
			}, 1)},
			{Name: "Go, a prepared call", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.saxpy.Launch(s) }, 1)},
			{Name: fmt.Sprintf("Go, a batch of %d, each launch", batchCalls), Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.batch.Launch(s) }, batchCalls)},
		}},
		{"12 parameters", []*race.Contestant{
			{Name: "C, kernelParams", Run: b.ownInC(&b.c.runTwelve, 0)},
			{Name: "C, extra", Run: b.ownInC(&b.c.runTwelve, 1)},
			{Name: "Go, Twelve.Launch", Run: b.repeat(func(s *cuda.Stream, on *perStream) error {
				out := on.y.All()
				return b.own.Twelve.Launch(s, out, out, out, out, 1, 2, 3, 4, 5, 6, 7, 8)
			}, 1)},
			{Name: "Go, a prepared call", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.twelve.Launch(s) }, 1)},
		}},
		{"a struct of 256 bytes", []*race.Contestant{
			{Name: "C, kernelParams", Run: b.ownInC(&b.c.runLarge, 0)},
			{Name: "C, extra", Run: b.ownInC(&b.c.runLarge, 1)},
			{Name: "Go, Large.Launch", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return b.own.Large.Launch(s, on.y.All(), b.wide) }, 1)},
			{Name: "Go, a prepared call", Run: b.repeat(func(s *cuda.Stream, on *perStream) error { return on.large.Launch(s) }, 1)},
		}},
	}
	var all []*race.Contestant
	for _, subject := range subjects {
		all = append(all, subject.all...)
	}
	peers, end := openPeers(commands, image, count)
	defer end()
	if err := race.Run(append(all, peers...), rounds); err != nil {
		return err
	}
	major, minor := b.dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches\n\n", b.dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count)
	fmt.Println("| what | path | ns (median) | ÷ the faster C (median, 95 % interval) | allocs |\n|---|---|---|---|---|")
	for _, subject := range subjects {
		for _, c := range subject.all {
			subject.print(c, fmt.Sprintf("%.2f", race.Allocations(c.Run, count)))
		}
	}
	for _, c := range peers {
		subjects[0].print(c, "")
	}
	return nil
}

// print prints the row of c, which may be of another process.
func (s subject) print(c *race.Contestant, allocations string) {
	faster := s.all[0]
	if s.all[1].Median() < faster.Median() {
		faster = s.all[1]
	}
	ratio := race.Compare(c, faster, func(a, b float64) float64 { return a / b })
	fmt.Printf("| %s | %s | %.0f | %.3f (%.3f–%.3f) | %s |\n", s.what, c.Name, c.Median(), ratio.Median, ratio.Low, ratio.High, allocations)
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
	if p.saxpy, err = k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: p.x.All(), Y: all}); err != nil {
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
func (b *bench) throughC() (float64, error) {
	number := b.streams.Next()
	on := &b.on[number]
	b.c.prepareOne(int32(number), elements, 2, on.x.Ptr().Address(), on.y.Ptr().Address())
	start := time.Now()
	for range b.count {
		if r := race.Cgocall(b.c.one, nil); r != 0 {
			return 0, cuda.Code(r)
		}
	}
	return float64(time.Since(start).Nanoseconds()) / float64(b.count), b.dev.Synchronize()
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
	one        uintptr
}

func openC(library, driver, image, own string) (*cSide, error) {
	var c cSide
	handle, err := race.OpenC(library, map[string]any{
		"setup": &c.setup, "run": &c.run, "run_twelve": &c.runTwelve, "run_large": &c.runLarge, "prepare_one": &c.prepareOne,
	})
	if err != nil {
		return nil, err
	}
	if c.one, err = purego.Dlsym(handle, "one"); err != nil {
		return nil, err
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
