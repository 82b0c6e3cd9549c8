package example_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	_ "github.com/cudagen/cudagen/runtime/sim" // where there is no GPU
)

// The whole way: a device, kernels, a stream, memory, a launch, the result.
func Example() {
	dev, err := cuda.OpenDefault()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	k, err := example.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x, err := cuda.Upload(s, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := cuda.Upload(s, []float32{10, 20, 30})
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()

	if err := k.Saxpy.Launch(s, 2, x.All(), y.All()); err != nil {
		log.Fatal(err)
	}
	host := make([]float32, y.Len())
	if err := y.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [12 24 36]
}

// A launch whose slices are too short for its kernel is refused.
func ExampleSaxpyKernel_Launch() {
	dev, k, s := open()
	defer dev.Close()
	defer k.Close()
	defer s.Close()
	x, _ := cuda.Upload(s, []float32{1, 2, 3})
	defer x.Close()

	err := k.Saxpy.Launch(s, 2, x.All(), x.Slice(0, 2))
	fmt.Println(errors.Is(err, cuda.ErrShortSlice))
	// Output: true
}

// The launch configuration may be given: here one block of 32 threads for 3 elements.
func ExampleAddDeltaKernel_LaunchWith() {
	dev, k, s := open()
	defer dev.Close()
	defer k.Close()
	defer s.Close()
	data, _ := cuda.Upload(s, []int32{1, 2, 3})
	defer data.Close()

	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
	if err := k.AddDelta.LaunchWith(s, cfg, data.All(), 100); err != nil {
		log.Fatal(err)
	}
	host := make([]int32, 3)
	if err := data.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [101 102 103]
}

// A struct is passed by value; its Go type has the padding of the C++ struct.
func ExampleHeatStepKernel_Launch() {
	dev, k, s := open()
	defer dev.Close()
	defer k.Close()
	defer s.Close()
	in, _ := cuda.Upload(s, []float32{0, 0, 0, 0, 8, 0, 0, 0, 0})
	defer in.Close()
	out, _ := cuda.Alloc[float32](s, 9)
	defer out.Close()

	plate := example.Plate{Size: vec.UInt2{X: 3, Y: 3}, Dt: 0.25, Conduct: [3]float32{1, 1, 1}}
	if err := k.HeatStep.Launch(s, out.All(), in.All(), plate, 3, 3); err != nil {
		log.Fatal(err)
	}
	host := make([]float32, 9)
	if err := out.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [0 2 0 2 0 2 0 2 0]
}

// An exported variable is a field beside the kernels.
func ExampleKernels_taps() {
	dev, k, s := open()
	defer dev.Close()
	defer k.Close()
	defer s.Close()
	in, _ := cuda.Upload(s, []float32{0, 0, 8, 0})
	defer in.Close()
	out, _ := cuda.Alloc[float32](s, 4)
	defer out.Close()

	if err := k.Taps.Set(s, [5]float32{0, 0.25, 0.5, 0.25, 0}); err != nil {
		log.Fatal(err)
	}
	if err := k.Smooth.Launch(s, in.All(), out.All()); err != nil {
		log.Fatal(err)
	}
	host := make([]float32, 4)
	if err := out.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [0 2 4 2]
}

func open() (*cuda.Device, *example.Kernels, *cuda.Stream) {
	dev, err := cuda.OpenDefault()
	if err != nil {
		log.Fatal(err)
	}
	k, err := example.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	return dev, k, s
}
