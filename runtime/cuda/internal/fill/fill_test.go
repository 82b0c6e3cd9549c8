package fill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWord(t *testing.T) {
	for _, test := range []struct {
		pattern string
		addr    uint64
		word    uint32
		size    int
	}{
		{"\x07", 1, 7, 1},
		{"\x01\x01\x01\x01", 3, 1, 1},
		{"\x01\x02\x01\x02", 2, 0x201, 2},
		{"\x01\x02\x01\x02", 3, 0, 0},
		{"\x01\x02\x03\x04\x01\x02\x03\x04", 4, 0x4030201, 4},
		{"\x01\x02\x03\x04", 6, 0, 0},
		{"\x01\x02\x03", 0, 0, 0},
	} {
		word, size := Word([]byte(test.pattern), test.addr)
		assert.Equal(t, test.word, word, "%+v", test)
		assert.Equal(t, test.size, size, "%+v", test)
	}
}

// TestWide: memory has the pattern, and nothing behind is written.
func TestWide(t *testing.T) {
	for _, pattern := range []string{"abc", "abcdefgh", "abcdef"} {
		for addr := range uint64(4) {
			memory := make([]byte, 10*len(pattern)+5)
			n := 10 * len(pattern)
			err := Wide(addr, n, []byte(pattern), func(at int, word uint32, size int) error {
				assert.Zero(t, (int(addr)+at)%size)
				copy(memory[at:at+size], binary.LittleEndian.AppendUint32(nil, word))
				return nil
			}, func(at, bytes int) error {
				copy(memory[at:at+bytes], memory[:bytes])
				return nil
			})
			assert.NoError(t, err)
			assert.Equal(t, append(bytes.Repeat([]byte(pattern), 10), make([]byte, 5)...), memory)
		}
	}
	bad := errors.New("bad")
	fails := func(int, uint32, int) error { return bad }
	works := func(int, uint32, int) error { return nil }
	assert.Equal(t, bad, Wide(0, 6, []byte("abc"), fails, nil))
	assert.Equal(t, bad, Wide(0, 6, []byte("abc"), works, func(int, int) error { return bad }))
}
