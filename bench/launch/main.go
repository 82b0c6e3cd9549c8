// Command launch measures what launching a kernel costs: the generated
// Saxpy.Launch against C's two forms, kernelParams and extra, in one process and in
// paired rounds.
//
//	cc -O2 -shared -fPIC -o launch.so launch/c/launch.c -ldl
//	go run ./launch -c ./launch.so
//
// It prints the rows of bench/README.md's table.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	library := flag.String("c", "./launch.so", "the C side, built from c/launch.c")
	driver := flag.String("driver", "libcuda.so.1", "the CUDA driver's library")
	image := flag.String("image", "../example/kernels.ptx", "the example's image")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 400, "launches in a round, then a synchronize")
	flag.Parse()
	if err := run(*library, *driver, *image, *rounds, *count); err != nil {
		fmt.Fprintln(os.Stderr, "launch:", err)
		os.Exit(1)
	}
}

// elements are few, so that the queue never makes the host wait for the device.
const elements = 256

// A bench launches the example's saxpy on one GPU, from Go and from C.
type bench struct {
	count   int // launches in a round
	dev     *cuda.Device
	kernels *example.Kernels
	streams [8]*cuda.Stream // they are not alike: each contestant has several, a round takes one
	x, y    *cuda.Buffer[float32]
	c       *cSide
	round   int
}

func run(library, driver, image string, rounds, count int) error {
	b, err := newBench(library, driver, image, count)
	if err != nil {
		return err
	}
	params := &race.Contestant{Name: "C, kernelParams", Run: func() (float64, error) { return b.inC(0) }}
	extra := &race.Contestant{Name: "C, extra", Run: func() (float64, error) { return b.inC(1) }}
	all := []*race.Contestant{
		params, extra,
		{Name: "Go, runtime.cgocall of a C function that launches", Run: b.throughC},
		{Name: "Go, Saxpy.Launch", Run: b.inGo},
	}
	if err := race.Run(all, rounds); err != nil {
		return err
	}
	faster := params
	if extra.Median() < params.Median() {
		faster = extra
	}
	major, minor := b.dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches; %.2f allocations a launch in Go\n\n",
		b.dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count, race.Allocations(b.inGo, count))
	fmt.Println("| path | ns (median) | ÷ the faster C (median, 95 % interval) |\n|---|---|---|")
	for _, c := range all {
		ratio := race.Compare(c, faster, func(a, b float64) float64 { return a / b })
		fmt.Printf("| %s | %.0f | %.3f (%.3f–%.3f) |\n", c.Name, c.Median(), ratio.Median, ratio.Low, ratio.High)
	}
	return nil
}

func newBench(library, driver, image string, count int) (*bench, error) {
	dev, err := cuda.Open(0)
	if err != nil {
		return nil, err
	}
	b := &bench{count: count, dev: dev}
	if b.kernels, err = example.LoadKernels(dev); err != nil {
		return nil, err
	}
	for i := range b.streams {
		if b.streams[i], err = dev.NewStream(); err != nil {
			return nil, err
		}
	}
	for _, buffer := range []**cuda.Buffer[float32]{&b.x, &b.y} {
		if *buffer, err = cuda.Upload(b.streams[0], make([]float32, elements)); err != nil {
			return nil, err
		}
	}
	runtime.LockOSThread() // C's setup makes the context current here.
	b.c, err = openC(library, driver, image)
	return b, err
}

func (b *bench) inC(packed int32) (float64, error) {
	b.round++
	ns := b.c.run(packed, int32(b.round), int32(b.count), elements, 2, b.x.Ptr().Address(), b.y.Ptr().Address())
	if ns < 0 {
		return 0, cuda.Code(-ns)
	}
	return ns, nil
}

// throughC launches by a C function: the least that a launch from Go can cost.
func (b *bench) throughC() (float64, error) {
	b.round++
	b.c.prepareOne(int32(b.round), elements, 2, b.x.Ptr().Address(), b.y.Ptr().Address())
	start := time.Now()
	for range b.count {
		if r := race.Cgocall(b.c.one, nil); r != 0 {
			return 0, cuda.Code(r)
		}
	}
	return float64(time.Since(start).Nanoseconds()) / float64(b.count), b.dev.Synchronize()
}

func (b *bench) inGo() (float64, error) {
	b.round++
	s, x, y := b.streams[b.round%len(b.streams)], b.x.All(), b.y.All()
	start := time.Now()
	for range b.count {
		if err := b.kernels.Saxpy.Launch(s, 2, x, y); err != nil {
			return 0, err
		}
	}
	elapsed := time.Since(start)
	return float64(elapsed.Nanoseconds()) / float64(b.count), s.Synchronize()
}

// cSide is c/launch.c.
type cSide struct {
	setup      func(driver, image string) int32
	run        func(packed, number, count, n int32, a float32, x, y uint64) float64
	prepareOne func(number, n int32, a float32, x, y uint64)
	one        uintptr
}

func openC(library, driver, image string) (*cSide, error) {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW)
	if err != nil {
		return nil, err
	}
	var c cSide
	purego.RegisterLibFunc(&c.setup, handle, "setup")
	purego.RegisterLibFunc(&c.run, handle, "run")
	purego.RegisterLibFunc(&c.prepareOne, handle, "prepare_one")
	if c.one, err = purego.Dlsym(handle, "one"); err != nil {
		return nil, err
	}
	ptx, err := os.ReadFile(image)
	if err != nil {
		return nil, err
	}
	switch r := c.setup(driver, string(ptx)); {
	case r < 0:
		return nil, errors.New("C's setup: the driver lacks a symbol")
	case r > 0:
		return nil, fmt.Errorf("C's setup: %w", cuda.Code(r))
	}
	return &c, nil
}
