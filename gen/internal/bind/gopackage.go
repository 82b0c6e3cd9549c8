package bind

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
	"github.com/cudagen/cudagen/internal/source"
)

// packageName returns the name of the Go package that the output at place belongs to: the
// option, that of the Go files beside the source or, if all are tests, theirs, the default, that of
// its own Go file of an earlier run, or the folder's name.
func (b *builder) packageName(place *source.Place, o *Options) (string, error) {
	if o.Package != "" {
		return o.Package, nil
	}
	dir := place.Folder()
	clauses := b.packages.in(dir)
	var names, tests []string
	for _, file := range slices.Sorted(maps.Keys(clauses)) {
		switch name := clauses[file]; {
		case file == filepath.Base(place.Go):
		case strings.HasSuffix(file, "_test.go"):
			if name = strings.TrimSuffix(name, "_test"); !slices.Contains(tests, name) {
				tests = append(tests, name)
			}
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	if names == nil {
		names = tests
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case o.DefaultPackage != "" && (len(names) == 0 || slices.Contains(names, o.DefaultPackage)):
		return o.DefaultPackage, nil
	case len(names) > 1:
		return "", diag.InFile(place.Path, diag.PackageName.Errorf("the Go files beside it are of packages %s: %w", strings.Join(names, " and "), diag.Do("choose one with -pkg")))
	}
	if name, known := clauses[filepath.Base(place.Go)]; known {
		return name, nil
	}
	if name := goname.Identifier(filepath.Base(dir)); token.IsIdentifier(name) {
		return strings.ToLower(name), nil
	}
	return goname.Package(filepath.Base(dir)), nil
}

// in returns the package clauses of the Go files in dir, as they were when it was asked first.
func (p *Packages) in(dir string) map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	clauses, known := p.clauses[dir]
	if !known {
		if p.clauses == nil {
			p.clauses = make(map[string]map[string]string)
		}
		clauses = declaredPackages(dir)
		p.clauses[dir] = clauses
	}
	return clauses
}

// declaredPackages returns the package clauses of the Go files in dir, by the files' names.
func declaredPackages(dir string) map[string]string {
	files, _ := os.ReadDir(dir) // what cannot be read has no package
	clauses := make(map[string]string)
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".go" || strings.HasPrefix(file.Name(), ".") {
			continue
		}
		if name, ok := declaredPackage(filepath.Join(dir, file.Name())); ok {
			clauses[file.Name()] = name
		}
	}
	return clauses
}

// declaredPackage returns the package clause of a file that the go command builds.
func declaredPackage(path string) (string, bool) {
	src, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return "", false
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && strings.HasPrefix(c.Text, "//go:build ignore") {
				return "", false
			}
		}
	}
	return file.Name.Name, true
}
