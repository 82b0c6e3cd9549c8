// Package cudatest helps to test programs that use package cuda.
package cudatest

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// Main runs the tests of m and exits. When they pass, but devices, streams, events,
// libraries, pools or buffers that they opened are still open, it writes to the standard
// error output where each was opened, and the exit code is 1. What a test binary does not
// close it leaks; closing a device closes what is open on it.
//
//	func TestMain(m *testing.M) { cudatest.Main(m) }
//
// While the tests run, what the garbage collector finds unreachable and not closed is
// reported at once. The environment variable CUDAGEN_LEAKS=1 does only that, for any
// program.
func Main(m *testing.M) { os.Exit(run(m.Run, os.Stderr)) }

func run(tests func() int, stderr io.Writer) int {
	leak.Enable()
	code := tests()
	open := leak.Open()
	if code != 0 || len(open) == 0 {
		return code
	}
	for _, r := range open {
		fmt.Fprintf(stderr, "cuda: leak: not closed: %v\n", r)
	}
	return 1
}
