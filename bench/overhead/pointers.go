package main

import (
	"github.com/cudagen/cudagen/bench/kernels"
	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// pointers are launches of kernels with 1, 4 and 12 pointers, as slices and as cuda.Ptr.
func pointers(k *kernels.Kernels, s *cuda.Stream, b *cuda.Buffer[float32], repeat func(func() error) func() (float64, error)) []*race.Contestant {
	x, p := b.All(), b.Ptr()
	return []*race.Contestant{
		{Name: "1 pointer: Slice", Run: repeat(func() error { return k.Slices1.Launch(s, x) })},
		{Name: "1 pointer: Ptr", Run: repeat(func() error { return k.Plain1.Launch(s, p) })},
		{Name: "4 pointers: Slice", Run: repeat(func() error { return k.Slices4.Launch(s, x, x, x, x) })},
		{Name: "4 pointers: Ptr", Run: repeat(func() error { return k.Plain4.Launch(s, p, p, p, p) })},
		{Name: "12 pointers: Slice", Run: repeat(func() error { return k.Slices12.Launch(s, x, x, x, x, x, x, x, x, x, x, x, x) })},
		{Name: "12 pointers: Ptr", Run: repeat(func() error { return k.Plain12.Launch(s, p, p, p, p, p, p, p, p, p, p, p, p) })},
	}
}
