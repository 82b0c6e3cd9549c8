//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock locks open files, between processes and between the open files of one process,
// on every system that has such locks. It imports nothing of cudagen. Start with TryLock.
//
// The callers need a lock of a file that they have opened and examined, and not to wait for it.
// lockedfile of github.com/rogpeppe/go-internal waits, and github.com/gofrs/flock opens the file
// itself; programs that use runtime/cuda would also depend on it and on golang.org/x/sys.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks f, unless another open file has the lock. Closing f or the end of the process
// releases it.
func TryLock(f *os.File) (locked bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
