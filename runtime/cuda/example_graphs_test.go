package cuda_test

import (
	"fmt"
	"log"

	kernels "github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Nodes say what comes after what. One launch then runs all of it, any number of times.
func ExampleBuildGraph() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	k, err := kernels.LoadKernels(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer k.Close()
	x, err := cuda.Upload(s, []int32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	host, err := cuda.AllocHost[int32](dev, 3, cuda.HostConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	call, err := k.AddDelta.PrepareDefault(kernels.AddDeltaArgs{Data: x.All(), Delta: 10})
	if err != nil {
		log.Fatal(err)
	}
	add := cuda.NewNode(call)
	back := cuda.NewNode(cuda.Copy(host.All(), x.All())).After(add)
	say := cuda.NewHostNode(func() { fmt.Println(host.Host()) }).After(back)
	graph, err := cuda.BuildGraph(say)
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()
	for range 2 {
		if err := graph.Launch(s); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Synchronize(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [11 12 13]
	// [21 22 23]
}

// What a function does on a stream becomes a graph. Nothing runs meanwhile.
func ExampleCapture() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	x, err := cuda.Upload(s, []int32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	definition, err := cuda.Capture(s, func(s *cuda.Stream) error {
		if err := cuda.Fill(x.Slice(0, 2), 7).Launch(s); err != nil {
			return err
		}
		return cuda.Copy(x.Slice(2, 4), x.Slice(0, 2)).Launch(s)
	})
	if err != nil {
		log.Fatal(err)
	}
	before, err := x.All().Download(s)
	if err != nil {
		log.Fatal(err)
	}
	graph, err := definition.Instantiate()
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()
	if err := graph.Launch(s); err != nil {
		log.Fatal(err)
	}
	after, err := x.All().Download(s)
	fmt.Println(before, after, err)
	// Output: [1 2 3 4] [7 7 7 7] <nil>
}

// A graph that decides what it runs. The conditional begins as 1, and kernels of the graph may set it.
func ExampleConditional() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	x, err := cuda.Upload(s, []int32{0})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	then, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(x.All(), 1)))
	if err != nil {
		log.Fatal(err)
	}
	otherwise, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(x.All(), 2)))
	if err != nil {
		log.Fatal(err)
	}
	graph, err := cuda.BuildGraph(cuda.NewConditional(1).If(then, otherwise))
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()
	if err := graph.Launch(s); err != nil {
		log.Fatal(err)
	}
	host, err := x.All().Download(s)
	fmt.Println(host, err)
	// Output: [1] <nil>
}
