package cuda_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
)

// A matrix of 100 rows of 64 numbers, of which kernels copy boxes of 16 rows of 32.
func ExampleTensorMap() {
	_, s, done := exampleDevice()
	defer done()
	matrix, err := cuda.Alloc[float32](s, 64*100)
	if err != nil {
		log.Fatal(err)
	}
	defer matrix.Close()
	_, err = cuda.NewTensorMap(matrix.All(), tensormap.Config{
		Dims: []int{64, 100}, Box: []int{32, 16}, Swizzle: tensormap.Swizzle128,
	}) // an argument of a kernel with a parameter const __grid_constant__ CUtensorMap
	fmt.Println(err == nil || errors.Is(err, cuda.ErrNotSupported))
	// Output: true
}
