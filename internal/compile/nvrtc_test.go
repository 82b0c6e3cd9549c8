package compile

import (
	"errors"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

func findNVRTC(t *testing.T) Compiler {
	t.Helper()
	path := testenv.NVRTCPath(t)
	c, err := FindNVRTC(func(name string) string {
		if name == "NVRTC_LIB" {
			return path
		}
		return os.Getenv(name)
	})
	require.NoError(t, err)
	return c
}

func fileNames(ptx []byte) (names []string) {
	for _, m := range fileName.FindAllSubmatch(ptx, -1) {
		names = append(names, string(m[2]))
	}
	return names
}

func TestNVRTC(t *testing.T) {
	c := findNVRTC(t)
	emptyTemp(t)
	out, _ := compileOuter(t, c, "nvrtc", "-ccbin", "g++")
	assert.Equal(t, []string{"kernels/inc/vec.h", "kernels/outer.cu"}, fileNames(out.Code))
	assert.Equal(t, []string{"nvrtc", "--gpu-architecture=compute_75", "-lineinfo", "-Iinclude", "-DN=1", "kernels/outer.cu"}, out.Command)
}

var entryParams = regexp.MustCompile(`(?s)\.entry ([\w$]+)\(\s*(.*?)\)`)

// paramLists returns the parameter lists of the kernels in ptx, by symbol.
func paramLists(ptx []byte) map[string]string {
	lists := map[string]string{}
	for _, m := range entryParams.FindAllSubmatch(ptx, -1) {
		lists[string(m[1])] = strings.Join(strings.Fields(string(m[2])), " ")
	}
	return lists
}

// TestSameParametersAsNVCC: name and parameter list of every kernel are those that
// nvcc gives it.
func TestSameParametersAsNVCC(t *testing.T) {
	rtc, nvcc := findNVRTC(t), findNVCC(t)
	root := write(t, "m", map[string]string{
		"exported.cu": exported, "unnamed.cu": unnamed, "inc/vec.h": vecHeader,
		"types.cu": `#include <cstdint>
#include <cstddef>
#include <climits>
#include <cfloat>
#include <cmath>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
struct alignas(16) S { char c; int64_t d[2]; __half h; };
template <class T> __global__ void ints(T *p, std::int_fast16_t a, uint_fast32_t b, intptr_t c, uintmax_t d, int_least8_t e) { *p = sizeof(a) + INT_MAX + UINT64_C(1); }
template __global__ void ints(int64_t *, std::int_fast16_t, uint_fast32_t, intptr_t, uintmax_t, int_least8_t);
template __global__ void ints(uint64_t *, std::int_fast16_t, uint_fast32_t, intptr_t, uintmax_t, int_least8_t);
__global__ void structs(S s, bool b, float3 f, std::ptrdiff_t d, std::size_t n, double2 *p, __half2 h, wchar_t w, long l, long long ll) {
  assert(b); printf("%d", s.c); p->x = M_PI + DBL_MAX + FLT_EPSILON + INFINITY; std::memcpy(p, &f, sizeof f); }
`})
	example, err := filepath.Abs(filepath.Join("..", "..", "example", "kernels.cu"))
	require.NoError(t, err)
	for _, source := range []string{example, filepath.Join(root, "exported.cu"), filepath.Join(root, "unnamed.cu"), filepath.Join(root, "types.cu")} {
		t.Run(filepath.Base(source), func(t *testing.T) {
			req := Request{Source: source, Arch: "compute_75", Flags: []string{"-std=c++17"}}
			want, err := nvcc.Compile(t.Context(), req)
			require.NoError(t, err)
			got, err := rtc.Compile(t.Context(), req)
			require.NoError(t, err)
			require.NotEmpty(t, paramLists(want.Code))
			assert.Equal(t, paramLists(want.Code), paramLists(got.Code))
		})
	}
	t.Run("control", func(t *testing.T) {
		one := paramLists([]byte(".entry k(\n .param .u64 k_param_0\n)"))
		assert.NotEqual(t, one, paramLists([]byte(".entry k(\n .param .u32 k_param_0\n)")))
	})
}

func TestEveryFolderGivesTheSamePTXWithNVRTC(t *testing.T) {
	c := findNVRTC(t)
	for name, source := range map[string]string{"exported": exported, "unnamed": unnamed + "__device__ const char *file = __FILE__;\n"} {
		t.Run(name, func(t *testing.T) {
			var ptx []string
			for _, folder := range []string{"a", "wide folder/étage/it's here"} {
				root := write(t, folder, map[string]string{"sub/k.cu": source, "sub/inc/vec.h": vecHeader})
				for _, at := range []struct{ working, source string }{
					{root, filepath.Join("sub", "k.cu")}, {filepath.Join(root, "sub"), "k.cu"}, {t.TempDir(), filepath.Join(root, "sub", "k.cu")},
				} {
					t.Chdir(at.working)
					out, err := c.Compile(t.Context(), Request{Source: at.source, Dir: root, Arch: "compute_75", LineInfo: true})
					require.NoError(t, err)
					assert.True(t, out.Reproducible)
					ptx = append(ptx, string(out.Code))
				}
			}
			for i := range ptx {
				assert.Equal(t, ptx[0], ptx[i])
			}
			assert.Contains(t, ptx[0], "_GLOBAL__N__")
			assert.Contains(t, ptx[0], `"sub/k.cu"`)
		})
	}
	t.Run("control: a header's __FILE__", func(t *testing.T) {
		root := write(t, "a", map[string]string{"k.cu": "#include \"inc/vec.h\"\n", "inc/vec.h": "__device__ const char *file = __FILE__;\n"})
		out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75"})
		require.NoError(t, err)
		assert.False(t, out.Reproducible)
	})
}

// TestIncludesBesideTheSource: #include "…" is looked for beside the source first,
// wherever this process works.
func TestIncludesBesideTheSource(t *testing.T) {
	c := findNVRTC(t)
	right, wrong := "#define NAME right\n", "#define NAME wrong\n"
	root := write(t, "m", map[string]string{
		"k/k.cu": "#include \"../top.h\"\n#include \"n.h\"\nextern \"C\" __global__ void NAME() {}\n", "top.h": "",
		"k/n.h": right, "n.h": wrong, "k/k/n.h": wrong, "inc/n.h": wrong,
	})
	for _, working := range []string{root, filepath.Join(root, "k"), filepath.Join(root, "inc")} {
		t.Chdir(working)
		out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k", "k.cu"), Dir: root, Arch: "compute_75", Flags: []string{"-Iinc"}})
		require.NoError(t, err)
		assert.Contains(t, string(out.Code), ".entry right(")
	}
}

// TestOwnHeadersComeFirst: a header of the user's that has a standard name is not
// replaced by cudagen's.
func TestOwnHeadersComeFirst(t *testing.T) {
	c := findNVRTC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{
		"k.cu":   "#include \"math.h\"\n#include <stdio.h>\n#include \"sub/x.h\"\n#include <stdint.h>\nextern \"C\" __global__ void NAME(BESIDE *, int64_t) {}\n",
		"math.h": "#define NAME right\n", "inc/stdio.h": "struct S;\n", "sub/x.h": "#include \"limits.h\"\n", "sub/limits.h": "#define BESIDE S\n",
	})
	out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Flags: []string{"-Iinc"}})
	require.NoError(t, err)
	assert.Contains(t, string(out.Code), ".entry right(")
}

func TestNVRTCRefusals(t *testing.T) {
	c := findNVRTC(t)
	for _, tt := range []struct{ name, source, want string }{
		{"host function", "__global__ void k() {}\nint main() { return 0; }\n", "k.cu:2(:\\d+)?: .*host function.*__CUDACC_RTC__.*use -compiler nvcc"},
		{"host variable", "int count;\n", "k.cu:1(:\\d+)?: .*host variable.*use -compiler nvcc"},
		{"launch", "__global__ void k() {}\nvoid run() { k<<<1, 1>>>(); }\n", "k.cu:2(:\\d+)?: .*use -compiler nvcc"},
		{"host header", "#include <vector>\n", "k.cu:1(:\\d+)?: .*vector.*use -compiler nvcc"},
		{"std function", "#include <cmath>\n__global__ void k(float *x) { *x = std::sqrt(*x); }\n", "k.cu:2(:\\d+)?: .*use -compiler nvcc"},
		{"both kinds of int64_t", "#include <cstdint>\n#include <cuda/std/cstdint>\n__global__ void k(int64_t *x) {}\n", "^k.cu:1: <cstdint>.*include <cuda/std/cstdint> in place of <cstdint>, or use -compiler nvcc$"},
		{"the other way", "#include <cuda/std/cstdint>\n#include <stdint.h>\n__global__ void k(int64_t *x) {}\n", "^k.cu:2: <cstdint>.*include <cuda/std/cstdint> in place of <cstdint>, or use -compiler nvcc$"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := write(t, "m", map[string]string{"k.cu": tt.source})
			t.Chdir(root)
			_, err := c.Compile(t.Context(), Request{Source: "k.cu", Arch: "compute_75"})
			var list diag.List
			require.True(t, errors.As(err, &list), "%v", err)
			assert.Regexp(t, tt.want, list[0].Error())
			assert.Len(t, list, 1)
		})
	}
	t.Run("unknown argument", func(t *testing.T) {
		root := write(t, "m", map[string]string{"k.cu": ""})
		_, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Flags: []string{"--frobnicate"}})
		var failed *FailedError
		require.True(t, errors.As(err, &failed), "%v", err)
		assert.Contains(t, err.Error(), "NVRTC_ERROR_INVALID_OPTION\nnvrtc: error: unrecognized option --frobnicate")
	})
	t.Run("unknown architecture", func(t *testing.T) {
		root := write(t, "m", map[string]string{"k.cu": ""})
		_, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_20"})
		assert.ErrorContains(t, err, "has no architecture compute_20, only compute_75, ")
	})
}

func TestMessagesOfNVRTCHaveTheUsersPositions(t *testing.T) {
	c := findNVRTC(t)
	root := write(t, "m", map[string]string{
		"k/bad.cu":    "#include \"inc/bad.h\"\n__global__ void k(int *p) {\n  p[0] = q; int unused; }\n",
		"k/inc/bad.h": "__device__ int x = y;\n",
		"k/warn.cu":   "__global__ void k(int *p) {\n  int unused; }\n",
	})
	t.Chdir(root)
	compile := func(source string) (*Output, error) {
		return c.Compile(t.Context(), Request{Source: source, Dir: root, Arch: "compute_75"})
	}
	for _, prefix := range []string{"", root} {
		_, err := compile(filepath.Join(prefix, "k", "bad.cu"))
		var list diag.List
		require.True(t, errors.As(err, &list), "%v", err)
		assert.Equal(t, diag.List{
			{Pos: token.Position{Filename: filepath.Join(prefix, "k", "bad.cu"), Line: 3, Column: 10}, Message: diag.OfCompiler.New(`identifier "q" is undefined`)},
			{Pos: token.Position{Filename: filepath.Join(prefix, "k", "inc", "bad.h"), Line: 1, Column: 20}, Message: diag.OfCompiler.New(`identifier "y" is undefined`)},
		}, list)
	}
	out, err := compile(filepath.Join("k", "warn.cu"))
	require.NoError(t, err)
	require.Len(t, out.Warnings, 1)
	assert.Equal(t, token.Position{Filename: filepath.Join("k", "warn.cu"), Line: 2, Column: 7}, out.Warnings[0].Pos)
}

func TestRTCFlags(t *testing.T) {
	dir := write(t, "m", map[string]string{"pre.h": ""})
	for _, tt := range []struct {
		name, flags, want, err string
	}{
		{name: "folders", flags: "-Iinc -I inc --include-path=inc -isystem inc -I/abs", want: "-IDIR/inc -IDIR/inc -IDIR/inc -IDIR/inc -I/abs"},
		{name: "lists", flags: "-DA=1,B=2 -Ia,b", want: "-DA=1 -DB=2 -IDIR/a -IDIR/b"},
		{name: "macros", flags: "-D A --define-macro=B=1 -U C", want: "-DA -DB=1 -UC"},
		{name: "dialect", flags: "-std c++20 --std=c++17", want: "--std=c++20 --std=c++17"},
		{name: "included files", flags: "-include pre.h -include other.h", want: "--pre-include=DIR/pre.h --pre-include=other.h"},
		{name: "for other programs", flags: "-ccbin g++ -Xcompiler -Wall -O3 -m64 -t 2 -Xptxas=-v -default-stream legacy", want: ""},
		{name: "macros of nvcc", flags: "--expt-relaxed-constexpr --extended-lambda -Xcompiler=-fopenmp,-DA -rdc true", want: "-D_OPENMP=201511 -DA -D__CUDACC_RELAXED_CONSTEXPR__ -D__CUDACC_EXTENDED_LAMBDA__ -rdc=true"},
		{name: "NVRTC's own", flags: "-use_fast_math -maxrregcount 32 -fmad=false --frobnicate -time=x", want: "-use_fast_math -maxrregcount 32 -fmad=false --frobnicate -time=x"},
		{name: "no value", flags: "-DA -I", err: "argument -I has no value"},
		{name: "quoted list", flags: `-DA="x,y"`, err: "write one argument for each value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := rtcFlags(strings.Fields(tt.flags), dir)
			if tt.err != "" {
				assert.ErrorContains(t, err, tt.err)
				if tt.name == "quoted list" {
					assert.Equal(t, diag.NVRTCLacks, diag.CodeOf(err))
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, strings.ReplaceAll(tt.want, "DIR", dir), strings.Join(got, " "))
		})
	}
}

func TestLoadFlags(t *testing.T) {
	got, err := LoadFlags(strings.Fields("-ccbin g++ -use_fast_math -DA,B"))
	require.NoError(t, err)
	assert.Equal(t, []string{"-use_fast_math", "-DA", "-DB"}, got)
	for _, flag := range []string{"-Iinc", "-isystem=inc", "-include"} {
		_, err := LoadFlags([]string{flag, "x.h"})
		assert.ErrorContains(t, err, "argument "+flag+" names a file or folder")
	}
}

func TestFindNVRTCNowhere(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.so")
	_, err := FindNVRTC(func(name string) string { return map[string]string{"NVRTC_LIB": none}[name] })
	var missing *NotFoundError
	require.ErrorAs(t, err, &missing)
	assert.True(t, missing.Named)
	assert.Contains(t, err.Error(), "no NVRTC in $NVRTC_LIB ("+none+"): run cudagen toolchain install, which needs no root, or install a CUDA toolkit")
}

// With NVRTC, too, the suffix sees what the source declares, and machine code and debug
// information can be had.
func TestNVRTCSuffixMachineCodeAndDebug(t *testing.T) {
	c := findNVRTC(t)
	root := write(t, "m", map[string]string{"k.cu": "template <class T> __global__ void scale(T *p) { p[0] += 1; }\n#ifdef __CUDACC_DEBUG__\n#error debug\n#endif\n"})
	req := Request{Source: filepath.Join(root, "k.cu"), Dir: root, Arch: "compute_75",
		Suffix: "#line 7 \"k.cu\"\ntemplate __global__ decltype(scale<float>) scale<float>;\n"}
	out, err := c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.Contains(t, string(out.Code), ".entry _Z5scaleIfEvPT_(")
	assert.NotContains(t, string(out.Code), ".debug_info")

	req.Debug = true
	out, err = c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.Contains(t, string(out.Code), ".debug_info")

	req.Debug, req.Arch = false, "sm_90"
	out, err = c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.True(t, isELF(out.Code))
	assert.True(t, out.Reproducible)

	t.Run("unnamed namespaces", func(t *testing.T) {
		root := write(t, "m", map[string]string{
			"kernel.cu":   "namespace { __global__ void hidden(int *p) { *p = 1; } }\n",
			"variable.cu": "namespace { __device__ int table[4] = {1, 2, 3, 4}; }\nextern \"C\" __global__ void k(int *p) { *p = table[*p]; }\n",
		})
		_, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "variable.cu"), Arch: "sm_90"})
		require.NoError(t, err)
		_, err = c.Compile(t.Context(), Request{Source: filepath.Join(root, "kernel.cu"), Arch: "sm_90"})
		assert.ErrorContains(t, err, "kernels in unnamed namespaces, which NVRTC names after the time and the process: use -compiler nvcc")
	})

	req.DryRun = true
	_, err = c.Compile(t.Context(), req)
	assert.ErrorIs(t, err, ErrNotRun)

	req.DryRun, req.Suffix = false, strings.Replace(req.Suffix, "scale<float>;", "scal<float>;", 1)
	_, err = c.Compile(t.Context(), req)
	var list diag.List
	require.ErrorAs(t, err, &list)
	assert.Equal(t, 7, list[0].Pos.Line)
	assert.Equal(t, req.Source, list[0].Pos.Filename)
}
