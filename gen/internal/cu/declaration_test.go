package cu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// The canonical spelling of a parameter's type for each way to get at a type. The
// spellings are those of demanglers: Itanium C++ ABI, Mangling.
func TestDeclaredTypes(t *testing.T) {
	tests := []struct{ name, source, parameters, want string }{
		{"typedef", "typedef unsigned int u32, *pu32, a32[4];", "u32 a, pu32 b, a32 c, const pu32 d", "unsigned int, unsigned int*, unsigned int*, unsigned int*"},
		{"typedef of a qualified type", "typedef const int ci;", "ci a, ci *b", "int, int const*"},
		{"using", "using u32 = unsigned; using p = const u32 *;", "u32 a, p b", "unsigned int, unsigned int const*"},
		{"function pointers", "typedef float (*op)(float, int); typedef void fn(int);", "op a, float (*b)(const float *), fn *c, fn d",
			"float (*)(float, int), float (*)(float const*), void (*)(int), void (*)(int)"},
		{"arrays without bounds", "typedef const float cf;", "float a[0], cf b[], const cf c[0][2]", "float*, float const*, float const (*) [2]"},
		{"pointer to an array", "", "float (*a)[3], const int (&b)[2]", "float (*) [3], int const (&) [2]"},
		{"alias template", "template <class T> using ptr = T *; template <class T, int N> struct V { T x[N]; }; template <class T> using V3 = V<T, 3>;",
			"ptr<const float> a, V3<int> b", "float const*, V<int, 3>"},
		{"template arguments", "template <class T, unsigned N = 2, bool B = (N > 1)> struct A { T x[N]; }; const int k = 3;",
			"A<float> a, A<int, k * 2> b, A<char, 1> c, A<A<int>> d", "A<float, 2u, true>, A<int, 6u, true>, A<char, 1u, false>, A<A<int, 2u, true>, 2u, true>"},
		{"enums", "enum E { a }; enum class F : short { b }; typedef enum { c } G; namespace n { enum H : unsigned char { d }; }",
			"E a, F b, enum E c, n::H d, G e", "E, F, E, n::H, G"},
		{"members", "struct A { using T = float; struct B { int x; }; enum C { d }; typedef B *P; };", "A::T a, A::B b, A::C c, A::P d", "float, A::B, A::C, A::B*"},
		{"dependent members", "template <class T> struct Traits; template <> struct Traits<float> { typedef double type; }; template <class T> struct U { using type = typename Traits<T>::type; };",
			"U<float>::type a, typename Traits<float>::type b", "double, double"},
		{"inherited member types", "struct B { typedef int T; }; struct D : B { T x; };", "D::T a", "int"},
		{"namespaces", "namespace a { struct S { int x; }; inline namespace v1 { struct I { int x; }; } namespace b { typedef S T; } } namespace c = a::b; using namespace a; using a::b::T;",
			"a::S a, S b, c::T d, T e, a::I f, I g, ::a::v1::I h", "a::S, a::S, a::S, a::S, a::v1::I, a::v1::I, a::v1::I"},
		{"typedef struct", "typedef struct { int x; } A; typedef struct B { int x; } B, *PB; typedef struct C_ D; struct C_ { int x; };", "A a, B b, PB c, struct B d, D e", "A, B, B*, B, C_"},
		{"attributes everywhere", "", "const float *__restrict__ const a, [[maybe_unused]] int b, float const volatile *c, const __grid_constant__ int d", "float const*, int, float const volatile*, int"},
		{"macros for types", "#define REAL double\n#define CONST_PTR(T) const T *__restrict\n#define ARGS int n, REAL x", "CONST_PTR(REAL) a, ARGS", "double const*, int, double"},
		{"libraries", "", "cudaTextureObject_t a, half b, __half2 *c, cudaStream_t d, dim3 e, cuFloatComplex f, nv_bfloat16 g, curandState *h, FILE *i, uint j",
			"unsigned long long, __half, __half2*, CUstream_st*, dim3, float2, __nv_bfloat16, curandStateXORWOW*, _IO_FILE*, unsigned int"},
		{"own name of a library's", "typedef unsigned short half; struct float16 { int x; };", "half a, float16 b", "unsigned short, float16"},
		{"complex", "", "std::complex<float> a, thrust::complex<double> *b", "std::complex<float>, thrust::complex<double>*"},
		{"bytes", "using std::byte;", "std::byte a, ::cuda::std::byte *b, const byte &c", "std::byte, cuda::std::byte*, std::byte const&"},
		{"default arguments", "template <class T> struct A { static const int n = 1; };", "int a = 1, float b = (2, 3), int c = sizeof(A<int>), int d = static_cast<int>(1)", "int, float, int, int"},
		{"references", "typedef int &R;", "int &a, const float &b, R c, int &&d", "int&, float const&, int&, int&&"},
		{"wide", "", "long double a, __int128 b, unsigned __int128 c", "long double, __int128, unsigned __int128"},
		{"partial specialisation", "template <class T, int N> struct A { int x; typedef int type; }; template <class T> struct A<T *, 2> { typedef T type; };",
			"A<float *, 2>::type a, A<float *, 3>::type b", "float, int"},
		// C++ standard, [temp.class.spec.match]
		{"partial specialisation for one type twice", "template <class T, class U> struct A { typedef int type; }; template <class T> struct A<T, T> { typedef float type; };",
			"A<char, char>::type a, A<char, long>::type b, A<const char, char>::type c, A<long, size_t>::type d", "float, int, int, int"},
		{"partial specialisation for one value twice", "template <int N, int M> struct A { typedef int type; }; template <int N> struct A<N, N> { typedef float type; };",
			"A<1, 1>::type a, A<1, 2>::type b", "float, int"},
		{"partial specialisation by pattern", "template <class T> struct Box {}; template <class T> struct R { typedef T type; }; template <class T> struct R<T *> { typedef char type; };" +
			" template <class T> struct R<T &> { typedef short type; }; template <class T> struct R<T &&> { typedef long type; }; template <class T> struct R<Box<T>> { typedef T type; };" +
			" template <class T> struct R<T[3]> { typedef double type; };",
			"R<int *>::type a, R<int &>::type b, R<int &&>::type c, R<Box<float>>::type d, R<int[3]>::type e, R<bool>::type f, R<int *const *>::type g",
			"char, short, long, float, double, bool, char"},
		{"partial specialisation and a class of its parameter's name", "template <class T> struct Box { T x; }; template <class T> struct R { typedef int type; }; template <class T> struct R<Box<T>> { typedef Box<T> type; };" +
			" typedef R<int>::type I; struct T { int x; };", "R<Box<T>>::type a, R<Box<float>>::type b, Box<T> c, I d", "Box<T>, Box<float>, Box<T>, int"},
		{"partial specialisation for pointers to arrays", "template <class T> struct R { typedef int type; }; template <class T, int N> struct R<T (*)[N]> { typedef T type[N]; }; template <class T, int N> struct R<T (&)[N]> { typedef T *type; }; template <class T> struct R<T (*)[2]> { typedef char type; };",
			"R<float (*)[3]>::type *a, R<const int (&)[4]>::type b, R<short (*)[2]>::type c, R<int *[3]>::type d", "float (*) [3], int const*, char, int"},
		{"partial specialisation of const", "template <class T> struct R { typedef T type; }; template <class T> struct R<const T> { typedef T *type; };", "R<const int>::type a, R<int>::type b", "int*, int"},
		{"partial specialisation with a template", "template <class T> struct P { typedef T *type; }; template <class T, int N, template <class> class Q = P> struct A { int x[N]; typedef T type; }; template <class T, template <class> class R> struct A<T, 1, R> { typedef typename R<T>::type type; };",
			"A<float, 1>::type a, A<float, 2>::type b", "float*, float"},
		{"template template", "template <class T> struct P { typedef T *type; }; template <class T, template <class> class Q = P> struct A { typename Q<T>::type x; };",
			"A<int> a", "A<int, P>"},
		{"elaborated before definition", "struct S *head;", "struct S *a, struct Fresh *b", "S*, Fresh*"},
		{"constexpr function", "constexpr int up(int a, int b) { return (a + b - 1) / b; } struct S { int x[up(10, 4)]; }; template <int N> struct V { int x[N]; };", "V<up(9, 2)> a", "V<5>"},
		{"sizeof", "struct S; template <int N> struct V { char x[N]; };", "V<sizeof(double) + sizeof(S *) + sizeof(float4)> a", "V<32>"},
		{"condition in the signature", "#define WIDE 1", "int a\n#if WIDE\n, long b\n#else\n, int b\n#endif\n", "int, long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := parseClean(t, test.source+"\n__global__ void k("+test.parameters+") {}")
			require.Len(t, file.Kernels, 1)
			var got []string
			for _, p := range file.Kernels[0].Params {
				got = append(got, p.Type.Demangled())
			}
			assert.Equal(t, test.want, strings.Join(got, ", "))
		})
	}
}

// Kernels as people write them. Each source has one kernel with one int n.
func TestKernelSpellings(t *testing.T) {
	for _, src := range []string{
		"#define RAFT_KERNEL static __global__ void\nRAFT_KERNEL k(int n) {}",
		"#define KERNEL(name) extern \"C\" __global__ void name##_kernel\nKERNEL(k)(int n) {}",
		"#define MAKE(name) __global__ void name(int n) {}\nMAKE(k)",
		"__global__ __launch_bounds__(256) void k(int n) {}",
		"__global__ void __launch_bounds__(256, 2) k(int n) {}",
		"__launch_bounds__(256) __global__ void k(int n) {}",
		"template <int> struct A { static const int v = 2; }; __global__ void __launch_bounds__(A<1>::v * 32) k(int n) {}",
		"void __global__ k(int n) {}", "static inline __global__ void k(int n) {}", "__global__ static void k(int n) {}",
		"__global__ void k(int n) __attribute__((used));", "__attribute__((visibility(\"default\"))) __global__ void k(int n) {}",
		"[[deprecated(\"x\")]] __global__ void k(int n) {}", "__global__ [[gnu::used]] void k(int n) {}",
		"extern \"C\" { __global__ void k(int n) {} }", "extern \"C\"\n__global__ void k(int n) {}",
		"__global__ void __cluster_dims__(2, 1, 1) k(int n) {}", "__global__ void k(const int n);\n__global__ void k(int n) { }",
		"__global__ \\\nvoid k( \\\nint n) {}", "__global__ auto k(int n) -> void {}", "using nothing = void; __global__ nothing k(int n) {}",
		"HIP_API(x)\n__global__ void k(int n) {}", "MISSING_MACRO __global__ void k(int n) {}", "REGISTER(a, b)\nREGISTER(c)\n__global__ void k(int n) {}",
		"#if 0\n__global__ void k(long n) {}\n#else\n__global__ void k(int n) {}\n#endif",
		"#ifndef N\n#define N 4\n#endif\n__global__ void k(int n) { int x[N]; }",
		"class A { A(); int operator()(int) const; int x[2] = {1, 2}; };\n__global__ void k(int n) {}",
		"template <class T> T f(T a) { return a < 1 ? a : f<T>(a >> 1); }\n__global__ void k(int n) {}",
		"int a = b < c, d = e > f;\n__global__ void k(int n) {}", "auto l = [](auto x) -> int { return x; };\n__global__ void k(int n) {}",
		"struct S { S() : a{1}, b(2) {} int a, b; } s;\n__global__ void k(int n) {}", "enum { A, B };\n__global__ void k(int n) {}",
		"template <class T> requires (sizeof(T) > 1) struct A {};\n__global__ void k(int n) {}",
	} {
		t.Run(src, func(t *testing.T) {
			file := parseClean(t, src)
			require.Len(t, file.Kernels, 1)
			require.Len(t, file.Kernels[0].Params, 1)
			assert.Equal(t, "n", file.Kernels[0].Params[0].Name)
			assert.Equal(t, "int", file.Kernels[0].Params[0].Type.Demangled())
		})
	}
}

// What an attribute says of a launch, and what it does not when it is not constant.
func TestConfiguration(t *testing.T) {
	file := parseClean(t, `
constexpr int threads = 128;
__global__ void __launch_bounds__(threads * 2, 1) a();
__global__ void __cluster_dims__(2, 1) __maxnreg__(40) b();
__block_size__((64, 2), (2)) __global__ void c();
__global__ void __launch_bounds__(unknown) d();
`)
	require.Len(t, file.Kernels, 4)
	assert.Equal(t, []int64{256, 1}, file.Kernels[0].LaunchBounds)
	assert.Equal(t, []int64{2, 1}, file.Kernels[1].ClusterDims)
	assert.EqualValues(t, 40, file.Kernels[1].MaxRegisters)
	assert.Equal(t, []int64{64, 2}, file.Kernels[2].BlockSize)
	assert.Equal(t, []int64{2}, file.Kernels[2].ClusterDims)
	assert.Nil(t, file.Kernels[3].LaunchBounds)
}

// structOf returns the struct S of src.
func structOf(t *testing.T, src string) *ctype.Struct {
	t.Helper()
	for _, s := range parseClean(t, src).Structs {
		if s.Name == "S" {
			return s
		}
	}
	require.Fail(t, "there is no S")
	return nil
}

// What decides the layout of a class is recorded.
func TestRecordForms(t *testing.T) {
	tests := []struct {
		source string
		holds  func(s *ctype.Struct) bool
	}{
		{"struct S { int a : 3, : 0, b : 5; };", func(s *ctype.Struct) bool {
			return len(s.Fields) == 3 && s.Fields[0].BitField && s.Fields[0].Bits == 3 && s.Fields[1].Name == "" && s.Fields[1].Bits == 0
		}},
		{"struct B { int x; }; struct S : public B, virtual B2<int> { }; ", func(s *ctype.Struct) bool { return s.Unsupported != nil }},
		{"struct B { int x; }; struct S : public B { int y; };", func(s *ctype.Struct) bool {
			return len(s.Bases) == 1 && s.Bases[0].Type.Name == "B" && !s.Bases[0].Virtual && s.POD == ctype.PODNo
		}},
		{"struct B { int x; }; struct S : virtual B { };", func(s *ctype.Struct) bool { return s.Bases[0].Virtual }},
		{"struct S { virtual void f(); int x; };", func(s *ctype.Struct) bool { return s.Virtual }},
		{"struct S { virtual ~S() {} };", func(s *ctype.Struct) bool { return s.Virtual }},
		{"union S { int a; float b; };", func(s *ctype.Struct) bool { return s.Union && len(s.Fields) == 2 }},
		{"struct S { union { int a; float b; }; struct { int c; } d; };", func(s *ctype.Struct) bool {
			u, ok := s.Fields[0].Type.(*ctype.Struct)
			return ok && u.Union && s.Fields[0].Name == "" && s.Fields[1].Name == "d" && len(s.Fields) == 2
		}},
		{"struct S { char a; int b; } __attribute__((packed, aligned(4)));", func(s *ctype.Struct) bool { return s.Packed && s.Align == 4 }},
		{"struct __attribute__((packed)) S { char a; };", func(s *ctype.Struct) bool { return s.Packed }},
		{"struct alignas(double) S { char a; };", func(s *ctype.Struct) bool { return s.Align == 8 }},
		{"struct __align__(16) S { char a; };", func(s *ctype.Struct) bool { return s.Align == 16 }},
		{"struct S { char a; int b __attribute__((packed)); alignas(8) char c; };", func(s *ctype.Struct) bool { return s.Fields[1].Packed && s.Fields[2].Align == 8 }},
		{"struct S { int x; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODYes }},
		{"struct __host__ __device__ alignas(8) S { int x; int &__device__ f(); };", func(s *ctype.Struct) bool { return s.Align == 8 && len(s.Fields) == 1 }},
		{"struct S { S() {} int x; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODNo }},
		{"struct S { S() = default; int x; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODUnsure }},
		{"struct S { int x = 1; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODUnsure }},
		{"class S { int x; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODNo }},
		{"class S { public: int x; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODYes }},
		{"struct S { template <class T> S(T) {} int x; };", func(s *ctype.Struct) bool { return s.POD == ctype.PODNo }},
		{"struct S { static int a; static const int n = 3; static constexpr int m = n + 1; int b[m]; void f(); typedef int T; T c; enum { D = 2 }; T d[D][n]; };",
			func(s *ctype.Struct) bool {
				return len(s.Fields) == 3 && s.Fields[0].Type.Demangled() == "int [4]" && s.Fields[2].Type.Demangled() == "int [2][3]"
			}},
		{"struct S { int (*f)(int); void (*g[2])(S *); };", func(s *ctype.Struct) bool { return len(s.Fields) == 2 }},
		{"struct S { S &operator=(const S &); explicit S(int); bool operator<(const S &) const; operator int() const { return x; } int x; };", func(s *ctype.Struct) bool { return len(s.Fields) == 1 }},
		{"template <class T> struct V { T v[2]; }; struct S { V<float> a; V<V<int>> b; };", func(s *ctype.Struct) bool {
			inner, ok := s.Fields[1].Type.(*ctype.Struct)
			return ok && inner.Complete && inner.Fields[0].Type.Demangled() == "V<int> [2]"
		}},
		{"template <class T> struct Node { Node *next; T value; }; struct S { Node<int> n; };", func(s *ctype.Struct) bool { return s.Unsupported == nil }},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			s := structOf(t, test.source)
			assert.True(t, s.Complete)
			assert.True(t, test.holds(s), "%+v", s)
		})
	}
}

// The underlying type of an enumeration is what GCC and clang choose.
func TestEnums(t *testing.T) {
	tests := []struct {
		source, underlying, values string
	}{
		{"enum E { A, B, C = 5, D };", "unsigned int", "A=0 B=1 C=5 D=6"},
		{"enum E { A = -1, B };", "int", "A=-1 B=0"},
		{"enum E { A = 0xffffffff };", "unsigned int", "A=4294967295"},
		{"enum E { A = 0xffffffff, B };", "unsigned long", "A=4294967295 B=4294967296"},
		{"enum E { A = -1, B = 0x80000000 };", "long", "A=-1 B=2147483648"},
		{"enum E : unsigned char { A = 200, B };", "unsigned char", "A=200 B=201"},
		{"enum class E { A = 1 << 3 };", "int", "A=8"},
		{"enum class E : long; enum class E : long { A = 1 };", "long", "A=1"},
		{"const int n = 3; enum E { A = n, B = A * 2, C = sizeof(int) };", "unsigned int", "A=3 B=6 C=4"},
		{"enum E { A [[deprecated]] = 1, B, };", "unsigned int", "A=1 B=2"},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			file := parseClean(t, test.source)
			require.Len(t, file.Enums, 1)
			var values []string
			for _, e := range file.Enums[0].Enumerators {
				values = append(values, fmt.Sprintf("%s=%d", e.Name, e.Value))
			}
			assert.Equal(t, test.underlying, file.Enums[0].Underlying.Name)
			assert.Equal(t, test.values, strings.Join(values, " "))
			assert.Nil(t, file.Enums[0].Unsupported)
		})
	}
}

// Templates of kernels, their instances and what the file suggests.
func TestKernelTemplates(t *testing.T) {
	file := parseClean(t, `
namespace n {
struct Mine { int x; };
template <class T> struct Vec { T v[3]; };
// Documented.
//cudagen:instantiate T=float,N=4
//cudagen:instantiate T=const Mine *, N=1 << 3 Eight
//cudagen:block 64
template <typename T, int N = 2, bool B = (N == 4)>
__global__ void k(T (&x)[N], Vec<T> v, T *p = nullptr) {}
template __global__ void k<int, 3>(int (&)[3], Vec<int>, int *);
template <> __global__ void k<double, 5, true>(double (&x)[5], Vec<double> v, double *p) {}
void launch() { k<float, 4><<<1, 2>>>(x, v); k<unsigned char><<<1, 2>>>(x, v); T *t; k<T><<<1, 1>>>(t, v); k<float, 4><<<1, 2>>>(x, v); }
}`)
	require.Len(t, file.Kernels, 5)
	template := file.Kernels[0]
	assert.True(t, template.Template)
	assert.Empty(t, template.Params)
	assert.Equal(t, []TemplateParam{{Name: "T", Type: "typename", Example: "float"}, {Name: "N", Type: "int", Default: "2", Example: "4"}, {Name: "B", Type: "bool", Default: "(N == 4)", Example: "true"}}, template.TemplateParams)
	assert.Equal(t, []string{"T=int,N=3,B=false", "T=float,N=4,B=true"}, template.Suggestions)
	names := []string{"n::k", "n::k<float, 4, true>", "n::k<n::Mine const*, 8, false>", "n::k<int, 3, false>", "n::k<double, 5, true>"}
	types := []string{"", "float (&) [4]; n::Vec<float>; float*", "n::Mine const* (&) [8]; n::Vec<n::Mine const*>; n::Mine const**", "int (&) [3]; n::Vec<int>; int*", "double (&) [5]; n::Vec<double>; double*"}
	for i, k := range file.Kernels {
		var got []string
		for _, p := range k.Params {
			got = append(got, p.Type.Demangled())
		}
		assert.Equal(t, names[i], k.QualifiedName())
		assert.Equal(t, types[i], strings.Join(got, "; "))
	}
	eight := file.Kernels[2]
	assert.Equal(t, "Eight", eight.Instance.GoName)
	assert.Same(t, template, eight.Instance.Template)
	require.Len(t, eight.Directives, 1)
	assert.Equal(t, "block", eight.Directives[0].Verb)
	assert.True(t, file.Kernels[3].Instance.Explicit)
	assert.True(t, file.Kernels[4].Specialised)
}

// A directive instantiate that asks for what is not there says what it could ask for.
// What another file instantiates is none of this one's kernels, but says what it is wanted
// with.
func TestExternTemplate(t *testing.T) {
	file := parseClean(t, "template <typename T> __global__ void k(T *x) {}\nextern template __global__ void k<float>(float *);\nextern template class A<int>;\n__global__ void l(int n) {}")
	require.Len(t, file.Kernels, 2)
	assert.Equal(t, []string{"T=float"}, file.Kernels[0].Suggestions)
	assert.Equal(t, "l", file.Kernels[1].Name)
}

func TestInstantiateErrors(t *testing.T) {
	tests := map[string]string{
		"T=mystery_t,N=1": "t.cu:1:25: k: template parameter T: a template argument has unknown type mystery_t",
		"T=float":         "t.cu:1:23: k: template parameter N has no value (write //cudagen:instantiate T=…,N=…)",
		"T=float,M=1":     "t.cu:1:31: k: there is no template parameter M (they are T=…,N=…)",
		"T=float,T=int":   "template parameter T is given twice",
		"T=float,N=x":     "template argument N is not understood: x is not a constant",
		"float":           "a directive instantiate reads T=…,N=…",
		"T=float,N=0":     "an array of no elements",
		"T=void,N=1":      "has type void",
	}
	for arguments, want := range tests {
		t.Run(arguments, func(t *testing.T) {
			file, err := ParseFile("t.cu", []byte("//cudagen:instantiate "+arguments+"\ntemplate <class T, int N> __global__ void k(T x, int y[2][N]) {}"))
			require.NoError(t, err)
			require.Len(t, file.Kernels, 2)
			assert.ErrorContains(t, file.Kernels[1].Errors, want)
		})
	}
	file, err := ParseFile("t.cu", []byte("//cudagen:instantiate T=int\ntemplate <class... T> __global__ void k(T... x) {}"))
	require.NoError(t, err)
	assert.ErrorContains(t, file.Kernels[1].Errors, "template parameter T (class...) is a pack, which has no single value (give all arguments, as in //cudagen:instantiate <float, int>)")
}

// What fuzzing found: each is an error or nothing, and no panic.
func TestFound(t *testing.T) {
	for _, src := range []string{"template <class T>", "template <class T> requires", "namespace", "using", "typedef", "template <"} {
		file, _ := ParseFile("t.cu", []byte(src))
		assert.NotNil(t, file, src)
	}
}

// TestManyDeclarators: what is counted is how deep declarators are nested, not how many a declaration has.
func TestManyDeclarators(t *testing.T) {
	names := make([]string, deepestNesting+10)
	for i := range names {
		names[i] = fmt.Sprintf("T%d", i)
	}
	last := names[len(names)-1]
	file, err := ParseFile("t.cu", fmt.Appendf(nil, "typedef int %s;\n__global__ void k(%s x) {}\n", strings.Join(names, ", "), last))
	require.NoError(t, err)
	require.Len(t, file.Kernels, 1)
	assert.Empty(t, file.Kernels[0].Errors)
	require.Len(t, file.Kernels[0].Params, 1)
	assert.Equal(t, "int", ctype.Unalias(file.Kernels[0].Params[0].Type).String())
}
