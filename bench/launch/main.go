// Command launch measures what launching a kernel costs: the generated
// Saxpy.Launch against C's two forms, kernelParams and extra, in one process and in
// paired rounds.
//
//	cc -O2 -shared -fPIC -o launch.so launch/launch.c -ldl
//	go run ./launch -c ./launch.so
//
// It prints the rows of bench/README.md's table.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	library := flag.String("c", "./launch.so", "the C side, built from launch.c")
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
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
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

	runtime.LockOSThread() // C's setup makes the context current here.
	c, err := openC(library, driver, image)
	if err != nil {
		return err
	}
	inC := func(packed int32) func() (float64, error) {
		return func() (float64, error) {
			ns := c.run(packed, int32(count), elements, 2, x.Ptr().Address(), y.Ptr().Address())
			if ns < 0 {
				return 0, fmt.Errorf("C's launch: %w", cuda.Code(-ns))
			}
			return ns, nil
		}
	}
	xs, ys := x.All(), y.All()
	inGo := func() (float64, error) {
		start := time.Now()
		for range count {
			if err := k.Saxpy.Launch(s, 2, xs, ys); err != nil {
				return 0, err
			}
		}
		elapsed := time.Since(start)
		return float64(elapsed.Nanoseconds()) / float64(count), s.Synchronize()
	}
	contestants := []*contestant{
		{name: "C, kernelParams", launch: inC(0)},
		{name: "C, extra", launch: inC(1)},
		{name: "Go, Saxpy.Launch", launch: inGo},
	}
	if err := race(contestants, rounds); err != nil {
		return err
	}
	major, minor := dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches\n\n", dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count)
	return report(contestants, allocations(inGo, count))
}

// A contestant is one way to launch. launch returns nanoseconds for a launch.
type contestant struct {
	name   string
	launch func() (float64, error)
	times  []float64
}

// race times the contestants in turn, round by round; who goes first changes.
func race(contestants []*contestant, rounds int) error {
	const warmUp = 5
	for round := range rounds + warmUp {
		for i := range contestants {
			c := contestants[(i+round)%len(contestants)]
			ns, err := c.launch()
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round >= warmUp {
				c.times = append(c.times, ns)
			}
		}
	}
	return nil
}

// report prints the medians and, for Go, the ratio to the faster form of C with its
// 95 % interval.
func report(contestants []*contestant, allocs float64) error {
	last := len(contestants) - 1
	faster := slices.MinFunc(contestants[:last], func(a, b *contestant) int {
		return int(math.Copysign(1, median(a.times)-median(b.times)))
	})
	fmt.Println("| path | ns (median) | ÷ the faster C (median, 95 % interval) | allocs |")
	fmt.Println("|---|---|---|---|")
	for i, c := range contestants {
		var ratios []float64
		for round := range c.times {
			ratios = append(ratios, c.times[round]/faster.times[round])
		}
		low, high := interval(ratios)
		text := "–"
		if i == last {
			text = fmt.Sprint(allocs)
		}
		fmt.Printf("| %s | %.0f | %.3f (%.3f–%.3f) | %s |\n", c.name, median(c.times), median(ratios), low, high, text)
	}
	return nil
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// interval returns the 95 % confidence interval of the median by order statistics:
// the binomial distribution's normal approximation.
func interval(list []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(list))
	n := float64(len(sorted))
	half := 1.96 * math.Sqrt(n) / 2
	return sorted[max(0, int(n/2-half))], sorted[min(len(sorted)-1, int(n/2+half))]
}

// allocations counts the heap allocations of one launch.
func allocations(launch func() (float64, error), count int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	launch()
	runtime.ReadMemStats(&after)
	return math.Round(float64(after.Mallocs-before.Mallocs)/float64(count)*100) / 100
}

// cSide is launch.c.
type cSide struct {
	setup func(driver, image string) int32
	run   func(packed, count, n int32, a float32, x, y uint64) float64
}

func openC(library, driver, image string) (*cSide, error) {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW)
	if err != nil {
		return nil, err
	}
	var c cSide
	purego.RegisterLibFunc(&c.setup, handle, "setup")
	purego.RegisterLibFunc(&c.run, handle, "run")
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
