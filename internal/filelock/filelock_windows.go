package filelock

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	lockFailImmediately = 1                    // LOCKFILE_FAIL_IMMEDIATELY
	lockExclusive       = 2                    // LOCKFILE_EXCLUSIVE_LOCK
	errorLockViolation  = syscall.Errno(0x21)  // ERROR_LOCK_VIOLATION
	errorIOPending      = syscall.Errno(0x3e5) // ERROR_IO_PENDING
)

// farOffset is the higher half of an offset that no file reaches.
const farOffset = 1 << 30

// TryLock locks f, unless another open file has the lock. Closing f or the end of the process
// releases it.
func TryLock(f *os.File) (locked bool, err error) {
	overlapped := syscall.Overlapped{OffsetHigh: farOffset} // nobody else can read what is locked
	r, _, err := lockFileEx.Call(f.Fd(), lockFailImmediately|lockExclusive, 0, 1, 0, uintptr(unsafe.Pointer(&overlapped)))
	switch {
	case r != 0:
		return true, nil
	case errors.Is(err, errorLockViolation), errors.Is(err, errorIOPending):
		return false, nil
	}
	return false, err
}
