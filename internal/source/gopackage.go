package source

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// GoPackages are the Go packages that the Go files of folders say. The zero value is ready for use, and several goroutines may use
// it. It reads a folder once.
type GoPackages struct {
	mu      sync.Mutex
	clauses map[string]map[string]string // by folder, then by file
}

// Name returns the name of the Go package that the file at goFile belongs to, which is made of the source at path: wanted, that of
// the Go files beside it or, if all are tests, theirs, usual, that of its own Go file of an earlier run, or the folder's name. wanted
// and usual may be empty.
func (p *GoPackages) Name(path, goFile, wanted, usual string) (string, error) {
	if wanted != "" {
		return wanted, nil
	}
	names, tests := p.beside(goFile)
	if names == nil {
		names = tests
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case usual != "" && (len(names) == 0 || slices.Contains(names, usual)):
		return usual, nil
	case len(names) > 1:
		return "", diag.InFile(path, diag.PackageName.Errorf("the Go files beside it are of packages %s: %w", strings.Join(names, " and "), diag.Do("choose one with -pkg")))
	}
	dir := filepath.Dir(Absolute(goFile))
	if name, known := p.in(dir)[filepath.Base(goFile)]; known {
		return name, nil
	}
	if name := goname.Identifier(filepath.Base(dir)); token.IsIdentifier(name) {
		return strings.ToLower(name), nil
	}
	return goname.Package(filepath.Base(dir)), nil
}

// Beside returns the package of the Go files beside the one at goFile, tests aside; "" if there is none, or it is not clear.
func (p *GoPackages) Beside(goFile string) string {
	if names, _ := p.beside(goFile); len(names) == 1 {
		return names[0]
	}
	return ""
}

// beside returns the packages of the Go files beside the one at goFile, and those that tests among them are of.
func (p *GoPackages) beside(goFile string) (names, tests []string) {
	clauses := p.in(filepath.Dir(Absolute(goFile)))
	for _, file := range slices.Sorted(maps.Keys(clauses)) {
		switch name := clauses[file]; {
		case file == filepath.Base(goFile):
		case strings.HasSuffix(file, "_test.go"):
			if name = strings.TrimSuffix(name, "_test"); !slices.Contains(tests, name) {
				tests = append(tests, name)
			}
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, tests
}

// in returns the package clauses of the Go files in dir, as they were when it was asked first.
func (p *GoPackages) in(dir string) map[string]string {
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
