package image

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

func TestVariablesOfPTX(t *testing.T) {
	img, err := ReadPTX("k.ptx", []byte(header+`
.visible .const .align 16 .b8 taps[20];
.global .u32 counter = 3;
.global .attribute(.managed) .align 8 .u64 total;
.extern .global .u32 elsewhere;
.extern .shared .b8 dynamic[];
.global .v4 .f32 four;
.global .u32 _ZL7counter;
.visible .entry k() { .shared .u32 s; ret; }
`))
	require.NoError(t, err)
	for i := range img.Variables {
		img.Variables[i].Pos.Line = 0
	}
	for i, want := range []Variable{
		{Symbol: "taps", Name: "taps", Space: Const, Visible: true, Size: 20, Align: 16},
		{Symbol: "counter", Name: "counter", Space: Global, Size: 4, Align: 4},
		{Symbol: "total", Name: "total", Space: Global, Managed: true, Size: 8, Align: 8},
		{Symbol: "four", Name: "four", Space: Global, Size: 16, Align: 16},
	} {
		require.Greater(t, len(img.Variables), i)
		img.Variables[i].Pos = want.Pos
		assert.Equal(t, want, img.Variables[i])
	}
	assert.Len(t, img.Variables, 5)
	assert.Len(t, img.VariablesNamed("counter"), 2)
	assert.Equal(t, []*Variable{&img.Variables[0]}, img.VariablesNamed("taps"))
	assert.Empty(t, img.VariablesNamed("elsewhere"))

	_, err = ReadPTX("k.ptx", []byte(header+".global .u32 a;\n.const .u32 a;\n"))
	assert.ErrorContains(t, err, "variable a is defined twice")
}

func TestVariableName(t *testing.T) {
	for symbol, want := range map[string]string{
		"taps":                       "taps",
		"_ZN2ns1kE":                  "ns::k",
		"_ZL2sc":                     "sc",
		"_ZN12_GLOBAL__N_12anE":      "(anonymous namespace)::an",
		"_ZN2ns12_GLOBAL__N_12anE":   "ns::(anonymous namespace)::an",
		"_Z2tvIiE":                   "tv<int>",
		"_Z1fv":                      "_Z1fv",
		"_Z":                         "_Z",
		"__nv_static_12__abcdefgh_k": "__nv_static_12__abcdefgh_k",
		"_ZN29_INTERNAL_c64b9f6e_4_v_cu_fwd2ns2stE":                                  "ns::st",
		"_ZN29_INTERNAL_c64b9f6e_4_v_cu_fwd2ns31_GLOBAL__N__c64b9f6e_4_v_cu_fwd2anE": "ns::(anonymous namespace)::an",
	} {
		assert.Equal(t, want, variableName(symbol), symbol)
	}
}

// TestVariablesOfCubin reads what nvcc makes of variables, and what it cannot have made.
func TestVariablesOfCubin(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "k.cu")
	require.NoError(t, os.WriteFile(source, []byte(`
__constant__ float taps[5];
__device__ int counter = 3;
__device__ double zero[2];
__managed__ unsigned long long total;
namespace n { static __constant__ short s; namespace { __device__ char c; } }
extern "C" __global__ void k(float *x) { x[0] = taps[threadIdx.x] + counter + zero[threadIdx.x] + total + n::s + n::c; }
`), 0o644))
	for _, arch := range []string{"sm_75", "sm_90", "sm_120"} {
		t.Run(arch, func(t *testing.T) {
			if arch == "sm_120" {
				testenv.Toolkit(t, 13)
			}
			path := filepath.Join(dir, arch+".cubin")
			out, err := exec.Command(nvcc, "-cubin", "-arch", arch, "-o", path, source).CombinedOutput()
			require.NoError(t, err, string(out))
			code, err := os.ReadFile(path)
			require.NoError(t, err)
			img, err := ReadCubin("k.cubin", code)
			require.NoError(t, err)
			got := make(map[string]Variable)
			for _, v := range img.Variables {
				got[v.Name] = v
			}
			assert.Len(t, got, 6)
			for _, want := range []Variable{
				{Name: "taps", Space: Const, Size: 20}, {Name: "counter", Space: Global, Size: 4}, {Name: "zero", Space: Global, Size: 16},
				{Name: "total", Space: Global, Managed: true, Size: 8}, {Name: "n::s", Space: Const, Size: 2}, {Name: "n::(anonymous namespace)::c", Space: Global, Size: 1},
			} {
				v := got[want.Name]
				want.Symbol, want.Pos = v.Symbol, v.Pos
				assert.Equal(t, want, v)
			}
		})
	}
}

func TestVariableBeyondItsSection(t *testing.T) {
	file := &elf.File{Sections: []*elf.Section{{}, {SectionHeader: elf.SectionHeader{Name: constSection, Size: 32}}, {SectionHeader: elf.SectionHeader{Name: ".text.k", Size: 32}}}}
	object := func(section int, value, size uint64) elf.Symbol {
		return elf.Symbol{Name: "v", Info: byte(elf.STT_OBJECT), Section: elf.SectionIndex(section), Value: value, Size: size}
	}
	list, err := cubinVariables("k.cubin", file, []elf.Symbol{object(1, 16, 16), object(2, 0, 4), object(0, 0, 4), object(9, 0, 4), object(int(elf.SHN_ABS), 0, 4)})
	require.NoError(t, err)
	assert.Len(t, list, 1)
	for _, symbol := range []elf.Symbol{object(1, 16, 20), object(1, 40, 4), object(1, 1<<63, 1<<63), object(1, 8, ^uint64(0))} {
		_, err := cubinVariables("k.cubin", file, []elf.Symbol{symbol})
		assert.ErrorContains(t, err, "variable v has")
	}
}
