package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Pointers to members, which each compiler describes in another way in its debug
// information, are the words that they take.
func TestMemberPointersByEveryCompiler(t *testing.T) {
	const source = `struct A { int x; };
struct S { char a; int (A::*p)(int); int A::*q; int (S::*h[2])(int) const; int e; };
extern "C" __global__ void k(S s, int A::*m, int *out) { *out = s.e; }
`
	for name, needs := range map[string]testenv.Resource{"nvcc": testenv.NVCC, "nvrtc": testenv.NVRTC, "clang": testenv.Clang} {
		t.Run(name, func(t *testing.T) {
			testenv.Need(t, needs)
			path := write(t, "k.cu", source)
			find := func() (compile.Compiler, error) { return compile.Find(name, os.Getenv) }
			_, err := gen.Generate(t.Context(), options(path, find))
			require.NoError(t, err)
			code := snapshot(t, filepath.Dir(path))["k_cuda.go"]
			plain := strings.Join(strings.Fields(code), " ")
			assert.Contains(t, plain, "A int8 _ [7]byte P [2]uint64 Q uint64 H [2][2]uint64 E int32 _ [4]byte")
			assert.Contains(t, plain, "cfg cuda.LaunchConfig, sArg S, m uint64, out cuda.Slice[int32]")
			assert.NoError(t, typeCheck([]byte(code)))
		})
	}
}
