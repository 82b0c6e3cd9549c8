package cufiles

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Inputs returns the absolute paths of the files that decide what is generated for .cu files, sorted: these
// themselves, what they include from their own folders and from others that are relative (-I), and the inputs of their records. An include that is not there is listed
// where it would be found.
//
// Conditions are not evaluated: it lists too much rather than too little.
func Inputs(files, others []string) []string {
	var folders []string
	for _, folder := range others {
		if !filepath.IsAbs(folder) {
			folders = append(folders, source.Absolute(folder))
		}
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
