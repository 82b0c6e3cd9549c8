package cu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each declaration with what is understood of its variables: space, name, type, and what
// else there is to say.
func TestVariables(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		want   []string
	}{
		"scalars":       {"__constant__ float a; __device__ unsigned b = 1; __managed__ long long c;", []string{"__constant__ a: float", "__device__ b: unsigned int", "__managed__ c: long long"}},
		"words between": {"static __device__ __constant__ const int a = 1; int __device__ b; __device__ volatile int c; __device__ __managed__ int d;", []string{"__constant__ a: int const", "__device__ b: int", "__device__ c: int volatile", "__managed__ d: int"}},
		"arrays":        {"const int N = 2; __constant__ float a[N][3], b[N * 2];", []string{"__constant__ a: float [2][3]", "__constant__ b: float [4]"}},
		"classes": {"struct S { int x; }; template <class T> struct V { T x; }; enum E { e }; __constant__ S a; __constant__ V<float> b; __device__ E c; __device__ struct { int y; } d; __device__ struct F { int z; } f;",
			[]string{"__constant__ a: S", "__constant__ b: V<float>", "__device__ c: E", "__device__ d: ", "__device__ f: F"}},
		"pointers":        {"__device__ float *a, **b, c; __device__ void (*f)(int);", []string{"__device__ a: float*", "__device__ b: float**", "__device__ c: float", "__device__ f: void (*)(int)"}},
		"behind pointers": {"float *__constant__ a, b, *__device__ c; const float (*__managed__ d)[3]; __device__ int *__constant__ e; int &__device__ f(); int (__device__ *g)(int);", []string{"__constant__ a: float*", "__device__ c: float*", "__managed__ d: float const (*) [3]", "__constant__ e: int*"}},
		"namespaces":      {"namespace n { namespace { __device__ int a; } inline namespace v { __device__ int b; } }", []string{"__device__ n::(anonymous namespace)::a: int", "__device__ n::v::b: int"}},
		"attributes":      {"__constant__ __align__(16) float a[3]; alignas(8) __device__ int b; __device__ int c __attribute__((used));", []string{"__constant__ a: float [3]", "__device__ b: int", "__device__ c: int"}},
		"linkage":         {`extern "C" { __device__ int a; } extern "C" __device__ int b = 1; extern __constant__ int c; extern "C" __constant__ int d; extern __device__ int e = 2;`, []string{"__device__ a: int C", "__device__ b: int C", "__constant__ c: int declared", "__constant__ d: int C declared", "__device__ e: int"}},
		"templates":       {"template <class T> __device__ T a; template <class T> __constant__ T b[3] = {}; template <> __device__ int a<int>;", []string{"__device__ a:  template", "__constant__ b:  template", "__device__ a: int template"}},
		"none":            {"int a; const int b = 1; extern int c; struct S { static __device__ int d; int e; }; __device__ int f(int); template <class T> __device__ T g(T x) { return x; } template <class T> struct U { T x; }; __global__ void k() { __shared__ int s; }", nil},
		"no bound":        {"__constant__ int a[] = {f()};", []string{"__constant__ a:  error 1:20: a: has an array bound that is not understood"}},
		"no values":       {"__device__ int a[] = {};", []string{"__device__ a:  error 1:18: a: has an array bound that is not understood"}},
		"bound of values": {"struct S { int x; float y; }; __constant__ short a[] = {1, 2, 3}; __device__ S b[] = {{1, 2}, {3}}; __constant__ float c[][2] {{1, 2}, {3, 4}, {5}};", []string{"__constant__ a: short [3]", "__device__ b: S [2]", "__constant__ c: float [3][2]"}},
		"no elements":     {"extern __device__ float a[0];", []string{"__device__ a:  declared error 1:28: a: has an array bound that is not understood: it is 0"}},
		"unknown type":    {"__constant__ what a, *b;", []string{"__constant__ a:  error 1:14: a: has unknown type what", "__constant__ b:  error 1:14: b: has unknown type what"}},
		"vector size":     {"__device__ float a __attribute__((vector_size(16)));", []string{"__device__ a:  error 1:35: a: has attribute vector_size, which is not understood"}},
		"incomplete":      {"struct S; __device__ S a;", []string{"__device__ a:  error 1:24: a: has type S, which is declared but not defined here"}},
		"member pointer":  {"struct S { int x; }; __device__ int S::*a, (S::*b)(float) const;", []string{"__device__ a: int S::*", "__device__ b: int (S::*)(float) const"}},
		"condition":       {"#include \"gone.h\"\n#if defined_there(1)\n__device__ int a;\n#endif\n", nil},
		"initialised {}":  {"__device__ int a{3};", []string{"__device__ a: int"}},
		"macro":           {"#define BUFFER(T, name) __device__ T name[4]\nBUFFER(float, a);", []string{"__device__ a: float [4]"}},
		"typedef inside":  {"typedef float vec[4]; __constant__ vec a;", []string{"__constant__ a: float [4]"}},
		"constexpr bound": {"constexpr int twice(int n) { return 2 * n; } __constant__ double a[twice(3)];", []string{"__constant__ a: double [6]"}},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := ParseFile("k.cu", []byte(test.source))
			require.NoError(t, err)
			var got []string
			for _, v := range file.Variables {
				one := v.Space + " " + v.QualifiedName() + ": "
				if v.Type != nil {
					one += v.Type.Demangled()
				}
				for word, on := range map[string]bool{" C": v.ExternC, " declared": !v.Defined && !v.ExternC, " template": v.Template} {
					if on {
						one += word
					}
				}
				if v.ExternC && !v.Defined {
					one += " declared"
				}
				if len(v.Errors) > 0 {
					one += " error " + strings.TrimPrefix(v.Errors[0].Error(), "k.cu:")
				}
				got = append(got, one)
			}
			require.Len(t, got, len(test.want), "%q", got)
			for i, want := range test.want {
				if strings.Contains(want, " error ") || strings.HasSuffix(want, ": ") {
					assert.Contains(t, got[i], want)
				} else {
					assert.Equal(t, want, got[i])
				}
			}
		})
	}
}

func TestDirectivesOfVariables(t *testing.T) {
	const source = `// Taps weigh neighbours.
//
//cudagen:export Weights
__constant__ float taps[5];

//cudagen:export

__device__ int apart;

//cudagen:export
template <class T>
__device__ T held;

//cudagen:export
__device__ int a, b;
`
	file, err := ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	require.Len(t, file.Variables, 5)
	taps := file.Variables[0]
	assert.Equal(t, []string{"Taps weigh neighbours."}, taps.Doc)
	require.Len(t, taps.Directives, 1)
	assert.Equal(t, "Weights", taps.Directives[0].Args)
	assert.Equal(t, 4, taps.Pos.Line)
	assert.Empty(t, file.Variables[1].Directives)
	for _, v := range file.Variables[2:] {
		assert.Len(t, v.Directives, 1, v.Name)
	}
	require.Len(t, file.Directives, 1, "the one above an empty line")
	assert.Equal(t, 6, file.Directives[0].Pos.Line)
}

// Directives above other declarations of a variable belong to its definition, also to that in an included file, whose own
// directives say nothing.
func TestDirectivesOfDeclaredVariables(t *testing.T) {
	const header = `//cudagen:export Own
__constant__ float taps[3];
static __constant__ int still[2];
extern __device__ int later;
namespace lib { __device__ int counter, other; }
namespace a { inline namespace v1 { __device__ int inl; } namespace { __device__ int hidden; } }
namespace b = a;
`
	const source = `#include "h.cuh"
// Taps weigh neighbours.
//cudagen:export Weights
extern __constant__ float taps[];
//cudagen:export
extern __constant__ int still[2];
//cudagen:export
using lib::counter;
//cudagen:export
using b::inl;
//cudagen:export
using a::hidden;
//cudagen:export
extern __device__ int later;
__device__ int later = 3;
//cudagen:export
extern __device__ int nowhere;
`
	c := &Config{Include: []string{"."}, Read: files{"h.cuh": header}.read}
	file, err := c.ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	var got []string
	for _, v := range file.Variables {
		for _, d := range v.Directives {
			got = append(got, fmt.Sprintf("%s %s %v %v, line %d %s", v.QualifiedName(), d.Args, v.Own, v.Defined, v.Pos.Line, strings.Join(v.Doc, " ")))
		}
	}
	assert.Equal(t, []string{
		"taps Weights true true, line 2 Taps weigh neighbours.", "still  true true, line 3 ", "lib::counter  true true, line 5 ",
		"a::v1::inl  true true, line 6 ", "a::(anonymous namespace)::hidden  true true, line 6 ", "later  false true, line 15 ", "nowhere  false false, line 17 ",
	}, got)
	assert.Empty(t, file.Directives)
}
