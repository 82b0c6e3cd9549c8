package cuda

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// This file holds the arithmetic of directives' expressions where 64 bits may overflow.
// Generated code calls it.
//
// The methods return the exact result or, below least, the reason why there is none. That
// is negative, as no size is, and every method returns the reasons that it is called
// with: an expression that has no value in one part has none as a whole.
const (
	tooLarge      = math.MinInt + iota // the result does not fit
	negativeParts                      // factors, a dividend or a shift
	zeroDivisor
	least // the least result
)

// reason returns the reason among a and b why there is no result, and whether there is one.
func reason(a, b int) (int, bool) {
	if a < least {
		return a, true
	}
	return b, b < least
}

// AddSizes returns a+b.
func (generated) AddSizes(a, b int) int {
	if sum := a + b; a|b|sum >= 0 {
		return sum
	}
	return addSigned(a, b)
}

//go:noinline
func addSigned(a, b int) int {
	if why, none := reason(a, b); none {
		return why
	}
	sum := a + b
	if (a^sum)&(b^sum) < 0 || sum < least {
		return tooLarge
	}
	return sum
}

// SubSizes returns a-b.
func (generated) SubSizes(a, b int) int {
	if a|b >= 0 {
		return a - b
	}
	return subSigned(a, b)
}

//go:noinline
func subSigned(a, b int) int {
	if why, none := reason(a, b); none {
		return why
	}
	difference := a - b
	if (a^b)&(a^difference) < 0 || difference < least {
		return tooLarge
	}
	return difference
}

// MulSizes returns a*b. Two negative factors have no product: -1 rows of -1 columns are
// not one element.
func (generated) MulSizes(a, b int) int {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && a|b|int(lo) >= 0 {
		return int(lo)
	}
	return mulSigned(a, b)
}

//go:noinline
func mulSigned(a, b int) int {
	if why, none := reason(a, b); none {
		return why
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	switch {
	case a < 0 && b < 0:
		return negativeParts
	case a|b >= 0, hi != 0, lo > -least: // the product of numbers from 0 did not fit
		return tooLarge
	}
	return -int(lo)
}

// QuoSizes returns a/b, rounded down. A negative number has no quotient, since languages differ
// in how they round it.
func (generated) QuoSizes(a, b int) int {
	if why, none := divides(a, b); none {
		return why
	}
	return a / b
}

// RemSizes returns the remainder of a/b, for numbers that QuoSizes divides.
func (generated) RemSizes(a, b int) int {
	if why, none := divides(a, b); none {
		return why
	}
	return a % b
}

// divides returns the reason why a/b has no quotient, and whether there is one.
func divides(a, b int) (int, bool) {
	why, none := reason(a, b)
	switch {
	case none:
		return why, true
	case a < 0 || b < 0:
		return negativeParts, true
	case b == 0:
		return zeroDivisor, true
	}
	return 0, false
}

// ShlSizes returns a<<b for numbers that are not negative.
func (generated) ShlSizes(a, b int) int {
	why, none := reason(a, b)
	switch {
	case none:
		return why
	case a < 0 || b < 0:
		return negativeParts
	case a != 0 && (b > 62 || a > math.MaxInt>>b):
		return tooLarge
	}
	return a << b
}

// ShrSizes returns a>>b for numbers that are not negative.
func (generated) ShrSizes(a, b int) int {
	why, none := reason(a, b)
	switch {
	case none:
		return why
	case a < 0 || b < 0:
		return negativeParts
	}
	return a >> b
}

// MaxSizes returns the larger number. There is no MinSizes: a reason is less than every result,
// as min has it.
func (generated) MaxSizes(a, b int) int {
	if why, none := reason(a, b); none {
		return why
	}
	return max(a, b)
}

// BadSize returns the error of a launch because the expression in directive, such as
// "threads rows*cols", has the value size. names are what it reads, such as "rows, cols", and
// values their values.
//
//go:noinline
func (generated) BadSize(k *Kernel, directive string, size int, names string, values ...int) error {
	var err error = ErrInvalidValue
	problem := ""
	switch {
	case size == tooLarge:
		problem, err = "does not fit into 64 bits", ErrOverflow
	case size == negativeParts:
		problem = "multiplies, divides or shifts negative numbers"
	case size == zeroDivisor:
		problem = "divides by 0"
	case size < 0:
		problem = fmt.Sprintf("is %d, must not be negative,", size)
	default:
		problem, err = fmt.Sprintf("is %d, which is too large,", size), ErrOverflow
	}
	list := strings.Split(names, ", ")
	for i := range min(len(list), len(values)) {
		list[i] += fmt.Sprint("=", values[i])
	}
	return k.badArgument(directive+" "+problem+" with "+strings.Join(list, ", "), err)
}

// NegativeInput returns the error of a launch because the parameter param, which directive
// counts with, is negative.
//
//go:noinline
func (generated) NegativeInput(k *Kernel, directive, param string, value int) error {
	return k.badArgument(fmt.Sprintf("%s: %s is %d, must not be negative", directive, param, value), ErrInvalidValue)
}

// LargeInput returns the error of a launch because the parameter param, which directive
// counts with, does not fit into an int.
//
//go:noinline
func (generated) LargeInput(k *Kernel, directive, param string, value uint64) error {
	return k.badArgument(fmt.Sprintf("%s: %s is %d, limit %d", directive, param, value, math.MaxInt), ErrOverflow)
}

// Bit returns 1 for true and 0 for false, as C++ converts a bool.
func (generated) Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
