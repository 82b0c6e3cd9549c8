package image

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestShortCubin: what is too short for the header of an ELF file is an error, whatever its length.
func TestShortCubin(t *testing.T) {
	for n := range versionField + 8 {
		_, err := ReadCubin("k.cubin", make([]byte, n))
		assert.ErrorContains(t, err, "k.cubin: not a cubin", n)
	}
}
