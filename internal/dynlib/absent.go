package dynlib

import (
	"errors"
	"fmt"
	"runtime"
)

// Absent is the error of a binary that cannot open the library of that name, because of its system,
// its architecture or its build tags. errors.Is finds errors.ErrUnsupported in it.
func Absent(library string) error {
	switch runtime.GOOS {
	case "linux", "windows":
		return absent(fmt.Sprintf("%s is not in this binary: it was built with -tags cudagen_nodriver, or for %s", library, runtime.GOARCH))
	}
	return absent(fmt.Sprintf("there is no %s for %s", library, runtime.GOOS))
}

type absent string

func (a absent) Error() string        { return string(a) }
func (a absent) Is(target error) bool { return target == errors.ErrUnsupported }
