//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock has locks that files stand for, between processes and open files of one, on
// every system that has such. It imports nothing of cudagen. Start with TryLock.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock that f stands for, unless another open file has it. The system
// gives it back when f is closed, by whatever end of the process.
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
