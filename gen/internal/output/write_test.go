package output

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/record"
)

// goFileOf returns a file to be written at path, and its content.
func goFileOf(path string) (f file, content string) {
	content = record.Marker + "\npackage p\n"
	return file{path: path, content: []byte(content), ours: generated}, content
}

// Temporary files of killed processes go away with the next run; those of others stay.
func TestAbandonedTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	f, _ := goFileOf(filepath.Join(dir, "k_cuda.go"))
	f.target = f.path
	abandonedName, err := writeTemporary(f)
	require.NoError(t, err)
	old := time.Now().Add(-2 * abandoned)
	require.NoError(t, os.Chtimes(abandonedName, old, old))
	busy, err := writeTemporary(f)
	require.NoError(t, err)
	stay := []string{busy}
	for _, name := range []string{".k_cuda.go.123", ".cudagen-1", "k.cudagen-1", ".k.ptx.cudagen-x", ".k.cudagen.json"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		require.NoError(t, os.Chtimes(path, old, old))
		stay = append(stay, path)
	}
	_, err = write([]file{f})
	require.NoError(t, err)
	assert.NoFileExists(t, abandonedName)
	for _, path := range stay {
		assert.FileExists(t, path)
	}
	assert.FileExists(t, f.path)
}

// What is left of a damaged record is overwritten; what somebody may have written is not.
func TestDamagedRecords(t *testing.T) {
	for content, ours := range map[string]bool{
		"": true, "\n": true, "{": true, "{}\n": true, "[]": true, "null\n": true, "\x00\x00\x00": true, `{"format": 3, "sou`: true,
		"{\"note\": \"mine\"}\n": false, "notes\n": false, "0": false,
	} {
		assert.Equal(t, ours, isRecord([]byte(content)), "%q", content)
	}
}
