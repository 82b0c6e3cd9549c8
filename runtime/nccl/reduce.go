package nccl

import (
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A number is an Element that Go adds. Halves are added as float32 and rounded each time.
type number interface {
	int8 | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// reduce returns the reduction of inputs, which are as long, in their order: ((0 ∘ 1) ∘ 2) ∘ …, each
// step rounded to the type. factors are those of pre-multiplied sums, by input. Results are equal
// bit by bit whichever ranks are in which process. The average of floating-point numbers is a pre-multiplied sum,
// as in NCCL, so that it does not overflow where the numbers do not.
func reduce(t dataType, op Op, inputs [][]byte, factors []uint64) []byte {
	if part, ok := fraction(t, len(inputs)); ok && op == Avg {
		op, factors = builtinOps, slices.Repeat([]uint64{part}, len(inputs))
	}
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

// fraction returns the bits of 1/n, rounded as NCCL does. ok tells whether t has fractions.
func fraction(t dataType, n int) (bits uint64, ok bool) {
	f := 1 / float64(n)
	switch t {
	case typeFloat16:
		return bitsOf(vec.NewFloat16(float32(f))), true
	case typeBFloat16:
		return bitsOf(vec.NewBFloat16(float32(f))), true
	case typeFloat32:
		return bitsOf(float32(f)), true
	case typeFloat64:
		return bitsOf(f), true
	}
	return 0, false
}

// larger and smaller return the other number when one is none, as NCCL's kernels do.
func larger[T number](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

func smaller[T number](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

// quotient returns v / n rounded towards zero. n may be more than T holds.
func quotient[T number](v T, n int) T {
	if v < 0 {
		return T(int64(v) / int64(n))
	}
	return T(uint64(v) / uint64(n))
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
				acc[i] = larger(acc[i], v)
			}
		case Min:
			for i, v := range in {
				acc[i] = smaller(acc[i], v)
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
			acc[i] = quotient(v, len(inputs))
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
				a = larger(a, v)
			case op == Min:
				a = smaller(a, v)
			default:
				a += v
			}
			acc[i] = round(a)
		}
	}
	return out
}
