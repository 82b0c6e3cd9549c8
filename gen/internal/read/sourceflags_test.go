package read_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Flags of the compiler that decide what a source says decide how it is read. The kernels in the PTX are the oracle.
func TestSourceFlags(t *testing.T) {
	const text = `
#ifdef __CUDACC_EXTENDED_LAMBDA__
__global__ void lambda(int) {}
#endif
#ifdef __CUDACC_RELAXED_CONSTEXPR__
__global__ void relaxed(int) {}
#endif
#ifdef __CUDACC_RDC__
__global__ void rdc(int) {}
#endif
#ifdef __CUDACC_DEBUG__
__global__ void debug(int) {}
#endif
#ifdef _OPENMP
__global__ void openmp(int) {}
#endif
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
__global__ void stream(int) {}
#endif
#if __cplusplus > 201703L
__global__ void twenty(int) {}
#endif
#ifdef X
__global__ void x(int) {}
#endif
#ifdef TYPE
__global__ void t(TYPE) {}
#endif
__global__ void always(int) {}
`
	for flags, want := range map[string]string{
		"": "always",
		"--extended-lambda -rdc=true -G -Xcompiler -fopenmp,-DX":                                               "lambda rdc debug openmp x always",
		"-expt-relaxed-constexpr -std=c++20 -dc --define-macro=X -U X -default-stream per-thread -DY,TYPE=int": "relaxed rdc stream twenty t always",
		"-include sub/x.h -Isub -DTYPE=double":                                                                 "x t always",
	} {
		for name, find := range map[string]func(testing.TB) string{"nvcc": testenv.NVCCPath, "nvrtc": testenv.NVRTCPath} {
			t.Run(name+" "+flags, func(t *testing.T) {
				t.Parallel()
				find(t)
				dir := gentest.Module(t, map[string]string{"k.cu": text, "sub/x.h": "#define X\n"})
				o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", CompilerFlags: strings.Fields(flags)}
				o.FindCompiler = func() (gen.Compiler, error) { return compile.Find(name, os.Getenv) }
				_, err := gen.Generate(t.Context(), o)
				require.NoError(t, err)
				reading := gen.NewReader(o).Read(o.Sources[0])
				var kernels []string
				for _, k := range reading.Kernels {
					kernels = append(kernels, k.Kernel.Name)
				}
				assert.ElementsMatch(t, strings.Fields(want), kernels)
				ptx, err := os.ReadFile(filepath.Join(dir, "k.ptx"))
				require.NoError(t, err)
				assert.Equal(t, len(kernels), strings.Count(string(ptx), ".entry "))
			})
		}
	}
}

// The compilation with debug information is of the same source as the image, also if the image has -G: a layout that only
// the compiler knows is the image's.
func TestLayoutsWithDebugFlag(t *testing.T) {
	const text = `#include <tuple>
struct X { int a; float b; };
struct Y { float b; int a; };
#ifdef __CUDACC_DEBUG__
struct Known { int a; float b; };
const int which = 0;
#else
struct Known { float b; int a; };
const int which = 1;
#endif
struct S { typename std::tuple_element<which, std::tuple<X, Y>>::type m; };
__global__ void k(S s, Known n, int *o) { *o = s.m.a + n.a; }
`
	for flags, want := range map[string]string{"-G": "A.*\n\tB ", "-lineinfo": "B.*\n\tA "} {
		dir := gentest.Module(t, map[string]string{"k.cu": text})
		o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", CompilerFlags: []string{flags}, FindCompiler: gentest.NVCC(t)}
		_, err := gen.Generate(t.Context(), o)
		require.NoError(t, err, flags)
		code := gentest.Snapshot(t, dir)["k_cuda.go"]
		assert.Regexp(t, "type [XY] struct \\{\n.*HostLayout\n\t"+want, code)
		assert.Regexp(t, "type Known struct \\{\n.*HostLayout\n\t"+want, code)
	}
}

// Headers in folders that the compiler's flags name are inputs, too, outside of the module.
func TestFoldersOfCompilerFlags(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "h.h"), []byte("inline __device__ int f() { return 1; }\n"), 0o666))
	dir := gentest.Module(t, map[string]string{"k.cu": "#include \"h.h\"\n__global__ void k(int *p) { *p = f(); }\n"})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", CompilerFlags: []string{"-I", outside}, FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(outside, "h.h"), []byte("inline __device__ int f() { return 2; }\n"), 0o666))
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.NotEmpty(t, result.Stale)
}
