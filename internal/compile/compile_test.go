package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

// unnamed has everything that is named by a hash of the path: unnamed namespaces in
// names and types, inlined functions in line information, and files in .file.
const unnamed = `#include "inc/vec.h"
namespace { struct A { int x; }; __device__ int counter;
__global__ void inner(float *p, A a) { p[0] = a.x + atomicAdd(&counter, 1) + twice(a.x); } }
template <class T> __global__ void generic(T t, float *p) { p[0] = t.x; }
template __global__ void generic<A>(A, float *);
`

// exported gives the unit a symbol that others see; without it nvcc names the unit by a process id.
const exported = unnamed + `extern "C" __global__ void outer(int *p) { p[0] = __shfl_down_sync(~0u, min(p[1], p[2]), 3); }
`

const vecHeader = "static __device__ __noinline__ int twice(int a) { return 2 * a; }\n"

// write makes a folder of files below the test's own; names are slash-separated.
func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), filepath.FromSlash(dir))
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func findNVCC(t *testing.T) Compiler {
	t.Helper()
	testenv.Need(t, testenv.NVCC)
	c, err := FindNVCC(os.Getenv)
	require.NoError(t, err)
	return c
}

// emptyTemp points temporary files to a folder of the test, which must be empty in the end.
func emptyTemp(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		assert.NoError(t, err)
		assert.Empty(t, left, "temporary files left behind")
	})
}

// compileOuter compiles exported in a folder root, and demands what every compiler makes
// of it and says of itself.
func compileOuter(t *testing.T, c Compiler, name string, flags ...string) (out *Output, root string) {
	t.Helper()
	assert.Equal(t, name, c.Name())
	version, err := c.Version(t.Context())
	require.NoError(t, err)
	assert.Regexp(t, `^\d+\.\d+\.\d+$`, version)
	root = write(t, "module", map[string]string{"kernels/outer.cu": exported, "kernels/inc/vec.h": vecHeader})
	out, err = c.Compile(t.Context(), Request{
		Source:   filepath.Join(root, "kernels", "outer.cu"),
		Dir:      root,
		Arch:     "compute_75",
		Flags:    append([]string{"-I" + filepath.Join(root, "include"), "-DN=1"}, flags...),
		LineInfo: true,
	})
	require.NoError(t, err)
	assert.Equal(t, "compute_75", out.Arch)
	assert.Equal(t, name+" "+version, out.Compiler)
	assert.True(t, out.Reproducible)
	assert.Contains(t, string(out.Code), ".target sm_75\n")
	assert.Contains(t, string(out.Code), ".visible .entry outer(")
	assert.NotContains(t, string(out.Code), root)
	return out, root
}

func TestNVCC(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	out, _ := compileOuter(t, c, "nvcc")
	assert.Contains(t, string(out.Code), "// Compiler Build ID: ")
	assert.Equal(t, []string{"kernels/inc/vec.h", "kernels/outer.cu",
		"cuda/include/sm_30_intrinsics.hpp", "cuda/include/device_atomic_functions.hpp"}, fileNames(out.Code))
	assert.Equal(t, []string{"nvcc", "-ptx", "-arch", "compute_75", "-lineinfo", "-Iinclude", "-DN=1",
		"-o", "kernels/outer.ptx", "kernels/outer.cu"}, out.Command)
}

func TestEveryFolderGivesTheSamePTX(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	for _, tt := range []struct {
		name, source string
		flags        []string
	}{
		{"unit with an exported symbol", exported, nil},
		{"unit that exports nothing", unnamed, nil},
		{"relocatable code", unnamed, []string{"-rdc=true"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rewritten, raw [2]string
			for i, folder := range []string{"a", "wide folder/étage/it's here"} {
				root := write(t, folder, map[string]string{"k.cu": tt.source, "inc/vec.h": vecHeader})
				t.Chdir(root)
				source := []string{"k.cu", filepath.Join(root, "k.cu")}[i]
				out, err := c.Compile(t.Context(), Request{Source: source, Arch: "compute_75", Flags: tt.flags, LineInfo: true})
				require.NoError(t, err)
				rewritten[i] = string(out.Code)

				log, err := c.(*nvcc).run(t.Context(), root, "", append([]string{"-ptx", "-arch", "compute_75", "-lineinfo", "k.cu", "-o", "raw.ptx"}, tt.flags...))
				require.NoError(t, err, log)
				text, err := os.ReadFile("raw.ptx")
				require.NoError(t, err)
				raw[i] = string(text)
			}
			assert.Equal(t, rewritten[0], rewritten[1])
			assert.Contains(t, rewritten[0], "_GLOBAL__N__")
			assert.NotEqual(t, raw[0], raw[1], "without rewriting, folders must differ: otherwise this test shows nothing")
		})
	}
}

// The rewritten PTX must still be a program: every name and length in it agrees.
func TestRewrittenPTXAssembles(t *testing.T) {
	c := findNVCC(t)
	ptxas := filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas")
	if _, ok := executable(ptxas); !ok {
		t.Fatalf("no ptxas beside nvcc")
	}
	for name, source := range map[string]string{"exported": exported, "unnamed": unnamed} {
		t.Run(name, func(t *testing.T) {
			root := write(t, "é 'x", map[string]string{"é k.cu": source, "inc/vec.h": vecHeader})
			out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "é k.cu"), Arch: "compute_75", LineInfo: true})
			require.NoError(t, err)
			path := filepath.Join(root, "k.ptx")
			require.NoError(t, os.WriteFile(path, out.Code, 0o644))
			assembler := newNVCC([]string{ptxas}, "beside nvcc", os.Getenv)
			log, err := assembler.run(t.Context(), root, "", []string{"-arch", "sm_75", "-lineinfo", "-o", "k.cubin", path})
			assert.NoError(t, err, log)
		})
	}
}

func TestFoldersOtherThanTheSources(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k/k.cu": exported, "k/inc/vec.h": vecHeader, "elsewhere/x": ""})
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	for _, tt := range []struct{ name, source, dir, want string }{
		{"through a link", filepath.Join(link, "k", "k.cu"), link, "k/k.cu"},
		{"source through a link, folder not", filepath.Join(link, "k", "k.cu"), root, "k/k.cu"},
		{"folder through a link, source not", filepath.Join(root, "k", "k.cu"), link, "k/k.cu"},
		{"source outside", filepath.Join(root, "k", "k.cu"), filepath.Join(root, "elsewhere"), "k.cu"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := c.Compile(t.Context(), Request{Source: tt.source, Dir: tt.dir, Arch: "compute_75", LineInfo: true})
			require.NoError(t, err)
			assert.Contains(t, fileNames(out.Code), tt.want)
			assert.Equal(t, tt.want, out.Command[len(out.Command)-1])
			assert.NotContains(t, string(out.Code), root)
		})
	}
}

func TestDebugInformationIsLeftAlone(t *testing.T) {
	c := findNVCC(t)
	root := write(t, "m", map[string]string{"k.cu": exported, "inc/vec.h": vecHeader})
	out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Flags: []string{"-G"}})
	require.NoError(t, err)
	assert.False(t, out.Reproducible)
	assert.Contains(t, string(out.Code), root)
}

func TestMessagesHaveTheUsersPositions(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{
		"k/bad.cu":    "#include \"inc/bad.h\"\n__global__ void k(int *p) {\n  p[0] = q; int unused; }\n",
		"k/inc/bad.h": "int x = y;\n",
		"k/gone.cu":   "#include \"gone.h\"\n",
		"k/warn.cu":   "__global__ void k(int *p) {\n  int unused; }\n",
	})
	t.Chdir(root)
	compile := func(source string) (*Output, error) {
		return c.Compile(t.Context(), Request{Source: source, Dir: root, Arch: "compute_75"})
	}

	_, err := compile(filepath.Join("k", "bad.cu"))
	var list diag.List
	require.True(t, errors.As(err, &list), "%v", err)
	assert.Equal(t, diag.List{
		{Pos: token.Position{Filename: filepath.Join("k", "bad.cu"), Line: 3, Column: 10}, Message: diag.OfCompiler.New(`identifier "q" is undefined`)},
		{Pos: token.Position{Filename: filepath.Join("k", "inc", "bad.h"), Line: 1, Column: 9}, Message: diag.OfCompiler.New(`identifier "y" is undefined`)},
	}, list)

	_, err = compile(filepath.Join(root, "k", "gone.cu"))
	require.True(t, errors.As(err, &list), "%v", err)
	assert.Equal(t, token.Position{Filename: filepath.Join(root, "k", "gone.cu"), Line: 1, Column: 10}, list[0].Pos)
	assert.Contains(t, list[0].Message.Error(), "gone.h: No such file")

	out, err := compile(filepath.Join("k", "warn.cu"))
	require.NoError(t, err)
	require.Len(t, out.Warnings, 1)
	assert.Equal(t, token.Position{Filename: filepath.Join("k", "warn.cu"), Line: 2, Column: 7}, out.Warnings[0].Pos)
}

func TestHostCompilerMissing(t *testing.T) {
	found := findNVCC(t).(*nvcc)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k.cu": exported})
	noPath := func(name string) string {
		if name == "PATH" {
			return t.TempDir()
		}
		return os.Getenv(name)
	}
	c := newNVCC(found.words, found.origin, noPath)
	_, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75"})
	var missing *HostCompilerError
	require.True(t, errors.As(err, &missing), "%v", err)
	assert.Contains(t, err.Error(), "install g++, name one with -ccbin, or use -compiler nvrtc")
	assert.Equal(t, diag.NoHostCompiler, diag.CodeOf(err))
}

func TestBadFlagIsTheCompilersError(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k.cu": "__global__ void k() {}\n"})
	_, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Flags: []string{"--frobnicate"}})
	var failed *FailedError
	require.True(t, errors.As(err, &failed), "%v", err)
	assert.Contains(t, err.Error(), "Unknown option '--frobnicate'")
}

func TestBadRequests(t *testing.T) {
	c := newNVCC([]string{filepath.Join(t.TempDir(), "nvcc")}, "the test", os.Getenv)
	root := write(t, "m", map[string]string{"k.cu": ""})
	source := filepath.Join(root, "k.cu")
	for _, tt := range []struct {
		name string
		req  Request
		want string
	}{
		{"no source", Request{Source: filepath.Join(root, "none.cu"), Arch: "compute_75"}, "none.cu"},
		{"a folder", Request{Source: root, Arch: "compute_75"}, "not a file"},
		{"no architecture", Request{Source: source}, `architecture ""`},
		{"unknown architecture", Request{Source: source, Arch: "sm90"}, `"sm90": write compute_XX`},
		{"no compiler", Request{Source: source, Arch: "compute_75"}, "asking for its version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.Compile(t.Context(), tt.req)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	_, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "none.cu"), Arch: "compute_75"})
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ archs, ptx, machine, err string }{
		{archs: "compute_75", ptx: "compute_75"},
		{archs: "compute_120 compute_90 compute_100", err: "compute_120 and compute_90: there is one PTX, which newer GPUs run, too: name compute_90 alone"},
		{archs: "compute_90 compute_90a", err: "name compute_90 alone"},
		{archs: "compute_90 compute_90", ptx: "compute_90"},
		{archs: "sm_80 compute_90", ptx: "compute_90", machine: "sm_80"},
		{archs: "compute_100f", ptx: "compute_100f"},
		{archs: "compute_75 sm_90 sm_80 sm_90", ptx: "compute_75", machine: "sm_90 sm_80"},
		{archs: "sm_90a sm_80", ptx: "compute_80", machine: "sm_90a sm_80"},
		{archs: "", err: "no architecture"},
		{archs: "compute_7x", err: `"compute_7x": write compute_XX`},
		{archs: "native", err: "write compute_XX"},
	} {
		t.Run(tt.archs, func(t *testing.T) {
			ptx, machine, err := Split(strings.Fields(tt.archs))
			if tt.err != "" {
				assert.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.ptx, ptx)
			assert.Equal(t, strings.TrimRight(tt.ptx, "f"), fmt.Sprint("compute_", OfPTX(append(strings.Fields(tt.archs), "native"))))
			assert.Equal(t, tt.machine, strings.Join(machine, " "))
		})
	}
}

func TestMachineCodeIsTheSameInEveryFolder(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	var cubins [2]string
	for i, folder := range []string{"a", "wide folder/étage/it's here"} {
		root := write(t, folder, map[string]string{"k.cu": unnamed, "inc/vec.h": vecHeader})
		out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "sm_90", LineInfo: true, Flags: []string{"-I" + root, "-Xptxas", "-O1", "-std=c++17"}})
		require.NoError(t, err)
		assert.Equal(t, "sm_90", out.Arch)
		cubins[i] = string(out.Code)
	}
	assert.True(t, isELF([]byte(cubins[0])))
	assert.False(t, isELF([]byte(cubins[0][:len(cubins[0])-1])))
	assert.Equal(t, cubins[0], cubins[1])
}

// The suffix sees what the source declares; the source sees the same names of files as
// when it is compiled alone.
func TestSuffix(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "étage 1", map[string]string{
		"k/k.cu": `#include "inc/vec.h"
template <class T> __global__ void scale(T *p) { p[0] = sizeof(__FILE__) + twice(__LINE__); }
`, "k/inc/vec.h": vecHeader})
	req := Request{Source: filepath.Join(root, "k", "k.cu"), Dir: root, Arch: "compute_75", LineInfo: true,
		Suffix: "#line 7 \"k/k.cu\"\ntemplate __global__ decltype(scale<float>) scale<float>;\n"}
	out, err := c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.Contains(t, string(out.Code), ".entry _Z5scaleIfEvPT_(")
	assert.Contains(t, string(out.Code), `"k/k.cu"`)
	assert.NotContains(t, string(out.Code), "cudagen-", "temporary names")

	req.Suffix = strings.Replace(req.Suffix, "scale<float>;", "scal<float>;", 1)
	_, err = c.Compile(t.Context(), req)
	var list diag.List
	require.ErrorAs(t, err, &list)
	assert.Equal(t, filepath.Join(root, "k", "k.cu"), list[0].Pos.Filename)
	assert.Equal(t, 7, list[0].Pos.Line)
}

func TestDebug(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m #1$", map[string]string{"k.cu": exported + "#ifdef __CUDACC_DEBUG__\n#error debug\n#endif\n", "inc/vec.h": vecHeader})
	out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Debug: true, Suffix: "int unused;\n"})
	require.NoError(t, err)
	assert.Contains(t, string(out.Code), ".debug_info")
	assert.Contains(t, out.Includes, filepath.Join(root, "inc", "vec.h"))
	assert.NotContains(t, out.Includes, filepath.Join(root, "k.cu"))
}

// TestIncludes: what is included is told, and a #line is not a file.
func TestIncludes(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m #1$", map[string]string{
		"k.cu":          "#include \"inc/empty ü.h\"\n#line 3 \"made.tmpl\"\n" + exported,
		"inc/vec.h":     vecHeader,
		"inc/empty ü.h": "", "made.tmpl": "",
	})
	for _, suffix := range []string{"", "int unused;\n"} {
		out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Suffix: suffix})
		require.NoError(t, err)
		own := slices.DeleteFunc(out.Includes, func(path string) bool { return !strings.HasPrefix(path, root) })
		assert.Equal(t, []string{filepath.Join(root, "inc", "empty ü.h"), filepath.Join(root, "inc", "vec.h")}, own)
	}
}

func TestBegun(t *testing.T) {
	assert.Equal(t, []string{"k.cu", "/usr/a.h", `b"\.h`, "ü.h"}, begun([]byte(`# 0 "k.cu"
# 0 "<built-in>"
# 1 "k.cu" 1
# 1 "/usr/a.h" 1 3 4
int a; // # 1 "no.h" 1
# 2 "k.cu" 2
# 1 "b\"\\.h" 1
# 7 "line.h"
#pragma once
# 1 "\303\274.h" 1
`)))
}

func TestPrerequisites(t *testing.T) {
	assert.Equal(t, []string{"a b.h", "c#.h", "$d.h", "/e/f.h"},
		prerequisites("out.ptx : a\\ b.h c\\#.h \\\n    $$d.h \\\r\n /e/f.h\n\nother : g.h\n"))
	assert.Empty(t, prerequisites("out:"))
}

func TestTraceAndDryRun(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k.cu": exported, "inc/vec.h": vecHeader})
	var commands []string
	req := Request{Source: filepath.Join(root, "k.cu"), Arch: "sm_80", Trace: func(command []string) { commands = append(commands, strings.Join(command, " ")) }}
	_, err := c.Compile(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, commands, 2)
	assert.Contains(t, commands[0], "nvcc -ptx -arch compute_80 -o ")
	assert.Contains(t, commands[1], "nvcc -cubin -arch sm_80 -o out.cubin in.ptx")
	req.DryRun, commands = true, nil
	_, err = c.Compile(t.Context(), req)
	assert.ErrorIs(t, err, ErrNotRun)
	assert.Len(t, commands, 1)
}

func TestCancelledBeforeStarting(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k.cu": exported})
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := c.Compile(ctx, Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75"})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// ptxas reads several modules as one program, and holds each to its own .version.
func TestAssemblesTogether(t *testing.T) {
	path := Ptxas(os.Getenv)
	if path == "" {
		testenv.Need(t, testenv.NVCC)
	}
	module := func(name, version, instruction string) []byte {
		return fmt.Appendf(nil, `.version %s
.target sm_75
.address_size 64
.visible .entry %s() {
	.reg .b32 %%r<3>;
	.loc	1 33 3
	.loc	2 2 3, function_name $L__info_string0, inlined_at 1 33 3
	%s
	ret;
}
	.file	1 "%[2]s.cu"
	.file	2 "inlined.h"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,0
	}
`, version, name, instruction)
	}
	const newer = "szext.wrap.u32 %r1, %r1, 3;" // PTX ISA 7.6
	a, b, c := module("a", "7.6", newer), module("b", "7.2", ""), module("c", "8.0", "mov.u32 %r1, 3;")
	together := func(texts ...[]byte) error { return Assembles(t.Context(), path, os.Getenv, texts, "sm_75") }
	require.NoError(t, together(a))
	require.NoError(t, together(a, b, c))
	require.NoError(t, together(c, b, a))
	old, again := module("old", "7.5", newer), module("a", "7.5", newer)
	for _, lot := range [][][]byte{{old}, {old, a}, {a, old}, {c, old, b}, {a, again}} {
		assert.ErrorContains(t, together(lot...), "requires PTX ISA .version 7.6")
	}
	b = bytes.Replace(b, []byte(".visible"), []byte(".global .b32 a;\n.visible"), 1)
	require.NoError(t, together(b))
	assert.Error(t, together(a, b), "two things of one name")
}
