package main

import (
	"github.com/cudagen/cudagen/bench/kernels"
	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// sets are changes of prepared calls, and of a graph's node that launches one.
func sets(k *example.Kernels, own *kernels.Kernels, x cuda.Slice[float32], repeat func(func() error) func() (float64, error)) ([]*race.Contestant, error) {
	args, twelve, large := example.SaxpyArgs{A: 2, X: x, Y: x}, kernels.TwelveArgs{Out: x, A: x, B: x, C: x}, kernels.LargeArgs{Out: x}
	computed, err := k.Saxpy.PrepareDefault(args)
	if err != nil {
		return nil, err
	}
	given, err := k.Saxpy.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}, args)
	if err != nil {
		return nil, err
	}
	ofTwelve, err := own.Twelve.PrepareDefault(twelve)
	if err != nil {
		return nil, err
	}
	ofLarge, err := own.Large.PrepareDefault(large)
	if err != nil {
		return nil, err
	}
	node := cuda.NewNode(computed)
	exec, err := cuda.BuildGraph(node)
	if err != nil {
		return nil, err
	}
	return []*race.Contestant{
		{Name: "Set of a call of Saxpy", Run: repeat(func() error { args.A++; return computed.Set(args) })},
		{Name: "… whose configuration was given", Run: repeat(func() error { args.A++; return given.Set(args) })},
		{Name: "Set of a call of Twelve", Run: repeat(func() error { twelve.I++; return ofTwelve.Set(twelve) })},
		{Name: "Set of a call of Large", Run: repeat(func() error { return ofLarge.Set(large) })},
		{Name: "Update of a graph's node", Run: repeat(func() error { return exec.Update(node) })},
		{Name: "Set and Update", Run: repeat(func() error {
			args.A++
			if err := computed.Set(args); err != nil {
				return err
			}
			return exec.Update(node)
		})},
	}, nil
}
