package read

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A reader reads the files of one source. It has whether folders are there: a header is looked
// for in many.
type reader map[string]bool

// read is os.ReadFile.
func (r reader) read(path string) ([]byte, error) {
	folder := filepath.Dir(path)
	there, known := r[folder]
	if known && !there {
		return nil, fs.ErrNotExist
	}
	src, err := os.ReadFile(path)
	if err != nil && !known {
		_, missing := os.Stat(folder)
		r[folder] = missing == nil
	}
	return src, err
}
