package inspect_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// FuzzReport: every source has a report, in valid JSON, in which a kernel that is not ok has a
// reason and no parameters, and fields lie in their parameters.
func FuzzReport(f *testing.F) {
	for _, source := range []string{
		"struct P { double d; unsigned f : 3, : 4, g : 9; union { int i; struct { char a, b; }; }; };\n__global__ void k(P p, int n) {}",
		"//cudagen:instantiate T=float\ntemplate <class T> __global__ void k(T x) {}\n__global__ void k(int) {}\n__global__ void k(Strange s) {}",
		"//cudagen:kernel A\n//cudagen:blok 3\nextern \"C\" __global__ void a(float4 v) {}\n//cudagen:export A\nstruct S { int i; };\n//cudagen:export\n__device__ S s[2], t;",
		"//cudagen:type n::S=image.Point\nnamespace n { struct S { long x, y; }; enum E { A }; namespace { __global__ void k(S s, E e) {} } }",
		"typedef struct { int x; } T; struct E {}; struct D : T, E { T t; E e; };\n__global__ void k(D d, const T &t, void (*f)(int)) {}",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		config := cu.Config{SizeOf: layout.Of}
		file, err := config.ParseFile("k.cu", []byte(source))
		if err != nil {
			return
		}
		r := inspect.New(gen.NewReader(gen.Options{}).Select(file), inspect.Options{All: true})
		var b bytes.Buffer
		require.NoError(t, r.WriteJSON(&b))
		assert.True(t, json.Valid(b.Bytes()), "%s", &b)
		require.NoError(t, r.WriteTable(&b, inspect.Table{Fields: true}))
		for _, k := range r.Kernels {
			assert.Equal(t, k.Status == inspect.OK, k.Reason == "", k.Qualified)
			if k.Status != inspect.OK {
				assert.Empty(t, k.Params, k.Qualified)
			}
			for _, p := range k.Params {
				assert.LessOrEqual(t, p.Offset+p.Size, k.ParamBytes)
				for _, field := range p.Fields {
					assert.LessOrEqual(t, field.Offset+field.Size, p.Size, "%s %s", k.Qualified, field.Name)
					assert.GreaterOrEqual(t, field.Offset, int64(0))
				}
			}
		}
	})
}
