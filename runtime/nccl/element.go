package nccl

import (
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// An Element is a type that NCCL reduces and moves.
type Element interface {
	~int8 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64 | vec.Float16 | vec.BFloat16
}

// A dataType is a ncclDataType_t.
type dataType int32

// The data types of NCCL that have an Element.
const (
	typeInt8 dataType = iota
	typeUint8
	typeInt32
	typeUint32
	typeInt64
	typeUint64
	typeFloat16
	typeFloat32
	typeFloat64
	typeBFloat16
	dataTypes
)

var dataTypeNames = [dataTypes]string{"int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16"}

var dataTypeSizes = [dataTypes]int{1, 1, 4, 4, 8, 8, 2, 4, 8, 2}

// String returns the type's name, such as "float32".
func (t dataType) String() string {
	if t < 0 || t >= dataTypes {
		return "no data type"
	}
	return dataTypeNames[t]
}

// size returns the bytes of an element.
func (t dataType) size() int { return dataTypeSizes[t] }

// dataTypeOf returns the data type of T.
func dataTypeOf[T Element]() dataType {
	var zero T
	switch any(zero).(type) {
	case float32:
		return typeFloat32
	case vec.Float16:
		return typeFloat16
	case vec.BFloat16:
		return typeBFloat16
	}
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Int8:
		return typeInt8
	case reflect.Uint8:
		return typeUint8
	case reflect.Int32:
		return typeInt32
	case reflect.Uint32:
		return typeUint32
	case reflect.Int64:
		return typeInt64
	case reflect.Uint64:
		return typeUint64
	case reflect.Float32:
		return typeFloat32
	}
	return typeFloat64
}

// bitsOf returns the bytes of v, the least significant first.
func bitsOf[T Element](v T) (bits uint64) {
	*(*T)(unsafe.Pointer(&bits)) = v
	return bits
}

// An Op is how AllReduce, Reduce and ReduceScatter combine elements: a ncclRedOp_t, or one that NewPreMulSum has
// made for one communicator, which no other has.
type Op int32

// The reductions that every communicator has. Avg of integers is the sum, divided by the number of ranks and rounded
// towards zero; of floating-point numbers it is the sum of the elements, each multiplied before by 1 / the number of ranks.
// Max and Min ignore what is not a number.
const (
	Sum Op = iota
	Prod
	Max
	Min
	Avg
	builtinOps
)

var opNames = [builtinOps]string{"sum", "prod", "max", "min", "avg"}

// String returns the operation's name.
func (o Op) String() string {
	if o < 0 {
		return "no operation"
	}
	if o >= builtinOps {
		return "pre-multiplied sum"
	}
	return opNames[o]
}
