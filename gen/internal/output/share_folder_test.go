package output_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/record"
)

// A plainCompiler makes PTX with the parameters that the source itself states.
type plainCompiler struct {
	gentest.Stub
	t testing.TB
}

func (c plainCompiler) Compile(ctx context.Context, r compile.Request) (*compile.Output, error) {
	return gentest.Stub(gentest.PTXOf(c.t, r.Source)).Compile(ctx, r)
}

// generateIn generates sources of a folder in one run and returns what is there then.
func generateIn(t testing.TB, dir string, sources ...string) (map[string]string, error) {
	t.Helper()
	_, err := gen.Generate(t.Context(), folderOptions(t, dir, sources))
	return gentest.Snapshot(t, dir), err
}

func folderOptions(t testing.TB, dir string, sources []string) gen.Options {
	o := gen.Options{Archs: []string{"compute_75"}, Package: "p", FindCompiler: func() (compile.Compiler, error) { return plainCompiler{t: t}, nil }}
	for _, name := range sources {
		name, o.Tags, _ = strings.Cut(name, "@")
		o.Sources = append(o.Sources, filepath.Join(dir, name))
	}
	return o
}

// checkPackage type-checks the Go files among files as one package.
func checkPackage(t testing.TB, files map[string]string) error {
	t.Helper()
	var sources []string
	for name, content := range files {
		if filepath.Ext(name) == ".go" {
			sources = append(sources, content)
		}
	}
	return gentest.TypeCheck(t, sources...)
}

// sharing are sources of a package with structs, unions and enums of every form in common.
var sharing = map[string]string{
	"shape.h": `#pragma once
#include "mode.h"
// Shape has a form.
struct Shape { float x; Mode mode; union { int i; float f; } v; struct { short a, b; } at[2]; };
struct __attribute__((packed)) Wire { char tag; int length; };
struct Flags { unsigned a : 3; unsigned b : 7; };
`,
	"mode.h": "#pragma once\nenum class Mode : unsigned char { fast, exact };\n",
	"a.cu":   "#include \"shape.h\"\nstruct Own { int x; };\nstruct Twice { int n; float4 v; };\nextern \"C\" __global__ void a(Shape s, Own o, Twice t, const Wire *w) {}\n",
	"b.cu":   "#include \"shape.h\"\nextern \"C\" __global__ void b(Wire *w, Shape *s, Flags f) {}\n",
	"c.cu":   "#include \"mode.h\"\n\nstruct Twice { int n; float4 v; };\nextern \"C\" __global__ void c(Mode m, Twice *t) {}\n",
	"d.cu":   "extern \"C\" __global__ void d(int n) {}\n",
}

// copyOf returns a copy of files.
func copyOf(files map[string]string) map[string]string {
	c := make(map[string]string, len(files))
	for name, content := range files {
		c[name] = content
	}
	return c
}

// What is generated depends neither on the order of the sources nor on how many runs
// generate them, nor on which came first.
func TestSharedTypesDependOnNoOrder(t *testing.T) {
	together := func(t *testing.T, sources ...string) map[string]string {
		files, err := generateIn(t, gentest.Module(t, copyOf(sharing)), sources...)
		require.NoError(t, err)
		return files
	}
	want := together(t, "a.cu", "b.cu", "c.cu", "d.cu")
	require.NoError(t, checkPackage(t, want))
	shared := want["cudagen_shared.go"]
	for _, name := range []string{"Shape", "ShapeAt", "ShapeV", "Wire", "Mode", "Twice"} {
		assert.Contains(t, shared, "\ntype "+name+" ")
	}
	assert.NotContains(t, shared, "type Own ")
	assert.Contains(t, want["a_cuda.go"], "type Own struct")
	assert.NotContains(t, shared, "type Flags ", "only b.cu uses it")
	assert.Contains(t, shared, "// Twice is struct Twice (a.cu:3): 32 bytes.")
	assert.Contains(t, shared, "(unsafe.Sizeof(Twice{})-32)")

	orders := [][]string{{"d.cu", "c.cu", "b.cu", "a.cu"}, {"b.cu", "d.cu", "a.cu", "c.cu"}}
	for _, order := range orders {
		assert.Equal(t, want, together(t, order...), "%v in one run", order)
	}
	for _, order := range append(orders, []string{"a.cu", "b.cu", "c.cu", "d.cu"}) {
		dir := gentest.Module(t, copyOf(sharing))
		for _, name := range order {
			files, err := generateIn(t, dir, name)
			require.NoError(t, err)
			assert.NoError(t, checkPackage(t, files), "after %s of %v", name, order)
		}
		assert.Equal(t, want, gentest.Snapshot(t, dir), "%v in runs of their own", order)
		for _, name := range order {
			result, err := gen.Check(folderOptions(t, dir, []string{name}))
			require.NoError(t, err)
			assert.True(t, result.OK(), "%s: %+v", name, result)
		}
	}
}

// A source that is deleted hands on what it shared, whoever is generated next.
func TestSharedTypesOutliveTheirSources(t *testing.T) {
	for _, gone := range []string{"a.cu", "b.cu", "c.cu"} {
		left := slices.DeleteFunc([]string{"a.cu", "b.cu", "c.cu"}, func(name string) bool { return name == gone })
		files := copyOf(sharing)
		delete(files, gone)
		want, err := generateIn(t, gentest.Module(t, files), left...)
		require.NoError(t, err)

		dir := gentest.Module(t, copyOf(sharing))
		_, err = generateIn(t, dir, "a.cu", "b.cu", "c.cu")
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(dir, gone)))
		for _, name := range []string{left[1], left[0]} {
			files, err := generateIn(t, dir, name)
			require.NoError(t, err)
			assert.NoError(t, checkPackage(t, files), "%s is gone, %s generated", gone, name)
		}
		assert.Equal(t, want, gentest.Snapshot(t, dir), "without %s", gone)
	}
}

// A type that one source stops using goes back into the file of the other.
func TestSharedTypesGoBack(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"s.h":  "struct S { int x; };\n",
		"a.cu": "#include \"s.h\"\nextern \"C\" __global__ void a(S s) {}\n", "b.cu": "#include \"s.h\"\nextern \"C\" __global__ void b(S s) {}\n",
	})
	first, err := generateIn(t, dir, "b.cu")
	require.NoError(t, err)
	_, err = generateIn(t, dir, "a.cu")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "cudagen_shared.go"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.cu"), []byte("extern \"C\" __global__ void a(int s) {}\n"), 0o644))
	files, err := generateIn(t, dir, "a.cu")
	require.NoError(t, err)
	require.NoError(t, checkPackage(t, files))
	result, err := gen.Check(folderOptions(t, dir, []string{"b.cu"}))
	require.NoError(t, err)
	require.Len(t, result.Left, 1)
	assert.Equal(t, filepath.Join(dir, "cudagen_shared.go"), result.Left[0].Path)
	files, err = generateIn(t, dir, "b.cu")
	require.NoError(t, err)
	assert.NotContains(t, files, "cudagen_shared.go")
	assert.Equal(t, first["b_cuda.go"], files["b_cuda.go"])
}

// Names in the package that two sources want have that of the source in front, in one run and in two, in
// whatever order. Names that directives give are errors that name both.
func TestContestedNames(t *testing.T) {
	for _, test := range []struct {
		name, a, b string // b may end in @ and a build constraint, as a may
		want       string // names that the package declares
		not        string // and not
		err        string
	}{
		{"kernels", "extern \"C\" __global__ void step1(int n) {}", "extern \"C\" __global__ void step1(float n) {}",
			"AStep1Kernel AStep1Args AStep1Call aStep1Params BStep1Kernel BStep1Args BStep1Call bStep1Params", "Step1Kernel", ""},
		{"one of several", "extern \"C\" __global__ void step1(int n) {}\nextern \"C\" __global__ void other(int n) {}", "extern \"C\" __global__ void step1(float n) {}",
			"AStep1Kernel BStep1Kernel OtherKernel", "Step1Kernel AOtherKernel", ""},
		{"a kernel and a struct", "struct StepArgs { int x; };\nextern \"C\" __global__ void a(StepArgs s) {}", "extern \"C\" __global__ void step(int n) {}", "AStepArgs BStepArgs BStepKernel", "StepArgs StepKernel", ""},
		{"a struct and a kernel", "extern \"C\" __global__ void step(int n) {}", "struct StepArgs { int x; };\nextern \"C\" __global__ void a(StepArgs s) {}", "AStepArgs BStepArgs AStepCall", "StepArgs StepCall", ""},
		{"constants", "//cudagen:export\n#define N 3\nextern \"C\" __global__ void a(int n) {}", "//cudagen:export\n#define N 4\nextern \"C\" __global__ void b(int n) {}", "AN BN", "N", ""},
		{"sizes", "struct S { int a; };\nextern \"C\" __global__ void a(S s) {}", "struct S { int a, b; };\nextern \"C\" __global__ void b(S s) {}", "AS BS", "S", ""},
		{"types of a member", "struct S { int a; };\nextern \"C\" __global__ void a(S s) {}", "struct S { unsigned a; };\nextern \"C\" __global__ void b(S s) {}", "AS BS", "S", ""},
		{"a type in a type", "struct I { int a; };\nstruct S { I i; };\nextern \"C\" __global__ void a(S s) {}", "struct I { float a; };\nstruct S { I i; };\nextern \"C\" __global__ void b(S s) {}", "AS BS AI BI", "S I", ""},
		{"types of two namespaces", "namespace a { struct S { int a; }; }\nextern \"C\" __global__ void a(a::S s) {}", "namespace b { struct S { int a; }; }\nextern \"C\" __global__ void b(b::S s) {}", "AS BS", "S", ""},
		{"constants of an enum", "enum S { x };\nextern \"C\" __global__ void a(S s) {}", "enum S { x = 2 };\nextern \"C\" __global__ void b(S s) {}", "AS BS ASX BSX", "S SX", ""},
		{"one type", "struct S { int a; };\nextern \"C\" __global__ void a(S s) {}", "struct S { int a; };\nextern \"C\" __global__ void b(S s) {}", "S", "AS BS", ""},
		{"other builds", "extern \"C\" __global__ void step1(int n) {}@linux", "extern \"C\" __global__ void step1(float n) {}@windows", "Step1Kernel", "AStep1Kernel", ""},
		{"builds that may be one", "extern \"C\" __global__ void step1(int n) {}@linux", "extern \"C\" __global__ void step1(float n) {}@amd64", "AStep1Kernel BStep1Kernel", "Step1Kernel", ""},
		{"a name from a directive", "extern \"C\" __global__ void step1(int n) {}", "//cudagen:kernel Other\nextern \"C\" __global__ void step1(float n) {}", "Step1Kernel OtherKernel", "AStep1Kernel", ""},
		{"a type with a name from a directive", "struct S { int a; };\nextern \"C\" __global__ void a(S s) {}", "//cudagen:export S\nstruct T { int b; };\nextern \"C\" __global__ void b(T s) {}", "AS S", "", ""},
		{"constants with names from directives", "//cudagen:export N\n#define M 3\nextern \"C\" __global__ void a(int n) {}", "//cudagen:export N\n#define O 4\nextern \"C\" __global__ void b(int n) {}", "", "",
			"b.cu:1:1: O: the Go name N is taken by N ("},
		{"types with names from directives", "//cudagen:export S\nstruct T { int a; };\nextern \"C\" __global__ void a(T s) {}", "//cudagen:export S\nstruct U { int b; };\nextern \"C\" __global__ void b(U s) {}", "", "",
			"b.cu:2:8: U is another type in "},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, tagsA, constrained := strings.Cut(test.a, "@")
			b, tagsB, _ := strings.Cut(test.b, "@")
			files := map[string]string{"a.cu": a + "\n", "b.cu": b + "\n"}
			runs := [][]string{{"a.cu@" + tagsA, "b.cu@" + tagsB}, {"b.cu@" + tagsB, "a.cu@" + tagsA}}
			var want map[string]string
			if !constrained {
				var err error
				dir := gentest.Module(t, copyOf(files))
				if want, err = generateIn(t, dir, "b.cu", "a.cu"); test.err != "" {
					assert.ErrorContains(t, err, test.err)
					assert.Len(t, gentest.Snapshot(t, dir), 3, "nothing is written")
					return
				}
				require.NoError(t, err)
				require.NoError(t, checkPackage(t, want))
			}
			for _, run := range runs {
				dir := gentest.Module(t, copyOf(files))
				for _, name := range run {
					_, err := generateIn(t, dir, name)
					require.NoError(t, err)
				}
				if got := gentest.Snapshot(t, dir); want == nil {
					want = got
				} else {
					assert.Equal(t, want, got, "%v", run)
				}
			}
			declared := ""
			for name, content := range want {
				if strings.HasSuffix(name, ".go") {
					declared += content
				}
			}
			for _, name := range strings.Fields(test.want) {
				assert.Regexp(t, `(?m)^(type |const |\t)`+name+`\b`, declared)
			}
			for _, name := range strings.Fields(test.not) {
				assert.NotRegexp(t, `(?m)^(type|const) `+name+`\b`, declared)
			}
		})
	}
}

// A name that nobody contests any more loses what is in front of it, also in the other source. An older
// record does not say what its source has: then both are to be generated in one run.
func TestContestsEnd(t *testing.T) {
	files := map[string]string{"a.cu": kernelOf("step", "int n"), "b.cu": kernelOf("step", "float n")}
	dir := gentest.Module(t, copyOf(files))
	_, err := generateIn(t, dir, "a.cu", "b.cu")
	require.NoError(t, err)
	files["b.cu"] = kernelOf("other", "float n")
	want, err := generateIn(t, gentest.Module(t, copyOf(files)), "a.cu", "b.cu")
	require.NoError(t, err)
	writeIn(t, dir, "b.cu", files["b.cu"])
	got, err := generateIn(t, dir, "b.cu")
	require.NoError(t, err)
	assert.Equal(t, want, got)
	result, err := gen.Check(folderOptions(t, dir, []string{"a.cu", "b.cu"}))
	require.NoError(t, err)
	assert.True(t, result.OK(), "%+v", result)

	// The note.
	writeIn(t, dir, "b.cu", kernelOf("step", "float n"))
	o := folderOptions(t, dir, []string{"b.cu"})
	generated, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.ErrorContains(t, generated.Notes.Err(), "a.cu: is generated again, because its Go names depend on those of ")

	// A record of an older version.
	dir = gentest.Module(t, map[string]string{"a.cu": kernelOf("step", "int n"), "b.cu": kernelOf("step", "float n")})
	_, err = generateIn(t, dir, "a.cu")
	require.NoError(t, err)
	path := filepath.Join(dir, "a.cudagen.json")
	r, err := record.Read(path)
	require.NoError(t, err)
	r.Kernels[0].GoName = ""
	require.NoError(t, os.WriteFile(path, r.Encode(), 0o644))
	_, err = gen.Generate(t.Context(), folderOptions(t, dir, []string{"b.cu"}))
	assert.ErrorContains(t, err, "depend on those in this file: generate both in one run, with the flags of both: cudagen ")
}

// A file's name, and how its path is written, make no difference.
func TestSharedTypesOfAwkwardPaths(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"k (1).cu": "struct S { int x; };\nextern \"C\" __global__ void a(S s) {}\n",
		"b.cu":     "namespace { struct T { int y; }; }\nstruct S { int x; };\nextern \"C\" __global__ void b(S s, T t) {}\n",
		"c.cu":     "namespace { struct T { int y; }; }\nextern \"C\" __global__ void c(T t) {}\n",
	})
	t.Chdir(t.TempDir()) // which is on the drive of dir
	here, err := os.Getwd()
	require.NoError(t, err)
	relative, err := filepath.Rel(here, dir)
	require.NoError(t, err)
	o := folderOptions(t, relative, []string{"k (1).cu", "c.cu"})
	o.Sources = append(o.Sources, filepath.Join(dir, "b.cu"))
	for range 2 {
		_, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		files := gentest.Snapshot(t, dir)
		require.NoError(t, checkPackage(t, files))
		assert.Contains(t, files["cudagen_shared.go"], "type S struct")
		assert.Contains(t, files["cudagen_shared.go"], "type T struct")
	}
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, result.OK(), "%+v", result)
	require.NoError(t, os.Rename(filepath.Join(dir, "b.cu"), filepath.Join(dir, "d.cu")))
	o.Sources = []string{filepath.Join(relative, "c.cu"), filepath.Join(dir, "d.cu")}
	generated, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, generated.Removed, 3)
	require.NoError(t, checkPackage(t, gentest.Snapshot(t, dir)))
}

// A Go file from which a type was moved is what is generated without it, imports included.
func TestMovedTypesLeaveNothing(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"a.cu": "enum class E : short { X };\nextern \"C\" __global__ void a() {}\n//cudagen:export\nstruct S { float x; };\n",
		"b.cu": "\nextern \"C\" __global__ void b() {}\n//cudagen:export\nstruct S { float x; };\n",
	})
	want, err := generateIn(t, dir, "a.cu", "b.cu")
	require.NoError(t, err)
	for _, name := range []string{"a_cuda.go", "cudagen_shared.go"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	for _, name := range []string{"b.cu", "a.cu"} {
		_, err = generateIn(t, dir, name)
		require.NoError(t, err)
	}
	assert.Equal(t, want, gentest.Snapshot(t, dir))
	require.NoError(t, checkPackage(t, want))
}
