package inspect_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/testenv"
)

// shim stands for CUDA's headers, which clang reads only where they are installed: the
// vector types with the alignments of package ctype, and classes of the same layout as
// those of libraries.
func shim() string {
	var lines []string
	for v := range ctype.Vectors {
		constructor := ""
		if v.Name == "dim3" {
			constructor = " dim3();"
		}
		members := []string{"x", "x, y", "x, y, z", "x, y, z, w"}[v.Count-1]
		lines = append(lines, fmt.Sprintf("struct __align__(%d) %s { %s %s;%s };", v.Align, v.Name, v.Elem, members, constructor))
	}
	for l := range ctype.Libraries {
		lines = append(lines, fmt.Sprintf("struct __align__(%d) %s { %[2]s(); private: char bytes[%d]; };", l.Align, l.Name, l.Size))
	}
	slices.Sort(lines)
	head := []string{
		"#include <cstddef>", "#include <cstdint>",
		"#define __align__(n) __attribute__((aligned(n)))", "#define __host__", "#define __device__", "#define __global__",
	}
	tail := []string{"typedef __half half;", "typedef unsigned long long cudaTextureObject_t;"}
	return strings.Join(slices.Concat(head, lines, tail), "\n") + "\n" + caseSpellings
}

// clang returns what clang says against C++ source; nothing is made.
func clang(t *testing.T, source string) string {
	t.Helper()
	command := exec.Command(testenv.ClangPath(t), "-x", "c++", "-std=c++17", "-w", "-fsyntax-only", "-ferror-limit=0", "-fno-access-control", "-")
	command.Stdin = strings.NewReader(source)
	text, err := command.CombinedOutput()
	if err != nil && len(text) == 0 {
		require.NoError(t, err)
	}
	return string(text)
}

// clang, a compiler with a layout algorithm of its own, agrees on every class.
func TestLayoutsAgainstClang(t *testing.T) {
	testenv.Need(t, testenv.Clang)
	g := newCaseGenerator(*seed)
	var b, wrong strings.Builder
	b.WriteString(shim())
	for range *cases {
		c := g.next()
		b.WriteString(c.source() + c.assertions())
	}
	assert.Empty(t, clang(t, b.String()))

	t.Run("control", func(t *testing.T) {
		wrong.WriteString(shim())
		c := g.next()
		wrong.WriteString(c.source())
		c.Classes[0].Fields = append(c.Classes[0].Fields, ctype.Field{Name: "more", Type: ctype.Known("double4_32a")})
		c.Classes[0].Packed, c.Classes[0].Pack = false, 0
		wrong.WriteString(c.assertions())
		assert.Contains(t, clang(t, wrong.String()), "static assertion failed")
	})
}
