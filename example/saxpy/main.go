// Command saxpy computes y = a*x + y: the smallest program with a kernel.
//
// It runs on a GPU if there is one, otherwise on the simulated device.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen saxpy.cu

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "saxpy:", err)
		os.Exit(1)
	}
}

// run computes with the default device, and prints some of the result.
func run(out io.Writer) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	const n = 10_000
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), 1
	}
	if err := saxpy(dev, 2, x, y); err != nil {
		return err
	}
	for i, v := range y {
		if want := 2*float32(i) + 1; v != want {
			return fmt.Errorf("y[%d] is %v, want %v", i, v, want)
		}
	}
	fmt.Fprintf(out, "%v\n2*x + y = %v … %v\n", dev, y[:4], y[n-1])
	return nil
}

// saxpy computes y = a*x + y on dev.
func saxpy(dev *cuda.Device, a float32, x, y []float32) error {
	k, err := LoadSaxpy(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	dx, err := cuda.Upload(s, x)
	if err != nil {
		return err
	}
	defer dx.Close()
	dy, err := cuda.Upload(s, y)
	if err != nil {
		return err
	}
	defer dy.Close()
	if err := k.Saxpy.Launch(s, a, dx.All(), dy.All()); err != nil {
		return err
	}
	return dy.CopyTo(s, y)
}
