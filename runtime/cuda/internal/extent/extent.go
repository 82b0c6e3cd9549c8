// Package extent takes numbers of elements, rows and planes, and says how far boxes of them reach and whether they
// overlap. Numbers that do not fit an int are the largest one. It knows no slice and no array.
package extent

import (
	"fmt"
	"math"
	"math/bits"
)

// Mul returns a*b for a, b ≥ 0, or the largest int if that overflows or a factor
// is negative: no slice is as long.
func Mul(a, b int) int {
	if a < 0 || b < 0 {
		return math.MaxInt
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt {
		return math.MaxInt
	}
	return int(lo)
}

// Add returns a+b for a, b ≥ 0, or the largest int when that overflows.
func Add(a, b int) int {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt
}

// Span returns how many elements depth planes of height rows of width elements span, of which a row begins rowStride
// elements after the one before, and a plane planeRows rows after the one before. height and depth are at least 1.
func Span(width, height, depth, rowStride, planeRows int) int {
	if width == 0 {
		return 0
	}
	plane, row := Mul(planeRows, rowStride), Mul(height-1, rowStride)
	return Add(Add(Mul(depth-1, plane), row), width)
}

// Stride returns the least number of elements of size bytes that has width of them, and whose bytes alignment, a power
// of two, divides.
func Stride(width int, size, alignment uint64) int {
	step := int(alignment / min(alignment, 1<<bits.TrailingZeros64(size))) // their greatest common divisor
	if width > math.MaxInt-(step-1) {
		return math.MaxInt
	}
	return (width + step - 1) / step * step
}

// Rows are those of a box in memory: Depth planes of Height rows.
type Rows struct {
	Addr, Bytes   uint64 // of the first row
	Pitch         uint64 // bytes from one row to the next
	Height, Depth int
	PlaneRows     int // from one plane to the next
}

// Overlap reports whether a and b, which have rows of the same number of bytes, have a byte in common. Rows of either
// follow each other in memory: both are gone through at once.
func Overlap(a, b Rows) bool {
	to, from := cursor{Rows: a}, cursor{Rows: b}
	if to.end() <= from.begin() || from.end() <= to.begin() {
		return false
	}
	for to.left() && from.left() {
		switch x, y := to.begin(), from.begin(); {
		case x+a.Bytes <= y:
			to.next()
		case y+b.Bytes <= x:
			from.next()
		default:
			return true
		}
	}
	return false
}

// A cursor goes through rows.
type cursor struct {
	Rows
	row, plane int
}

func (c *cursor) left() bool { return c.plane < c.Depth && c.Height > 0 }

// begin returns the address of the row.
func (c *cursor) begin() uint64 { return c.Addr + uint64(c.plane*c.PlaneRows+c.row)*c.Pitch }

// end returns the address behind the last row.
func (c *cursor) end() uint64 {
	last := cursor{c.Rows, c.Height - 1, c.Depth - 1}
	return last.begin() + c.Bytes
}

func (c *cursor) next() {
	if c.row++; c.row == c.Height {
		c.row, c.plane = 0, c.plane+1
	}
}

// Counted returns n things in words, which thing names: 1 element, 2 elements.
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprint(n, " ", thing, "s")
}
