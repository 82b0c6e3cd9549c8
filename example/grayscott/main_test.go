package main

import (
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example/grayscott/reaction"
)

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	path := filepath.Join(t.TempDir(), "x.gif")
	m := reaction.Movie{Width: 40, Frames: 3, Steps: 4, Colors: len(palette)}
	var out strings.Builder
	require.NoError(t, run(&out, m, path))
	assert.Contains(t, out.String(), "12 steps of time, wrote ")
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	assert.Len(t, picture.Image, 3)
	assert.Equal(t, 40, picture.Image[2].Bounds().Dy())
	m.Steps = 3
	assert.ErrorContains(t, run(&out, m, path), "an even one")
}

// docs/grayscott.gif is what the program paints.
func TestPicture(t *testing.T) {
	file, err := os.Open("../../docs/grayscott.gif")
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	require.Len(t, picture.Image, 50)
	m := reaction.Movie{Width: 128, Height: 96, Frames: 10, Steps: 60, Colors: len(palette)} // the first ten
	for i, pixels := range m.Plain() {
		require.Equal(t, pixels, picture.Image[i].Pix, "frame %d", i)
	}
}
