package witness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
)

const probed = `
#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)
#define __global__ __attribute__((global))
#endif
namespace app {
struct Vec { float x, y; double w; };
enum Mode : unsigned char { OFF };
template <class T, int N> struct Fixed { char c; T v[N]; };
namespace { __global__ void hidden(Mode m, Vec *v, struct Nothing *n) {} }
template <class T> __global__ void fixed(Fixed<T, 3> f, const T &r) {}
}
static __global__ void over(int) {}
__global__ void over(float, void *) {}
__global__ void none() {}
`

// keywords are those in the probe.
const keywords = ` namespace typedef unsigned long template class struct static constexpr void bool char short int signed wchar_t char16_t
 char32_t char8_t float double decltype nullptr const volatile sizeof alignof typename return true `

// macros defines every name in the probe that is no reserved one as a macro that is nonsense
// there, as sources may: N, T, size.
func macros(t *testing.T) string {
	t.Helper()
	code := regexp.MustCompile(`(?m)//.*|'.'|^#.*`).ReplaceAllString(probeHeader, "")
	var b strings.Builder
	for _, name := range regexp.MustCompile(`\b[A-Za-z]\w*`).FindAllString(code, -1) {
		if !strings.Contains(strings.ReplaceAll(keywords, "\n", " "), " "+name+" ") && !strings.HasPrefix(name, "cudagen") && !strings.Contains(b.String(), " "+name+" ") {
			fmt.Fprintf(&b, "#define %s + }\n", name)
		}
	}
	require.Contains(t, b.String(), "#define T + }\n")
	return b.String()
}

func TestProbe(t *testing.T) {
	q := Queries{
		Kernels: []KernelQuery{
			{Name: "app::hidden"}, {Name: "app::fixed<double>"}, {Name: "over", Params: []string{"int"}},
			{Name: "over", Params: []string{"float", "void *"}}, {Name: "none"},
		},
		Types: []TypeQuery{{Name: "app::Vec", Fields: []string{"y", "w"}}, {Name: "app::Fixed<short, 5>", Fields: []string{"v"}}, {Name: "app::Mode"}},
	}
	pointer := Object{Size: 8, Align: 8, Kind: Pointer}
	void := Object{Kind: Void}
	want := &Answers{
		Kernels: [][]Answer{
			{
				{Object{1, 1, Enum, Unsigned}, void},
				{pointer, Object{16, 8, Class, Unknown}},
				{pointer, Object{0, 0, Class, Unknown}},
			},
			{
				{Object{32, 8, Class, Unknown}, void},
				{Object{8, 8, Reference, Unknown}, Object{8, 8, Float, Unknown}},
			},
			{{Object{4, 4, Signed, Unknown}, void}},
			{{Object{4, 4, Float, Unknown}, void}, {pointer, void}},
			nil,
		},
		Types: []TypeAnswer{{16, 8, []int64{4, 8}}, {12, 2, []int64{2}}, {1, 1, nil}},
	}
	compile := func(t *testing.T, source, compiler string, args ...string) ([]byte, string) {
		t.Helper()
		dir := t.TempDir()
		in, out := filepath.Join(dir, "k.cu"), filepath.Join(dir, "k.ptx")
		require.NoError(t, os.WriteFile(in, []byte(source), 0o600))
		log, err := exec.Command(compiler, append(args, out, in)...).CombinedOutput()
		if err != nil {
			return nil, string(log)
		}
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		return text, ""
	}
	check := func(t *testing.T, compiler string, args ...string) {
		text, log := compile(t, probed+macros(t)+q.Source(), compiler, args...)
		require.NotNil(t, text, log)
		module, err := ptx.Parse("k.ptx", text)
		require.NoError(t, err)
		got, err := q.Read(module)
		require.NoError(t, err)
		assert.Equal(t, want, got)

		missing := Queries{Kernels: []KernelQuery{{Name: "app::mising"}}}
		_, log = compile(t, probed+missing.Source(), compiler, args...)
		assert.Contains(t, log, "mising")
	}
	for _, std := range []string{"c++11", "c++17", "c++20"} {
		t.Run("nvcc "+std, func(t *testing.T) {
			check(t, testenv.NVCCPath(t), "-w", "-std="+std, "-ptx", "-arch=compute_75", "-o")
		})
		t.Run("clang "+std, func(t *testing.T) {
			check(t, testenv.ClangPath(t), "-std="+std, "-x", "cuda", "--cuda-gpu-arch=sm_75", "--cuda-device-only", "-nocudainc", "-nocudalib", "-w", "-S", "-O2", "-o")
		})
	}
}

func TestProbeErrors(t *testing.T) {
	q := Queries{Kernels: []KernelQuery{{Name: "k"}}}
	types := Queries{Types: []TypeQuery{{Name: "T", Fields: []string{"x"}}}}
	const one = "1, 4, 4, 105, 0, 0, 0, 118, 0, 0, 0, 120" // one int
	for _, tt := range []struct {
		name, vars string
		q          *Queries
		want       string
	}{
		{"none", "", &q, "kernel k: the compiler has not answered its probe (there is no variable cudagen_probe_kernel_0)"},
		{"text", ".global .align 8 .u64 cudagen_probe_kernel_0[17] = {" + one + ", generic(x)};", &q, "does not hold numbers"},
		{"too short", ".global .align 8 .u64 cudagen_probe_kernel_0[8] = {1};", &q, "its probe has 8 words"},
		{"wrong count", ".global .align 8 .u64 cudagen_probe_kernel_0[17] = {2};", &q, "its probe has 17 words"},
		{"half a word", ".global .align 8 .b8 cudagen_probe_kernel_0[9];", &q, "unexpected type"},
		{"no size", ".extern .global .b8 cudagen_probe_kernel_0[];", &q, "unexpected type"},
		{"unknown kind", ".global .align 8 .u64 cudagen_probe_kernel_0[17] = {1, 4, 4, 200};", &q, "which is not understood"},
		{"field missing", ".global .align 8 .u64 cudagen_probe_type_0[2] = {4, 4};", &types, "type T: its probe has 2 words"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			module, err := ptx.Parse("k.ptx", []byte(".version 8.0\n.target sm_75\n.address_size 64\n"+tt.vars))
			require.NoError(t, err)
			answers, err := tt.q.Read(module)
			assert.Nil(t, answers)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	module, err := ptx.Parse("k.ptx", []byte(".version 8.0\n.global .align 8 .u64 cudagen_probe_kernel_0[17] = {"+one+"};"))
	require.NoError(t, err)
	answers, err := q.Read(module)
	require.NoError(t, err)
	assert.Equal(t, [][]Answer{{{Object{4, 4, Signed, Unknown}, Object{Kind: Void}}}}, answers.Kernels)
}
