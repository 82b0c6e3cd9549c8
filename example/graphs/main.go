// Command graphs shows graphs of kernels: programs whose graphs are built of nodes, changed
// before and after, and a simulation that steps in time with and without a graph.
//
// It runs on a GPU when there is one and on the simulated device otherwise, and writes
// reaction.png.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the device of last resort
)

//go:generate go run ../../cmd/cudagen -arch compute_75 kernels.cu

func main() {
	if err := run(os.Stdout, "reaction.png"); err != nil {
		fmt.Fprintln(os.Stderr, "graphs:", err)
		os.Exit(1)
	}
}

// run opens the default device and shows all programs. picture is where the simulation is
// painted.
func run(out io.Writer, picture string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	k, err := LoadKernels(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintln(out, dev)
	for _, program := range []func(io.Writer, *Kernels, *cuda.Stream) error{changeBeforeBuilding, copiesAndHostFunction, loop} {
		if err := program(out, k, s); err != nil {
			return err
		}
	}
	grid := grid{256, 256}
	if dev.IsSimulated() {
		grid.columns, grid.rows = 48, 48
	}
	return simulate(out, k, s, grid, picture)
}
