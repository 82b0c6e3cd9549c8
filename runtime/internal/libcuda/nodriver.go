//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package libcuda

import (
	"fmt"
	"runtime"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Driver is a loaded libcuda. This binary has none, so no Driver exists.
type Driver struct{ driver.Driver }

// Open returns an error that wraps ErrNotInstalled.
func Open() (*Driver, error) {
	switch runtime.GOOS {
	case "linux", "windows":
		return nil, fmt.Errorf("libcuda: %w in this binary: it was built with -tags cudagen_nodriver, or for %s", ErrNotInstalled, runtime.GOARCH)
	case "darwin":
		return nil, fmt.Errorf("libcuda: %w for macOS", ErrNotInstalled)
	}
	return nil, fmt.Errorf("libcuda: %w for %s", ErrNotInstalled, runtime.GOOS)
}

// Launch returns driver.ErrorNotInitialized.
func Launch(*LaunchRecord) driver.Result { return driver.ErrorNotInitialized }

// LaunchBatch returns driver.ErrorNotInitialized.
func LaunchBatch(*Batch) driver.Result { return driver.ErrorNotInitialized }

// LaunchGraph returns driver.ErrorNotInitialized.
func LaunchGraph(driver.GraphExec, driver.Stream) driver.Result { return driver.ErrorNotInitialized }

// SetKernelNode returns driver.ErrorNotInitialized.
func SetKernelNode(driver.GraphExec, driver.GraphNode, *KernelNode) driver.Result {
	return driver.ErrorNotInitialized
}

// AddKernelNode returns driver.ErrorNotInitialized.
func AddKernelNode(driver.Graph, []driver.GraphNode, *KernelNode) (driver.GraphNode, driver.Result) {
	return 0, driver.ErrorNotInitialized
}

// LaunchEntry returns nothing to call.
func LaunchEntry() Entry { return Entry{} }

// AttributedEntry returns nothing to call.
func AttributedEntry() (Entry, bool) { return Entry{}, false }

// Watch has nothing to watch.
func Watch() {}

// StartRange has no profiler to tell.
func StartRange(string) uint64 { return 0 }

// EndRange has no profiler to tell.
func EndRange(uint64) {}

// NameStream has no profiler to tell.
func NameStream(driver.Stream, string) {}
