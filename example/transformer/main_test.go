package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	path := filepath.Join(t.TempDir(), "x.png")
	var out strings.Builder
	require.NoError(t, run(&out, 3, path))
	assert.Regexp(t, `(?s)step    0: loss [23]\.\d+\n.*step    2: loss .*every loss is that of plain Go\nit writes: peter p.{80}\nwrote`, out.String())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
	assert.Error(t, run(&out, -1, path))
}
