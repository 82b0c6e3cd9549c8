package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// The first section of the guide does what it says, in an empty module: a naive transposition becomes coalesced.
func TestProfilingGuide(t *testing.T) {
	testenv.Need(t, testenv.Long, testenv.NVCC)
	page, err := os.ReadFile("../../docs/profiling.md")
	require.NoError(t, err)
	steps, _, ok := strings.Cut(string(page), "\n## Ways to profile")
	require.True(t, ok)
	emptyModule(t)
	w := walk{}
	w.blocks(t, steps)
	assert.Equal(t, []int{3, 6, 4}, []int{w.files, w.commands, w.checked}, "files, commands and outputs")
	assert.FileExists(t, "cuda.prof")
	assert.FileExists(t, "roofline.svg")

	output, err := goOutput(t, nil, "test", ".", "-cudaprofile=kernels.prof")
	require.NoError(t, err, output)
	output, err = goOutput(t, nil, "tool", "pprof", "-top", "-lines", "-sample_index=warp_instructions", "kernels.prof")
	require.NoError(t, err, output)
	assert.Regexp(t, `transpose \S*transpose.cu:19`, output)
}
