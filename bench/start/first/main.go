// Command first launches one kernel, and says so when it has run: a Go program that
// bench/start measures.
package main

import (
	"fmt"
	"os"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "first:", err)
		os.Exit(1)
	}
}

// elements is what ../c/first.c has, too.
const elements = 256

func run() error {
	dev, err := cuda.Open(0)
	if err != nil {
		return err
	}
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	x, err := cuda.Alloc[float32](s, elements)
	if err != nil {
		return err
	}
	y, err := cuda.Alloc[float32](s, elements)
	if err != nil {
		return err
	}
	if err := k.Saxpy.Launch(s, 2, x.All(), y.All()); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	_, err = os.Stdout.WriteString("done\n")
	return err
}
