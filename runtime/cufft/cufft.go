// Package cufft is NVIDIA's cuFFT: Fourier transforms of one to three dimensions, of complex and of real numbers.
//
//	plan, err := cufft.NewPlan1D(dev, 1024, cufft.C2C, 1)
//	defer plan.Close()
//	err = plan.ExecC2C(s, x.All(), y.All(), cufft.Forward)
//
// A transform and its inverse multiply by the number of elements, as cuFFT has it. In and out may be the same memory; of real numbers
// in place, rows have room for the complex ones: 2*(n/2+1). A plan has one stream at a time: goroutines make a plan each.
//
// libcufft is loaded when the first plan is made: docs/libraries.md says where it is looked for. On simulated devices import
// runtime/cufft/simulated.
package cufft

import (
	"github.com/cudagen/cudagen/runtime/clib"
)

//go:generate go run ../../cmd/cudagen library cufft.h

// The directions of transforms between complex numbers.
const (
	Forward int32 = -1 // CUFFT_FORWARD
	Inverse int32 = 1  // CUFFT_INVERSE
)

// together returns 1 if both or neither of a and b are nil.
func together[T int32 | int64](a, b []T) int64 { return clib.Bit((a == nil) == (b == nil)) }

// manyIn returns how many elements the transforms of a plan of many read: the last one of them, counted from 1.
func manyIn[T int32 | int64](rank int32, n, embed []T, stride, distance T, kind Kind, batch T) int64 {
	return many(n[:rank], embed, stride, distance, batch, kind == C2R || kind == Z2D)
}

// manyOut is manyIn for what they write.
func manyOut[T int32 | int64](rank int32, n, embed []T, stride, distance T, kind Kind, batch T) int64 {
	return many(n[:rank], embed, stride, distance, batch, kind == R2C || kind == D2Z)
}

// many returns how many elements transforms have that lie as a plan of many says; half says that in the last dimension there are
// only n/2+1. Without embed they are one behind the other.
//
// cuFFT, Advanced Data Layout.
func many[T int32 | int64](n, embed []T, stride, distance, batch T, half bool) int64 {
	extent := make([]int64, len(n))
	for i, size := range n {
		extent[i] = int64(size)
		if half && i == len(n)-1 {
			extent[i] = int64(size)/2 + 1
		}
		if size <= 0 || batch <= 0 {
			return 0
		}
	}
	if embed == nil {
		all := int64(batch)
		for _, size := range extent {
			all = clib.Mul(all, size)
		}
		return all
	}
	last := int64(0)
	for i, size := range extent {
		if i > 0 {
			last = clib.Mul(last, max(int64(embed[i]), 0))
		}
		last = clib.Add(last, size-1)
	}
	last = clib.Add(clib.Mul(last, max(int64(stride), 0)), clib.Mul(int64(batch)-1, max(int64(distance), 0)))
	return clib.Add(last, 1)
}
