package inspect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// The front end reads the same kernels from the source of random cases: what it does not
// refuse lies where the case itself has it.
func TestFrontEndReadsCases(t *testing.T) {
	g := newCaseGenerator(*seed)
	var b strings.Builder
	b.WriteString(caseHeaders + caseSpellings)
	byName := make(map[string]*kernelCase)
	for range *cases {
		c := g.next()
		byName[c.Name] = c
		b.WriteString(c.source())
	}
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile("cases.cu", []byte(b.String()))
	require.NoError(t, err)
	require.Len(t, file.Kernels, len(byName))
	refused := 0
	for _, k := range file.Kernels {
		if len(k.Errors) > 0 {
			assert.Contains(t, k.Errors[0].Message.Error(), "does not stand where it belongs", "nothing else is refused")
			refused++
			continue
		}
		types := make([]ctype.Type, len(k.Params))
		for i, p := range k.Params {
			types[i] = p.Type
		}
		got, gotEnd, _, err := layout.Params(types)
		if err != nil {
			t.Errorf("%s: %v\n%s", k.Name, err, byName[k.Name].source())
			continue
		}
		want, wantEnd, _, err := layout.Params(byName[k.Name].Params)
		require.NoError(t, err)
		assert.Equal(t, want, got, byName[k.Name].source())
		assert.Equal(t, wantEnd, gotEnd, k.Name)
	}
	t.Logf("%d of %d refused", refused, *cases)
}

// An alignment before the word struct, or behind the name of a typedef, is not one of the
// class: nvcc 13.0 gives these parameters sizes of 1, 1 and 2 bytes.
func TestMisplacedAlignment(t *testing.T) {
	for _, source := range []string{
		"__align__(32) struct A { char c; }; __global__ void k(A a) {}",
		"typedef struct { char c; } A __attribute__((aligned(32))); __global__ void k(A a) {}",
		"struct A { __align__(32) union { char c; } x[2]; }; __global__ void k(A a) {}",
	} {
		file, err := cu.ParseFile("k.cu", []byte(source))
		require.NoError(t, err)
		require.Len(t, file.Kernels, 1)
		assert.ErrorContains(t, file.Kernels[0].Errors.Err(), "does not stand where it belongs to the class", source)
	}
}
