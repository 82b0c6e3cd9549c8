package simulated

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A number is what functions compute with.
type number interface {
	float32 | float64 | complex64 | complex128
}

// elements are elements in the memory of the device that are stored as another type than functions compute with.
type elements[T number] struct {
	address uint64
	n       int // elements
	stored  cublas.DataType
}

// from returns the elements from the one at i on.
func (e elements[T]) from(i int) elements[T] {
	return elements[T]{e.address + uint64(i*sizeOf(e.stored)), e.n - i, e.stored}
}

func (e elements[T]) read(w *hostwork.Work, p hostwork.Part) []T {
	switch e.stored {
	case cublas.R32F:
		return read[T, float32](w, e, p)
	case cublas.R64F:
		return read[T, float64](w, e, p)
	case cublas.C32F:
		return read[T, complex64](w, e, p)
	case cublas.C64F:
		return read[T, complex128](w, e, p)
	case cublas.R16F:
		return read[T, vec.Float16](w, e, p)
	case cublas.R16BF:
		return read[T, vec.BFloat16](w, e, p)
	case cublas.R8I:
		return read[T, int8](w, e, p)
	case cublas.R32I:
		return read[T, int32](w, e, p)
	case cublas.R64I:
		return read[T, int64](w, e, p)
	}
	panic(fmt.Sprintf("cublas: %v has no elements here", e.stored))
}

func (e elements[T]) write(w *hostwork.Work, p hostwork.Part, values []T) {
	switch e.stored {
	case cublas.R32F:
		write(w, e, p, convert[float32](values))
	case cublas.R64F:
		write(w, e, p, convert[float64](values))
	case cublas.C32F:
		write(w, e, p, convert[complex64](values))
	case cublas.C64F:
		write(w, e, p, convert[complex128](values))
	case cublas.R16F:
		write(w, e, p, convert[vec.Float16](values))
	case cublas.R16BF:
		write(w, e, p, convert[vec.BFloat16](values))
	case cublas.R8I:
		write(w, e, p, convert[int8](values))
	case cublas.R32I:
		write(w, e, p, convert[int32](values))
	case cublas.R64I:
		write(w, e, p, convert[int64](values))
	default:
		panic(fmt.Sprintf("cublas: %v has no elements here", e.stored))
	}
}

func read[T number, S any](w *hostwork.Work, e elements[T], p hostwork.Part) []T {
	return convert[T](hostwork.Read(w, cuda.SliceAt[S](e.address, e.n, cuda.Owner{}), p))
}

func write[T number, S any](w *hostwork.Work, e elements[T], p hostwork.Part, values []S) {
	hostwork.Write(w, cuda.SliceAt[S](e.address, e.n, cuda.Owner{}), p, values)
}

// convert returns values as another type.
func convert[To, From any](values []From) []To {
	if same, ok := any(values).([]To); ok {
		return same
	}
	to := make([]To, len(values))
	for i, v := range values {
		to[i] = fromWide[To](wide(v))
	}
	return to
}

// wide returns a number that is stored in any way.
func wide(v any) complex128 {
	switch v := v.(type) {
	case float32:
		return complex(float64(v), 0)
	case float64:
		return complex(v, 0)
	case complex64:
		return complex128(v)
	case complex128:
		return v
	case vec.Float16:
		return complex(float64(v.Float32()), 0)
	case vec.BFloat16:
		return complex(float64(v.Float32()), 0)
	case int8:
		return complex(float64(v), 0)
	case int32:
		return complex(float64(v), 0)
	case int64:
		return complex(float64(v), 0)
	}
	panic(fmt.Sprintf("cublas: %T is no number here", v))
}

// fromWide returns v rounded to another type.
func fromWide[T any](v complex128) T {
	var to T
	switch p := any(&to).(type) {
	case *float32:
		*p = float32(real(v))
	case *float64:
		*p = real(v)
	case *complex64:
		*p = complex64(v)
	case *complex128:
		*p = v
	case *vec.Float16:
		*p = vec.NewFloat16(float32(real(v)))
	case *vec.BFloat16:
		*p = vec.NewBFloat16(float32(real(v)))
	case *int8:
		*p = int8(min(max(math.RoundToEven(real(v)), math.MinInt8), math.MaxInt8))
	case *int32:
		*p = int32(int64(real(v)))
	case *int64:
		*p = int64(real(v))
	}
	return to
}

// decode returns the number that the bytes of a scalar are.
func decode[T number](bytes []byte, stored cublas.DataType) T {
	p := unsafe.Pointer(unsafe.SliceData(bytes))
	switch stored {
	case cublas.R32F:
		return fromWide[T](wide(*(*float32)(p)))
	case cublas.R64F:
		return fromWide[T](wide(*(*float64)(p)))
	case cublas.C32F:
		return fromWide[T](wide(*(*complex64)(p)))
	case cublas.C64F:
		return fromWide[T](wide(*(*complex128)(p)))
	case cublas.R16F:
		return fromWide[T](wide(*(*vec.Float16)(p)))
	case cublas.R16BF:
		return fromWide[T](wide(*(*vec.BFloat16)(p)))
	case cublas.R32I:
		return fromWide[T](wide(*(*int32)(p)))
	}
	panic(fmt.Sprintf("cublas: no scalar is %v here", stored))
}

// encode writes v as a scalar.
func encode[T number](bytes []byte, v T, stored cublas.DataType) {
	p := unsafe.Pointer(unsafe.SliceData(bytes))
	switch z := wide(v); stored {
	case cublas.R32F:
		*(*float32)(p) = fromWide[float32](z)
	case cublas.R64F:
		*(*float64)(p) = fromWide[float64](z)
	case cublas.C32F:
		*(*complex64)(p) = fromWide[complex64](z)
	case cublas.C64F:
		*(*complex128)(p) = z
	case cublas.R16F:
		*(*vec.Float16)(p) = fromWide[vec.Float16](z)
	case cublas.R16BF:
		*(*vec.BFloat16)(p) = fromWide[vec.BFloat16](z)
	default:
		panic(fmt.Sprintf("cublas: no scalar is %v here", stored))
	}
}

// sizeOf returns the bytes of an element, or 0 of a type that is not supported.
func sizeOf(stored cublas.DataType) int {
	switch stored {
	case cublas.R8I:
		return 1
	case cublas.R16F, cublas.R16BF:
		return 2
	case cublas.R32F, cublas.R32I:
		return 4
	case cublas.R64F, cublas.C32F, cublas.R64I:
		return 8
	case cublas.C64F:
		return 16
	}
	return 0
}

// typeOf returns how T is stored, unless an argument says otherwise.
func typeOf[T number]() cublas.DataType {
	switch any(*new(T)).(type) {
	case float32:
		return cublas.R32F
	case float64:
		return cublas.R64F
	case complex64:
		return cublas.C32F
	}
	return cublas.C64F
}

// typeOfSlice returns the type of the elements of a slice that has numbers.
func typeOfSlice(slice any) (cublas.DataType, bool) {
	switch slice.(type) {
	case cuda.Slice[float32]:
		return cublas.R32F, true
	case cuda.Slice[float64]:
		return cublas.R64F, true
	case cuda.Slice[complex64]:
		return cublas.C32F, true
	case cuda.Slice[complex128]:
		return cublas.C64F, true
	case cuda.Slice[vec.Float16]:
		return cublas.R16F, true
	case cuda.Slice[vec.BFloat16]:
		return cublas.R16BF, true
	case cuda.Slice[int32]:
		return cublas.R32I, true
	case cuda.Slice[int64]:
		return cublas.R64I, true
	}
	return 0, false
}

func isComplex[T number]() bool { return typeOf[T]() == cublas.C32F || typeOf[T]() == cublas.C64F }

// conj returns the conjugate of v.
func conj[T number](v T) T {
	switch p := any(&v).(type) {
	case *complex64:
		*p = complex(real(*p), -imag(*p))
	case *complex128:
		*p = complex(real(*p), -imag(*p))
	}
	return v
}

// onlyReal returns v without its imaginary part.
func onlyReal[T number](v T) T { return fromWide[T](complex(real(wide(v)), 0)) }
