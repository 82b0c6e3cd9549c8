//go:build !cudagen_nodriver && (amd64 || arm64)

package dynlib_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/dynlib"
)

// TestCutOff: of a library that is cut off anywhere, loading is an error, and no signal.
func TestCutOff(t *testing.T) {
	var content []byte
	for _, pattern := range []string{"/lib/*/libm.so.6", "/lib64/libm.so.6", "/usr/lib/libm.so.6"} {
		for _, path := range must(filepath.Glob(pattern)) {
			content, _ = os.ReadFile(path)
		}
	}
	if content == nil {
		t.Skip("there is no libm.so.6")
	}
	path := filepath.Join(t.TempDir(), "libcut.so")
	load := func(n int) error {
		require.NoError(t, os.WriteFile(path, content[:n], 0o600))
		_, err := dynlib.Load(path)
		return err
	}
	assert.Error(t, load(0))
	assert.NotContains(t, load(4).Error(), "is cut off", "it may be anything")
	for _, n := range []int{10, 63} {
		assert.ErrorContains(t, load(n), path+" is cut off: it has ", n)
	}
	for n := 64; n < len(content)*3/4; n += len(content)/37 + 1 {
		assert.ErrorContains(t, load(n), path+" is cut off: it has ", n)
	}
	assert.NoError(t, load(len(content)))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
