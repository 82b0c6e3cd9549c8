package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// known reports whether there are numbers of that type here.
func known(t cusparse.DataType) bool {
	switch t {
	case cusparse.R32F, cusparse.R64F, cusparse.C32F, cusparse.C64F:
		return true
	}
	return false
}

// kindOf returns the type of T.
func kindOf[T cusparse.Float]() cusparse.DataType {
	switch any(*new(T)).(type) {
	case float32:
		return cusparse.R32F
	case float64:
		return cusparse.R64F
	case complex64:
		return cusparse.C32F
	}
	return cusparse.C64F
}

func bytesOf[T any](s cuda.Slice[T]) cuda.Slice[uint8] { return cuda.Reinterpret[uint8](s) }

// read returns the elements of memory that part has, as complex numbers: real ones have no imaginary parts, so that there is one form of each
// function.
func read(w *hostwork.Work, s cuda.Slice[uint8], t cusparse.DataType, part hostwork.Part) []complex128 {
	switch t {
	case cusparse.R32F:
		return widened(hostwork.Read(w, cuda.Reinterpret[float32](s), part), func(v float32) complex128 { return complex(float64(v), 0) })
	case cusparse.R64F:
		return widened(hostwork.Read(w, cuda.Reinterpret[float64](s), part), func(v float64) complex128 { return complex(v, 0) })
	case cusparse.C32F:
		return widened(hostwork.Read(w, cuda.Reinterpret[complex64](s), part), func(v complex64) complex128 { return complex128(v) })
	}
	return hostwork.Read(w, cuda.Reinterpret[complex128](s), part)
}

func widened[T any](values []T, f func(T) complex128) []complex128 {
	list := make([]complex128, len(values))
	for i, v := range values {
		list[i] = f(v)
	}
	return list
}

// write writes the elements of values that part has.
func write(w *hostwork.Work, s cuda.Slice[uint8], t cusparse.DataType, part hostwork.Part, values []complex128) {
	switch t {
	case cusparse.R32F:
		hostwork.Write(w, cuda.Reinterpret[float32](s), part, narrowed(values, func(v complex128) float32 { return float32(real(v)) }))
	case cusparse.R64F:
		hostwork.Write(w, cuda.Reinterpret[float64](s), part, narrowed(values, func(v complex128) float64 { return real(v) }))
	case cusparse.C32F:
		hostwork.Write(w, cuda.Reinterpret[complex64](s), part, narrowed(values, func(v complex128) complex64 { return complex64(v) }))
	default:
		hostwork.Write(w, cuda.Reinterpret[complex128](s), part, values)
	}
}

func narrowed[T any](values []complex128, f func(complex128) T) []T {
	list := make([]T, len(values))
	for i, v := range values {
		list[i] = f(v)
	}
	return list
}

// readIndices returns n indices, counted from 0.
func readIndices(w *hostwork.Work, s cuda.Slice[uint8], t cusparse.IndexType, n int, base cusparse.IndexBase) []int {
	list := make([]int, 0, n)
	if t == cusparse.Index32I {
		for _, v := range hostwork.Read(w, cuda.Reinterpret[int32](s), hostwork.Vector(n, 1)) {
			list = append(list, int(v)-int(base))
		}
		return list
	}
	for _, v := range hostwork.Read(w, cuda.Reinterpret[int64](s), hostwork.Vector(n, 1)) {
		list = append(list, int(v)-int(base))
	}
	return list
}

// writeIndices writes indices that count from 0.
func writeIndices(w *hostwork.Work, s cuda.Slice[uint8], t cusparse.IndexType, list []int, base cusparse.IndexBase) {
	if t == cusparse.Index32I {
		narrow := make([]int32, len(list))
		for i, v := range list {
			narrow[i] = int32(v + int(base))
		}
		hostwork.Write(w, cuda.Reinterpret[int32](s), hostwork.Vector(len(list), 1), narrow)
		return
	}
	wide := make([]int64, len(list))
	for i, v := range list {
		wide[i] = int64(v + int(base))
	}
	hostwork.Write(w, cuda.Reinterpret[int64](s), hostwork.Vector(len(list), 1), wide)
}

// A scalar is a number in the memory of the host, or of the device.
type scalar interface{ []uint8 | cuda.Slice[uint8] }

// number returns what reads a scalar when the stream runs, and the owners of its memory. One in the memory of the host is read at once.
func number[S scalar](s S, t cusparse.DataType) (get func(w *hostwork.Work) complex128, owners []cuda.Owner) {
	switch s := any(s).(type) {
	case cuda.Slice[uint8]:
		return func(w *hostwork.Work) complex128 { return read(w, s, t, hostwork.Vector(1, 1))[0] }, []cuda.Owner{s.Owner()}
	case []uint8:
		v := decoded(s, t)
		return func(*hostwork.Work) complex128 { return v }, nil
	}
	return nil, nil
}
