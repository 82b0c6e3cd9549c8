package gen_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/record"
)

// second runs o, and again without a compiler, and demands that both runs write, note and refuse the same. It
// returns what the first reports, and the Go file.
func second(t *testing.T, o gen.Options) (*gen.Result, string) {
	first, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	dir := filepath.Dir(o.Sources[0])
	before := gentest.Snapshot(t, dir)
	require.NotEmpty(t, first.Written)

	o.FindCompiler = gentest.NoCompiler
	again, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, again.Written)
	assert.Equal(t, before, gentest.Snapshot(t, dir))
	check, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, check.OK(), "%+v", check)
	assert.Equal(t, first.Refused, again.Refused)
	assert.Equal(t, first.Refused, check.Refused)
	assert.Equal(t, first.Notes, again.Notes)
	assert.Equal(t, first.Files[0].Kernels, again.Files[0].Kernels)

	code, err := os.ReadFile(filepath.Join(dir, "k_cuda.go"))
	require.NoError(t, err)
	return first, string(code)
}

// What the source does not tell, the second run has from the record, for every kernel by itself.
func TestSecondRunOfUnclearKernels(t *testing.T) {
	find := gentest.NVCC(t)
	const odd = "struct Wide { double d[__builtin_popcount(7)]; };\nstruct Held { int *p; Wide w; };\nstruct Bad { int a; virtual __device__ void v(); };\n"
	for _, test := range []struct {
		name, source string
		kernels      int
	}{
		{"pointed at before it is a value", "__global__ void p(Wide *w, char (&n)[__builtin_popcount(3)]) { w->d[0] = n[0]; }\n__global__ void v(Wide w, int *o) { *o = w.d[0]; }\n", 2},
		{"pointed at after it is a value", "__global__ void v(Wide w, int *o) { *o = w.d[0]; }\n__global__ void p(Wide *w, char (&n)[__builtin_popcount(3)]) { w->d[0] = n[0]; }\n", 2},
		{"in another class", "__global__ void p(Held *h, char (&n)[__builtin_popcount(3)]) { h->w.d[0] = n[0]; }\n__global__ void v(Held h, int *o) { *o = h.w.d[0]; }\n", 2},
		{"an overload is left out", "__global__ void f(int *n, float y) { *n = y; }\n__global__ void f(Bad n, float *x) { *x = n.a; }\n__global__ void g(Wide w, int *o) { *o = w.d[0]; }\n", 2},
		{"instances", "template <class T> __global__ void f(T n, char *x) { *x = sizeof n; }\ntemplate __global__ void f<Wide>(Wide, char *);\ntemplate __global__ void f<Bad>(Bad, char *);\ntemplate __global__ void f<Held>(Held, char *);\n", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := gentest.Options(gentest.Write(t, "k.cu", odd+test.source), find)
			o.KeepGoing = true
			result, _ := second(t, o)
			assert.Equal(t, test.kernels, result.Files[0].Kernels, "%v", result.Refused)
		})
	}
}

// A record has which kernel was left out of those that share a name.
func TestSecondRunOfOverloads(t *testing.T) {
	const head = ".version 7.0\n.target sm_75\n.address_size 64\n"
	const source = "__global__ void k(float *x) {}\n__global__ void k(int n) {}\nnamespace n { __global__ void k(int n) {} }\n"
	// The image contradicts the second.
	const ptx = head + ".visible .entry _Z1kPf(.param .u64 _Z1kPf_param_0) { ret; }\n.visible .entry _Z1ki(.param .u64 _Z1ki_param_0) { ret; }\n" +
		".visible .entry _ZN1n1kEi(.param .u32 _ZN1n1kEi_param_0) { ret; }\n"
	o := gentest.Options(gentest.Write(t, "k.cu", source), func() (compile.Compiler, error) { return gentest.Stub(ptx), nil })
	o.KeepGoing = true
	result, code := second(t, o)
	assert.Equal(t, 2, result.Files[0].Kernels)
	assert.Len(t, result.Refused, 3)
	assert.Contains(t, code, "_Z1kPf")

	// A record of an older version has only the name, so that no kernel of that is taken for a good one.
	path := filepath.Join(filepath.Dir(o.Sources[0]), "k.cudagen.json")
	r, err := record.Read(path)
	require.NoError(t, err)
	require.Len(t, r.Refused, 3)
	for i := range r.Refused {
		assert.Equal(t, 2, r.Refused[i].Overload)
		r.Refused[i].Overload = 0
	}
	require.NoError(t, os.WriteFile(path, r.Encode(), 0o644))
	o.FindCompiler = gentest.NoCompiler
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 1, result.Files[0].Kernels)
}

// An instance that the compiler refuses is left out by itself, and the second run has that from the record.
func TestSecondRunOfRefusedInstances(t *testing.T) {
	const source = "//cudagen:instantiate T=int\n//cudagen:instantiate T=float\ntemplate <class T> __global__ void ok(T *x) { x[0] = 1; }\n" +
		"struct A { static constexpr int value = 3; };\n" +
		"//cudagen:instantiate T=int\n//cudagen:instantiate T=A\ntemplate <class T> __global__ void k(int *x) { x[0] = T::value; }\n"
	o := gentest.Options(gentest.Write(t, "k.cu", source), gentest.NVCC(t))
	_, err := gen.Generate(t.Context(), o)
	require.ErrorContains(t, err, "name followed by")

	o.KeepGoing = true
	result, code := second(t, o)
	assert.Equal(t, 3, result.Files[0].Kernels)
	require.Len(t, result.Refused, 1)
	assert.Contains(t, result.Refused.Error(), "k: name followed by")
	assert.Contains(t, code, "type KAKernel struct")

	// What the source itself instantiates cannot be left out.
	o = gentest.Options(gentest.Write(t, "k.cu", source+"template __global__ void k<float>(int *);\n"), gentest.NVCC(t))
	o.KeepGoing = true
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "name followed by")
}
