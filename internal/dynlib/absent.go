package dynlib

import (
	"fmt"
	"runtime"
)

// Absent is the error of a binary that cannot open the library of that name, because of its system,
// its architecture or its build tags.
func Absent(library string) error {
	switch runtime.GOOS {
	case "linux", "windows":
		return fmt.Errorf("%s is not in this binary: it was built with -tags cudagen_nodriver, or for %s", library, runtime.GOARCH)
	}
	return fmt.Errorf("there is no %s for %s", library, runtime.GOOS)
}
