package output

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/record"
)

// Beside returns what earlier runs generated in a folder, sorted by the records' names.
func Beside(folder string) ([]record.Generated, error) {
	records, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*"+recordEnd))
	if err != nil {
		return nil, err
	}
	slices.Sort(records)
	var list []record.Generated
	for _, path := range records {
		r, err := record.Read(path)
		if err != nil {
			continue // it is somebody else's, or reported where its source is generated
		}
		g := record.Generated{Record: r, Path: path, Source: filepath.Join(folder, filepath.FromSlash(r.Source))}
		for _, name := range goFiles(path) {
			if content, err := os.ReadFile(name); err == nil && generated(content) {
				g.Go = append(g.Go, record.GoFile{Path: name, Code: content})
			}
		}
		list = append(list, g)
	}
	return list, nil
}
