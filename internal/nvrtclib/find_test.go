//go:build linux

package nvrtclib

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree makes empty files below a folder of the test and returns the folder.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	return root
}

func TestFind(t *testing.T) {
	root := tree(t,
		"named/libfoo.so",
		"home/lib64/libnvrtc.so.12", "home/lib64/libnvrtc.so.12.9.86", "home/lib64/libnvrtc.so.9.9", "home/lib64/libnvrtc.alt.so.13", "home/lib64/libnvrtc-builtins.so.13.0",
		"path/targets/x86_64-linux/lib/libnvrtc.so.13",
		"venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
		"old venv [1]/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
		"wheels/cudagen/toolchain/13.0.88/nvidia/cu13/lib/libnvrtc.so.13",
		"ld/libnvrtc.so.13", "empty/x",
	)
	for _, tt := range []struct{ name, env, want, origin string }{
		{"named", "NVRTC_LIB=named/libfoo.so CUDA_HOME=home", "named/libfoo.so", "$NVRTC_LIB"},
		{"home before path, the newest version", "CUDA_HOME=home CUDA_PATH=path", "home/lib64/libnvrtc.so.12.9.86", "$CUDA_HOME"},
		{"path", "CUDA_HOME=empty CUDA_PATH=path VIRTUAL_ENV=venv", "path/targets/x86_64-linux/lib/libnvrtc.so.13", "$CUDA_PATH"},
		{"environment", "VIRTUAL_ENV=venv LD_LIBRARY_PATH=ld", "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "$VIRTUAL_ENV"},
		{"environment with CUDA 12 and odd characters", "VIRTUAL_ENV=old+venv+[1]", "old venv [1]/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "$VIRTUAL_ENV"},
		{"installed by cudagen", "CUDAGEN_TOOLCHAIN_DIR=wheels/cudagen/toolchain LD_LIBRARY_PATH=ld", "wheels/cudagen/toolchain/13.0.88/nvidia/cu13/lib/libnvrtc.so.13", "cudagen toolchain install"},
		{"loader", "LD_LIBRARY_PATH=ld", "ld/libnvrtc.so.13", "$LD_LIBRARY_PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{}
			for _, setting := range strings.Fields(tt.env) {
				name, value, _ := strings.Cut(setting, "=")
				env[name] = filepath.Join(root, strings.ReplaceAll(value, "+", " "))
			}
			location, err := Find(func(name string) string { return env[name] })
			require.NoError(t, err)
			assert.Equal(t, Location{Path: filepath.Join(root, tt.want), Origin: tt.origin}, location)
		})
	}
	t.Run("named and not there", func(t *testing.T) {
		_, err := Find(func(name string) string {
			return map[string]string{"NVRTC_LIB": root, "CUDA_HOME": filepath.Join(root, "home")}[name]
		})
		assert.EqualError(t, err, "no NVRTC in $NVRTC_LIB ("+root+"): "+InstallHint.Error())
	})
}

func TestIncludeDirs(t *testing.T) {
	for _, tt := range []struct {
		name, library string
		headers, want []string
	}{
		{"wheel of CUDA 13", "cu13/lib/libnvrtc.so.13", []string{"cu13/include/cuda_runtime.h", "cu13/include/cccl/x"}, []string{"cu13/include", "cu13/include/cccl"}},
		{"wheels of CUDA 12", "cuda_nvrtc/lib/libnvrtc.so.12", []string{"cuda_runtime/include/cuda_runtime.h"}, []string{"cuda_runtime/include"}},
		{"wheels of CUDA 12 with CCCL", "cuda_nvrtc/lib/libnvrtc.so.12", []string{"cuda_runtime/include/cuda_runtime.h", "cuda_cccl/include/nv/target"}, []string{"cuda_runtime/include", "cuda_cccl/include"}},
		{"toolkit", "cuda/targets/x86_64-linux/lib/libnvrtc.so.13", []string{"cuda/targets/x86_64-linux/include/cuda_runtime.h"}, []string{"cuda/targets/x86_64-linux/include"}},
		{"library alone", "a/b/c/d/libnvrtc.so.13", []string{"a/include/other.h"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, append(tt.headers, tt.library)...)
			var want []string
			for _, dir := range tt.want {
				want = append(want, filepath.Join(root, dir))
			}
			assert.Equal(t, want, Location{Path: filepath.Join(root, tt.library)}.IncludeDirs())
		})
	}
}

func TestIdentity(t *testing.T) {
	root := tree(t, "lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0")
	l := Location{Path: filepath.Join(root, "lib", "libnvrtc.so.13")}
	seen := map[string]string{}
	look := func(what string) {
		t.Helper()
		identity, err := l.Identity()
		require.NoError(t, err)
		assert.Empty(t, seen[identity], "%s: the same as %s", what, seen[identity])
		seen[identity] = what
	}
	look("first")
	require.NoError(t, os.WriteFile(l.Path, []byte("x"), 0o644))
	look("another library")
	require.NoError(t, os.WriteFile(filepath.Join(root, "lib", "libnvrtc-builtins.so.13.0"), []byte("x"), 0o644))
	look("other builtins")
	same, err := l.Identity()
	require.NoError(t, err)
	assert.NotEmpty(t, seen[same], "nothing has changed")
	require.NoError(t, os.Remove(l.Path))
	_, err = l.Identity()
	assert.ErrorIs(t, err, os.ErrNotExist)
}
