package cu_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
)

func TestExpressionNames(t *testing.T) {
	for _, test := range []struct {
		arguments string
		want      map[int]string
	}{
		{"n", map[int]string{0: "n"}},
		{"x=n*ns::N", map[int]string{0: "x", 2: "n", 4: "ns::N"}},
		{"4*sizeof(float)", map[int]string{2: "sizeof(float)"}},
		{"sizeof (unsigned long long), 3", map[int]string{0: "sizeof (unsigned long long)"}},
		{"sizeof(a::b<(1), 2>)+::N", map[int]string{0: "sizeof(a::b<(1), 2>)", 21: "::N"}},
		{"sizeof(a", map[int]string{0: "sizeof", 7: "a"}},
		{"sizeof)", map[int]string{0: "sizeof"}},
		{"sizeof", map[int]string{0: "sizeof"}},
		{"0x1FULL+a", map[int]string{8: "a"}},
		{"a::", map[int]string{0: "a"}},
		{"::", map[int]string{}},
		{"a::b::c", map[int]string{0: "a::b::c"}},
		{"größe", map[int]string{0: "größe"}},
	} {
		assert.Equal(t, test.want, cu.ExpressionNames(test.arguments), test.arguments)
	}
}

func TestConstantsOfDirectives(t *testing.T) {
	const src = `
#define TILE 16
#define REAL double
#define AGAIN float
constexpr int N = 3;
struct Pair { double a; char b; };
enum class Mode { slow = 7, fast };
namespace shape {
constexpr int rows = 5, N = 4;
namespace { constexpr int hidden = 6; }
struct Box { static constexpr int sides = 12; float v[3]; };
inline namespace v2 { constexpr int deep = 9; }
//cudagen:block rows,N,hidden
//cudagen:shared sizeof(Box)*Box::sides+sizeof(Pair)+sizeof(unsigned int)+sizeof(float[3])
//cudagen:threads ::N*deep*v2::deep*shape::rows*TILE*sizeof(REAL)*Mode::fast
__global__ void k(int n) {}
//cudagen:block N
//cudagen:shared sizeof(T)*N*sizeof(Box)*rows*sizeof(T*)
//cudagen:instantiate T=double,N=8
//cudagen:instantiate T=char,N=2
template <class T, int N> __global__ void t(T *x) {}
}
namespace other = shape;
using namespace shape;
//cudagen:len x=other::rows*rows*sizeof(AGAIN)*n*sizeof(n)
//cudagen:block nothing::rows,sizeof(Nothing)
__global__ void u(int n, float *x) {}
#undef AGAIN
`
	file, err := (&cu.Config{SizeOf: func(typ ctype.Type) (int64, int64, error) {
		size, ok := map[string]int64{"Pair": 16, "shape::Box": 12, "unsigned int": 4, "float [3]": 12, "double": 8, "double*": 8, "char": 1, "char*": 8}[typ.Demangled()]
		require.True(t, ok, typ.Demangled())
		return size, 4, nil
	}}).ParseFile("k.cu", []byte(src))
	require.NoError(t, err)
	found := make(map[string]map[string]cu.Constant)
	for _, k := range file.Kernels {
		found[strings.ReplaceAll(k.QualifiedName(), "shape::", "")] = k.Constants
	}
	assert.Equal(t, map[string]cu.Constant{
		"rows": {Value: 5, Name: "shape::rows"}, "N": {Value: 4, Name: "shape::N"}, "hidden": {Value: 6, Name: "shape::hidden"},
		"sizeof(Box)": {Value: 12, Name: "sizeof(shape::Box)"}, "Box::sides": {Value: 12, Name: "shape::Box::sides"},
		"sizeof(Pair)": {Value: 16, Name: "sizeof(Pair)"}, "sizeof(unsigned int)": {Value: 4, Name: "sizeof(unsigned int)"},
		"sizeof(float[3])": {Value: 12, Name: "sizeof(float [3])"},
		"::N":              {Value: 3, Name: "::N"}, "deep": {Value: 9, Name: "shape::deep"}, "v2::deep": {Value: 9, Name: "shape::v2::deep"},
		"shape::rows": {Value: 5, Name: "shape::rows"}, "TILE": {Value: 16, Name: "TILE"}, "sizeof(REAL)": {Value: 8, Name: "sizeof(double)"},
		"Mode::fast": {Value: 8, Name: "Mode::fast"},
	}, found["k"])
	assert.Equal(t, cu.Constant{Value: 8}, found["t<double, 8>"]["N"], "an argument of the template")
	assert.Equal(t, cu.Constant{Value: 8, Name: "sizeof(double)"}, found["t<double, 8>"]["sizeof(T)"])
	assert.Equal(t, cu.Constant{Value: 1, Name: "sizeof(char)"}, found["t<char, 2>"]["sizeof(T)"])
	assert.Equal(t, cu.Constant{Value: 8, Name: "sizeof(char*)"}, found["t<char, 2>"]["sizeof(T*)"])
	assert.Nil(t, found["t"], "the template itself")
	assert.Equal(t, cu.Constant{Value: 5, Name: "other::rows"}, found["u"]["other::rows"])
	assert.Equal(t, cu.Constant{Value: 5, Name: "rows"}, found["u"]["rows"])
	for _, text := range []string{"sizeof(AGAIN)", "nothing::rows", "sizeof(Nothing)", "sizeof(n)"} {
		assert.NotEmpty(t, found["u"][text].Reason, text)
		t.Log(text, found["u"][text].Reason)
	}
	assert.NotContains(t, found["u"], "n")
	assert.Equal(t, int64(12), file.Constants["sizeof(shape::Box)"])
}

// A name in a directive means what it means where the directive stands, whatever its namespace declares behind it.
func TestConstantsOfDirectivesStandThere(t *testing.T) {
	file, err := (&cu.Config{SizeOf: func(typ ctype.Type) (int64, int64, error) {
		size, ok := map[string]int64{"S": 16, "a::S": 4, "o::U": 3, "a::o::U": 5}[typ.Demangled()]
		require.True(t, ok, typ.Demangled())
		return size, 4, nil
	}}).ParseFile("k.cu", []byte(`
constexpr int N = 4;
struct S { int a[4]; };
namespace o { struct U {}; }
namespace a {
//cudagen:block N
//cudagen:shared sizeof(S)*sizeof(o::U)*last
__global__ void k(int n) {}
//cudagen:instantiate M=N
//cudagen:block M
//cudagen:shared N
template<int M> __global__ void t(int n) {}
//cudagen:shared N
__global__ void twice(int n);
constexpr int N = 8, last = 9;
struct S { int a; };
namespace o { struct U {}; }
//cudagen:block N
//cudagen:shared sizeof(S)*sizeof(o::U)
__global__ void behind(int n) {}
//cudagen:block N
__global__ void twice(int n) {}
template __global__ void t<N>(int);
}
`))
	require.NoError(t, err)
	found := make(map[string]map[string]cu.Constant)
	for _, k := range file.Kernels {
		found[k.QualifiedName()] = k.Constants
	}
	assert.Equal(t, map[string]cu.Constant{
		"N": {Value: 4, Name: "N"}, "sizeof(S)": {Value: 16, Name: "sizeof(S)"}, "sizeof(o::U)": {Value: 3, Name: "sizeof(o::U)"}, "last": {Value: 9, Name: "a::last"},
	}, found["a::k"])
	assert.Equal(t, map[string]cu.Constant{
		"N": {Value: 8, Name: "a::N"}, "sizeof(S)": {Value: 4, Name: "sizeof(a::S)"}, "sizeof(o::U)": {Value: 5, Name: "sizeof(a::o::U)"},
	}, found["a::behind"])
	assert.Equal(t, cu.Constant{Value: 4}, found["a::t<4>"]["M"])
	assert.Equal(t, cu.Constant{Value: 4, Name: "N"}, found["a::t<4>"]["N"])
	assert.Equal(t, cu.Constant{Value: 8}, found["a::t<8>"]["M"], "the explicit instantiation stands behind")
	assert.Equal(t, cu.Constant{Value: 4, Name: "N"}, found["a::t<8>"]["N"], "its directive does not")
	assert.Contains(t, found["a::twice"]["N"].Reason.Error(), "means something else")
}

// A macro whose text has an operator outside of parentheses is known as such.
func TestLooseMacros(t *testing.T) {
	for _, test := range []struct{ text, loose string }{
		{"4+4", "4+4"}, {"(4+4)", ""}, {"4", ""}, {"-1", ""}, {"- 1", ""}, {"~3", ""}, {"sizeof(int)", ""}, {"int(3)", ""}, {"int{3}", ""},
		{"A * 2", "(4+4) * 2"}, {"A", ""}, {"B", "4+4"}, {"(1)-2", "(1)-2"}, {"1 ? 2 : 3", "1 ? 2 : 3"}, {"- -1", ""}, {"1<<4", "1<<4"}, {"V<3>::m", ""},
	} {
		for _, use := range []string{"//cudagen:shared M\n", ""} { // with and without a kernel that names it
			file, err := cu.ParseFile("k.cu", []byte("#define A (4+4)\n#define B 4+4\n#define M "+test.text+
				"\ntemplate<int N> struct V { enum { m = N }; };\n//cudagen:block 32\n//cudagen:threads n\n"+use+"__global__ void k(int n) {}\n"))
			require.NoError(t, err)
			assert.Contains(t, file.Constants, "M", test.text)
			assert.Equal(t, test.loose, file.Loose["M"], test.text)
		}
	}
}
