//go:build !cudagen_nodriver

package ccall_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// TestPositions prints integers and doubles, in registers and on the stack. A variadic function takes them from the
// integer registers, which TestFloats complements.
func TestPositions(t *testing.T) {
	text := make([]byte, 200)
	format := append([]byte("%.17g %I64d %.17g %d %.17g %I64d %.17g %I64d"), 0)
	words := struct {
		to     *byte
		format *byte
		a      float64
		b      int64
		c      float64
		d      int32
		_      [4]byte
		e      float64
		f      int64
		g      float64
		h      int64
	}{to: &text[0], format: &format[0], a: 0.5, b: -1 << 40, c: 1.5, d: -7, e: math.Pi, f: 1 << 50, g: -2.25, h: 12}
	n := ccall.Invoke(&ccall.Call{Function: symbol(t, "sprintf"), Words: unsafe.Pointer(&words), Count: 10, Floats: 1<<2 | 1<<4 | 1<<6 | 1<<8})
	want := fmt.Sprintf("%.17g %d %.17g %d %.17g %d %.17g %d", 0.5, -1<<40, 1.5, -7, math.Pi, 1<<50, -2.25, 12)
	assert.Equal(t, want, string(text[:int32(n)]))
}
