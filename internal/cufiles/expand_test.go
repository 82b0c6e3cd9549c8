package cufiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/cufiles"
	"github.com/cudagen/cudagen/internal/record"
)

const (
	directive = "//cudagen:kernel\n__global__ void k() {}\n"
	kernel    = "__global__ void k() {}\n"
)

// tree writes files into a fresh folder, in which the test runs then.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
}

func recordOf(source string) string {
	return string((&record.Record{Source: source}).Encode())
}

func TestExpand(t *testing.T) {
	tree(t, map[string]string{
		"go.mod":                 "module m\n",
		"a.cu":                   kernel,
		"b.cu":                   directive,
		"helper.cu":              "__device__ int f();\n",
		"part.cu":                kernel,
		"main.cu":                "#include \"part.cu\"\n" + kernel,
		"_off.cu":                directive,
		"a.go":                   "package m\n",
		"p/c.cu":                 kernel,
		"p/c.cudagen.json":       recordOf("c.cu"),
		"p/d.cu":                 directive,
		"p/e.cu":                 kernel,
		"p/wide name [1].cu":     directive,
		"q/f.cu":                 directive,
		"q/other.cudagen.json":   recordOf("f.cu"),
		"p/deep/er/g.cu":         directive,
		"p/testdata/h.cu":        directive,
		"p/vendor/h.cu":          directive,
		"p/_x/h.cu":              directive,
		"p/.x/h.cu":              directive,
		"p/module/go.mod":        "module other\n",
		"p/module/h.cu":          directive,
		"p/module/below/h.cu":    directive,
		"empty/note.txt":         "",
		"helpers/only.cu":        "__device__ int f();\n",
		"helpers/folder.cu/x.go": "",
	})
	for _, test := range []struct {
		name    string
		args    []string
		want    []string
		skipped map[string]string
		err     string
	}{
		{"files", []string{"./b.cu", "missing.cu", "a.cu"}, []string{"b.cu", "missing.cu", "a.cu"}, nil, ""},
		{"this folder", []string{"."}, []string{"a.cu", "b.cu", "main.cu"}, map[string]string{"helper.cu": "it has no kernel", "part.cu": "main.cu includes it, and it has no directive"}, ""},
		{"a folder", []string{"p/"}, []string{"p/c.cu", "p/d.cu", "p/e.cu", "p/wide name [1].cu"}, nil, ""},
		{"everything", []string{"./..."}, []string{"b.cu", "p/c.cu", "p/d.cu", "p/wide name [1].cu", "p/deep/er/g.cu", "q/f.cu by q/other.cudagen.json"}, map[string]string{
			"a.cu": "it has neither", "main.cu": "it has neither", "part.cu": "it has neither", "helper.cu": "it has no kernel", "helpers/only.cu": "it has no kernel",
			"p/e.cu": "it has neither",
		}, ""},
		{"below a folder", []string{"p/deep/..."}, []string{"p/deep/er/g.cu"}, nil, ""},
		{"a folder that ... leaves out", []string{"p/testdata/..."}, []string{"p/testdata/h.cu"}, nil, ""},
		{"another module", []string{"p/module/..."}, []string{"p/module/h.cu", "p/module/below/h.cu"}, nil, ""},
		{"a pattern", []string{"*.cu"}, []string{"_off.cu", "a.cu", "b.cu", "helper.cu", "main.cu", "part.cu"}, nil, ""},
		{"a pattern of folders", []string{"*/d.*"}, []string{"p/d.cu"}, nil, ""},
		{"a pattern of everything", []string{"p/*"}, []string{"p/c.cu", "p/d.cu", "p/e.cu", "p/wide name [1].cu"}, nil, ""},
		{"a file with the signs of a pattern", []string{"p/wide name [1].cu"}, []string{"p/wide name [1].cu"}, nil, ""},
		{"each once", []string{"p/d.cu", "p", "./..."}, []string{"p/d.cu", "p/c.cu", "p/e.cu", "p/wide name [1].cu", "b.cu", "p/deep/er/g.cu", "q/f.cu by q/other.cudagen.json"}, map[string]string{
			"a.cu": "it has neither", "main.cu": "it has neither", "part.cu": "it has neither", "helper.cu": "it has no kernel", "helpers/only.cu": "it has no kernel",
		}, ""},
		{"a file again", []string{"p", "./p/d.cu", "b.cu", "b.cu"}, []string{"p/c.cu", "p/d.cu", "p/e.cu", "p/wide name [1].cu", "b.cu"}, nil, ""},
		{"an empty folder", []string{"empty", "a.cu"}, []string{"a.cu"}, nil, "empty: there is no .cu file"},
		{"no kernels", []string{"helpers"}, nil, map[string]string{"helpers/only.cu": "it has no kernel"}, "helpers: there is nothing to generate: helpers/only.cu: it has no kernel"},
		{"nothing matches", []string{"x*.cu"}, nil, nil, "x*.cu: there is no .cu file"},
		{"a bad pattern", []string{"[.cu"}, nil, nil, "[.cu: syntax error in pattern"},
		{"nothing below", []string{"empty/..."}, nil, nil, "empty/...: there is no .cu file"},
		{"no such folder", []string{"nowhere/..."}, nil, nil, "nowhere"},
		{"no such name", []string{"doctr"}, nil, nil, "doctr: there is no such .cu file, folder or command"},
		{"no such file", []string{"doctr.cu"}, []string{"doctr.cu"}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := cufiles.Expand(test.args)
			assert.Equal(t, test.want, slashed(got.Files))
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				require.Error(t, err)
				assert.Contains(t, filepath.ToSlash(err.Error()), test.err)
			}
			assert.Len(t, got.Skipped, len(test.skipped))
			for _, s := range got.Skipped {
				path := filepath.ToSlash(s.Path)
				require.Contains(t, test.skipped, path)
				assert.Contains(t, filepath.ToSlash(s.Reason), test.skipped[path], path)
			}
		})
	}
}

// slashed returns the paths of files as they are on Unix, with the records that are not beside them.
func slashed(files []cufiles.File) (list []string) {
	for _, f := range files {
		path := filepath.ToSlash(f.Path)
		if f.Record != "" && f.Record != strings.TrimSuffix(f.Path, ".cu")+".cudagen.json" {
			path += " by " + filepath.ToSlash(f.Record)
		}
		list = append(list, path)
	}
	return list
}

// The records of a folder are what it means: each is there with its source, wherever that lies. So are those
// of its sources, wherever these lie.
func TestRecordsAreTheList(t *testing.T) {
	tree(t, map[string]string{
		"go.mod":                  "module m\n",
		"src/a.cu":                directive,
		"src/b.cu":                kernel,
		"src/c.cu":                directive,
		"out/a.cudagen.json":      recordOf("../src/a.cu"),
		"out/twice.cudagen.json":  recordOf("../src/a.cu"),
		"out/b.cudagen.json":      recordOf("../src/b.cu"),
		"out/absent.cudagen.json": recordOf("../elsewhere/k.cu"),
		"out/d.cu":                directive,
		"out/d.cudagen.json":      recordOf("d.cu"),
	})
	expand := func(args ...string) (files []string, skipped map[string]string) {
		got, err := cufiles.Expand(args)
		require.NoError(t, err)
		skipped = make(map[string]string)
		for _, s := range got.Skipped {
			skipped[filepath.ToSlash(s.Path)] = filepath.ToSlash(s.Reason)
		}
		return slashed(got.Files), skipped
	}
	absent := map[string]string{"out/absent.cudagen.json": "its source elsewhere/k.cu is not here"}
	made := []string{"out/d.cu", "src/a.cu by out/a.cudagen.json", "src/a.cu by out/twice.cudagen.json", "src/b.cu by out/b.cudagen.json"}

	files, skipped := expand("./...")
	assert.Equal(t, append(made, "src/c.cu"), files)
	assert.Equal(t, absent, skipped)
	files, skipped = expand("out")
	assert.Equal(t, made, files)
	assert.Equal(t, absent, skipped)
	files, skipped = expand("src")
	assert.Equal(t, append(made[1:], "src/c.cu"), files, "out is outside of the folder, and inside of the module")
	assert.Empty(t, skipped)

	got, err := cufiles.Expand([]string{"out", "src/a.cu"})
	require.NoError(t, err)
	assert.Equal(t, []string{"out/d.cu", "src/a.cu", "src/b.cu by out/b.cudagen.json"}, slashed(got.Files), "a name decides")
	assert.True(t, got.Files[1].Named)

	require.NoError(t, os.WriteFile("out/b.cudagen.json", []byte("<<<<<<< ours"), 0o600))
	_, err = cufiles.Expand([]string{"./..."})
	assert.ErrorContains(t, err, "b.cudagen.json: damaged record", "what is not known is not left out")
}

// Where a workspace begins, all sources are those of other modules.
func TestNothingBesidesModules(t *testing.T) {
	tree(t, map[string]string{"go.work": "", "a/go.mod": "", "a/a.cu": kernel, "b/go.mod": "", "b/b.cu": kernel})
	_, err := cufiles.Expand([]string{"./..."})
	assert.ErrorContains(t, err, "./...: there is no .cu file outside of a and b, which have a go.mod: run cudagen there, or name them: a/...")
	got, err := cufiles.Expand([]string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a/a.cu", "b/b.cu"}, slashed(got.Files))
}

// TestNothingIsNamedAsTyped: the command cleans paths, and ./... loses its beginning.
func TestNothingIsNamedAsTyped(t *testing.T) {
	tree(t, map[string]string{"a.cu": kernel})
	_, err := cufiles.Expand([]string{"..."})
	assert.ErrorContains(t, err, "./...: there is nothing to generate: a.cu: it has neither")
}

// Folders with output of earlier runs are told, whether it is of files that are there or not.
func TestFolders(t *testing.T) {
	tree(t, map[string]string{"a.cu": directive, "p/gone.cudagen.json": recordOf("gone.cu"), "q/b.cu": directive, "q/b.cudagen.json": recordOf("b.cu")})
	got, err := cufiles.Expand([]string{"./..."})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.cu", "q/b.cu"}, slashed(got.Files))
	assert.Equal(t, []string{"p", "q"}, got.Folders)
}

// What is left of sources that are gone is told, where there are no others.
func TestOnlyLeftovers(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("k", 0o700))
	r := &record.Record{Source: "k.cu"}
	require.NoError(t, os.WriteFile(filepath.Join("k", "k.cudagen.json"), r.Encode(), 0o600))
	for _, arg := range []string{"k", "./..."} {
		_, err := cufiles.Expand([]string{arg})
		require.Error(t, err)
		assert.Equal(t, arg+": there is no .cu file, and k/k.cudagen.json is of k/k.cu, which is gone: remove what was generated by cudagen clean "+arg, filepath.ToSlash(err.Error()))
	}
}
