package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	kernels "github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A program opens a device once, and closes it at its end.
func ExampleDevice() {
	dev, err := cuda.OpenSimulator() // programs call OpenDefault
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	threads, err := dev.Attribute(cuda.MaxThreadsPerBlock)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dev, threads)
	// Output: device 0 (cudagen simulated device) 1024
}

// The GPUs of a machine, before one is opened.
func ExampleDevices() {
	infos, err := cuda.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, info := range infos {
		fmt.Printf("%d: %s, compute capability %d.%d, %d MiB\n", info.Ordinal, info.Name, info.Major, info.Minor, info.TotalMemory>>20)
	}
}

// Work on a stream runs in order. Wait parks the goroutine until all of it has run.
func ExampleStream() {
	dev, err := cuda.OpenSimulator()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x, err := cuda.Alloc[int32](s, 1000)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := errors.Join(x.Clear(s), cuda.Fill(x.Slice(0, 10), 1).Launch(s)); err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(s.Wait(ctx))
	// Output: <nil>
}

// Parts of a buffer are slices, as parts of an array are in Go.
func ExampleSlice() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	x, err := cuda.Upload(s, []int32{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	first, second := x.Slice(0, 3), x.Slice(3, 6)
	if err := cuda.Copy(first, second).Launch(s); err != nil {
		log.Fatal(err)
	}
	host, err := x.All().Download(s)
	fmt.Println(host, first.Len(), err)
	// Output: [4 5 6 4 5 6] 3 <nil>
}

// Managed memory is read and written by the host, too, while no kernel uses it.
func ExampleAllocManaged() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	x, err := cuda.AllocManaged[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	copy(x.Host(), []float32{1, 2, 3})
	if err := cuda.Fill(x.Slice(1, 2), 20).Launch(s); err != nil {
		log.Fatal(err)
	}
	if err := s.Synchronize(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Host())
	// Output: [1 20 3]
}

// A pool of its own limits what a part of a program allocates.
func ExamplePool() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	pool, err := dev.NewPool(cuda.PoolConfig{ReleaseThreshold: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	x, err := cuda.AllocFrom[float32](pool, s, 1000)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stats, err := pool.Stats()
	fmt.Println(stats.Used >= 4000, err)
	// Output: true <nil>
}

// A box is a part of a matrix: here 2 × 2 elements, from the second row and column on.
func ExampleCopyBox() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	matrix, err := cuda.Upload(s, []int32{
		11, 12, 13,
		21, 22, 23,
		31, 32, 33,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer matrix.Close()
	part, err := cuda.Alloc[int32](s, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer part.Close()
	from := matrix.Slice(4, 9).Box(cuda.Shape{Width: 2, Height: 2, RowStride: 3})
	if err := cuda.CopyBox(part.All().Box(cuda.Shape{Width: 2, Height: 2}), from).Launch(s); err != nil {
		log.Fatal(err)
	}
	host, err := part.All().Download(s)
	fmt.Println(host, err)
	// Output: [22 23 32 33] <nil>
}

// A Kernel says what the driver knows about it: here how large a block may be.
func ExampleKernel() {
	dev, _, closeBoth := exampleDevice()
	defer closeBoth()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	attributes, err := k.Saxpy.Kernel.Attributes()
	if err != nil {
		log.Fatal(err)
	}
	cfg, err := k.Saxpy.Kernel.ConfigFor(10_000, 0)
	fmt.Println(k.Saxpy.Kernel.Name(), attributes.MaxThreadsPerBlock, int(cfg.Grid.X*cfg.Block.X) >= 10_000, err)
	// Output: saxpy 1024 true <nil>
}

// A variable of a kernel's source has a field in generated code.
func ExampleSymbol() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	if err := k.Taps.Set(s, [5]float32{0, 0.25, 0.5, 0.25, 0}); err != nil {
		log.Fatal(err)
	}
	taps, err := k.Taps.Get(s)
	fmt.Println(taps, err)
	// Output: [0 0.25 0.5 0.25 0] <nil>
}

// A launch configuration of one's own: 4 blocks of 64 threads, with a higher priority.
func ExampleLaunchConfig() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	x, err := cuda.Upload(s, make([]int32, 256))
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	priority := int32(-1)
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(64), Attributes: &cuda.LaunchAttributes{Priority: &priority}}
	if err := k.AddDelta.LaunchWith(s, cfg, x.All(), 3); err != nil {
		log.Fatal(err)
	}
	host, err := x.Slice(254, 256).Download(s)
	fmt.Println(host, err)
	// Output: [3 3] <nil>
}

// A kernel that fails makes its device unusable. The error says where it happened: a GPU's driver
// tells less than the simulated device.
func ExampleFault() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	library, err := dev.LoadLibrary(cuda.NewImage("add.ptx", addPTX))
	if err != nil {
		log.Fatal(err)
	}
	defer library.Close()
	type addArgs struct {
		Data  cuda.Slice[float32]
		Delta float32
	}
	add, err := cuda.Bind[addArgs](library, "add")
	if err != nil {
		log.Fatal(err)
	}
	data, err := cuda.Upload(s, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer data.Close()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(4)} // a thread too many
	if err := add.LaunchArgsWith(s, cfg, &addArgs{Data: data.All()}); err != nil {
		log.Fatal(err)
	}
	err = s.Synchronize()
	var fault *cuda.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Kernel, fault.PTXLine, fault.Instruction, fault.Thread.X)
	}
	// Output: add 14 ld.global.f32 %f2, [%rd3] 3
}

// A wrapper of another library has its communicator in the graphs that capture its work. When that is closed,
// the driver has none of these graphs any more.
func ExampleResource() {
	dev, err := cuda.OpenDefault()
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	s, err := dev.NewStream()
	if err != nil {
		panic(err)
	}
	defer s.Close()
	communicator := dev.NewResource("communicator")
	x, err := cuda.Upload(s, []int32{1, 2, 3})
	if err != nil {
		panic(err)
	}
	defer x.Close()
	_, err = cuda.Capture(s, func(s *cuda.Stream) error {
		if err := s.Use(communicator.Owner(), x.Owner()); err != nil {
			return err
		}
		return cuda.Fill(x.All(), 7).Launch(s) // or s.Handle, for work of the library's own
	})
	fmt.Println(err, communicator.Close())
	// Output: <nil> <nil>
}
