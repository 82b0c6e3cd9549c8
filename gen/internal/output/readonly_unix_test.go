//go:build unix

package output_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
)

// TestReadOnlyFolder runs this test binary as a user who may not write in the folder.
func TestReadOnlyFolder(t *testing.T) {
	if path := os.Getenv("CUDAGEN_TEST_READ_ONLY"); path != "" {
		_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(gentest.Plain)))
		require.ErrorContains(t, err, "cannot be written")
		require.Equal(t, diag.FileAccess, diag.CodeOf(err))
		return
	}
	path := gentest.Write(t, "k.cu", gentest.PlainSource)
	dir := filepath.Dir(path)
	for parent := dir; parent != filepath.Dir(os.TempDir()) && parent != "/"; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		require.NoError(t, err)
		if info.Mode().Perm()&0o005 != 0o005 {
			require.NoError(t, os.Chmod(parent, info.Mode().Perm()|0o055))
		}
	}
	require.NoError(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { os.Chmod(dir, 0o755) })

	binary := filepath.Join(t.TempDir(), "test")
	self, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, content, 0o755))
	cmd := exec.Command(binary, "-test.run=^TestReadOnlyFolder$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CUDAGEN_TEST_READ_ONLY="+path)
	if os.Getuid() == 0 { // root may write anywhere
		require.NoError(t, os.Chmod(filepath.Dir(binary), 0o755))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, map[string]string{"k.cu": gentest.PlainSource}, gentest.Snapshot(t, dir), "nothing is left behind")
}
