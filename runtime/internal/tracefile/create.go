package tracefile

import (
	"errors"
	"os"

	"github.com/cudagen/cudagen/internal/filelock"
)

// ErrInUse is returned by Create.
var ErrInUse = errors.New("another process writes its trace there: let %p in the name stand for the process's number")

// Create opens the file name for a trace, and drops what it has, unless another process or another
// Create writes a trace there: then it returns ErrInUse, and the file stays as it is. Closing the file,
// or the end of the process, lets others write.
func Create(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
			return nil, err
		}
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() { // not a pipe or terminal
		locked, lockErr := filelock.TryLock(f)
		switch {
		case lockErr == nil && !locked:
			err = ErrInUse
		default: // also where the file system has no locks
			err = f.Truncate(0)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
