package build_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/testenv"
)

// If nvcc finds no host compiler, NVRTC compiles, and a warning says so; unless nvcc was named.
func TestFallBackToNVRTC(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	testenv.Need(t, testenv.NVRTC)
	dir := t.TempDir()
	path := filepath.Join(dir, "k.cu")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/k\n"), 0o644))
	require.NoError(t, os.WriteFile(path, []byte("extern \"C\" __global__ void k(int n) {}\n"), 0o644))
	for name, value := range map[string]string{"PATH": t.TempDir(), "NVCC": "", "NVCC_CCBIN": "", "CUDAGEN_CACHE": "off", "CUDA_HOME": filepath.Dir(filepath.Dir(nvcc))} {
		t.Setenv(name, value)
	}
	o := gen.Options{Sources: []string{path}, Archs: []string{"compute_75"}, Package: "k"}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, result.Warnings, 1)
	assert.Equal(t, path, result.Warnings[0].Pos.Filename)
	assert.Contains(t, result.Warnings[0].Message.Error(), "so NVRTC compiles")
	assert.Contains(t, result.Files[0].Compiler, "nvrtc ")

	o.Force, o.Compiler = true, "nvcc"
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "nvcc needs a C++ compiler for the host but cannot run one: install g++, name one with -ccbin, or use -compiler nvrtc")
}
