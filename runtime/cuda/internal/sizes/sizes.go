// Package sizes has the arithmetic that generated code calls: numbers of expressions in directives, grids and
// bit-fields go in, and numbers come out, or that there is none. It knows no kernel and no directive.
package sizes

import (
	"fmt"
	"math"
	"math/bits"
)

// Arithmetic has methods in place of functions, so that another type can embed it. It has no size.
type Arithmetic struct{}

// In the arithmetic of directives' expressions 64 bits may overflow.
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
func (Arithmetic) AddSizes(a, b int) int {
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
func (Arithmetic) SubSizes(a, b int) int {
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
func (Arithmetic) MulSizes(a, b int) int {
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
func (Arithmetic) QuoSizes(a, b int) int {
	if why, none := divides(a, b); none {
		return why
	}
	return a / b
}

// RemSizes returns the remainder of a/b, for numbers that QuoSizes divides.
func (Arithmetic) RemSizes(a, b int) int {
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
func (Arithmetic) ShlSizes(a, b int) int {
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
func (Arithmetic) ShrSizes(a, b int) int {
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
func (Arithmetic) MaxSizes(a, b int) int {
	if why, none := reason(a, b); none {
		return why
	}
	return max(a, b)
}

// Problem says why the value size of an expression is no size, and whether it is too large.
func Problem(size int) (text string, large bool) {
	switch {
	case size == tooLarge:
		return "does not fit into 64 bits", true
	case size == negativeParts:
		return "multiplies, divides or shifts negative numbers", false
	case size == zeroDivisor:
		return "divides by 0", false
	case size < 0:
		return fmt.Sprintf("is %d, must not be negative,", size), false
	}
	return fmt.Sprintf("is %d, which is too large,", size), true
}

// Bit returns 1 for true and 0 for false, as C++ converts a bool.
func (Arithmetic) Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
