package stale

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fresh"
)

func TestCheckFresh(t *testing.T) {
	source, err := filepath.Abs("../../../simtest/testdata")
	require.NoError(t, err)
	for _, test := range []struct {
		name, folder string
		module       bool
		remove       string
		want         string // of the error; empty for none
	}{
		{"fresh", "fresh", true, "", ""},
		{"stale", "stale", true, "", "cuda: the kernels of stale/k.cudagen.json are not those of its source: k.cu changed: run go generate, or undo the change"},
		{"a source that is missing", "fresh", true, "fresh/k.cu", "k.cu is missing"},
		{"a program that was deployed", "fresh", false, "fresh/k.cu", ""},
		{"all below", "./...", true, "", "stale/k.cudagen.json are not those"},
		{"only this one", ".", true, "", "there is no record (*.cudagen.json) in .: name the folder of the generated Go file"},
		{"no folder", "nowhere", true, "", "there is no record (*.cudagen.json) in nowhere"},
		{"no record, nor a module", "nowhere", false, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.CopyFS(".", os.DirFS(source)))
			if test.module {
				require.NoError(t, os.WriteFile("go.mod", []byte("module m // a comment\n"), 0o600))
			}
			if test.remove != "" {
				require.NoError(t, os.Remove(filepath.FromSlash(test.remove)))
			}
			err := Check(test.folder)
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				require.Error(t, err)
				assert.Contains(t, filepath.ToSlash(err.Error()), test.want)
			}
		})
	}
}

// A package that was compiled with paths has its record beside the file that loads.
func TestLoaded(t *testing.T) {
	folder, err := filepath.Abs("../../../simtest/testdata")
	require.NoError(t, err)
	images := []fresh.Image{{File: "k.ptx", SHA256: "fcddad030e664d744ccb5d663c44071552ce147752cdebe909bef5ba59d666ba"}}
	assert.NoError(t, Loaded(filepath.Join(folder, "fresh", "k_cuda.go"), images))
	assert.ErrorContains(t, Loaded(filepath.Join(folder, "stale", "k_cuda.go"), images), "k.cu changed")
	assert.NoError(t, Loaded(filepath.Join(folder, "stale", "own.go"), images), "somebody has written it")
	assert.NoError(t, Loaded(filepath.Join(folder, "nowhere", "k_cuda.go"), images), "a program that was deployed")
}
