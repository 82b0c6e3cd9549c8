package selection_test

import (
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// parse returns the kernels of source.
func parse(t *testing.T, text string) *cu.File {
	t.Helper()
	file, err := new(cu.Config).ParseFile("k.cu", []byte(text))
	require.NoError(t, err)
	return file
}

// A kernel is asked for by the name that C++ has for it at the end of the source.
func TestQueryOf(t *testing.T) {
	file := parse(t, `__global__ void plain(int n) {}
namespace a { namespace { __global__ void hidden(float *x) {} } }
__global__ void twice(int n) {}
__global__ void twice(const float *x, unsigned char c) {}
//cudagen:instantiate T=float,N=3
template <class T, int N> __global__ void made(T *x) {}
struct A;
template <class T> struct tag {};
//cudagen:instantiate T=A
template <class T> __global__ void tagged(tag<T> t, float *x) {}
template <class T> __global__ void tagged(tag<T> t, double *x) {}
`)
	for i, test := range []struct {
		want  witness.KernelQuery
		typed bool // it can be asked for with types, too
	}{
		{witness.KernelQuery{Name: "plain"}, true},
		{witness.KernelQuery{Name: "a::hidden"}, true},
		{witness.KernelQuery{Name: "twice", Params: []string{"int"}}, true},
		{witness.KernelQuery{Name: "twice", Params: []string{"const float *", "unsigned char"}}, true},
		{},
		{witness.KernelQuery{Name: "made<float, 3>"}, false},
		{},
		{witness.KernelQuery{Name: "tagged<A>", Params: []string{"tag<A>", "float *"}}, false},
	} {
		k := file.Kernels[i]
		if k.Template {
			continue
		}
		t.Run(k.Signature, func(t *testing.T) {
			query := selection.QueryOf(file, k)
			assert.Equal(t, test.want, query)
			typed := (&selection.Kernel{Kernel: k}).TypedQuery()
			require.Equal(t, test.typed, typed != nil)
			if test.typed {
				assert.Equal(t, test.want.Name, typed.Name)
				assert.Len(t, typed.Params, len(k.Params))
			}
		})
	}
	unclear := parse(t, "__global__ void twice(Strange s) {}\n__global__ void twice(int n) {}\n")
	assert.Nil(t, selection.QueryOf(unclear, unclear.Kernels[0]).Params, "its types are not known")
	assert.Nil(t, (&selection.Kernel{Kernel: unclear.Kernels[0]}).TypedQuery())
	assert.Equal(t, []string{"int"}, selection.QueryOf(unclear, unclear.Kernels[1]).Params)
}

// Images have another name for what is extern "C", and a symbol may spell some types otherwise.
func TestImageName(t *testing.T) {
	file := parse(t, `namespace n { extern "C" __global__ void c(int x) {}
__global__ void k(const float *x, int n) {} }
`)
	name, types := (&selection.Kernel{Kernel: file.Kernels[0]}).ImageName()
	assert.Equal(t, "c", name)
	assert.Equal(t, []string{"int"}, types)
	k := *file.Kernels[1]
	k.Params[1].Dependent = true
	name, types = (&selection.Kernel{Kernel: &k}).ImageName()
	assert.Equal(t, "n::k", name)
	assert.Equal(t, []string{"float const*", ""}, types)
	assert.Equal(t, "n::v", (&selection.Variable{Variable: &cu.Variable{Name: "v", Namespace: []string{"n"}}}).ImageName())
	assert.Equal(t, "v", (&selection.Variable{Variable: &cu.Variable{Name: "v", Namespace: []string{"n"}, ExternC: true}}).ImageName())
}

func TestUsedConstants(t *testing.T) {
	file := parse(t, "namespace n { constexpr int N = 3; }\nconstexpr int M = 4, unused = 5;\nnamespace n { __global__ void k(int x) {} }\n")
	k := &selection.Kernel{Kernel: file.Kernels[0], Spec: &directive.Spec{Constants: []string{"N", "none"}}}
	s := &selection.Selection{File: file, Unclear: []*selection.Kernel{k}, Exports: []selection.Export{{Constant: "M", Directive: cu.Directive{Pos: token.Position{Line: 9}}}, {}}}
	used := s.UsedConstants()
	assert.Len(t, used, 2)
	assert.Equal(t, k.Pos, used["n::N"])
	assert.Equal(t, 9, used["M"].Line)
}

// What directives ask for is instantiated once, at the directive's place.
func TestInstantiations(t *testing.T) {
	file := parse(t, `//cudagen:instantiate T=float
template <class T> __global__ void a(T x) {}
//cudagen:instantiate T=int
template <class T> __global__ void b(T x) {}
__global__ void c() {}
//cudagen:instantiate T=float
template <class T> __global__ void d(T *x) {}
template <class T> __global__ void d(T *x, int n) {}
`)
	dir := t.TempDir()
	s := &selection.Selection{Place: source.Place{Module: dir}, File: file}
	for _, k := range file.Kernels {
		if !k.Template { // and b<int> is instantiated by the source
			k.Pos.Filename = filepath.Join(dir, "deep", "k.cu")
			if k.Instance != nil {
				k.Instance.At.Filename = k.Pos.Filename
				k.Instance.Explicit = k.Name == "b"
			}
			s.Kernels = append(s.Kernels, &selection.Kernel{Kernel: k})
		}
	}
	require.Len(t, s.Kernels, 4)
	s.Kernels = append(s.Kernels, s.Kernels[0])
	const want = "#line 1 \"deep/k.cu\"\ntemplate __global__ decltype(a<float>) a<float>;\n" +
		"#line 6 \"deep/k.cu\"\ntemplate __global__ void d<float>(float *);\n"
	assert.Equal(t, want, s.Instantiations())
	s.Unclear, s.Kernels = s.Kernels, nil
	assert.Equal(t, want, s.Instantiations(), "a compiler can explain them only then")
	s.Unclear = nil
	assert.Empty(t, s.Instantiations())
	assert.Equal(t, "#line 7 \"a \\\"b\\\".cu\"\n", s.LineDirective(token.Position{Filename: `a "b".cu`, Line: 7}))
}

func TestUnclearProblems(t *testing.T) {
	problem := func(line int) diag.List {
		return diag.List{{Pos: token.Position{Line: line}, Message: diag.Message{Text: "no"}}}
	}
	s := &selection.Selection{
		Kernels: []*selection.Kernel{{Problems: problem(1)}},
		Unclear: []*selection.Kernel{{Problems: problem(3)}, {Problems: problem(2)}},
	}
	list := s.UnclearProblems()
	require.Len(t, list, 2)
	assert.Equal(t, []int{2, 3}, []int{list[0].Pos.Line, list[1].Pos.Line})
	assert.Len(t, s.All(), 3)
	assert.NoError(t, new(selection.Selection).UnclearProblems().Err())
}

// Templates that nobody instantiates are a problem if they have directives, or if there is nothing else; those of
// headers are told once.
func TestOpenProblems(t *testing.T) {
	problem := diag.List{{Message: diag.Message{Text: "is a template"}}}
	template := func(included bool, directives ...cu.Directive) *selection.Kernel {
		k := &cu.Kernel{Name: "t", Template: true, Included: included, Directives: directives}
		return &selection.Kernel{Kernel: k, Origin: k, Problems: problem}
	}
	plain := []*selection.Kernel{{Kernel: &cu.Kernel{}}}
	open := func(list ...*selection.Kernel) []*selection.Kernel { return list }
	for name, test := range map[string]struct {
		s    selection.Selection
		want string
	}{
		"alone":              {selection.Selection{Open: open(template(false))}, "is a template"},
		"not alone":          {selection.Selection{Open: open(template(false)), Kernels: plain}, ""},
		"with directives":    {selection.Selection{Open: open(template(false, cu.Directive{Verb: "block"})), Kernels: plain}, "is a template"},
		"included":           {selection.Selection{Open: open(template(true), template(true))}, "k.cu:1:1: there is no kernel (a __global__ function) in this file, and nobody instantiates the templates that it includes, such as t: write //cudagen:instantiate with arguments above a declaration of the one that is meant"},
		"included and alone": {selection.Selection{Open: open(template(true), template(false))}, "is a template"},
	} {
		t.Run(name, func(t *testing.T) {
			test.s.File = &cu.File{Name: "k.cu"}
			err := test.s.UnclearProblems().Err()
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, test.want)
		})
	}
	made := template(false)
	made.Directives = []cu.Directive{{Verb: "block"}}
	s := &selection.Selection{Open: open(made), Kernels: plain, File: &cu.File{Kernels: []*cu.Kernel{{Instance: &cu.Instance{Template: made.Origin}}}}}
	assert.NoError(t, s.UnclearProblems().Err(), "it has instances")
}
