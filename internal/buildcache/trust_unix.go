//go:build unix

package buildcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an entry from being another file, and a pipe in its place from
// blocking for ever.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// trustOwner reports why others than this user may have written what info describes.
func trustOwner(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("its owner is unknown")
	}
	return trustIDs(int(stat.Uid), os.Geteuid(), info.Mode())
}

func trustIDs(owner, user int, mode fs.FileMode) error {
	switch {
	case owner != user:
		return fmt.Errorf("it belongs to user %d, but this is user %d", owner, user)
	case mode&0o022 != 0:
		return fmt.Errorf("others may write to it (mode %#o): run chmod go-w", mode.Perm())
	}
	return nil
}
