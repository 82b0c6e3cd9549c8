package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// difference returns how the files on the disk differ from what is to be written.
func difference(files []file) (string, error) {
	var b strings.Builder
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", source.Unreadable(f.path, err)
		}
		b.Write(diff.Diff(f.path, old, f.path+" (generated)", f.content))
	}
	return b.String(), nil
}

// left returns the generated files in the folders of products whose source is not there any
// more, sorted.
func left(products []Product) ([]string, error) {
	var paths, folders []string
	for _, p := range products {
		if folder := filepath.Dir(p.Place.Record); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		records, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*"+source.RecordEnd))
		if err != nil {
			return nil, err
		}
		for _, path := range records {
			r, err := record.Read(path)
			if err != nil {
				continue // it is somebody else's, or reported where its source is generated
			}
			if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(r.Source))); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			paths = append(paths, path)
			for _, name := range source.GoFiles(path) {
				if content, err := os.ReadFile(name); err == nil && generated(content) {
					paths = append(paths, name)
				}
			}
			for _, image := range r.Images {
				name := filepath.Join(folder, filepath.FromSlash(image.File))
				if _, err := os.Stat(name); err == nil {
					paths = append(paths, name)
				}
			}
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// escapeGlob makes filepath.Glob take path literally.
func escapeGlob(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}
