package cuda_test

import (
	"fmt"
	"log"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// addPTX is a kernel that no generated code knows, as NVRTC or another compiler makes it.
const addPTX = `.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 data, .param .f32 delta)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<2>;
	.reg .f32 %f<4>;
	ld.param.u64 %rd1, [data];
	ld.param.f32 %f1, [delta];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f2, [%rd3];
	add.f32 %f3, %f2, %f1;
	st.global.f32 [%rd3], %f3;
	ret;
}
`

// A kernel of PTX that was written by hand gets typed arguments without generated code.
func ExampleBind() {
	dev, err := cuda.OpenSimulator()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	lib, err := dev.LoadLibrary(cuda.NewImage("add.ptx", addPTX))
	if err != nil {
		log.Fatal(err)
	}
	defer lib.Close()

	type addArgs struct {
		Data  cuda.Slice[float32]
		Delta float32
	}
	add, err := cuda.Bind[addArgs](lib, "add")
	if err != nil {
		log.Fatal(err)
	}
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	data, err := cuda.Upload(s, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer data.Close()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(3)}
	if err := add.LaunchArgsWith(s, cfg, &addArgs{Data: data.All(), Delta: 0.5}); err != nil {
		log.Fatal(err)
	}
	host := make([]float32, data.Len())
	if err := data.CopyTo(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)

	_, err = cuda.Bind[struct {
		Data  cuda.Slice[float32]
		Delta float64
	}](lib, "add")
	fmt.Println(err)
	// Output:
	// [1.5 2.5 3.5]
	// cuda: bind kernel add on device 0 (cudagen simulated device): parameter 1 (Delta) has 4 bytes, 8 as float64: image and Go code disagree
}
