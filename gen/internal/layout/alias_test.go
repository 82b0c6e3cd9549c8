package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/testenv"
)

// aliasesBefore has types that a typedef or alias aligns, and classes with them.
const aliasesBefore = `
struct P { int x, y; };
struct alignas(32) W { int x; };
enum E { E0 };
typedef int A16 __attribute__((aligned(16)));
using B16 __attribute__((aligned(16))) = int;
using G8 [[gnu::aligned(8)]] = short;
typedef double Lowered __attribute__((aligned(2)));
typedef A16 Again4 __attribute__((aligned(4)));
typedef A16 Same;
typedef __attribute__((aligned(8))) char Before8;
typedef P P16 __attribute__((aligned(16)));
typedef W W4 __attribute__((aligned(4)));
typedef int Array32[4] __attribute__((aligned(32)));
typedef int *Pointer16 __attribute__((aligned(16)));
typedef E E16 __attribute__((aligned(16)));
struct S1 { char a; A16 x; char b; };
struct S2 { char a; B16 x; char b; };
struct S3 { char a; G8 x; char b; };
struct S4 { char a; Again4 *x; char b; };
struct S5 { char a; Again4 x; char b; };
struct S6 { char a; Same x, y; char b; };
struct S7 { char a; Before8 x; char b; };
struct S8 { char a; P16 x; char b; };
struct S10 { char a; Array32 x; char b; };
struct S11 { char a; Pointer16 x; char b; };
struct S12 { char a; E16 x; char b; };
struct S14 { char a; const A16 x; volatile A16 y; char b; };
struct S15 { char a; A16 *x; A16 &y; char b; };
struct S16 { char a; S1 s; S4 t[2]; char b; };
struct S17 : P16 { char b; };
union U1 { char a; A16 x; };
template <class T> struct Own { typedef T X __attribute__((aligned(16))); char a; X x; char b; };
template <class T> struct Plain { char a; T x; };
`

// aliased are the types, with their size and alignment.
var aliased = []struct {
	name        string
	size, align int64
}{
	{"A16", 4, 16}, {"B16", 4, 16}, {"G8", 2, 8}, {"Lowered", 8, 2}, {"Again4", 4, 4}, {"Same", 4, 16}, {"Before8", 1, 8}, {"P16", 8, 16}, {"W4", 32, 4}, {"Array32", 16, 32}, {"Pointer16", 8, 16}, {"E16", 4, 16},
	{"S1", 32, 16}, {"S2", 32, 16}, {"S3", 16, 8}, {"S4", 24, 8}, {"S5", 12, 4}, {"S6", 48, 16}, {"S7", 16, 8}, {"S8", 32, 16}, {"S10", 64, 32}, {"S11", 32, 16}, {"S12", 32, 16}, {"S14", 48, 16}, {"S15", 32, 8},
	{"S16", 112, 16}, {"S17", 12, 4}, {"U1", 16, 16}, {"Own<float>", 32, 16},
}

func TestAliasAlignment(t *testing.T) {
	types := aliased
	source := aliasesBefore
	for i, a := range types {
		source += fmt.Sprintf("constexpr long size%d = sizeof(%s), align%[1]d = alignof(%s);\n", i, a.name, a.name)
	}
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile("in.cu", []byte(source))
	require.NoError(t, err)
	for i, a := range types {
		assert.Equal(t, a.size, file.Constants[fmt.Sprint("size", i)], "size of %s", a.name)
		assert.Equal(t, a.align, file.Constants[fmt.Sprint("align", i)], "alignment of %s", a.name)
	}

	values := aliasesBefore + "__device__ long long values[] = {\n"
	for _, a := range types {
		values += fmt.Sprintf("sizeof(%s), alignof(%s),\n", a.name, a.name)
	}
	values += "};\n__global__ void k(long long *p) { *p = values[*p]; }\n"
	check := func(t *testing.T, ptx string) {
		got := deviceValues(t, ptx)
		require.Len(t, got, 2*len(types))
		for i, a := range types {
			assert.Equal(t, []int64{a.size, a.align}, got[2*i:2*i+2], a.name)
		}
	}
	t.Run("nvcc", func(t *testing.T) {
		testenv.Need(t, testenv.NVCC)
		check(t, compile(t, values))
	})
	t.Run("clang", func(t *testing.T) { check(t, compileClang(t, values)) })
}

// Parameters of scalar types lie as without the alignment of their alias.
func TestAliasParameters(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	source := aliasesBefore + "extern \"C\" {\n" + kernelSource([]string{
		"char a, A16 b, char c, Lowered d, char e, Array32 f, char g, S1 h, char i, S4 j, char k, A16 *l, char m, E16 n, Pointer16 o, U1 p, S16 q",
	}) + "}\n"
	file := parse(t, source)
	assert.Empty(t, disagreements(file, ptxParams(t, compile(t, source))))
}

// What compilers lay out in different ways is refused.
func TestAliasRefusals(t *testing.T) {
	for _, tt := range []struct{ before, parameter, want string }{
		{"", "P16 x", "a typedef aligns P16"},
		{"", "W4 x", "a typedef aligns W4"},
		{"typedef float4 V __attribute__((aligned(32)));", "V x", "a typedef aligns V"},
		{"", "Plain<A16> x", "a type that a typedef aligns"},
		{"", "Plain<A16 *> x", "a type that a typedef aligns"},
		{"struct X { char a; Lowered x; };", "X x", "a typedef lowers the alignment of field x"},
		{"struct X { char a; Lowered x[3]; };", "X x", "a typedef lowers the alignment of field x"},
		{"struct X { char a; W4 x; };", "X x", "a typedef lowers the alignment of field x"},
		{"struct X { char a; A16 x[2]; };", "X x", "the elements of A16[2] are aligned to 16 bytes, and have 4"},
		{"typedef char C2[4] __attribute__((aligned(2))); struct X { char a; C2 x[3]; };", "X x", "an array of arrays that a typedef aligns"},
		{"struct __attribute__((packed)) X { char a; A16 x; };", "X x", "field x is packed, aligned or a bit-field"},
		{"struct X { char a; A16 x : 3; };", "X x", "field x is packed, aligned or a bit-field"},
		{"struct X { char a; alignas(32) A16 x; };", "X x", "field x is packed, aligned or a bit-field"},
		{"#pragma pack(push, 1)\nstruct X { char a; A16 x; };\n#pragma pack(pop)", "X x", "field x is packed, aligned or a bit-field"},
	} {
		t.Run(tt.parameter+" "+tt.before, func(t *testing.T) {
			file := parse(t, aliasesBefore+tt.before+"\n__global__ void k("+tt.parameter+") {}\n")
			require.Len(t, file.Kernels, 1)
			k := file.Kernels[0]
			text := strings.Join(disagreements(file, map[string][]ptxParam{"k": make([]ptxParam, len(k.Params))}), "\n")
			assert.Contains(t, text, tt.want)
		})
	}
}
