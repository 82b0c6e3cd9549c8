package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	kernels "github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // runs without a GPU
)

// exampleDevice opens a device and a stream for examples.
func exampleDevice() (*cuda.Device, *cuda.Stream, func()) {
	dev, err := cuda.OpenSimulator()
	if err != nil {
		log.Fatal(err)
	}
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	return dev, s, func() { s.Close(); dev.Close() }
}

func ExampleUpload() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	x, err := cuda.Upload(s, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	host := make([]float32, 2)
	if err := x.Slice(1, 3).CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [2 3]
}

func ExampleFill() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	x, err := cuda.Alloc[int32](s, 5)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := errors.Join(x.Clear(s), cuda.Fill(x.Slice(1, 4), 7).Launch(s)); err != nil {
		log.Fatal(err)
	}
	host := make([]int32, x.Len())
	if err := x.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [0 7 7 7 0]
}

// Page-locked memory is copied while the program goes on.
func ExampleAllocHost() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	host, err := cuda.AllocHost[int32](dev, 3, cuda.HostConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	copy(host.Host(), []int32{1, 2, 3})
	x, err := cuda.Alloc[int32](s, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := cuda.Copy(x.All(), host.All()).Launch(s); err != nil {
		log.Fatal(err)
	}
	// Other work.
	if err := s.Wait(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host.Host())
	// Output: [1 2 3]
}

// Two kernels in one call into C.
func ExampleNewBatch() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	x, err := cuda.Upload(s, []float32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := cuda.Upload(s, []float32{10, 20})
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	double, err := k.Saxpy.PrepareDefault(kernels.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
	if err != nil {
		log.Fatal(err)
	}
	add, err := k.Saxpy.PrepareDefault(kernels.SaxpyArgs{A: 1, X: x.All(), Y: y.All()})
	if err != nil {
		log.Fatal(err)
	}
	batch, err := cuda.NewBatch(double, add)
	if err != nil {
		log.Fatal(err)
	}
	if err := batch.Launch(s); err != nil {
		log.Fatal(err)
	}
	host := make([]float32, 2)
	if err := y.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	// Output: [13 26]
}

// An event orders two streams.
func ExampleEvent() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	other, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer other.Close()
	written, err := dev.NewEvent(cuda.EventConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer written.Close()
	x, err := cuda.Alloc[int32](s, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	host := make([]int32, 1)
	err = errors.Join(cuda.Fill(x.All(), 5).Launch(s), written.Record(s), other.WaitEvent(written), x.CopyTo(other, host))
	fmt.Println(host, err)
	// Output: [5] <nil>
}

// Every error works with errors.Is.
func ExampleError() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	x, err := cuda.Upload(s, []float32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	err = k.Saxpy.Launch(s, 2, x.All(), x.Slice(0, 1)) // n is len(x), and y is shorter
	fmt.Println(errors.Is(err, cuda.ErrShortSlice))
	// Output: true
}

// Tests of a package say by one line that its kernels are those of its sources.
func ExampleCheckFresh() {
	if err := cuda.CheckFresh("../../example"); err != nil {
		panic(err)
	}
	// Output:
}
