package cublaslt

import "unsafe"

// Value returns the bytes of v, for attributes.
func Value[T any](v T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)) }

// A Number is a type of scalars. Half numbers are their bits.
type Number interface {
	~uint16 | ~int32 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Scalar returns the bytes of v, and zeros up to 16, for alpha and beta. Their type is the scaleType of the description.
func Scalar[T Number](v T) []byte {
	place := new([2]uint64)
	*(*T)(unsafe.Pointer(place)) = v
	return unsafe.Slice((*byte)(unsafe.Pointer(place)), unsafe.Sizeof(*place))
}
