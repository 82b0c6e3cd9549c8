package cu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Input that repeats what nests, opens or refers back costs time in proportion to its
// length. The limit is far above what it takes, and far below what squares would take.
func TestHostileInput(t *testing.T) {
	size := testenv.Cases(1<<15, 1<<18)
	numbered := func(format string) string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "%i", fmt.Sprint(i)), "%j", fmt.Sprint(i-1)))
		}
		return b.String()
	}
	for _, unit := range []string{
		"{", "(", "[", "[[", "<", "template <", "template <> ", "struct A {", "struct A { struct B;", "struct A { int (", "a::", "::", "a ",
		"namespace a {", "namespace {", "extern \"C\" {", "#if A\n", "#if A\n#endif\n", "#if A\n{\n#endif\n", "#define A A A\nint x[A];\n",
		"__global__ ", "__global__ void k(", "__global__ void k(int);", "__global__ __launch_bounds__(3) __noinline__ void k(int);", "__global__ void k(int) {}", "void f() {}\n", "// a\n", "/* a */ ", "\\\n", "\"", "'",
		"R\"(", "*", "alignas(", "__attribute__((", "const int a = ", "const int a = 1 + (", "enum {", "typedef ", "using namespace a;", "namespace a { using namespace a; }",
		"#pragma pack(push, 1)\nstruct A { int x; };\n", "//cudagen:x\n", "\xff", "@", "int f(int x = 1 < 2", ",", "=", "struct A { A() : x{", "a<b>(", "operator",
		"const int a%i = 1;", "#define A%i A%j + A%j\nconst int c%i = A%i;\n", "namespace a%i { using namespace a%j; }", "struct S%i { S%j *p; };",
		"inline namespace n%i {}", "__global__ void k%i(unknown%i x);", "const int a%i = a%j + 1;",
		"template <class T> __global__ void k(T *x); void f(int *x) { k<<<1, 2>>>(x); }", "template <class T> __global__ void k%i(T *x); template __global__ void k%i<int>(int *);",
		"template <int N> __global__ __launch_bounds__(N) void k(int x); template __global__ __launch_bounds__(3) void k<%i>(int);", "template <int N> __global__ void k(int x); template __global__ void k<%i>(int);", "using a::k;", "k<<<", "void f() { k<<<1, 2>>>(x); ", "//cudagen:x\nstruct S%i {};\n", "//cudagen:x\n#define A%i 1\n",
		"template <class T> __global__ void k(T *x); template <class T> void f%i(T *x) { f%j(x); f%j(&x); k<<<1, 2>>>(x); }", "@template <class T> __global__ void k(T *x); void f(int *x) { auto l%i = [=] { k<<<1, %i>>>(x); };",
		"template <class T> __global__ void k(T *x); template <class T> struct S%i { S%j<T> b; void f(T *x) { k<<<1, 2>>>(x); b.f(x); } }; S%i<int> s%i;", "template <class T> __global__ void k(T *x); void f(int *x) { struct L { void g(int *x) { k<<<1, 2>>>(x); ",
		"@template <class T> __global__ void k(T *x); void f(int *x) { int y0 = 0;int y%i = y%j; k<<<1, y%i>>>(&y%i);", "@template <class T> __global__ void k(T *x); void f(int *x) { {if (x) { k<<<1, 2>>>(x);",
	} {
		if first, rest, ok := strings.Cut(strings.TrimPrefix(unit, "@"), "{ "); ok && unit[0] == '@' { // what comes once, in front
			begin := time.Now()
			_, _ = ParseFile("t.cu", []byte(first+"{ "+numbered(rest)+"}"))
			assert.Less(t, time.Since(begin), 20*time.Second, "%q", unit)
			continue
		}
		begin := time.Now()
		file, _ := ParseFile("t.cu", []byte(numbered(unit)))
		assert.NotNil(t, file)
		assert.Less(t, time.Since(begin), 20*time.Second, "%q", unit)
	}
}

// A library that has a launcher and many functions of the same name, which call each other for more types
// with every step.
const crowded = `namespace lib {
template <class T> __global__ void kernel(T *x) {}
template <class T> void copy(T *x) { kernel<T><<<1, 2>>>(x); }
}
namespace own {
template <class T, int N> struct wrap { T t; };
template <class T> void copy(T *x) { wrap<T, 0> a; wrap<T, 1> b; own::copy(&a); copy(&b); transform(x); }
template <class T> void transform(T *x) { wrap<T, 2> a; copy(&a); transform(&a); }
}
`

// A function is a launcher because of what a name in it stands for, and not because of the name.
func TestLaunchersAreEntities(t *testing.T) {
	c := &Config{Include: []string{"."}, Read: files{"lib.h": crowded}.read}
	read := func(source string) *File {
		file, err := c.ParseFile("t.cu", []byte("#include \"lib.h\"\n"+source))
		require.NoError(t, err)
		return file
	}
	quiet := read("void f(int *x) {}")
	assert.Empty(t, quiet.Notes)
	busy := read("void f(int *x, gone *y) { own::copy(x); own::transform(x); own::copy(y); }")
	assert.Empty(t, busy.Notes, "nothing is launched")
	assert.Less(t, busy.steps, 2*quiet.steps, "no instance is made")

	member := read("struct R { template <class T> static void copy(T *x) { own::wrap<T, 0> a; own::copy(&a); } };\nvoid f(int *x) { R::copy(x); }")
	assert.Empty(t, member.Notes, "a member of a class launches nothing, either")
	assert.Less(t, member.steps, 2*quiet.steps)

	for _, call := range []string{"lib::copy(x)", "{ using namespace lib; copy(x); }", "{ using lib::copy; copy(x); }", "{ namespace l = lib; l::copy(x); }"} {
		var own []string
		for _, k := range read("template <class T> void g(T *x) { " + call + "; }\nvoid f(short *x) { g(x); }").Kernels {
			if !k.Template {
				own = append(own, k.QualifiedName())
			}
		}
		assert.Equal(t, []string{"lib::kernel<short>"}, own, call)
	}
}

// Questions about launches take a bounded number of steps, and what they do not answer is a note where the
// main file leads to it.
func TestLaunchQuestionsAreBounded(t *testing.T) {
	const most = 1 << 23
	const slow = "constexpr int slow(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return n; }\n"
	const header = slow + "template <int N> __global__ void k(int *x) {}\ntemplate <class T> void launcher(T *x) { k<slow(50000 + sizeof(T))><<<1, 2>>>(0); }\n"
	c := &Config{Include: []string{"."}, Read: files{"lib.h": header}.read, SizeOf: func(ctype.Type) (int64, int64, error) { return 4, 4, nil }}
	for name, body := range map[string]string{
		"launch":   "k<slow(50001)><<<1, 2>>>(x);",
		"launcher": "launcher(x);",
		"many":     strings.Repeat("k<slow(20000)><<<1, 2>>>(x); ", 500),
	} {
		t.Run(name, func(t *testing.T) {
			file, err := c.ParseFile("t.cu", []byte("#include \"lib.h\"\nvoid f(int *x) { "+body+" }\n__global__ void plain(int x) {}\nvoid g() { plain<<<1, 2>>>(3); }"))
			require.NoError(t, err)
			assert.Less(t, file.steps, most)
			require.NotEmpty(t, file.Notes)
			for _, note := range file.Notes {
				assert.Equal(t, "t.cu", note.Pos.Filename)
				assert.Contains(t, note.Message.Error(), "finding out takes too many steps")
			}
			assert.Equal(t, "plain", file.Kernels[len(file.Kernels)-1].Name)
		})
	}
}

// Classes with many members that are instantiated often do not take steps without end: what is beyond the
// bound is an error of what needs it.
func TestStepsAreBounded(t *testing.T) {
	const n, most = 256, 1 << 13
	source := "template <int N> struct S { " + strings.Repeat("int (*f)(int, int); ", n) + "};\n__global__ void k(int x) {}\n"
	for i := range n {
		source += fmt.Sprintf("const int n%d = sizeof(S<%d>::f);\n", i, i)
	}
	source += "__global__ void last(S<0> a, S<999> b) {}\n"
	c := new(Config)
	steps := func(most int) (*File, int) {
		p := newParser(c, "t.cu", lex.Preprocess(c.lexical(), "t.cu", source))
		if most > 0 {
			p.work.most = most
		}
		p.parse()
		return p.file, p.work.steps
	}
	file, unbounded := steps(0)
	assert.Greater(t, unbounded, n*n)
	assert.Empty(t, file.Kernels[1].Errors)
	file, bounded := steps(most)
	assert.Less(t, bounded, most+n*40)
	assert.Empty(t, file.Kernels[0].Errors)
	require.NotEmpty(t, file.Kernels[1].Errors)
	assert.Contains(t, file.Kernels[1].Errors[0].Message.Error(), "too many templates are instantiated")
}

// doubledClasses returns classes of which each has the one before twice: as base classes, or as fields.
func doubledClasses(levels int, format string) string {
	var b strings.Builder
	b.WriteString("struct B0 { int x; };\n")
	for i := 1; i <= levels; i++ {
		b.WriteString(strings.NewReplacer("%i", fmt.Sprint(i), "%j", fmt.Sprint(i-1)).Replace(format))
	}
	return b.String()
}

const (
	doubledBases  = "struct L%i : B%j {}; struct R%i : B%j {}; struct B%i : L%i, R%i {};\n"
	doubledFields = "struct B%i { B%j a; B%j b; int c = 1; };\n"
)

// A question about a class looks at each class in it once.
func TestDoubledClasses(t *testing.T) {
	const asked = "template <class T> concept C = requires(T t) { t + 1; T{}; T(t); };\ntemplate <class T> struct S { int x[C<T> ? 1 : 2]; };\n__global__ void k(S<B40> s) {}\n"
	for _, format := range []string{doubledBases, doubledFields, strings.Replace(doubledFields, " int c = 1;", "", 1)} {
		file, err := new(Config).ParseFile("t.cu", []byte(doubledClasses(40, format)+asked))
		require.NoError(t, err)
		assert.Less(t, file.steps, 1<<16, format)
	}
}

// Reading ends when nobody wants the file any more, wherever it is.
func TestParseFileCanceled(t *testing.T) {
	for name, source := range map[string]string{
		"preprocessor": strings.Repeat("#define A 1\n", 1<<16),
		"macro":        "#define A A\n" + strings.Repeat("A ", 1<<16),
		"declarations": strings.Repeat("int a;\n", 1<<16),
		"templates":    "template <int N> struct F { static const int v = F<N - 1>::v; };\n" + strings.Repeat("const int n = F<9000>::v;\n", 1<<12),
	} {
		t.Run(name, func(t *testing.T) {
			why := errors.New("nobody wants it")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(why)
			c := &Config{Context: ctx}
			file, err := c.ParseFile("t.cu", []byte(source))
			assert.Equal(t, why, err)
			assert.Equal(t, &File{Name: "t.cu"}, file)
		})
	}
	c := &Config{Context: t.Context()}
	_, err := c.ParseFile("t.cu", []byte("int a;"))
	assert.NoError(t, err)
}
