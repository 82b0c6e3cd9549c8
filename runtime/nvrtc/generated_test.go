package nvrtc

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// sourceFiles are files that include each other in every way.
var sourceFiles = map[string]string{
	"k.cu": `#include "cuda_fp16.h"
#include "sub/a.h"
#include <b.h>
namespace { __global__ void hidden(int *x, Step s) { x[0] += s.by; } }
static __global__ void inside(int *x, int n) { x[0] += n; }
template <class T> __global__ void add(T *x, Step s) { x[0] += s.by + FROM_SUB + FROM_INC; }
__global__ void over(int *x, int n) { x[0] += n; }
__global__ void over(int *x, char n) { x[0] += 100 * n; }
extern "C" __global__ void plain(int *x, char c, Step s) { x[0] += s.by; }
__constant__ Step step;
namespace app { namespace { __device__ int counts[3]; } }
__managed__ long long total;
extern "C" __global__ void variables(int *x) { x[0] = step.by; x[1] = app::counts[2]; x[2] = total; }
`,
	"sub/a.h":    "#pragma once\r\n#include \"info.h\"\r\n#include \"../math.h\"\r\n",
	"sub/info.h": "#define FROM_SUB 10\n",
	"math.h":     "struct Step { int by; double scale; };\n", // the toolkit has one of this name
	"inc/b.h":    "#include \"info.h\"\n",
	"inc/info.h": "#define FROM_INC 100\n#include \"../sub/a.h\"\n#include <cooperative_groups.h>\n", // which has an info.h
}

func embedded(files map[string]string) *Source {
	s := &Source{
		Main: "k.cu", Files: fstest.MapFS{}, SHA256: make(map[string]string), IncludeDirs: []string{"inc"}, Std: "c++17", Compiler: "nvcc 13.0.88",
		Kernels:   []string{"&hidden", "&inside", "&add<int>", "static_cast<void (*)(int *, char)>(&over)", "&plain", "&variables"},
		Variables: []SourceVariable{{Address: "&step"}, {Address: "&app::counts"}, {Address: "&total", Managed: true}},
	}
	for name, content := range files {
		s.Files.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(content)}
		sum := sha256.Sum256([]byte(strings.ReplaceAll(content, "\r\n", "\n")))
		s.SHA256[name] = hex.EncodeToString(sum[:])
	}
	return s
}

// embeddedSpecs are the kernels of sourceFiles, with the symbols of nvcc.
func embeddedSpecs() ([]cuda.Spec, []*cuda.Kernel) {
	kernels := make([]*cuda.Kernel, 6)
	pointer, step := cuda.ParamSpec{Size: 8, Align: 8}, cuda.ParamSpec{Offset: 8, Size: 16, Align: 8}
	return []cuda.Spec{
		{Kernel: &kernels[0], Name: "(anonymous namespace)::hidden", Symbol: "_ZN55_GLOBAL__N__0_4_k_cu_cudagen6hiddenEPi4Step", Params: []cuda.ParamSpec{pointer, step}},
		{Kernel: &kernels[1], Name: "inside", Symbol: "_Z6insidePii", Params: []cuda.ParamSpec{pointer, {Offset: 8, Size: 4, Align: 4}}},
		{Kernel: &kernels[2], Name: "add<int>", Symbol: "_Z3addIiEvPT_4Step", Params: []cuda.ParamSpec{pointer, step}},
		{Kernel: &kernels[3], Name: "over", Symbol: "_Z4overPic", Params: []cuda.ParamSpec{pointer, {Offset: 8, Size: 1, Align: 1}}},
		{Kernel: &kernels[4], Name: "plain", Symbol: "plain", Params: []cuda.ParamSpec{pointer, {Offset: 8, Size: 1, Align: 1}, {Offset: 16, Size: 16, Align: 8}}},
		{Kernel: &kernels[5], Name: "variables", Symbol: "variables", Params: []cuda.ParamSpec{pointer}},
	}, kernels
}

// A goStep is a Step of sourceFiles.
type goStep struct {
	by int32
	_  [4]byte
	_  float64 // scale
}

// variables are those of sourceFiles.
type variables struct {
	step   cuda.Symbol[goStep]
	counts cuda.Symbol[[3]int32]
	total  cuda.Symbol[int64]
}

// specs are v's, with the symbols of nvcc.
func (v *variables) specs() []cuda.Spec {
	return []cuda.Spec{
		cuda.Spec{Variable: &v.step, Name: "step", Symbol: "step"},
		cuda.Spec{Variable: &v.counts, Name: "app::(anonymous namespace)::counts", Symbol: "_ZN33_INTERNAL_0_4_k_cu_step3app35_GLOBAL__N__0_4_k_cu_step6countsE"},
		cuda.Spec{Variable: &v.total, Name: "total", Symbol: "total"},
	}
}

func simulator(t *testing.T) *cuda.Device {
	t.Helper()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

func TestLoadEmbeddedSource(t *testing.T) {
	c, dev := newCompiler(t, ""), simulator(t)
	// What lies in the working folder has no say.
	t.Chdir(t.TempDir())
	for _, name := range []string{"cuda_fp16.h", "info.h", "b.h", "math.h"} {
		require.NoError(t, os.WriteFile(name, []byte("#error foreign\n"), 0o644))
	}
	specs, kernels := embeddedSpecs()
	var v variables
	lib, err := c.LoadKernels(dev, embedded(sourceFiles), specs, v.specs()...)
	require.NoError(t, err)
	defer lib.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x, err := cuda.Upload(s, []int32{0})
	require.NoError(t, err)
	defer x.Close()
	params := struct {
		x  uint64
		by int32
		_  [4]byte
		_  float64
	}{x: x.All().Ptr().Address(), by: 1}
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
	for i, want := range []int32{1, 2, 2 + 111, 113 + 100} {
		require.NoError(t, cuda.Generated.Launch(kernels[i], s, &cfg, false, unsafe.Pointer(&params)))
		host := make([]int32, 1)
		require.NoError(t, x.CopyTo(s, host))
		assert.Equal(t, want, host[0], specs[i].Name)
	}

	require.NoError(t, v.step.Set(s, goStep{by: 7}))
	require.NoError(t, v.counts.Set(s, [3]int32{1, 2, 3}))
	require.NoError(t, v.total.Set(s, 40))
	y, err := cuda.Upload(s, make([]int32, 3))
	require.NoError(t, err)
	defer y.Close()
	params.x = y.All().Ptr().Address()
	require.NoError(t, cuda.Generated.Launch(kernels[5], s, &cfg, false, unsafe.Pointer(&params)))
	seen := make([]int32, 3)
	require.NoError(t, y.CopyTo(s, seen))
	assert.Equal(t, []int32{7, 3, 40}, seen)

	// A second load compiles nothing.
	before := c.Stats().Builds
	again, err := c.LoadKernels(dev, embedded(sourceFiles), specs, v.specs()...)
	require.NoError(t, err)
	assert.NoError(t, again.Close())
	assert.Equal(t, before, c.Stats().Builds)
}

// Whatever is not as it was when Go was generated is an error.
func TestEmbeddedSourceIsProved(t *testing.T) {
	c, dev := newCompiler(t, ""), simulator(t)
	for _, test := range []struct {
		name, want string
		change     func(*Source, []cuda.Spec)
		variable   func([]cuda.Spec)
	}{
		{name: "nothing", change: func(*Source, []cuda.Spec) {}},
		{name: "a file", want: "read sub/info.h: its SHA-256 is", change: func(s *Source, _ []cuda.Spec) {
			s.Files.(fstest.MapFS)["sub/info.h"] = &fstest.MapFile{Data: []byte("#define A 11\n")}
		}},
		{name: "a file is missing", want: "inc/b.h", change: func(s *Source, _ []cuda.Spec) { delete(s.Files.(fstest.MapFS), "inc/b.h") }},
		{name: "no main file", want: "not among its own files", change: func(s *Source, _ []cuda.Spec) { s.Main = "other.cu" }},
		{name: "a size", want: "kernel plain: its parameters are not those", change: func(_ *Source, specs []cuda.Spec) { specs[4].Params[2].Size = 24 }},
		{name: "an alignment", want: "kernel plain: its parameters are not those", change: func(_ *Source, specs []cuda.Spec) { specs[4].Params[2].Align = 4 }},
		{name: "a number of parameters", want: "kernel inside: its parameters are not those", change: func(_ *Source, specs []cuda.Spec) { specs[1].Params = specs[1].Params[:1] }},
		{name: "an offset", want: "parameter 2 is at byte 16, at 24 in the Go code", change: func(_ *Source, specs []cuda.Spec) { specs[4].Params[2].Offset = 24 }},
		{name: "a type of the same size", want: "its symbol is _Z6insidePii with NVRTC and _Z6insidePij with nvcc 13.0.88", change: func(_ *Source, specs []cuda.Spec) { specs[1].Symbol = "_Z6insidePij" }},
		{name: "a kernel", want: `identifier "missing" is undefined`, change: func(s *Source, _ []cuda.Spec) { s.Kernels[4] = "&missing" }},
		{name: "a header that NVRTC has not", want: "cannot open source file", change: func(s *Source, _ []cuda.Spec) {
			files := maps.Clone(sourceFiles)
			files["math.h"] = "#include <vector>\n" + files["math.h"]
			*s = *embedded(files)
		}},
		{name: "a variable's size", want: "variable step: it has not the size that the Go code was generated with",
			variable: func(specs []cuda.Spec) {
				specs[0] = cuda.Spec{Variable: new(cuda.Symbol[int64]), Name: "step", Symbol: "step"}
			}},
		{name: "a variable's symbol", want: "load variable step", variable: func(specs []cuda.Spec) { specs[0].Symbol = "_ZL4step" }},
		{name: "a managed variable's symbol", want: "load variable total", variable: func(specs []cuda.Spec) { specs[2].Symbol = "totals" }},
		{name: "a variable", want: `identifier "missing" is undefined`, change: func(s *Source, _ []cuda.Spec) { s.Variables[1].Address = "&missing" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := embedded(sourceFiles)
			specs, _ := embeddedSpecs()
			var v variables
			variableSpecs := v.specs()
			if test.change != nil {
				test.change(source, specs)
			}
			if test.variable != nil {
				test.variable(variableSpecs)
			}
			lib, err := c.LoadKernels(dev, source, specs, variableSpecs...)
			if test.want == "" {
				require.NoError(t, err)
				assert.NoError(t, lib.Close())
				return
			}
			assert.ErrorContains(t, err, test.want)
			assert.Nil(t, lib)
		})
	}
}
