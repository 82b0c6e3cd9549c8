package output

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// The ends of the names of what is generated for kernels.cu.
const (
	goEnd     = "_cuda.go"
	ptxEnd    = ".ptx"
	fatbinEnd = ".fatbin"
	recordEnd = ".cudagen.json"
	depsEnd   = ".d"
)

// Places returns where the sources lie and what is written for them: beside each, or beside
// the Go file that goFile names, for a single source. The files are named after that one
// then.
func Places(sources []string, goFile string) ([]source.Place, error) {
	var places []source.Place
	byOutput := make(map[string]string)
	for _, path := range sources {
		place, err := Place(path, goFile)
		if err != nil {
			return nil, err
		}
		if reason := source.BadName(filepath.Base(place.PTX)); reason != "" {
			return nil, source.NewError(path, reason)
		}
		key, err := filepath.Abs(place.Go)
		if err != nil {
			return nil, source.Unreadable(path, err)
		}
		if other, twice := byOutput[key]; twice {
			return nil, source.NewError(path, "and "+other+" have the same output, "+place.Go+": rename one of them")
		}
		byOutput[key] = path
		places = append(places, place)
	}
	return places, nil
}

// Place returns where one source lies and what is written for it; goFile may be empty.
func Place(path, goFile string) (source.Place, error) {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	if goFile != "" {
		name := filepath.Base(goFile)
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			return source.Place{}, fmt.Errorf("-o %s: is not the name of a Go file: kernels_cuda.go, say", goFile)
		}
		base = strings.TrimSuffix(strings.TrimSuffix(goFile, ".go"), "_cuda")
	} else {
		goFile = base + goEnd
	}
	return source.Place{
		Path: path, Module: source.Module(path),
		Go: goFile, PTX: base + ptxEnd, Fatbin: base + fatbinEnd, Record: base + recordEnd, Deps: base + depsEnd,
	}, nil
}

// ReadRecord reads the record beside the source at path, or the one at path itself.
func ReadRecord(path string) (*record.Record, error) {
	if strings.HasSuffix(path, recordEnd) {
		return record.Read(path)
	}
	place, err := Place(path, "")
	if err != nil {
		return nil, err
	}
	return record.Read(place.Record)
}

// goFiles returns the paths that the Go file beside a record may have: Place makes the same
// record of kernels.cu, of -o kernels_cuda.go and of -o kernels.go.
func goFiles(record string) []string {
	base := strings.TrimSuffix(record, recordEnd)
	return []string{base + goEnd, base + ".go"}
}
