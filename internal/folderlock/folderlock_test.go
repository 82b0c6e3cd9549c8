package folderlock_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/folderlock"
)

// Who has the lock of a folder keeps others waiting, as long as they want to wait.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if os.Symlink(dir, link) != nil { // Windows may forbid it
		link = dir
	}
	unlock := folderlock.Lock(t.Context(), []string{dir, dir + "/.", link})

	begin := time.Now()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	folderlock.Lock(short, []string{link})()
	assert.GreaterOrEqual(t, time.Since(begin), 20*time.Millisecond)

	waited := make(chan struct{})
	go func() {
		defer close(waited)
		folderlock.Lock(t.Context(), []string{dir})()
	}()
	select {
	case <-waited:
		assert.Fail(t, "two have the lock")
	case <-time.After(20 * time.Millisecond):
	}
	unlock()
	<-waited
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries, "nothing is left in the folder")
}

// A run goes on where nothing can be locked.
func TestLockWithoutCacheFolder(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", "")
	folderlock.Lock(t.Context(), []string{t.TempDir()})()
}
