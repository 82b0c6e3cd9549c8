package simtest

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The name of a source file is whatever the PTX says. What is no regular file of the size of a source is not read.
func TestSourceLineReadsFilesOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, syscall.Mkfifo("fifo.cu", 0o600))
	require.NoError(t, os.Mkdir("folder.cu", 0o700))
	require.NoError(t, os.WriteFile("large.cu", []byte("line"+strings.Repeat("\n", maxSourceBytes)), 0o600))
	require.NoError(t, os.WriteFile("kernels.cu", []byte("line"), 0o600))
	require.NoError(t, os.Mkdir("testdata", 0o700))
	require.NoError(t, os.WriteFile("testdata/below.cu", []byte("another file of that name"), 0o600))
	done := make(chan bool)
	go func() {
		defer close(done)
		for name, want := range map[string]string{"kernels.cu": "line", "fifo.cu": "", "large.cu": "", "/dev/zero": "", "..": "", "folder.cu": "", "below.cu": ""} {
			line, err := sourceLine(name, 1)
			assert.Equal(t, want, line, name)
			assert.Equal(t, want != "", err == nil, name)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		require.Fail(t, "a file is not read to its end")
	}
}
