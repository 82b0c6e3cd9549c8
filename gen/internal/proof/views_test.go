package proof_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

// What the macros of another target, or of NVRTC, change in Go is an error when code is
// compiled for that, too.
func TestViewsDisagree(t *testing.T) {
	pair := func(condition string) string {
		return "#if " + condition + "\nstruct Pair { int a; float b; };\n#else\nstruct Pair { float b; int a; };\n#endif\n" +
			"extern \"C\" __global__ void step(const Pair *p, float *x) { x[0] = p->a; }\n"
	}
	const newer = "__CUDA_ARCH__ >= 900"
	const tile = "#if " + newer + "\n#define TILE 32\n#else\n#define TILE 16\n#endif\n"
	both := []string{"compute_75", "sm_90"}
	for _, test := range []struct {
		name, source string
		archs        []string
		embed        string
		want         []string // errors; none when it is generated
	}{
		{"fields", pair(newer), both, "", []string{"k.cu:4:8: struct Pair is not the same for sm_90: do not let it depend on __CUDA_ARCH__, or generate for one -arch alone"}},
		{"fields of a type that Go has already", "//cudagen:type Pair=example.com/shapes.Pair\n" + strings.ReplaceAll(pair(newer), "float b", "int b"), both, "",
			[]string{"k.cu:1:1: struct Pair is not the same for sm_90"}},
		{"targets in another order", pair(newer), []string{"sm_90", "compute_75"}, "", []string{"k.cu:4:8: struct Pair is not the same for sm_90"}},
		{"machine code that is older than PTX", pair(newer), []string{"compute_90", "sm_75"}, "", []string{"k.cu:2:8: struct Pair is not the same for sm_75"}},
		{"kernel of the PTX", "extern \"C\" __global__ void step(float *x) { x[0] = 1; }\n#if " + newer + "\nextern \"C\" __global__ void late(float *x) { x[0] = 1; }\n#endif\n", []string{"compute_90", "sm_75"}, "",
			[]string{"k.fatbin has no kernel late: it has step: it is there for some targets only: do not let"}},
		{"block", tile + "//cudagen:block TILE\n//cudagen:threads n\nextern \"C\" __global__ void step(int n, float *x) { x[0] = TILE; }\n", both, "",
			[]string{"k.cu:8:28: kernel step is not the same for sm_90"}},
		{"constant", tile + "//cudagen:export\n#define SIDE (2*TILE)\nextern \"C\" __global__ void step(int n, float *x) { x[0] = TILE; }\n", both, "",
			[]string{"k.cu:6: constant SIDE is not the same for sm_90"}},
		{"parameter", "#if " + newer + "\ntypedef int T;\n#else\ntypedef float T;\n#endif\nextern \"C\" __global__ void step(T n, float *x) { x[0] = n; }\n", both, "",
			[]string{"k.cu:6:28: kernel step is not the same for sm_90"}},
		{"variable", "#if " + newer + "\ntypedef int T;\n#else\ntypedef float T;\n#endif\n//cudagen:export\n__constant__ T taps[2];\nextern \"C\" __global__ void step(float *x) { x[0] = taps[0]; }\n", both, "",
			[]string{"k.cu:7:16: variable taps is not the same for sm_90"}},
		{"enumeration", "enum Mode : int { OFF,\n#if " + newer + "\nFAST,\n#endif\nON };\nextern \"C\" __global__ void step(Mode m, float *x) { x[0] = m; }\n", both, "",
			[]string{"k.cu: enum Mode is not the same for sm_90"}},
		{"directive against one of the bounds", tile + "//cudagen:block 32\n//cudagen:threads n\nextern \"C\" __global__ void __launch_bounds__(TILE) step(int n, float *x) { x[0] = n; }\n", []string{"compute_90", "sm_75"}, "",
			[]string{"(when read for sm_75: do not let it depend on __CUDA_ARCH__, or generate for one -arch alone)"}},
		{"kernel of one", "extern \"C\" __global__ void step(float *x) { x[0] = 1; }\n#if " + newer + "\nextern \"C\" __global__ void late(float *x) { x[0] = 1; }\n#endif\n", both, "",
			[]string{"k.cu:3:28: kernel late is there for some targets only (when read for sm_90: do not let it depend on __CUDA_ARCH__"}},
		{"variable of one", "extern \"C\" __global__ void step(float *x) { x[0] = 1; }\n#if " + newer + "\n//cudagen:export\n__constant__ float taps[2];\n#endif\n", both, "",
			[]string{"variable taps is there for some targets only"}},
		{"kernel that is ignored", "extern \"C\" __global__ void step(float *x) { x[0] = 1; }\n#if " + newer + "\n//cudagen:ignore\nextern \"C\" __global__ void late(float *x) { x[0] = 1; }\n#endif\n", both, "", nil},
		{"error", "#if " + newer + "\n#error not here\n#endif\n" + pair("1"), both, "", []string{"not here"}},
		{"embedded source", pair("defined(__CUDACC_RTC__)"), both[:1], gen.EmbedSource,
			[]string{"k.cu:4:8: struct Pair is not the same for NVRTC, which compiles embedded source, for sm_75: do not let it depend on __CUDACC_RTC__"}},
		{"embedded source on a newer device", pair(newer), both[:1], gen.EmbedSource, []string{"for NVRTC, which compiles embedded source, for sm_90"}},
		{"types that nvcc tells of embedded source", "struct E {};\nstruct S { int x; [[no_unique_address]] E e; char c; short s; };\nextern \"C\" __global__ void step(S s, float *x) { x[0] = s.c; }\n", both[:1], gen.EmbedSource,
			[]string{"k.cu:3:28: step: nvcc tells its types, and NVRTC, which compiles embedded source, may lay them out in another way: use -compiler nvrtc"}},

		{"one target", pair(newer), both[:1], "", nil},
		{"machine code of one target", pair(newer), []string{"sm_90"}, "", nil},
		{"the same in both", pair("__CUDA_ARCH__ >= 300"), both, "", nil},
		{"body", tile + "extern \"C\" __global__ void step(float *x) {\n#if " + newer + "\n x[0] = TILE;\n#endif\n}\n", both, "", nil},
		{"headers that NVRTC lacks", "#ifndef __CUDACC_RTC__\n#include <cstdio>\n#include <cstdint>\n#endif\nextern \"C\" __global__ void step(uint32_t n, float *x) { x[0] = n; }\n", both[:1], gen.EmbedSource, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"k.cu": test.source})
			o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Package: "k", Archs: test.archs, Embed: test.embed, FindCompiler: gentest.NVCC(t)}
			if test.embed == "" {
				testenv.Need(t, testenv.NVRTC) // in a fraction of the time
				o.FindCompiler, o.Compiler = nil, "nvrtc"
			}
			_, err := gen.Generate(t.Context(), o)
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			var all strings.Builder
			diag.Print(&all, err)
			for _, want := range test.want {
				assert.Contains(t, all.String(), want)
			}
			assert.Len(t, gentest.Snapshot(t, dir), 2, "nothing is written")
		})
	}
}
