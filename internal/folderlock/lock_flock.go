//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folderlock

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a folder: the folder itself, so that nothing is left behind. Held says that
// somebody else has the lock.
//
// flock(2).
func tryLock(folder string) (release func(), held bool) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, false
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		dir.Close()
		return nil, errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR)
	}
	return func() { dir.Close() }, false
}
