package witness

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/nvrtclib"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
)

const probed = `
#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#endif
namespace app {
class Secret {
	struct Inner { char c; short s; unsigned b : 3; };
	struct : Inner { long more; } unnamed;
	Inner *in;
	enum class E : signed char { low = -3, high = 5 };
	E e;
	};
struct Derived : Secret { Derived(const Derived &) = delete; float f; };
__constant__ Derived *derived[3];
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

// early are the keywords that stand in front of the probe's header, in the constants that are asked for.
const early = " long sizeof "

// macros defines every name in the probe that is no reserved one as a macro that is nonsense
// there, as sources may: N, T, nullptr.
func macros(t *testing.T) string {
	t.Helper()
	code := regexp.MustCompile(`(?m)//.*|'.'|^#.*`).ReplaceAllString(probeHeader, "")
	var b strings.Builder
	for _, name := range regexp.MustCompile(`\b[A-Za-z]\w*`).FindAllString(code, -1) {
		if !strings.Contains(early, " "+name+" ") && !strings.HasPrefix(name, "cudagen") && !strings.Contains(b.String(), " "+name+" ") {
			fmt.Fprintf(&b, "#define %s + }\n", name)
		}
	}
	require.Contains(t, b.String(), "#define T + }\n")
	return b.String()
}

// A compilerCase is a compiler that answers probes. compile returns PTX, or what the compiler says
// against the source.
type compilerCase struct {
	name    string
	compile func(t *testing.T, source, std string, debug bool) (text []byte, log string)
}

var compilers = []compilerCase{
	{"nvcc", func(t *testing.T, source, std string, debug bool) ([]byte, string) {
		args := []string{"-w", "-std=" + std, "-ptx", "-arch=compute_75"}
		if debug {
			args = append(args, "-G", "-U__CUDACC_DEBUG__")
		}
		return runCompiler(t, source, testenv.NVCCPath(t), args...)
	}},
	{"clang", func(t *testing.T, source, std string, debug bool) ([]byte, string) {
		args := []string{"-std=" + std, "-x", "cuda", "--cuda-gpu-arch=sm_75", "--cuda-device-only", "-nocudainc", "-nocudalib", "-w", "-S", "-O2"}
		if debug {
			args = append(args, "-g", "--cuda-noopt-device-debug", "-fstandalone-debug")
		}
		return runCompiler(t, source, testenv.ClangPath(t), args...)
	}},
	{"nvrtc", func(t *testing.T, source, std string, debug bool) ([]byte, string) {
		testenv.Need(t, testenv.NVRTC)
		location, err := nvrtclib.Find(os.Getenv)
		require.NoError(t, err)
		library, err := nvrtclib.Open(location)
		require.NoError(t, err)
		options := []string{"-w", "-std=" + std, "--gpu-architecture=compute_75"}
		if debug {
			options = append(options, "-G", "-U__CUDACC_DEBUG__")
		}
		compiled, err := library.Compile(t.Context(), nvrtclib.Program{Source: source, Name: "k.cu", Options: options})
		if err != nil {
			return nil, err.Error()
		}
		return compiled.Code, ""
	}},
}

func runCompiler(t *testing.T, source, compiler string, args ...string) ([]byte, string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.cu"), filepath.Join(dir, "k.ptx")
	require.NoError(t, os.WriteFile(in, []byte(source), 0o600))
	log, err := exec.Command(compiler, append(args, "-o", out, in)...).CombinedOutput()
	if err != nil {
		return nil, string(log)
	}
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	return text, ""
}

func TestProbe(t *testing.T) {
	q := Queries{
		Kernels: []KernelQuery{
			{Name: "app::hidden"}, {Name: "app::fixed<double>"}, {Name: "over", Params: []string{"int"}},
			{Name: "over", Params: []string{"float", "void *"}}, {Name: "none"},
		},
		Types: []TypeQuery{
			{Says: "app::Vec", Fields: []string{"y", "w"}}, {Says: "app::Fixed<short, 5>", Fields: []string{"v"}},
			{Says: "app::Mode", Enumerators: []string{"OFF"}},
		},
		Constants: []string{"sizeof(app::Vec)", "app::OFF"},
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
		Types: []TypeAnswer{
			{Object{16, 8, Class, Unknown}, 16, []int64{4, 8}, nil}, {Object{12, 2, Class, Unknown}, 12, []int64{2}, nil},
			{Object{1, 1, Enum, Unsigned}, 1, nil, []int64{0}},
		},
		Constants: []int64{16, 0},
	}
	for _, c := range compilers {
		for _, std := range []string{"c++11", "c++17", "c++20"} {
			t.Run(c.name+" "+std, func(t *testing.T) {
				text, log := c.compile(t, probed+macros(t)+q.Source(), std, false)
				require.NotNil(t, text, log)
				module, err := ptx.Parse("k.ptx", text)
				require.NoError(t, err)
				got, err := q.Read(module)
				require.NoError(t, err)
				assert.Equal(t, want, got)

				missing := Queries{Kernels: []KernelQuery{{Name: "none"}, {Name: "app::mising"}}, Types: []TypeQuery{{Says: "app::Vec", Fields: []string{"no"}}, {Says: "Nix"}}, Constants: []string{"nil"}}
				_, log = c.compile(t, probed+missing.Source(), std, false)
				assert.Contains(t, log, "mising")
				refused := map[QueryID]bool{}
				for _, m := range regexp.MustCompile(QueryFile+`[(:](\d+)[):]`).FindAllStringSubmatch(log, -1) {
					line, err := strconv.Atoi(m[1])
					require.NoError(t, err)
					id, ok := missing.At(line)
					require.True(t, ok)
					refused[id] = true
				}
				assert.Subset(t, slices.Collect(maps.Keys(refused)), []QueryID{{KernelKind, 1}, {TypePartsKind, 0}, {TypeKind, 1}, {ConstantKind, 0}})
				assert.NotContains(t, refused, QueryID{KernelKind, 0})
				assert.NotContains(t, refused, QueryID{TypeKind, 0})
				for _, line := range []int{-1, 0, 8} {
					_, ok := missing.At(line)
					assert.False(t, ok)
				}
			})
		}
	}
}

// Types that no kernel has, or that only their classes may name, are described and answered all
// the same.
func TestDescribedTypes(t *testing.T) {
	kernel := KernelQuery{Name: "app::hidden"}
	q := Queries{Types: []TypeQuery{
		{Says: ParamType(&kernel, 1), Fields: []string{"w"}},
		{Says: VariableType("app::derived"), Fields: []string{"in", "e", "f"}},
		{Says: MemberType(1, "unnamed"), Fields: []string{"more"}},
		{Says: MemberType(1, "in"), Fields: []string{"c", "s"}},
		{Says: MemberType(1, "e"), Enumerators: []string{"low", "high"}},
		{Says: ParamType(&kernel, 0)},
	}, Constants: []string{"T"}}
	for _, c := range compilers {
		t.Run(c.name, func(t *testing.T) {
			text, log := c.compile(t, probed+macros(t)+"#undef T\n#define T (-9)\n"+q.Source(), "c++17", true)
			require.NotNil(t, text, log)
			module, err := ptx.Parse("k.ptx", text)
			require.NoError(t, err)
			answers, err := q.Read(module)
			require.NoError(t, err)
			assert.Equal(t, &Answers{Types: []TypeAnswer{
				{Object{16, 8, Class, Unknown}, 16, []int64{8}, nil},
				{Object{32, 8, Class, Unknown}, 32, []int64{16, 24, 28}, nil},
				{Object{16, 8, Class, Unknown}, 16, []int64{8}, nil},
				{Object{8, 4, Class, Unknown}, 8, []int64{0, 2}, nil},
				{Object{1, 1, Enum, Signed}, 1, nil, []int64{-3, 5}},
				{Object{1, 1, Enum, Unsigned}, 1, nil, nil},
			}, Constants: []int64{-9}}, answers)
			debug, err := ReadDebug("k.ptx", text)
			require.NoError(t, err)
			for i, want := range answers.Types {
				got := debug.Described(i)
				require.NotNil(t, got, i)
				assert.Equal(t, want.Size, got.Bare().Size, i)
				assert.Equal(t, want.Kind, got.Bare().Kind, i)
			}
			assert.Len(t, debug.Described(3).Bare().Fields, 3)
			assert.Nil(t, debug.Described(6))

			// Before C++14 private names cannot be said, and the others can.
			text, log = c.compile(t, probed+"#define T 1\n"+q.Source(), "c++11", true)
			assert.Nil(t, text)
			assert.Contains(t, log, QueryFile)
			public := Queries{Types: q.Types[:1]}
			text, log = c.compile(t, probed+public.Source(), "c++11", true)
			require.NotNil(t, text, log)
			if debug, err = ReadDebug("k.ptx", text); assert.NoError(t, err) && assert.NotNil(t, debug.Described(0)) {
				assert.Len(t, debug.Described(0).Bare().Fields, 3)
			}
		})
	}
}

func TestProbeErrors(t *testing.T) {
	q := Queries{Kernels: []KernelQuery{{Name: "k"}}}
	types := Queries{Types: []TypeQuery{{Says: "T", Fields: []string{"x"}}}}
	constants := Queries{Constants: []string{"N"}}
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
		{"kind missing", ".global .align 8 .u64 cudagen_probe_type_0[2] = {4, 4};", &types, "type T: its probe has 2 words"},
		{"kind unknown", ".global .align 8 .u64 cudagen_probe_type_0[4] = {4, 4, 200, 0};", &types, "type T: its probe says [4 4 200 0], which is not understood"},
		{"no offsets", ".global .align 8 .u64 cudagen_probe_type_0[4] = {4, 4, 115, 0};", &types, "type T: the compiler has not answered its probe (there is no variable cudagen_probe_parts_0)"},
		{
			"an offset more", ".global .align 8 .u64 cudagen_probe_type_0[4] = {4, 4, 115, 0};\n.global .align 8 .u64 cudagen_probe_parts_0[2] = {0, 4};", &types,
			"type T: its probe has 2 words",
		},
		{"no constant", "", &constants, "constant N: the compiler has not answered its probe (there is no variable cudagen_probe_constant_0)"},
		{"two constants", ".global .align 8 .u64 cudagen_probe_constant_0[2] = {0, 4};", &constants, "constant N: its probe has 2 words"},
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

func TestBaseType(t *testing.T) {
	for _, test := range []struct {
		name         string
		sole, scoped bool
		says, before string
	}{
		{"Plain", false, false, "cudagen_probe_named_3::Plain", ""},
		{"tuple<int,f<a, b> >", true, false, "cudagen_probe_named_3::tuple", ""},
		{"ids<0UL,-1,true>", false, false, "cudagen_probe_named_3::ids<0UL, -1, true>", ""},
		{"leaf<1UL,tuple<char, double>,How::plain>", false, true, "decltype(cudagen_probe_base_5(static_cast<cudagen_probe_named_3 *>(nullptr)))::type",
			"template <class A1, auto A2> __attribute__((device)) cudagen_probe::said<cudagen_probe_named_3::leaf<1UL, A1, A2>> cudagen_probe_base_5(cudagen_probe_named_3::leaf<1UL, A1, A2> *);"},
		{"leaf<n::T, (How)0, &x, int (*)(a, b)>", false, false, "decltype(cudagen_probe_base_5(static_cast<cudagen_probe_named_3 *>(nullptr)))::type",
			"template <class A0, auto A1, auto A2, class A3> __attribute__((device)) cudagen_probe::said<cudagen_probe_named_3::leaf<A0, A1, A2, A3>> cudagen_probe_base_5(cudagen_probe_named_3::leaf<A0, A1, A2, A3> *);"},
	} {
		says, before := BaseType(3, 5, test.name, test.sole, test.scoped)
		assert.Equal(t, test.says, says, test.name)
		assert.Equal(t, test.before, before, test.name)
	}
}
