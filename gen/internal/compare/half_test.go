package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/record"
)

const halfSource = `#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Mix { __half weight; char tag; half2 pair; __nv_bfloat16 list[3]; nv_bfloat162 last; const __half *from; };
//cudagen:export
__constant__ __half gain;
//cudagen:export
__device__ __nv_bfloat162 table[2][2];
//cudagen:len y=n
extern "C" __global__ void k(const __half *x, __nv_bfloat16 *y, half a, __half2 b, nv_bfloat16 c, __nv_bfloat162 d, Mix m, int n) {
  y[n] = table[0][1].x;
  if (__half2float(a) > __half2float(gain) && __half2float(x[0]) > __half2float(b.x) && __half2float(m.from[0]) > __half2float(m.weight)) {
    y[0] = c;
    y[1] = d.y;
    y[2] = m.list[1];
  }
}
`

// TestHalfByEveryCompiler: numbers of 16 bits have types of their own, wherever they stand,
// which every compiler's headers confirm.
func TestHalfByEveryCompiler(t *testing.T) {
	gentest.ByEveryCompiler(t, halfSource, func(t *testing.T, files map[string]string) {
		code := files["k_cuda.go"]
		plain := strings.Join(strings.Fields(code), " ")
		for _, want := range []string{
			"Weight vec.Float16 Tag int8 _ [1]byte Pair vec.Float16x2 List [3]vec.BFloat16 _ [2]byte Last vec.BFloat16x2 _ [4]byte From cuda.Ptr[vec.Float16]",
			"LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, x cuda.Slice[vec.Float16], y cuda.Slice[vec.BFloat16], a vec.Float16, b vec.Float16x2, c vec.BFloat16, d vec.BFloat16x2, m Mix, n int32) error",
			"Gain cuda.Symbol[vec.Float16]", "Table cuda.Symbol[[2][2]vec.BFloat16x2]",
			"A vec.Float16 // offset 16 _ [2]byte B vec.Float16x2 // offset 20 C vec.BFloat16 // offset 24 _ [2]byte D vec.BFloat16x2 // offset 28",
		} {
			assert.Contains(t, plain, want)
		}
		assert.NoError(t, gentest.TypeCheck(t, code))
		r, err := record.Decode("k.cudagen.json", []byte(files["k.cudagen.json"]))
		require.NoError(t, err)
		for _, p := range r.Kernels[0].Params {
			assert.Equal(t, []string{"source", "ptx", "debug", "probe"}, p.Witnesses, p.Name)
		}
		for _, v := range r.Variables {
			assert.True(t, slices.Contains(v.Witnesses, "debug"), v.Name)
		}
	})
}
