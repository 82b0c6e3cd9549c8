package build_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Two files that need each other: functions both ways, constant memory, a variable, a table of
// functions, static names that are the same, a template that both instantiate.
const (
	curveHeader = `#pragma once
extern __device__ float curve(float x);
extern __constant__ float taps[4];
extern __device__ int calls;
__device__ float own(float x);
template <class T> __device__ __noinline__ T twice(T x) { return x + x; }
`
	curveSource = `#include "curve.h"
__constant__ float taps[4] = {1, 2, 3, 4};
__device__ int calls = 5;
static __device__ int hidden = 4;
static __device__ __noinline__ float helper(float x) { return x - hidden; }
__device__ float curve(float x) { return own(x) * 2 + helper(x) + twice(x); }
__global__ void other(int *p) { *p = calls; }
`
	runSource = `#include "curve.h"
static __device__ int hidden = 3;
static __device__ __noinline__ float helper(float x) { return x * hidden; }
__device__ float own(float x) { return x + 1; }
typedef float (*function)(float);
__device__ function table[2] = {curve, own};
//cudagen:kernel
__global__ void run(int n, float *y) {
  int i = threadIdx.x;
  if (i >= n) return;
  y[i] = curve(y[i]) * taps[i & 3] + helper(y[i]) + twice(y[i]) + table[i & 1](2);
  atomicAdd(&calls, 1);
}
`
)

func linkedModule(t testing.TB) (dir string, o gen.Options) {
	t.Helper()
	dir = gentest.Module(t, map[string]string{"run.cu": runSource, "curve.cu": curveSource, "curve.h": curveHeader})
	return dir, gen.Options{
		Sources: []string{filepath.Join(dir, "run.cu")}, Link: []string{filepath.Join(dir, "curve.cu")}, Archs: []string{"compute_75"}, Package: "p",
	}
}

// Kernels use functions and variables of other files: the images define them all, and the record
// knows what they were made from.
func TestLink(t *testing.T) {
	dir, o := linkedModule(t)
	o.FindCompiler = gentest.NVCC(t)
	o.Archs = []string{"compute_75", "sm_80", "sm_90"}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 1, result.Files[0].Kernels)
	assert.Empty(t, result.Warnings)
	files := gentest.Snapshot(t, dir)
	text := files["run.ptx"]
	require.NoError(t, ptx.Undefined("run.ptx", []byte(text)))
	img, err := image.ReadPTX("run.ptx", []byte(text))
	require.NoError(t, err)
	require.Len(t, img.Kernels, 1, "kernels of linked files are left out")
	assert.Contains(t, text, `"curve.cu"`)
	record, err := gen.ReadRecord(filepath.Join(dir, "run.cudagen.json"))
	require.NoError(t, err)
	var inputs []string
	for _, in := range record.Inputs {
		inputs = append(inputs, in.Path)
	}
	assert.Equal(t, []string{"curve.cu", "curve.h", "run.cu"}, inputs)
	assert.Equal(t, []string{"curve.cu"}, record.Options.Link)

	t.Run("images are those that nvlink makes", func(t *testing.T) {
		for _, arch := range []string{"sm_80", "sm_90"} {
			theirs, err := image.ReadCubin("nvlink", nvlink(t, arch, filepath.Join(dir, "run.cu"), filepath.Join(dir, "curve.cu")))
			require.NoError(t, err)
			ours, err := image.ReadFatbin("run.fatbin", []byte(files["run.fatbin"]))
			require.NoError(t, err)
			for _, entry := range ours.Entries {
				img := entry.Image
				if fmt.Sprintf("sm_%d", entry.Arch) != arch {
					continue
				}
				require.Len(t, img.Kernels, 1)
				want, err := theirs.Find("run", nil)
				require.NoError(t, err)
				assert.Equal(t, want.Params, img.Kernels[0].Params)
				symbols := func(img *image.Image) (list []string) {
					for _, v := range img.Variables {
						list = append(list, v.Name)
					}
					return list
				}
				assert.Subset(t, symbols(img), []string{"taps", "calls", "table"})
				assert.Subset(t, symbols(theirs), []string{"taps", "calls", "table"})
			}
		}
	})

	current := func(t *testing.T) []gen.Stale {
		t.Helper()
		check, err := gen.Check(o)
		require.NoError(t, err)
		return check.Stale
	}
	assert.Empty(t, current(t))
	t.Run("again", func(t *testing.T) {
		again, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		assert.Empty(t, again.Written)
		assert.Empty(t, again.Files[0].Compiled)
	})
	t.Run("in another folder", func(t *testing.T) {
		dir, elsewhere := linkedModule(t)
		elsewhere.Archs, elsewhere.FindCompiler = o.Archs, o.FindCompiler
		_, err := gen.Generate(t.Context(), elsewhere)
		require.NoError(t, err)
		for name, content := range gentest.Snapshot(t, dir) {
			assert.Equal(t, files[name], content, name)
		}
	})
	t.Run("a linked file changes", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "curve.cu"), []byte(curveSource+"// more\n"), 0o644))
		assert.Contains(t, fmt.Sprint(current(t)), "curve.cu changed")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "curve.cu"), []byte(curveSource), 0o644))
		assert.Empty(t, current(t))
	})
	t.Run("other files are linked", func(t *testing.T) {
		link := o.Link
		o.Link = nil
		defer func() { o.Link = link }()
		assert.Contains(t, fmt.Sprint(current(t)), "-dlink was curve.cu, is empty")
	})
}

// nvlink returns what NVIDIA's linker makes of sources.
func nvlink(t testing.TB, arch string, sources ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "linked.cubin")
	log, err := runNVLink(t, arch, out, sources...)
	require.NoError(t, err, "%s", log)
	code, err := os.ReadFile(out)
	require.NoError(t, err)
	return code
}

func runNVLink(t testing.TB, arch, out string, sources ...string) ([]byte, error) {
	t.Helper()
	nvcc := testenv.NVCCPath(t)
	args := []string{"-dlink", "-cubin", "-arch", arch, "-o", out}
	for i, source := range sources {
		object := filepath.Join(t.TempDir(), filepath.Base(source)+".cubin")
		log, err := exec.Command(nvcc, "-rdc=true", "-cubin", "-arch", arch, "-o", object, source).CombinedOutput()
		require.NoError(t, err, "%d: %s", i, log)
		args = append(args, object)
	}
	return exec.Command(nvcc, args...).CombinedOutput()
}

// Virtual functions of one class in two files, function pointers, static variables and strings of the
// same names, dynamic shared memory, the driver's functions, structs by value: ptxas takes what is
// linked, and nvlink agrees that nothing is missing.
func TestLinkOfMuch(t *testing.T) {
	find := gentest.NVCC(t)
	dir := gentest.Module(t, map[string]string{"much.cu": `#include <cstdio>
#include <cassert>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Shape { __device__ virtual float area(float x) const = 0; __device__ virtual ~Shape() {} };
struct Sq : Shape { __device__ float area(float x) const override; };
extern __device__ float lib(float, int);
extern __device__ float (*hook)(float);
struct __align__(16) Big { float a[5]; double d; };
extern __device__ Big make(Big b, char c);
extern __constant__ Big bigs[3];
__device__ float Sq::area(float x) const { return x*x; }
template<class F> __device__ float apply(F f, float x) { static __device__ int n; atomicAdd(&n,1); return f(x); }
__device__ float base(float x) { return x; }
__global__ void k(float *y, int n) {
  __shared__ float t[64];
  extern __shared__ double dyn[];
  auto block = cg::this_thread_block();
  t[threadIdx.x] = y[threadIdx.x]; dyn[threadIdx.x]=1; block.sync();
  Shape *s = new Sq; float r = s->area(t[0]) + dyn[3]; delete s;
  r += apply([=](float q){ return q*n; }, r) + lib(r, n) + hook(r) + bigs[1].a[2];
  Big b = make(bigs[0], 'x'); r += b.d;
  assert(r != 3); printf("%f %s\n", r, "hi"); y[0] = r + __half2float(__float2half(r)) + sinf(r) + erf(r) + n % 7;
}
`, "more.cu": `#include <cstdio>
#include <cassert>
struct Shape { __device__ virtual float area(float x) const = 0; __device__ virtual ~Shape() {} };
struct Tri : Shape { __device__ float area(float x) const override { return x/2; } };
struct __align__(16) Big { float a[5]; double d; };
extern __device__ float base(float);
__device__ float (*hook)(float) = base;
template<class F> __device__ float apply(F f, float x) { static __device__ int n; atomicAdd(&n,1); return f(x); }
__device__ float lib(float x, int n) { extern __shared__ double dyn[]; __shared__ float t[64]; t[threadIdx.x]=x; __syncthreads(); Tri tr; Shape *s = n > 3 ? &tr : nullptr; assert(s); printf("w %s\n", "hi"); return s->area(x) + t[n&63] + dyn[0] + apply([=](float q){ return q-n; }, x) + sinf(x); }
__device__ Big make(Big b, char c) { b.d += c; b.a[1] = hook(b.a[0]); return b; }
__constant__ Big bigs[3] = {{{1,2,3}, 4}};
`})
	o := gen.Options{
		Sources: []string{filepath.Join(dir, "much.cu")}, Link: []string{filepath.Join(dir, "more.cu")}, Archs: []string{"compute_75", "sm_80"}, Package: "p", FindCompiler: find,
	}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	text := gentest.Snapshot(t, dir)["much.ptx"]
	assert.Contains(t, text, "__unit2", "names of both files are told apart")
	require.NoError(t, ptx.Undefined("much.ptx", []byte(text)))
	nvlink(t, "sm_80", o.Sources[0], o.Link[0])
}

// Every compiler makes PTX that links.
func TestLinkByEveryCompiler(t *testing.T) {
	for _, compiler := range []struct {
		name string
		need testenv.Resource
		arch string
	}{{"nvcc", testenv.NVCC, "sm_80"}, {"nvrtc", testenv.NVRTC, "compute_80"}, {"clang", testenv.Clang, "compute_80"}} {
		t.Run(compiler.name, func(t *testing.T) {
			testenv.Need(t, compiler.need)
			dir, o := linkedModule(t)
			o.Archs = []string{compiler.arch}
			o.FindCompiler = func() (compile.Compiler, error) { return compile.Find(compiler.name, os.Getenv) }
			_, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			text := gentest.Snapshot(t, dir)["run.ptx"]
			require.NoError(t, ptx.Undefined("run.ptx", []byte(text)))
			check, err := gen.Check(o)
			require.NoError(t, err)
			assert.True(t, check.OK(), check.Stale)
			if ptxas := compile.Ptxas(os.Getenv); ptxas != "" {
				assert.NoError(t, compile.Assembles(t.Context(), ptxas, os.Getenv, [][]byte{[]byte(text)}, "sm_80"))
			}
		})
	}
	t.Run("NVRTC assembles nothing", func(t *testing.T) {
		testenv.Need(t, testenv.NVRTC)
		_, o := linkedModule(t)
		o.Archs = []string{"sm_80"}
		o.FindCompiler = func() (compile.Compiler, error) { return compile.Find("nvrtc", os.Getenv) }
		_, err := gen.Generate(t.Context(), o)
		assert.ErrorContains(t, err, "-dlink: nvrtc makes PTX of linked files and no machine code for sm_80")
	})
}

// A function of another file needs -dlink, and what -dlink cannot resolve says where it is used.
// nvlink refuses the same.
func TestLinkRefuses(t *testing.T) {
	testenv.Need(t, testenv.Long)
	find := gentest.NVCC(t)
	for _, test := range []struct {
		name, run, other string
		want             string
		nvlink           string // what it says
	}{
		{"without -dlink", "extern __device__ float f(float);\n__global__ void k(float *y) {\n  y[0] = f(y[0]);\n}\n", "",
			"run.cu:3:3: k needs device function f, which is declared here but not defined: name the file that defines it with -dlink", "Undefined reference"},
		{"an array without -dlink", "extern __device__ int a[];\n__global__ void k(int *y) {\n  y[0] = a[3];\n}\n", "",
			"run.cu:3:3: k needs device variable a, which is declared here but not defined: name the file that defines it with -dlink", "Undefined reference"},
		{"a function", "extern __device__ float f(float);\n__global__ void k(float *y) {\n  y[0] = f(y[0]);\n}\n", "__device__ float g(float x) { return x; }\n",
			"run.cu:3:3: k needs device function f, which neither this file nor those of -dlink define: add the file that defines it to -dlink", "Undefined reference"},
		{"a function that a linked file needs", "extern __device__ float f(float);\n__global__ void k(float *y) {\n  y[0] = f(y[0]);\n}\n", "extern __device__ float g(float);\n__device__ float f(float x) {\n  return g(x) + 1;\n}\n",
			"other.cu:3:3: f needs device function g, which neither this file nor those of -dlink define", "Undefined reference"},
		{"defined twice", "__device__ float f(float x) { return x; }\n__global__ void k(float *y) {\n  y[0] = f(y[0]);\n}\n", "__device__ float f(float x) { return x + 1; }\n",
			"other.cu:1: device function f is defined here and in ", "Multiple definition"},
		{"a variable that is defined twice", "__device__ int v = 1;\n__global__ void k(int *y) { y[0] = v; }\n", "__device__ int v = 2;\n",
			"other.cu: device variable v is defined here and in ", "Multiple definition"},
		{"another size", "extern __device__ int v[3];\n__global__ void k(int *y) { y[0] = v[2]; }\n", "__device__ int v[2];\n",
			"device variable v is not what ", "Size doesn't match"},
		{"a kernel that starts a kernel", "__global__ void c() {}\n__global__ void k(int *y) {\n  c<<<1, 1>>>();\n}\n", "__device__ float g(float x) { return x; }\n",
			"of CUDA's device runtime, which starts kernels from kernels: cudagen does not link it", "Undefined reference"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"run.cu": test.run, "other.cu": test.other})
			o := gen.Options{Sources: []string{filepath.Join(dir, "run.cu")}, Archs: []string{"compute_75", "sm_80"}, Package: "p", FindCompiler: find}
			sources := []string{filepath.Join(dir, "run.cu")}
			if test.other != "" {
				o.Link = []string{filepath.Join(dir, "other.cu")}
				sources = append(sources, o.Link...)
			}
			_, err := gen.Generate(t.Context(), o)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, diag.Linking, diag.CodeOf(err), err)
			assert.NoFileExists(t, filepath.Join(dir, "run.ptx"))
			log, err := runNVLink(t, "sm_80", filepath.Join(t.TempDir(), "linked.cubin"), sources...)
			require.Error(t, err)
			assert.Contains(t, string(log), test.nvlink)
		})
	}
}

// Every name that is missing is an error, also where one line needs several.
func TestLinkNamesAll(t *testing.T) {
	find := gentest.NVCC(t)
	dir := gentest.Module(t, map[string]string{"run.cu": "extern __device__ float f(float), g(float);\n__global__ void k(float *y) {\n  y[0] = f(y[0]) + g(y[1]) + f(y[2]);\n}\n"})
	_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "run.cu")}, Archs: []string{"compute_75", "sm_90"}, Package: "p", FindCompiler: find})
	var list diag.List
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 2, "%v", list)
	assert.Contains(t, list[0].Message.Error(), "k needs device function f, which is declared here but not defined")
	assert.Contains(t, list[1].Message.Error(), "k needs device function g, which is declared here but not defined")
}

// Initial values that need each other are refused: PTX has no way to write them in one module.
func TestLinkCircle(t *testing.T) {
	const header = "struct Node { Node *next; };\nextern __device__ Node a, b;\n"
	dir := gentest.Module(t, map[string]string{
		"a.cu": header + "__device__ Node a = {&b};\n__global__ void k(int *y) { y[0] = a.next == &b; }\n",
		"b.cu": header + "__device__ Node b = {&a};\n",
	})
	_, err := gen.Generate(t.Context(), gen.Options{
		Sources: []string{filepath.Join(dir, "a.cu")}, Link: []string{filepath.Join(dir, "b.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t),
	})
	assert.ErrorContains(t, err, "a.cu: the initial value of a, which refers to itself through other variables, cannot be linked with -dlink")
}

// What -dlink cannot mean is said before anything is compiled.
func TestLinkOptions(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"run.cu": gentest.PlainSource, "f.h": "", "f.cu": ""})
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, test := range map[string]struct {
		link  []string
		embed string
		want  string
	}{
		"no such file": {[]string{path("gone.cu")}, "", "gone.cu"},
		"a folder":     {[]string{dir}, "", "-dlink: not a file"},
		"a header":     {[]string{path("f.h")}, "", "f.h: -dlink: is not a .cu file"},
		"twice":        {[]string{path("f.cu"), path("f.cu")}, "", "f.cu: -dlink names it twice"},
		"the source":   {[]string{path("f.cu")}, gen.EmbedSource, "-embed source and -dlink"},
	} {
		t.Run(name, func(t *testing.T) {
			o := gen.Options{Sources: []string{path("run.cu")}, Link: test.link, Archs: []string{"compute_75"}, Package: "p", Embed: test.embed}
			o.FindCompiler = func() (compile.Compiler, error) { t.Error("compiles"); return nil, os.ErrInvalid }
			_, err := gen.Generate(t.Context(), o)
			assert.ErrorContains(t, err, test.want)
			_, err = gen.Check(o)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// A variable that is declared extern is one of the file's own without -dlink: the compilers warn, and
// say what to do.
func TestLinkWarns(t *testing.T) {
	for _, name := range []string{"nvcc", "nvrtc"} {
		t.Run(name, func(t *testing.T) {
			testenv.Need(t, testenv.Resource(name))
			dir := gentest.Module(t, map[string]string{"run.cu": "extern __device__ int v;\n__global__ void k(int *y) { y[0] = v; }\n"})
			o := gen.Options{Sources: []string{filepath.Join(dir, "run.cu")}, Archs: []string{"compute_75"}, Package: "p"}
			o.FindCompiler = func() (compile.Compiler, error) { return compile.Find(name, os.Getenv) }
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			require.Len(t, result.Warnings, 1)
			assert.Contains(t, result.Warnings[0].Error(), "; it is not the variable of another file: name the file that defines it with -dlink")
		})
	}
}

// Sources that are linked with each other: a file is not linked with itself.
func TestLinkEachOther(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"a.cu": "extern __device__ float g(float);\n__device__ float f(float x) { return x; }\n__global__ void ka(float *y) { y[0] = g(y[0]); }\n",
		"b.cu": "extern __device__ float f(float);\n__device__ float g(float x) { return x; }\n__global__ void kb(float *y) { y[0] = f(y[0]); }\n",
	})
	paths := []string{filepath.Join(dir, "a.cu"), filepath.Join(dir, "b.cu")}
	result, err := gen.Generate(t.Context(), gen.Options{Sources: paths, Link: paths, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
	require.NoError(t, err)
	require.Len(t, result.Files, 2)
	files := gentest.Snapshot(t, dir)
	assert.NotContains(t, files["a.ptx"], "kb")
	assert.NotContains(t, files["b.ptx"], "ka")
}
