package record

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSum: every byte of a signed file counts, but for its line ends; a file without a sum is not one.
func TestSum(t *testing.T) {
	const body = "package a\n\nvar X = 1\n"
	for _, comment := range []string{"", "// made of a.h 12\n// with -D X\n"} {
		signed := Sign(comment, []byte(body))
		got, code, edited, ok := Sum(signed)
		assert.Equal(t, []any{comment, body, false, true}, []any{got, string(code), edited, ok})
		_, _, edited, ok = Sum([]byte(strings.ReplaceAll(string(signed), "\n", "\r\n")))
		assert.True(t, ok && !edited, "line ends")
		for i := len(Marker); i < len(signed); i++ {
			other := []byte(string(signed))
			other[i] ^= 1
			_, _, edited, ok := Sum(other)
			assert.True(t, edited || !ok, "byte %d", i)
		}
		_, _, edited, ok = Sum(append(signed, '\n'))
		assert.True(t, ok && edited)
		assert.Equal(t, signed, SignCode(signed))
		assert.Equal(t, Sign(comment, []byte("package b\n")), SignCode([]byte(strings.Replace(string(signed), body, "package b\n", 1))))
	}
	assert.Equal(t, Sign("", []byte(body)), SignCode([]byte(Marker+"\n"+body)))
	assert.Equal(t, body, string(SignCode([]byte(body))), "not cudagen's")
	for _, text := range []string{"", Marker, Marker + "\n" + body, Marker + "// with the sum 12\n" + body, body} {
		_, _, _, ok := Sum([]byte(text))
		assert.False(t, ok, text)
	}
}
