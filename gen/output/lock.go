package output

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cudagen/cudagen/gen/source"
)

// Waiting for the lock of a folder.
const (
	lockPoll = 5 * time.Millisecond
	lockWait = 10 * time.Second // then it is not known who has it, and why
)

// Lock keeps other processes that generate in the folders of products waiting until unlock
// is called: a run that looks at what others generated and writes what goes with it must not
// miss them. Where a folder cannot be locked, or not in time, the run goes on without.
func Lock(ctx context.Context, products []Product) (unlock func()) {
	list := folders(products)
	slices.SortFunc(list, func(x, y string) int { return cmp.Compare(source.Absolute(x), source.Absolute(y)) }) // the same order for all
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
