package race

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// A failure is what Do panics with.
type failure struct{ err error }

// Do ends the program with err, if that is not nil, by way of End. The main goroutine calls it.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// End is what main defers before anything else: it prints the error that Do was called with, and exits.
func End() {
	switch r := recover().(type) {
	case nil:
	case failure:
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), r.err)
		os.Exit(1)
	default:
		panic(r)
	}
}

// Must returns v. It ends the program as Do does.
func Must[T any](v T, err error) T {
	Do(err)
	return v
}

// MedianTime returns the median of times.
func MedianTime(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// Status returns a number of /proc/self/status, by the name of its line.
//
// proc_pid_status(5).
func Status(name string) uint64 {
	for line := range bytes.Lines(Must(os.ReadFile("/proc/self/status"))) {
		if fields := bytes.Fields(line); len(fields) > 1 && string(fields[0]) == name+":" {
			return Must(strconv.ParseUint(string(fields[1]), 10, 64))
		}
	}
	Do(fmt.Errorf("/proc/self/status has no %s", name))
	return 0
}
