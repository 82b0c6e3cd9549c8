package output

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

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

// escapeGlob makes filepath.Glob take path literally.
func escapeGlob(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}
