package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Constants that Go gets or calculates with have the values that the compiler has.
func TestConstantsAreTheCompilers(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	const kernel = "//cudagen:block TILE\n//cudagen:threads n\n__global__ void step(int n, float *x) { x[0] = 1; }\n"
	const version = "#if __GNUC__ > 2\n#define TILE 32\n#else\n#define TILE 16\n#endif\n" // NVRTC has none
	const exported = "export: directly below stands no struct"
	for _, test := range []struct{ name, source, want, code string }{
		{"in a directive", version + kernel, `k.cu:8: static assertion failed with "TILE is 32 by the source, which cudagen reads with another __GNUC__: do not let it depend on that"`, ""},
		{"exported", version + "//cudagen:export\n#define SIDE (TILE * 2)\n__global__ void step(float *x) { x[0] = 1; }\n", `k.cu:6: static assertion failed with "SIDE is 64 by the source`, ""},
		{"defined again behind the kernel", "#define TILE 16\n" + kernel + "#undef TILE\n#define TILE 32\n", "k.cu:2:17: step: TILE: it is defined several times, at last at k.cu:6, and may have another value here", ""},
		{"restored behind the kernel", "#define TILE 16\n#pragma push_macro(\"TILE\")\n#undef TILE\n#define TILE 32\n" + kernel + "#pragma pop_macro(\"TILE\")\n", "step: TILE: it is defined several times, at last at k.cu:8, and may have another value here", ""},
		{"exported and defined again", "//cudagen:export\n#define TILE 16\n__global__ void step(float *x) { x[0] = 1; }\n#undef TILE\n#define TILE 32\n", exported, ""},
		{"nothing to export", "__global__ void step(float *x) { x[0] = 1; }\n#line 1000\n//cudagen:export\n", exported, ""},

		{"the same for the compiler", version + "#undef TILE\n#define TILE 24\n" + kernel, "", "Block: cuda.Dim(24)"},
		{"in an unnamed namespace", "#ifndef __GNUC__\n#endif\nnamespace a { namespace { enum { TILE = 8 }; }\n" + kernel + "}\n", "", "Block: cuda.Dim(8)"},
		{"least of all", "#ifdef __GNUC__\n#endif\n//cudagen:export\nconstexpr long long LEAST = -0x7fffffffffffffffll - 1;\n__global__ void step(float *x) { x[0] = 1; }\n", "", "const LEAST = -9223372036854775808"},
		{"behind #line", "#line 1000\n//cudagen:export\n// Side.\n#define SIDE 16\n__global__ void step(float *x) { x[0] = 1; }\n//cudagen:export\nstruct Last { int i; };\n", "", "const SIDE = 16"},
		{"carriage returns", "\ufeff//cudagen:export\r\n#define SIDE 16\r\n__global__ void step(float *x) { x[0] = 1; }\r\n", "", "const SIDE = 16"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"k.cu": test.source})
			_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Package: "k", Archs: []string{"compute_75"}, Compiler: "nvrtc"})
			if test.want != "" {
				assert.ErrorContains(t, err, test.want)
				assert.Len(t, gentest.Snapshot(t, dir), 2, "nothing is written")
				return
			}
			require.NoError(t, err)
			code, err := os.ReadFile(filepath.Join(dir, "k_cuda.go"))
			require.NoError(t, err)
			assert.Contains(t, string(code), test.code)
		})
	}
}

// What is exported and in no kernel's parameters is compared with the compiler, too.
func TestExportedTypesAreProved(t *testing.T) {
	const types = "//cudagen:export\nstruct Pair {\n#ifdef %s\n  int a; float b;\n#else\n  float b; int a;\n#endif\n};\n" +
		"namespace n { namespace {\n//cudagen:export\nenum class Mode : short { OFF, ON = -2\n#ifdef %[1]s\n, MAYBE\n#endif\n};\n} }\n" +
		"extern \"C\" __global__ void step(const void *p, float *x) { x[0] = static_cast<const Pair *>(p)->b; }\n"
	other := []string{
		"k.cu:2:8: struct Pair: field a: kind is signed integer by the source and float by the compiler",
		"k.cu:11:12: enum n::(anonymous namespace)::Mode: number of enumerators is 3 by the source and 2 by the compiler",
	}
	for _, test := range []struct {
		compiler string
		need     testenv.Resource
		macro    string
		want     []string
	}{
		{"nvrtc", testenv.NVRTC, "__NVCC__", other}, {"nvrtc", testenv.NVRTC, "NONE", nil},
		{"clang", testenv.Clang, "__NVCC__", other}, {"clang", testenv.Clang, "NONE", nil},
	} {
		t.Run(test.compiler+" "+test.macro, func(t *testing.T) {
			testenv.Need(t, test.need)
			dir := gentest.Module(t, map[string]string{"k.cu": fmt.Sprintf(types, test.macro)})
			path := filepath.Join(dir, "k.cu")
			_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{path}, Package: "k", Archs: []string{"compute_75"}, Compiler: test.compiler})
			if test.want == nil {
				require.NoError(t, err)
				r, err := gen.ReadRecord(path)
				require.NoError(t, err)
				all := []string{record.Source, record.Debug, record.Probe}
				assert.Equal(t, all, r.Structs[0].Witnesses)
				assert.Equal(t, all, r.Structs[0].Fields[0].Witnesses)
				assert.Equal(t, all, r.Enums[0].Witnesses)
				assert.Equal(t, all, r.Enums[0].Constants[1].Witnesses)
				return
			}
			require.Error(t, err)
			var all strings.Builder
			diag.Print(&all, err)
			for _, want := range test.want {
				assert.Contains(t, all.String(), want)
			}
		})
	}
}

// What names and sizeof mean in directives is what compilers say that they mean.
func TestDirectivesMeanWhatCompilersSay(t *testing.T) {
	const header = "#pragma once\n#define LANES 32\nnamespace shape { struct Pair { double a; char b; }; constexpr int rows = 4; enum class Mode : short { slow = 7, fast }; }\n"
	const source = `#include "shape.h"
struct Other {
#ifdef %s
  int more;
#endif
  int a;
};
namespace shape {
struct Tile { static constexpr int side = 2; };
//cudagen:block LANES,rows,Tile::side
//cudagen:threads n*Mode::fast,n,n
//cudagen:shared sizeof(Pair)*n+sizeof(unsigned long long)
__global__ void step(int n, float *x) { x[0] = n; }
//cudagen:block N
//cudagen:threads n
//cudagen:shared sizeof(T)*N+sizeof(T *)
//cudagen:instantiate T=Pair,N=64 Wide
template <class T, int N> __global__ void each(int n, T *x) { x[0].a = n; }
}
//cudagen:block shape::rows
//cudagen:threads n
//cudagen:len x=n*sizeof(Other)*sizeof(::shape::Mode)
__global__ void last(int n, float *x) { x[0] = n; }
`
	for _, test := range []struct {
		compiler string
		need     testenv.Resource
		macro    string
	}{{"nvrtc", testenv.NVRTC, "NONE"}, {"nvrtc", testenv.NVRTC, "__NVCC__"}, {"clang", testenv.Clang, "NONE"}, {"clang", testenv.Clang, "__NVCC__"}, {"nvcc", testenv.NVCC, "NONE"}} {
		t.Run(test.compiler+" "+test.macro, func(t *testing.T) {
			testenv.Need(t, test.need)
			dir := gentest.Module(t, map[string]string{"k.cu": fmt.Sprintf(source, test.macro), "shape.h": header})
			path := filepath.Join(dir, "k.cu")
			_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{path}, Package: "k", Archs: []string{"compute_75"}, Compiler: test.compiler})
			if test.macro != "NONE" {
				require.Error(t, err, "the control: the size is another for the compiler")
				assert.Contains(t, err.Error(), "sizeof(Other)")
				assert.Len(t, gentest.Snapshot(t, dir), 3, "nothing is written")
				return
			}
			require.NoError(t, err)
			r, err := gen.ReadRecord(path)
			require.NoError(t, err)
			values := make(map[string]int64)
			for _, c := range r.Constants {
				values[c.Name] = c.Value
				assert.Equal(t, []string{record.Source, record.Probe}, c.Witnesses, c.Name)
			}
			assert.Equal(t, map[string]int64{
				"LANES": 32, "shape::rows": 4, "shape::Tile::side": 2, "shape::Mode::fast": 8, "sizeof(shape::Pair)": 16, "sizeof(unsigned long long)": 8,
				"sizeof(shape::Pair*)": 8, "sizeof(Other)": 4, "sizeof(shape::Mode)": 2,
			}, values)
			code, err := os.ReadFile(filepath.Join(dir, "k_cuda.go"))
			require.NoError(t, err)
			for _, want := range []string{"Block: cuda.Dim3{X: 32, Y: 4, Z: 2}", "X: cuda.Generated.Blocks(int(n)*8, 32)", "SharedBytes: cuda.Generated.Count(16*int(n) + 8)", "SharedBytes: 1032", "int(n) * 4 * 2"} {
				assert.Regexp(t, strings.NewReplacer("(", `\(`, ")", `\)`, "*", `\*`, "+", `\+`, "{", `\{`, "}", `\}`, ": ", `:\s+`).Replace(want), string(code))
			}
		})
	}
}
