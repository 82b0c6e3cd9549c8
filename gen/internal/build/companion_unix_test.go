//go:build unix

package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
)

// launched is the real nvcc, which is run by a shell script: onDebug is what that does
// instead when debug information is asked for. The NVRTC beside nvcc is its companion.
func launched(t *testing.T, onDebug string) func() (compile.Compiler, error) {
	t.Helper()
	testenv.Need(t, testenv.NVCC, testenv.NVRTC)
	launcher := gentest.Write(t, "launcher", "#!/bin/sh\ncase \" $* \" in *' -G '*)\n"+onDebug+"\nesac\nexec \"$@\"\n")
	require.NoError(t, os.Chmod(launcher, 0o755))
	c, err := compile.Find("nvcc", func(name string) string {
		if name == "NVCC" {
			return launcher + " " + testenv.NVCCPath(t)
		}
		return os.Getenv(name)
	})
	require.NoError(t, err)
	require.NotNil(t, compile.Companion(t.Context(), c), "NVRTC has to be of the toolkit of nvcc")
	return func() (compile.Compiler, error) { return c, nil }
}

// What nvcc does instead of compiling with debug information.
const (
	compiles = ""
	crashes  = "echo 'nvcc: out of heart'; exit 3;;"
	refuses  = "echo 'k.cu(2): error: not with -G' >&2; exit 1;;"
)

// twofoldSource has a struct that is another one for NVRTC.
const twofoldSource = `struct Trio {
  char a;
#ifdef __CUDACC_RTC__
  alignas(2)
#endif
  char b;
  float c;
};
extern "C" __global__ void step(Trio t, float *x) { x[0] = t.a + t.b + t.c; }
`

// TestCompanionDisagrees: the companion has no last word while the compiler itself can be
// asked, and has it otherwise.
func TestCompanionDisagrees(t *testing.T) {
	for _, test := range []struct {
		name, onDebug string
		want          []string // in the error; none when the compiler answers
	}{
		{"the compiler answers", compiles, nil},
		{"the compiler crashes", crashes, []string{"exit status 3; nvcc: out of heart"}},
		{"the compiler refuses", refuses, []string{"k.cu:2: not with -G"}},
		{"the compiler refuses the questions", "case \" $* \" in *' -include '*) echo 'k.cu(2): error: what' >&2; exit 1;; esac;;", []string{"k.cu:2: what"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", twofoldSource)
			result, err := gen.Generate(t.Context(), gentest.Options(path, launched(t, test.onDebug)))
			if test.want == nil {
				require.NoError(t, err)
				assert.Empty(t, result.Warnings)
				r, err := gen.ReadRecord(path)
				require.NoError(t, err)
				assert.Equal(t, []string{record.Source, record.PTX, record.Debug, record.Probe}, r.Kernels[0].Params[0].Witnesses)
				return
			}
			var list diag.List
			require.ErrorAs(t, err, &list)
			var all strings.Builder
			diag.Print(&all, list)
			for _, want := range append(test.want,
				"k.cu:9:28: step: parameter 0 (t), field b: offset is 1 by the source and 2 by the compiler",
				"k.cu:9:28: step: nvrtc ", " disagrees with the source, and the compiler itself cannot be asked: ") {
				assert.Contains(t, all.String(), want)
			}
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
		})
	}
}

// TestCompanionKnowsTooLittle: where the compiler itself does then not answer either, there is
// a warning, and what the companion said of other kernels stands.
func TestCompanionKnowsTooLittle(t *testing.T) {
	// In another namespace the companion's kernel is another one.
	const source = `template <class T, class U> __device__ auto add(T a, U b) { return a + b; } template <class T> struct Wide { decltype(add(T(), 1L)) v; };
#ifdef __CUDACC_RTC__
inline namespace rtc {
#endif
__global__ void moved(Wide<int> w, long *p) { p[0] = w.v; }
#ifdef __CUDACC_RTC__
}
#endif
extern "C" __global__ void plain(int n, float *x) { x[0] = n; }
`
	for _, test := range []struct {
		name, onDebug string
		kernels       int
		warning       string
	}{
		{"the compiler answers", compiles, 2, ""},
		{"the compiler crashes", crashes, 1, "exit status 3\nnvcc: out of heart"},
		{"the compiler refuses", refuses, 1, "k.cu:2: not with -G"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", source)
			o := gentest.Options(path, launched(t, test.onDebug))
			o.KeepGoing = true
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			assert.Equal(t, test.kernels, result.Files[0].Kernels)
			r, err := gen.ReadRecord(path)
			require.NoError(t, err)
			plain := r.Kernels[len(r.Kernels)-1]
			assert.Equal(t, "plain", plain.Name)
			assert.Equal(t, []string{record.Source, record.PTX, record.Debug, record.Probe}, plain.Params[0].Witnesses)
			if test.warning == "" {
				assert.Empty(t, result.Warnings)
				return
			}
			require.Len(t, result.Warnings, 1)
			assert.Regexp(t, `k\.cu: only nvrtc [\d.]+ confirms fields and kinds, because the compiler itself fails: `, result.Warnings[0].Error())
			assert.Contains(t, result.Warnings[0].Message.Error(), test.warning)
		})
	}
}

// TestCompanionAgreesByMistake: what a macro decides that NVRTC lacks, as cudagen does, is
// nvcc's alone to say. A macro of the source is nobody else's.
func TestCompanionAgreesByMistake(t *testing.T) {
	const body = `struct Pair {
#ifdef %s
  int a; float b;
#else
  float b; int a;
#endif
};
extern "C" __global__ void step(Pair p, float *x) { x[0] = p.a + p.b; }
`
	for _, test := range []struct{ name, source, want, warning string }{
		{"the C library's", fmt.Sprintf(body, "_FEATURES_H"), "step: parameter 0 (p), field a: kind is signed integer by the source and float by the compiler", ""},
		{"the host compiler's", fmt.Sprintf(body, "__SEG_FS"), "step: parameter 0 (p): name of field 0 is b by the source and a by the compiler", ""},
		{"a default value", "#ifndef BUFSIZ\n#define BUFSIZ 4\n#endif\nstruct Line { char text[BUFSIZ]; };\nextern \"C\" __global__ void step(const Line *in, char *x) { x[0] = in->text[0]; }\n",
			"step: parameter 0 (in), what it points at: size is 4 by the source and 8192 by the compiler", ""},
		{"defined again by a header", "#define MAXSYMLINKS 4\n#ifndef __CUDACC_RTC__\n#include <sys/param.h>\n#endif\nstruct Line { char text[MAXSYMLINKS]; };\nextern \"C\" __global__ void step(const Line *in, char *x) { x[0] = in->text[0]; }\n",
			"step: parameter 0 (in), what it points at: size is 4 by the source and 20 by the compiler", ""},
		{"a header that does not", "#define SIDE 4\n#include <limits.h>\nstruct Line { char text[SIDE]; };\nextern \"C\" __global__ void step(const Line *in, char *x) { x[0] = in->text[0]; }\n", "", ""},
		{"nobody's", fmt.Sprintf(body, "NONE"), "", ""},
		{"a default value of its own", "#ifndef SIDE\n#define SIDE 4\n#endif\nstruct Line { char text[SIDE]; };\nextern \"C\" __global__ void step(const Line *in, char *x) { x[0] = in->text[0]; }\n", "", ""},
		{"the host compiler's, and nothing depends on it", "#ifdef __SEG_FS\n#endif\n" + fmt.Sprintf(body, "NONE"), "struct Pair: only the source states it, and nothing confirms it: the compiler fails when asked for types: ", "nvcc: out of heart"},
		{"the host compiler's, and nothing that needs proof depends on it", "#ifdef __SEG_FS\n#endif\n" + gentest.PlainSource, "", "nvcc: out of heart"},
		{"the source's own", "#define OWN\n" + fmt.Sprintf(body, "OWN"), "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			onDebug := compiles
			if test.want == "" || test.warning != "" {
				onDebug = crashes // so that a warning says who answers
			}
			path := gentest.Write(t, "k.cu", test.source)
			result, err := gen.Generate(t.Context(), gentest.Options(path, launched(t, onDebug)))
			if test.want != "" {
				require.Error(t, err)
				var all strings.Builder
				diag.Print(&all, err)
				assert.Contains(t, all.String(), test.want)
				assert.Contains(t, all.String(), test.warning)
				return
			}
			require.NoError(t, err)
			if test.warning == "" {
				assert.Empty(t, result.Warnings)
				return
			}
			require.Len(t, result.Warnings, 1)
			assert.Contains(t, result.Warnings[0].Message.Error(), test.warning)
		})
	}
}

// TestCompanionSaysNoHeaders: the headers that nvcc has read must be inputs, whether it is
// asked or its companion, which does not name any.
func TestCompanionSaysNoHeaders(t *testing.T) {
	for _, test := range []struct{ name, macro, want string }{
		{"only nvcc knows the macro", "__SEG_FS", "the compiler reads hidden.h, but cudagen does not find what includes it"},
		{"nobody knows the macro", "NONE", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{
				"hidden.h": "\n",
				"k.cu":     "#ifdef " + test.macro + "\n#define HEADER \"hidden.h\"\n#include HEADER\n#endif\n" + twofoldSource,
			})
			_, err := gen.Generate(t.Context(), gentest.Options(filepath.Join(dir, "k.cu"), launched(t, compiles)))
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// TestCompanionIsLeftOut: compiler flags are for the compiler itself, and so are the commands that are shown.
func TestCompanionIsLeftOut(t *testing.T) {
	for _, test := range []struct {
		name      string
		flags     []string
		dryRun    bool
		companion bool
	}{
		{"as always", nil, false, true},
		{"compiler flags", []string{"--fmad=false"}, false, false},
		{"commands are shown", nil, true, false},
		{"both", []string{"--fmad=false"}, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := gentest.Options(gentest.Write(t, "k.cu", gentest.PlainSource), launched(t, compiles))
			o.CompilerFlags, o.DryRun = test.flags, test.dryRun
			ran := map[string]bool{}
			o.Trace = func(command []string) { ran[filepath.Base(command[0])] = true }
			_, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			assert.Equal(t, test.companion, ran["nvrtc"], "%v", ran)
			assert.True(t, ran["launcher"], "%v", ran)
		})
	}
}
