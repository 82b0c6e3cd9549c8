package simtest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/watched"
)

// present fails t on err, a fault as a rule, and on what checks have found besides.
func present(t testing.TB, err error) {
	t.Helper()
	var fault *cuda.Fault
	if !errors.As(err, &fault) {
		t.Errorf("simtest: %v", err)
		return
	}
	t.Errorf("simtest: %v%s", err, details(fault))
	for _, other := range fault.Others {
		t.Errorf("simtest: %v%s", other, details(other))
	}
}

// presentReports fails t on what checks have found on a device that goes on.
func presentReports(t testing.TB, dev watched.Device) {
	t.Helper()
	found, more := dev.Reports()
	for _, err := range found {
		var f *cuda.Fault
		if errors.As(err, &f) {
			t.Errorf("simtest: on %s: %v%s", f.Device, f, details(f))
		}
	}
	if more > 0 {
		t.Errorf("simtest: checks have found something at more places, which are not shown: %d", more)
	}
}

// details is the source line of a fault, how often it was found, and by which check.
func details(f *cuda.Fault) string {
	var b strings.Builder
	if line, ok := sourceLine(f.File, f.Line); ok {
		fmt.Fprintf(&b, "\n%s\n", paint(fmt.Sprintf("%6d | %s", f.Line, line)))
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, "\n\tfound %d times at this place", f.Count)
	}
	if f.Check != "" {
		fmt.Fprintf(&b, "\n\tcheck: %s", f.Check)
	}
	return strings.TrimRight(b.String(), "\n")
}

// sourceLine returns a line of a source file, if it is found beside the test or above it.
func sourceLine(file string, n int) (line string, ok bool) {
	if file == "" || n < 1 {
		return "", false
	}
	path := sourcePath(file)
	if !exists(path) {
		return "", false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	lines := strings.Split(string(text), "\n")
	if n > len(lines) {
		return "", false
	}
	return strings.ReplaceAll(strings.TrimRight(lines[n-1], "\r"), "\t", "    "), true
}

// paint makes text red on a terminal. NO_COLOR turns that off.
func paint(text string) string {
	if !onTerminal() || os.Getenv("NO_COLOR") != "" {
		return text
	}
	return "\x1b[31m" + text + "\x1b[0m"
}

// onTerminal reports whether the output of tests goes to a terminal.
var onTerminal = func() bool {
	info, err := os.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
