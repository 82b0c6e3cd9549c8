package compare_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// TestByte: std::byte of both libraries is Go's uint8, which nvcc confirms.
func TestByte(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	const source = `#include <cstddef>
#include <cuda/std/cstddef>
using std::byte;
struct S { std::byte b; int x; byte c[3]; cuda::std::byte *d; };
//cudagen:export
__device__ std::byte table[4];
//cudagen:kernel
//cudagen:len x=n
__global__ void k(const std::byte *x, cuda::std::byte b, S s, const byte (*c)[3], int n) {}
`
	path := gentest.Write(t, "k.cu", source)
	_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return compile.Find("nvcc", os.Getenv) }))
	require.NoError(t, err)
	code := gentest.Snapshot(t, filepath.Dir(path))["k_cuda.go"]
	plain := strings.Join(strings.Fields(code), " ")
	for _, want := range []string{
		"B uint8 _ [3]byte X int32 C [3]uint8 _ [5]byte D cuda.Ptr[uint8]",
		"x cuda.Slice[uint8], b uint8, sArg S, c cuda.Slice[[3]uint8], n int32) error",
		"Table cuda.Symbol[[4]uint8]",
	} {
		assert.Contains(t, plain, want)
	}
	assert.NoError(t, gentest.TypeCheck(t, code))
}
