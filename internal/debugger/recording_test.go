package debugger_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

var update = flag.Bool("update", false, "write the recorded sessions anew")

// recorded compares a session with what happens when its commands are played.
func recorded(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	path, err = filepath.Abs(path)
	require.NoError(t, err)
	got := newClient(t).play(string(text))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	assert.Equal(t, strings.ReplaceAll(string(text), "\r\n", "\n"), got)
}

// Sessions with debug information are those of testdata/*.session, and others of testdata/plain.
func TestSessions(t *testing.T) {
	testenv.Need(t, testenv.Long)
	testenv.Need(t, testenv.NVCC)
	sessions(t, "testdata/*.session")
}

// Without a compiler lines, parameters, registers and shared arrays are known.
func TestSessionsWithoutCompiler(t *testing.T) {
	testenv.Need(t, testenv.Long)
	sessions(t, "testdata/plain/*.session")
}

func sessions(t *testing.T, pattern string) {
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".session"), func(t *testing.T) { recorded(t, path) })
	}
}

// docs/debugging.md has the session with the race.
func TestDocumentedSession(t *testing.T) {
	session, err := os.ReadFile("testdata/race.session")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/debugging.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "```text\n"+string(session)+"```\n", "copy the session into the page")
}
