package vec_test

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// Half precision is bits in Go, with conversions that round to the nearest.
func ExampleNewFloat16() {
	h, b := vec.NewFloat16(0.1), vec.NewBFloat16(0.1)
	fmt.Println(h.Float32(), b.Float32())
	// Output: 0.099975586 0.100097656
}
