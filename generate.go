// Package cudagen is empty. The module generates typed Go functions for CUDA kernels: the
// command is cmd/cudagen, the generator is package gen, generated code uses runtime/cuda,
// and example shows all of it.
package cudagen

//go:generate go run ./cmd/cudagen bench/kernels/kernels.cu
//go:generate go run ./cmd/cudagen bench/textures/sample.cu
//go:generate go run ./cmd/cudagen -arch compute_90 bench/tensormaps/tiles.cu
