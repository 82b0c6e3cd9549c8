package tracefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// TestRefusedLeavesNothingOpen: a Create that is refused leaves no file open.
func TestRefusedLeavesNothingOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.json")
	f, err := tracefile.Create(name)
	require.NoError(t, err)
	defer f.Close()
	open := func() (n int) {
		files, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		for _, file := range files {
			if target, err := os.Readlink("/proc/self/fd/" + file.Name()); err == nil && target == name {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, open())
	_, err = tracefile.Create(name)
	require.ErrorIs(t, err, tracefile.ErrInUse)
	assert.Equal(t, 1, open())
}
