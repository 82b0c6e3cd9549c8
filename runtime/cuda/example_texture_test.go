package cuda_test

import (
	"fmt"
	"log"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A picture as kernels read and write it: linearly filtered through a texture, and by place through a
// surface. Both are arguments of kernels, by //cudagen:texture and //cudagen:surface.
func ExampleNewTexture() {
	dev, s, closeBoth := exampleDevice()
	defer closeBoth()
	picture, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 2, Height: 2, Surface: true})
	if err != nil {
		log.Fatal(err)
	}
	defer picture.Close()
	if err := picture.CopyFrom(s, []float32{0, 1, 2, 3}); err != nil {
		log.Fatal(err)
	}
	texture, err := cuda.NewTexture[float32](picture, cuda.TextureConfig{Filter: cuda.FilterLinear, Normalized: true})
	if err != nil {
		log.Fatal(err)
	}
	defer texture.Close()
	surface, err := cuda.NewSurface[float32](picture)
	if err != nil {
		log.Fatal(err)
	}
	defer surface.Close()
	host := make([]float32, picture.Len())
	err = picture.CopyTo(s, host)
	fmt.Println(host, err)
	// Output: [0 1 2 3] <nil>
}
