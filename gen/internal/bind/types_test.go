package bind_test

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
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

// everything is a source with a type of every form that Go cannot have as it is.
const everything = `
// Mode says how.
enum class Mode : unsigned char { fast, exact = 7 };
enum Level { LOW = -1, HIGH = 3 };
union Value { int i; double d; float4 v; unsigned char raw[3]; };
struct __attribute__((packed)) Wire { char tag; int length; double x[2]; };
struct Flags { unsigned a : 3; unsigned b : 7; int rest; };
struct Base { double weight; int count; };
struct Shape : Base { float radius; Mode mode; };
struct Empty {};
struct Mixed {
  Empty none;
  union { int whole; float part; };
  struct { short x, y; } at[2];
  Shape shape;
  Mode modes[3];
  Level level;
  void (*callback)(int);
  const struct Hidden *hidden;
};
extern "C" __global__ void all(Mixed m, Value v, Wire w, Flags f, Mode mode, __int128 big, long double wide, Empty e, Mixed *out) {}
`

// Every compiler says of a 128-bit integer what the source does. NVRTC knows them with a flag alone, and
// then by a macro of its own.
func TestWideIntegersByEveryCompiler(t *testing.T) {
	const source = `struct Pair { char c; unsigned __int128 u; __int128 i[2]; };
extern "C" __global__ void wide(unsigned __int128 u, __int128 i, const __int128 *p, __uint128_t *q, Pair pair) {}
template <class T> __global__ void fill(T *out, T value) { *out = value; }
template __global__ void fill<unsigned __int128>(unsigned __int128 *, unsigned __int128);
`
	gentest.ByEveryCompiler(t, source, func(t *testing.T, files map[string]string) {
		code := files["k_cuda.go"]
		assert.Contains(t, code, "u, i [2]uint64, p, q cuda.Slice[[2]uint64], pair Pair")
		assert.Contains(t, code, "out cuda.Slice[[2]uint64], value [2]uint64")
	})
}

func TestTypesOfEveryForm(t *testing.T) {
	code, _, err := gentest.GenerateSource(t, everything, nil)
	require.NoError(t, err, "%s", code)
	for _, want := range []string{
		"// Mode is enum Mode (k.cu:3).\n//\n// Mode says how.\ntype Mode uint8\n",
		"ModeExact Mode = 7", "type Level int32", "LevelLOW  Level = -1",
		"// Value is union Value (k.cu:5): 16 bytes.",
		"func (s *Value) D() float64 {", "func (s *Value) SetRaw(v [3]uint8) {",
		"lengthBytes [4]byte  // packed: see Length", "func (s *Wire) Length() int32 {",
		"Bits [2]uint8 // a: bits 0 to 2, b: bits 3 to 9; bit 0 is the lowest of the first byte",
		"MixedUnion", "At       [2]MixedAt", "Callback uint64", "Hidden   cuda.Ptr[byte]",
		"cuda.Slice[Mixed]", "Weight float64", "Radius float32",
	} {
		assert.Contains(t, code, want)
	}

	// Controls: what keeps the layout notices when a type changes.
	for _, control := range []struct{ old, new string }{
		{"type Mode uint8", "type Mode uint16"},
		{"lengthBytes [4]byte", "lengthBytes [5]byte"},
		{"Radius float32", "Radius float64"},
	} {
		changed := strings.Replace(code, control.old, control.new, 1)
		require.NotEqual(t, code, changed, control.old)
		assert.Error(t, gentest.TypeCheck(t, changed), control.new)
	}
}

// The same source compiled: nvcc agrees with every parameter.
func TestTypesOfEveryFormCompiled(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	path := gentest.Write(t, "k.cu", everything)
	find := func() (compile.Compiler, error) { return compile.Find("nvcc", os.Getenv) }
	_, err := gen.Generate(t.Context(), gentest.Options(path, find))
	assert.NoError(t, err)
}

func TestNamesThatCollide(t *testing.T) {
	code, _, err := gentest.GenerateSource(t, `
namespace a { struct Point { int x; }; }
namespace b { struct Point { int X, x, _x; }; struct scale { int type; }; }
extern "C" __global__ void close(a::Point p, b::Point q, b::scale s, int N, int n) {}
extern "C" __global__ void scale(float *x) {}
extern "C" __global__ void Scale(float *x) {}
`, nil)
	require.NoError(t, err, "%s", code)
	for _, want := range []string{
		"type APoint struct", "// BPoint is struct b::Point (k.cu:3): 12 bytes. The name: Point is ambiguous.",
		"// The name X_close: Close is ambiguous.", "// The name X_scale: Scale is ambiguous.", "// The name X_Scale: Scale is ambiguous.",
		"X_X  int32 // (X in C++: X is ambiguous)", "X__x int32 // (_x in C++: X is ambiguous)",
		"X_n int32  // offset 24 (n in C++: N is ambiguous)",
	} {
		assert.Contains(t, strings.ReplaceAll(code, "\t", " "), want)
	}
}

func TestOverloadsAndInstancesAreNamedAfterTypes(t *testing.T) {
	const source = `
__global__ void fill(float *x, int n) {}
__global__ void fill(double *x, int n) {}
namespace deep { __global__ void fill(unsigned char x) {} }
//cudagen:instantiate T=float,N=4
//cudagen:instantiate T=double,N=-1 Backwards
template <typename T, int N> __global__ void shift(T *x) {}
`
	ptx := ".version 6.3\n.target sm_75\n.address_size 64\n"
	for _, entry := range []string{
		"_Z4fillPfi(.param .u64 a, .param .u32 b)", "_Z4fillPdi(.param .u64 a, .param .u32 b)", "_ZN4deep4fillEh(.param .u8 a)",
		"_Z5shiftIfLi4EEvPT_(.param .u64 a)", "_Z5shiftIdLin1EEvPT_(.param .u64 a)",
	} {
		ptx += ".visible .entry " + entry + " { ret; }\n"
	}
	path := gentest.Write(t, "k.cu", source)
	_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(ptx)))
	require.NoError(t, err)
	code, err := os.ReadFile(filepath.Join(filepath.Dir(path), "k_cuda.go"))
	require.NoError(t, err)
	require.NoError(t, gentest.TypeCheck(t, string(code)))
	for _, want := range []string{"FillFloatPtrIntKernel", "FillDoublePtrIntKernel", "type FillKernel struct", "ShiftFloat4Kernel", "BackwardsKernel"} {
		assert.Contains(t, string(code), want)
	}

	// An instance that the image lacks: the error has the line to add.
	path = gentest.Write(t, "k.cu", source)
	_, err = gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(strings.Replace(ptx, "_Z5shiftIfLi4EEvPT_", "other", 1))))
	assert.ErrorContains(t, err, "template __global__ decltype(shift<float, 4>) shift<float, 4>;")
}

func TestTypeDirective(t *testing.T) {
	const source = `
//cudagen:type geo::Point=image.Point

namespace geo { struct Point { long X, Y; }; struct Box { Point min, max; }; }
extern "C" __global__ void k(geo::Box b, geo::Point *p) {}
`
	code, _, err := gentest.GenerateSource(t, source, nil)
	require.NoError(t, err, "%s", code)
	assert.Contains(t, code, "Min, Max image.Point")
	assert.Contains(t, code, "cuda.Slice[image.Point]")
	assert.NotContains(t, code, "type Point ")
	_, _, err = gentest.GenerateSource(t, strings.Replace(source, "long X, Y", "int X, Y", 1), nil)
	assert.Error(t, err, "image.Point has other sizes: it must not compile")
	_, _, err = gentest.GenerateSource(t, strings.Replace(source, "long X, Y", "long Y, X", 1), nil)
	assert.Error(t, err, "image.Point has its fields in another order: it must not compile")

	for name, test := range map[string]struct{ args, want string }{
		"no equals sign": {"geo::Point", `type wants CName=import/path.GoType, found "geo::Point"`},
		"not exported":   {"geo::Point=image.point", `"point" is not an exported Go name`},
		"not a path":     {"geo::Point=/image.Point", `"/image" is not an import path`},
		"not used":       {"geo::Line=image.Point", "no kernel that is generated uses a struct geo::Line"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := gentest.GenerateSource(t, strings.Replace(source, "geo::Point=image.Point", test.args, 1), nil)
			assert.ErrorContains(t, err, "k.cu:2:")
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// What is wrong with a template is said once, however many instances it has.
func TestErrorsOfSeveralInstances(t *testing.T) {
	const source = `//cudagen:instantiate T=int
//cudagen:instantiate T=float
//cudagen:threads n
template <class T> __global__ void fill(T *x, int n) {}
extern "C" __global__ void other(int n) {}
`
	const want = "k.cu:3:1: fill: threads needs a block: add //cudagen:block, or __launch_bounds__ to the kernel"
	_, _, err := gentest.GenerateSource(t, source, nil)
	assert.Equal(t, 1, strings.Count(err.Error(), want), "%v", err)
	list, ok := err.(diag.List)
	require.True(t, ok)
	assert.Len(t, list, 1, "%v", err)

	_, result, err := gentest.GenerateSource(t, source, func(o *gen.Options) { o.KeepGoing = true })
	require.NoError(t, err)
	assert.Len(t, result.Refused, 1)
}

func TestKeepGoing(t *testing.T) {
	const source = `
extern "C" __global__ void bad(Unknown u) {}
extern "C" __global__ void good(int n) {}
struct V { virtual void f(); int x; };
extern "C" __global__ void worse(V v) {}
`
	_, _, err := gentest.GenerateSource(t, source, nil)
	assert.ErrorContains(t, err, "bad")
	code, result, err := gentest.GenerateSource(t, source, func(o *gen.Options) { o.KeepGoing = true })
	require.NoError(t, err)
	assert.Equal(t, 1, result.Files[0].Kernels)
	require.Len(t, result.Refused, 2)
	assert.Contains(t, result.Refused[0].Error(), "k.cu:2:")
	assert.Contains(t, result.Refused[1].Error(), "virtual")
	assert.Contains(t, code, "GoodKernel")
	assert.NotContains(t, code, "BadKernel")

	_, _, err = gentest.GenerateSource(t, strings.Replace(source, "(int n)", "(Other o)", 1), func(o *gen.Options) { o.KeepGoing = true })
	assert.Error(t, err, "nothing is left to generate")
}

func TestParametersOfOldDevices(t *testing.T) {
	const source = `
#if __CUDA_ARCH__ < 700
struct Big { char bytes[4097]; };
#else
struct Big { char bytes[4098]; };
#endif
extern "C" __global__ void k(Big b) {}
`
	code, _, err := gentest.GenerateSource(t, strings.ReplaceAll(source, "< 700", "< 0"), nil)
	require.NoError(t, err)
	assert.Contains(t, code, "[4098]int8")
	_, _, err = gentest.GenerateSource(t, source, func(o *gen.Options) { o.Archs = []string{"compute_60", "sm_90"} })
	assert.ErrorContains(t, err, "k: its parameters have 4097 bytes, and below compute capability 7.0 they may have 4096")
	for arch, want := range map[string]string{"compute_60": "may have 4096", "compute_62": "may have 4096", "compute_70": "", "compute_90a": ""} {
		_, _, err = gentest.GenerateSource(t, strings.ReplaceAll(source, "4098", "4097"), func(o *gen.Options) { o.Archs = []string{arch} })
		if want == "" {
			assert.NoError(t, err, arch)
		} else {
			assert.ErrorContains(t, err, want, arch)
		}
	}
	_, _, err = gentest.GenerateSource(t, strings.NewReplacer("4097", "4096", "4098", "4096").Replace(source), func(o *gen.Options) { o.Archs = []string{"compute_60"} })
	assert.NoError(t, err, "CUDA C++ Programming Guide, __global__ Function Parameters: 4,096 bytes are allowed")
}

func TestExportDirective(t *testing.T) {
	const source = `
//cudagen:export
// Plate is flat.
struct plate { int x; };
//cudagen:export Flags
typedef struct {
  int y;
} flags_t;
//cudagen:export
enum class Mode { a, b };
//cudagen:export BlockSize
#define BLOCK (1 << 8)
namespace n {
//cudagen:export
constexpr int lane_count = BLOCK / 8;
}

extern "C" __global__ void k(flags_t f, int n) {}
`
	code, _, err := gentest.GenerateSource(t, source, nil)
	require.NoError(t, err, "%s", code)
	for _, want := range []string{
		"type Plate struct", "type Flags struct", "F Flags // offset 0", "type Mode int32", "ModeB Mode = 1",
		"const BlockSize = 256", "const LaneCount = 32", "// LaneCount is the constant n::lane_count (k.cu:14).",
	} {
		assert.Contains(t, code, want)
	}
	for name, test := range map[string]struct{ old, new, want string }{
		"nothing":         {"#define BLOCK", "#undef BLOCK", "k.cu:11:1: export: directly below stands no struct"},
		"two in a line":   {"BLOCK / 8;", "BLOCK / 8, other = 1;", "k.cu:14:1: export: the declaration below has several types or constants"},
		"name taken":      {"export BlockSize", "export Flags", "the Go name Flags is taken already"},
		"no Go name":      {"export BlockSize", "export blockSize", "blockSize is not an exported Go name"},
		"unknown layout":  {"struct plate { int x; }", "struct plate { Strange x; }", "k.cu:2:1: export: layout of plate is not understood"},
		"type name taken": {"export Flags", "export K", "the Go name K is taken already"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := gentest.GenerateSource(t, strings.Replace(source, test.old, test.new, 1), nil)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// An nvrtcStub is a stub that is called NVRTC.
type nvrtcStub struct{ gentest.Stub }

func (nvrtcStub) Name() string { return "nvrtc" }

// Of two kernels that fit one of the source neither is taken, whoever compiled them.
func TestSeveralKernelsFit(t *testing.T) {
	ptx := ".version 8.0\n.target sm_75\n.address_size 64\n"
	for _, namespace := range []string{"_GLOBAL__N__11111111_4_k_cu_aaaaaaaa", "_GLOBAL__N__22222222_4_k_cu_aaaaaaaa"} {
		ptx += fmt.Sprintf(".visible .entry _ZN%d%s1kEi(.param .u32 p) { ret; }\n", len(namespace), namespace)
	}
	dir := gentest.Module(t, map[string]string{"k.cu": "namespace { __global__ void k(int n) {} }\n"})
	for _, compiler := range []compile.Compiler{gentest.Stub(ptx), nvrtcStub{gentest.Stub(ptx)}} {
		_, err := gen.Generate(t.Context(), gen.Options{
			Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: func() (compile.Compiler, error) { return compiler, nil },
		})
		require.Error(t, err)
		assert.Regexp(t, `k\.ptx has several kernels \(anonymous namespace\)::k\(int\): .*: rename one of them$`, err.Error())
	}
}
