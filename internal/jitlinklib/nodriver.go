//go:build cudagen_nodriver || !(linux || windows) || !(amd64 || arm64)

package jitlinklib

import (
	"context"

	"github.com/cudagen/cudagen/internal/dynlib"
)

// A Library is an opened nvJitLink. This binary has none, so no Library exists.
type Library struct{}

// Open returns an error that says why this binary has no nvJitLink.
func Open(Location) (*Library, error) {
	return nil, dynlib.Absent("nvJitLink")
}

// Location returns nothing.
func (*Library) Location() Location { return Location{} }

// Version returns zeros.
func (*Library) Version() (major, minor int) { return 0, 0 }

// Link fails.
func (*Library) Link(context.Context, Job) (*Result, error) {
	_, err := Open(Location{})
	return nil, err
}
