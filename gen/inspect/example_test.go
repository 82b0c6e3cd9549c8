package inspect_test

import (
	"fmt"
	"log"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
)

// Where the parameters of a kernel lie, and the qualified name of its symbol, follow from the source.
func Example() {
	reading := gen.NewReader(gen.Options{}).Read("../../example/saxpy/saxpy.cu")
	report := inspect.New(reading, inspect.Options{})
	if !report.Accepted {
		log.Fatal(reading.Errors)
	}
	for _, k := range report.Kernels {
		fmt.Println(k.GoName, k.ParamBytes)
		for _, p := range k.Params {
			fmt.Println(p.Offset, p.Name, p.GoType)
		}
	}
	fmt.Println(inspect.KernelName("_ZN1n4blurEPf"))
	// Output:
	// Saxpy 24
	// 0 n int32
	// 4 a float32
	// 8 x cuda.Ptr[float32]
	// 16 y cuda.Ptr[float32]
	// n::blur
}
