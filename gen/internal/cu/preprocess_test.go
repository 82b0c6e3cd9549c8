package cu

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files is a file system in memory.
type files map[string]string

func (f files) read(path string) ([]byte, error) {
	text, ok := f[filepath.ToSlash(path)]
	if !ok {
		return nil, errors.New("no such file")
	}
	return []byte(text), nil
}

// A header that is not there is named where its type is missing, and only then.
func TestMissing(t *testing.T) {
	c := &Config{Read: files{"have.h": "typedef int have_t;"}.read}
	file, err := c.ParseFile("t.cu", []byte("#include <cuda_runtime.h>\n#include <vector>\n#include \"have.h\"\n#include \"lost.h\"\n#include <x/y.h>\n"+
		"__global__ void k(have_t a, lost_t b);\n__global__ void l(have_t a, size_t b, __half c);"))
	require.NoError(t, err)
	require.Len(t, file.Missing, 2)
	assert.Equal(t, "lost.h", file.Missing[0].Path)
	require.Len(t, file.Kernels[0].Errors, 1)
	assert.Equal(t, `t.cu:6:29: k: parameter b has unknown type lost_t (perhaps from "lost.h" or <x/y.h>, not found: add -I)`, file.Kernels[0].Errors[0].Error())
	assert.Empty(t, file.Kernels[1].Errors)
	assert.Len(t, file.Includes, 5)
}

// A header that is in a folder around the file is one that an -I is missing for.
func TestMissingNear(t *testing.T) {
	tree := files{
		"p/src/matrix/k.h": "typedef int k_t;", "p/include/deep/l.h": "typedef int l_t;", "outside.h": "typedef int o_t;", "p/go.mod": "module p\n",
	}
	for _, test := range []struct{ name, header, folder string }{
		{"parent", `"matrix/k.h"`, "p/src"},
		{"include beside a parent", "<deep/l.h>", "p/include"},
		{"outside of the module", `"outside.h"`, ""},
		{"nowhere", `"nowhere.h"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &Config{Read: tree.read}
			file, err := c.ParseFile("p/src/matrix/deep/t.cu", []byte("#include \"first.h\"\n#include "+test.header+"\n__global__ void k(lost_t a) {}"))
			require.NoError(t, err)
			message := file.Kernels[0].Errors[0].Message.Error()
			if test.folder == "" {
				assert.Contains(t, message, "not found: add -I)")
				return
			}
			assert.Contains(t, message, "(perhaps from "+test.header+" or \"first.h\", not found: add -I "+filepath.FromSlash(test.folder)+")")
			c.Include = []string{test.folder}
			file, err = c.ParseFile("p/src/matrix/deep/t.cu", []byte("#include "+test.header))
			require.NoError(t, err)
			assert.Empty(t, file.Missing)
		})
	}
}

// Conditions on the versions of CUDA's C++ libraries hold without their headers.
func TestLibraryVersions(t *testing.T) {
	src := "#include <thrust/version.h>\n#if THRUST_VERSION < 100500 || CUB_VERSION < 100500\n#error Thrust v1.5.0 or newer is required\n#endif\n"
	_, err := ParseFile("t.cu", []byte(src))
	assert.NoError(t, err)
	_, err = ParseFile("t.cu", []byte(strings.Replace(src, "thrust/version.h", "stdio.h", 1)))
	assert.ErrorContains(t, err, "Thrust v1.5.0 or newer is required")
}

// Positions in headers are theirs, and say how they came in; kernels know that they are
// included.
func TestIncludedKernel(t *testing.T) {
	c := &Config{Read: files{"k.cuh": "\n__global__ void k(mystery_t m) {}"}.read}
	file, err := c.ParseFile("t.cu", []byte("#include \"k.cuh\"\n__global__ void l(int n) {}"))
	require.NoError(t, err)
	require.Len(t, file.Kernels, 2)
	assert.True(t, file.Kernels[0].Included)
	assert.Equal(t, "k.cuh", file.Kernels[0].Pos.Filename)
	assert.ErrorContains(t, file.Kernels[0].Errors, "k.cuh:2:19: k: parameter m has unknown type mystery_t (include its header, or leave the kernel out with //cudagen:ignore) (included from t.cu:1:10)")
	assert.False(t, file.Kernels[1].Included)
	assert.Equal(t, 2, file.Kernels[1].Pos.Line)
}

// A chain of reasons names each place once, and each macro.
func TestOriginsOnce(t *testing.T) {
	c := &Config{Read: files{
		"a.h": "#include \"b.h\"\nstruct Outer { Inner i; };\n__global__ void k(Outer o) {}\n",
		"b.h": "#define MEMBER mystery_t m;\n\nstruct Inner { MEMBER };\n",
	}.read}
	file, err := c.ParseFile("t.cu", []byte("#include \"a.h\"\n__global__ void l(Outer o) {}"))
	require.NoError(t, err)
	require.Len(t, file.Kernels, 2)
	for _, k := range file.Kernels {
		require.Len(t, k.Errors, 1)
		text := k.Errors[0].Error()
		for _, once := range []string{"(in expansion of MEMBER, defined at b.h:1:9)", "(included from a.h:1:10)", "(included from t.cu:1:10)", "(b.h:3:16)", "(a.h:2:22)"} {
			assert.Equal(t, 1, strings.Count(text, once), "%s in %s", once, text)
		}
	}
	assert.Equal(t, "a.h:3:19", file.Kernels[0].Errors[0].Pos.String())
	assert.Equal(t, "t.cu:2:19", file.Kernels[1].Errors[0].Pos.String())
}

// #pragma pack is in force from its line on, across files.
func TestPack(t *testing.T) {
	c := &Config{Read: files{"begin.h": "#pragma pack(push, 2)\n", "end.h": "#pragma pack(pop)\n"}.read}
	file, err := c.ParseFile("t.cu", []byte(`struct A { int x; };
#pragma pack(1)
struct B { int x; };
#pragma pack()
struct C { int x; };
#include "begin.h"
struct D { int x; };
_Pragma("pack(push, label, 4)") struct E { int x; };
#pragma pack(pop, label)
struct F { int x; };
#include "end.h"
struct G { int x; };
`))
	require.NoError(t, err)
	got := make(map[string]int64)
	for _, s := range file.Structs {
		got[s.Name] = s.Pack
	}
	assert.Equal(t, map[string]int64{"A": 0, "B": 1, "C": 0, "D": 2, "E": 4, "F": 2, "G": 0}, got)
}
