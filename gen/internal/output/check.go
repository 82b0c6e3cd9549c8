package output

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// difference returns how the files on the disk differ from what is to be written.
func difference(files []file) (string, error) {
	var b strings.Builder
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", source.Unreadable(f.path, err)
		}
		if !record.Same(old, f.content) {
			b.Write(diff.Diff(f.path, record.Unix(old), f.path+" (generated)", f.content))
		}
	}
	return b.String(), nil
}
