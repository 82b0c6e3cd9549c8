package gen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
)

// Instances whose arguments are functions, packs or unnamed, or whose symbols spell types in
// terms of the template's parameters, are generated like others.
func TestInstantiateWithFunctionsAndPacks(t *testing.T) {
	dir := module(t, map[string]string{"k.cu": `__device__ float add(float a, float b) { return a + b; }
static __device__ float sub(float a, float b) { return a - b; }
namespace ns { template <int N, class T> __device__ T scale(T a, T) { return N * a; } }
//cudagen:instantiate op=add
//cudagen:instantiate <sub>
//cudagen:instantiate op=ns::scale<4>
//cudagen:instantiate <nullptr> Nothing
template <float (*op)(float, float)> __global__ void apply(float *x) { if (op) x[0] = op(x[0], x[1]); }
//cudagen:instantiate <float, int, double>
template <class, class... T> __global__ void pack(T... args) {}
template <class T> struct Traits { typedef double type; };
//cudagen:instantiate T=float,N=3
template <class T, int N> __global__ void dependent(typename Traits<T>::type *x, T (*rows)[N + 1]) {}
`})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: nvcc(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := snapshot(t, dir)["k_cuda.go"]
	require.NoError(t, typeCheck([]byte(code)))
	for _, want := range []string{
		"type ApplyAddKernel struct", "type ApplySubKernel struct", "type ApplyScale4Kernel struct", "type NothingKernel struct",
		"type PackFloatIntDoubleKernel struct", "type DependentFloat3Kernel struct",
		`Symbol: "_Z5applyIXadL_ZN2ns5scaleILi4EfEET0_S2_S2_EEEvPf"`,
	} {
		assert.Contains(t, code, want)
	}
	assert.Equal(t, 1, strings.Count(code, "_INTERNAL_"), "one kernel has a static function")
}

// An instance that a directive asks for is compiled, too, when the source does not tell its
// parameters: the compiler does, and the record afterwards.
func TestInstancesThatACompilerTells(t *testing.T) {
	dir := module(t, map[string]string{"k.cu": `template <class T> struct Odd { T v; double w; };
//cudagen:instantiate T=float
template <class T> __global__ void t(decltype(((Odd<T> (*)(int))nullptr)(0)) p, float *o) { o[0] = p.v; }
`})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: nvcc(t)}
	reading := gen.NewReader(o).Read(o.Sources[0])
	require.Len(t, reading.File.Kernels, 2)
	require.True(t, reading.Kernels[reading.File.Kernels[1]].Unclear)
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := snapshot(t, dir)["k_cuda.go"]
	assert.Contains(t, code, "func (k *TFloatKernel) LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, p OddFloat, ")
	o.FindCompiler, o.Force = noCompiler, false
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, result.OK(), "%+v", result)
}
