package sources

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// Inputs returns the absolute paths of the files that decide what is generated for .cu files, sorted: these
// themselves, what they include from their own folders and from those that the flags of a compiler add,
// unless these are absolute, and the inputs of their records. An include that is not there is listed
// where it would be found.
//
// Conditions are not evaluated: it lists too much rather than too little.
func Inputs(files, flags []string) []string {
	folders := record.IncludeFolders(flags)
	for i, folder := range folders {
		folders[i] = source.Absolute(folder)
	}
	found := make(map[string]bool)
	read := func(path string) ([]byte, error) {
		found[filepath.Clean(path)] = true
		return os.ReadFile(path)
	}
	for _, file := range files {
		file = source.Absolute(file)
		folder := filepath.Dir(file)
		// What cannot be read, generating reports.
		_, _ = record.Inputs(file, folder, read, folders...)
		if r, err := record.Of(file); err == nil {
			for _, input := range r.Inputs {
				found[filepath.Join(folder, filepath.FromSlash(input.Path))] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
