package bind_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// selected returns what is selected of text, which is the file called name in dir.
func selected(t *testing.T, dir, name, text string) *selection.Selection {
	t.Helper()
	path := filepath.Join(dir, name)
	config := cu.Config{SizeOf: layout.Of, OffsetOf: layout.Offset}
	file, err := config.ParseFile(path, []byte(text))
	require.NoError(t, err)
	places, err := source.Places([]string{path}, "")
	require.NoError(t, err)
	s, err := read.Read(read.Source{Place: places[0], File: file}, read.Options{})
	require.NoError(t, err)
	return s
}

// compiled returns s as if it were compiled: each symbol is the C++ name.
func compiled(s *selection.Selection) bind.Source {
	c := &bind.Compiled{Images: []model.Image{{File: "k.ptx"}}}
	for _, k := range s.Kernels {
		c.KernelSymbols = append(c.KernelSymbols, k.QualifiedName())
	}
	for _, v := range s.Variables {
		c.VariableSymbols = append(c.VariableSymbols, v.QualifiedName())
	}
	return bind.Source{Selection: s, Compiled: c}
}

func TestBind(t *testing.T) {
	for _, test := range []struct {
		name, source                                 string
		kernels, structs, enums, variables, constant []string // Go names
		err                                          string
	}{
		{name: "plain", source: "__global__ void scale_all(int n) {}\n", kernels: []string{"ScaleAll"}},
		{name: "given", source: "//cudagen:kernel Do\n__global__ void scale(int n) {}\n", kernels: []string{"Do"}},
		{name: "a given one comes first", source: "//cudagen:kernel\n__global__ void scale(int n) {}\n//cudagen:kernel Scale\n__global__ void other(int n) {}\n", kernels: []string{"X_scale", "Scale"}},
		{name: "given twice", source: "//cudagen:kernel Do\n__global__ void a(int n) {}\n//cudagen:kernel Do\n__global__ void b(int n) {}\n", err: "b: the Go name Do is taken already"},
		{name: "a namespace", source: "__global__ void k(int n) {}\nnamespace deep { __global__ void k(int n) {} }\n", kernels: []string{"X_k", "DeepK"}},
		{name: "overloads", source: "__global__ void k(int n, float *x) {}\n__global__ void k(int n, double *x) {}\n", kernels: []string{"KIntFloatPtr", "KIntDoublePtr"}},
		{name: "an instance", source: "//cudagen:instantiate T=float,N=4\ntemplate <class T, int N> __global__ void k(T *x) {}\n", kernels: []string{"KFloat4"}},
		{name: "types, inner first", source: "enum class Mode { fast };\nstruct In { Mode m; };\nstruct Out { In in[2]; };\n__global__ void k(Out *o) {}\n",
			kernels: []string{"K"}, structs: []string{"In", "Out"}, enums: []string{"Mode"}},
		{name: "a type named like a kernel's", source: "struct KKernel { int x; };\n__global__ void k(KKernel o) {}\n", kernels: []string{"K"}, structs: []string{"X_KKernel"}},
		{name: "exports", source: "//cudagen:export Taps\n__constant__ float t[4];\n//cudagen:export Tile\n#define TILE 8\n//cudagen:export Pair\nstruct P { int x; };\n__global__ void k(int n) {}\n",
			kernels: []string{"K"}, structs: []string{"Pair"}, variables: []string{"Taps"}, constant: []string{"Tile"}},
		{name: "not exported", source: "//cudagen:export pair\nstruct P { int x; };\n__global__ void k(int n) {}\n", err: "pair is not an exported Go name"},
		{name: "a mapped type that nothing uses", source: "//cudagen:type P=image.Point\nstruct P { long x, y; };\n__global__ void k(int n) {}\n", err: "no kernel that is generated uses a struct P"},
		{name: "a mapped type", source: "//cudagen:type P=image.Point\nstruct P { long x, y; };\n__global__ void k(P p) {}\n", kernels: []string{"K"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := selected(t, t.TempDir(), "k.cu", test.source)
			var packages bind.Packages
			bound, err := packages.Bind(compiled(s), bind.Options{Package: "p"})
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
			} else {
				require.NoError(t, err)
				m := bound.Model
				assert.Equal(t, "p", m.Package)
				assert.Equal(t, test.kernels, goNames(m.Kernels, func(k model.Kernel) string { return k.GoName }))
				assert.Equal(t, test.structs, goNames(m.Structs, func(s model.Struct) string { return s.GoName }))
				assert.Equal(t, test.enums, goNames(m.Enums, func(e model.Enum) string { return e.GoName }))
				assert.Equal(t, test.variables, goNames(m.Variables, func(v model.Variable) string { return v.GoName }))
				assert.Equal(t, test.constant, goNames(m.Constants, func(c model.Constant) string { return c.GoName }))
				for i, k := range m.Kernels {
					assert.Equal(t, s.Kernels[i].QualifiedName(), k.Symbol)
				}
				for _, one := range m.Structs {
					assert.NotNil(t, bound.Origins[one.GoName].Type, one.GoName)
				}
			}

			// Where only the source is known, the names are the same.
			packages = bind.Packages{}
			outline, err := packages.Bind(bind.Source{Selection: s}, bind.Options{})
			assert.Equal(t, test.err != "", err != nil)
			require.NotNil(t, outline.Outline)
			assert.Nil(t, outline.Model)
			for i, name := range test.kernels {
				selected := outline.Outline.Kernels[s.Kernels[i].Origin]
				assert.Equal(t, name, selected.Model.GoName)
				assert.Empty(t, selected.Model.Symbol)
			}
		})
	}
}

func goNames[T any](list []T, name func(T) string) (names []string) {
	for _, one := range list {
		names = append(names, name(one))
	}
	return names
}

// The names of a source do not depend on what was bound before.
func TestBindPackage(t *testing.T) {
	dir := t.TempDir()
	a := selected(t, dir, "a.cu", "struct S { int x; };\n__global__ void k(S s) {}\n")
	for _, test := range []struct {
		name, dir, file, source string
		structs, kernels        []string
	}{
		{"the same type", dir, "b.cu", "struct S { int x; };\n__global__ void l(S s) {}\n", []string{"S"}, []string{"L"}},
		{"another type", dir, "b.cu", "struct S { long x; };\n__global__ void l(S s) {}\n", []string{"S"}, []string{"L"}},
		{"another folder", t.TempDir(), "b.cu", "struct S { long x; };\n__global__ void l(S s) {}\n", []string{"S"}, []string{"L"}},
		{"the same kernel", dir, "b.cu", "__global__ void k(int n) {}\n", nil, []string{"K"}},
		{"the same file name", dir, "A.cu", "__global__ void l(int n) {}\n", nil, []string{"L"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var packages bind.Packages
			_, err := packages.Bind(compiled(a), bind.Options{Package: "p"})
			require.NoError(t, err)
			bound, err := packages.Bind(compiled(selected(t, test.dir, test.file, test.source)), bind.Options{Package: "p"})
			require.NoError(t, err)
			assert.Equal(t, test.structs, goNames(bound.Model.Structs, func(s model.Struct) string { return s.GoName }))
			assert.Equal(t, test.kernels, goNames(bound.Model.Kernels, func(k model.Kernel) string { return k.GoName }))
		})
	}
}

func TestBindOptions(t *testing.T) {
	for _, test := range []struct {
		options       bind.Options
		goName, pkg   string
		err           string
		folder, files string // of the source
	}{
		{options: bind.Options{}, goName: "MyKernels", pkg: "blur", folder: "blur"},
		{options: bind.Options{Package: "p", Name: "Given"}, goName: "Given", pkg: "p", folder: "blur"},
		{options: bind.Options{Package: "p", Name: "given"}, err: "-name given: is not an exported Go name", folder: "blur"},
		{options: bind.Options{Package: "1"}, err: "-pkg 1: is not a Go package name", folder: "blur"},
		{options: bind.Options{Package: "p", Tags: "a &&"}, err: "-tags a &&", folder: "blur"},
	} {
		t.Run(test.goName+test.err, func(t *testing.T) {
			s := selected(t, filepath.Join(t.TempDir(), test.folder), "my_kernels.cu", "__global__ void k(int n) {}\n")
			var packages bind.Packages
			bound, err := packages.Bind(compiled(s), test.options)
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
				if test.options.Package == "1" {
					assert.Equal(t, diag.PackageName, diag.CodeOf(err))
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.goName, bound.Model.GoName)
			assert.Equal(t, test.pkg, bound.Model.Package)
		})
	}
}

// The package is that of the Go files beside the source. Tests count if there is nothing else, and the
// output itself does not.
func TestPackageOfFolder(t *testing.T) {
	for _, test := range []struct {
		name      string
		files     map[string]string
		pkg, fail string
	}{
		{"none", nil, "blur", ""},
		{"another name", map[string]string{"a.go": "package painting\n", "a_test.go": "package painting_test\n"}, "painting", ""},
		{"tests alone", map[string]string{"a_test.go": "package painting_test\n", "b_test.go": "package painting\n"}, "painting", ""},
		{"tests and the output", map[string]string{"a_test.go": "package painting_test\n", "my_kernels_cuda.go": "package painting\n"}, "painting", ""},
		{"two", map[string]string{"a.go": "package a\n", "b.go": "package b\n"}, "", "the Go files beside it are of packages a and b: choose one with -pkg"},
		{"a program that go generate runs", map[string]string{"a.go": "package painting\n", "gen.go": "//go:build ignore\n\npackage main\n"}, "painting", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "blur")
			s := selected(t, dir, "my_kernels.cu", "__global__ void k(int n) {}\n")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			for name, text := range test.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			var packages bind.Packages
			bound, err := packages.Bind(compiled(s), bind.Options{})
			if test.fail != "" {
				assert.ErrorContains(t, err, test.fail)
				file, m := diag.FileOf(err)
				assert.Equal(t, "my_kernels.cu", filepath.Base(file))
				assert.Equal(t, diag.Do("choose one with -pkg"), m.Remedy)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.pkg, bound.Model.Package)
		})
	}
}

// What depends on a kernel that the source does not tell has no name yet.
func TestOutlineOfUnclearKernels(t *testing.T) {
	s := selected(t, t.TempDir(), "k.cu", "__global__ void k(Strange s) {}\n__global__ void k(int n) {}\n__global__ void l(int n) {}\n")
	var packages bind.Packages
	bound, err := packages.Bind(bind.Source{Selection: s}, bind.Options{})
	require.NoError(t, err)
	kernels := bound.Outline.Kernels
	unclear := kernels[s.File.Kernels[0]]
	assert.True(t, unclear.Unclear)
	assert.Nil(t, unclear.Model)
	assert.NotEmpty(t, unclear.Errors)
	assert.Empty(t, kernels[s.File.Kernels[1]].Model.GoName, "it says how the overloads differ")
	assert.Equal(t, "L", kernels[s.File.Kernels[2]].Model.GoName)
}
