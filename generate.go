// Package cudagen is the root of a source-code generator that turns annotated CUDA
// kernels into ordinary Go functions, without cgo: a kernels.cu becomes a typed Go
// file and the PTX that it embeds. The command is cmd/cudagen, the generator as a
// library is gen, what generated code runs on is runtime/cuda, and example shows all
// of it. This package itself is empty.
package cudagen

//go:generate go run ./cmd/cudagen bench/kernels/kernels.cu
