package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// The command is go vet's tool: in a module of its own it finds a mistake, and none when that is mended.
func TestVet(t *testing.T) {
	testenv.Need(t, testenv.Long)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	tool := filepath.Join(dir, "cudagen")
	if runtime.GOOS == "windows" {
		tool += ".exe"
	}
	self, err := os.Executable() // by this name it is the command: see TestMain
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(tool, program, 0o755))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.com/user\n\ngo 1.26\n\nrequire github.com/cudagen/cudagen v0.0.0\n\nreplace github.com/cudagen/cudagen => "+root+"\n")
	write("go.sum", string(sums))
	const source = "package user\n\nimport \"github.com/cudagen/cudagen/runtime/cuda\"\n\nfunc wait(s *cuda.Stream) {\n\ts.Synchronize()\n}\n"
	where, env := dir, []string{goFlags(), "GOWORK=off"}
	vet := func(args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), tool, append([]string{"vet"}, args...)...)
		command.Dir = where
		command.Env = append(append(os.Environ(), "GOPROXY=off"), env...)
		out, err := command.CombinedOutput()
		return string(out), err
	}
	write("user.go", source)
	text, err := vet("./...")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, text)
	assert.Equal(t, exitInput, exit.ExitCode())
	assert.Contains(t, text, "user.go:6:2: the error of Synchronize is ignored: faults of kernels are reported there")

	text, err = vet("-json", "./...")
	assert.NoError(t, err)
	var reports map[string]map[string][]struct{ Message string }
	require.NoError(t, json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &reports), text)
	assert.Len(t, reports["example.com/user"]["cudaerror"], 1)

	text, err = vet("-cudaerror=false", "./...")
	assert.NoError(t, err, text)
	write("user.go", strings.Replace(source, "\ts.Sync", "\t_ = s.Sync", 1))
	text, err = vet("./...")
	assert.NoError(t, err, text)

	// What go vet keeps follows the .cu files, which it does not know.
	require.NoError(t, os.Mkdir(filepath.Join(dir, "example"), 0o755))
	for _, name := range []string{"kernels.cu", "kernels.ptx", "kernels.cudagen.json", "kernels_cuda.go"} {
		text, err := os.ReadFile(filepath.Join(root, "example", name))
		require.NoError(t, err)
		write(filepath.Join("example", name), string(text))
	}
	kernels, err := os.ReadFile(filepath.Join(dir, "example", "kernels.cu"))
	require.NoError(t, err)
	follows := func() {
		t.Helper()
		for _, changed := range []bool{false, true, false} {
			write(filepath.Join("example", "kernels.cu"), string(kernels)+map[bool]string{true: "// more\n"}[changed])
			text, err = vet("example.com/user/example")
			assert.Equal(t, changed, err != nil, text)
			assert.Equal(t, changed, strings.Contains(text, "kernels_cuda.go is older than kernels.cu"), text)
		}
	}
	follows()
	// So it does in another module of a workspace.
	where, env = t.TempDir(), []string{"GOFLAGS=-trimpath", "GOWORK="}
	require.NoError(t, os.WriteFile(filepath.Join(where, "go.work"), []byte("go 1.26.0\n\nuse "+dir+"\n"), 0o644))
	follows()

	var stdout, stderr bytes.Buffer
	assert.Equal(t, exitOK, run(t.Context(), []string{"vet", "-h"}, nil, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "cudaunclosed")
}
