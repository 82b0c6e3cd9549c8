package proof_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/explain"
	"github.com/cudagen/cudagen/internal/testenv"
)

const leaveOutHead = ".version 7.0\n.target sm_75\n.address_size 64\n"

// noKernels are the codes of diagnostics that belong to no kernel, and what they belong to.
var noKernels = map[diag.Code]string{
	diag.NoCompiler: "the machine", diag.NoHostCompiler: "the machine", diag.OldCompiler: "the machine",
	diag.UnsupportedArch: "a flag", diag.ClangLacks: "the compiler", diag.NVRTCLacks: "the compiler", diag.CompilerOutput: "the image",
	diag.OfCompiler: "the file: a compiler that refuses one kernel makes no image of the others", diag.Linking: "the image",

	diag.Export: "a type, constant or variable", diag.TypeMapping: "a type", diag.TypesDiffer: "several files",

	diag.NoFile: "a file", diag.ForeignFile: "a file", diag.Stale: "a file", diag.BadRecord: "a file", diag.EmbeddedCode: "a file",
	diag.FileAccess: "a file", diag.FileChanged: "a file", diag.RecordedFlags: "a flag",
	diag.NoKernel: "a file", diag.Unbalanced: "a file, whose rest may be read wrongly",

	diag.BadTemplate: "a template of files", diag.PackageName: "a file",

	diag.ToolchainInstall: "a command", diag.Flags: "a flag", diag.UnknownWord: "a flag", diag.FlagValue: "a flag",
}

// What goes wrong with one kernel is no matter of those beside it: -keep-going leaves that kernel out, says
// which and why, and remembers it. So it is with every code that a kernel can have.
func TestKeepGoingPastAKernel(t *testing.T) {
	const good = "extern \"C\" __global__ void good(int *x) {}\n"
	const goodPTX = ".visible .entry good(.param .u64 good_param_0) { ret; }\n"
	const bad = "extern \"C\" __global__ void bad(int n) {}\n"
	seen := make(map[diag.Code]bool)
	for _, test := range []struct {
		code              diag.Code
		name, source, ptx string
		want              string
	}{
		{diag.NotInImage, "no image", bad, "", "bad"},
		{diag.LayoutsDisagree, "other size", bad, ".visible .entry bad(.param .u64 bad_param_0) { ret; }", "bad: parameter 0 (n): alignment is 4 by the source and 8 in the image"},
		{diag.LayoutsDisagree, "other number", bad, ".visible .entry bad(.param .u32 bad_param_0, .param .u32 bad_param_1) { ret; }", "number of parameters is 1 by the source and 2"},
		{diag.LayoutsDisagree, "other offset", "struct S { char c; int n; };\nextern \"C\" __global__ void bad(char c, S s) {}\n",
			".visible .entry bad(.param .u8 bad_param_0, .param .align 8 .b8 bad_param_1[8]) { ret; }", "by the source"},
		{diag.LayoutsDisagree, "other shape", "extern \"C\" __global__ void __block_size__((32, 1, 1)) bad(int n) {}\n", ".visible .entry bad(.param .u32 bad_param_0) .reqntid 64 { ret; }", "__block_size__"},
		{diag.Unconfirmed, "no witness", "struct S { char c; int n; };\nextern \"C\" __global__ void bad(S s) {}\n", ".visible .entry bad(.param .align 4 .b8 bad_param_0[8]) { ret; }", "struct S: only the source states it, and nothing confirms it"},
		{diag.TargetsDiffer, "other parameters for another target", "#if __CUDA_ARCH__ >= 800\ntypedef unsigned bits;\n#else\ntypedef int bits;\n#endif\nextern \"C\" __global__ void bad(bits n) {}\n",
			".visible .entry bad(.param .u32 bad_param_0) { ret; }", "kernel bad is not the same for NVRTC, which compiles embedded source, for sm_80"},
		{diag.TargetsDiffer, "wrong for another target", "#if __CUDA_ARCH__ >= 800\n#define MOST 16\n#else\n#define MOST 32\n#endif\n//cudagen:block 32\n//cudagen:threads n\nextern \"C\" __global__ void __launch_bounds__(MOST) bad(int n) {}\n",
			".visible .entry bad(.param .u32 bad_param_0) { ret; }", "for NVRTC, which compiles embedded source, for sm_80"},
		{diag.UnknownDirective, "unknown directive", "//cudagen:blok 3\n" + bad, "", "unknown directive"},
		{diag.LaunchConfig, "wrong directive", "//cudagen:block nothing\n" + bad, "", "bad: "},
		{diag.DirectiveArguments, "arguments of a directive", "//cudagen:threads n\n//cudagen:block 32 +\n" + bad, "", "bad: "},
		{diag.ExpressionName, "name in an expression", "//cudagen:block 32\n//cudagen:threads m\n" + bad, "", "bad: "},
		{diag.ParameterKind, "no pointer", "//cudagen:nullable n\n" + bad, "", "bad: "},
		{diag.ExpressionValue, "value of an expression", "//cudagen:block 32\n//cudagen:threads n+1<<2\n" + bad, "", "bad: "},
		{diag.Virtual, "refused type", "struct V { virtual void f(); };\nextern \"C\" __global__ void bad(V v) {}\n", "", "virtual"},
		{diag.UnknownType, "unknown type", "extern \"C\" __global__ void bad(Gone g) {}\n", ".visible .entry bad(.param .u32 bad_param_0) { ret; }", "Gone"},
		{diag.Contradiction, "exported and ignored", "//cudagen:kernel Bad\n//cudagen:ignore\n" + bad + "//cudagen:kernel\n", "", "bad: is both exported and ignored"},
		{diag.Contradiction, "not marked", "//cudagen:block 32\n" + bad + "//cudagen:kernel\n", "", "bad: has directives, but other kernels have //cudagen:kernel"},
		{diag.GoName, "Go name", "//cudagen:kernel bad\n" + bad + "//cudagen:kernel\n", "", "bad: bad is not an exported Go name"},
		{diag.GoName, "a name of several", "//cudagen:kernel Bad\ntemplate <typename T> __global__ void bad(T n) {}\n" +
			"template __global__ void bad<int>(int);\ntemplate __global__ void bad<float>(float);\n//cudagen:kernel\n", "", "bad: the Go name Bad is that of one kernel"},
		{diag.Template, "template", "//cudagen:threads 32\n//cudagen:block 32\ntemplate <typename T> __global__ void bad(T n) {}\n", "", "bad: is a template"},
		{diag.StrayDirective, "not defined", "//cudagen:threads n\n//cudagen:block 32\nextern \"C\" __global__ void bad(int n);\n", "", "bad: is declared here but not defined"},
		{diag.StrayDirective, "almost a directive", "// cudagen: block 32\n" + bad, "", "bad: the comment"},
		{diag.GoName, "names of parameters", "extern \"C\" __global__ void bad(int a$b, int a_b) {}\n", "", "bad: the parameters"},
		{diag.TemplateData, "data", "//cudagen:data x\n" + bad, "", "bad: data: x is not key=value"},
		{diag.NotDefined, "a type that is not defined", "struct Gone;\nextern \"C\" __global__ void bad(Gone g) {}\n", ".visible .entry bad(.param .u32 bad_param_0) { ret; }", "Gone"},
		{diag.Virtual, "virtual base", "struct A { int a; };\nstruct B : virtual A {};\nextern \"C\" __global__ void bad(B b) {}\n", "", "bad: "},
		{diag.CompilersDiffer, "compilers differ", "typedef int A16 __attribute__((aligned(16)));\nstruct S { A16 x[2]; };\nstruct Bits { char a; A16 x : 3; };\nextern \"C\" __global__ void bad(Bits b) {}\n", "", "bad: "},
		{diag.ParameterBytes, "too many bytes", "struct Big { char c[40000]; };\nextern \"C\" __global__ void bad(Big b) {}\n", "", "bad"},
		{diag.NoLayout, "no layout", "struct Big { char a[1LL << 60]; char b[1LL << 62]; char c[1LL << 62]; };\nextern \"C\" __global__ void bad(Big b) {}\n", "", "bad"},
		{diag.KernelDeclaration, "a result", "extern \"C\" __global__ int bad(int n) {}\n", "", "bad: a kernel returns void"},
		{diag.Macro, "an unknown macro", "extern \"C\" __global__ void bad(int n) second(int m) {}\n", "", "it is not clear whether second or bad is its name"},
		{diag.ConstantExpression, "a constant", "int rows();\nstruct Table { int cells[rows()]; };\nextern \"C\" __global__ void bad(Table t) {}\n", "", "bad: "},
		{diag.NotUnderstood, "not understood", "extern \"C\" __global__ void bad(int (&r)[]...) {}\n", "", "bad: "},
		{diag.UnknownType, "with a type that nothing else uses", "//cudagen:type S=example.com/m.S\n//cudagen:data a=b\nstruct S { int a; };\n//cudagen:data a=b\nstruct D { int a; };\nextern \"C\" __global__ void bad(S s, D d, Gone g) {}\n", "", "Gone"},
		{diag.LayoutsDisagree, "disproved, with a type that nothing else uses", "//cudagen:type S=example.com/m.S\n//cudagen:data a=b\nstruct S { int a; };\nextern \"C\" __global__ void bad(S s) {}\n",
			".visible .entry bad(.param .u64 bad_param_0) { ret; }", "bad: parameter 0 (s)"},
		{diag.Unconfirmed, "no witness of a type that nothing else uses", "//cudagen:type S=example.com/m.S\nstruct S { char c; int n; };\nextern \"C\" __global__ void bad(S s) {}\n",
			".visible .entry bad(.param .align 4 .b8 bad_param_0[8]) { ret; }", "struct S: only the source states it, and nothing confirms it"},
		{diag.TargetsDiffer, "another type that nothing else uses", "//cudagen:type S=example.com/m.S\nstruct S {\n#if __CUDA_ARCH__ < 800\nint a; int b;\n#else\nint b; int a;\n#endif\n};\nextern \"C\" __global__ void bad(S *s) {}\n",
			".visible .entry bad(.param .u64 bad_param_0) { ret; }", "sm_80"},
	} {
		seen[test.code] = true
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", test.source+good)
			var compiler compile.Compiler = gentest.Stub(leaveOutHead + goodPTX + test.ptx)
			if test.code == diag.Unconfirmed {
				compiler = mute{compiler, func(compile.Request) bool { return true }}
			}
			o := gentest.Options(path, func() (compile.Compiler, error) { return compiler, nil })
			if test.code == diag.TargetsDiffer {
				o.Embed = gen.EmbedSource
			}
			_, err := gen.Generate(t.Context(), o)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, test.code, diag.CodeOf(err))
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")

			o.KeepGoing = true
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			assert.Contains(t, result.Refused.Error(), test.want)
			assert.Equal(t, test.code, result.Refused[0].Code)
			assert.True(t, strings.Contains(result.Refused[0].Message.Error(), "bad") || strings.Contains(result.Refused[0].Message.Error(), "directive"), "%s", result.Refused[0])
			code, err := os.ReadFile(filepath.Join(filepath.Dir(path), "k_cuda.go"))
			require.NoError(t, err)
			assert.Contains(t, string(code), "GoodKernel")
			assert.NotContains(t, string(code), "BadKernel")

			// The record has it, too.
			o.FindCompiler = gentest.NoCompiler
			again, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			assert.Empty(t, again.Written)
			assert.Contains(t, again.Refused.Error(), test.want)
			assert.Equal(t, test.code, again.Refused[0].Code)
			assert.Equal(t, result.Refused[0].Remedy, again.Refused[0].Remedy)
			check, err := gen.Check(o)
			require.NoError(t, err)
			assert.True(t, check.OK(), "%+v", check)
			o.KeepGoing = false
			_, err = gen.Generate(t.Context(), o)
			assert.ErrorContains(t, err, test.want)
			assert.Equal(t, test.code, diag.CodeOf(err))
		})
	}
	for _, class := range explain.Classes() {
		assert.NotEqual(t, seen[class.Code], noKernels[class.Code] != "", "%s: a case above, or a reason in noKernels", class.Code)
	}

	path := gentest.Write(t, "k.cu", bad)
	o := gentest.Options(path, func() (compile.Compiler, error) { return gentest.Stub(leaveOutHead + goodPTX), nil })
	o.KeepGoing = true
	_, err := gen.Generate(t.Context(), o)
	assert.Error(t, err, "no kernel remains")
	assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1)
}

// So it is with what the compiler's debug information and answers say, of kernels and of the types that one
// kernel uses alone, and in one of several files.
func TestKeepGoingPastAWitness(t *testing.T) {
	real, err := gentest.NVCC(t)()
	require.NoError(t, err)
	const source = "struct Own { int a; float b; };\nenum Kind { one, two };\n" +
		"extern \"C\" __global__ void good(int *x, float y) { *x = y; }\n" +
		"extern \"C\" __global__ void bad(Own o, Kind k, int *x) { *x = o.a + o.b + k; }\n" +
		"extern \"C\" __global__ void worse(Own *o, int *x) { *x = o->a; }\n"
	r := recording{Compiler: real, mu: new(sync.Mutex), made: make(map[string]*compile.Output)}
	for _, test := range []struct {
		name   string
		mutate func(*testing.T, string) string
		left   string // names of the kernels that are left out
	}{
		{"size of a struct", debugged(named("Own")+number, 16), "bad worse"},
		{"offset of a field", debugged(named("b")+memberPlace, 8), "bad worse"},
		{"value of an enumerator", debugged(named("two")+number, 7), "bad"},
		{"probe of a type", worded("cudagen_probe_type_0", 1, 16), "bad worse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.mutate = func(ptx string) string {
				if !strings.Contains(ptx, "bad") { // of the other file
					return ptx
				}
				return test.mutate(t, ptx)
			}
			dir := gentest.Module(t, map[string]string{"p/k.cu": source, "p/other.cu": "extern \"C\" __global__ void other(int n) {}\n"})
			o := gen.Options{
				Sources: []string{filepath.Join(dir, "p/k.cu"), filepath.Join(dir, "p/other.cu")}, Archs: []string{"compute_75"}, Package: "p", KeepGoing: true,
				FindCompiler: func() (compile.Compiler, error) { return r, nil },
			}
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			code, err := os.ReadFile(filepath.Join(dir, "p/k_cuda.go"))
			require.NoError(t, err, "%v", result.Refused)
			assert.FileExists(t, filepath.Join(dir, "p/other_cuda.go"))
			assert.Contains(t, string(code), "type GoodKernel struct")
			var refused strings.Builder
			for _, e := range result.Refused {
				refused.WriteString(e.Message.Error() + "\n")
			}
			for _, name := range []string{"bad", "worse"} {
				out := strings.Contains(test.left, name)
				assert.Equal(t, !out, strings.Contains(string(code), "type "+strings.ToUpper(name[:1])+name[1:]+"Kernel struct"), name)
				assert.Equal(t, out, regexp.MustCompile(`(?m)^`+name+`: `).MatchString(refused.String()), "%s: %s", name, &refused)
			}
		})
	}
}

// TestToolkitTypes: kernels may take every type that CUDA's runtime headers declare, by value, behind a
// pointer and in a struct, without an #include: nvcc reads these headers anyway.
func TestToolkitTypes(t *testing.T) {
	find := gentest.NVCC(t)
	testenv.Toolkit(t, 13)
	include := filepath.Join(filepath.Dir(filepath.Dir(testenv.NVCCPath(t))), "include")
	names := declaredIn(t, include, "driver_types.h", "vector_types.h", "library_types.h", "texture_types.h", "surface_types.h")
	require.Greater(t, len(names), 150)
	require.Subset(t, names, []string{"cudaError", "cudaError_t", "cudaMemcpyKind", "dim3", "cudaExtent", "cudaPos", "cudaPitchedPtr", "cudaDeviceProp", "double4_32a", "cudaDataType", "cudaTextureDesc"})
	result := takeAll(t, find, "", names, func(*gen.Options) {})
	assert.Empty(t, result.Refused)
	assert.Equal(t, len(names), result.Files[0].Kernels)
}

// TestCURANDTypes: so it is with the types of cuRAND.
func TestCURANDTypes(t *testing.T) {
	find := gentest.NVCC(t)
	header := testenv.CURANDPath(t)
	names := declaredIn(t, filepath.Dir(header), "curand.h", "curand_discrete.h", "curand_globals.h", "curand_kernel.h", "curand_mtgp32.h", "curand_philox4x32_x.h")
	require.Greater(t, len(names), 40)
	require.Subset(t, names, []string{"curandState", "curandStatePhilox4_32_10_t", "curandStateMRG32k3a_t", "curandStateMtgp32_t", "curandDirectionVectorSet_t", "curandMethod"})
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "mtgp32_kernel_params") }) // larger than parameters may be
	for _, test := range []struct {
		name string
		set  func(*gen.Options)
	}{
		{"read", func(o *gen.Options) { o.Include = []string{filepath.Dir(header)} }},
		{"told", func(*gen.Options) { t.Setenv("CPLUS_INCLUDE_PATH", filepath.Dir(header)) }}, // which the compiler alone reads, as a header of the toolkit
	} {
		t.Run(test.name, func(t *testing.T) {
			result := takeAll(t, find, "#include <curand_kernel.h>\n#include <curand_mtgp32_kernel.h>\n", names, test.set)
			assert.Empty(t, result.Refused)
			assert.Equal(t, len(names), result.Files[0].Kernels)
		})
	}
}

// declaredIn returns the names of the types that headers of a toolkit declare, each once.
func declaredIn(t *testing.T, include string, headers ...string) (names []string) {
	for _, header := range headers {
		text, err := os.ReadFile(filepath.Join(include, header))
		require.NoError(t, err)
		text = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`).ReplaceAll(text, nil)
		for _, m := range regexp.MustCompile(`(?m)^(?:typedef )?(?:struct|enum|union)\s+(?:__device_builtin__\s+|__builtin_align__\(\w+\)\s+)*([a-zA-Z]\w+)\s*\{|^typedef\s[^;{}]*\b([a-zA-Z]\w+);|^\}\s*([a-zA-Z]\w+);`).FindAllSubmatch(text, -1) {
			if name := string(m[1]) + string(m[2]) + string(m[3]); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// takeAll generates from kernels that take each type.
func takeAll(t *testing.T, find func() (compile.Compiler, error), head string, names []string, set func(*gen.Options)) *gen.Result {
	var b strings.Builder
	b.WriteString(head)
	for _, name := range names {
		b.WriteString(strings.ReplaceAll(`struct In_@ { char c; @ f; };
__global__ void take_@(@ a, char c, @ *p, In_@ b, char *out) { *out = *(const char *)&a + *(const char *)&b.f; }
`, "@", name))
	}
	o := gentest.Options(gentest.Write(t, "k.cu", b.String()), find)
	o.Archs, o.KeepGoing = []string{"compute_90"}, true
	set(&o)
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	return result
}
