// Package cudatest fails the tests of programs that leave objects of package cuda open.
package cudatest

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// Main runs the tests of m and exits. If they pass but leave devices, streams, events,
// libraries, pools or buffers open, it prints the stack that opened each to standard error
// and exits with code 1. Closing a device closes everything that is open on it.
//
//	func TestMain(m *testing.M) { cudatest.Main(m) }
//
// While the tests run, an open object that becomes unreachable is reported as soon as the
// garbage collector finds it. The environment variable CUDAGEN_LEAKS=1 does the same in any
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
