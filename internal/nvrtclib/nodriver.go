//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package nvrtclib

import (
	"context"

	"github.com/cudagen/cudagen/internal/dynlib"
)

// A Library is an opened NVRTC. This binary has none, so no Library exists.
type Library struct{}

// Open returns an error that says why this binary has no NVRTC.
func Open(Location) (*Library, error) {
	return nil, dynlib.Absent("NVRTC")
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
