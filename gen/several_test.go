package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
)

const plateHeader = "#pragma once\nstruct Plate { float dt; int n; };\n"

// Sources of one folder make one package, in which a shared struct is declared once.
func TestSeveralSources(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"p/plate.h": plateHeader,
		"p/a.cu":    "#include \"plate.h\"\n__global__ void heat(Plate p, float *x) { x[0] = p.dt; }\n",
		"p/b.cu":    "#include \"plate.h\"\n__global__ void cool(Plate p, float *x) { x[0] = -p.dt; }\n",
		"q/c.cu":    "#include \"../p/plate.h\"\n__global__ void heat(Plate p, float *x) { x[0] = p.dt; }\n",
	})
	var sources []string
	for _, name := range []string{"p/a.cu", "p/b.cu", "q/c.cu"} {
		sources = append(sources, filepath.Join(dir, filepath.FromSlash(name)))
	}
	o := gen.Options{Sources: sources, Archs: []string{"compute_75"}, FindCompiler: gentest.NVCC(t)}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, result.Files, 3)
	assert.Len(t, result.Written, 10)
	p, q := gentest.Snapshot(t, filepath.Join(dir, "p")), gentest.Snapshot(t, filepath.Join(dir, "q"))
	assert.Contains(t, p["cudagen_shared.go"], "type Plate struct")
	assert.NotContains(t, p["a_cuda.go"], "type Plate struct")
	assert.NotContains(t, p["b_cuda.go"], "type Plate struct")
	assert.Contains(t, p["b_cuda.go"], "func (k *CoolKernel) LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, p Plate")
	assert.Contains(t, q["c_cuda.go"], "type Plate struct")
	assert.Contains(t, q["c_cuda.go"], "package q\n")
	assert.Contains(t, q["c.cudagen.json"], `"path": "../p/plate.h"`)

	// Nothing changed: nothing is found, compiled or written.
	o.FindCompiler = gentest.NoCompiler
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Written)
}

// Two files whose names are one Go name cannot be in one package.
func TestSourcesOfOneName(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"my-k.cu": gentest.PlainSource, "my_k.cu": gentest.PlainSource})
	o := gen.Options{Sources: []string{filepath.Join(dir, "my-k.cu"), filepath.Join(dir, "my_k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.Makes(gentest.Plain)}
	_, err := gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "my_k.cu: the Go name MyK is taken by another source")
}

// Types that are not the same have the name of their source in front.
func TestSharedTypesAreTheSame(t *testing.T) {
	for _, test := range []struct{ name, a, b string }{
		{"another member", "struct S { int a; };", "struct S { int a, b; };"},
		{"another name", "struct S { int a; };", "struct S { int b; };"},
		{"another type", "struct S { int a; };", "struct S { unsigned a; };"},
		{"another place", "struct S { char a, b; int c; };", "struct S { char a; alignas(2) char b; int c; };"},
		{"another enumerator", "enum S { x };", "enum S { x, y };"},
		{"another kind", "struct S { int a; };", "enum S { x };"},
		{"unnamed namespaces", "namespace { struct S { int a; }; }", "namespace { struct S { long a; }; }"},
		{"the same", "struct S { struct { int a; } b; };", "struct S { struct { int a; } b; };"},
		{"inside", "struct S { struct { int a; } b; };", "struct S { struct { unsigned a; } b; };"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{
				"a.cu": test.a + "\nextern \"C\" __global__ void a(S s, int *x) { *x = 1; }\n",
				"b.cu": test.b + "\nextern \"C\" __global__ void b(S s, int *x) { *x = 1; }\n",
			})
			o := gen.Options{Sources: []string{filepath.Join(dir, "a.cu"), filepath.Join(dir, "b.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
			_, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			files := gentest.Snapshot(t, dir)
			if test.a == test.b {
				assert.Contains(t, files["cudagen_shared.go"], "type S struct")
				return
			}
			assert.Contains(t, files["a_cuda.go"], "type AS ")
			assert.Contains(t, files["b_cuda.go"], "type BS ")
		})
	}
}

// One error does not hide those of the other sources.
func TestErrorsOfEverySource(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"a.cu": "__global__ void a(foo_t s) {}\n",
		"b.cu": "__global__ void b(bar_t s) {}\n",
		"c.cu": "__global__ void c(int s) {}\n",
	})
	_, err := gen.Generate(t.Context(), gen.Options{
		Sources: []string{filepath.Join(dir, "a.cu"), filepath.Join(dir, "b.cu"), filepath.Join(dir, "c.cu")},
		Archs:   []string{"compute_75"}, FindCompiler: gentest.NoCompiler,
	})
	require.Error(t, err)
	assert.ErrorContains(t, err, "a.cu:1:")
	assert.ErrorContains(t, err, "and 1 more")
}

func TestOutputOptions(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"cu/k.cu": gentest.PlainSource})
	out := filepath.Join(dir, "wrap", "fast_cuda.go")
	require.NoError(t, os.Mkdir(filepath.Dir(out), 0o755))
	o := gen.Options{
		Sources: []string{filepath.Join(dir, "cu", "k.cu")}, Archs: []string{"compute_75"}, FindCompiler: gentest.Makes(gentest.Plain),
		Output: out, Name: "Fast", Tags: "linux && amd64",
	}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, result.Written, 3)
	files := gentest.Snapshot(t, filepath.Dir(out))
	assert.Regexp(t, `^// Code generated by cudagen. DO NOT EDIT\.\n// with the sum [0-9a-f]{32}\n\n//go:build linux && amd64\n\npackage wrap\n`, files["fast_cuda.go"])
	assert.Contains(t, files["fast_cuda.go"], "func LoadFast(dev *cuda.Device) (*Fast, error)")
	assert.Contains(t, files["fast_cuda.go"], "//go:embed fast.ptx\n")
	assert.Contains(t, files["fast.cudagen.json"], `"source": "../cu/k.cu"`)
	o.FindCompiler = gentest.NoCompiler
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Written)

	for _, test := range []struct {
		change func(*gen.Options)
		want   string
	}{
		{func(o *gen.Options) { o.Output = "k.c" }, "-o k.c: is not the name of a Go file"},
		{func(o *gen.Options) { o.Output = "k_test.go" }, "is not the name of a Go file"},
		{func(o *gen.Options) { o.Output = "cudagen_shared.go" }, "types that several .cu files use are written to a file of this name"},
		{func(o *gen.Options) { o.Name = "fast" }, "-name fast: is not an exported Go name"},
		{func(o *gen.Options) { o.Tags = "linux &&" }, "-tags linux &&: "},
		{func(o *gen.Options) { o.Sources = append(o.Sources, o.Sources[0]) }, "-o and -name are for a single source"},
		{func(o *gen.Options) { o.Output, o.Name, o.Sources = "", "", append(o.Sources, o.Sources[0]) }, "have the same output"},
		{func(o *gen.Options) { o.CompilerFlags = []string{"-G", "--options-file=flags"} }, "compiler flag --options-file=flags: changes of the file that it names would not be noticed"},
		{func(o *gen.Options) { o.CompilerFlags = []string{"-optf", "flags"} }, "compiler flag -optf: changes"},
		{func(o *gen.Options) { o.CompilerFlags = []string{"@flags"} }, "compiler flag @flags: changes"},
	} {
		bad := o
		test.change(&bad)
		_, err := gen.Generate(t.Context(), bad)
		assert.ErrorContains(t, err, test.want)
	}
}

// TestTargets: PTX, one fatbin for the machines, each proved.
func TestTargets(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": "namespace { __global__ void inner(int n, float4 v, char *c) { *c = n + v.x; } }\n" + gentest.PlainSource})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75", "sm_80", "native", "sm_89"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.ErrorContains(t, err, "-arch native")
	o.Native = func() ([]string, error) { return []string{"sm_90"}, nil }
	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	files := gentest.Snapshot(t, dir)
	assert.Contains(t, files["k_cuda.go"], `Targets: []string{"sm_80", "sm_90", "sm_89"},`)
	assert.Contains(t, files["k_cuda.go"], "//go:embed k.fatbin\nvar kMachine string\n")
	assert.Contains(t, files["k.ptx"], ".target sm_75")
	assert.Contains(t, files["k.cudagen.json"], `"native"`)

	o.FindCompiler, o.Native = gentest.NoCompiler, nil
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Written)

	// A fatbin that is not the recorded one is stale, and foreign: it is not overwritten.
	fatbin := filepath.Join(dir, "k.fatbin")
	require.NoError(t, os.WriteFile(fatbin, []byte("mine"), 0o644))
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorIs(t, err, gentest.ErrNoCompiler)
	assert.ErrorContains(t, err, "k.fatbin is not the image in k.cudagen.json")
	o.FindCompiler, o.Native = gentest.NVCC(t), func() ([]string, error) { return []string{"sm_90"}, nil }
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "k.fatbin: exists and was not generated by cudagen")
}

// TestInstantiate: instances are compiled in, each once, where the source does not do so.
func TestInstantiate(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": `typedef float real;
namespace a { namespace { struct P { int x; }; }
//cudagen:instantiate T=float
//cudagen:instantiate T=real RealCopy
//cudagen:instantiate T=double
//cudagen:instantiate T=P
template <class T> __global__ void copy(T *to, const T *from, T t) { *to = *from; }
template __global__ void copy<double>(double *, const double *, double);
}
`})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75", "sm_80"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	files := gentest.Snapshot(t, dir)
	for _, want := range []string{"type CopyFloat32Kernel struct", "type RealCopyKernel struct", "type CopyFloat64Kernel struct", "type CopyPKernel struct"} {
		if strings.Contains(want, "CopyFloat") {
			continue
		}
		assert.Contains(t, files["k_cuda.go"], want)
	}
	assert.Equal(t, 1, strings.Count(files["k.ptx"], ".entry _ZN1a4copyIfEEvPT_PKS1_S1_("))
	assert.Equal(t, 1, strings.Count(files["k.ptx"], ".entry _ZN1a4copyIdEEvPT_PKS1_S1_("))

	// What cannot be instantiated is reported where the directive stands.
	require.NoError(t, os.WriteFile(o.Sources[0], []byte("struct N { N(int); };\n\n//cudagen:instantiate T=N\ntemplate <class T> __global__ void make(T *to) { new (to) T; }\n"), 0o644))
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "k.cu:4")
	assert.ErrorContains(t, err, "line 3 of")
}

func TestDepFile(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"a $b/k #1.cu": "#include \"v.h\"\n" + gentest.PlainSource, "a $b/v.h": "\n"})
	t.Chdir(dir)
	o := gen.Options{Sources: []string{"a $b/k #1.cu"}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.Makes(gentest.Plain), DepFile: true}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, result.Written, filepath.FromSlash("a $b/k #1.d"))
	want := `a\ $$b/k\ \#1.ptx a\ $$b/k\ \#1_cuda.go a\ $$b/k\ \#1.cudagen.json: \
  a\ $$b/k\ \#1.cu \
  a\ $$b/v.h

a\ $$b/v.h:
`
	assert.Equal(t, want, gentest.Snapshot(t, filepath.FromSlash("a $b"))["k #1.d"])
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Written)
	require.NoError(t, os.WriteFile(filepath.FromSlash("a $b/k #1.d"), []byte("mine"), 0o644))
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "was not generated by cudagen")
}

// -x shows commands; -n only shows them.
func TestTraceAndDryRun(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": gentest.PlainSource})
	var commands []string
	o := gen.Options{
		Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75", "sm_80"}, Package: "p", FindCompiler: gentest.NVCC(t),
		DryRun: true, Trace: func(command []string) { commands = append(commands, strings.Join(command, " ")) },
	}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Written)
	assert.Len(t, gentest.Snapshot(t, dir), 2)
	assert.GreaterOrEqual(t, len(commands), 2)
	commands, o.DryRun = nil, false
	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(commands), 3)
}

// -I names a folder of the module by a path relative to where cudagen runs; the record
// is the same from everywhere.
func TestIncludeFolders(t *testing.T) {
	var records []string
	for _, where := range []string{".", "k"} {
		dir := gentest.Module(t, map[string]string{
			"include/vec.h": "struct Vec { float x; };\n",
			"k/k.cu":        "#include <vec.h>\nextern \"C\" __global__ void k(Vec v, float *x) { x[0] = v.x; }\n",
		})
		t.Chdir(filepath.Join(dir, where))
		source, include := "k/k.cu", "include"
		if where == "k" {
			source, include = "k.cu", "../include"
		}
		o := gen.Options{Sources: []string{filepath.FromSlash(source)}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
		o.Include = []string{filepath.FromSlash(include)}
		_, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		files := gentest.Snapshot(t, filepath.Join(dir, "k"))
		assert.Contains(t, files["k.cudagen.json"], `"path": "../include/vec.h"`)
		records = append(records, files["k.cudagen.json"])
	}
	assert.Equal(t, records[0], records[1])
}
