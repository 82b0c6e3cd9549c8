package lex

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

// All pairs of integers of one byte, computed in more bits.
func TestIntegersOfOneByte(t *testing.T) {
	exact := map[string]func(a, b int64) int64{
		"+": func(a, b int64) int64 { return a + b }, "-": func(a, b int64) int64 { return a - b }, "*": func(a, b int64) int64 { return a * b },
		"/": func(a, b int64) int64 { return a / b }, "%": func(a, b int64) int64 { return a % b },
		"&": func(a, b int64) int64 { return a & b }, "|": func(a, b int64) int64 { return a | b }, "^": func(a, b int64) int64 { return a ^ b },
		"<<": func(a, b int64) int64 { return a << b }, ">>": func(a, b int64) int64 { return a >> b },
		"<": func(a, b int64) int64 { return truthOf(a < b).bits }, "==": func(a, b int64) int64 { return truthOf(a == b).bits },
		">=": func(a, b int64) int64 { return truthOf(a >= b).bits }, ">": func(a, b int64) int64 { return truthOf(a > b).bits },
		"<=": func(a, b int64) int64 { return truthOf(a <= b).bits }, "!=": func(a, b int64) int64 { return truthOf(a != b).bits },
	}
	for _, typ := range []IntegerType{{1, false}, {1, true}} {
		for operator, compute := range exact {
			shift := operator == "<<" || operator == ">>"
			for i := range int64(1 << 16) {
				a, b := typ.Wrap(i), typ.Wrap(i>>8)
				var n int64
				var lost bool
				var undefined diag.Message
				ok := true
				if shift {
					n, lost, undefined = typ.Shift(operator, a, b)
				} else {
					n, undefined, ok = typ.Apply(operator, a, b)
				}
				place := func() string { return fmt.Sprintf("%v: %d %s %d = %d", typ, a, operator, b, n) }
				if b == 0 && (operator == "/" || operator == "%") || shift && (b < 0 || b >= 8) {
					if undefined.Text == "" {
						t.Fatal(place())
					}
					continue
				}
				want := compute(a, b)
				// The quotient that overflows leaves no remainder in more bits.
				fits := typ.Wrap(want) == want && !(operator == "%" && !typ.Unsigned && a == -128 && b == -1)
				if operator == "<<" {
					if intoTheSign := a >= 0 && want < 1<<8; lost != (!typ.Unsigned && !fits && !intoTheSign) {
						t.Fatal(place(), lost)
					}
					fits = true
				}
				if !ok || n != typ.Wrap(want) || (undefined.Text == "") != (fits || typ.Unsigned) {
					t.Fatal(place(), ok, undefined)
				}
			}
		}
	}
	_, _, ok := IntegerType{8, false}.Apply("<=>", 1, 2)
	require.False(t, ok)
}
