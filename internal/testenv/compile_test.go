package testenv

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCompileC: the compiler runs once, other inputs make it run again, and processes share a folder.
func TestCompileC(t *testing.T) {
	cc, folder := CCPath(t), t.TempDir()
	t.Setenv("CUDAGEN_TEST_CACHE", folder)
	files := func() int {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		return len(entries)
	}
	source := func(text string) fstest.MapFS { return fstest.MapFS{"src/a.c": {Data: []byte(text)}} }
	args := []string{"-c"}
	one := CompileC(t, cc, args, source("int one = 1;"), "src/a.c")
	assert.Equal(t, 1, files())
	assert.Equal(t, one, CompileC(t, cc, args, source("int one = 1;"), "src/a.c"))
	assert.Equal(t, 1, files())
	assert.NotEqual(t, one, CompileC(t, cc, args, source("int one = 2;"), "src/a.c"))
	assert.Equal(t, 2, files())

	// Another process finds what is there.
	compiled.images = nil
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		require.NoError(t, os.WriteFile(folder+"/"+entry.Name(), []byte("shared"), 0o600))
	}
	assert.Equal(t, "shared", string(CompileC(t, cc, args, source("int one = 1;"), "src/a.c")))
	compiled.images = nil
}
