// Package folderlock keeps other processes that generate in a folder waiting, on every system. It
// leaves nothing in the folder: its locks are a fixed number of files in the user's cache folder.
// It imports nothing of cudagen. Start with Lock.
package folderlock

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// stripes is how many locks there are for all folders: two folders of one lock wait for each
// other for no reason, and seldom.
const stripes = 64

// Lock locks the folders for other processes of the user until unlock is called: a run that reads
// the output of others and writes files that go with it must not miss theirs. A lock ends with its
// process. Without a cache folder that can be written to, and when ctx is done, the run goes on
// without.
func Lock(ctx context.Context, folders []string) (unlock func()) {
	var locks []func()
	unlock = func() {
		for _, release := range locks {
			release()
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return unlock
	}
	dir := filepath.Join(cache, "cudagen", "locks")
	if os.MkdirAll(dir, 0o700) != nil {
		return unlock
	}
	for _, name := range files(folders) {
		release := take(ctx, filepath.Join(dir, name))
		if release == nil {
			break
		}
		locks = append(locks, release)
	}
	return unlock
}

// files returns the names of the folders' locks, in the order in which every process takes them.
func files(folders []string) (names []string) {
	for _, folder := range folders {
		if absolute, err := filepath.Abs(folder); err == nil {
			if real, err := filepath.EvalSymlinks(absolute); err == nil {
				absolute = real
			}
			names = append(names, fmt.Sprintf("%02d", crc32.ChecksumIEEE([]byte(absolute))%stripes))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// take waits for the lock of the file at path, and returns nil without it.
func take(ctx context.Context, path string) (release func()) {
	taken := make(chan func(), 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		if err != nil {
			unlock = nil
		}
		taken <- unlock
	}()
	select {
	case unlock := <-taken:
		return unlock
	case <-ctx.Done():
		go func() {
			if unlock := <-taken; unlock != nil { // nobody wants it any more
				unlock()
			}
		}()
		return nil
	}
}
