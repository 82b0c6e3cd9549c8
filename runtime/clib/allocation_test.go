//go:build linux && !cudagen_nodriver && !cudagen_portable && (amd64 || arm64)

package clib_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call costs no allocation.
func TestAllocations(t *testing.T) {
	d, s := fakeDevice(t)
	c := newContext(t, d)
	x, y := alloc[float32](t, s, 10), alloc[float32](t, s, 10)
	z := alloc[complex128](t, s, 12)
	var err error
	assert.Zero(t, testing.AllocsPerRun(100, func() { err = c.Axpy(s, 4, 2.5, x, -3, y, 1) }))
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, err = c.Zscale(s, 3, 4, 1, z, 3) }))
	require.NoError(t, err)
}
