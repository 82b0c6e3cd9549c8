package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Generated is the output of an earlier run.
type Generated struct {
	Record *Record
	Path   string   // of the record
	Source string   // path of the .cu file
	Go     []GoFile // those that are there and that cudagen wrote: one, mostly
}

// A GoFile is a generated Go file.
type GoFile struct {
	Path string
	Code []byte
}

// Gone reports whether the .cu file was deleted or renamed. Where its whole folder is
// missing, it is not known whether it is only not here.
func (g *Generated) Gone() bool {
	if _, err := os.Stat(g.Source); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	info, err := os.Stat(filepath.Dir(g.Source))
	return err == nil && info.IsDir()
}
