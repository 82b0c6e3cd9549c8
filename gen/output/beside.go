package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// A Generated is the output of an earlier run, by its record.
type Generated struct {
	Record *record.Record
	Path   string   // of the record
	Source string   // path of the .cu file
	Go     []string // paths of its Go files that are there and that cudagen wrote: one, mostly
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

// Beside returns what earlier runs generated in a folder, sorted by the records' names.
func Beside(folder string) ([]Generated, error) {
	records, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*"+recordEnd))
	if err != nil {
		return nil, err
	}
	slices.Sort(records)
	var list []Generated
	for _, path := range records {
		r, err := record.Read(path)
		if err != nil {
			continue // it is somebody else's, or reported where its source is generated
		}
		g := Generated{Record: r, Path: path, Source: filepath.Join(folder, filepath.FromSlash(r.Source))}
		for _, name := range goFiles(path) {
			if content, err := os.ReadFile(name); err == nil && generated(content) {
				g.Go = append(g.Go, name)
			}
		}
		list = append(list, g)
	}
	return list, nil
}

// folders returns the folders of what is written for places, each once.
func folders(places []source.Place) (list []string) {
	for _, p := range places {
		if folder := filepath.Dir(p.Record); !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}
