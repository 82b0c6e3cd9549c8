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

// Diff returns how the files on the disk differ from what is to be written.
func Diff(files []File) (string, error) {
	var b strings.Builder
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", source.Unreadable(f.Path, err)
		}
		b.Write(diff.Diff(f.Path, old, f.Path+" (generated)", f.Content))
	}
	return b.String(), nil
}

// Left returns the generated files in the folders of places whose source is not there any
// more, sorted.
func Left(places []source.Place) ([]string, error) {
	var paths, folders []string
	for _, p := range places {
		if folder := filepath.Dir(p.Record); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		records, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*"+recordEnd))
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
			for _, name := range goFiles(path) {
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
