package vet

import (
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Stale reports generated files that were made of another source than the one beside them.
// cudagen -check looks at more: options, templates and headers outside the folder.
var Stale = &analysis.Analyzer{
	Name: "cudastale",
	Doc:  "report generated files that are older than their sources\n\nRun go generate, and commit what it writes.",
	Run:  stale,
}

func stale(pass *analysis.Pass) (any, error) {
	folders := make(map[string][]record.Generated)
	for _, file := range pass.Files {
		name := pass.Fset.Position(file.Package).Filename
		if !generated(pass, name) {
			continue
		}
		folder := filepath.Dir(name)
		beside, known := folders[folder]
		if !known {
			var err error
			if beside, err = record.Beside(folder); err != nil {
				return nil, err
			}
			folders[folder] = beside
		}
		for i := range beside {
			g := &beside[i]
			for _, made := range g.Go {
				if filepath.Base(made.Path) != filepath.Base(name) {
					continue
				}
				switch {
				case g.Gone():
					pass.ReportRangef(file.Name, "%s was generated from %s, which is not there any more", filepath.Base(name), filepath.Base(g.Source))
				case source.Exists(g.Source) && g.Changed(): // where the source's folder is missing, nothing is known of it
					pass.ReportRangef(file.Name, "%s is older than %s, or than a header of it: run go generate", filepath.Base(name), filepath.Base(g.Source))
				}
			}
		}
	}
	return nil, nil
}

// State returns a hash of what Stale reads beside Go files in the module that has folder: .cu files, their headers, and
// the records. A tool for go vet adds it to its version, because go vet keeps the results of a tool until that, or a Go
// file, changes.
func State(folder string) ([]byte, error) {
	module, err := record.InModule(folder)
	if err != nil {
		return nil, err
	}
	return module.Hash(), nil
}

// generated reports whether cudagen wrote the Go file of this name.
func generated(pass *analysis.Pass, name string) bool {
	text, err := pass.ReadFile(name)
	return err == nil && strings.HasPrefix(string(text), record.Marker)
}
