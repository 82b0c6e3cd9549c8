// Package simulated has package cublas compute on simulated devices, when it is imported:
//
//	import _ "github.com/cudagen/cudagen/runtime/cublas/simulated"
//
// It has BLAS, levels 1 to 3, of all types and in both modes, for one matrix and for many; products and sums of 16-bit numbers, which are
// summed up as float32, and products of 8-bit integers; and geam, dgmm, tpttr and trttp. All other functions return
// clib.ErrNotSimulated. So do types such as those of 8-bit floating-point numbers.
//
// Functions read the elements that cuBLAS reads, and no others: one triangle of a symmetric matrix, no C if beta is 0. Results differ
// from a GPU's by rounding.
package simulated
