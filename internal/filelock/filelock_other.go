//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
)

// TryLock fails with errors.ErrUnsupported.
func TryLock(*os.File) (locked bool, err error) { return false, errors.ErrUnsupported }
