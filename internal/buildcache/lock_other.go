//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package buildcache

import (
	"errors"
	"os"
)

// tryLock fails: every process builds for itself.
func tryLock(*os.File) (locked bool, err error) { return false, errors.ErrUnsupported }
