// Package example holds the kernels of kernels.cu and the code that cudagen generates from
// them. The program in tour launches all of them.
package example

//go:generate go run ../cmd/cudagen kernels.cu
