// Package folderlock keeps other processes that generate in a folder waiting. It leaves no file
// behind. Start with Lock.
package folderlock

import (
	"context"
	"path/filepath"
	"slices"
	"time"
)

// Waiting for the lock of a folder.
const (
	lockPoll = 5 * time.Millisecond
	lockWait = 10 * time.Second // then it is not known who has it, and why
)

// Lock keeps other processes that lock one of the folders waiting until unlock is called: a run
// that looks at what others generated and writes what goes with it must not miss them. Where a
// folder cannot be locked, or not in time, the run goes on without.
func Lock(ctx context.Context, folders []string) (unlock func()) {
	var list []string
	for _, folder := range folders {
		if absolute, err := filepath.Abs(folder); err == nil {
			list = append(list, absolute)
		}
	}
	slices.Sort(list) // the same order for all
	list = slices.Compact(list)
	var locks []func()
	for _, folder := range list {
		for end := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
			release, held := tryLock(folder)
			if release != nil {
				locks = append(locks, release)
			}
			if !held || ctx.Err() != nil || time.Now().After(end) {
				break
			}
		}
	}
	return func() {
		for _, release := range locks {
			release()
		}
	}
}
