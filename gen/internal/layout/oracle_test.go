package layout_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ianlancetaylor/demangle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/testenv"
)

// A ptxParam is what PTX says of a kernel's parameter.
type ptxParam struct{ offset, size, align int64 }

var (
	ptxEntry = regexp.MustCompile(`(?s)\.entry\s+([\w$]+)\s*\((.*?)\)`)
	ptxParm  = regexp.MustCompile(`\.param\s+(?:\.align\s+(\d+)\s+)?\.([a-z]+)(\d+)\s+(?:\.ptr[^,]*?)?[\w$]+(?:\[(\d+)\])?`)
)

// ptxParams returns the parameters of the kernels in PTX text by symbol.
func ptxParams(t *testing.T, ptx string) map[string][]ptxParam {
	t.Helper()
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		require.NoError(t, err)
		return n
	}
	kernels := make(map[string][]ptxParam)
	for _, entry := range ptxEntry.FindAllStringSubmatch(ptx, -1) {
		params := []ptxParam{}
		end := int64(0)
		for _, m := range ptxParm.FindAllStringSubmatch(entry[2], -1) {
			p := ptxParam{size: number(m[3]) / 8}
			p.align = p.size
			if m[1] != "" {
				p.align = number(m[1])
			}
			if m[4] != "" {
				p.size *= number(m[4])
			}
			p.offset = (end + p.align - 1) / p.align * p.align
			end = p.offset + p.size
			params = append(params, p)
		}
		kernels[entry[1]] = params
	}
	return kernels
}

// compile returns the PTX of CUDA source.
func compile(t *testing.T, source string) string {
	t.Helper()
	ptx, err := tryCompile(t, source)
	require.NoError(t, err)
	return ptx
}

// tryCompile is compile for source that may be refused.
func tryCompile(t *testing.T, source string) (string, error) {
	t.Helper()
	nvcc := testenv.NVCCPath(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.cu"), filepath.Join(dir, "out.ptx")
	require.NoError(t, os.WriteFile(in, []byte(source), 0o666))
	command := exec.Command(nvcc, "-w", "-ptx", "-arch=compute_75", "-std=c++17", "-o", out, in)
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	ptx, err := os.ReadFile(out)
	require.NoError(t, err)
	return string(ptx), nil
}

// disagreements compares the layout of every kernel in file with what PTX says, by the
// kernel's name, and returns what differs.
func disagreements(file *cu.File, kernels map[string][]ptxParam) []string {
	var differ []string
	for _, k := range file.Kernels {
		if len(k.Errors) > 0 {
			differ = append(differ, k.Errors.Error())
			continue
		}
		want, ok := kernels[k.Name]
		if !ok || len(want) != len(k.Params) {
			differ = append(differ, fmt.Sprintf("%s: %d parameters, PTX has %d", k.Signature, len(k.Params), len(want)))
			continue
		}
		var types []ctype.Type
		for _, p := range k.Params {
			types = append(types, p.Type)
		}
		places, end, _, err := layout.Params(types)
		if err != nil {
			differ = append(differ, k.Signature+": "+err.Error())
			continue
		}
		wantEnd := int64(0)
		for i := range want {
			if got := (ptxParam{places[i].Offset, places[i].Size, places[i].Align}); got != want[i] {
				differ = append(differ, fmt.Sprintf("%s: parameter %d: %+v, PTX has %+v", k.Signature, i+1, got, want[i]))
			}
			wantEnd = want[i].offset + want[i].size
		}
		if end != wantEnd {
			differ = append(differ, fmt.Sprintf("%s: ends at %d, PTX at %d", k.Signature, end, wantEnd))
		}
	}
	return differ
}

func parse(t *testing.T, source string) *cu.File {
	t.Helper()
	file, err := cu.ParseFile("in.cu", []byte(source))
	require.NoError(t, err)
	return file
}

// The example's parameters lie where its committed PTX has them. A symbol that is
// mangled is found by the name in it.
func TestExample(t *testing.T) {
	source, err := os.ReadFile("../../../example/kernels.cu")
	require.NoError(t, err)
	ptx, err := os.ReadFile("../../../example/kernels.ptx")
	require.NoError(t, err)
	file := parse(t, string(source))
	kernels := ptxParams(t, string(ptx))
	require.NotEmpty(t, file.Kernels)
	for _, k := range file.Kernels {
		for symbol, params := range kernels {
			if strings.HasPrefix(symbol, "_Z") && strings.Contains(symbol, strconv.Itoa(len(k.Name))+k.Name) {
				kernels[k.Name] = params
			}
		}
	}
	assert.Empty(t, disagreements(file, kernels))

	t.Run("control", func(t *testing.T) {
		kernels["heat_step"][2].size += 4
		kernels["add_delta"][2].offset += 4
		assert.Len(t, disagreements(file, kernels), 3, "a size and an offset with the end were moved")
	})
}

// forms are parameters of every form that is understood, with what they need before
// them.
const forms = `
#include <cstdint>
#include <cstddef>
#define COUNT 3
namespace ns { enum { Two = 2 }; constexpr int four = 1 << Two;
inline namespace v1 { struct Inner { char c; alignas(4 * four) short s[ns::Two]; }; } }
struct Empty {};
struct Before;
struct alignas(64) Wide { char c; };
struct __align__(16) Twelve { float x, y, z; };
struct __attribute__((aligned(32))) Attribute { int *p; };
struct Behind { char c; int x __attribute__((aligned(16))); } __attribute__((aligned(32)));
class Shape {
  float radius = 1;
public:
  Shape() : radius{2} {}
  explicit Shape(float r);
  __host__ __device__ float area() const { return radius * radius; }
  static constexpr int corners = 5;
  bool operator()(int x) const { return x > 0; }
  Shape &operator=(const Shape &) = default;
  static int instances;
private:
  unsigned char colours[corners], alpha;
  struct Point { double x; char tag; };
  Point points[2][COUNT];
};
struct Node { Node *next; struct Before *before; Empty none; ns::Inner inner; };
typedef struct { double d; char c; } Plain;
extern "C" {
`

// spellings are the parameters of one kernel each.
var spellings = []string{
	"bool a, char b, signed char c, unsigned char d, short e, unsigned short f, int g, unsigned h, long i, unsigned long j, long long k, unsigned long long l, float m, double n",
	"char16_t a, char32_t b, wchar_t c, char d, wchar_t e",
	"unsigned long long int a, char b, long unsigned c, char d, int long long unsigned e, char f, short int signed g, char h, long int i",
	"char a, size_t b, char c, int8_t d, int16_t e, char f, int32_t g, int64_t h, char i, std::uint8_t j, uint16_t k, std::uint32_t l, char m, uint64_t n, char o, ptrdiff_t p, uintptr_t q",
	"char a, int const b, char c, float const *const __restrict__ d, char e, const volatile int *__restrict f, void *g, void **h, const float *const *i",
	"char a, float b[4], char c, float d[][3], char e, const int f[2][3], char, int *",
	"char a, dim3 b, char c, float3 d",
	"char a, Empty b, char c, Empty d, int e",
	"char a, Wide b, char c, Twelve d, char e, Attribute f, char g, Behind h, char i",
	"char a, Shape b, char c, struct Node d, char e, Plain f, char g, ns::Inner h, char i, ns::v1::Inner j, char k",
	"const Shape *a, char b, struct Before *c, Plain **d, char e, ns::Inner f, int g",
	"int n, int *data, int delta",
	"",
	"void",
}

// kernelSource returns one kernel for each list of parameters.
func kernelSource(lists []string) string {
	var b strings.Builder
	for i, list := range lists {
		fmt.Fprintf(&b, "__global__ void k%d(%s) {}\n", i, list)
	}
	return b.String()
}

func TestFormsAgainstNVCC(t *testing.T) {
	testenv.Toolkit(t, 13) // double4_16a
	lists := slices.Clone(spellings)
	var names []string
	for v := range ctype.Vectors {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		lists = append(lists, fmt.Sprintf("char a, %s b, char c, const %[1]s *d", name))
	}
	source := forms + kernelSource(lists) + "}\n"
	kernels := ptxParams(t, compile(t, source))
	require.Len(t, kernels, len(lists))
	assert.Empty(t, disagreements(parse(t, source), kernels))

	t.Run("control", func(t *testing.T) {
		wrong := strings.Replace(source, "alignas(64) Wide", "alignas(32) Wide", 1)
		assert.NotEmpty(t, disagreements(parse(t, wrong), kernels))
	})
}

// The canonical spellings of types are those of nvcc's symbols, demangled: this is how
// kernels that are not extern "C" are found in an image.
func TestDemangledAgainstNVCC(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	lists := append(slices.Clone(spellings), "float *__restrict__ *a", "const ns::Inner &a, Shape &b", "volatile float *const *a")
	source := strings.Replace(forms, `extern "C" {`, "namespace outer { namespace {", 1) + kernelSource(lists) + "} }\n" +
		"template <typename... T> void use(T...) {}\nvoid keep() {"
	for i := range lists {
		source += fmt.Sprintf(" use(outer::k%d);", i)
	}
	source += " }\n"
	symbols := make(map[string]bool)
	for symbol := range ptxParams(t, compile(t, source)) {
		text, err := demangle.ToString(symbol)
		require.NoError(t, err)
		symbols[text] = true
	}
	require.Len(t, symbols, len(lists))
	for _, k := range parse(t, source).Kernels {
		require.Empty(t, k.Errors)
		var types []string
		for _, p := range k.Params {
			types = append(types, p.Type.Demangled())
		}
		assert.Contains(t, symbols, k.QualifiedName()+"("+strings.Join(types, ", ")+")")
	}
}

// The table of library classes holds what their headers say, where this CUDA has them.
func TestLibrariesAgainstNVCC(t *testing.T) {
	testenv.Toolkit(t, 13) // __nv_fp8_e8m0
	lines := []string{}
	add := func(l *ctype.Library) {
		lines = append(lines, fmt.Sprintf("#if __has_include(<%s>)\n#include <%[1]s>\nstatic_assert(sizeof(%[2]s) == %[3]d && alignof(%[2]s) == %[4]d, \"%[2]s\");\n#endif",
			l.Header, l.Name, l.Size, l.Align))
	}
	for l := range ctype.Libraries {
		add(l)
	}
	for _, name := range []string{"std::complex", "cuda::std::complex", "thrust::complex"} {
		for _, elem := range []ctype.Kind{ctype.Float, ctype.Double} {
			add(ctype.Complex(name, basic(elem)))
		}
	}
	slices.Sort(lines)
	require.Greater(t, len(lines), 30)
	compile(t, strings.Join(lines, "\n")+"\n")
}

// Constant expressions have the values that nvcc gives them: each is the bound of an array
// in a parameter. C++ standard, [expr.const].
func TestConstantsAgainstNVCC(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	const before = `
#include <climits>
#include <cstdint>
#include <cuda_runtime.h>
namespace a { enum E : short { One = 1, Two, Seven = 7 }; constexpr int twice(int n) { return 2 * n; } }
enum class Scoped : unsigned char { Three = 3, Last = 255 };
struct Plain { double d; char c; static const int size = 5; enum { Nested = 6 }; };
template <int N> struct Sum { static const int value = N + Sum<N - 1>::value; };
template <> struct Sum<0> { static const int value = 0; };
template <class T, class U> struct Same { enum { value = 0 }; };
template <class T> struct Same<T, T> { enum { value = 1 }; };
template <class T> constexpr int bytes() { return sizeof(T); }
typedef char &Reference;
const unsigned mask = 0xF0u;
constexpr int64_t large = 1LL << 40;
#define TILE (4 * 8)
using namespace a;
`
	expressions := []string{
		"sizeof(char &)", "sizeof(Reference)", "sizeof(Plain)", "alignof(Plain)", "sizeof(Plain *)", "sizeof(Plain [3])", "alignof(double [4])", "sizeof(float3)", "alignof(float4)", "sizeof(a::E)",
		"sizeof(Scoped)", "sizeof(int (*)(int))", "sizeof(long)", "sizeof(wchar_t)", "sizeof(unsigned long long) * CHAR_BIT", "alignof(long double *)",
		"One + Two", "a::Seven", "int(Scoped::Three)", "static_cast<int>(Scoped::Last) + 1", "(int)Scoped::Three << 2", "Plain::size + Plain::Nested", "twice(twice(3))", "Sum<5>::value",
		"Same<int, int>::value + 1", "Same<int, unsigned>::value + 1", "Same<long, int64_t>::value + 1", "mask >> 4", "large >> 38", "TILE / 3 % 4", "1 ? 2 : 3", "0 ? 2 : 0 ? 3 : 4",
		"(-1 < 0u) + 1", "(-1 < 0) + 1", "(0u - 1 > 0) + 1", "(unsigned char)(300)", "(signed char)200 + 100", "short(70000) + 1", "(bool)5 + 1", "'A'", "'\\n'", "true + true", "!0 + !5",
		"~0 + 3", "~0u >> 28", "-7 / 2 + 10", "-7 % 3 + 10", "(1 << 4 | 3) ^ 2", "6 & 3", "5 > 3 && 2 != 2 || 1", "0x1F", "017", "0b101", "1'0'0", "(3, 4)", "2147483647 / 1073741823",
		"(INT_MAX > 0) + 1", "UINT8_MAX", "(1ull << 63) >> 60", "sizeof(1 ? 2 : 3)", "sizeof(int) > 2 ? 3 : 9", "(int)3.7", "sizeof 'a'", "bytes<double>()", "alignof(Scoped) + sizeof(Same<int, int>)", "sizeof(struct Plain)",
	}
	source := before
	for i, e := range expressions {
		source += fmt.Sprintf("struct S%d { char x[%s]; };\nextern \"C\" __global__ void k%[1]d(S%[1]d s) {}\n", i, e)
	}
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile("in.cu", []byte(source))
	require.NoError(t, err)
	var refused []string
	file.Kernels = slices.DeleteFunc(file.Kernels, func(k *cu.Kernel) bool {
		if len(k.Errors) == 0 {
			return false
		}
		i, err := strconv.Atoi(k.Name[1:])
		require.NoError(t, err)
		refused = append(refused, expressions[i])
		return true
	})
	assert.Empty(t, refused)
	assert.Empty(t, disagreements(file, ptxParams(t, compile(t, source))))
}

// templates are class and alias templates in the forms that there are; which definition
// an instance has shows in its size.
const templates = `
#include <cstdint>
template <class T> struct Box { T x; char last; };
template <class T, class U> struct Pair { T first; U second; };
template <class T> struct Kind { char is[1]; };
template <class T> struct Kind<T *> { char is[2]; };
template <class T> struct Kind<T &> { char is[3]; };
template <class T> struct Kind<T &&> { char is[4]; };
template <class T> struct Kind<Box<T>> { char is[5]; T x; };
template <class T> struct Kind<T[7]> { char is[7]; };
template <class T> struct Kind<const volatile T> { char is[8]; };
template <> struct Kind<short> { char is[9]; };
template <class T, class U> struct Kind<Pair<T, U>> { char is[10]; U x; };
template <int N, int M = N + 1, bool B = (N > M)> struct Count { char is[12 + N + M]; };
template <int N> struct Count<N, N> { char is[40 + N]; };
template <int M> struct Count<3, M, false> { char is[60 + M]; };
template <> struct Count<9, 9> { char is[80]; };
template <class T, class = void> struct Defaulted { char is[13]; };
template <class T> struct Defaulted<T, int> { char is[14]; };
template <template <class> class C, class T> struct Holds { C<T> held; char is[15]; };
template <class T, T V> struct Constant { static constexpr T value = V; typedef Constant type; char is[V]; };
template <class T> struct Derived : Box<T>, Constant<int, 17> { short more; };
template <class T> struct Chain { typedef typename Chain<typename T::next>::type type; };
struct End { typedef long type; };
template <> struct Chain<End> { typedef End::type type; };
struct Link { typedef End next; };
template <class T> struct Outer { template <class U> struct Inner { T t; U u; }; struct Plain { T t[3]; }; enum { count = sizeof(T) }; char is[count]; };
template <class T> using Pointer = T *;
template <class T, int N> using Boxes = Box<T>[N];
template <class T> using Twice = Pair<T, T>;
template <class T> struct Later;
struct UsesLater { Later<int> *p; };
template <class T> struct Later { T x[19]; };
namespace n { template <class T> struct Box { T x[21]; }; template <class T> struct Uses { Box<T> own; ::Box<T> global; }; }
struct T { char x[23]; };
typedef float real;
`

var templateParameters = []string{
	"Box<int> a, Box<Box<double>> b, Box<char *> c", "Pair<char, Pair<short, Box<float>>> a, char b", "Kind<int> a, Kind<int *> b, Kind<int &> c, Kind<int &&> d, Kind<const int *const *> e",
	"Kind<Box<char>> a, Kind<Box<double>> b, Kind<Box<Box<int>>> c, Kind<Box<Box<int>> *> d, Kind<Box<int> *> e", "Kind<char[7]> a, Kind<char[8]> b, Kind<const volatile int> c, Kind<const int> d",
	"Kind<short> a, Kind<unsigned short> b, Kind<int16_t> c", "Kind<Pair<int, double>> a, Kind<Pair<char, char>> b, Kind<Pair<float, real>> c", "Kind<Box<T>> a, Kind<T> b, Box<T> c, Kind<T *> d",
	"Count<1> a, Count<2, 2> b, Count<3> c, Count<3, 5> d, Count<9, 9> e, Count<1, 0> f", "Defaulted<int> a, Defaulted<int, int> b, Defaulted<int, char> c", "Holds<Box, double> a, Holds<Kind, int *> b",
	"Constant<int, 3> a, Constant<unsigned char, 5>::type b, char c[Constant<int, 4>::value]", "Derived<char> a, Derived<double> b", "Chain<Link>::type a, char b",
	"Outer<double>::Plain b, Outer<int> c", "Pointer<Box<int>> a, Twice<char> b, Pointer<const real> c, Pair<Pointer<char>, Twice<short>> d",
	"UsesLater a, Later<char> b", "n::Box<char> a, Box<char> b, n::Uses<short> c", "Box<Kind<Pair<Box<int>, Box<int>>>> a", "T a, Box<T *> b",
}

func TestTemplatesAgainstNVCC(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	source := templates + "extern \"C\" {\n" + kernelSource(templateParameters) + "}\n"
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile("in.cu", []byte(source))
	require.NoError(t, err)
	assert.Empty(t, disagreements(file, ptxParams(t, compile(t, source))))
}
