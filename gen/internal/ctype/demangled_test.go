package ctype_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ianlancetaylor/demangle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Types are spelled as demanglers spell them: Itanium C++ ABI, Mangling, Types.
func TestDemangled(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range testenv.Cases(2000, 100000) {
		typ, mangled := randomType(random, 1+random.IntN(7))
		want, err := demangle.ToString("_Z1k" + mangled)
		require.NoError(t, err, mangled)
		assert.Equal(t, want, "k("+typ.Demangled()+")", mangled)
	}
}

// randomType returns a type that a parameter can have, and its mangling.
func randomType(random *rand.Rand, depth int) (ctype.Type, string) {
	if depth == 0 {
		return ctype.Builtin(ctype.Int), "i"
	}
	switch random.IntN(5) {
	case 0, 1:
		elem, mangled := randomType(random, depth-1)
		if ctype.Unqualified(elem) != elem || random.IntN(2) == 0 {
			return &ctype.Pointer{Elem: elem}, "P" + mangled
		}
		return &ctype.Pointer{Elem: &ctype.Qualified{Type: elem, Const: true}}, "PK" + mangled
	case 2:
		result, of := randomType(random, depth-1)
		if random.IntN(4) == 0 {
			result, of = &ctype.Reference{Elem: result}, "R"+of
		}
		param, mangled := randomType(random, random.IntN(2))
		return &ctype.Pointer{Elem: &ctype.Function{Result: result, Params: []ctype.Type{param}}}, "PF" + of + mangled + "E"
	case 3:
		elem, mangled := randomType(random, depth-1)
		n := 1 + random.Int64N(4)
		return &ctype.Pointer{Elem: &ctype.Array{Elem: elem, Len: n}}, fmt.Sprintf("PA%d_%s", n, mangled)
	}
	elem, mangled := randomType(random, depth-1)
	return &ctype.Pointer{Elem: &ctype.Qualified{Type: &ctype.Pointer{Elem: elem}, Const: true, Volatile: true}}, "PVKP" + mangled
}
