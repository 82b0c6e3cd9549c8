// Package cusolver is the dense part of NVIDIA's cuSOLVER: LAPACK's factors, solvers, eigenvalues and singular values.
//
//	h, err := cusolver.NewHandle(dev)
//	defer h.Close()
//	err = cusolver.Solve(h, s, n, 1, a.All(), n, b.All(), n) // b = A^-1 b
//
// Names are those of cuSOLVER without cusolverDn. Matrices are stored by columns, as in package cublas. Functions that begin with X take slices of
// bytes and the types of their elements; their buffers in the memory of the host are used only while they are called.
//
// Generic functions of this package get their workspace by themselves, on the stream, and give it back behind the work. In captures, which allocate
// nothing, use the methods, with a workspace from before. Whether a matrix has the factor that was asked for is in info, in the memory
// of the device: Check waits for it.
//
// libcusolver is loaded when the first handle is made: docs/libraries.md says where it is looked for. On simulated devices import
// runtime/cusolver/simulated.
package cusolver

//go:generate go run ../../cmd/cudagen library cusolver.h
