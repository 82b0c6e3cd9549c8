package output

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// redeclared returns warnings about names that both the written Go files and others in their folders declare, and about
// others of another package: then go build or go test fails. Only files count that the go command builds here.
func redeclared(written []string) (warnings diag.List) {
	for _, path := range written {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		pkg, own := declarations(path)
		if len(own) == 0 {
			continue
		}
		dir := filepath.Dir(path)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			name := entry.Name()
			if filepath.Ext(name) != ".go" || name == filepath.Base(path) {
				continue
			}
			otherPkg, others := declarations(filepath.Join(dir, name))
			if otherPkg == "" || strings.HasSuffix(name, "_test.go") && otherPkg == pkg+"_test" {
				continue
			}
			if otherPkg != pkg {
				warnings.Add(token.Position{Filename: path}, diag.PackageName.Errorf("is of package %s, and %s beside it of package %s, which go build refuses: %w", pkg, name, otherPkg, diag.Do("give both one with -pkg, or generate into another folder with -o")))
				continue
			}
			for id, pos := range others {
				if at, both := own[id]; both {
					warnings.Add(pos, diag.GoName.Errorf("%s is declared in %s, too, in line %d, and go build refuses that: %w", id, filepath.Base(path), at.Line, diag.Do("rename it, or give what is generated another name with //cudagen:kernel GoName, -name or //cudagen:type")))
				}
			}
		}
	}
	warnings.Sort()
	return warnings
}

// declarations returns the package of a Go file, and the names that it declares. A file that the go
// command does not build here, or that is not Go, has none.
func declarations(path string) (pkg string, names map[string]token.Position) {
	if match, err := build.Default.MatchFile(filepath.Dir(path), filepath.Base(path)); err != nil || !match {
		return "", nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", nil
	}
	names = make(map[string]token.Position)
	add := func(id *ast.Ident) {
		if id.Name != "_" && id.Name != "init" {
			names[id.Name] = fset.Position(id.Pos())
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						add(id)
					}
				}
			}
		}
	}
	return file.Name.Name, names
}
