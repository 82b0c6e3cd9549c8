package record_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/record"
)

// A source that was renamed is known by its content, and one that was edited, too, by its kernels.
func TestHeir(t *testing.T) {
	const kernels = "__global__ void k(int);\nnamespace n { template <class T> __global__ void tmpl(T); }\n"
	folder := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	made := &record.Record{Source: "gone.cu", Inputs: []record.Input{{Path: "gone.cu", SHA256: record.HashInput([]byte(kernels))}},
		Kernels: []record.Kernel{{Name: "k", Symbol: "k"}, {Name: "n::tmpl<n::P>", Symbol: "t"}}}
	write("go.mod", "module m\n")
	write("gone.cudagen.json", string(made.Encode()))
	for _, test := range []struct {
		name, path, content string
		renamed, heir       bool
	}{
		{"the same", "a.cu", kernels, true, true},
		{"with other line ends", "sub/a.cu", "__global__ void k(int);\r\nnamespace n { template <class T> __global__ void tmpl(T); }\r\n", true, true},
		{"edited", "a.cu", kernels + "// edited\n", false, true},
		{"one kernel is missing", "a.cu", "__global__ void k(int tmpl2);\n", false, false},
		{"other kernels", "a.cu", "__global__ void k2(int);\n", false, false},
		{"no kernel", "a.cu", "void k(); void tmpl();\n", false, false},
		{"a folder that is left out", "_off/a.cu", kernels, true, false},
		{"another kind of file", "a.txt", kernels, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(test.path, test.content)
			path := filepath.Join(folder, test.path)
			defer os.Remove(path)
			module, err := record.InModule(folder)
			require.NoError(t, err)
			assert.Equal(t, test.renamed, len(module.Renamed(path)) == 1)
			beside, err := record.Beside(folder)
			require.NoError(t, err)
			require.Len(t, beside, 1)
			heir := module.Heir(&beside[0], func(string) bool { return false })
			assert.Equal(t, test.heir, heir != "")
			assert.Empty(t, module.Heir(&beside[0], func(string) bool { return true }), "what is generated keeps nothing")
		})
	}

	write("foreign.cu", kernels+"// others'\n")
	write("sub/new.cu", kernels)
	write("edited.cu", kernels+"// edited\n")
	module, err := record.InModule(folder)
	require.NoError(t, err)
	beside, err := record.Beside(folder)
	require.NoError(t, err)
	heir := func(name string) string {
		return module.Heir(&beside[0], func(path string) bool { return path == filepath.Join(folder, name) })
	}
	assert.Empty(t, heir("sub/new.cu"), "it was renamed")
	assert.NotEmpty(t, heir("edited.cu"), "it may be either")
}
