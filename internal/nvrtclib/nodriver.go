//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package nvrtclib

import (
	"context"
	"fmt"
	"runtime"
)

// A Library is an opened NVRTC. This binary has none, so no Library exists.
type Library struct{}

// Open returns an error that says why this binary has no NVRTC.
func Open(Location) (*Library, error) {
	switch runtime.GOOS {
	case "linux", "windows":
		return nil, fmt.Errorf("NVRTC is not in this binary: it was built with -tags cudagen_nodriver, or for %s", runtime.GOARCH)
	}
	return nil, fmt.Errorf("there is no NVRTC for %s", runtime.GOOS)
}

// Location returns nothing.
func (*Library) Location() Location { return Location{} }

// Version returns zeros.
func (*Library) Version() (major, minor int) { return 0, 0 }

// SupportedArchs returns none.
func (*Library) SupportedArchs() []int { return nil }

// Compile fails.
func (*Library) Compile(context.Context, Program) (*Result, error) {
	_, err := Open(Location{})
	return nil, err
}
