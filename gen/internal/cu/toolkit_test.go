package cu

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// TestToolkitHeaders: with CUDA's own headers, which define its words as attributes and its
// types as classes, a source means what it means without them.
func TestToolkitHeaders(t *testing.T) {
	toolkit := files{
		"toolkit/cuda_runtime.h": "#include \"crt/host_defines.h\"\n#include \"vector_types.h\"\n",
		"toolkit/crt/host_defines.h": `#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define __global__ __location__(global)
#define __device__ __location__(device)
#define __constant__ __location__(constant)
#define __grid_constant__ __location__(__grid_constant__)
#define __launch_bounds__(...) __annotate__(launch_bounds(__VA_ARGS__))
#define __builtin_align__(a) __attribute__((aligned(a)))
template <int I, class T, enable_if_t<I<2, int> = 0> T lost();
`,
		"toolkit/vector_types.h": "struct __builtin_align__(16) float4 { float x, y, z, w; };\ntypedef struct float4 float4;\nstruct CUtensorMap { char bytes[128]; };\n",
		"own/vector.h":           "struct float3 { float all[3]; };\n",
	}
	const rest = `
#include "own/vector.h"
struct Own { float4 v; };
__constant__ float4 c;
__device__ int twice(int);
__global__ void __launch_bounds__(128) k(const __grid_constant__ Own o, ::float4 *p, CUtensorMap m, float3 mine) {}
`
	for _, tt := range []struct {
		header  string
		folders []string
	}{
		{"<cuda_runtime.h>", []string{"toolkit"}},
		{`"cuda_runtime.h"`, []string{"toolkit"}},
		{"<cuda_runtime.h>", nil},
	} {
		c := &Config{Include: tt.folders, Read: toolkit.read}
		file, err := c.ParseFile("t.cu", []byte("#include "+tt.header+rest))
		require.NoError(t, err)
		require.Len(t, file.Kernels, 1)
		k := file.Kernels[0]
		assert.Equal(t, "void k(const Own o, ::float4 *p, CUtensorMap m, float3 mine)", k.Signature)
		assert.Equal(t, []int64{128}, k.LaunchBounds)
		assert.Equal(t, ctype.LookupVector("float4"), k.Params[1].Type.(*ctype.Pointer).Elem)
		class, ok := k.Params[2].Type.(*ctype.Struct)
		assert.Equal(t, tt.folders != nil, ok && class.Complete, "its header says what it is")
		assert.Equal(t, "own/vector.h", filepath.ToSlash(k.Params[3].Type.(*ctype.Struct).Pos.Filename), "a type of the user's")
		require.Len(t, file.Variables, 1)
	}
}

// TestToolkitLaunchers: nobody asks for the kernels that CUDA's own headers launch.
func TestToolkitLaunchers(t *testing.T) {
	toolkit := files{
		"toolkit/crt/host_defines.h": "#define __global__ __attribute__((global))\n",
		"toolkit/sort.h": `#include "crt/host_defines.h"
namespace thrust {
template <class T> __global__ void kernel(T *x) {}
template <class T> void sort(T first) { kernel<T><<<1, 2>>>(first); }
template <class T> struct agent { void run(T *x) { kernel<T><<<1, 2>>>(x); } };
}
`,
	}
	const source = "#include <sort.h>\ntemplate <class T> __global__ void own(T *x) {}\nvoid f(float *x) { thrust::sort(gone(x)); thrust::agent<Gone> a; a.run(x); own<<<1, 2>>>(x); }\n"
	for name, notes := range map[string]int{"toolkit/crt/host_defines.h": 0, "toolkit/crt/of_others.h": 2} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(toolkit)
			files[name] = files["toolkit/crt/host_defines.h"]
			files["toolkit/sort.h"] = strings.Replace(files["toolkit/sort.h"], "crt/host_defines.h", strings.TrimPrefix(name, "toolkit/"), 1)
			c := &Config{Include: []string{"toolkit"}, Read: files.read}
			file, err := c.ParseFile("t.cu", []byte(source))
			require.NoError(t, err)
			assert.Len(t, file.Notes, notes)
			var own []string
			for _, k := range file.Kernels {
				if k.Own && !k.Template {
					own = append(own, k.QualifiedName())
				}
			}
			assert.Equal(t, []string{"own<float>"}, own)
		})
	}
}

// TestToolkitFolders: CCCL's headers are CUDA's own wherever they are, and what lies beside them is not.
func TestToolkitFolders(t *testing.T) {
	for _, tt := range []struct{ header, inside, outside string }{
		{"t/crt/host_defines.h", "t/cccl/thrust/sort.h", "u/sort.h"},
		{"c/thrust/version.h", "c/thrust/sort.h", "c/own/sort.h"},
		{"c/cub/version.cuh", "c/cub/device/sort.cuh", "c/cubic/sort.h"},
		{"cuda/std/__cccl/version.h", "nv/target", "own/nv/target"},
		{"c/own/version.h", "", "c/own/sort.h"},
		{"c/nothrust/version.h", "", "c/thrust/sort.h"},
	} {
		p := toolkitOf([]string{tt.header})
		in := func(name string) bool {
			c := &lex.Config{Include: []string{"."}, Read: files{name: "int a;"}.read}
			for _, l := range lex.Preprocess(c, "t.cu", "#include \""+name+"\"\n").Tokens {
				if l.Is("a") {
					assert.Equal(t, name, filepath.ToSlash(l.At.File().Name))
					return p.has(l.At)
				}
			}
			return false
		}
		assert.Equal(t, tt.inside != "", in(tt.inside), tt.header)
		assert.False(t, in(tt.outside), tt.header)
	}
}
