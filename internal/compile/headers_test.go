package compile

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each way in which a compiler says that a header is missing, and who is told of a library.
func TestLibraryHint(t *testing.T) {
	const install = "run cudagen toolchain install -with curand"
	for message, want := range map[string]string{
		"curand_kernel.h: No such file or directory":                              install,
		`cannot open source file "curand_kernel.h"`:                               install,
		`could not open source file "curand_kernel.h" (no directories in search)`: install,
		"'curand.h' file not found":                                               install,
		"Cannot open include file: 'curand.h': No such file or directory":         install,
		"mine.h: No such file or directory":                                       "",
		`cannot open source file "curand/mine.h"`:                                 "",
		`identifier "curand_init" is undefined`:                                   "",
	} {
		if want == "" {
			assert.Empty(t, LibraryHint(MissingHeader(message)).Text, message)
		} else {
			assert.Contains(t, LibraryHint(MissingHeader(message)).Text, want, message)
		}
	}
}
