package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/fresh"
	"github.com/cudagen/cudagen/internal/source"
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
// missing, it is not known whether it is only not here, nor is it of a link to nothing.
func (g *Generated) Gone() bool {
	if _, err := os.Lstat(g.Source); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	info, err := os.Stat(filepath.Dir(g.Source))
	return err == nil && info.IsDir()
}

// Changed reports whether the .cu file, or another input of it, is not what the output was made of.
func (g *Generated) Changed() bool {
	return slices.ContainsFunc(g.Record.Inputs, func(input Input) bool {
		content, err := fresh.ReadFile(filepath.Join(filepath.Dir(g.Path), filepath.FromSlash(input.Path)))
		return err != nil || HashInput(content) != input.SHA256
	})
}

// Of reads the record beside the source at path, or the one at path itself. Its errors are Read's.
func Of(path string) (*Record, error) {
	path, err := source.RecordOf(path)
	if err != nil {
		return nil, err
	}
	return Read(path)
}

// Beside returns what earlier runs generated in a folder, sorted by the records' names.
func Beside(folder string) ([]Generated, error) {
	records, err := filepath.Glob(filepath.Join(EscapeGlob(folder), "*"+source.RecordEnd))
	if err != nil {
		return nil, err
	}
	slices.Sort(records)
	var list []Generated
	for _, path := range records {
		r, err := Read(path)
		if err != nil {
			continue // it is somebody else's, or reported where its source is generated
		}
		g := Generated{Record: r, Path: path, Source: filepath.Join(folder, filepath.FromSlash(r.Source))}
		for _, name := range source.GoFiles(path) {
			content, err := os.ReadFile(name)
			if code := Unix(content); err == nil && strings.HasPrefix(string(code), Marker) {
				g.Go = append(g.Go, GoFile{Path: name, Code: code})
			}
		}
		list = append(list, g)
	}
	return list, nil
}

// EscapeGlob makes filepath.Glob take path literally.
func EscapeGlob(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// Written returns the paths of the files that the run wrote: the Go files, the images, the record,
// and those of emitters.
func (g *Generated) Written() []string {
	paths := []string{g.Path}
	for _, file := range g.Go {
		paths = append(paths, file.Path)
	}
	folder := filepath.Dir(g.Path)
	for _, image := range g.Record.Images {
		paths = append(paths, filepath.Join(folder, filepath.FromSlash(image.File)))
	}
	for _, e := range g.Record.Emitters {
		for _, o := range e.Outputs {
			paths = append(paths, filepath.Join(folder, filepath.FromSlash(o.File)))
		}
	}
	return paths
}
