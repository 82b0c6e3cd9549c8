package clib

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// tooMuch stands for every number that does not fit into 63 bits, and for results of what has none. It is more elements than any
// memory has. What is calculated with it is tooMuch, too.
const tooMuch = math.MaxInt64

// TooMuch is what generated code calls that.
const TooMuch int64 = tooMuch

// Compare returns -1, 0 or 1 if a is less than b, equal to it or greater, and 2 if one of them is TooMuch: nobody knows then.
//
//go:noinline
func Compare(a, b int64) int {
	if a == tooMuch || b == tooMuch {
		return 2
	}
	return cmp.Compare(a, b)
}

// Unsigned returns n as an int64.
func Unsigned[T ~uint64 | ~uint | ~uintptr](n T) int64 { return int64(min(uint64(n), tooMuch)) }

// Bit returns 1 for true.
func Bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Pick returns a if the condition holds, otherwise b.
func Pick(condition bool, a, b int64) int64 {
	if condition {
		return a
	}
	return b
}

// Add returns a + b.
//
//go:noinline
func Add(a, b int64) int64 {
	sum := a + b
	if a == tooMuch || b == tooMuch || (sum < a) != (b < 0) {
		return tooMuch
	}
	return sum
}

// Sub returns a - b.
func Sub(a, b int64) int64 {
	difference := a - b
	if a == tooMuch || b == tooMuch || (difference > a) != (b < 0) {
		return tooMuch
	}
	return difference
}

// Mul returns a * b.
//
//go:noinline
func Mul(a, b int64) int64 {
	if a == tooMuch || b == tooMuch {
		return tooMuch
	}
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	if high != 0 || low >= tooMuch {
		return tooMuch
	}
	if (a < 0) != (b < 0) {
		return -int64(low)
	}
	return int64(low)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Div returns a / b, rounded towards 0.
func Div(a, b int64) int64 {
	if a == tooMuch || b == tooMuch || b == 0 || a == math.MinInt64 {
		return tooMuch
	}
	return a / b
}

// Rem returns a - a/b*b.
func Rem(a, b int64) int64 {
	if a == tooMuch || b == tooMuch || b == 0 || a == math.MinInt64 {
		return tooMuch
	}
	return a % b
}

// Min returns the least of its arguments, which is not known if one of them is tooMuch.
func Min(a int64, more ...int64) int64 {
	if a == tooMuch || slices.Contains(more, tooMuch) {
		return tooMuch
	}
	for _, b := range more {
		a = min(a, b)
	}
	return a
}

// Abs returns the absolute value of a.
func Abs(a int64) int64 { return int64(min(magnitude(a), tooMuch)) }

// Matrix returns how many elements a matrix needs that is stored by columns: rows elements for each, from one to the next are ld. One
// without rows or columns needs none.
//
//go:noinline
func Matrix(rows, columns, ld int64) int64 {
	if rows <= 0 || columns <= 0 {
		return 0
	}
	return Add(Mul(columns-1, max(ld, 0)), rows)
}

// Vector returns how many elements a vector of n needs, of which each lies increment, which may be negative, behind the one before.
//
//go:noinline
func Vector(n, increment int64) int64 {
	if n <= 0 {
		return 0
	}
	return Add(Mul(n-1, Abs(increment)), 1)
}

// Batch returns how many elements count pieces of memory need that have that many elements each, and begin stride elements behind the
// one before.
//
//go:noinline
func Batch(count, stride, elements int64) int64 {
	if count <= 0 || elements <= 0 {
		return 0
	}
	return Add(Mul(count-1, max(stride, 0)), elements)
}

// Sum returns the sum of the numbers, of which none counts if it is negative.
func Sum[T ~int32 | ~int64 | ~uint32 | ~uint64 | ~int16 | ~uint16 | ~int8 | ~uint8](numbers []T) (sum int64) {
	for _, n := range numbers {
		sum = Add(sum, Unsigned(uint64(max(n, 0))))
	}
	return sum
}

// bitsOf has the sizes of the types that a cudaDataType_t stands for.
var bitsOf = [...]uint8{
	0: 32, 1: 64, 2: 16, 3: 8, 4: 64, 5: 128, 6: 32, 7: 16, 8: 8, 9: 16, 10: 32, 11: 64, 12: 32, 13: 64, 14: 16, 15: 32, 16: 4, 17: 8,
	18: 4, 19: 8, 20: 16, 21: 32, 22: 16, 23: 32, 24: 64, 25: 128, 26: 64, 27: 128, 28: 8, 29: 8, 30: 8, 31: 8, 32: 8, 33: 4,
}

// Bytes returns how many bytes n elements have, of the type that a cudaDataType_t stands for. Of a type that it does not know it
// returns more than any memory has.
func Bytes(n, dataType int64) int64 {
	if n <= 0 {
		return 0
	}
	if dataType < 0 || dataType >= int64(len(bitsOf)) {
		return tooMuch
	}
	return Add(Mul(n/8, int64(bitsOf[dataType])), (n%8*int64(bitsOf[dataType])+7)/8)
}

// Float32 returns the word that passes v.
func Float32(v float32) uintptr { return uintptr(math.Float32bits(v)) }

// Float64 returns the word that passes v.
func Float64(v float64) uintptr { return uintptr(math.Float64bits(v)) }
