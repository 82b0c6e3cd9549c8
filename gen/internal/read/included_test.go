package read_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

// kernelPlace matches the comment on the type of a kernel in generated code.
var kernelPlace = regexp.MustCompile(`(?m)^// (\w+)Kernel is (.*?\(\w+(?:\.\w+)*:\d+\))`)

// wrapped returns the kernels that generated code has: Go name, C++ name and place.
func wrapped(code string) (list []string) {
	for _, m := range kernelPlace.FindAllStringSubmatch(code, -1) {
		list = append(list, m[1]+" "+m[2])
	}
	return list
}

const kernelHeader = `#pragma once
namespace lib {
// Doc of the header.
__global__ void scale(float *x, float by, int n) { if (threadIdx.x < n) x[threadIdx.x] *= by; }
__global__ void other(int *x) { x[0] = 1; }
template <class T, int N = 4> __global__ void fill(T *x, T value) { for (int i = 0; i < N; i++) x[i] = value; }
template <class T> __global__ void fill2(T *x) { x[0] = 2; }
template __global__ void fill2<char>(char *);
}
extern "C" __global__ void plain(int *x) { x[0] = 1; }
`

// What the main file asks for of included files is wrapped, with the places of the included files.
func TestIncludedKernels(t *testing.T) {
	tests := map[string]struct {
		main string
		all  bool
		want []string
	}{
		"nothing":                       {"__global__ void k(int n) {}", false, []string{"K k (k.cu:2)"}},
		"declared again":                {"namespace lib { __global__ void scale(float *, float, int); }\n__global__ void k(int n) {}", false, []string{"K k (k.cu:3)"}},
		"directive above a declaration": {"namespace lib {\n//cudagen:kernel Doubled\n//cudagen:block 32\n//cudagen:threads n\n__global__ void scale(float *, float, int);\n}", false, []string{"Doubled lib::scale (h.cuh:4)"}},
		"of a C function":               {"//cudagen:len x=1\nextern \"C\" __global__ void plain(int *x);", false, []string{"Plain plain (h.cuh:10)"}},
		"directive above using":         {"//cudagen:block 32\n//cudagen:threads n\nusing lib::scale;", false, []string{"Scale lib::scale (h.cuh:4)"}},
		"instances by using":            {"//cudagen:instantiate T=double\n//cudagen:instantiate <short, 2> Two\nusing lib::fill;", false, []string{"FillDouble4 lib::fill<double, 4> (h.cuh:6)", "Two lib::fill<short, 2> (h.cuh:6)"}},
		"instances by a declaration":    {"namespace lib {\n//cudagen:instantiate T=float,N=3\ntemplate <class T, int N> __global__ void fill(T *x, T value);\n}", false, []string{"FillFloat3 lib::fill<float, 3> (h.cuh:6)"}},
		"explicit instantiation":        {"template __global__ void lib::fill<float>(float *, float);", false, []string{"FillFloat4 lib::fill<float, 4> (h.cuh:6)"}},
		"directives above it":           {"//cudagen:kernel Fill\n//cudagen:block 1\n//cudagen:grid 1\ntemplate __global__ void lib::fill<float, 9>(float *, float);", false, []string{"Fill lib::fill<float, 9> (h.cuh:6)"}},
		"its name":                      {"//cudagen:instantiate Nine\ntemplate __global__ decltype(lib::fill<float, 9>) lib::fill<float, 9>;", false, []string{"Nine lib::fill<float, 9> (h.cuh:6)"}},
		"all":                           {"", true, []string{"Scale lib::scale (h.cuh:4)", "Other lib::other (h.cuh:5)", "Fill2Char lib::fill2<char> (h.cuh:7)", "Plain plain (h.cuh:10)"}},
		"all but ignored":               {"//cudagen:ignore\nusing lib::other;\n//cudagen:ignore\nusing lib::fill2;", true, []string{"Scale lib::scale (h.cuh:4)", "Plain plain (h.cuh:10)"}},
	}
	for _, compiler := range []testenv.Resource{testenv.NVCC, testenv.NVRTC} {
		t.Run(string(compiler), func(t *testing.T) {
			testenv.Need(t, compiler)
			for name, test := range tests {
				if compiler == testenv.NVCC && !test.all && !strings.Contains(test.main, "template") {
					continue // NVRTC is faster, and does the same
				}
				t.Run(name, func(t *testing.T) {
					dir := gentest.Module(t, map[string]string{"k.cu": "#include \"inc/h.cuh\"\n" + test.main + "\n", "inc/h.cuh": kernelHeader})
					o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", Compiler: string(compiler), SourceOptions: gen.SourceOptions{All: test.all}}
					_, err := gen.Generate(t.Context(), o)
					require.NoError(t, err)
					code, err := os.ReadFile(filepath.Join(dir, "k_cuda.go"))
					require.NoError(t, err)
					require.NoError(t, gentest.TypeCheck(t, string(code)))
					assert.Equal(t, test.want, wrapped(string(code)))
					result, err := gen.Check(o)
					require.NoError(t, err)
					assert.True(t, result.OK())
					require.NoError(t, os.WriteFile(filepath.Join(dir, "inc", "h.cuh"), []byte(kernelHeader+"\n"), 0o644))
					result, err = gen.Check(o)
					require.NoError(t, err)
					assert.Contains(t, fmt.Sprint(result.Stale), "h.cuh changed", "the header is an input")
				})
			}
		})
	}
}

// A declaration exports a variable that an included file defines.
func TestIncludedVariables(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	const source = `#include "inc/h.cuh"
//cudagen:export Taps
extern __constant__ float taps[3];
//cudagen:export
using lib::counter;
__global__ void k(float *o) { *o = taps[1] + lib::counter; }
`
	dir := gentest.Module(t, map[string]string{"k.cu": source, "inc/h.cuh": "__constant__ float taps[3];\nnamespace lib { __device__ int counter; }\n"})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", Compiler: string(testenv.NVRTC)}
	for range 2 {
		_, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		code, err := os.ReadFile(filepath.Join(dir, "k_cuda.go"))
		require.NoError(t, err)
		require.NoError(t, gentest.TypeCheck(t, string(code)))
		assert.Contains(t, string(code), "Taps cuda.Symbol[[3]float32]")
		assert.Contains(t, string(code), "Counter cuda.Symbol[int32]")
		o.Embed = gen.EmbedSource
	}
}

// Errors of a kernel in an included file have its place there, and those of directives theirs.
func TestErrorsOfIncludedKernels(t *testing.T) {
	for name, test := range map[string]struct{ header, main, want string }{
		"parameter":    {"struct V { virtual void f(); };\n__global__ void k(int n, V v) {}", "//cudagen:kernel\n__global__ void k(int n, V v);", "inc/h.cuh:2:17: k: parameter 2: layout of V"},
		"directive":    {kernelHeader, "//cudagen:len y=1\nextern \"C\" __global__ void plain(int *x);", "k.cu:2:15: plain: there is no parameter y"},
		"no kernel":    {kernelHeader, "", "k.cu:1:1: there is no kernel (a __global__ function) in this file (put a directive kernel above a declaration of one that an included file defines, or wrap all of them with -all)"},
		"not defined":  {"", "//cudagen:kernel\n__global__ void k(int n);", "k.cu:3:17: k: is declared here but not defined: put the directives above the definition, or include the file that has it"},
		"unknown name": {kernelHeader, "//cudagen:kernel\nusing lib::scales;", "k.cu:2:1: directive kernel is not attached to a declaration"},
		"no header":    {kernelHeader, "#include \"gone.cuh\"\n//cudagen:kernel\ntemplate __global__ void gone<float>(float *);", "k.cu:3:1: directive kernel is not attached to a declaration: put it directly above a kernel (perhaps from \"gone.cuh\", not found: add -I)"},
		"arguments":    {kernelHeader, "//cudagen:block 1\ntemplate __global__ void lib::fill<float>(double *, double);", "k.cu:2:1: fill: the template arguments of the explicit instantiation below are not understood: no template of this name fits"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"k.cu": "#include \"inc/h.cuh\"\n" + test.main + "\n", "inc/h.cuh": test.header})
			reading := gen.NewReader(gen.Options{}).Read(filepath.Join(dir, "k.cu"))
			var texts []string
			for _, e := range reading.Errors {
				texts = append(texts, strings.ReplaceAll(filepath.ToSlash(e.Error()), filepath.ToSlash(dir)+"/", ""))
			}
			assert.Contains(t, strings.Join(texts, "\n"), test.want)
		})
	}
}

// A template that nothing instantiates is a note, unless a directive asks for it or there is
// nothing else.
func TestIdleTemplates(t *testing.T) {
	const note = "k.cu:1:36: k: is a template without instances here, so it is not wrapped: add above it, for each instantiation, a line such as //cudagen:instantiate T=float"
	const template = "template <class T> __global__ void k(T *x) {}\n"
	for name, test := range map[string]struct{ source, note, err string }{
		"beside another":    {template + "__global__ void l(int n) {}", note, ""},
		"alone":             {template, "", "k.cu:1:36: k: is a template: add above it"},
		"with a directive":  {"//cudagen:len x=1\n" + template + "__global__ void l(int n) {}", "", "k.cu:2:36: k: is a template: add above it"},
		"ignored":           {"//cudagen:ignore\n" + template + "__global__ void l(int n) {}", "", ""},
		"instantiated":      {template + "template __global__ void k<int>(int *);", "", ""},
		"launched unclear":  {template + "void f() { k<<<1, 2>>>(g()); }\n__global__ void l(int n) {}", "k.cu:2:12: k: the template arguments of this launch are not known here", ""},
		"elsewhere, unused": {"#include \"h.h\"\n__global__ void l(int n) {}", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"k.cu": test.source + "\n", "h.h": template})
			report := inspect.New(gen.NewReader(gen.Options{}).Read(filepath.Join(dir, "k.cu")), inspect.Options{})
			text := func(list []inspect.Message) string {
				var lines []string
				for _, m := range list {
					m.File = filepath.Base(m.File)
					lines = append(lines, m.String())
				}
				return strings.Join(lines, "\n")
			}
			if test.note == "" {
				assert.Empty(t, report.Notes)
			}
			assert.Contains(t, text(report.Notes), test.note)
			if test.err == "" {
				assert.Empty(t, report.Refused)
			}
			assert.Contains(t, text(report.Refused), test.err)
			assert.Equal(t, test.err == "", report.Accepted)
		})
	}
}

// Small programs in the style of others' are generated unedited, where necessary through a file
// that includes them.
func TestSamples(t *testing.T) {
	testenv.Need(t, testenv.Long, testenv.NVCC)
	for name, want := range map[string][]string{
		"reduction":   {"ReduceFloat256_1 reduce<float, 256u, true> (reduction.cuh:19)", "ReduceInt512_0 reduce<int, 512u, false> (reduction.cuh:19)"},
		"convolution": {"ConvolutionRows convolutionRowsKernel (convolution.cu:21)"},
		"mybodies":    {"IntegrateSingle integrateBodies<float> (bodies.cu:41)", "IntegrateDouble integrateBodies<double> (bodies.cu:41)"},
		"groups":      {"Cgkernel cgkernel (groups.cu:18)"},
		"vectors":     {"VectorAddDouble vectorAdd<double> (vectors.cu:6)", "MatrixMulCUDA16 MatrixMulCUDA<16> (vectors.cu:12)", "MatrixMulCUDA32 MatrixMulCUDA<32> (vectors.cu:12)"},
	} {
		t.Run(name, func(t *testing.T) {
			files := make(map[string]string)
			paths, err := filepath.Glob("testdata/samples/*.cu*")
			require.NoError(t, err)
			for _, path := range paths {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				files[filepath.Base(path)] = string(text)
			}
			dir := gentest.Module(t, files)
			o := gen.Options{Sources: []string{filepath.Join(dir, name+".cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			code := gentest.Snapshot(t, dir)[name+"_cuda.go"]
			require.NoError(t, gentest.TypeCheck(t, code))
			assert.Equal(t, want, wrapped(code))
			if name == "vectors" {
				require.Len(t, result.Notes, 2)
				assert.Contains(t, result.Notes[1].Message.Error(), "the template arguments of this launch are not known here")
			} else {
				assert.Empty(t, result.Notes)
			}
		})
	}
}

// An instance that the source alone selects wrongly is refused by the image: the control of what
// is deduced.
func TestDeducedInstancesAreCompared(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": "template <class T> __global__ void k(T x) {}\nvoid f() { k<<<1, 2>>>(3); }\n"})
	path := filepath.Join(dir, "k.cu")
	ptx := ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry _Z1kIdEvT_(.param .f64 p) { ret; }\n"
	_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(ptx)))
	require.Error(t, err)
	var list diag.List
	if assert.ErrorAs(t, err, &list) {
		assert.Contains(t, list[0].Message.Error(), "k<int>")
	}
}

// Headers in a folder of -I outside of the module are inputs, but for those of CUDA itself.
func TestHeadersOutsideAreInputs(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	const kernel = "extern \"C\" __global__ void k(T x) {}\n"
	put("m/go.mod", "module example.com/m\n\ngo 1.26\n")
	put("m/k.cu", "#include <lib/types.h>\n#include <toolkit.h>\n#include <cub.h>\n#ifdef NEVER\n#include <lib/never.h>\n#endif\n"+kernel)
	put("shared/lib/types.h", "#include \"more.h\"\n")
	put("shared/lib/more.h", "typedef int T;\n")
	put("shared/lib/never.h", "\n")
	put("shared/lib/unused.h", "\n")
	put("cuda/toolkit.h", "\n")
	put("cuda/cccl/cub.h", "\n")
	put("cuda/crt/host_defines.h", "\n")
	path := filepath.Join(root, "m", "k.cu")
	o := gentest.Options(path, gentest.Makes(".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 k_param_0) { ret; }\n"))
	o.Include = []string{filepath.Join(root, "shared"), filepath.Join(root, "cuda"), filepath.Join(root, "cuda", "cccl")}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	r, err := gen.ReadRecord(path)
	require.NoError(t, err)
	var inputs []string
	for _, input := range r.Inputs {
		inputs = append(inputs, input.Path)
	}
	assert.Equal(t, []string{"../shared/lib/more.h", "../shared/lib/never.h", "../shared/lib/types.h", "k.cu"}, inputs)
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, result.OK(), "%+v", result)
	for header, stale := range map[string]bool{"shared/lib/types.h": true, "shared/lib/more.h": true, "shared/lib/unused.h": false, "cuda/toolkit.h": false} {
		was, err := os.ReadFile(filepath.Join(root, header))
		require.NoError(t, err)
		put(header, string(was)+"// changed\n")
		result, err := gen.Check(o)
		require.NoError(t, err)
		assert.Equal(t, stale, !result.OK(), header)
		put(header, string(was))
	}
}

// If the only instantiation of an included template names a type that cudagen does not see, that is said.
func TestUnknownInstanceOfAnIncludedTemplate(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"k.h":  "template <class T> __global__ void k(T x) {}\n",
		"k.cu": "#include \"k.h\"\ntemplate __global__ void k<Gone>(Gone);\n",
	})
	_, err := gen.Generate(t.Context(), gentest.Options(filepath.Join(dir, "k.cu"), gentest.NoCompiler))
	assert.ErrorContains(t, err, "in this file, and line 2 makes none: k: ")
	assert.ErrorContains(t, err, "unknown type Gone")
	assert.NotContains(t, err.Error(), "-all")
	assert.Equal(t, diag.NoKernel, diag.CodeOf(err))
}
