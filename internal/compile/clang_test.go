package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

func findClang(t *testing.T) *clang {
	t.Helper()
	testenv.Need(t, testenv.Clang)
	c, err := FindClang(os.Getenv)
	require.NoError(t, err)
	return c.(*clang)
}

// withoutToolkit is an environment in which nothing of NVIDIA's is found.
func withoutToolkit(name string) string { return "" }

func TestClang(t *testing.T) {
	c := findClang(t)
	emptyTemp(t)
	out, root := compileOuter(t, newClang(c.words, c.origin, withoutToolkit), "clang")
	ptx := string(out.Code)
	assert.Contains(t, ptx, ".version 8.1\n.target sm_75\n")
	assert.Contains(t, ptx, `"kernels/outer.cu"`)
	assert.Contains(t, ptx, `"kernels/inc/vec.h"`)
	command := strings.Join(out.Command, " ")
	assert.Regexp(t, `^clang\+\+ -x cuda .* -Iinclude -DN=1 -isystem clangcuda .* -o kernels/outer.ptx kernels/outer.cu$`, command)
	assert.NotContains(t, command, root)
	assert.NotContains(t, command, os.TempDir())
	assert.Empty(t, out.Warnings)
}

func TestClangInEveryFolder(t *testing.T) {
	c := findClang(t)
	emptyTemp(t)
	for _, tt := range []struct {
		name     string
		lineInfo bool
		flags    []string
	}{
		{name: "plain"}, {name: "line information", lineInfo: true}, {name: "relocatable code", flags: []string{"-fgpu-rdc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ptx [2]string
			for i, folder := range []string{"a", "wide folder/étage/it's here"} {
				root := write(t, folder, map[string]string{"k.cu": unnamed + "static __device__ int hidden;\n__global__ void file(const char **p) { *p = __FILE__; hidden++; }\n", "inc/vec.h": vecHeader})
				t.Chdir(root)
				source := []string{"k.cu", filepath.Join(root, "k.cu")}[i]
				out, err := c.Compile(t.Context(), Request{Source: source, Arch: "compute_75", LineInfo: tt.lineInfo, Flags: tt.flags})
				require.NoError(t, err)
				assert.True(t, out.Reproducible)
				assert.Equal(t, tt.lineInfo, strings.Contains(string(out.Code), ".loc"))
				ptx[i] = string(out.Code)
			}
			assert.Equal(t, ptx[0], ptx[1])
		})
	}
}

var entry = regexp.MustCompile(`(?s)\.entry\s+([\w$]+)\s*\((.*?)\)`)
var param = regexp.MustCompile(`\.param\s+(?:\.align\s+(\d+)\s+)?\.([a-z])(\d+)(?:\s+\.ptr(?:\s+\.\w+)*?(?:\s+\.align\s+\d+)?)?\s+[\w$]+(?:\[(\d+)\])?`)

// params returns, for each kernel of a PTX, alignment and size of its parameters.
func params(t *testing.T, ptx []byte) map[string][]string {
	t.Helper()
	kernels := map[string][]string{}
	for _, e := range entry.FindAllSubmatch(ptx, -1) {
		list := []string{}
		for _, p := range param.FindAllSubmatch(e[2], -1) {
			bits, err := strconv.Atoi(string(p[3]))
			require.NoError(t, err)
			size, align := bits/8, bits/8
			if len(p[1]) > 0 {
				align, _ = strconv.Atoi(string(p[1]))
			}
			if len(p[4]) > 0 {
				size, _ = strconv.Atoi(string(p[4]))
			}
			list = append(list, fmt.Sprintf("%d:%d", align, size))
		}
		require.Len(t, list, strings.Count(string(e[2]), ".param"), "%s", e[0])
		kernels[string(e[1])] = list
	}
	return kernels
}

var sources = []string{
	filepath.Join("testdata", "layouts.cu"), filepath.Join("testdata", "functions.cu"), filepath.Join("..", "..", "example", "kernels.cu"),
}

// The sources compile with clang, for every kind of target, and ptxas takes the PTX.
func TestClangCompilesForEveryTarget(t *testing.T) {
	testenv.Need(t, testenv.Long)
	c := findClang(t)
	testenv.Need(t, testenv.NVCC)
	emptyTemp(t)
	c = newClang(c.words, c.origin, func(name string) string {
		if name == "CUDA_HOME" {
			return filepath.Dir(filepath.Dir(testenv.NVCCPath(t)))
		}
		return os.Getenv(name)
	})
	for _, source := range sources {
		for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_90a"} {
			t.Run(arch+" "+filepath.Base(source), func(t *testing.T) {
				out, err := c.Compile(t.Context(), Request{Source: source, Arch: arch})
				require.NoError(t, err)
				assert.True(t, isELF(out.Code))
			})
		}
	}
}

// clang's kernels have nvcc's names and parameters.
func TestClangHasTheParametersOfNVCC(t *testing.T) {
	clang, nvcc := findClang(t), findNVCC(t)
	emptyTemp(t)
	for _, source := range sources {
		t.Run(filepath.Base(source), func(t *testing.T) {
			if filepath.Base(source) == "layouts.cu" {
				testenv.Toolkit(t, 13) // long4_16a
			}
			var lists [2]map[string][]string
			for i, c := range []Compiler{clang, nvcc} {
				out, err := c.Compile(t.Context(), Request{Source: source, Arch: "compute_80"})
				require.NoError(t, err)
				lists[i] = params(t, out.Code)
			}
			require.NotEmpty(t, lists[0])
			assert.Equal(t, lists[1], lists[0])
		})
	}
}

// layouts.cu asserts sizes and alignments; it must be able to fail.
func TestLayoutsAreChecked(t *testing.T) {
	_, err := findClang(t).Compile(t.Context(), Request{Source: sources[0], Arch: "compute_75", Flags: []string{"-DWRONG"}})
	assert.ErrorContains(t, err, "float3")
}

func TestClangDebug(t *testing.T) {
	c := findClang(t)
	emptyTemp(t)
	root := write(t, "m #1$", map[string]string{"k.cu": exported, "inc/vec.h": vecHeader})
	out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Debug: true,
		Suffix: "struct Seen { int x; };\ntemplate __global__ void generic<Seen>(Seen, float *);\n"})
	require.NoError(t, err, "%+v", err)
	assert.Contains(t, string(out.Code), ".debug_info")
	assert.False(t, out.Reproducible)
	assert.Contains(t, out.Includes, filepath.Join(root, "inc", "vec.h"))
	for _, include := range out.Includes {
		assert.NotContains(t, include, "cudagen-")
	}
	assert.NotContains(t, out.Includes, filepath.Join(root, "k.cu"))
}

func TestClangMessages(t *testing.T) {
	c := findClang(t)
	emptyTemp(t)
	for _, tt := range []struct {
		name, source string
		line, column int
		want         string
	}{
		{"an error", "\n__global__ void k(int *p) { p[0] = q; }\n", 2, 36, "use of undeclared identifier 'q'"},
		{"the runtime API", "void f(int *p) {\n  cudaMalloc(&p, 4); }\n", 2, 3, "'cudaMalloc'; clang's back end lacks the CUDA runtime API"},
		{"the driver API", "CUresult f();\n", 1, 1, "'CUresult'; clang's back end lacks"},
		{"textures", "__global__ void k(cudaTextureObject_t t, float *p) {\n  *p = tex2D<float>(t, 0, 0); }\n", 2, 8, "'tex2D'; clang's back end lacks"},
		{"a library", "#include <curand_kernel.h>\n", 1, 10, "'curand_kernel.h' file not found; clang's back end has few of CUDA's headers"},
		{"a header of the user's", "#include \"gone.h\"\n", 1, 10, "'gone.h' file not found"},
		{"a host function in a kernel", "void f();\n__global__ void k() {\n  f(); }\n", 3, 3, "no matching function for call to 'f'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := filepath.Join(write(t, "m", map[string]string{"k.cu": tt.source}), "k.cu")
			_, err := c.Compile(t.Context(), Request{Source: source, Arch: "compute_75"})
			var list diag.List
			require.ErrorAs(t, err, &list)
			assert.Equal(t, source, list[0].Pos.Filename)
			assert.Equal(t, []int{tt.line, tt.column}, []int{list[0].Pos.Line, list[0].Pos.Column})
			assert.Contains(t, list[0].Message.Error(), tt.want)
		})
	}
}

func TestWhatClangLacks(t *testing.T) {
	c := findClang(t)
	emptyTemp(t)
	for _, tt := range []struct {
		name, source, arch, want string
		flags                    []string
	}{
		{name: "nvcc's -G", arch: "compute_75", flags: []string{"-G"}, want: "takes -G with a number, as another flag than nvcc's: flags behind -- are those of the compiler, which is clang here: give -g, or -compiler nvcc"},
		{name: "a flag of nvcc", arch: "compute_75", flags: []string{"--maxrregcount", "32"}, want: "has no argument --maxrregcount: flags behind -- are those of the compiler, which is clang here: leave it out, or give -compiler nvcc"},
		{name: "libdevice's own functions", source: "__global__ void k(float *p) { *p = erfinvf(*p) + j0f(*p); }\n", arch: "compute_75", want: "clang's back end has no device function erfinvf, j0f (docs/compilers.md): use nvcc"},
		{name: "a function that is defined elsewhere", source: "__device__ int f();\n__global__ void k(int *p) { *p = f(); }\n", arch: "compute_75", want: "undefined device functions: _Z1fv"},
		{name: "an architecture", arch: "compute_999", want: "has no architecture compute_999, only compute_"},
		{name: "the assembler", arch: "sm_75", want: "there is none beside nvcc or in $PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := filepath.Join(write(t, "m", map[string]string{"k.cu": tt.source}), "k.cu")
			_, err := newClang(c.words, c.origin, withoutToolkit).Compile(t.Context(), Request{Source: source, Arch: tt.arch, Flags: tt.flags})
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, source)
			if tt.name != "an architecture" {
				assert.Equal(t, diag.ClangLacks, diag.CodeOf(err))
			}
		})
	}
}

// The compiler of the host is nvcc's, and nothing of clang.
func TestWithoutHost(t *testing.T) {
	for flags, want := range map[string]string{
		"-O3": "-O3", "-ccbin g++-13 -O3": "-O3", "-ccbin=g++": "", "--compiler-bindir /usr/bin -DN=1": "-DN=1", "-O3 -ccbin": "-O3",
	} {
		assert.Equal(t, strings.Fields(want), append([]string{}, withoutHost(strings.Fields(flags))...), flags)
	}
}

func TestUndefined(t *testing.T) {
	const ptx = ".extern .func  (.param .b32 func_retval0) vprintf\n(\n)\n.extern .func __assertfail\n"
	assert.NoError(t, undefined([]byte(ptx), false))
	assert.EqualError(t, undefined([]byte(ptx+".extern .func  (.param .b32 func_retval0) __nv_expf\n"), false),
		"device functions expf are in libclc, which is not installed: install it (Debian: libclc-19), or use nvcc")
}

func TestLeastPTX(t *testing.T) {
	for arch, want := range map[string]string{
		"compute_75": "81", "sm_90a": "81", "sm_100": "86", "compute_101a": "86", "sm_120": "87", "sm_100f": "88", "sm_103": "88", "sm_121": "88", "sm_88": "90", "sm_110": "90", "sm_130": "90",
	} {
		target, err := parseTarget(arch)
		require.NoError(t, err)
		assert.Equal(t, want, target.leastPTX(), arch)
	}
}

func TestClangSuffixTraceAndDryRun(t *testing.T) {
	c := findClang(t)
	emptyTemp(t)
	root := write(t, "étage 1", map[string]string{"k/k.cu": "#include \"inc/vec.h\"\ntemplate <class T> __global__ void scale(T *p) { p[0] = twice(__LINE__); }\n", "k/inc/vec.h": vecHeader})
	var commands int
	req := Request{Source: filepath.Join(root, "k", "k.cu"), Dir: root, Arch: "compute_75", LineInfo: true,
		Trace:  func([]string) { commands++ },
		Suffix: "#line 7 \"k/k.cu\"\ntemplate __global__ decltype(scale<float>) scale<float>;\n"}
	out, err := c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, 1, commands)
	assert.Contains(t, string(out.Code), ".entry _Z5scaleIfEvPT_(")
	assert.NotContains(t, string(out.Code), "cudagen-", "temporary names")

	req.DryRun = true
	_, err = c.Compile(t.Context(), req)
	assert.ErrorIs(t, err, ErrNotRun)

	req.DryRun, req.Suffix = false, strings.Replace(req.Suffix, "scale<float>;", "scal<float>;", 1)
	_, err = c.Compile(t.Context(), req)
	var list diag.List
	require.True(t, errors.As(err, &list), "%v", err)
	assert.Equal(t, filepath.Join(root, "k", "k.cu"), list[0].Pos.Filename)
	assert.Equal(t, 7, list[0].Pos.Line)
}
