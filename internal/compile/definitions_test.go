package compile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefinitions(t *testing.T) {
	u := &unit{dir: filepath.FromSlash("/src/m")}
	const text = `# 0 "k.cu"
# 0 "<built-in>"
#define __GNUC__ 12
#define DEBUG 1
# 1 "/usr/include/limits.h" 1 3 4
#define PATH_MAX	 4096
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define EMPTY
#undef DEBUG
# 7 "k.cu" 2
#define PATH_MAX_ 3
#pragma once
#define DEBUG "a # b"
#define Ünder 5
int x; // # 1 "no.h"
# 1 "../own \"h\".h" 1
#define $tall 6`
	assert.Equal(t, []Definition{
		{"__GNUC__", "12", ""}, {"DEBUG", "1", ""},
		{"PATH_MAX", "4096", filepath.FromSlash("/usr/include/limits.h")}, {"MAX", "(a,b)((a)>(b)?(a):(b))", filepath.FromSlash("/usr/include/limits.h")},
		{"EMPTY", "", filepath.FromSlash("/usr/include/limits.h")},
		{"DEBUG", `"a#b"`, filepath.FromSlash("/src/m/k.cu")}, {"Ünder", "5", filepath.FromSlash("/src/m/k.cu")},
		{"$tall", "6", filepath.FromSlash(`/src/own "h".h`)},
	}, u.definitions([]byte(text), []string{"__GNUC__", "DEBUG", "PATH_MAX", "MAX", "EMPTY", "Ünder", "$tall", "x", "once"}))
	for _, damaged := range []string{"", "#", "#define", "#define ", "# 1 \"", "# 1 \"\\q\" 1\n#define A\n"} {
		assert.NotPanics(t, func() { u.definitions([]byte(damaged), []string{"A", ""}) })
	}
}

func TestDefinitionsOfNVCC(t *testing.T) {
	c := findNVCC(t)
	root := write(t, "m", map[string]string{
		"k.cu":  "#include \"own.h\"\n#ifdef DEBUG\n#endif\n#include <limits.h>\n#ifndef PATH_MAX\n#define PATH_MAX 4\n#endif\n#define SIDE 7\n",
		"own.h": "#define TILE SIDE + 1\n",
	})
	req := Request{Source: filepath.Join(root, "k.cu"), Dir: root, Arch: "compute_80", Flags: []string{"-DGIVEN=3"}, Suffix: "#error behind\n"}
	names := []string{"DEBUG", "PATH_MAX", "SIDE", "TILE", "__CUDA_ARCH__", "GIVEN", "__CUDACC_RTC__"}
	list, err := c.(Preprocessor).Definitions(t.Context(), req, names)
	require.NoError(t, err)
	got := make(map[string]Definition)
	for _, d := range list {
		assert.NotContains(t, got, d.Macro)
		got[d.Macro] = d
	}
	assert.Regexp(t, "limits.h$", got["PATH_MAX"].File)
	delete(got, "PATH_MAX")
	assert.Equal(t, map[string]Definition{
		"__CUDA_ARCH__": {"__CUDA_ARCH__", "800", ""}, "GIVEN": {"GIVEN", "3", ""},
		"SIDE": {"SIDE", "7", filepath.Join(root, "k.cu")}, "TILE": {"TILE", "SIDE+1", filepath.Join(root, "own.h")},
	}, got)

	require.NoError(t, os.WriteFile(filepath.Join(root, "k.cu"), []byte("#error no\n"), 0o600))
	_, err = c.(Preprocessor).Definitions(t.Context(), req, names)
	var failed *FailedError
	assert.ErrorAs(t, err, &failed)
}
