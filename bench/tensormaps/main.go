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

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
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
	kernels, err := LoadTiles(dev)
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
	if err := cuda.Fill(in.All(), 1).Launch(s); err != nil {
		return err
	}
	out, err := cuda.Alloc[float32](s, size*size)
	if err != nil {
		return err
	}
	tiles, err := cuda.NewTensorMap(in.All(), tensormap.Config{Dims: []int{size, size}, Box: []int{tile, tile}})
	if err != nil {
		return err
	}
	k := &race.Kernel{
		What: fmt.Sprintf("tiles of %d × %d of a matrix of %d × %d", tile, tile, size, size), Goal: "tensor-map kernel ÷ C", Limit: 1.02,
		Library: library, Function: "tiles", Driver: driver, Image: tilesPTX, Stream: s,
		Launch: func() error { return kernels.Tiles.Launch(s, tiles, out.All(), size, size) },
	}
	return k.BesideC(rounds, count)
}
