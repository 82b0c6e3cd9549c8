package source

import (
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/fresh"
)

// The ends of the names of generated files.
const (
	goEnd  = "_cuda.go"
	ptxEnd = ".ptx"

	// FatbinEnd is the end of the name of machine code.
	FatbinEnd = ".fatbin"

	// RecordEnd is the end of the name of the record.
	RecordEnd = fresh.RecordEnd

	// DepsEnd is the end of the name of the dependency file.
	DepsEnd = ".d"
)

// A File is a file to write.
type File struct {
	Path    string
	Content []byte
}

// Places returns where the sources lie and what is written for them: beside each, or beside
// the Go file that goFile names, for a single source. The files are named after that one
// then.
func Places(sources []string, goFile string) ([]Place, error) {
	var places []Place
	byOutput := make(map[string]string)
	for _, path := range sources {
		place, err := placeOf(path, goFile)
		if err != nil {
			return nil, err
		}
		if reason := BadName(filepath.Base(place.PTX)); reason.Text != "" {
			return nil, NewError(path, reason)
		}
		key, err := filepath.Abs(place.Go)
		if err != nil {
			return nil, Unreadable(path, err)
		}
		if other, twice := byOutput[key]; twice {
			return nil, NewError(path, diag.ForeignFile.Errorf("and %s have the same output, %s: %w", other, place.Go, diag.Do("rename one of them")))
		}
		byOutput[key] = path
		places = append(places, place)
	}
	return places, nil
}

// placeOf returns where one source lies and what is written for it; goFile may be empty.
func placeOf(path, goFile string) (Place, error) {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	if goFile != "" {
		name := filepath.Base(goFile)
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			return Place{}, diag.FlagValue.Errorf("-o %s: is not the name of a Go file: kernels_cuda.go, say", goFile)
		}
		if name == SharedGo {
			return Place{}, diag.FlagValue.Errorf("-o %s: types that several .cu files use are written to a file of this name: kernels_cuda.go, say", goFile)
		}
		base = strings.TrimSuffix(strings.TrimSuffix(goFile, ".go"), "_cuda")
	} else {
		goFile = base + goEnd
	}
	return Place{
		Path: path, Module: Module(path),
		Go: goFile, PTX: base + ptxEnd, Fatbin: base + FatbinEnd, Record: base + RecordEnd, Deps: base + DepsEnd,
	}, nil
}

// RecordOf returns the path of the record beside the source at path, or path itself when it
// is that of a record.
func RecordOf(path string) (string, error) {
	if strings.HasSuffix(path, RecordEnd) {
		return path, nil
	}
	place, err := placeOf(path, "")
	return place.Record, err
}

// GoName returns the base name of the Go file, empty if it is the record's with _cuda.go.
func (p *Place) GoName() string {
	if name := filepath.Base(p.Go); name != p.Stem()+goEnd {
		return name
	}
	return ""
}

// GoOf returns the path of the Go file beside a record that has name for Place.GoName.
func GoOf(record, name string) string {
	if name == "" {
		return strings.TrimSuffix(record, RecordEnd) + goEnd
	}
	return filepath.Join(filepath.Dir(record), name)
}

// GoFiles returns the paths that the Go file beside a record may have: placeOf makes the same
// record of kernels.cu, of -o kernels_cuda.go and of -o kernels.go. The shared file is no source's,
// and kernels_cuda.go is not that of kernels_cuda.cu.
func GoFiles(record string) []string {
	base := strings.TrimSuffix(record, RecordEnd)
	if filepath.Base(base+".go") == SharedGo || strings.HasSuffix(base+".go", goEnd) {
		return []string{base + goEnd}
	}
	return []string{base + goEnd, base + ".go"}
}

// Folders returns the folders of the Go files of places.
func Folders(places []Place) (list []string) {
	for _, p := range places {
		list = append(list, p.Folder())
	}
	return list
}
