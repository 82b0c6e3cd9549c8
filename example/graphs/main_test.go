package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

func TestPrograms(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	assert.Contains(t, output(t), "1000 steps of 48×48 cells: ")
}

// TestProgramsOnGPU has the GPU's results of the same programs, conditional nodes included.
func TestProgramsOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	t.Setenv("CUDAGEN_DEVICE", "0")
	assert.Contains(t, output(t), "1000 steps of 256×256 cells: ")
}

// output runs the programs and returns what they print.
func output(t *testing.T) string {
	picture := filepath.Join(t.TempDir(), "reaction.png")
	var out bytes.Buffer
	require.NoError(t, run(&out, picture))
	for _, want := range []string{
		"(1 + 2) * 3 * 3 = 27\n", "this runs on the host, and a[0] = 3\n", "this runs on the host, and a[0] = 5\n", "counted from 100 down to 42\n",
	} {
		assert.Contains(t, out.String(), want)
	}
	info, err := os.Stat(picture)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
	t.Log(out.String())
	return out.String()
}
