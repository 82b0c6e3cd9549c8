// Command textures measures a kernel that samples a texture, launched from Go and from C: each
// with its own array and texture of the same contents, in one process and in paired rounds.
//
//	cc -O2 -shared -fPIC -pthread -o textures.so textures/c/textures.c -ldl
//	go run ./textures -c ./textures.so
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"flag"
	"fmt"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// size is the width and the height of the texture and of the result: c/textures.c has it, too.
const size = 1024

func main() {
	defer race.End()
	c := race.NewCSide("textures")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 20, "launches in a round, then a synchronize, which is timed")
	flag.Parse()
	dev := race.Must(cuda.Open(0))
	kernels := race.Must(LoadSample(dev))
	s := race.Must(dev.NewStream())
	elements := make([]float32, size*size)
	for i := range elements {
		elements[i] = float32(i % 251)
	}
	array := race.Must(cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: size, Height: size}))
	race.Do(array.CopyFrom(s, elements))
	texture := race.Must(cuda.NewTexture[float32](array, cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp}))
	out := race.Must(cuda.Alloc[float32](s, size*size))
	k := &race.Kernel{
		What: fmt.Sprintf("16 filtered elements for each of %d × %d", size, size), Goal: "texture sampling ÷ C", Limit: 1.02,
		C: c, Function: "sample", Image: samplePTX, Stream: s,
		Launch: func() error { return kernels.Sample.Launch(s, texture, out.All(), size, size) },
	}
	k.BesideC(*rounds, *count)
}
