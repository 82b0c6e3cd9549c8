package main

import (
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	path := filepath.Join(t.TempDir(), "x.gif")
	require.NoError(t, run(&out, 128, 20, path))
	assert.Contains(t, out.String(), "128 bodies, 20 steps: energy -")
	assert.Error(t, run(&out, -1, 1, path))
	assert.Error(t, run(&out, 1, 0, path))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	assert.Len(t, picture.Image, 5)
	assert.NotEqual(t, picture.Image[0].Pix, picture.Image[4].Pix)
}
