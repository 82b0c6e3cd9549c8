package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/model"
)

// TestOutputOfPrograms: what a Go program generated with an emitter of its own stays as it is, as long as it is current.
func TestOutputOfPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"kernels.cu", "kernels.ptx", "kernels.cudagen.json"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "example", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/example\n"), 0o644))
	emitter := gen.Emitter{Name: "lister", Version: "1", Emit: func(*model.File) ([]model.Output, error) {
		return []model.Output{{Name: "kernels.txt", Content: []byte("list\n")}}, nil
	}}
	_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{"kernels.cu"}, Archs: []string{"compute_75"}, Package: "example", Emitters: []gen.Emitter{emitter}})
	require.NoError(t, err)
	cudagen := func(args string) (code int, output string) {
		var stdout, stderr bytes.Buffer
		code = run(t.Context(), strings.Fields(args), nil, &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	for _, args := range []string{"./...", "-check ./...", "-check kernels.cu"} {
		code, output := cudagen(args)
		assert.Equal(t, exitOK, code, args)
		assert.Equal(t, "cudagen: kernels.cu: a Go program generates it, with its emitter lister, and what it wrote is current\n", output, args)
	}
	code, output := cudagen("kernels.cu")
	assert.Equal(t, exitInput, code)
	assert.Equal(t, "kernels.cu: a Go program generated it, with its emitter lister: run that program again, or drop what the emitter writes by cudagen -arch compute_75 kernels.cu\n", output)
	code, _ = cudagen("inspect kernels.cu")
	assert.Equal(t, exitOK, code)

	for name, text := range map[string]string{
		"kernels.cu": "kernels.cu changed", "kernels.txt": "kernels.txt was edited", "kernels.ptx": "kernels.ptx was edited", "kernels_cuda.go": "kernels_cuda.go was edited",
	} {
		before, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, append(before, "// mine\n"...), 0o644))
		code, output := cudagen("-check ./...")
		assert.Equal(t, exitInput, code, name)
		assert.Equal(t, "kernels.cu: "+text+": run the Go program again that generates it, with its emitter lister\n", output)
		require.NoError(t, os.WriteFile(name, before, 0o644))
	}
	code, output = cudagen("-arch compute_75 kernels.cu")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, output, "cudagen: removed kernels.txt\n")
	assert.Contains(t, output, "what a Go program wrote of it, with its emitter lister, is dropped")
	code, output = cudagen("-check ./...")
	assert.Equal(t, exitOK, code, output)
}
