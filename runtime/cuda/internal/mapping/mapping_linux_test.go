package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMaps(t *testing.T) {
	const maps = `400000-401000 r-xp 00000000 08:01 7 /bin/program
401000-402000 rw-p 00001000 08:01 7 /bin/program
c000000000-c000400000 rw-p 00000000 00:00 0
7f0000000000-7f0000001000 rw-p 00000000 08:01 9 /data/weights with spaces
7f0000001000-7f0000002000 r--p 00001000 08:01 9 /data/weights with spaces
`
	for _, test := range []struct {
		start, size uintptr
		want        string
	}{
		{0x7f0000000010, 0xff0, ""},
		{0x7f0000000000, 0x1001, "it is mapped r--p, not for reading and writing"},
		{0x7f0000001fff, 2, "it is mapped r--p, not for reading and writing"},
		{0x401000, 8, "it is a variable of the program or of a library"},
		{0xc000000000, 8, "it is not mapped from a file, but of Go's heap, of a stack or of another allocator"},
		{0x10, 8, "there is no memory at 0x10"},
	} {
		assert.Equal(t, test.want, notInMaps(maps, test.start, test.size), "%#x", test.start)
	}
	assert.Contains(t, notInMaps("hello\n", 0, 8), "cannot be read")
	assert.NotEmpty(t, NotFile(0, 1))
}
