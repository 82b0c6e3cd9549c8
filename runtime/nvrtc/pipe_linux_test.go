package nvrtc

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHeaderThatCannotBeRead: a pipe is no header; it is neither waited for nor is the
// call refused, for NVRTC does not need it.
func TestHeaderThatCannotBeRead(t *testing.T) {
	c := newCompiler(t, "")
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	r := compile(t, c, "#if 0\n#include \"pipe\"\n#endif\n", Options{IncludeDirs: []string{dir}})
	assert.Equal(t, "a header cannot be read: "+filepath.Join(dir, "pipe")+": it is not a file", r.Uncached)
}
