package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/testenv"
)

// emptyModule makes the working folder a module that has this module as a tool, as go get -tool
// would with a released version.
func emptyModule(t *testing.T) (root string) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	requires := regexp.MustCompile(`(?s)\nrequire .*`).FindString(string(mod))
	t.Chdir(t.TempDir())
	text := "module example.com/hello\n\ngo 1.26.0\n\ntool " + commandPath + "\n\nreplace " + modulePath + " => " + root + "\n\nrequire " + modulePath + " v0.0.0\n" + requires
	require.NoError(t, os.WriteFile("go.mod", []byte(text), 0o644))
	require.NoError(t, os.WriteFile("go.sum", sums, 0o644))
	return root
}

// goFlags lets the go command complete go.mod. What the caller says besides holds, too: other flags would
// compile everything again.
func goFlags() string { return "GOFLAGS=" + os.Getenv("GOFLAGS") + " -mod=mod" }

// goOutput runs the go command and returns what it prints.
func goOutput(t *testing.T, env []string, args ...string) (string, error) {
	cmd := exec.Command(testenv.GoPath(t), args...)
	cmd.Env = append(os.Environ(), append([]string{goFlags(), "GOPROXY=off", "GOWORK=off", "GOPACKAGE="}, env...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The first program runs at once, without a compiler; so does its test. The first change of the
// kernel without a compiler is answered with the command that installs one.
func TestInit(t *testing.T) {
	testenv.Need(t, testenv.Long)
	root := emptyModule(t)
	out, err := goOutput(t, nil, "tool", "cudagen", "version")
	require.NoError(t, err, out)
	assert.Equal(t, "cudagen v0.0.0, replaced by "+root+"\n", out)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	// As go get -tool leaves it.
	tools := strings.Replace(string(mod), modulePath+" v0.0.0\n", modulePath+" v0.0.0 // indirect\n", 1)
	require.NotEqual(t, string(mod), tools)
	require.NoError(t, os.WriteFile("go.mod", []byte(tools), 0o644))
	out, err = goOutput(t, nil, "tool", "cudagen", "init")
	require.NoError(t, err, out)
	mod, err = os.ReadFile("go.mod")
	require.NoError(t, err)
	assert.False(t, indirect(parseMod(string(mod))), "the program imports it")
	assert.Contains(t, out, "cudagen: wrote kernels_cuda.go\n")
	assert.Contains(t, out, "cudagen: run it: go run .\ncudagen: change kernels.cu, and then: go generate (without a compiler, before that: go tool cudagen toolchain install)\n")

	sim := []string{"CUDAGEN_DEVICE=sim"}
	out, err = goOutput(t, sim, "run", ".")
	require.NoError(t, err, out)
	assert.Contains(t, out, "2*x + y = [12 24 36 48]\n")
	out, err = goOutput(t, sim, "test", ".")
	require.NoError(t, err, out)
	out, err = goOutput(t, nil, "vet", ".")
	require.NoError(t, err, out)

	before, err := os.ReadFile("kernels_cuda.go")
	require.NoError(t, err)
	out, err = goOutput(t, []string{"CUDAGEN_CHECK=1"}, "generate")
	require.NoError(t, err, out)
	after, err := os.ReadFile("kernels_cuda.go")
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))

	kernels, err := os.ReadFile("kernels.cu")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("kernels.cu", bytes.ReplaceAll(kernels, []byte("a * x[i] + y[i]"), []byte("a * x[i] - y[i]")), 0o644))
	out, err = goOutput(t, sim, "test", ".") // which passed before, so that the go command has its result
	require.Error(t, err, "the old kernel ran")
	assert.Contains(t, out, "kernels.cudagen.json are not those of its source: kernels.cu changed: run go generate, or undo the change")
	none := t.TempDir()
	gocache, err := goOutput(t, nil, "env", "GOCACHE")
	require.NoError(t, err)
	out, err = goOutput(t, []string{
		"CUDAGEN_COMPILER=nvcc", "CUDAGEN_CACHE=off", "NVCC=", "CUDA_HOME=", "CUDA_PATH=", "VIRTUAL_ENV=", "CUDAGEN_TOOLCHAIN_DIR=" + none,
		"GOCACHE=" + strings.TrimSpace(gocache), "PATH=" + filepath.Dir(testenv.GoPath(t)),
	}, "generate")
	if err == nil {
		t.Log("a toolkit is installed in the system's folders, so this is not tried") // which nothing hides
		return
	}
	assert.Contains(t, out, "kernels.cu: has to be compiled (kernels.cu changed): ")
	assert.Contains(t, out, "run go tool cudagen toolchain install")
}

// The files of the first program are what cudagen generates from its kernel: only then no compiler
// is needed.
func TestStarterIsCurrent(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/hello\n"), 0o644))
	s := &start{folder: ".", stderr: new(bytes.Buffer)}
	require.NoError(t, s.writeFiles())
	result, err := gen.Check(gen.Options{Sources: []string{"kernels.cu"}, Archs: []string{defaultArch}, Package: "main"})
	require.NoError(t, err)
	assert.Empty(t, result.Stale, "generate again, in a module of its own, with nvcc, and copy the PTX and the record")

	// The control: another kernel is stale.
	require.NoError(t, os.WriteFile("kernels.cu", []byte("__global__ void k(int n) {}\n"), 0o644))
	result, err = gen.Check(gen.Options{Sources: []string{"kernels.cu"}, Archs: []string{defaultArch}, Package: "main"})
	require.NoError(t, err)
	assert.NotEmpty(t, result.Stale)
}

// Nothing is overwritten, and nothing is half written.
func TestInitRefuses(t *testing.T) {
	for _, tt := range []struct{ name, file, content, want string }{
		{"a file is there", "kernels.ptx", "mine", "this folder has kernels.ptx already: nothing was written (name another folder: cudagen init FOLDER)"},
		{"another package", "x.go", "package x\n", "x.go is there already, and init writes a program of its own: nothing was written"},
		{"Go of the generated file's name", "kernels_cuda.go", "package main\n", "this folder has kernels_cuda.go already: nothing was written"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile(tt.file, []byte(tt.content), 0o644))
			var out, errs bytes.Buffer
			assert.Equal(t, exitInput, run(t.Context(), []string{"init"}, nil, &out, &errs))
			assert.Contains(t, errs.String(), "cudagen init: "+tt.want)
			entries, err := os.ReadDir(".")
			require.NoError(t, err)
			assert.Len(t, entries, 1)
		})
	}
	var out, errs bytes.Buffer
	assert.Equal(t, exitUsage, run(t.Context(), []string{"init", "a", "b"}, nil, &out, &errs))

	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o644))
	assert.Equal(t, exitInput, run(t.Context(), []string{"init", "a b"}, nil, &out, &errs))
	assert.Contains(t, errs.String(), "cudagen init: a b cannot be the folder of a Go package: invalid char ' ': nothing was written (name another folder: ")
	assert.NoFileExists(t, "a b")
}

func TestModuleName(t *testing.T) {
	for folder, want := range map[string]string{"hello": "hello", "my kernels": "my-kernels", "…": "hello", ".x": "x"} {
		assert.Equal(t, want, moduleName(folder))
	}
}
