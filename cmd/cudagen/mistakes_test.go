package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Natural mistakes, each with what the answer must say: what is wrong, where, and what to do. No
// compiler is needed to find them.
func TestMistakes(t *testing.T) {
	const k = `extern "C" __global__ void k(int n, float *x) {}` + "\n"
	for _, tt := range []struct {
		name   string
		source string // of k.cu; none if empty
		args   string
		env    string // NAME=value
		want   []string
	}{
		{"no argument", "", "", "", []string{"name a .cu file, a folder or ./...", "see cudagen -h"}},
		{"a command is misspelled", "", "docter", "", []string{"there is no command, file or folder docter", "did you mean doctor?"}},
		{"a file without its end", k, "kernels", "", []string{"there is no command, file or folder kernels"}},
		{"a file that is not there", "", "missing.cu", "", []string{"missing.cu: there is no such file"}},
		{"a folder without a kernel", "", ".", "", []string{".: there is no .cu file"}},
		{"the wrong kind of file", "", "k.go", "", []string{"k.go: is not a .cu file"}},
		{"a flag is misspelled", k, "-archs sm_90 k.cu", "", []string{"-archs", "did you mean -arch?"}},
		{"a flag of GNU style", k, "k.cu --check=perhaps", "", []string{"invalid boolean value", "check"}},
		{"a flag without a value", k, "k.cu -arch", "", []string{"flag needs an argument: -arch"}},
		{"a variable is misspelled", k, "version", "CUDAGEN_ARHC=sm_90", []string{"there is no variable CUDAGEN_ARHC", "did you mean CUDAGEN_ARCH?"}},
		{"a variable has no truth value", k, "k.cu", "CUDAGEN_FORCE=perhaps", []string{"CUDAGEN_FORCE=perhaps: want true or false"}},
		{"an architecture is misspelled", k, "-check -arch 90 k.cu", "", []string{`"90"`, "compute_75"}},
		{"no architecture", k, "-arch , k.cu", "", []string{"-arch names no target: use compute_75"}},
		{"an unknown compiler", k, "-compiler gcc k.cu", "", []string{`unknown compiler "gcc": choose one of nvcc, nvrtc, clang`}},
		{"-o names no Go file", k, "-o k.txt k.cu", "", []string{"-o k.txt: is not the name of a Go file"}},
		{"-name for several files", k, "-name K k.cu l.cu", "", []string{"-o and -name are for a single source, and there are 2"}},
		{"no kernel", "int x;\n", "-check k.cu", "", []string{"k.cu:1:1: there is no kernel"}},
		{"a kernel that is only declared", "extern \"C\" __global__ void k(int n);\n", "-check k.cu", "", []string{"k.cu:1:1: there is no kernel", "k is declared in line 1 but not defined: include the file that has it"}},
		{"a brace is missing", `extern "C" __global__ void k(int n) { if (n) {` + "\n", "-check k.cu", "", []string{"k.cu:1:", "is not closed"}},
		{"an #endif too many", k + "#endif\n", "-check k.cu", "", []string{"k.cu:2:1: #endif without #if"}},
		{"a kernel that returns int", "__global__ int k(int n) {}\n//cudagen:kernle\n", "-check k.cu", "", []string{"k.cu:1:", "a kernel returns void"}},
		{"a type is unknown", strings.Replace(k, "int", "index_t", 1) + "//cudagen:blok 1\n__global__ void l(int n) {}\n", "-check k.cu", "", []string{"parameter n has unknown type index_t", "include its header"}},
		{"a directive is misspelled", "//cudagen:blok 256\n" + k, "-check k.cu", "", []string{`k.cu:1:1: unknown directive "blok" (did you mean block?)`}},
		{"a directive with a blank", "//cudagen:kernel\n// cudagen:block 256\n" + k, "-check k.cu", "", []string{"looks like a directive but is not one", "without blanks"}},
		{"a directive without a colon", "//cudagen kernel\n" + k, "-check k.cu", "", []string{`k: the comment "cudagen kernel" above it looks like a directive but is not one: write //cudagen:verb`}},
		{"a directive with a minus", "//cudagen-block 256\n" + k, "-check k.cu", "", []string{`k: the comment "cudagen-block 256" above it looks like a directive but is not one`}},
		{"a directive on nothing", k + "//cudagen:block 256\nint x;\n", "-check k.cu", "", []string{"k.cu:2:1: directive block is not attached to a declaration", "such as k in line 1"}},
		{"block without threads", "//cudagen:block 256\n" + k, "-check k.cu", "", []string{"block needs threads or grid: add //cudagen:threads"}},
		{"threads without block", "//cudagen:threads n\n" + k, "-check k.cu", "", []string{"needs a block: add //cudagen:block"}},
		{"a block that is too large", "//cudagen:block 2048\n//cudagen:threads n\n" + k, "-check k.cu", "", []string{"a block has from 1 to 1024 threads, not 2048"}},
		{"a parameter is misspelled", "//cudagen:len y=n\n" + k, "-check k.cu", "", []string{"there is no parameter y"}},
		{"len of a number", "//cudagen:len n=4\n" + k, "-check k.cu", "", []string{"len needs a pointer, but parameter n is not a pointer"}},
		{"infer of a pointer", "//cudagen:infer x=len(x)\n" + k, "-check k.cu", "", []string{"infer needs an integer, but parameter x is not an integer"}},
		{"C++ in an expression", "//cudagen:block 32\n//cudagen:threads n ? 1 : 2\n" + k, "-check k.cu", "", []string{"k.cu:2:", "Go expression"}},
		{"a Go name in lower case", "//cudagen:kernel saxpy\n" + k, "-check k.cu", "", []string{"saxpy is not an exported Go name: write //cudagen:kernel K"}},
		{"kernel and ignore", "//cudagen:kernel\n//cudagen:ignore\n" + k, "-check k.cu", "", []string{"both exported and ignored: keep one"}},
		{"a template without instances", "//cudagen:kernel\ntemplate <class T> __global__ void k(T x) {}\n", "-check k.cu", "", []string{"is a template: add above it", "//cudagen:instantiate T=float"}},
		{"output is missing", k, "-check k.cu", "", []string{"k.ptx is stale: k.cudagen.json is missing", "cudagen: run cudagen k.cu"}},
		{"__global__ is misspelled", `extern "C" _global_ void k(int n) {}` + "\n", "-check k.cu", "", []string{"k.cu:1:1: there is no kernel", "write __global__ in place of _global_ in line 1"}},
		{"a parenthesis is missing", `extern "C" __global__ void k(int n, float *x { x[0] = n; }` + "\n", "-check k.cu", "", []string{"k.cu:1:29: ( is not closed"}},
		{"a directive as a pragma", "#pragma cudagen block 256\n" + k, "-check k.cu", "", []string{"k.cu:1:9: #pragma cudagen looks like a directive but is not one: write //cudagen:verb"}},
		{"a directive without a comment", "#cudagen:block 256\n" + k, "-check k.cu", "", []string{"k.cu:1:2: #cudagen looks like a directive but is not one: write //cudagen:verb"}},
		{"a directive on a device function", "//cudagen:kernel\n" + `extern "C" __device__ void k(int n) {}` + "\n", "-check k.cu", "", []string{"k.cu:1:1: directive kernel is not attached to a declaration: k in line 2 is not a kernel: write __global__ in front of it"}},
		{"a flag of the compiler", k, "-O3 k.cu", "", []string{"-O3: give flags of the compiler behind --, as in cudagen kernels.cu -- -O3"}},
		{"a library for the linker", k, "k.cu -lcublas", "", []string{"-lcublas: give flags of the compiler behind --"}},
		{"architectures with a semicolon", k, "-arch sm_80;sm_90 k.cu", "", []string{`"sm_80;sm_90": write compute_XX for PTX or sm_XX for machine code`}},
		{"a standard that is not there", k, "-std c++42 k.cu", "", []string{"-std c++42 is not known here: give c++11, c++14, c++17 or c++20"}},
		{"a standard without a language", k, "-std 17 k.cu", "", []string{"-std 17 is not known here: give c++11, c++14, c++17 or c++20"}},
		{"a macro of a wrong name", k, "-D 1X k.cu", "", []string{"-D 1X does not begin with the name of a macro: give -D NAME or -D NAME=value"}},
		{"a semicolon behind a struct", "struct P { float x; }\n__global__ void k(P p) {}\n", "k.cu", "", []string{"k.cu:1:21: a ; is missing behind this }"}},
		{"a semicolon behind a constant", "constexpr int N = 4\n__global__ void k(int n) {}\n", "k.cu", "", []string{"k.cu:1:19: a ; is missing behind this 4"}},
		{"a folder of headers that is not there", k, "-check -I incldue k.cu", "", []string{"cudagen: warning: -I incldue: there is no such folder"}},
		{"a folder in the environment", k, "-check k.cu", "CUDAGEN_INCLUDE=nowhere", []string{"cudagen: warning: -I nowhere: there is no such folder"}},
		{"-o is a folder", k, "-o . k.cu", "", []string{"-o .: is not the name of a Go file"}},
		{"the header of a kernel file", k, "k.cuh", "", []string{"k.cuh: is not a .cu file: give the CUDA source"}},
		{"one of two files is not there", k, "k.cu l.cu", "", []string{"l.cu: there is no such file"}},
		{"completion of an unknown shell", "", "completion elvish", "", []string{"there is no completion for elvish"}},
		{"an unknown library", "", "toolchain install -with cubals", "", []string{`unknown library "cubals" (did you mean cublas?)`}},
		{"a library of another package", "", "toolchain install -with cudnn", "", []string{"cudnn does not belong to the CUDA toolkit: install its wheel, nvidia-cudnn-cu13"}},
		{"an unknown template", k, "-template builtin:mokc k.cu", "", []string{"mokc", "mock"}},
		{"a kernel in a class", "struct S { __global__ void k(int n); };\n", "-check k.cu", "", []string{"k.cu:1:", "kernel"}},
		{"an unknown topic", "", "help directive", "", []string{"there is no topic directive", "did you mean directives?"}},
		{"an unknown code", "", "explain X1", "", []string{"there is no code X1", "D101"}},
		{"toolchain without install", "", "toolchain", "", []string{"want cudagen toolchain install"}},
		{"an unknown toolchain", "", "toolchain install -version 9", "", []string{`unknown toolchain "9": choose one of 13.0.88`}},
		{"init where a program is", k, "init", "", []string{"this folder has", "nothing was written", "cudagen init FOLDER"}},
		{"a flag of a command without flags", "", "init -x", "", []string{"cudagen init: flag provided but not defined: -x (see cudagen init -h)"}},
		{"a flag of sim", "", "sim -x", "", []string{"cudagen sim: flag provided but not defined: -x"}},
		{"sim of a folder", "", "sim .", "", []string{"cudagen sim: .: is a directory"}},
		{"a folder as a template", k, "-template . k.cu", "", []string{"cudagen: .: cannot be read: is a directory"}},
		{"a template where no folder is", "", "template new gone/t", "", []string{"t.tmpl: cannot be written: "}},
		{"init where a file is", k, "init k.cu", "", []string{"k.cu: the folder cannot be made: ", "(name another folder: cudagen init FOLDER)"}},
		{"a record that is not there", k, "inspect -record k.cu", "", []string{"cudagen inspect: k.cu: there is no record of it: run cudagen k.cu first"}},
		{"a flag of help", "", "help -x", "", []string{"there is no topic -x"}},
		{"clean of nothing", "", "clean gone", "", []string{"gone: there is no such folder"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, name := range []string{"CUDAGEN_ARCH", "CUDAGEN_FORCE", "CUDAGEN_COMPILER", "GOPACKAGE", "NVCC", "CUDA_HOME", "CUDA_PATH"} {
				t.Setenv(name, "")
			}
			if name, value, found := strings.Cut(tt.env, "="); found {
				t.Setenv(name, value)
			}
			require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o644))
			require.NoError(t, os.WriteFile("k.go", []byte("package m\n"), 0o644))
			if tt.source != "" {
				require.NoError(t, os.WriteFile("k.cu", []byte(tt.source), 0o644))
			}
			if tt.name == "init where a program is" {
				require.NoError(t, os.Rename("k.cu", "kernels.cu"))
			}
			before, err := filepath.Glob("*")
			require.NoError(t, err)
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(tt.args), nil, &stdout, &stderr)
			if tt.args != "version" {
				assert.NotEqual(t, exitOK, code)
			}
			for _, want := range tt.want {
				assert.Contains(t, stderr.String(), want)
			}
			assert.NotContains(t, stderr.String(), "panic")
			after, err := filepath.Glob("*")
			require.NoError(t, err)
			assert.Equal(t, before, after, "nothing is written")
		})
	}
}
