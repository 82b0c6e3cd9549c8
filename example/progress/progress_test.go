package progress

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	assert.Equal(t, "frames [===============               ] 5/10, 4s left", line("frames", 5, 10, 4*time.Second))
	assert.Equal(t, "frames [                              ] 0/10", line("frames", 0, 10, time.Second))
	assert.Equal(t, "frames [==============================] 10/10", line("frames", 12, 10, time.Second))
}

// Nothing is written to a file.
func TestFilesStayEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	b := New(file, "frames", 0)
	b.start = b.start.Add(-time.Minute)
	b.Set(1)
	b.Clear()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Empty(t, text)

	b.out = file // as if it were a terminal
	b.Set(1)
	b.Clear()
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "] 1/1\x1b[K\r\x1b[K")
}
