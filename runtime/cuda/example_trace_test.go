package cuda_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"

	kernels "github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A trace of a part of a program. Write it to a file, and open that in ui.perfetto.dev.
func ExampleTrace() {
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

	var file bytes.Buffer
	trace, err := cuda.StartTrace(&file, cuda.TraceConfig{})
	if err != nil {
		log.Fatal(err)
	}
	step := cuda.StartRange("step")
	for range 3 {
		if err := k.AddDelta.Launch(s, x.All(), 1); err != nil {
			log.Fatal(err)
		}
	}
	step.End()
	if err := s.Synchronize(); err != nil {
		log.Fatal(err)
	}
	if err := trace.Close(); err != nil {
		log.Fatal(err)
	}
	kernel := trace.Summary()[0]
	fmt.Println(kernel.Name, kernel.Count, json.Valid(file.Bytes()), bytes.Contains(file.Bytes(), []byte(`"step"`)))
	// Output: add_delta 3 true true
}
