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
	"flag"
	"fmt"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
)

// size is the rows and columns of the matrix, tile those of a box: c/tensormaps.c has them, too.
const size, tile = 2048, 32

func main() {
	defer race.End()
	c := race.NewCSide("tensormaps")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 20, "launches in a round, then a synchronize, which is timed")
	flag.Parse()
	dev := race.Must(cuda.Open(0))
	kernels := race.Must(LoadTiles(dev))
	s := race.Must(dev.NewStream())
	in := race.Must(cuda.Alloc[float32](s, size*size))
	race.Do(cuda.Fill(in.All(), 1).Launch(s))
	out := race.Must(cuda.Alloc[float32](s, size*size))
	tiles := race.Must(cuda.NewTensorMap(in.All(), tensormap.Config{Dims: []int{size, size}, Box: []int{tile, tile}}))
	k := &race.Kernel{
		What: fmt.Sprintf("tiles of %d × %d of a matrix of %d × %d", tile, tile, size, size), Goal: "tensor-map kernel ÷ C", Limit: 1.02,
		C: c, Function: "tiles", Image: tilesPTX, Stream: s,
		Launch: func() error { return kernels.Tiles.Launch(s, tiles, out.All(), size, size) },
	}
	k.BesideC(*rounds, *count)
}
