package compare_test

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// selected returns a selection of all kernels of text.
func selected(t *testing.T, text string) *selection.Selection {
	t.Helper()
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile("k.cu", []byte(text))
	require.NoError(t, err)
	s := &selection.Selection{Place: source.Place{Path: "k.cu"}, File: file}
	for _, k := range file.Kernels {
		s.Kernels = append(s.Kernels, &selection.Kernel{Kernel: k, Origin: k, Query: selection.QueryOf(file, k), Spec: &directive.Spec{}})
	}
	for _, v := range file.Variables {
		s.Variables = append(s.Variables, &selection.Variable{Variable: v})
	}
	return s
}

const everything = `enum class Mode { fast, slow };
namespace n { struct In { int a; Mode m; }; }
struct Out { n::In in; n::In *next; struct { char c; } unnamed; unsigned bits : 3; };
namespace n { namespace { __global__ void k(const Out *o, float x) {} } }
__constant__ n::In table[2];
constexpr int SIDE = 4;
`

// Each kernel, each type that Go may declare and each constant is asked for once, a member's type
// by its field.
func TestQuestions(t *testing.T) {
	s := selected(t, everything)
	s.Kernels[0].Spec.Constants = []string{"SIDE"}
	in := compare.QuestionsOf(s).Inquiry()
	assert.Equal(t, []witness.KernelQuery{{Name: "n::k"}}, in.Kernels)
	assert.Equal(t, []string{"SIDE"}, in.Constants)
	var says []string
	for _, q := range in.Types {
		says = append(says, q.Says)
	}
	assert.Equal(t, []string{
		witness.ParamType(&in.Kernels[0], 0), witness.VariableType("table"),
		witness.MemberType(0, "unnamed"), witness.MemberType(1, "m"),
	}, says)
	assert.Equal(t, []string{"in", "next", "unnamed"}, in.Types[0].Fields, "C++ has no offset of a bit-field")
	assert.Equal(t, []string{"fast", "slow"}, in.Types[3].Enumerators)
}

// at returns an error in the line of in's source that has text.
func at(t *testing.T, in *compare.Inquiry, text string) *diag.Error {
	t.Helper()
	_, queries, found := strings.Cut(in.Source(), witness.QueryFile+"\"\n")
	require.True(t, found)
	line := slices.IndexFunc(strings.Split(queries, "\n"), func(line string) bool { return strings.Contains(line, text) })
	require.GreaterOrEqual(t, line, 0, "%s: %s", text, queries)
	return &diag.Error{Pos: token.Position{Filename: witness.QueryFile, Line: line + 1}, Message: diag.OfCompiler.New(text + " is refused")}
}

// What a compiler refuses is asked in another way, and then not at all; nothing else changes.
func TestRefusals(t *testing.T) {
	s := selected(t, everything+"__global__ void same(int n) {}\n")
	s.Kernels[0].Spec.Constants = []string{"SIDE"}
	q := compare.QuestionsOf(s)
	first := q.Inquiry()

	another := &diag.Error{Pos: token.Position{Filename: "k.cu", Line: 1}, Message: diag.Message{Text: "an error of the source"}}
	assert.False(t, first.Refused(diag.List{another}))
	q.Refuse(first, diag.List{another})
	assert.Equal(t, first, q.Inquiry(), "it is not about a question")

	refusals := []diag.List{{at(t, first, "SIDE")}}
	assert.True(t, first.Refused(refusals[0]))
	assert.False(t, first.Refused(append(refusals[0], another)))
	q.Refuse(first, refusals[0])
	second := q.Inquiry()
	assert.Empty(t, second.Constants)
	assert.Equal(t, first.Kernels, second.Kernels)
	assert.Equal(t, first.Types, second.Types)

	assert.Equal(t, second, compare.QuestionsOf(s).Replay(refusals), "the same again")
	assert.Equal(t, first, compare.QuestionsOf(s).Replay(nil))

	q.RefuseAll("all of it")
	none := q.Inquiry()
	assert.Empty(t, none.Kernels)
	assert.Empty(t, none.Types)
}

// A kernel whose name is also a host function's is asked for with the types of its parameters.
func TestRefusedKernel(t *testing.T) {
	q := compare.QuestionsOf(selected(t, "__global__ void k(float *x) {}\n"))
	first := q.Inquiry()
	line := 0
	for line = 1; ; line++ {
		id, ok := first.At(line)
		require.Less(t, line, 1000)
		if ok && id.Kind == witness.KernelKind {
			break
		}
	}
	refused := diag.List{{Pos: token.Position{Filename: witness.QueryFile, Line: line}, Message: diag.Message{Text: "ambiguous"}}}
	q.Refuse(first, refused)
	second := q.Inquiry()
	assert.Equal(t, []witness.KernelQuery{{Name: "k", Params: []string{"float *"}}}, second.Kernels)
	q.Refuse(second, refused)
	assert.Empty(t, q.Inquiry().Kernels)
}

func TestSubjects(t *testing.T) {
	inner := &ctype.Struct{Name: "In", Complete: true, Fields: []ctype.Field{{Name: "a", Type: ctype.Builtin(ctype.Int)}}}
	private := &ctype.Struct{Name: "", Scope: []string{"Out"}, Complete: true, Fields: []ctype.Field{{Name: "c", Type: ctype.Builtin(ctype.Char)}}}
	outer := &ctype.Struct{Name: "Out", Scope: []string{ctype.AnonymousNamespace}, Complete: true, Fields: []ctype.Field{
		{Name: "in", Type: &ctype.Array{Elem: inner, Len: 2}}, {Name: "p", Type: private}, {Name: "next", Type: nil},
	}}
	outer.Fields[2].Type = &ctype.Pointer{Elem: outer}
	list := compare.Subjects([]compare.Root{
		{Type: ctype.Builtin(ctype.Int), Says: "int"},
		{Type: &ctype.Pointer{Elem: outer}, Says: "first"},
		{Type: outer, Says: "second"},
		{Type: &ctype.Struct{Name: "Declared"}, Says: "third"},
	})
	var names []string
	for _, s := range list {
		names = append(names, s.Name())
		assert.False(t, s.Told())
	}
	assert.Equal(t, []string{"struct (anonymous namespace)::Out", "struct In", "struct without a name"}, names, "a builtin type is no subject, nor is a class that is only declared")
	assert.Equal(t, []compare.Way{{Says: "first"}, {Says: "second"}, {Says: "Out"}}, list[0].Ways)
	assert.Equal(t, []compare.Way{{Parent: 0, Field: "in"}, {Says: "In"}}, list[1].Ways)
	assert.Equal(t, []compare.Way{{Parent: 0, Field: "p"}}, list[2].Ways)
	fields, _ := list[0].Parts()
	assert.Equal(t, []string{"in", "p", "next"}, fields)
	inner.Stated = &ctype.Stated{Size: 4, Align: 4, BitOffsets: []int64{0}}
	assert.True(t, list[1].Told())
}

// A field whose name another base has, too, is said through its base; one whose base has the name of the
// class is not.
func TestSubjectsThroughBases(t *testing.T) {
	class := func(name string) *ctype.Struct {
		return &ctype.Struct{Name: name, Complete: true, Fields: []ctype.Field{{Name: "a", Type: ctype.Builtin(ctype.Int)}}}
	}
	told := func(name string, first, second []*ctype.Step) []compare.Subject {
		return compare.Subjects([]compare.Root{{Says: "P", Type: &ctype.Struct{
			Name: name, Complete: true, Stated: &ctype.Stated{Size: 8, Align: 4, BitOffsets: []int64{0, 32}},
			Fields: []ctype.Field{{Name: "value", Type: class("A"), Through: first}, {Name: "value", Type: class("B"), Through: second}},
		}}})
	}
	impl, zero, one := &ctype.Step{Name: "impl<int>"}, &ctype.Step{Name: "leaf<0,A,How::x>"}, &ctype.Step{Name: "leaf<1,B,How::x>"}
	list := told("tuple<A,B>", []*ctype.Step{impl, zero}, []*ctype.Step{impl, one})
	require.Len(t, list, 6)
	assert.Equal(t, []compare.Way{{Parent: 0, Base: "impl<int>", Sole: true}, {Parent: 0, Base: "impl<int>"}}, list[1].Ways)
	assert.Equal(t, []compare.Way{{Parent: 1, Base: "leaf<0,A,How::x>", Scoped: true}, {Parent: 1, Base: "leaf<0,A,How::x>"}}, list[2].Ways)
	assert.Equal(t, []compare.Way{{Parent: 2, Field: "value"}, {Says: "A"}}, list[3].Ways)
	assert.Equal(t, []compare.Way{{Parent: 4, Field: "value"}, {Says: "B"}}, list[5].Ways)
	assert.Nil(t, list[2].Type)

	list = told("tuple<A,B>", nil, []*ctype.Step{{Name: "tuple<B>"}})
	assert.Equal(t, []compare.Way{{Parent: 0, Field: "value"}, {Says: "A"}}, list[1].Ways, "it hides the other")
	assert.Empty(t, list[2].Ways, "tuple is the name of the class itself there")
	assert.Equal(t, []compare.Way{{Parent: 2, Field: "value"}, {Says: "B"}}, list[3].Ways)
}

// Answers know which types nobody asked for: those that a compiler has told since.
func TestUnasked(t *testing.T) {
	s := selected(t, "struct S { int x; };\n__global__ void k(S s) {}\nstruct T { int x; };\n__global__ void l(T t) {}\n")
	before := *s
	before.Kernels = s.Kernels[:1]
	asked := map[any]compare.Description{layout.Identity(s.Kernels[0].Params[0].Type): {}}
	answers := (&compare.Answers{Types: asked}).Explained(&before)
	require.Len(t, answers.Subjects, 1)
	assert.Nil(t, answers.Unasked())
	later := answers.Explained(s)
	assert.Len(t, later.Subjects, 2)
	require.NotNil(t, later.Unasked())
	assert.Len(t, later.Unasked().Inquiry().Types, 2, "a way to say one may lead through another")
	assert.Len(t, answers.Subjects, 1, "the answers before are as they were")

	more, err := later.WithTypes("k.cu", later.Unasked(), nil)
	require.NoError(t, err)
	assert.Nil(t, more.Unasked(), "it was refused, and is not asked again")
}

// Output that is no answer is an error that names the compiler.
func TestReadErrors(t *testing.T) {
	s := selected(t, "__global__ void k(int n) {}\n")
	for text, want := range map[string]string{
		"": "the debug information of stub 1", ".version 8.0\n.target sm_75\n.address_size 64\n": "the debug information of stub 1",
	} {
		answers, _, err := compare.ReadAnswers(s, compare.Compiled{Output: &compile.Output{Code: []byte(text), Compiler: "stub 1"}})
		assert.ErrorContains(t, err, "k.cu: ")
		assert.ErrorContains(t, err, want)
		assert.Nil(t, answers)
	}

	// The lines of PTX are not those of the source.
	const debug = ".section .debug_abbrev {\n.b8 0\n}\n.section .debug_info {\n.b32 8\n.b8 2\n.b8 0\n.b32 0\n.b8 8\n.b8 0\n}\n"
	text := ".version 8.0\n.target sm_75\n.address_size 64\n.wibble\n" + debug
	_, _, err := compare.ReadAnswers(s, compare.Compiled{Output: &compile.Output{Code: []byte(text), Compiler: "stub 1"}})
	assert.ErrorContains(t, err, "k.cu: the PTX of stub 1: PTX:4:1: unknown directive .wibble")
}
