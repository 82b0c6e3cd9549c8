package profile_test

import (
	"fmt"
	"log"
	"os"

	kernels "github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/profile"
	_ "github.com/cudagen/cudagen/runtime/sim" // the device
)

// Saxpy is as good as can be: its warps access memory side by side.
func Example() {
	if err := profiled(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// saxpy<<<4, 256>>>: 1 launch of 4 blocks
	//   instructions   640 of warps, in 32.0 of 32 threads
	//   global memory  384 sectors of 32 bytes, where 384 would do (100 %)
	//   operations     2,048 of FP32
	//   occupancy      100 %: 8 blocks of 8 warps on a multiprocessor of compute capability 9.0, limited by threads; fewer above 32 registers a thread (nvcc -Xptxas -v prints them)
	//   grid           4 blocks, and an H100 or H200 has 132 multiprocessors: the others are idle
}

func profiled() error {
	dev, err := cuda.OpenSimulator()
	if err != nil {
		return err
	}
	defer dev.Close()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	x, err := cuda.Upload(s, make([]float32, 1024))
	if err != nil {
		return err
	}
	y, err := cuda.Upload(s, make([]float32, 1024))
	if err != nil {
		return err
	}
	p, err := profile.Start(profile.Config{Kernel: "saxpy"})
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := k.Saxpy.Launch(s, 2, x.All(), y.All()); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	return p.WriteReport(os.Stdout)
}

// A Profile can be written for go tool pprof.
func ExampleProfile() {
	p := profile.New(profile.Config{})
	file, err := os.CreateTemp("", "*.prof")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	fmt.Println(p.Write(file), p.Launches(), "launches")
	// Output: <nil> 0 launches
}
