package cu_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// What tried asks of T: it is an argument of a partial specialisation, or the default argument of a function template,
// which do not count if it is not valid.
var tried = []string{
	"decltype(void(T::x))", "V<decltype(T::x)>", "V<typename T::type>", "decltype(T::x, void())", "decltype(void(val<T>().x))", "V<decltype(val<T>().m(1))>",
	"V<decltype(T::s())>", "V<decltype(val<T>() + val<T>())>", "V<decltype(val<T>()[0])>", "decltype(void(f(val<T>())))", "decltype(void(f2(T::x)))", "decltype(void(g(T::x)))",
	"V<decltype(&T::x)>", "V<decltype(T(1))>", "V<decltype(T{1})>", "V<decltype(T())>", "V<decltype(static_cast<int>(val<T>()))>", "decltype(void(sizeof(T::x)))", "V<char[T::e]>", "V<A<T::e>>",
	"decltype(void(T::x ? 1 : 2))", "decltype(void((int *)T::x))", "decltype(void(noexcept(T::x)))", "decltype(void(!T::x))", "decltype(void(T::x == 1))", "decltype(void(T::x && true))",
	"decltype(void(true || T::x))", "decltype(void(*val<T>()))", "decltype(void(val<T>() == val<T>()))", "decltype(void(val<T>() ? 1 : 2))", "decltype(void(++val<T &>()))", "V<decltype(val<T &>() = 3)>",
	"decltype(void(int(val<T>())))", "V<decltype(val<T>().template t<int>(1))>", "V<decltype(val<T *>()->x)>", "V<decltype(val<T>() < 3)>", "V<decltype(-val<T>())>",
	"V<decltype(true ? val<T>() : 1)>", "V<decltype((val<T>(), val<T>().x))>", "decltype(void(sizeof(T::x) > 1))", "V<decltype(val<T>()(1))>", "V<decltype(f(3))>", "V<T *>",
}

// Where an expression decides which specialisation is meant, the front end has the compiler's answer or none.
func TestTriedExpressionsAreTheCompilers(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	var source strings.Builder
	source.WriteString(`template<class T> T &&val(); int f(int); int f2(...); template<class T> int g(T); template<class...> using V = void; template<int> struct A {};
struct X { int x; typedef int type; int m(int); static int s(); X operator+(X); int operator[](int); enum { e = 1 }; X(int); X(); operator int(); template<class U> void t(U); };
struct Y {}; struct Z : X {}; struct N { N(char *, char *); };
`)
	types := []string{"X", "Y", "Z", "N", "int"}
	for i, one := range tried {
		fmt.Fprintf(&source, "template<class T, class = void> struct D%[1]d { enum { v = 1 }; }; template<class T> struct D%[1]d<T, %[2]s> { enum { v = 2 }; };\n"+
			"template<class T, class = %[2]s> constexpr int f%[1]d(int) { return 2; } template<class T> constexpr int f%[1]d(long) { return 1; }\n", i, one)
		for j, name := range types {
			fmt.Fprintf(&source, "__global__ void class%[1]d_%[2]d(A<D%[1]d<%[3]s>::v> a) {}\n__global__ void function%[1]d_%[2]d(A<f%[1]d<%[3]s>(0)> a) {}\n", i, j, name)
		}
	}
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source.String()), 0o644))
	compiler, err := compile.Find("nvcc", os.Getenv)
	require.NoError(t, err)
	out, err := compiler.Compile(t.Context(), compile.Request{Source: path, Arch: "compute_75", Flags: []string{"-std=c++17"}})
	require.NoError(t, err)
	img, err := image.ReadPTX("k.ptx", out.Code)
	require.NoError(t, err)
	known := map[string]int{}
	for _, k := range parseWith(t, source.String(), "").Kernels {
		if len(k.Errors) > 0 {
			continue
		}
		compiled, err := img.Find(k.Name, nil)
		require.NoError(t, err)
		var i, j int
		_, err = fmt.Sscanf(strings.TrimPrefix(strings.TrimPrefix(k.Name, "class"), "function"), "%d_%d", &i, &j)
		require.NoError(t, err)
		got := k.Params[0].Type.Demangled()
		known[got]++
		assert.Equal(t, compiled.ParamTypes[0], got, "%s: %s with T = %s", k.Name, tried[i], types[j])
	}
	assert.Greater(t, known["A<1>"], 90)
	assert.Greater(t, known["A<2>"], 130)
}
