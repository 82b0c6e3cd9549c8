package buildcache

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Entries go, and what else lies in the folder stays.
func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	fill := func() {
		c := New(Options{Dir: dir})
		_, err := c.Get(context.Background(), Key{1}, func(context.Context) (string, error) { return "image", nil })
		require.NoError(t, err)
	}
	fill()
	removed, err := Remove(dir)
	require.NoError(t, err)
	assert.Equal(t, 1, removed)
	assert.NoDirExists(t, dir)

	fill()
	for _, name := range []string{"letter", "01/letter", "lock/letter"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("x"), 0o600))
	}
	removed, err = Remove(dir)
	require.NoError(t, err)
	assert.Equal(t, 1, removed)
	for _, name := range []string{"letter", "01/letter", "lock/letter"} {
		assert.FileExists(t, filepath.Join(dir, filepath.FromSlash(name)))
	}

	removed, err = Remove(filepath.Join(dir, "none"))
	require.NoError(t, err)
	assert.Zero(t, removed)
}
