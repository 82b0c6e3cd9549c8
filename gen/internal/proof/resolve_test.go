package proof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
)

// TestAliasesOfOneName: the record of a type that aliases of one name lead to can be read.
func TestAliasesOfOneName(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": "#include <type_traits>\nstruct HP { char c; double d; };\n__global__ void k(std::decay_t<HP> *hp) { hp->c = 1; }\n"})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	files := gentest.Snapshot(t, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, "k_cuda.go")))
	o.FindCompiler = gentest.NoCompiler
	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, files, gentest.Snapshot(t, dir))
}

// TestTypesInRecords: a record that says something impossible of the types that the
// compiler told is damaged, and never believed.
func TestTypesInRecords(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": gentest.UnclearSource})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	path := filepath.Join(dir, "k.cudagen.json")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	o.FindCompiler = gentest.NoCompiler
	for _, test := range []struct{ name, from, to, want string }{
		{"an index too large", `"told": \[\s*\d+,\s*\d+`, `"told": [0, 99`, "there is no type 99"},
		{"a negative index", `"told": \[\s*\d+,\s*\d+`, `"told": [0, -1`, "there is no type -1"},
		{"an unknown kind", `"kind": "pointer"`, `"kind": "painter"`, "is of the unknown kind \"painter\""},
		{"an unknown builtin type", `"name": "long"`, `"name": "lang"`, "there is no builtin type \"lang\""},
		{"an array of none", `"len": 3`, `"len": -3`, "is an array of -3"},
		{"another size", `"size": 20,\s*"align": 4,\s*"members"`, `"size": 24, "align": 4, "members"`, "size is 24 by the source and 20 in the image"},
		{"too small a size", `"size": 20,\s*"align": 4,\s*"members"`, `"size": 4, "align": 4, "members"`, "the compiler states that field"},
		{"another type", `"kind": "basic",\s*"name": "double"`, `"kind": "basic", "name": "float"`, "by the source and"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pattern := regexp.MustCompile(test.from)
			require.Regexp(t, pattern, string(good))
			done := false
			bad := pattern.ReplaceAllStringFunc(string(good), func(match string) string {
				if done {
					return match
				}
				done = true
				return test.to
			})
			require.NoError(t, os.WriteFile(path, []byte(bad), 0o644))
			before := gentest.Snapshot(t, dir)
			_, err := gen.Generate(t.Context(), o)
			require.Error(t, err)
			assert.Contains(t, strings.ReplaceAll(err.Error(), "\n", " "), test.want)
			assert.Equal(t, before, gentest.Snapshot(t, dir))
		})
	}
}

// leaves declares a class whose bases have fields of one name, as tuples do.
const leaves = "namespace n { struct A { char c; }; struct B { double d; }; enum class How { plain };\n" +
	"template <unsigned long I, class T, How H> class leaf { T value; }; template <unsigned long... I> struct ids {}; template <class I, class... T> struct impl;\n" +
	"template <unsigned long... I, class... T> struct impl<ids<I...>, T...> : leaf<I, T, How::plain>... {}; }\n"

// What is not understood of a class, of whatever form, the compiler tells, with two witnesses.
func TestCompilerTellsEveryForm(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("CUDAGEN_CACHE", "off")
	compiler, err := compile.Find("nvrtc", os.Getenv)
	require.NoError(t, err)
	for _, test := range []struct {
		name, source string
		size         int64 // of S, by the compiler
	}{
		{"pointer to a member", "struct S { int a; int S::*p; char e; };", 24},
		{"decltype", "struct S { decltype(1L) x; char e; };", 16},
		{"decltype of a call", "__device__ long f(); struct S { decltype(f()) x; char e; };", 16},
		{"a decltype base", "struct B { int a; }; struct D : decltype(B()) { int z; }; struct S { D d; char e; };", 12},
		{"qualified specialisation", "template <class T> struct A { T x; }; template <class T> struct A<const T> { char c[3]; }; struct S { A<const int> a; char e; };", 4},
		{"array specialisation", "template <class T> struct A { T x; }; template <class T> struct A<T[3]> { char c[5]; }; struct S { A<int[3]> a; char e; };", 6},
		{"function specialisation", "template <class T> struct A { T x; }; template <class R, class... P> struct A<R(P...)> { char c[5]; }; struct S { A<int(int, float)> a; char e; };", 6},
		{"void_t", "template <class...> using V = void; template <class T, class = void> struct A { char c[3]; }; template <class T> struct A<T, V<typename T::type>> { int x; };\nstruct H { typedef int type; }; struct S { A<H> a; A<int> b; };", 8},
		{"a member of a specialisation", "template <class T> struct B { struct Q { int x; }; }; template <> struct B<char>::Q { double d; }; struct S { B<char>::Q q; char e; };", 16},
		{"a member of a template, outside", "template <class A> struct T { struct In; In *p; int n; }; template <class A> struct T<A>::In { A x; }; struct S { T<int>::In in; char e; };", 8},
		{"a pack of bases", "template <class... B> struct M : B... { int z; }; struct X { int a; }; struct Y { char b; }; struct S { M<X, Y> m; char e; };", 16},
		{"a recursive tuple", "template <class... T> struct tup {}; template <class H, class... T> struct tup<H, T...> : tup<T...> { H h; }; struct S { tup<int, char, double> t; char e; };", 24},
		{"a recursive tuple of classes", "namespace n { struct A { char c; }; struct B { double d; }; template <class... T> struct tup {}; template <class H, class... T> struct tup<H, T...> : tup<T...> { H h; }; }\nstruct S { n::tup<int, n::A, n::B> t; char e; };", 24},
		{"leaves of a pack", leaves + "struct S { n::impl<n::ids<0, 1>, n::A, n::B> t; char e; };", 24},
		{"leaves in leaves", leaves + "struct S { n::impl<n::ids<0, 1>, n::impl<n::ids<0, 1>, n::B, n::A>, char> t; char e; };", 32},
		{"a private base with leaves", leaves + "namespace n { template <class... T> class hidden : impl<ids<0, 1>, T...> {}; }\nstruct S { n::hidden<n::A, n::B> t; char e; };", 24},
		{"sizeof a string", "struct S { char a[sizeof(\"hello\")]; int e; };", 12},
		{"a variable template", "template <int N> constexpr int two = 2 * N; struct S { char a[two<3>]; int e; };", 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", test.source+"\n__global__ void k(S s, const S *p, float *x) { x[0] = sizeof(s); }\n")
			_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return compiler, nil }))
			require.NoError(t, err)
			r, err := gen.ReadRecord(path)
			require.NoError(t, err)
			at := slices.IndexFunc(r.Structs, func(s record.Struct) bool { return s.Name == "S" })
			require.GreaterOrEqual(t, at, 0)
			assert.Equal(t, test.size, r.Structs[at].Size)
			for _, s := range r.Structs {
				assert.GreaterOrEqual(t, len(s.Witnesses), 2, s.Name)
			}
		})
	}
}

// What the compiler tells of a class does not count if its image has another size.
func TestCompilerHasTwoOpinions(t *testing.T) {
	path := gentest.Write(t, "k.cu", "struct E {}; struct A { float *p; [[no_unique_address]] E e; };\n__global__ void k(A a, int n) { *a.p = n; }\n")
	o := gentest.Options(path, gentest.NVCC(t))
	o.Std = "c++20"
	_, err := gen.Generate(t.Context(), o)
	require.ErrorContains(t, err, "parameter 0: A has two sizes to the compiler itself: 8 bytes by the probe, and 16 in the image")
	assert.Equal(t, diag.CompilersDiffer, diag.CodeOf(err))
}

// Classes of CUDA's C++ libraries by value, in which most types have no name that a source can say.
func TestLibraryClasses(t *testing.T) {
	testenv.Need(t, testenv.Long)
	const source = `#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/tuple>
namespace { struct Hidden { int a; double b; }; }
__global__ void nested(cuda::std::tuple<int, cuda::std::tuple<char, double>> t, float *o) { o[0] = cuda::std::get<0>(cuda::std::get<1>(t)); }
__global__ void hidden(cuda::std::tuple<Hidden, Hidden *> t, float *o) { o[0] = cuda::std::get<0>(t).b; }
__global__ void span(cuda::std::mdspan<float, cuda::std::dextents<int, 2>> m) { m(0, 0) = 1; }
__global__ void strided(cuda::std::mdspan<double, cuda::std::extents<long, 3, cuda::std::dynamic_extent>, cuda::std::layout_stride> m) { m(0, 0) = 1; }
__global__ void maybe(cuda::std::optional<cuda::std::tuple<short, int>> m, float *o) { o[0] = cuda::std::get<1>(*m); }
template <class T> struct Iterator { struct Params { struct Inner { T step; char last; } inner; }; };
__global__ void twins(cuda::std::tuple<Iterator<int>::Params, Iterator<double>::Params> t, double *o) { o[0] = cuda::std::get<1>(t).inner.step; }
enum Plain { none, some };
enum class Order { first, second };
enum class Small : signed char { low, high };
struct alignas(64) Wide { float x[16]; };
struct Inside { Plain plain; Order order; Small small; Wide wide; };
#pragma pack(push, 1)
struct Packed { int a, b; };
#pragma pack(pop)
__global__ void inside(cuda::std::tuple<int, Inside> t, float *o) { o[0] = cuda::std::get<0>(t); }
__global__ void packed(cuda::std::tuple<char, cuda::std::pair<char, Packed>> t, float *o) { o[0] = cuda::std::get<0>(t); }
`
	const thrust = `#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
__global__ void zipped(thrust::zip_iterator<thrust::tuple<thrust::counting_iterator<int>, float *>> z, float *o) { o[0] = thrust::get<1>(*z); }
__global__ void paired(thrust::pair<char, float *> p) { *p.second = p.first; }
` // NVRTC lacks what Thrust includes
	for compiler, source := range map[testenv.Resource]string{testenv.NVCC: source + thrust, testenv.NVRTC: source} {
		t.Run(string(compiler), func(t *testing.T) {
			testenv.Need(t, compiler)
			path := gentest.Write(t, "k.cu", source)
			_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return compile.Find(string(compiler), os.Getenv) }))
			require.NoError(t, err)
			r, err := gen.ReadRecord(path)
			require.NoError(t, err)
			sizes := map[string][]int64{}
			for _, k := range r.Kernels {
				for _, p := range k.Params {
					sizes[k.Name] = append(sizes[k.Name], p.Size)
				}
			}
			want := map[string][]int64{"nested": {24, 8}, "hidden": {24, 8}, "span": {16}, "strided": {32}, "maybe": {12, 8}, "twins": {24, 8}, "inside": {192, 8}, "packed": {10, 8}}
			if compiler == testenv.NVCC {
				want["zipped"], want["paired"] = []int64{16, 8}, []int64{16}
			}
			assert.Equal(t, want, sizes)
			for _, s := range r.Structs {
				assert.GreaterOrEqual(t, len(s.Witnesses), 2, s.Name)
			}
			kinds := map[string]string{}
			for _, e := range r.Enums {
				kinds[e.Name] = e.Type
			}
			assert.Equal(t, map[string]string{"Plain": "uint32", "Order": "int32", "Small": "int8"}, kinds)
		})
	}
}

// Classes of the C++ library by value. C++ cannot name what lies in the private bases of a std::tuple, or in a
// member without a name: such a class is bytes, of which the compiler states how many.
func TestStandardClasses(t *testing.T) {
	const source = `#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>
typedef std::tuple<char, std::pair<int, double>> Nested;
struct Own { Nested t; int n; };
template <class T> __global__ void instance(std::unique_ptr<T> x, int *out) { *out = sizeof(x); }
template __global__ void instance<float>(std::unique_ptr<float> x, int *out);
__global__ void plain(int n, float *out) { *out = n; }
#define TAKE(name, ...) __global__ void name(__VA_ARGS__ x, const __VA_ARGS__ *p, int *out) { *out = sizeof(x) + sizeof(*p); }
TAKE(nested, Nested)
TAKE(own, Own)
TAKE(string, std::string)
TAKE(function, std::function<void(int)>)
TAKE(tuple, std::tuple<int, float>)
TAKE(optional, std::optional<std::pair<int, long>>)
TAKE(span, std::span<int>)
TAKE(view, std::string_view)
TAKE(array, std::array<std::pair<int, float>, 2>)
TAKE(pair, std::pair<short, char>)
TAKE(vector, std::vector<int>)
`
	dir := gentest.Module(t, map[string]string{"k.cu": source})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	o.Std = "c++20"
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	files := gentest.Snapshot(t, dir)
	require.NoError(t, gentest.TypeCheck(t, files["k_cuda.go"]))
	r, err := record.Decode("k.cudagen.json", []byte(files["k.cudagen.json"]))
	require.NoError(t, err)
	goTypes, is := make(map[string]string), make(map[string]string)
	for _, m := range regexp.MustCompile(`type (\w+)Params struct \{\n\t_ +structs.HostLayout\n\t[XN] +(\S+)`).FindAllStringSubmatch(files["k_cuda.go"], -1) {
		goTypes[strings.Replace(m[1], "Float", "<float>", 1)] = m[2]
	}
	for _, k := range r.Kernels {
		p := k.Params[0]
		is[k.Name] = fmt.Sprint(p.Size, " ", regexp.MustCompile(`^[A-Z]\w*$`).ReplaceAllString(goTypes[k.Name], "struct"))
		assert.GreaterOrEqual(t, len(p.Witnesses), 3, k.Name)
	}
	assert.Equal(t, map[string]string{
		"nested": "24 [3]uint64", "own": "32 [4]uint64", "string": "32 [4]uint64", "function": "32 [4]uint64", "instance<float>": "8 uint64",
		"tuple": "8 struct", "optional": "24 struct", "span": "16 struct", "view": "16 struct", "array": "16 struct", "pair": "4 struct", "vector": "24 struct", "plain": "4 int32",
	}, is)
	assert.Len(t, result.Notes, 8)
	assert.Equal(t, "nested: parameter x is of a class that is bytes in Go, because only the debug information states all that it holds, and nothing confirms that", result.Notes[1].Message.Error())

	// Without a compiler the same comes again.
	require.NoError(t, os.Remove(filepath.Join(dir, "k_cuda.go")))
	o.FindCompiler = gentest.NoCompiler
	again, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	isBytes := func(e *diag.Error) bool { return !strings.Contains(e.Text, "is bytes in Go") }
	bytes := slices.DeleteFunc(slices.Clone(result.Notes), isBytes)
	assert.Equal(t, bytes, slices.DeleteFunc(again.Notes, isBytes))
	checked, err := gen.Check(o)
	require.NoError(t, err)
	assert.Equal(t, bytes, checked.Notes)
	assert.Equal(t, files, gentest.Snapshot(t, dir))
}

// clang takes no function of the host where a variable of the device is initialised, and asks constructors of such classes for some.
func TestStandardClassesByClang(t *testing.T) {
	testenv.Need(t, testenv.Clang)
	const source = `#include <optional>
#include <tuple>
#include <utility>
__global__ void pair(std::pair<int, double> x, const std::pair<char, short> *p, int *out) { *out = x.first; }
__global__ void tuple(std::tuple<int, std::pair<float, float>> x, int *out) { *out = sizeof(x); }
__global__ void optional(std::optional<std::pair<char, int>> x, int *out) { *out = sizeof(x); }
`
	dir := gentest.Module(t, map[string]string{"k.cu": source})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", Compiler: "clang"}
	o.Std = "c++20"
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Warnings)
	r, err := record.Decode("k.cudagen.json", []byte(gentest.Snapshot(t, dir)["k.cudagen.json"]))
	require.NoError(t, err)
	sizes := make(map[string]int64)
	for _, k := range r.Kernels {
		sizes[k.Name] = k.Params[0].Size
		assert.GreaterOrEqual(t, len(k.Params[0].Witnesses), 3, k.Name)
	}
	assert.Equal(t, map[string]int64{"pair": 16, "tuple": 12, "optional": 12}, sizes)
}

// A class that only the compiler understands may hold one that is aligned more than its fields. The other parameter is bytes, so that
// nvcc itself is asked, whose debug information has no alignments.
func TestToldAlignments(t *testing.T) {
	const source = `struct Map { alignas(128) unsigned long long opaque[16]; };
template <int N> struct Holder { Map m; int y; };
template <int N> struct Unsaid { union { unsigned d; struct { unsigned short a : 2, b : 5; unsigned short c; }; }; };
constexpr auto f = [](int n) { return n * 2; };
__global__ void k(const Holder<f(3)> x, Unsaid<f(2)> u, int *out) { *out = x.y + u.d; }
`
	dir := gentest.Module(t, map[string]string{"k.cu": source})
	_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
	require.NoError(t, err)
	r, err := record.Decode("k.cudagen.json", []byte(gentest.Snapshot(t, dir)["k.cudagen.json"]))
	require.NoError(t, err)
	aligns := make(map[string]int64)
	for _, s := range r.Structs {
		aligns[s.Name] = s.Align
	}
	assert.Equal(t, int64(128), aligns["Map"])
}

// NVRTC, which answers first, ignores an attribute that nvcc knows: the class has another layout there, of the same size.
func TestToldByTheCompilerItself(t *testing.T) {
	const source = `struct Empty {};
struct Overlapping { int x; [[no_unique_address]] Empty e; char c; short s; };
__global__ void k(Overlapping o, int *out) { *out = o.c; }
`
	dir := gentest.Module(t, map[string]string{"k.cu": source})
	_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
	require.NoError(t, err)
	r, err := record.Decode("k.cudagen.json", []byte(gentest.Snapshot(t, dir)["k.cudagen.json"]))
	require.NoError(t, err)
	require.NotNil(t, r.Kernels[0].Told)
	offsets := make(map[string]int64)
	for _, f := range r.Structs[0].Fields {
		offsets[f.Name] = f.Offset
	}
	assert.Equal(t, map[string]int64{"x": 0, "c": 4, "s": 6}, offsets)
}

// A union whose parts have no names, and a pointer to an array of a class that nothing completes, of which the compiler has
// no size, in a kernel that the compiler tells.
func TestToldWithoutNames(t *testing.T) {
	const source = `template <class T> struct Never { T t; };
struct Empty {};
union Either { struct { short c; [[no_unique_address]] Empty e; char d; }; long long l; };
struct Rows { Never<char> (*rows)[3]; [[no_unique_address]] Empty e; int n; };
__global__ void k(Either e, Rows r, int *out) { *out = e.d + r.n; }
`
	dir := gentest.Module(t, map[string]string{"k.cu": source})
	_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
	require.NoError(t, err)
	r, err := record.Decode("k.cudagen.json", []byte(gentest.Snapshot(t, dir)["k.cudagen.json"]))
	require.NoError(t, err)
	sizes := make(map[string]int64)
	for _, p := range r.Kernels[0].Params {
		sizes[p.Name] = p.Size
	}
	assert.Equal(t, map[string]int64{"e": 8, "r": 16, "out": 8}, sizes)
}

// What nvcc lays out in two ways is refused, also where the size of the parameter is the same in both: it reads other
// bytes than offsetof says.
func TestTwoLayoutsOfOneSize(t *testing.T) {
	const before = `struct Empty {};
struct Last { short a; [[no_unique_address]] Empty e; };
typedef int Lowered __attribute__((aligned(2)));
`
	for class, want := range map[string]string{
		"struct S { Last l; short c; double d; };":       "Last has two sizes to the compiler itself: 2 bytes by sizeof, and 4 as a variable",
		"struct S : Last { char c; double d; };":         "base class Last of S has a member without bytes of its own",
		"struct S { short a; Lowered c; double d; };":    "a typedef lowers the alignment of field c, and nvcc itself has two opinions",
		"class S { Last l; public: char c; double d; };": "Last has two sizes to the compiler itself",

		"template <class T> using L = T __attribute__((aligned(4))); struct S { int a; L<double> c; double d; };": "field c lies at byte 4, where its type does not lie by itself",
	} {
		t.Run(class, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"k.cu": before + class + "\n__global__ void k(S s, float *out) { out[0] = s.c; out[1] = s.d; }\n"})
			_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
			require.ErrorContains(t, err, want)
			assert.Equal(t, diag.CompilersDiffer, diag.CodeOf(err))
		})
	}
}

// Valid C++ that names things twice: enumerations that are declared again, and kernel templates with the name of another template.
func TestDeclaredTwice(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	for name, source := range map[string]string{
		"enumerations": `enum class Mode : int { Order, Squared };
enum class Mode : int;
enum Old : unsigned char { A, B = 7 };
enum Old : unsigned char;
struct S { Old o; int a[B]; };
template <Mode m> __global__ void f(int *x) { *x = int(m); }
template __global__ void f<Mode::Squared>(int *x);
__global__ void h(S s, Mode m, const Mode *p, int *x) { *x = s.o + int(m); }
`,
		"launched": `template <class T> __global__ void gather(const T *x, T *y) { y[threadIdx.x] = x[threadIdx.x]; }
template <class T> void gather(const T &x, T &y, cudaStream_t s);
void run(const float *x, float *y, cudaStream_t s) { gather<float><<<1, 32>>>(x, y); }
`,
		"by a directive": `//cudagen:instantiate <float>
template <class T> __global__ void gather(const T *x, T *y) { y[threadIdx.x] = x[threadIdx.x]; }
template <class T> void gather(const T &x, T &y, cudaStream_t s) { }
`,
	} {
		dir := gentest.Module(t, map[string]string{"k.cu": source})
		result, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
		require.NoError(t, err, name)
		assert.Empty(t, result.Warnings, name)
		assert.Empty(t, result.Notes, name)
		r, err := record.Decode("k.cudagen.json", []byte(gentest.Snapshot(t, dir)["k.cudagen.json"]))
		require.NoError(t, err)
		for _, k := range r.Kernels {
			assert.Contains(t, k.Params[0].Witnesses, record.Probe, "%s: %s", name, k.Name)
		}
		assert.Len(t, r.Kernels, map[string]int{"enumerations": 2, "launched": 1, "by a directive": 1}[name])
	}
}
