package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestViewOf(t *testing.T) {
	t.Setenv("CPATH", "")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "there.h"), nil, 0o666))
	for flags, want := range map[string]View{
		"-DA -D B=2 --define-macro=C=3 --define-macro D(x)=x":            {Macros: "#define A 1\n#define B 2\n#define C 3\n#define D(x) x\n"},
		"-DA,B=1 -UA,B --undefine-macro=C -DC":                           {Macros: "#define A 1\n#define B 1\n#undef A\n#undef B\n#undef C\n#define C 1\n"},
		`-DA="x,y" -DB=x\,y -DC="z"`:                                     {Macros: "#define C \"z\"\n"}, // nvcc's quotes are not followed
		"-isystem s -Ia --include-path b,/c":                             {Include: []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), "/c", filepath.Join(dir, "s")}},
		"-std=c++14 --std c++20":                                         {Std: "c++20"},
		"-include there.h -include elsewhere.h":                          {Macros: "#include \"" + filepath.Join(dir, "there.h") + "\"\n#include \"elsewhere.h\"\n"},
		"-rdc=true -rdc false --extended-lambda -G":                      {Macros: "#define __CUDACC_RDC__ 1\n#define __CUDACC_EXTENDED_LAMBDA__ 1\n#define __CUDACC_DEBUG__ 1\n"},
		"--device-c --expt-relaxed-constexpr":                            {Macros: "#define __CUDACC_RDC__ 1\n#define __CUDACC_RELAXED_CONSTEXPR__ 1\n"},
		"-default-stream per-thread -default-stream legacy":              {Macros: "#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1\n"},
		"-DA=3 -UB -Xcompiler -DA=5 -Xcompiler -D,B,-I -Ix -Xcompiler y": {Macros: "#define A 5\n#define B 1\n#define A 3\n#undef B\n", Include: []string{filepath.Join(dir, "y"), filepath.Join(dir, "x")}},
		`-Xcompiler -DA="1" -Xcompiler -DB=f(1\,2)`:                      {},
		"-include there.h -DA":                                           {Macros: "#define A 1\n#include \"" + filepath.Join(dir, "there.h") + "\"\n"},
		"-Xcompiler -fopenmp,-DA=1,-UB,-D,C,-O3,-D":                      {Macros: "#define _OPENMP 201511\n#define A 1\n#undef B\n#define C 1\n"},
		"--compiler-options=-include,there.h,-Ia -Xcompiler":             {Macros: "#include \"" + filepath.Join(dir, "there.h") + "\"\n", Include: []string{filepath.Join(dir, "a")}},
		"-O3 -lineinfo -maxrregcount 32 -Xptxas -v -D":                   {},
	} {
		assert.Equal(t, want, ViewOf(strings.Fields(flags), "", dir), "%s", flags)
	}
	assert.Equal(t, View{Macros: "#define A 1\n#define B 2\n"}, ViewOf([]string{"-Xcompiler", "-O2 -DA -DB=2"}, "", dir), "nvcc splits at blanks")
	assert.Equal(t, View{Macros: "#define A f(1,2)\n"}, ViewOf([]string{"-DA=f(1,2)"}, "clang", dir), "clang splits nothing")
	t.Setenv("CPATH", strings.Join([]string{"e", "/f", ""}, string(filepath.ListSeparator)))
	flags := []string{"-isystem", "s", "-Ia"}
	assert.Equal(t, []string{filepath.Join(dir, "a"), filepath.Join(dir, "e"), "/f", dir, filepath.Join(dir, "s")}, ViewOf(flags, "nvcc", dir).Include)
	assert.Equal(t, []string{filepath.Join(dir, "a"), filepath.Join(dir, "s")}, ViewOf(flags, "nvrtc", dir).Include, "NVRTC reads no environment")
}

// The evidence is compiled without what only says how code is optimized.
func TestUnoptimized(t *testing.T) {
	for flags, want := range map[string]string{
		"-G --dopt=on -lineinfo": "-G -lineinfo", "-dopt on -DX": "-DX", "-Xcicc -O0 -I inc": "-I inc", "-Xcicc=-O1,-foo -O3": "-Xcicc -foo -O3",
		"-Ofc max --Ofast-compile=min -fmad=false": "-fmad=false", "-Xcicc": "-Xcicc", "--maxrregcount 32": "--maxrregcount 32",
	} {
		assert.Equal(t, want, strings.Join(unoptimized(strings.Fields(flags)), " "), flags)
	}
}

func TestLaunchHint(t *testing.T) {
	assert.Contains(t, launchHint("kernel launch from __device__ or __global__ functions requires separate compilation mode").Text, "is not linked by cudagen")
	assert.Empty(t, launchHint("kernel launch of something else").Text)
}
