package driver_test

import (
	"go/build"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProcessors: for processors whose bytes or addresses are others than a device's, a file more is built, which the
// compiler refuses.
func TestProcessors(t *testing.T) {
	files := func(arch string) int {
		context := build.Default
		context.GOARCH = arch
		p, err := context.ImportDir(".", 0)
		require.NoError(t, err)
		return len(p.GoFiles)
	}
	fits := files("amd64")
	for arch, little64 := range map[string]bool{
		"amd64": true, "arm64": true, "loong64": true, "mips64le": true, "ppc64le": true, "riscv64": true, "wasm": true,
		"386": false, "arm": false, "mips": false, "mipsle": false, "mips64": false, "ppc64": false, "s390x": false,
	} {
		if little64 {
			assert.Equal(t, fits, files(arch), arch)
		} else {
			assert.Equal(t, fits+1, files(arch), arch)
		}
	}
}
