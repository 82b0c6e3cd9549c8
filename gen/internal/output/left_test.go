package output_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/output"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// withFatbin writes the files of k.cu with machine code, and returns their folder and what
// would be generated without it.
func withFatbin(t *testing.T) (dir string, now []output.Product) {
	t.Helper()
	dir, _, product := generate(t, "")
	fatbin := []byte("machine code")
	product.Images = append(product.Images, image.File{Path: product.Place.Fatbin, Content: fatbin})
	product.Record.Images = append(product.Record.Images, record.Image{File: "k.fatbin", SHA256: record.HashImage(fatbin), Targets: []string{"sm_80"}})
	_, err := output.Write([]output.Product{product}, output.Common{}, false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), nil, 0o600))
	product.Archs, product.Images = []string{"compute_75"}, product.Images[:1]
	changed := *product.Record
	changed.Images = changed.Images[:1]
	product.Record = &changed
	return dir, []output.Product{product}
}

// Machine code that -arch no longer asks for goes, unless it is somebody's.
func TestMachineCodeOfAnEarlierArch(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(dir string, now []output.Product) // nil for none
		kept   string
		left   int
	}{
		{"nobody needs it", nil, "", 1},
		{"it is wanted", func(_ string, now []output.Product) { now[0].Archs = []string{"compute_75", "sm_80"} }, "", 0},
		{"native", func(_ string, now []output.Product) { now[0].Archs = []string{"native"} }, "", 0},
		{"edited", func(dir string, _ []output.Product) { writeFile(t, filepath.Join(dir, "k.fatbin"), "other code") }, "it was edited", 1},
		{"embedded", func(dir string, _ []output.Product) {
			writeFile(t, filepath.Join(dir, "mine.go"), "package k\n\n//go:embed *.fatbin\nvar files embed.FS\n")
		}, "mine.go uses it", 1},
		{"not embedded", func(dir string, _ []output.Product) {
			writeFile(t, filepath.Join(dir, "mine.go"), "package k\n\n//go:embed kk.fatbin\nvar files embed.FS\n")
		}, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, now := withFatbin(t)
			if test.change != nil {
				test.change(dir, now)
			}
			changes, err := output.Write(now, output.Common{}, false)
			require.NoError(t, err)
			removed, kept := changes.Removed, changes.Left
			require.Len(t, append(removed, paths(kept)...), test.left)
			path := filepath.Join(dir, "k.fatbin")
			if test.left > 0 && test.kept == "" {
				assert.Equal(t, []string{path}, removed)
				assert.NoFileExists(t, path)
				return
			}
			assert.FileExists(t, path)
			if test.kept != "" {
				assert.Equal(t, test.kept, kept[0].Kept)
			}
		})
	}
}

// Of a source that is gone, only what cudagen wrote is removed.
func TestOutputOfDeletedSources(t *testing.T) {
	for _, test := range []struct {
		name, file, content string
		kept                []string // base names
	}{
		{"all", "", "", nil},
		{"an image was edited", "k.ptx", record.Marker + "// mine\n", []string{"k.cudagen.json", "k.ptx"}},
		{"somebody else's image", "k.ptx", "// mine\n", []string{"k.cudagen.json", "k.ptx"}},
		{"a function was added", "k_cuda.go", record.Marker + "\npackage k\n\nfunc Mine() {}\n", []string{"k.cudagen.json", "k_cuda.go"}},
		{"a type was added", "k_cuda.go", string(record.Sign("", []byte("package k\n"))) + "\ntype Mine int\n", []string{"k.cudagen.json", "k_cuda.go"}},
		{"a comment was changed", "k_cuda.go", string(record.Sign("", []byte("package k\n\n// a")))[:85] + "// mine\n", []string{"k.cudagen.json", "k_cuda.go"}},
		{"another version wrote it", "k_cuda.go", string(record.Sign("", []byte("package k\n\nfunc New() {}\n"))), nil},
		{"no gofmt form", "k_cuda.go", record.Marker + "\npackage k\nvar  x int\n", []string{"k.cudagen.json", "k_cuda.go"}},
		{"somebody else's Go file", "k_cuda.go", "package k\n", nil},
		{"the record was edited", "k.cudagen.json", "", []string{"k.cudagen.json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, made, _ := generate(t, "")
			if test.file == "k.cudagen.json" {
				content, err := os.ReadFile(filepath.Join(dir, test.file))
				require.NoError(t, err)
				test.content = string(content) + "\n"
			}
			if test.file != "" {
				writeFile(t, filepath.Join(dir, test.file), test.content)
			}
			changes, err := output.Write(productsOf(t, filepath.Join(dir, "here.cu")), output.Common{}, false)
			require.NoError(t, err)
			removed, kept := changes.Removed, changes.Left
			var names []string
			for _, path := range paths(kept) {
				names = append(names, filepath.Base(path))
				assert.FileExists(t, path)
			}
			assert.Equal(t, test.kept, names)
			for _, path := range removed {
				assert.NoFileExists(t, path)
				assert.Contains(t, made, path)
			}
			if test.name == "somebody else's Go file" {
				assert.FileExists(t, filepath.Join(dir, "k_cuda.go"))
			}
		})
	}
}

// A source whose whole folder is missing may be elsewhere: its output stays.
func TestOutputOfMissingFolders(t *testing.T) {
	dir, made, product := generate(t, "")
	changed := *product.Record
	changed.Source = "../cu/k.cu"
	writeFile(t, product.Place.Record, string(changed.Encode()))
	here := productsOf(t, filepath.Join(dir, "here.cu"))
	left, err := leftOf(here)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(dir), "cu"), 0o700))
	left, err = leftOf(here)
	require.NoError(t, err)
	assert.ElementsMatch(t, made, paths(left))
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// The file of shared types goes with the last source of its folder.
func TestSharedFileOfDeletedSources(t *testing.T) {
	dir, made, _ := generate(t, "")
	shared := filepath.Join(dir, source.SharedGo)
	writeFile(t, shared, record.Marker+"\npackage k\n")
	left, err := leftOf(nil, dir)
	require.NoError(t, err)
	assert.ElementsMatch(t, append(made, shared), paths(left))

	left, err = leftOf(productsOf(t, filepath.Join(dir, "here.cu")), dir)
	require.NoError(t, err)
	assert.NotContains(t, paths(left), shared, "here.cu may need it")
	writeFile(t, shared, "package k\n")
	left, err = leftOf(nil, dir)
	require.NoError(t, err)
	assert.NotContains(t, paths(left), shared, "somebody else's")
	writeFile(t, shared, record.Marker+"\npackage k\n")
	writeFile(t, filepath.Join(dir, "k.cu"), "")
	left, err = leftOf(nil, dir)
	require.NoError(t, err)
	assert.Empty(t, left, "the source is there")
}

// leftOf returns what is left over in the folders of products and in more.
func leftOf(products []output.Product, more ...string) ([]output.Leftover, error) {
	changes, err := output.Write(products, output.Common{Folders: more}, true)
	if err != nil {
		return nil, err
	}
	return changes.Left, nil
}

// With another -o, the Go file of the earlier one declares everything twice: it goes, unless it
// was edited or is for another build.
func TestGoFileOfAnEarlierOutput(t *testing.T) {
	for _, test := range []struct {
		name, old string // the Go file that is there
		kept      string
		left      int
	}{
		{"generated", record.Marker + "\npackage k\n", "", 1},
		{"edited", record.Marker + "\npackage k\n\nfunc Mine() {}\n", "it was edited", 1},
		{"another build", record.Marker + "\n//go:build windows\n\npackage k\n", "", 0},
		{"somebody else's", "package k\n", "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, _, product := generate(t, "")
			writeFile(t, filepath.Join(dir, "k.cu"), "")
			writeFile(t, product.Place.Go, test.old)
			old := product.Place.Go
			product.Place.Go = filepath.Join(dir, "k.go")
			checked, err := output.Write([]output.Product{product}, output.Common{}, true)
			require.NoError(t, err)
			require.Len(t, checked.Left, test.left)
			_, err = output.Write([]output.Product{product}, output.Common{}, false)
			require.NoError(t, err)
			if test.left == 1 && test.kept == "" {
				assert.NoFileExists(t, old)
				return
			}
			assert.FileExists(t, old)
			if test.left == 1 {
				assert.Equal(t, test.kept, checked.Left[0].Kept)
			}
		})
	}
}

// The shared file that somebody edited stays when it is no longer needed.
// Machine code that was moved with its source and its record is overwritten like any other output; without
// the record nobody knows whose it is.
func TestMovedMachineCode(t *testing.T) {
	_, now := withFatbin(t)
	place := now[0].Place
	moved, err := source.Places([]string{filepath.Join(t.TempDir(), "k.cu")}, "")
	require.NoError(t, err)
	bring := func(from, to string) {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		writeFile(t, to, string(content))
	}
	there := now[0]
	there.Place = moved[0]
	there.Images = []image.File{{Path: moved[0].PTX, Content: there.Images[0].Content}, {Path: moved[0].Fatbin, Content: []byte("other machine code")}}
	there.Archs = []string{"compute_75", "sm_80"}
	writeFile(t, moved[0].Path, "")
	bring(place.Fatbin, moved[0].Fatbin)
	_, err = output.Write([]output.Product{there}, output.Common{}, false)
	assert.EqualError(t, err, moved[0].Fatbin+": exists and was not generated by cudagen, as far as k.cudagen.json beside it says: bring that here, too, if the file was moved, delete the file, or overwrite it by cudagen -force")
	assert.NoFileExists(t, moved[0].PTX)

	then := *now[0].Record // of the run with machine code
	then.Images = append(then.Images, record.Image{File: "k.fatbin", SHA256: record.HashImage([]byte("machine code")), Targets: []string{"sm_80"}})
	writeFile(t, moved[0].Record, string(then.Encode()))
	changes, err := output.Write([]output.Product{there}, output.Common{}, false)
	require.NoError(t, err)
	assert.Contains(t, changes.Written, moved[0].Fatbin)
}

// A file that two records have stays while one of the sources is there. The names of records and Go files do
// not mix k_cuda.cu and k.cu up.
func TestFilesOfTwoRecords(t *testing.T) {
	dir, _, product := generate(t, "")
	writeFile(t, filepath.Join(dir, "k.cu"), "")
	product.Record.Emitters = []record.Emitter{{Name: "builtin:markdown", Version: "1", Outputs: []record.Output{{File: "both.md", SHA256: record.HashInput([]byte("both"))}}}}
	writeFile(t, filepath.Join(dir, "both.md"), "both")
	product.More = []source.File{{Path: filepath.Join(dir, "both.md"), Content: []byte("both")}}
	_, err := output.Write([]output.Product{product}, output.Common{}, false)
	require.NoError(t, err)

	gone := *product.Record
	gone.Source = "gone.cu"
	writeFile(t, filepath.Join(dir, "gone.cudagen.json"), string(gone.Encode()))
	gone.Images, gone.Emitters = nil, nil
	writeFile(t, filepath.Join(dir, "k_cuda.cudagen.json"), string(gone.Encode()))
	writeFile(t, filepath.Join(dir, "evil.cudagen.json"), strings.Replace(string(product.Record.Encode()), `"both.md"`, `"../both.md"`, 1))
	changes, err := output.Write(nil, output.Common{Folders: []string{dir}}, false)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "k_cuda.cudagen.json")}, changes.Removed)
	var kept []string
	for _, l := range changes.Left {
		kept = append(kept, filepath.Base(l.Path)+": "+l.Kept)
	}
	assert.Equal(t, []string{"both.md: k.cudagen.json has it, too", "gone.cudagen.json: it says what the files are that stay", "k.ptx: k.cudagen.json uses it"}, kept)
	assert.FileExists(t, filepath.Join(dir, "k_cuda.go"))
}

func TestEditedSharedFile(t *testing.T) {
	dir := t.TempDir()
	shared := filepath.Join(dir, source.SharedGo)
	for content, kept := range map[string]string{record.Marker + "\npackage k\n": "", record.Marker + "\npackage k\n\nfunc Mine() {}\n": "it was edited"} {
		writeFile(t, shared, content)
		changes, err := output.Write(nil, output.Common{Obsolete: []string{shared}}, true)
		require.NoError(t, err)
		require.Len(t, changes.Left, 1)
		assert.Equal(t, kept, changes.Left[0].Kept)
	}
}

// A link to a source that is not there now is no source that was deleted.
func TestOutputOfLinks(t *testing.T) {
	dir, _, _ := generate(t, "")
	require.NoError(t, os.Symlink(filepath.Join("..", "elsewhere", "k.cu"), filepath.Join(dir, "k.cu")))
	left, err := leftOf(productsOf(t, filepath.Join(dir, "here.cu")))
	require.NoError(t, err)
	assert.Empty(t, left)
}
