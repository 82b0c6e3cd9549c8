package output

import (
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Why a file is removed that is not left over.
const (
	wasGenerated = "was generated"
	wasShared    = "declares types for several .cu files"
)

// clean returns all that was generated in the folder.
func (r *remains) clean() (left []Leftover) {
	kept := false
	for i := range r.beside {
		for _, l := range r.all(&r.beside[i], wasGenerated) {
			kept = kept || l.Kept != ""
			left = append(left, l)
		}
	}
	return append(left, r.cleanShared(kept)...)
}

// cleanShared returns the file that sources of the folder share. It stays if another file does.
func (r *remains) cleanShared(kept bool) []Leftover {
	path := filepath.Join(r.folder, source.SharedGo)
	content, err := os.ReadFile(path)
	if err != nil || !generated(record.Unix(content)) || len(r.beside) == 0 {
		return nil
	}
	l := Leftover{Path: path, Reason: wasShared}
	switch {
	case edited(content, false):
		l.Kept = wasEdited
	case kept:
		l.Kept = "files that stay may use it"
	}
	return []Leftover{l}
}
