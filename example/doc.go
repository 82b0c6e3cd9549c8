// Package example holds the kernels of kernels.cu and what cudagen generates from
// them. The program in tour uses every one of them.
package example

//go:generate go run ../cmd/cudagen kernels.cu
