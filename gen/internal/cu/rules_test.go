package cu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// summary says what is understood of each kernel of a source, in one line for each.
func summary(file *File) string {
	var b strings.Builder
	for _, k := range file.Kernels {
		fmt.Fprintf(&b, "%s(", k.QualifiedName())
		for i, p := range k.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			if p.Type != nil {
				b.WriteString(p.Type.Demangled() + " ")
			}
			b.WriteString(p.Name)
		}
		fmt.Fprintf(&b, ") %v %v %v %d %v\n", k.LaunchBounds, k.BlockSize, k.ClusterDims, k.MaxRegisters, k.Errors)
	}
	return b.String()
}

// CUDA C++ Programming Guide, Launch Bounds, Maximum Number of Registers per Thread and
// Thread Block Clusters; GCC manual, Attribute Syntax; C++ standard, [dcl.attr]: an
// attribute has the same meaning at each of its places.
func TestAttributePlaces(t *testing.T) {
	attributes := []struct{ text, want string }{
		{"__launch_bounds__(8 * 32, 2)", "[256 2] [] [] 0"},
		{"__cluster_dims__(2, 1)", "[] [] [2 1] 0"},
		{"__block_size__((64, 2), (4))", "[] [64 2] [4] 0"},
		{"__block_size__(32)", "[] [32] [] 0"},
		{"__maxnreg__(40)", "[] [] [] 40"},
		{"__attribute__((noinline, unused))", "[] [] [] 0"},
		{"__noinline__", "[] [] [] 0"},
		{"__forceinline__", "[] [] [] 0"},
		{"[[maybe_unused]]", "[] [] [] 0"},
		{"[[gnu::used, deprecated(\"a (b\")]]", "[] [] [] 0"},
		{"__launch_bounds__(BOUNDS) __maxnreg__(16)", "[128] [] [] 16"},
	}
	places := []string{
		"%s __global__ void k(int n) {}", "__global__ %s void k(int n) {}", "__global__ void %s k(int n) {}", "void __global__ %s k(int n) {}",
		"%s void __global__ k(int n) {}", "__global__ void k(int n) %s;", "extern \"C\" %s __global__ void k(int n) {}", "static %s inline __global__ void k(int n) {}",
		"template <> __global__ void %s k(int n) {}",
	}
	for _, attribute := range attributes {
		for _, place := range places {
			source := fmt.Sprintf(place, attribute.text)
			if strings.HasSuffix(place, "%s;") && strings.Contains(attribute.text, "__forceinline__") {
				continue // a specifier, and no attribute
			}
			t.Run(source, func(t *testing.T) {
				file := parseClean(t, "#define BOUNDS 128\n"+source)
				assert.Equal(t, "k(int n) "+attribute.want+" []\n", strings.ReplaceAll(summary(file), "no errors", "[]"))
			})
		}
	}
}

// C++ standard, [lex.phases]: a backslash at the end of a line joins it with the next,
// wherever it stands.
func TestContinuedAnywhere(t *testing.T) {
	const source = `#define KERNEL(name, ...) __global__ void name##_kernel(__VA_ARGS__)
#if defined(KERNEL) && 0x10 == 1 << 4
//cudagen:block 32
template <> KERNEL(first, const float4 *x, unsigned n = '\n') {} // end
#else
KERNEL(second, mystery_t m);
#endif
/* a comment */ struct alignas(16) S { int a[2 * 3]; };
__global__ void __launch_bounds__(64) third(S s, long long (&r)[sizeof(int)]) { const char *t = "\"{"; }
`
	want := summary(parseClean(t, source))
	require.Contains(t, want, "first_kernel(float4 const* x, unsigned int n)")
	require.Contains(t, want, "third(S s, long long (&) [4] r) [64]")
	for _, end := range []string{"\\\n", "\\\r\n"} {
		for i := range source {
			file, err := ParseFile("t.cu", []byte(source[:i]+end+source[i:]))
			require.NoError(t, err, "%d", i)
			require.Equal(t, want, summary(file), "continued at %d: %q", i, source[max(0, i-10):i])
		}
	}
}

// C++ standard, [basic.lookup.unqual], [basic.lookup.qual], [namespace.udir],
// [namespace.udecl]: which of the types of one name is meant. S is 1, 2 and 3 at different
// places; the demangled type says which it is.
func TestLookup(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"inner hides outer", "struct S {}; namespace a { struct S {}; __global__ void k(S x); }", "a::k(a::S x)"},
		{"outer from inner", "struct S {}; namespace a { __global__ void k(S x); }", "a::k(S x)"},
		{"declared too late", "struct S {}; namespace a { __global__ void k(S x); struct S {}; }", "a::k(S x)"},
		{"global", "struct S {}; namespace a { struct S {}; __global__ void k(::S x, a::S y, ::a::S z); }", "a::k(S x, a::S y, a::S z)"},
		{"outer namespace by name", "namespace a { struct S {}; namespace b { __global__ void k(a::S x); } }", "a::b::k(a::S x)"},
		{"inner namespace of the same name", "namespace a { struct S {}; namespace a { struct S {}; __global__ void k(a::S x); } }", "a::a::k(a::a::S x)"},
		{"directive", "namespace a { struct S {}; } using namespace a; __global__ void k(S x);", "k(a::S x)"},
		{"own before a directive's", "struct S {}; namespace a { struct S {}; } namespace b { struct S {}; using namespace a; __global__ void k(S x); }", "b::k(b::S x)"},
		{"a directive's in the common namespace", "namespace n { struct S {}; namespace a { struct T {}; } namespace b { using namespace a; __global__ void k(T x, S y); } }", "n::b::k(n::a::T x, n::S y)"},
		{"directive of a directive", "namespace a { struct S {}; } namespace b { using namespace a; } using namespace b; __global__ void k(S x, b::S y);", "k(a::S x, a::S y)"},
		{"declaration", "namespace a { struct S {}; } struct T {}; namespace b { using a::S; __global__ void k(S x); } __global__ void l(b::S x);", "b::k(a::S x); l(a::S x)"},
		{"declaration hides", "struct S {}; namespace a { struct S {}; } namespace b { using a::S; __global__ void k(S x); }", "b::k(a::S x)"},
		{"declaration ends with its namespace", "struct S {}; namespace a { struct S {}; } namespace b { using a::S; } __global__ void k(S x);", "k(S x)"},
		{"namespace alias", "namespace a { namespace b { struct S {}; } } namespace c = a::b; __global__ void k(c::S x);", "k(a::b::S x)"},
		{"alias reopened", "namespace a { struct S {}; } namespace b = a; __global__ void k(b::S x); namespace a { struct T {}; } __global__ void l(b::T x);", "k(a::S x); l(a::T x)"},
		{"inline namespace", "namespace a { inline namespace v { struct S {}; } namespace w { struct T {}; } } __global__ void k(a::S x, a::v::S y, a::w::T z);", "k(a::v::S x, a::v::S y, a::w::T z)"},
		{"nested inline", "namespace a::inline v::b { struct S {}; } __global__ void k(a::b::S x);", "k(a::v::b::S x)"},
		{"unnamed namespace", "namespace { struct S {}; namespace b { struct T {}; } } __global__ void k(S x, b::T y);", "k((anonymous namespace)::S x, (anonymous namespace)::b::T y)"},
		{"class member hides", "struct S {}; struct C { struct S {}; S *p; typedef S T; }; __global__ void k(S x, C::S y, C::T z);", "k(S x, C::S y, C::S z)"},
		{"inherited member", "struct B { struct S {}; typedef int T; }; struct D : B { }; __global__ void k(D::S x, D::T y);", "k(B::S x, int y)"},
		{"derived hides base", "struct B { typedef int T; }; struct D : B { typedef float T; }; __global__ void k(D::T x);", "k(float x)"},
		{"class and function of one name", "struct S {}; void S(int); __global__ void k(struct S x);", "k(S x)"},
		{"class and variable of one name", "struct S {}; int S; __global__ void k(struct S x);", "k(S x)"},
		{"variable and class of one name", "int S; struct S {}; __global__ void k(struct S x);", "k(S x)"},
		{"class only named, of a variable's name", "int S; void T(int); const int U = 1; __global__ void k(struct S *x, struct T *y, struct U *z);", "k(S* x, T* y, U* z)"},
		{"class only named, in a namespace that is empty so far", "int S; namespace a { __global__ void k(struct S *x); }", "a::k(a::S* x)"},
		{"the same typedef again", "typedef int T; typedef int T; typedef const int *P; using P = int const *; __global__ void k(T x, P y);", "k(int x, int const* y)"},
		{"injected names of one template", "template <class T, int N = 2> struct A { T v[N]; }; struct B : A<int>, A<char> { A<short> *x; }; struct C : B, A<long> { typedef A<float, 3> T; }; struct D : A<long>, B { typedef A<float, 4> T; }; __global__ void k(C::T x, D::T y, B::A<char, 5> z);", "k(A<float, 3> x, A<float, 4> y, A<char, 5> z)"},
		{"template parameter hides", "struct T {}; template <class T> struct A { typedef T type; }; __global__ void k(A<int>::type x);", "k(int x)"},
		{"definition outside of its namespace", "namespace a { struct S {}; __global__ void k(S); } __global__ void a::k(S x) {}", "a::k(a::S x)"},
		{"global block scope", "namespace a { extern \"C\" { struct S {}; } __global__ void k(S x); }", "a::k(a::S x)"},
		{"enumerators", "namespace a { enum E { n = 2 }; enum class F { n = 3 }; } using namespace a; template <int N> struct V {}; __global__ void k(V<n> x, V<E::n> y, V<int(F::n)> z);", "k(V<2> x, V<2> y, V<3> z)"},
		{"using enum", "namespace a { enum class F { m = 3 }; } using enum a::F; template <int N> struct V {}; __global__ void k(V<int(m)> x);", "k(V<3> x)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := summary(parseClean(t, test.source))
			got = strings.TrimSuffix(strings.ReplaceAll(strings.ReplaceAll(got, " [] [] [] 0 no errors", ""), "\n", "; "), "; ")
			assert.Equal(t, test.want, got)
		})
	}
}

// What names no type, or more than one, is refused: C++ standard, [basic.lookup].
func TestLookupRefuses(t *testing.T) {
	for _, source := range []string{
		"namespace a { struct S {}; } __global__ void k(S x);",
		"namespace a { struct S {}; } namespace b { struct S {}; } using namespace a; using namespace b; __global__ void k(S x);",
		"namespace a { struct S {}; } namespace b { using namespace a; } __global__ void k(S x);",
		"namespace b { using namespace a; struct T {}; } namespace a { struct S {}; } __global__ void k(b::S x);",
		"struct C { struct S {}; }; __global__ void k(S x);",
		"enum class F { m = 3 }; template <int N> struct V {}; __global__ void k(V<m> x);",
		"struct A { typedef int T; }; struct B { typedef float T; }; struct D : A, B {}; __global__ void k(D::T x);",
		"template <class T> struct A { T v; }; struct B : A<int>, A<char> { A *x; }; __global__ void k(B x);",
		"template <class T> struct A { T v; }; struct B : A<int>, A<char> {}; struct C : A<int>, B { typedef A T; }; __global__ void k(C::T x);",
		"template <class T> struct A { T v; typedef T U; }; struct B : A<int>, A<char> { typedef A::U T; }; __global__ void k(B::T x);",
		"template <class T> struct A { T v; }; namespace n { template <class T> struct A { T v; }; } struct B : A<int>, n::A<char> { typedef A<int> T; }; __global__ void k(B::T x);",
		"void f() { struct S {}; } __global__ void k(S x);",
		"typedef int T; typedef float T; __global__ void k(T x);",
		"struct S {}; typedef int S; __global__ void k(S x);",
		"int n; const int n = 2; template <int N> struct V {}; __global__ void k(V<n> x);",
		"const int n = 1; enum { n = 2 }; template <int N> struct V {}; __global__ void k(V<n> x);",
	} {
		t.Run(source, func(t *testing.T) {
			file, _ := ParseFile("t.cu", []byte(source))
			require.Len(t, file.Kernels, 1)
			assert.NotEmpty(t, file.Kernels[0].Errors)
		})
	}
}

// A kernel that is declared and defined, or that stands in branches, is one kernel.
func TestOneKernel(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"declared and defined", "__global__ void __launch_bounds__(64) k(int);\n__global__ void k(int n) {}", "k(int n) [64] [] [] 0"},
		{"defined and declared", "__global__ void k(int n) {}\n__global__ void k(int);", "k(int n) [] [] [] 0"},
		{"branches", "#if __CUDA_ARCH__ >= 800\n__global__ void k(long n) {}\n#else\n__global__ void k(int n) {}\n#endif", "k(int n) [] [] [] 0"},
		{"overloads", "__global__ void k(int n) {}\n__global__ void k(float n) {}", "k(int n) [] [] [] 0\nk(float n) [] [] [] 0"},
		{"overload by namespace", "namespace a { __global__ void k(int n) {} }\n__global__ void k(int n) {}", "a::k(int n) [] [] [] 0\nk(int n) [] [] [] 0"},
		{"explicit specialisation", "template <class T> __global__ void k(T n);\ntemplate <> __global__ void k<int>(int n) {}\ntemplate <> __global__ void k<float>(float n) {}",
			"k() [] [] [] 0\nk<int>(int n) [] [] [] 0\nk<float>(float n) [] [] [] 0"},
		{"const of a parameter", "__global__ void k(const int n);\n__global__ void k(int n) {}", "k(int n) [] [] [] 0"},
		{"array and pointer", "__global__ void k(float *x);\n__global__ void k(float x[4]) {}", "k(float* x) [] [] [] 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want+"\n", strings.ReplaceAll(summary(parseClean(t, test.source)), " no errors", ""))
		})
	}
}

// C++ standard, [cpp.line]: what a line marker says is where errors are.
func TestLineMarkers(t *testing.T) {
	file, err := ParseFile("t.cu", []byte("int a;\n#line 100\n__global__ void k(mystery_t m) {}\n# 7 \"other.cu\" 2\n\n__global__ void l(mystery_t m) {}\n"))
	require.NoError(t, err)
	require.Len(t, file.Kernels, 2)
	assert.Equal(t, "t.cu:100:17", file.Kernels[0].Pos.String())
	assert.Contains(t, file.Kernels[0].Errors.Error(), "t.cu:100:19: k: parameter m has unknown type mystery_t")
	assert.Equal(t, "other.cu:8:17", file.Kernels[1].Pos.String())
}
