package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Line ends that a checkout has changed are no change, in one direction and in text only.
func TestLineEnds(t *testing.T) {
	assert.True(t, Same([]byte("a\r\nb\r\n"), []byte("a\nb\n")))
	assert.True(t, Same([]byte("a\r\n"), []byte("a\r\n")), "a template may write them")
	assert.False(t, Same([]byte("a\n"), []byte("a\r\n")))
	assert.False(t, Same([]byte("a\rb\n"), []byte("a\nb\n")))
	assert.False(t, Same([]byte("a\r\r\n"), []byte("a\n")))
	assert.False(t, Same([]byte("a\x00\r\n"), []byte("a\x00\n")), "machine code")

	i := Image{SHA256: HashImage([]byte("a\nb\n"))}
	for there, want := range map[string]bool{"a\nb\n": true, "a\r\nb\r\n": true, "a\r\nb\n": true, "a\rb\n": false, "a\n": false} {
		content, ok := i.Content([]byte(there))
		assert.Equal(t, want, ok, "%q", there)
		if ok {
			assert.Equal(t, "a\nb\n", string(content))
		}
	}
	code := Image{SHA256: HashImage([]byte("a\x00\n"))}
	_, ok := code.Content([]byte("a\x00\r\n"))
	assert.False(t, ok)
}
