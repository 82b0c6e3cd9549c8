package race

import (
	"fmt"
	"runtime"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Kernel is launched from Go and from C, each with its own memory. The C side, the shared library Library, has
// setup(driver, image), which makes that, and Function(count), which launches the kernel count times and returns the
// nanoseconds of one until all have run.
type Kernel struct {
	What                             string // it does: the row of the table
	Goal                             string // what the ratio to C is called
	Limit                            float64
	Library, Function, Driver, Image string
	Stream                           *cuda.Stream
	Launch                           func() error
}

// BesideC times k in rounds of count launches and a synchronize, in turns with C, and prints its row and its goal. The goroutine
// stays on its thread, where C makes the context current.
func (k *Kernel) BesideC(rounds, count int) error {
	inGo := &Contestant{Name: "Go, " + k.What, Run: func() (float64, error) {
		start := time.Now()
		for range count {
			if err := k.Launch(); err != nil {
				return 0, err
			}
		}
		err := k.Stream.Synchronize()
		return float64(time.Since(start).Nanoseconds()) / float64(count), err
	}}
	var setup func(driver, image string) int32
	var many func(count int32) float64
	if _, err := OpenC(k.Library, map[string]any{"setup": &setup, k.Function: &many}); err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := SetUp(setup(k.Driver, k.Image)); err != nil {
		return err
	}
	inC := &Contestant{Name: "C, " + k.What, Run: func() (float64, error) { return FromC(many(int32(count))) }}
	if err := Run([]*Contestant{inC, inGo}, rounds); err != nil {
		return err
	}
	ratio := Compare(inGo, inC, Ratio)
	dev := k.Stream.Device()
	major, minor := dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches\n\n", dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count)
	fmt.Println("| kernel | C, µs (median) | Go, µs | Go ÷ C (median, 95 % interval) | allocs |\n|---|---|---|---|---|")
	fmt.Printf("| %s | %.1f | %.1f | %.3f (%.3f–%.3f) | %.2f |\n", k.What, inC.Median()/1e3, inGo.Median()/1e3,
		ratio.Median, ratio.Low, ratio.High, Allocations(inGo.Run, count))
	PrintGoals([]Goal{{What: k.Goal, Limit: k.Limit, Got: ratio}})
	return nil
}
