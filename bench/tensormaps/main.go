// Command tensormaps measures a kernel that the tensor memory accelerator brings its tiles, launched from Go and
// from C: each with its own matrix and tensor map, in one process and in paired rounds. It needs a GPU of
// compute capability 9.0 or newer.
//
//	cc -O2 -shared -fPIC -pthread -o tensormaps.so tensormaps/c/tensormaps.c -ldl
//	go run ./tensormaps -c ./tensormaps.so
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

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	library := flag.String("c", "./tensormaps.so", "the C side, built from c/tensormaps.c")
	driver := flag.String("driver", cmp.Or(os.Getenv("CUDAGEN_LIBCUDA"), "libcuda.so.1"), "the CUDA driver's library, for C")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 20, "launches in a round, then a synchronize, which is timed")
	flag.Parse()
	if err := run(*library, *driver, *rounds, *count); err != nil {
		fmt.Fprintln(os.Stderr, "tensormaps:", err)
		os.Exit(1)
	}
}

// size is the rows and columns of the matrix, tile those of a box: c/tensormaps.c has them, too.
const size, tile = 2048, 32

func run(library, driver string, rounds, count int) error {
	dev, err := cuda.Open(0)
	if err != nil {
		return err
	}
	k, err := LoadTiles(dev)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	in, err := cuda.Alloc[float32](s, size*size)
	if err != nil {
		return err
	}
	if err := cuda.Fill(s, in.All(), 1); err != nil {
		return err
	}
	out, err := cuda.Alloc[float32](s, size*size)
	if err != nil {
		return err
	}
	tiles, err := cuda.NewTensorMap(in.All(), cuda.TensorMapConfig{Dims: []int{size, size}, Box: []int{tile, tile}})
	if err != nil {
		return err
	}
	inGo := &race.Contestant{Name: "Go, tiles by a tensor map", Run: func() (float64, error) {
		start := time.Now()
		for range count {
			if err := k.Tiles.Launch(s, tiles, out.All(), size, size); err != nil {
				return 0, err
			}
		}
		err := s.Synchronize()
		return float64(time.Since(start).Nanoseconds()) / float64(count), err
	}}
	var setup func(driver, image string) int32
	var many func(count int32) float64
	if _, err := race.OpenC(library, map[string]any{"setup": &setup, "tiles": &many}); err != nil {
		return err
	}
	runtime.LockOSThread() // C's setup makes the context current here.
	if err := race.SetUp(setup(driver, tilesPTX)); err != nil {
		return err
	}
	inC := &race.Contestant{Name: "C, tiles by a tensor map", Run: func() (float64, error) { return race.FromC(many(int32(count))) }}
	if err := race.Run([]*race.Contestant{inC, inGo}, rounds); err != nil {
		return err
	}
	ratio := race.Compare(inGo, inC, race.Ratio)
	major, minor := dev.DriverVersion()
	fmt.Printf("%v, CUDA %d.%d, %s/%s, %d rounds of %d launches\n\n", dev, major, minor, runtime.GOOS, runtime.GOARCH, rounds, count)
	fmt.Println("| kernel | C, µs (median) | Go, µs | Go ÷ C (median, 95 % interval) | allocs |\n|---|---|---|---|---|")
	fmt.Printf("| tiles of %d × %d of a matrix of %d × %d | %.1f | %.1f | %.3f (%.3f–%.3f) | %.2f |\n", tile, tile, size, size, inC.Median()/1e3, inGo.Median()/1e3,
		ratio.Median, ratio.Low, ratio.High, race.Allocations(inGo.Run, count))
	race.PrintGoals([]race.Goal{{What: "tensor-map kernel ÷ C", Limit: 1.02, Got: ratio}})
	return nil
}
