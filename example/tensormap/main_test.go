package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// Tiles at the edges are cut off.
func TestOnSimulator(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	for _, size := range [][2]int{{100, 68}, {1, 4}, {33, 36}} {
		var out bytes.Buffer
		require.NoError(t, run(&out, size[0], size[1]))
		assert.Contains(t, out.String(), "values identical")
	}
}

func TestRefused(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	assert.ErrorContains(t, run(io.Discard, 0, 64), "a matrix of 0 × 64 elements")
	assert.ErrorContains(t, run(io.Discard, 64, 63), "the stride of Dims[1] is 63 elements of 4 bytes, must be a multiple of 16 bytes")
}

// Tiles at the edges are cut off.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	for _, size := range [][2]int{{1000, 700}, {1, 4}, {33, 36}, {4096, 4096}} {
		var out bytes.Buffer
		require.NoError(t, run(&out, size[0], size[1]))
		assert.Contains(t, out.String(), "values identical")
	}
}
