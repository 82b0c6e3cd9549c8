// Package vec has the Go forms of CUDA's vector types, char1 to double4, and of its
// floating-point numbers of 16 bits, __half and __nv_bfloat16. It knows no devices.
package vec

//go:generate go run vector_gen.go
