package proof_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
)

const variablesSource = `struct Step { int by; double scale; };
enum class Mode : short { slow, fast };
//cudagen:export
// Taps weigh neighbours.
__constant__ float taps[5];
//cudagen:export Steps
__device__ Step table[2][3];
//cudagen:export
__managed__ unsigned long long total;
//cudagen:export
__device__ float *buffer;
//cudagen:export
__constant__ Mode mode = Mode::fast;
//cudagen:export
__device__ float4 taps_;
//cudagen:export
__constant__ struct { int q; } unnamed;
//cudagen:export
__device__ volatile bool k;
__device__ int hidden;

extern "C" __global__ void k_(int n) {}
`

func TestExportedVariables(t *testing.T) {
	code, _, err := gentest.GenerateSource(t, variablesSource, nil)
	require.NoError(t, err, "%s", code)
	for _, want := range []string{
		"// K holds the kernels and variables of k.cu, loaded on one device. Any goroutine may use them.",
		"\n\t// X_taps is __constant__ taps (k.cu:5), of type float[5]. The name: Taps is ambiguous.\n\t//\n\t// Taps weigh neighbours.\n\tX_taps cuda.Symbol[[5]float32]\n",
		"\n\tSteps cuda.Symbol[[2][3]Step]\n", "\n\tTotal cuda.Symbol[uint64]\n", "\n\tBuffer cuda.Symbol[cuda.Ptr[float32]]\n", "\n\tMode cuda.Symbol[Mode]\n",
		"The name: Taps is ambiguous.\n\tX_taps_ cuda.Symbol[vec.Float4]\n", "\n\tUnnamed cuda.Symbol[UnnamedType]\n", "\n\tX_k cuda.Symbol[bool]\n",
		"and that its variables have the sizes that they have here.",
		"\t}, []cuda.Spec{\n\t\t{Variable: &k.X_taps, Name: \"taps\", Symbol: \"taps\"},\n",
		"type Step struct", "type Mode int16", "type UnnamedType struct",
	} {
		assert.Contains(t, code, want)
	}
	assert.NotContains(t, code, "idden")
}

// Other variables that cannot be exported are in testdata/errors.
func TestUnexportableVariables(t *testing.T) {
	const kernel = "\nextern \"C\" __global__ void k(int n) {}\n"
	for name, test := range map[string]struct{ source, want string }{
		"of a class":          {"struct S {\n//cudagen:export\nstatic __device__ int a;\n};", "k.cu:2:1: export: directly below stands no struct, no enum, no variable in the memory of a device"},
		"name taken":          {"//cudagen:export Run\n__device__ int a;\n//cudagen:kernel Run", "k.cu:1:18: export: the Go name Run is taken already"},
		"name of a method":    {"//cudagen:export Close\n__device__ int a;", "k.cu:1:18: export: the Go name Close is taken already"},
		"name given twice":    {"//cudagen:export A\n__device__ int a;\n//cudagen:export A\n__device__ int b;", "k.cu:3:18: export: the Go name A is taken already"},
		"not in the image":    {"namespace n {\n//cudagen:export\n__device__ int a;\n}", "k.ptx has no variable n::a: compilers leave out what no kernel uses"},
		"mapping that fits":   {"struct S { int x; };\n//cudagen:type S=example.com/shapes.S\n//cudagen:export\n__device__ S a;", ""},
		"mapping that nobody": {"struct S { int x; };\n//cudagen:type T=example.com/shapes.S\n//cudagen:export\n__device__ S a, *b;", "several variables"},
	} {
		t.Run(name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", test.source+kernel)
			ptx := gentest.PTXOf(t, path)
			_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(ptx)))
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, filepath.Dir(path)+string(filepath.Separator))
			assert.ErrorContains(t, err, test.want)
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
		})
	}
}

// TestVariablesAreProved changes what the image says, one thing at a time.
func TestVariablesAreProved(t *testing.T) {
	path := gentest.Write(t, "k.cu", variablesSource)
	ptx := gentest.PTXOf(t, path)
	for name, test := range map[string]struct{ old, new, want string }{
		"larger":     {"taps[20]", "taps[24]", "k.cu:5:20: taps: size is 20 by the source and 24 in the image"},
		"smaller":    {"total[8]", "total[4]", "k.cu:9:32: total: size is 8 by the source and 4 in the image"},
		"alignment":  {".align 8 .b8 table", ".align 4 .b8 table", "k.cu:7:17: table: alignment is 8 by the source and 4 in the image"},
		"space":      {".const .align 2 .b8 mode", ".global .align 2 .b8 mode", "k.cu:13:19: mode: its state space is const by the source and global in the image"},
		"managed":    {".global .attribute(.managed) .align 8 .b8 total", ".global .align 8 .b8 total", "total: its state space is global, managed by the source and global in the image"},
		"gone":       {"buffer", "buffers", "k.cu:11:19: buffer: "},
		"extern":     {".visible .global .align 8 .b8 buffer", ".extern .global .align 8 .b8 buffer", "has no variable buffer"},
		"two":        {".visible .global .align 8 .b8 buffer[8];", ".global .align 8 .b8 buffer[8];\n.global .align 8 .b8 _ZL6buffer[8];", "has 2 variables of this name"},
		"other name": {" taps[20]", " _ZN1n4tapsE[20]", "has no variable taps"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(ptx, test.old), "%s", ptx)
			_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(strings.Replace(ptx, test.old, test.new, 1))))
			assert.ErrorContains(t, err, test.want)
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
		})
	}
}

// TestVariablesWithoutACompiler generates again from the committed image and record.
func TestVariablesWithoutACompiler(t *testing.T) {
	path := gentest.Write(t, "k.cu", variablesSource)
	dir := filepath.Dir(path)
	_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(gentest.PTXOf(t, path))))
	require.NoError(t, err)
	committed := gentest.Snapshot(t, dir)
	r, err := record.Read(filepath.Join(dir, "k.cudagen.json"))
	require.NoError(t, err)
	require.Len(t, r.Variables, 8)
	assert.Equal(t, record.Variable{Name: "taps", GoName: "X_taps", Symbol: "taps", Space: "__constant__", Type: "float[5]", Size: 20, Align: 4, Witnesses: []string{"source", "ptx"}}, r.Variables[0])

	require.NoError(t, os.Remove(filepath.Join(dir, "k_cuda.go")))
	result, err := gen.Generate(t.Context(), gentest.Options(path, gentest.NoCompiler))
	require.NoError(t, err)
	assert.Empty(t, result.Files[0].Compiled)
	assert.Equal(t, committed, gentest.Snapshot(t, dir))
	check, err := gen.Check(gentest.Options(path, gentest.NoCompiler))
	require.NoError(t, err)
	assert.True(t, check.OK(), "%+v", check)

	// A directive more is a change of the source.
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(variablesSource, "__device__ int hidden", "//cudagen:export\n__device__ int hidden", 1)), 0o644))
	_, err = gen.Generate(t.Context(), gentest.Options(path, gentest.NoCompiler))
	assert.ErrorIs(t, err, gentest.ErrNoCompiler)
}

// compiledVariables are such that clang may have them: used, and none __managed__ or known to
// this file alone.
const compiledVariables = `struct Step { char tag; double scale; unsigned low : 3; };
//cudagen:export
__constant__ float taps[5] = {1, 2, 3};
//cudagen:export
__constant__ Step steps[2];
namespace app {
//cudagen:export
__device__ int counter;
}
extern "C" {
//cudagen:export
__device__ short level = 4;
}
extern "C" __global__ void k(float *x) { x[0] = taps[threadIdx.x] + steps[1].scale + app::counter + level; }
`

// TestVariablesByEveryCompiler has the same Go code and the same witnesses from all.
func TestVariablesByEveryCompiler(t *testing.T) {
	codes := make(map[string]string)
	for _, test := range []struct {
		compiler string
		needs    []testenv.Resource
		archs    []string
	}{
		{"nvcc", []testenv.Resource{testenv.NVCC}, []string{"compute_75", "sm_90"}},
		{"nvrtc", []testenv.Resource{testenv.NVRTC}, []string{"compute_75", "sm_90"}},
		{"clang", []testenv.Resource{testenv.Clang}, []string{"compute_75"}},
		{"clang", []testenv.Resource{testenv.Clang, testenv.NVCC}, []string{"compute_75", "sm_90"}}, // with its ptxas
	} {
		name := test.compiler + " " + strings.Join(test.archs, " ")
		t.Run(name, func(t *testing.T) {
			testenv.Need(t, test.needs...)
			path := gentest.Write(t, "k.cu", compiledVariables)
			o := gentest.Options(path, func() (compile.Compiler, error) { return compile.Find(test.compiler, os.Getenv) })
			o.Archs = test.archs
			_, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			r, err := record.Read(filepath.Join(filepath.Dir(path), "k.cudagen.json"))
			require.NoError(t, err)
			require.Len(t, r.Variables, 4)
			want := []string{"source", "ptx", "debug"}
			if len(test.archs) > 1 {
				want = []string{"source", "ptx", "cubin", "debug"}
			}
			for _, v := range r.Variables {
				assert.Equal(t, want, v.Witnesses, v.Name)
			}
			assert.Equal(t, []string{"source", "debug", "probe"}, r.Structs[0].Fields[1].Witnesses)
			code := gentest.Snapshot(t, filepath.Dir(path))["k_cuda.go"]
			_, code, _ = strings.Cut(code, "type K struct")
			codes[name] = code[:strings.Index(code, "func LoadK")]
			assert.Contains(t, code, `{Variable: &k.Counter, Name: "app::counter", Symbol: "_ZN3app7counterE"}`)
		})
	}
	for name, code := range codes {
		for other := range codes {
			assert.Equal(t, codes[other], code, "%s and %s", other, name)
		}
	}
}

// TestClangAndPrivateVariables: clang changes what only this file knows.
func TestClangAndPrivateVariables(t *testing.T) {
	testenv.Need(t, testenv.Clang)
	find := func() (compile.Compiler, error) { return compile.Find("clang", os.Getenv) }
	for name, source := range map[string]string{
		"static":       "//cudagen:export\nstatic __device__ char v;\n",
		"unnamed":      "namespace {\n//cudagen:export\n__device__ char v;\n}\n",
		"unnamed type": "//cudagen:export\n__device__ struct { char c; } v;\n",
		"not used":     "//cudagen:export\nstatic __constant__ int v;\n",
	} {
		t.Run(name, func(t *testing.T) {
			use := "extern \"C\" __global__ void k(float *x) { if (x[0] > 0) v = 7; x[1] = v; }\n"
			switch name {
			case "not used":
				use = "extern \"C\" __global__ void k(float *x) {}\n"
			case "unnamed type":
				use = strings.ReplaceAll(strings.ReplaceAll(use, "v = 7", "v.c = 7"), "= v", "= v.c")
			}
			_, err := gen.Generate(t.Context(), gentest.Options(gentest.Write(t, "k.cu", source+use), find))
			assert.ErrorContains(t, err, "k.ptx has no visible variable ")
		})
	}
}

// TestDebugInformationOfVariablesIsHeard changes what the compiler says of a variable's type
// beside the image.
func TestDebugInformationOfVariablesIsHeard(t *testing.T) {
	const source = `struct Step { char tag; double scale; short level; };
//cudagen:export
__constant__ Step steps[2];
extern "C" __global__ void k(float *x) { x[0] = steps[1].scale + steps[1].level; }
`
	real, err := gentest.NVCC(t)()
	require.NoError(t, err)
	r := recording{Compiler: real, mu: new(sync.Mutex), made: make(map[string]*compile.Output)}
	for _, test := range []struct {
		name   string
		mutate func(*testing.T, string) string
		want   string
	}{
		{"nothing", func(_ *testing.T, ptx string) string { return ptx + "// the same\n" }, ""},
		{"offset", debugged(named("scale")+memberPlace, 4), "k.cu:3:19: steps: its type, field [].scale: offset is 8 by the source and 4 by the compiler"},
		{"size", debugged(named("Step")+number, 32), "steps: its type, field []: size is 24 by the source and 32 by the compiler"},
		{"kind", debugged(named("short")+encoding, 7), "field [].level: kind is signed integer by the source and unsigned integer by the compiler"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", source)
			r.mutate = func(ptx string) string { return test.mutate(t, ptx) }
			_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return r, nil }))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
		})
	}
}

func TestManagedVariablesOfEmbeddedSource(t *testing.T) {
	const kernel = "extern \"C\" __global__ void k(float *x) { x[0] = v; }\n"
	for name, test := range map[string]struct{ source, want string }{
		"visible": {"//cudagen:export\n__managed__ int v;\n", ""},
		"static":  {"//cudagen:export\nstatic __managed__ int v;\n", ""},
		"unnamed": {"namespace {\n//cudagen:export\n__managed__ int v;\n}\n", "k.cu:3:17: v: is __managed__ and has internal linkage"},
	} {
		t.Run(name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", test.source+kernel)
			o := gentest.Options(path, gentest.NVCC(t))
			o.Embed = gen.EmbedSource
			_, err := gen.Generate(t.Context(), o)
			if test.want == "" {
				require.NoError(t, err)
				assert.Contains(t, gentest.Snapshot(t, filepath.Dir(path))["k_cuda.go"], `{Address: "&v", Managed: true},`)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}
