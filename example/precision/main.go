// Command precision adds 1 + 1/2 + 1/3 + … in numbers of three types. One kernel does it, a template
// of C++, which is instantiated for each type.
//
// It runs on a GPU if there is one, otherwise on the simulated device.
package main

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen precision.cu

func main() {
	if err := run(os.Stdout, 50_000); err != nil {
		fmt.Fprintln(os.Stderr, "precision:", err)
		os.Exit(1)
	}
}

// run prints the sums of n numbers, computed with the default device.
func run(out io.Writer, n int) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	k, err := LoadPrecision(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(out, "%v\n1 + 1/2 + … + 1/%d = %.12f\n", dev, n, exact(n))
	half, err := sums(s, n, k.Half.Launch)
	if err != nil {
		return err
	}
	float, err := sums(s, n, k.Float.Launch)
	if err != nil {
		return err
	}
	double, err := sums(s, n, k.Double.Launch)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%8s  %-18s %s\n", "", "largest first", "smallest first")
	for _, row := range []struct {
		name  string
		sums  [2]float64
		bound float64 // for the relative error: n roundings
	}{
		{"__half", [2]float64{float64(half[0].Float32()), float64(half[1].Float32())}, 0.5},
		{"float", [2]float64{float64(float[0]), float64(float[1])}, float64(n) * 0x1p-24},
		{"double", [2]float64(double), float64(n) * 0x1p-53},
	} {
		fmt.Fprintf(out, "%8s  %-18.12f %.12f\n", row.name, row.sums[0], row.sums[1])
		for _, sum := range row.sums {
			if !(math.Abs(sum-exact(n)) <= row.bound*exact(n)) {
				return fmt.Errorf("%s is %v, want %v", row.name, sum, exact(n))
			}
		}
	}
	return nil
}

// sums launches an instance of the kernel: its type follows from launch.
func sums[T any](s *cuda.Stream, n int, launch func(*cuda.Stream, cuda.Slice[T], int32) error) ([]T, error) {
	result, err := cuda.Alloc[T](s, 2)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	if err := launch(s, result.All(), int32(n)); err != nil {
		return nil, err
	}
	return result.All().Download(s)
}

// exact returns the sum in plain Go, the smallest first.
func exact(n int) (sum float64) {
	for i := n; i > 0; i-- {
		sum += 1 / float64(i)
	}
	return sum
}
