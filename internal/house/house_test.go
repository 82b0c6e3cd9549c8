// Package house has only tests. They hold rules of the whole module: which package may import
// which, what the exported API is, that links and quoted headings of documents exist, that Go in
// documents compiles, that types have examples, and that no test names a source file.
package house

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the root of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
