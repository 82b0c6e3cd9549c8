// Package forgotten leaves arguments out.
package forgotten

import (
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// boundArgs are arguments without generated code.
type boundArgs struct {
	X     cuda.Slice[float32]
	Mask  cuda.Slice[float32] `cuda:"nullable"`
	Image cuda.Texture[float32]
	Where cuda.Ptr[float32]
	N     int32
}

func wrong(k *example.Kernels, b *cuda.BoundKernel[boundArgs], s *cuda.Stream, y cuda.Slice[float32]) error {
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, Y: y}) // want `X is left out: PrepareDefault fails with a zero value there; if the kernel takes NULL, its parameter is nullable`
	if err != nil {
		return err
	}
	if err := call.Set(example.SaxpyArgs{}); err != nil { // want `X and Y are left out: Set fails`
		return err
	}
	args := example.SaxpyArgs{A: 2, Y: y}
	args.A = 3
	if err := call.Set(args); err != nil { // want `X is left out`
		return err
	}
	var zero example.SaxpyArgs
	zero.X = y
	if err := call.Set(zero); err != nil { // want `Y is left out`
		return err
	}
	pointer := &boundArgs{X: y}
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
	if err := b.LaunchArgsWith(s, cfg, pointer); err != nil { // want `Image is left out`
		return err
	}
	return b.LaunchArgsWith(s, cfg, &boundArgs{N: 1}) // want `X and Image are left out: LaunchArgsWith fails`
}

func right(k *example.Kernels, b *cuda.BoundKernel[boundArgs], s *cuda.Stream, x, y cuda.Slice[float32], given example.SaxpyArgs) error {
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: y})
	if err != nil {
		return err
	}
	args := example.SaxpyArgs{A: 2, Y: y}
	if x.Len() > 0 {
		args.X = x
	}
	if err := call.Set(args); err != nil {
		return err
	}
	filled := example.SaxpyArgs{Y: y}
	fill(&filled)
	if err := call.Set(filled); err != nil {
		return err
	}
	field := example.SaxpyArgs{Y: y}
	fillSlice(&field.X)
	if err := call.Set(field); err != nil {
		return err
	}
	later := example.SaxpyArgs{Y: y}
	later = example.SaxpyArgs{X: later.Y, Y: y}
	if err := call.Set(later); err != nil {
		return err
	}
	if err := call.Set(given); err != nil {
		return err
	}
	var texture cuda.Texture[float32]
	return b.LaunchArgsWith(s, cuda.LaunchConfig{}, &boundArgs{X: x, Image: texture})
}

func fill(args *example.SaxpyArgs) { args.X = args.Y }

func fillSlice(x *cuda.Slice[float32]) { *x = cuda.Slice[float32]{} }
