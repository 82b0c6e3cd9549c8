package gentest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// PlainSource has one kernel, k.
const PlainSource = "extern \"C\" __global__ void k(int n, float *x) { x[0] = n; }\n"

// Plain is PTX of PlainSource.
const Plain = `
.version 6.3
.target sm_75
.address_size 64
.visible .entry k(.param .u32 k_param_0, .param .u64 k_param_1) { ret; }
`

// UnclearSource has kernels that the front end does not understand, and nvcc does.
const UnclearSource = `#include <cuda/std/array>
#include <cuda/std/tuple>
struct Pos { float x, y; };
namespace a { enum class Mode : short { on = 1, off = -2 }; }
template <class T, class U> __device__ auto add(T a, U b) { return a + b; } template <class T> struct Deduce { typedef decltype(add(T(), 1L)) type; };
typedef decltype(add(Pos{}.x, 1.0)) wide;
__global__ void deduced(int n, wide w, Deduce<int>::type *p) { p[0] = n + w; }
struct Three { cuda::std::tuple<char, float> t; decltype(Pos::x) more[3]; };
__global__ void tuples(Three v, const Pos *at, a::Mode m, float *out) { out[0] = v.more[0] + at->x + (int)m; }
extern "C" __global__ void plain(int n, float *x) { x[0] = n; }
`

// Write puts a source file in a fresh folder and returns its path.
func Write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// Module makes a folder with a go.mod and files, by their slash-separated names.
func Module(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

// ExampleDir returns a fresh copy of the source and the generated files of package example, which lies in the folder root.
func ExampleDir(t testing.TB, root string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"kernels.cu", "kernels.ptx", "kernels.cudagen.json", "kernels_cuda.go"} {
		content, err := os.ReadFile(filepath.Join(root, "example", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	return dir
}

// Snapshot returns the content of every file in dir, by its name.
func Snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := make(map[string]string)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(content)
	}
	return files
}
