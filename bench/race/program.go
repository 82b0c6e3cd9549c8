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

// Do ends the program with its name and err, if that is not nil.
func Do(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
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
