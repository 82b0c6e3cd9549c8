package cuda_test

import (
	"fmt"
	"log"
	"math"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// check ends an example that cannot go on.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A texture reads between elements. Kernels with a cudaTextureObject_t take it by the directive
// //cudagen:texture; here a kernel that was compiled before is bound by hand.
func ExampleNewTexture() {
	dev, err := cuda.OpenSimulator()
	check(err)
	defer dev.Close()
	s, err := dev.NewStream()
	check(err)
	defer s.Close()
	array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 3})
	check(err)
	defer array.Close()
	check(array.CopyFrom(s, []float32{10, 20, 40}))
	texture, err := cuda.NewTexture[float32](array, cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp})
	check(err)
	defer texture.Close()

	// tex1D<float4>(t, at[i].x), and the bits of the result.
	type arguments struct {
		T   cuda.Texture[float32]
		At  cuda.Slice[vec.Float4]
		Out cuda.Slice[vec.UInt4]
		N   int32
	}
	ptx, err := os.ReadFile("testdata/textures.ptx")
	check(err)
	library, err := dev.LoadLibrary(imageOfPTX(string(ptx)))
	check(err)
	defer library.Close()
	kernel, err := cuda.Bind[arguments](library, "read1D")
	check(err)
	at, err := cuda.Upload(s, []vec.Float4{{X: 0.5}, {X: 1}, {X: 1.75}, {X: 9}})
	check(err)
	defer at.Close()
	out, err := cuda.Alloc[vec.UInt4](s, 4)
	check(err)
	defer out.Close()
	check(kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(4)}, &arguments{texture, at.All(), out.All(), 4}))
	values, err := out.All().Download(s)
	check(err)
	for _, v := range values {
		fmt.Println(math.Float32frombits(v.X))
	}
	// Output:
	// 10
	// 15
	// 25
	// 40
}

// An array is copied as a whole, or in parts by CopyBox.
func ExampleNewArray() {
	_, s, closeBoth := exampleDevice()
	defer closeBoth()
	array, err := cuda.NewArray[int32](s.Device(), cuda.ArrayConfig{Width: 3, Height: 2})
	check(err)
	defer array.Close()
	check(array.CopyFrom(s, []int32{1, 2, 3, 4, 5, 6}))
	column, err := cuda.Alloc[int32](s, 2)
	check(err)
	defer column.Close()
	shape := cuda.Shape{Width: 1, Height: 2}
	check(cuda.CopyBox(column.All().Box(shape), array.Box(1, 0, 0, shape)).Launch(s))
	host, err := column.All().Download(s)
	check(err)
	fmt.Println(host)
	// Output: [2 5]
}

// The levels of a mipmapped array are arrays.
func ExampleNewMipmappedArray() {
	dev, err := cuda.OpenSimulator()
	check(err)
	defer dev.Close()
	levels, err := cuda.NewMipmappedArray[vec.UChar4](dev, cuda.ArrayConfig{Width: 16, Height: 5}, 0)
	check(err)
	defer levels.Close()
	for n := range levels.Levels() {
		cfg := levels.Level(n).Config()
		fmt.Println(cfg.Width, cfg.Height)
	}
	// Output:
	// 16 5
	// 8 2
	// 4 1
	// 2 1
	// 1 1
}

// Kernels write an array through a surface.
func ExampleNewSurface() {
	dev, err := cuda.OpenSimulator()
	check(err)
	defer dev.Close()
	array, err := cuda.NewArray[vec.UChar4](dev, cuda.ArrayConfig{Width: 640, Height: 480, Surface: true})
	check(err)
	defer array.Close()
	surface, err := cuda.NewSurface[vec.UChar4](array)
	check(err)
	defer surface.Close()
	fmt.Println(surface.Handle() != 0, array.Len())
	// Output: true 307200
}
