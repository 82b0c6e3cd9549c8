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
template <class T> __global__ void add(T *x, Step s) { x[0] += s.by + A + B; }
__global__ void over(int *x, int n) { x[0] += n; }
__global__ void over(int *x, char n) { x[0] += 100 * n; }
extern "C" __global__ void plain(int *x, char c, Step s) { x[0] += s.by; }
`,
	"sub/a.h":    "#pragma once\r\n#include \"info.h\"\r\n#include \"../math.h\"\r\n",
	"sub/info.h": "#define A 10\n",
	"math.h":     "struct Step { int by; double scale; };\n", // the toolkit has one of this name
	"inc/b.h":    "#include \"info.h\"\n",
	"inc/info.h": "#define B 100\n#include \"../sub/a.h\"\n#include <cooperative_groups.h>\n", // which has an info.h
}

func embedded(files map[string]string) *Source {
	s := &Source{
		Main: "k.cu", Files: fstest.MapFS{}, SHA256: make(map[string]string), IncludeDirs: []string{"inc"}, Std: "c++17", Compiler: "nvcc 13.0.88",
		Kernels: []string{"&hidden", "&inside", "&add<int>", "static_cast<void (*)(int *, char)>(&over)", "&plain"},
	}
	for name, content := range files {
		s.Files.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(content)}
		sum := sha256.Sum256([]byte(strings.ReplaceAll(content, "\r\n", "\n")))
		s.SHA256[name] = hex.EncodeToString(sum[:])
	}
	return s
}

// embeddedSpecs are the kernels of sourceFiles, with the symbols of nvcc.
func embeddedSpecs() ([]cuda.KernelSpec, []*cuda.Kernel) {
	kernels := make([]*cuda.Kernel, 5)
	pointer, step := cuda.ParamSpec{Size: 8, Align: 8}, cuda.ParamSpec{Offset: 8, Size: 16, Align: 8}
	return []cuda.KernelSpec{
		{Kernel: &kernels[0], Name: "(anonymous namespace)::hidden", Symbol: "_ZN55_GLOBAL__N__0_4_k_cu_cudagen6hiddenEPi4Step", Params: []cuda.ParamSpec{pointer, step}},
		{Kernel: &kernels[1], Name: "inside", Symbol: "_Z6insidePii", Params: []cuda.ParamSpec{pointer, {Offset: 8, Size: 4, Align: 4}}},
		{Kernel: &kernels[2], Name: "add<int>", Symbol: "_Z3addIiEvPT_4Step", Params: []cuda.ParamSpec{pointer, step}},
		{Kernel: &kernels[3], Name: "over", Symbol: "_Z4overPic", Params: []cuda.ParamSpec{pointer, {Offset: 8, Size: 1, Align: 1}}},
		{Kernel: &kernels[4], Name: "plain", Symbol: "plain", Params: []cuda.ParamSpec{pointer, {Offset: 8, Size: 1, Align: 1}, {Offset: 16, Size: 16, Align: 8}}},
	}, kernels
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
	lib, err := c.LoadKernels(dev, embedded(sourceFiles), specs)
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
		require.NoError(t, cuda.LaunchKernel(kernels[i], s, &cfg, unsafe.Pointer(&params)))
		host := make([]int32, 1)
		require.NoError(t, x.CopyTo(s, host))
		assert.Equal(t, want, host[0], specs[i].Name)
	}

	// A second load compiles nothing.
	before := c.Stats().Builds
	again, err := c.LoadKernels(dev, embedded(sourceFiles), specs)
	require.NoError(t, err)
	assert.NoError(t, again.Close())
	assert.Equal(t, before, c.Stats().Builds)
}

// Whatever is not as it was when Go was generated is an error.
func TestEmbeddedSourceIsProved(t *testing.T) {
	c, dev := newCompiler(t, ""), simulator(t)
	for _, test := range []struct {
		name, want string
		change     func(*Source, []cuda.KernelSpec)
	}{
		{"nothing", "", func(*Source, []cuda.KernelSpec) {}},
		{"a file", "read sub/info.h: its SHA-256 is", func(s *Source, _ []cuda.KernelSpec) {
			s.Files.(fstest.MapFS)["sub/info.h"] = &fstest.MapFile{Data: []byte("#define A 11\n")}
		}},
		{"a file is missing", "inc/b.h", func(s *Source, _ []cuda.KernelSpec) { delete(s.Files.(fstest.MapFS), "inc/b.h") }},
		{"no main file", "not among its own files", func(s *Source, _ []cuda.KernelSpec) { s.Main = "other.cu" }},
		{"a size", "kernel plain: its parameters are not those", func(_ *Source, specs []cuda.KernelSpec) { specs[4].Params[2].Size = 24 }},
		{"an alignment", "kernel plain: its parameters are not those", func(_ *Source, specs []cuda.KernelSpec) { specs[4].Params[2].Align = 4 }},
		{"a number of parameters", "kernel inside: its parameters are not those", func(_ *Source, specs []cuda.KernelSpec) { specs[1].Params = specs[1].Params[:1] }},
		{"an offset", "parameter 2 is at byte 16, in the Go code at 24", func(_ *Source, specs []cuda.KernelSpec) { specs[4].Params[2].Offset = 24 }},
		{"a type of the same size", "its symbol is _Z6insidePii with NVRTC and _Z6insidePij with nvcc 13.0.88", func(_ *Source, specs []cuda.KernelSpec) { specs[1].Symbol = "_Z6insidePij" }},
		{"a kernel", `identifier "missing" is undefined`, func(s *Source, _ []cuda.KernelSpec) { s.Kernels[4] = "&missing" }},
		{"a header that NVRTC has not", "cannot open source file", func(s *Source, _ []cuda.KernelSpec) {
			files := maps.Clone(sourceFiles)
			files["math.h"] = "#include <vector>\n" + files["math.h"]
			*s = *embedded(files)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := embedded(sourceFiles)
			specs, _ := embeddedSpecs()
			test.change(source, specs)
			lib, err := c.LoadKernels(dev, source, specs)
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
