package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// Programs and tests are profiled as they are, with their flags.
func TestProfileOfPrograms(t *testing.T) {
	testenv.Need(t, testenv.Go)
	for _, command := range [][]string{{"1", "go", "run", "../../example/histogram", "../../go.mod"}, {"4", "../../example/histogram", "-run", "^TestHistogram$"}} {
		file := filepath.Join(t.TempDir(), "cuda.prof")
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"profile", "-o", file, "-kernel", "histogram", "-launch", command[0]}, command[1:]...), nil, &stdout, &stderr)
		require.Equal(t, exitOK, code, stderr.String())
		assert.Regexp(t, `(?m)^histogram<<<\d+, 256>>>: 1 launch of `, stdout.String())
		assert.Regexp(t, `(?m)^  ../../example/histogram/histogram.cu:14: [\d.]+ wavefronts where 1.0 would do, on average of`, stdout.String())
		written, err := os.Open(file)
		require.NoError(t, err)
		defer written.Close()
		p, err := profile.Parse(written)
		require.NoError(t, err)
		source := p.Sample[0].Location[0].Line[0].Function.Filename
		assert.FileExists(t, source)
		assert.True(t, filepath.IsAbs(source), "pprof finds it from any folder")
	}
}

// The exit code is that of the program, and its kernels are reported nevertheless.
func TestProfileOfAFailure(t *testing.T) {
	testenv.Need(t, testenv.Go)
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"profile", "-o", filepath.Join(t.TempDir(), "cuda.prof"), "go", "run", "../../example/bugs", "-case", "offbyone"}, nil, &stdout, &stderr)
	assert.Contains(t, stdout.String(), "<<<", stderr.String())
	assert.Regexp(t, `failed +1 launch ended early, and counted what ran until then`, stdout.String())
	assert.Equal(t, exitInput, code)
}
