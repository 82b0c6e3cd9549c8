package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHashInput(t *testing.T) {
	// SHA-256 of "a\nb\n", by sha256sum.
	const want = "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2"
	unix := HashInput([]byte("a\nb\n"))
	assert.Equal(t, want, unix)
	assert.Equal(t, unix, HashInput([]byte("a\r\nb\r\n")), "the ends of lines do not count")
	assert.NotEqual(t, unix, HashInput([]byte("a\rb\n")), "other carriage returns do")
	assert.NotEqual(t, unix, HashImage([]byte("a\r\nb\r\n")), "in an image every byte counts")
	assert.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", HashInput(nil))
}

// files reads from a map of slash-separated paths.
func files(content map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		text, ok := content[filepath.ToSlash(path)]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
}

func TestInputs(t *testing.T) {
	content := map[string]string{
		"p/k.cu":            "#include <cuda_runtime.h>\n#include \"inc/a.h\"\n#include \"../common/c.h\"\n#include \"/abs.h\"\n#include <lib.h>\n",
		"p/inc/a.h":         "#include \"b.h\"\n#include \"../k.cu\"\n",
		"p/inc/b.h":         "#include \"a.h\"\n#include \"b.h\"\n#include \"gone.h\"\n",
		"common/c.h":        "int c;\n",
		"p/b.h":             "not the one: a.h means the one beside it",
		"/abs.h":            "",
		"include/lib.h":     "#include <deep/er.h>",
		"include/deep/er.h": "",
	}
	paths := func(inputs []Input) (paths []string) {
		for _, input := range inputs {
			paths = append(paths, input.Path)
		}
		return paths
	}
	got, err := Inputs(filepath.Join("p", "k.cu"), "p", files(content))
	require.NoError(t, err)
	assert.Equal(t, []string{"../common/c.h", "inc/a.h", "inc/b.h", "k.cu"}, paths(got))
	for _, input := range got {
		path := filepath.ToSlash(filepath.Join("p", input.Path))
		assert.Equal(t, HashInput([]byte(content[path])), input.SHA256, path)
	}
	require.NoError(t, (&Record{Source: "k.cu", Inputs: got}).check())

	got, err = Inputs(filepath.Join("p", "k.cu"), "p", files(content), "include", "empty")
	require.NoError(t, err)
	assert.Equal(t, []string{"../common/c.h", "../include/deep/er.h", "../include/lib.h", "inc/a.h", "inc/b.h", "k.cu"}, paths(got))
}

func TestInputsErrors(t *testing.T) {
	_, err := Inputs("k.cu", ".", files(nil))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "inputs of k.cu")

	refuse := func(path string) ([]byte, error) {
		if path == "k.cu" {
			return []byte(`#include "secret.h"`), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
	_, err = Inputs("k.cu", ".", refuse)
	assert.ErrorContains(t, err, "secret.h", "an unreadable header is not a missing one")
}

func TestInputsOnDisk(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "k.cu")
	require.NoError(t, os.WriteFile(source, []byte("#include \"folder\"\n#include \"k.cu/x.h\"\n#include \"k.cu\"\n"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	inputs, err := Inputs(source, filepath.Dir(source), os.ReadFile)
	require.NoError(t, err)
	require.Len(t, inputs, 1)
	assert.Equal(t, "k.cu", inputs[0].Path)
}

func FuzzInputs(f *testing.F) {
	f.Add("#include \"a.h\"\n/* */ # include <b.h>\nR\"x(#include)x\" 1'0 'c' \"\\\"\"")
	f.Add("%:include_next \"../a\\\n.h\"")
	f.Fuzz(func(t *testing.T, src string) {
		inputs, err := Inputs("k.cu", ".", func(path string) ([]byte, error) {
			if len(path) > 40 {
				return nil, errors.New("too deep")
			}
			return []byte(src), nil
		})
		if (inputs == nil) == (err == nil) {
			t.Fatalf("inputs %v, error %v", inputs, err)
		}
	})
}
