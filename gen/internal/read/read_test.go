package read_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// text writes source into a file k.cu and reads it.
func text(t *testing.T, source string, o read.Options) (*selection.Selection, error) {
	t.Helper()
	place := at(filepath.Join(t.TempDir(), "k.cu"))
	require.NoError(t, os.WriteFile(place.Path, []byte(source), 0o600))
	return read.Read(read.Source{Place: place}, o)
}

func at(path string) source.Place { return source.Place{Path: path, Module: filepath.Dir(path)} }

func names(list []*selection.Kernel) (names []string) {
	for _, k := range list {
		names = append(names, k.QualifiedName())
	}
	return names
}

func TestRead(t *testing.T) {
	keepGoing := read.Options{KeepGoing: true}
	for _, test := range []struct {
		name, source       string
		options            read.Options
		kernels, unclear   []string
		bad                []string
		variables, exports []string
		err                string // pattern; empty for none
	}{
		{name: "all kernels", source: "__global__ void a() {}\nnamespace n { __global__ void b() {} }\n", kernels: []string{"a", "n::b"}},
		{name: "those with a directive", source: "//cudagen:kernel\n__global__ void a() {}\n__global__ void b() {}\n", kernels: []string{"a"}},
		{name: "a name chooses nothing", source: "//cudagen:kernel Sum\n__global__ void a() {}\n__global__ void b() {}\n", kernels: []string{"a", "b"}},
		{name: "of several instances neither", source: "//cudagen:kernel Sum\ntemplate <class T> __global__ void a(T x) {}\ntemplate __global__ void a<int>(int);\ntemplate __global__ void a<float>(float);\n__global__ void b() {}\n", kernels: []string{"b"}, bad: []string{"a<int>", "a<float>"},
			err: `k.cu:1:1: a: the Go name Sum is that of one kernel, and this template has several, such as a<int> and a<float>: write //cudagen:kernel GoName above `},
		{name: "nor of those that are launched", source: "//cudagen:kernel Sum\ntemplate <class T> __global__ void a(T x) {}\nvoid f() { a<<<1, 2>>>(3); a<<<1, 2>>>(4.f); }\n", bad: []string{"a<int>", "a<float>"}, err: `k.cu:1:1: .* a<int> and a<float>: write `},
		{name: "nor of the one without a name of its own", source: "//cudagen:kernel Sum\ntemplate <class T> __global__ void a(T x) {}\n//cudagen:kernel A\ntemplate __global__ void a<int>(int);\ntemplate __global__ void a<float>(float);\n", kernels: []string{"a<int>"}, bad: []string{"a<float>"}, err: `k.cu:1:1: .* several, such as a<float>: write `},
		{name: "a declaration with other names", source: "//cudagen:len x=n\n__global__ void a(float *x, int n, int m);\n__global__ void a(float *x, int m, int n) {}\n//cudagen:len x=n\n__global__ void b(float *x, int n, int);\n__global__ void b(float *x, int n, int m) {}\n", kernels: []string{"b"}, bad: []string{"a"}, err: `k.cu:1:1: a: parameter 2 is called n in the declaration below, and is called m in line 3 of k.cu: `},
		{name: "a macro of a template and its instance", source: "#define BOTH(T) template<class U> __global__ void k_##T(U *x, int n) {} template __global__ void k_##T<T>(T *, int)\n//cudagen:len x=n\nBOTH(int);\n", kernels: []string{"k_int<int>"}},
		{name: "an instantiation with other names", source: "template<class T> __global__ void a(T *x, int m, int n) {}\n//cudagen:len x=n\ntemplate __global__ void a<int>(int *x, int n, int m);\n//cudagen:len x=n\ntemplate __global__ void a<float>(float *, int, int n);\n", kernels: []string{"a<float>"}, bad: []string{"a<int>"}, err: `k.cu:2:1: a: parameter 2 is called n `},
		{name: "one instance", source: "//cudagen:kernel Sum\ntemplate <class T> __global__ void a(T x) {}\ntemplate __global__ void a<int>(int);\n", kernels: []string{"a<int>"}},
		{name: "names above instantiations", source: "template <class T> __global__ void a(T x) {}\n//cudagen:kernel Sum\ntemplate __global__ void a<int>(int);\n//cudagen:kernel Fum\ntemplate __global__ void a<float>(float);\n", kernels: []string{"a<int>", "a<float>"}},
		{name: "names in directives", source: "//cudagen:instantiate T=int Sum\n//cudagen:instantiate T=float Fum\ntemplate <class T> __global__ void a(T x) {}\nvoid f() { a<<<1, 2>>>(3); a<<<1, 2>>>(4.f); }\n", kernels: []string{"a<int>", "a<float>"}},
		{name: "nor is what has one left out", source: "//cudagen:kernel Sum\n__global__ void a() {}\n//cudagen:kernel\n__global__ void b() {}\n__global__ void c() {}\n", kernels: []string{"a", "b"}},
		{name: "chosen and named", source: "//cudagen:kernel\n//cudagen:kernel Sum\n__global__ void a() {}\n__global__ void b() {}\n", kernels: []string{"a"}},
		{name: "but for the ignored", source: "__global__ void a() {}\n//cudagen:ignore\n__global__ void b() {}\n", kernels: []string{"a"}},
		{name: "an instance in place of its template", source: "//cudagen:instantiate T=int\ntemplate <class T> __global__ void a(T x) {}\n", kernels: []string{"a<int>"}},
		{name: "an unclear kernel", source: "__global__ void a(Strange s) {}\n__global__ void b() {}\n", kernels: []string{"b"}, unclear: []string{"a"}},
		{name: "a bad one", source: "//cudagen:threads m\n__global__ void a(int n) {}\n__global__ void b() {}\n", kernels: []string{"b"}, bad: []string{"a"}, err: `k.cu:1:\d+: .*m`},
		{name: "a bad one is left out", source: "//cudagen:threads m\n//cudagen:kernel\n__global__ void a(int n) {}\n//cudagen:kernel\n__global__ void b() {}\n",
			options: keepGoing, kernels: []string{"b"}, bad: []string{"a"}},
		{name: "unless none remains", source: "//cudagen:threads m\n__global__ void a(int n) {}\n", options: keepGoing, bad: []string{"a"}, err: "k.cu:1:"},
		{name: "exports", source: "//cudagen:export\n__constant__ int v;\n//cudagen:export\nstruct S { int x; };\n//cudagen:export\nconstexpr int N = 3;\n__global__ void a() {}\n",
			kernels: []string{"a"}, variables: []string{"v"}, exports: []string{"S", "N"}},
		{name: "parameters that fit", source: "struct B { char b[5000]; };\n__global__ void a(B b) {}\n", kernels: []string{"a"}},
		{name: "parameters that do not", source: "struct B { char b[5000]; };\n__global__ void a(B b) {}\n", options: read.Options{Archs: []string{"sm_60"}}, bad: []string{"a"}, err: "5000 bytes.*raise -arch"},
		{name: "no kernel", source: "int x;\n", err: "k.cu:1:1: there is no kernel"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := text(t, test.source, test.options)
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				assert.Regexp(t, test.err, err.Error())
			}
			if s == nil {
				return
			}
			assert.Equal(t, test.kernels, names(s.Kernels))
			assert.Equal(t, test.unclear, names(s.Unclear))
			assert.Equal(t, test.bad, names(s.Bad))
			var variables, exports []string
			for _, v := range s.Variables {
				variables = append(variables, v.Name)
			}
			for _, e := range s.Exports {
				if e.Type != nil {
					exports = append(exports, e.Type.String())
				} else {
					exports = append(exports, e.Constant)
				}
			}
			assert.Equal(t, test.variables, variables)
			assert.Equal(t, test.exports, exports)
		})
	}
}

// What is known already is not read again, and gives the same.
func TestReadWhatIsParsed(t *testing.T) {
	src := []byte("//cudagen:export\nstruct S { int x; };\n__global__ void a(S s) {}\n")
	file, err := new(cu.Config).ParseFile("none.cu", src)
	require.NoError(t, err)
	s, err := read.Read(read.Source{Place: at("none.cu"), File: file}, read.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, names(s.Kernels))
	assert.Same(t, file, s.File)
	assert.Len(t, s.Exports, 1)
	_, err = read.Read(read.Source{Place: at(filepath.Join(t.TempDir(), "none.cu"))}, read.Options{})
	assert.ErrorContains(t, err, "there is no such file", "a control: it is read otherwise")
}

// A kernel of which somebody else tells the parameters is selected, in its order; the others stay
// unclear, and nothing of the selection before changes.
func TestReadWhatIsTold(t *testing.T) {
	s, err := text(t, "__global__ void a(Strange s) {}\n__global__ void b(int n) {}\n__global__ void c(Other o) {}\n__global__ void d(More m) {}\n", read.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c", "d"}, names(s.Unclear))
	a, c, d := s.Unclear[0], s.Unclear[1], s.Unclear[2]
	told := []selection.Told{
		{Kernel: a, Params: []cu.Param{{Name: "s", Type: ctype.Builtin(ctype.Double)}}},
		{Kernel: c, Reason: diag.NotUnderstood.New("c: is strange")},
	}
	explained, err := read.Read(read.Source{Before: s, Told: told}, read.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names(explained.Kernels))
	assert.True(t, explained.Kernels[0].Told)
	assert.Equal(t, int64(8), explained.Kernels[0].Bytes)
	assert.Same(t, a.Origin, explained.Kernels[0].Origin)
	assert.Equal(t, []string{"c", "d"}, names(explained.Unclear))
	require.Len(t, explained.Unclear[0].Problems, 2, "what the source says, and what is told")
	assert.Contains(t, explained.Unclear[0].Problems[1].Message.Error(), "c: is strange")
	assert.Same(t, d, explained.Unclear[1])

	assert.Equal(t, []string{"b"}, names(s.Kernels), "the selection before is as it was")
	assert.Equal(t, []*selection.Kernel{a, c, d}, s.Unclear)
}

// What is told does not excuse mistakes in directives.
func TestReadToldAndWrong(t *testing.T) {
	s, err := text(t, "//cudagen:len s=n\n__global__ void a(Strange s, int n) {}\n", read.Options{})
	require.NoError(t, err)
	told := selection.Told{Kernel: s.Unclear[0], Params: []cu.Param{{Name: "s", Type: ctype.Builtin(ctype.Double)}, {Name: "n", Type: ctype.Builtin(ctype.Int)}}}
	explained, err := read.Read(read.Source{Before: s, Told: []selection.Told{told}}, read.Options{})
	require.NoError(t, err)
	assert.Empty(t, explained.Kernels)
	assert.Contains(t, explained.UnclearProblems().Error(), "s")
}

// A comment that looks like a directive is an error; a sentence about cudagen is not.
func TestComments(t *testing.T) {
	for comment, near := range map[string]bool{
		"// cudagen:block 256": true, "//cudagen kernel": true, "//cudagen kernel Scale": true, "// Cudagen-threads n": true, "//cudagen=block 256": true, "/* cudagen : frobnicate */": true,
		"// cudagen data is what this kernel takes.": false, "// cudagen wraps this kernel.": false, "// The kernel of cudagen: a test.": false, "// cudagenerate kernel": false,
	} {
		s, err := text(t, comment+"\n__global__ void k(int n) {}\n", read.Options{})
		if near {
			assert.ErrorContains(t, err, "looks like a directive but is not one", comment)
		} else {
			require.NoError(t, err, comment)
			assert.Len(t, s.Kernels, 1)
		}
	}
}
