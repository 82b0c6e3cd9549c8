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

func run(library, driver, image string, rounds, count int) error {
	dev, err := cuda.Open(0)
	if err != nil {
		return err
	}
	defer dev.Close()
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	// Streams are not alike: each contestant has several, a round takes one.
	var pool [8]*cuda.Stream
	for i := range pool {
		if pool[i], err = dev.NewStream(); err != nil {
			return err
		}
		defer pool[i].Close()
	}
	s := pool[0]
	x, err := cuda.Upload(s, make([]float32, elements))
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := cuda.Upload(s, make([]float32, elements))
	if err != nil {
		return err
	}
	defer y.Close()
	if err := s.Synchronize(); err != nil {
		return err
	}

	runtime.LockOSThread() // C's setup makes the context current here.
	c, err := openC(library, driver, image)
	if err != nil {
		return err
	}
	inC := func(packed int32) func() (float64, error) {
		number := int32(0)
		return func() (float64, error) {
			number++
			ns := c.run(packed, number, int32(count), elements, 2, x.Ptr().Address(), y.Ptr().Address())
			if ns < 0 {
				return 0, fmt.Errorf("C's launch: %w", cuda.Code(-ns))
			}
			return ns, nil
		}
	}
	xs, ys := x.All(), y.All()
	number := 0
	inGo := func() (float64, error) {
		number++
		s := pool[number%len(pool)]
		start := time.Now()
		for range count {
			if err := k.Saxpy.Launch(s, 2, xs, ys); err != nil {
				return 0, err
			}
		}
		elapsed := time.Since(start)
		return float64(elapsed.Nanoseconds()) / float64(count), s.Synchronize()
	}
	params, extra := &race.Contestant{Name: "C, kernelParams", Run: inC(0)}, &race.Contestant{Name: "C, extra", Run: inC(1)}
	floor := &race.Contestant{Name: "Go, runtime.cgocall of a C function that launches", Run: func() (float64, error) {
		number++
		c.prepareOne(int32(number), elements, 2, x.Ptr().Address(), y.Ptr().Address())
		start := time.Now()
		for range count {
			if r := race.Cgocall(c.one, nil); r != 0 {
				return 0, cuda.Code(r)
			}
		}
		elapsed := time.Since(start)
		return float64(elapsed.Nanoseconds()) / float64(count), dev.Synchronize()
	}}
	fenced := &race.Contestant{Name: "C, kernelParams, two locked instructions behind each", Run: func() (float64, error) {
		number++
		ns := c.fenced(int32(number), int32(count), elements, 2, x.Ptr().Address(), y.Ptr().Address())
		if ns < 0 {
			return 0, cuda.Code(-ns)
		}
		return ns, nil
	}}
	launch := &race.Contestant{Name: "Go, Saxpy.Launch", Run: inGo}
	all := []*race.Contestant{params, extra, fenced, floor, launch}
	if err := race.Run(all, rounds); err != nil {
		return err
	}
	faster := params
	if extra.Median() < params.Median() {
		faster = extra
	}
	major, minor := dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches; %.2f allocations a launch in Go\n\n",
		dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count, race.Allocations(inGo, count))
	fmt.Println("| path | ns (median) | ÷ the faster C (median, 95 % interval) |\n|---|---|---|")
	for _, c := range all {
		ratio := race.Compare(c, faster, func(a, b float64) float64 { return a / b })
		fmt.Printf("| %s | %.0f | %.3f (%.3f–%.3f) |\n", c.Name, c.Median(), ratio.Median, ratio.Low, ratio.High)
	}
	return nil
}

// cSide is c/launch.c.
type cSide struct {
	setup      func(driver, image string) int32
	run        func(packed, number, count, n int32, a float32, x, y uint64) float64
	fenced     func(number, count, n int32, a float32, x, y uint64) float64
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
	purego.RegisterLibFunc(&c.fenced, handle, "fenced")
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
