package compare_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/gentest"
)

// Pointers to members, which each compiler describes in another way in its debug
// information, are the words that they take.
func TestMemberPointersByEveryCompiler(t *testing.T) {
	const source = `struct A { int x; };
struct S { char a; int (A::*p)(int); int A::*q; int (S::*h[2])(int) const; int e; };
extern "C" __global__ void k(S s, int A::*m, int *out) { *out = s.e; }
`
	gentest.ByEveryCompiler(t, source, func(t *testing.T, files map[string]string) {
		code := files["k_cuda.go"]
		plain := strings.Join(strings.Fields(code), " ")
		assert.Contains(t, plain, "A int8 _ [7]byte P [2]uint64 Q uint64 H [2][2]uint64 E int32 _ [4]byte")
		assert.Contains(t, plain, "cfg cuda.LaunchConfig, sArg S, m uint64, out cuda.Slice[int32]")
		assert.NoError(t, gentest.TypeCheck(t, code))
	})
}
