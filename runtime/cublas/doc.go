// Package cublas calls cuBLAS, NVIDIA's library for linear algebra, with checked slices and without cgo.
//
// Functions have the names of the library's, without cublas and _v2, and are methods of a Handle: Sgemm multiplies matrices of float32.
// Sizes have 64 bits. Those with Device behind have scalars and results in the memory of the device, so that nothing waits for them. The
// others return results, such as that of Sdot, when the stream's work has run.
//
// Matrices are stored by columns, as in Fortran: element (i, j) of A is at i + j*lda. A matrix stored by rows is the transpose of one
// stored by columns.
//
// cublas.h says what each function needs; cublas_clib.go is generated from it. The package needs libcublas only when a function is called.
package cublas

//go:generate go run ../../cmd/cudagen library cublas.h
