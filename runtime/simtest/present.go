package simtest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
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
	switch line, err := sourceLine(f.File, f.Line); {
	case err != nil:
		fmt.Fprintf(&b, "\n\tthe line is not shown: %v", err)
	case line != "":
		fmt.Fprintf(&b, "\n%s\n", paint(fmt.Sprintf("%6d | %s", f.Line, line)+outerLines(f)))
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, "\n\tfound %d times at this place", f.Count)
	}
	if f.Check != "" {
		fmt.Fprintf(&b, "\n\tcheck: %s", f.Check)
	}
	return strings.TrimRight(b.String(), "\n")
}

// outerLines are the source lines where that of f was inlined.
func outerLines(f *cuda.Fault) string {
	var b strings.Builder
	for _, at := range f.InlinedAt {
		end := strings.LastIndexByte(at, ':')
		n, err := strconv.Atoi(at[end+1:])
		if err != nil || end < 0 {
			continue
		}
		if line, err := sourceLine(at[:end], n); err == nil && line != "" {
			fmt.Fprintf(&b, "\n%6d | %s", n, line)
		}
	}
	return b.String()
}

// sourceLine returns a line of a source file, which faults name from the working directory. It is empty if nothing has a place.
func sourceLine(file string, n int) (line string, err error) {
	if file == "" || n < 1 {
		return "", nil
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s, as the image names it, is not found from here", file)
	case !info.Mode().IsRegular() || info.Size() > maxSourceBytes: // names are whatever the PTX says
		return "", fmt.Errorf("%s is not a source file", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(text), "\n")
	if n > len(lines) {
		return "", fmt.Errorf("%s has %d lines: it is not the file that was compiled", file, len(lines))
	}
	return strings.ReplaceAll(strings.TrimRight(lines[n-1], "\r"), "\t", "    "), nil
}

// maxSourceBytes is the size of a source file that is read, at most.
const maxSourceBytes = 16 << 20

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
