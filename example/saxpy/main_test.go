package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	require.NoError(t, run(&out))
	assert.Contains(t, out.String(), "2*x + y = [1 3 5 7] … 19999\n")
}

func TestShortSlice(t *testing.T) {
	err := saxpy(simtest.New(t), 2, make([]float32, 3), make([]float32, 2))
	assert.True(t, errors.Is(err, cuda.ErrShortSlice), "%v", err)
}
