//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package folderlock

// tryLock locks nothing: the folders of this system cannot be locked.
func tryLock(string) (release func(), held bool) { return nil, false }
