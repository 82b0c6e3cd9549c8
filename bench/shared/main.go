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
	"flag"
	"fmt"
	"os"
	"runtime"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

const (
	goroutines = 16
	elements   = 256 // few, so that the queue never makes the host wait for the device
)

func main() {
	defer race.End()
	c, image := race.NewCSide("shared"), race.ImageFlag()
	rounds := flag.Int("rounds", 101, "paired rounds")
	launches := flag.Int("launches", 400, "launches of a goroutine or thread in a round, then a synchronize")
	flag.Parse()
	dev := race.Must(cuda.Open(0))
	kernels := race.Must(example.LoadKernels(dev))
	var streams [goroutines]*cuda.Stream
	var own, y [goroutines]*cuda.Buffer[float32] // each allocated on the stream of its number
	var ys [goroutines]uint64
	for i := range streams {
		streams[i] = race.Must(dev.NewStream())
		own[i] = race.Must(cuda.Upload(streams[i], make([]float32, elements)))
		y[i] = race.Must(cuda.Upload(streams[i], make([]float32, elements)))
		ys[i] = y[i].All().Address()
	}
	locked := race.Must(cuda.AllocHost[float32](dev, elements, cuda.HostConfig{}))
	managed := race.Must(cuda.AllocManaged[float32](dev, elements))
	var parallel func(count int32, x uint64, ys *uint64) float64
	race.Do(c.Open(race.Must(os.ReadFile(*image)), map[string]any{"parallel": &parallel}))
	subjects := []struct {
		what string
		x    func(i int) cuda.Slice[float32]
	}{
		{"a buffer for each stream", func(i int) cuda.Slice[float32] { return own[i].All() }},
		{"one buffer of the device", func(int) cuda.Slice[float32] { return own[0].All() }},
		{"page-locked memory", func(int) cuda.Slice[float32] { return locked.All() }},
		{"managed memory", func(int) cuda.Slice[float32] { return managed.All() }},
	}
	fmt.Printf("%v, %s/%s, GOMAXPROCS %d, %d goroutines or threads with a stream each, %d rounds of %d launches of each\n\n",
		dev, runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), goroutines, *rounds, *launches)
	fmt.Println("| x | launches per second, C (median) | Go (median) | Go ÷ C (median, 95 % interval) |\n|---|---|---|---|")
	for _, subject := range subjects {
		inC := race.InC(subject.what, func() float64 { return parallel(int32(*launches), subject.x(0).Address(), &ys[0]) })
		inGo := &race.Contestant{Name: "Go, " + subject.what, Run: func() (float64, error) {
			return race.AtOnce(streams[:], *launches, func(i int) func() error {
				x, y := subject.x(i), y[i].All()
				return func() error { return kernels.Saxpy.Launch(streams[i], 2, x, y) }
			})
		}}
		race.Do(race.Run([]*race.Contestant{inC, inGo}, *rounds))
		rate := race.Compare(inC, inGo, race.Ratio)
		fmt.Printf("| %s | %.3g million | %.3g million | %.3f (%.3f–%.3f) |\n", subject.what, 1e3/inC.Median(), 1e3/inGo.Median(), rate.Median, rate.Low, rate.High)
	}
}
