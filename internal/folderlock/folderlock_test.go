package folderlock_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/folderlock"
)

// Who has the lock of a folder keeps others waiting, but not for ever.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock := folderlock.Lock(t.Context(), []string{dir, dir + "/."})
	held, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	begin := time.Now()
	folderlock.Lock(held, []string{dir})()
	if runtime.GOOS == "linux" {
		assert.GreaterOrEqual(t, time.Since(begin), 20*time.Millisecond)
	}
	unlock()
	folderlock.Lock(t.Context(), []string{dir})()
	folderlock.Lock(t.Context(), []string{filepath.Join(dir, "nowhere")})()
}
