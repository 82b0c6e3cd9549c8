// Package cublaslt calls cuBLASLt, the part of cuBLAS that multiplies matrices as descriptions say: with any types, layouts and
// epilogues.
//
// A MatmulDesc and a MatrixLayout for each matrix say what Handle.Matmul does, and attributes say more: SetAttribute takes their bytes.
// How long slices must be follows from the layouts and is not checked. Slices are open memory of the device, no more.
package cublaslt

//go:generate go run ../../cmd/cudagen library cublaslt.h
