package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	if os.Getenv("CUDAGEN_DEVICE") == "" {
		t.Setenv("CUDAGEN_DEVICE", "sim")
	}
	picture := filepath.Join(t.TempDir(), "reaction.png")
	var out bytes.Buffer
	require.NoError(t, run(&out, picture))
	for _, want := range []string{
		"(1 + 2) * 3 * 3 = 27\n", "this runs on the host, and a[0] = 3\n", "this runs on the host, and a[0] = 5\n",
		"counted from 100 down to 42\n", "1000 steps of 48×48 cells: ",
	} {
		if want[0] == '1' && os.Getenv("CUDAGEN_DEVICE") != "sim" {
			continue // a GPU has a larger grid
		}
		assert.Contains(t, out.String(), want)
	}
	info, err := os.Stat(picture)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
}
