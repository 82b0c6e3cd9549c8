package inspect_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	nvcc "github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// fielded has a parameter of every kind of class that inspect lists the fields of. Kernels use
// what they get: nvcc has no debug information of other parameters.
const fielded = `
namespace ns {
template <class T, int N> struct B { T t; char c[N]; };
struct Empty {};
struct S : B<float, 3>, Empty {
  char a;
  union { int i; struct { short lo, hi; }; double d; };
  struct { short x, y; } at[2];
  unsigned f : 3; unsigned : 5; unsigned g : 12; unsigned : 0; unsigned h : 1;
  float4 v; B<char, 2> in; int *p; int &r; void (*cb)(int);
};
struct D : B<double, 2> { char tail; long long last : 40; bool b : 1; union { int u; float w; }; };
}
union U { int i; float f; struct { unsigned low : 4, high : 4; } bits; };
typedef struct { int q; } T;
__global__ void k(int n, ns::S s, U u, T t, dim3 d, float3 f, float *o) { o[n] = s.a + s.i + u.f + t.q + d.x + f.y; }
__global__ void l(ns::D d, float *o) { o[d.b] = d.last; }
//cudagen:instantiate A=double
template <class A> __global__ void m(ns::B<A, 5> b, float *o) { o[0] = b.t; }
template __global__ void m<double>(ns::B<double, 5>, float *);
`

// The classes of CUDA's headers have the fields that inspect knows without their headers.
func TestCompareFieldsOfLibraries(t *testing.T) {
	testenv.Toolkit(t, 13)
	var source strings.Builder
	for _, header := range []string{"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h"} {
		fmt.Fprintf(&source, "#include <%s>\n", header)
	}
	known := 0
	for l := range ctype.Libraries {
		if !strings.HasPrefix(l.Name, "curand") { // whose headers are of another package
			fmt.Fprintf(&source, "__global__ void k_%s(%[1]s p, char *o) { o[0] = *(char *)&p; }\n", l.Name)
			known++
		}
	}
	report, ptx := compileFields(t, source.String())
	compared := 0
	for _, f := range compareFields(t, report, ptx) {
		assert.Equal(t, inspect.Right, f.Outcome, "%s: %s", f.Kernel, f.Text)
		compared += f.Classes
	}
	assert.Equal(t, known, compared)
}

// compareFields compares a report with PTX, which has debug information.
func compareFields(t *testing.T, report *inspect.Report, ptx []byte) []inspect.Finding {
	t.Helper()
	list, described, err := inspect.Compare(report, ptx)
	require.NoError(t, err)
	require.True(t, described)
	return list
}

// compileFields returns the report on a source, and the PTX that nvcc makes of it.
func compileFields(t *testing.T, source string) (*inspect.Report, []byte) {
	t.Helper()
	testenv.Need(t, testenv.NVCC)
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	compiler, err := nvcc.FindNVCC(os.Getenv)
	require.NoError(t, err)
	output, err := compiler.Compile(t.Context(), nvcc.Request{Source: path, Arch: "compute_75", Debug: true})
	require.NoError(t, err)
	return inspect.New(gen.NewReader(gen.Options{}).Read(path), inspect.Options{}), output.Code
}

func TestCompareFields(t *testing.T) {
	report, ptx := compileFields(t, fielded)
	total := inspect.Finding{}
	for _, f := range compareFields(t, report, ptx) {
		if f.Kernel == "m" {
			assert.Equal(t, inspect.Skipped, f.Outcome)
			continue
		}
		assert.Equal(t, inspect.Right, f.Outcome, f.Text)
		total.Classes += f.Classes
		total.Fields += f.Fields
		total.Unseen += f.Unseen
	}
	assert.Equal(t, 7, total.Classes)
	assert.Zero(t, total.Unseen)
	assert.Equal(t, 16+3+1+3+3+7+2, total.Fields)

	fields := report.Kernels[0].Params[1].Fields
	wrong := func() string { return compareFields(t, report, ptx)[0].Text }
	for _, control := range []struct {
		field  int
		change func(f *inspect.Field)
		want   string
	}{
		{3, func(f *inspect.Field) { f.Offset++ }, "k: parameter 1 (s): field i: offset is 17 by the source and 16 by the compiler"},
		{0, func(f *inspect.Field) { f.Size = 8 }, "k: parameter 1 (s): field t: size is 8 by the source and 4 by the compiler"},
		{5, func(f *inspect.Field) { f.Name = "hj" }, "k: parameter 1 (s): field hj: name is hj by the source and hi by the compiler"},
		{9, func(f *inspect.Field) { *f.BitOffset = 1 }, "k: parameter 1 (s): field g: first bit is 265 by the source and 264 by the compiler"},
		{9, func(f *inspect.Field) { f.Bits = 11 }, "k: parameter 1 (s): field g: number of bits is 11 by the source and 12 by the compiler"},
		{9, func(f *inspect.Field) { f.BitOffset = nil }, "k: parameter 1 (s): field g: being a bit-field is false by the source and true by the compiler"},
	} {
		f := &fields[control.field]
		before := *f
		if f.BitOffset != nil {
			first := *f.BitOffset
			f.BitOffset = &first
		}
		control.change(f)
		assert.Contains(t, wrong(), control.want)
		*f = before
		require.Empty(t, wrong())
	}
	report.Kernels[0].Params[1].Fields = fields[1:]
	assert.Contains(t, wrong(), "k: parameter 1 (s): it has 15 fields by the source and 16 by the compiler")
}
