package compile

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// An architecture that a compiler does not know is answered with those that it has.
func TestUnsupportedArch(t *testing.T) {
	source := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(source, []byte("__global__ void k(int n) {}\n"), 0o644))
	for _, tt := range []struct {
		compiler string
		need     testenv.Resource
	}{{"nvcc", testenv.NVCC}, {"nvrtc", testenv.NVRTC}, {"clang", testenv.Clang}} {
		t.Run(tt.compiler, func(t *testing.T) {
			testenv.Need(t, tt.need)
			c, err := Find(tt.compiler, os.Getenv)
			require.NoError(t, err)
			_, err = c.Compile(context.Background(), Request{Source: source, Arch: "compute_76"})
			var unsupported *UnsupportedArchError
			require.ErrorAs(t, err, &unsupported)
			assert.Equal(t, "compute_76", unsupported.Arch)
			assert.Contains(t, unsupported.Has, "compute_75")
			assert.True(t, slices.IsSortedFunc(unsupported.Has, compareNumbers), unsupported.Has)
			assert.ErrorContains(t, err, " has no architecture compute_76, only ")

			// The control: one that it has, and another failure.
			_, err = c.Compile(context.Background(), Request{Source: source, Arch: "compute_75"})
			assert.NoError(t, err)
			require.NoError(t, os.WriteFile(source, []byte("no C++\n"), 0o644))
			_, err = c.Compile(context.Background(), Request{Source: source, Arch: "compute_75"})
			assert.Error(t, err)
			assert.NotErrorAs(t, err, &unsupported)
			require.NoError(t, os.WriteFile(source, []byte("__global__ void k(int n) {}\n"), 0o644))
		})
	}
}

// Without any compiler the error begins with the command that installs one.
func TestNoCompiler(t *testing.T) {
	err := error(&noCompilerError{[]error{
		&NotFoundError{Wanted: "nvcc", Searched: []string{"$PATH"}},
		&NotFoundError{Wanted: "clang++ 19 or newer", Searched: []string{"$PATH", "/usr/bin"}, Hint: ClangInstallHint},
	}})
	assert.EqualError(t, err, `there is no CUDA compiler: run cudagen toolchain install, which needs no root, or install a CUDA toolkit 12.0 or newer, or clang 19
  no nvcc in $PATH
  no clang++ 19 or newer in $PATH, /usr/bin`)
	var none *NotFoundError
	assert.ErrorAs(t, err, &none)
}
