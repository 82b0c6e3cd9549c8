package tracefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// TestCreate: what one writer has is not dropped by another; what an earlier one has left is.
func TestCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.json")
	require.NoError(t, os.WriteFile(name, []byte("of the last run"), 0o644))
	f, err := tracefile.Create(name)
	require.NoError(t, err)
	_, err = f.WriteString("mine")
	require.NoError(t, err)
	_, err = tracefile.Create(name)
	assert.ErrorIs(t, err, tracefile.ErrInUse)
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(got))
	require.NoError(t, f.Close())
	f, err = tracefile.Create(name)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	got, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Empty(t, got)
	_, err = tracefile.Create(filepath.Join(name, "below"))
	assert.Error(t, err)
}
