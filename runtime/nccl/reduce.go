package nccl

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A number is an Element that Go adds. Halves are added as float32 and rounded each time.
type number interface {
	int8 | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// reduce returns the reduction of inputs, which are as long, in their order: ((0 ∘ 1) ∘ 2) ∘ …, each
// step rounded to the type. factors are those of pre-multiplied sums, by input. Results are equal
// bit by bit whichever ranks are in which process.
func reduce(t dataType, op Op, inputs [][]byte, factors []uint64) []byte {
	switch t {
	case typeInt8:
		return reduceOf[int8](op, inputs, factors)
	case typeUint8:
		return reduceOf[uint8](op, inputs, factors)
	case typeInt32:
		return reduceOf[int32](op, inputs, factors)
	case typeUint32:
		return reduceOf[uint32](op, inputs, factors)
	case typeInt64:
		return reduceOf[int64](op, inputs, factors)
	case typeUint64:
		return reduceOf[uint64](op, inputs, factors)
	case typeFloat32:
		return reduceOf[float32](op, inputs, factors)
	case typeFloat64:
		return reduceOf[float64](op, inputs, factors)
	case typeFloat16:
		return reduceHalves(op, inputs, factors, vec.Float16.Float32, vec.NewFloat16)
	default:
		return reduceHalves(op, inputs, factors, vec.BFloat16.Float32, vec.NewBFloat16)
	}
}

// elements returns the elements of memory that begins at a multiple of their size.
func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// valueOf is the reverse of bitsOf.
func valueOf[T any](bits uint64) T { return *(*T)(unsafe.Pointer(&bits)) }

func reduceOf[T number](op Op, inputs [][]byte, factors []uint64) []byte {
	out := make([]byte, len(inputs[0]))
	acc := elements[T](out)
	copy(acc, elements[T](inputs[0]))
	if op >= builtinOps {
		f := valueOf[T](factors[0])
		for i, v := range acc {
			acc[i] = v * f
		}
	}
	for rank, input := range inputs[1:] {
		in := elements[T](input)
		switch op {
		case Sum, Avg:
			for i, v := range in {
				acc[i] += v
			}
		case Prod:
			for i, v := range in {
				acc[i] *= v
			}
		case Max:
			for i, v := range in {
				acc[i] = max(acc[i], v)
			}
		case Min:
			for i, v := range in {
				acc[i] = min(acc[i], v)
			}
		default:
			f := valueOf[T](factors[rank+1])
			for i, v := range in {
				product := T(v * f) // rounded, and never fused with the sum
				acc[i] += product
			}
		}
	}
	if op == Avg {
		for i, v := range acc {
			acc[i] = v / T(len(inputs))
		}
	}
	return out
}

func reduceHalves[T ~uint16](op Op, inputs [][]byte, factors []uint64, widen func(T) float32, round func(float32) T) []byte {
	out := make([]byte, len(inputs[0]))
	acc := elements[T](out)
	for rank, input := range inputs {
		for i, bits := range elements[T](input) {
			v, a := widen(bits), widen(acc[i])
			if op >= builtinOps {
				v = widen(round(v * widen(valueOf[T](factors[rank]))))
			}
			switch {
			case rank == 0:
				a = v
			case op == Prod:
				a *= v
			case op == Max:
				a = max(a, v)
			case op == Min:
				a = min(a, v)
			default:
				a += v
			}
			if op == Avg && rank == len(inputs)-1 {
				a = widen(round(a)) / float32(len(inputs))
			}
			acc[i] = round(a)
		}
	}
	return out
}
