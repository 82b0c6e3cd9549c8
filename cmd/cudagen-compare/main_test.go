package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// compiler is a stand-in for nvcc that writes the .ptx beside the source, and fails
// without one.
const compiler = `#!/bin/sh
case "$*" in
*"-I "[!/]*) exit 1 ;;
*--version*) echo "Cuda compilation tools, release 12.9, V12.9.1"; exit 0 ;;
esac
for word; do case "$word" in *.cu) source=$word ;; esac; done
while [ $# -gt 0 ]; do
	if [ "$1" = -o ]; then source=${source##*/}; cat "$PTX/${source%.cu}.ptx" > "$2" && exit 0; exit 2; fi
	shift
done
exit 1
`

func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	return dir
}

func TestRun(t *testing.T) {
	const head = ".version 6.3\n.target sm_75\n.address_size 64\n"
	dir := files(t, map[string]string{
		"nvcc":          compiler,
		"src/a.cu":      "extern \"C\" __global__ void a(int n) {}\nextern \"C\" __global__ void odd(Strange s) {}\n",
		"src/deep/b.cu": "extern \"C\" __global__ void b(int n) {}\n",
		"src/c.cu":      "extern \"C\" __global__ void c(int n) {}\n",
		"src/note.txt":  "no source",
		"a.ptx":         head + ".visible .entry a(.param .u32 p) { ret; }\n.visible .entry odd(.param .u32 p) { ret; }\n",
		"b.ptx":         head + ".visible .entry b(.param .u64 p) { ret; }\n",
	})
	t.Setenv("PTX", dir)
	env := func(name string) string { return map[string]string{"NVCC": filepath.Join(dir, "nvcc")}[name] }
	var out, errs bytes.Buffer

	assert.Equal(t, exitWrong, run(context.Background(), []string{"-j", "1", filepath.Join(dir, "src")}, env, &out, &errs))
	assert.Empty(t, errs.String())
	for _, want := range []string{
		"b.cu:1: b: wrong: b: parameter 0 (n): size is 4 by the source and 8 in the image",
		"a.cu:2: odd: refused: parameter s has unknown type Strange",
		"3 files, 2 compiled, 0 not understood\n",
		"3 kernels: 1 right, 1 wrong, 0 missed, 1 refused, 0 templates, 0 not in the image\n",
		"0 parameters of class type: 0 fields compared in 0 files; 0 more parameters have no debug information, nor has anything in 2 files\n",
		"in files that do not compile: 1 ok, 0 unsupported, 0 templates\n",
	} {
		assert.Contains(t, out.String(), want)
	}

	out.Reset()
	assert.Equal(t, exitOK, run(context.Background(), []string{"-I", "testdata", filepath.Join(dir, "src", "a.cu")}, env, &out, &errs), "%s", &errs)
	assert.Contains(t, out.String(), "1 files, 1 compiled", "-I goes to a compiler that runs elsewhere")
}

// With nvcc, fields are compared, and a relative -I means what it means for other commands.
func TestFieldsOfAFolder(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	t.Chdir(files(t, map[string]string{
		"include/pair.h": "struct Pair { char tag; union { double d; int i; }; };\n",
		"src/a.cu":       "#include \"pair.h\"\n__global__ void a(Pair p, float *o) { o[0] = p.d; }\ntemplate <class T> __global__ void t(T x) {}\n",
		"src/unused.cu":  "struct Large { double d[100]; };\n__global__ void u(Large l) {}\n",
	}))
	var out, errs bytes.Buffer
	assert.Equal(t, exitOK, run(context.Background(), []string{"-I", "include", "src"}, os.Getenv, &out, &errs), "%s%s", &out, &errs)
	assert.Contains(t, out.String(), "3 kernels: 2 right, 0 wrong, 0 missed, 0 refused, 1 templates, 0 not in the image\n")
	assert.Contains(t, out.String(), "1 parameters of class type: 3 fields compared in 2 files; 1 more parameters have no debug information, nor has anything in 0 files\n")
}

// Instances that directives ask for are compiled, as generating compiles them.
func TestInstancesOfDirectives(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	const source = "template <class T> struct Pair { T a; double b; };\n" +
		"//cudagen:instantiate T=float\ntemplate <class T> __global__ void t(Pair<T> p, float *o) { o[0] = p.a; }\n"
	t.Chdir(files(t, map[string]string{
		"src/a.cu":     source,
		"plain/a.cu":   strings.Replace(source, "//cudagen:instantiate T=float\n", "", 1),
		"refused/a.cu": strings.Replace(source, "o[0] = p.a", "p.a.none()", 1),
	}))
	for folder, want := range map[string]string{
		"src":     "2 kernels: 1 right, 0 wrong, 0 missed, 0 refused, 1 templates, 0 not in the image\n",
		"plain":   "1 kernels: 0 right, 0 wrong, 0 missed, 0 refused, 1 templates, 0 not in the image\n",
		"refused": "1 files, 0 compiled",
	} {
		var out, errs bytes.Buffer
		run(context.Background(), []string{folder}, os.Getenv, &out, &errs)
		assert.Contains(t, out.String(), want, folder)
	}
}

func TestInterrupted(t *testing.T) {
	dir := files(t, map[string]string{"nvcc": compiler, "a.cu": "__global__ void a(int n) {}\n"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	env := func(name string) string { return map[string]string{"NVCC": filepath.Join(dir, "nvcc")}[name] }
	assert.Equal(t, exitWrong, run(ctx, []string{dir}, env, &out, &errs))
	assert.Contains(t, errs.String(), "interrupted")
	assert.Contains(t, out.String(), "0 files")
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"-h"}, exitOK},
		{nil, exitUsage},
		{[]string{"-j", "0", "x"}, exitUsage},
		{[]string{"-frobnicate", "x"}, exitUsage},
	} {
		var out, errs bytes.Buffer
		assert.Equal(t, test.want, run(context.Background(), test.args, func(string) string { return "" }, &out, &errs), "%v", test.args)
		assert.Equal(t, test.want == exitOK, errs.Len() == 0, "%s", &errs)
	}
}
