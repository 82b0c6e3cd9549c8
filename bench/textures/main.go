// Command textures measures a kernel that samples a texture, launched from Go and from C: each
// with its own array and texture of the same contents, in one process and in paired rounds.
//
//	cc -O2 -shared -fPIC -pthread -o textures.so textures/c/textures.c -ldl
//	go run ./textures -c ./textures.so
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
)

func main() {
	library := flag.String("c", "./textures.so", "the C side, built from c/textures.c")
	driver := flag.String("driver", cmp.Or(os.Getenv("CUDAGEN_LIBCUDA"), "libcuda.so.1"), "the CUDA driver's library, for C")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 20, "launches in a round, then a synchronize, which is timed")
	flag.Parse()
	if err := run(*library, *driver, *rounds, *count); err != nil {
		fmt.Fprintln(os.Stderr, "textures:", err)
		os.Exit(1)
	}
}

// size is the width and the height of the texture and of the result: c/textures.c has it, too.
const size = 1024

func run(library, driver string, rounds, count int) error {
	dev, err := cuda.Open(0)
	if err != nil {
		return err
	}
	kernels, err := LoadSample(dev)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	elements := make([]float32, size*size)
	for i := range elements {
		elements[i] = float32(i % 251)
	}
	array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: size, Height: size})
	if err != nil {
		return err
	}
	if err := array.CopyFrom(s, elements); err != nil {
		return err
	}
	texture, err := cuda.NewTexture[float32](array, cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp})
	if err != nil {
		return err
	}
	out, err := cuda.Alloc[float32](s, size*size)
	if err != nil {
		return err
	}
	k := &race.Kernel{
		What: fmt.Sprintf("16 filtered elements for each of %d × %d", size, size), Goal: "texture sampling ÷ C", Limit: 1.02,
		Library: library, Function: "sample", Driver: driver, Image: samplePTX, Stream: s,
		Launch: func() error { return kernels.Sample.Launch(s, texture, out.All(), size, size) },
	}
	return k.BesideC(rounds, count)
}
