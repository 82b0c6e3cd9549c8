package toolchaindir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The folder is the one that os.UserCacheDir names, for all environments.
func TestDirIsInTheUsersCache(t *testing.T) {
	for _, tt := range []struct {
		name           string
		xdg, home, app string
	}{
		{"cache variable", "/var/cache/ada", "/home/ada", `C:\cache`},
		{"home", "", "/home/ada", `C:\cache`},
		{"nothing", "", "", ""},
		{"relative", "cache", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", tt.xdg)
			t.Setenv("HOME", tt.home)
			t.Setenv("LocalAppData", tt.app)
			t.Setenv(Variable, "")
			dir, err := Dir(os.Getenv)
			cache, want := os.UserCacheDir()
			if want != nil {
				assert.ErrorContains(t, err, "set it, or CUDAGEN_TOOLCHAIN_DIR")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(cache, "cudagen", "toolchain"), dir)
		})
	}
}

func TestVariableReplacesTheCache(t *testing.T) {
	wd, err := os.Getwd()
	require.NoError(t, err)
	dir, err := Dir(func(name string) string { return map[string]string{Variable: "tools", "HOME": "/home/ada"}[name] })
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(wd, "tools"), dir)
}

func TestToolkits(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"13.0.88/nvidia/cu13", "13.0.100/nvidia/cu13", "14.1.2/nvidia/cu14", "9.9.9/nvidia/cu9",
		".install-1/tree/nvidia/cu13", ".install-2/nvidia/cu13", // under way
		"12.9.1/nvidia/cudnn", "13.1.0/elsewhere", // no toolkit
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "13.9.9"), nil, 0o644))
	env := func(name string) string { return map[string]string{Variable: dir}[name] }
	var names []string
	for _, root := range Toolkits(env) {
		name, err := filepath.Rel(dir, root)
		require.NoError(t, err)
		names = append(names, filepath.ToSlash(name))
	}
	assert.Equal(t, []string{"14.1.2/nvidia/cu14", "13.0.100/nvidia/cu13", "13.0.88/nvidia/cu13", "9.9.9/nvidia/cu9"}, names)
}

func TestNoToolkits(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"no cache folder": {},
		"no such folder":  {Variable: filepath.Join(t.TempDir(), "none")},
		"empty":           {Variable: t.TempDir()},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, Toolkits(func(name string) string { return env[name] }))
		})
	}
}
