package simtest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cudagen/cudagen/runtime/profile"
)

// profileFile is where the profile of kernels goes, or empty.
var profileFile = flag.String("cudaprofile", "", "write what kernels cost on the simulated device to `file`, for go tool pprof; in words if the name ends in .txt")

// profiling is the profile of the test binary.
var profiling struct {
	mu      sync.Mutex
	profile *profile.Profile // nil unless -cudaprofile asks for it
	err     error            // why there is none
}

// startProfile begins the profile that -cudaprofile asks for, once.
func startProfile() error {
	if *profileFile == "" {
		return nil
	}
	profiling.mu.Lock()
	defer profiling.mu.Unlock()
	if profiling.profile == nil && profiling.err == nil {
		profiling.profile, profiling.err = profile.Start(profile.Config{})
	}
	if profiling.err != nil {
		return fmt.Errorf("simtest: -cudaprofile: %w", profiling.err)
	}
	return nil
}

// writeProfile writes what the tests that have ended have cost.
func writeProfile() error {
	profiling.mu.Lock()
	defer profiling.mu.Unlock()
	p := profiling.profile
	if p == nil {
		return nil
	}
	file, err := os.Create(*profileFile)
	if err != nil {
		return fmt.Errorf("simtest: -cudaprofile: %w", err)
	}
	content := func(w io.Writer) error { return p.Write(w) }
	if filepath.Ext(*profileFile) == ".txt" {
		content = p.WriteReport
	}
	if err := errors.Join(content(file), file.Close()); err != nil {
		return fmt.Errorf("simtest: -cudaprofile: %w", err)
	}
	return nil
}

// profiled begins the profile before a test, and returns what writes it behind.
func profiled(t testing.TB) (written func()) {
	t.Helper()
	if err := startProfile(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := writeProfile(); err != nil {
			t.Error(err)
		}
	}
}
