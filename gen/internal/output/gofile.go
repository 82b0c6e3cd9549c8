package output

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A goFile is a generated Go file.
type goFile struct {
	path     string
	code     []byte
	fset     *token.FileSet
	syntax   *ast.File
	names    map[string]declared // that it declares in the package
	sections map[string]section  // by Go name: the structs, unions and enums of C++ that it declares
	uses     map[string]bool     // the names that it uses and does not declare
}

// A declared name is one that a file has in the package.
type declared struct {
	what  string // "kernel step1", "struct Plate", "the kernels of a.cu"
	place string // file and line in C++, as the comment has it: a base name; empty when it says none
	owner string // the name of the section that declares it; empty for none
	line  int    // in the Go file
}

// A section is the declaration of a type of C++ with all that belongs to it: assertions,
// methods, constants.
type section struct {
	cName   string // "struct ns::Plate", "an unnamed union"
	origin  string // base name of the file that declares it in C++
	text    string // from its comment on
	imports []string
	uses    map[string]bool // names that its declarations have
	begin   int             // offset in the file
	end     int             // where the next declaration begins
}

// parse takes a generated Go file apart.
func parse(path string, code []byte) (*goFile, error) {
	f := &goFile{path: path, code: code, fset: token.NewFileSet(), names: make(map[string]declared), sections: make(map[string]section), uses: make(map[string]bool)}
	var err error
	if f.syntax, err = parser.ParseFile(f.fset, path, code, parser.ParseComments); err != nil {
		return nil, err
	}
	for _, id := range f.syntax.Unresolved {
		f.uses[id.Name] = true
	}
	decls := f.syntax.Decls
	for i := 0; i < len(decls); {
		next := i + 1
		if typeName, cName, origin := typeOf(decls[i]); cName != "" {
			for next < len(decls) && belongs(decls[next], typeName) {
				next++
			}
			s := section{cName: cName, origin: origin, begin: f.offset(begin(decls[i])), end: len(code)}
			if next < len(decls) {
				s.end = f.offset(begin(decls[next]))
			}
			s.text = strings.TrimSpace(string(code[s.begin:s.end]))
			s.imports, s.uses = f.imports(decls[i:next]), identifiers(decls[i:next])
			f.sections[typeName] = s
			f.declare(decls[i:next], typeName)
		} else {
			f.declare(decls[i:next], "")
		}
		i = next
	}
	return f, nil
}

func (f *goFile) offset(pos token.Pos) int { return f.fset.Position(pos).Offset }

// begin returns where a declaration begins, with its comment.
func begin(d ast.Decl) token.Pos {
	if doc := docOf(d); doc != nil {
		return doc.Pos()
	}
	return d.Pos()
}

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.GenDecl:
		return d.Doc
	case *ast.FuncDecl:
		return d.Doc
	}
	return nil
}

// The beginnings of comments of types, kernels and libraries of C++, as package emit writes
// them, and places in C++.
var (
	typeComment   = regexp.MustCompile(`^\S+ is ((?:struct|union|enum) .+?|an unnamed (?:struct|union|enum)) \((.+?):\d+\)(?:: \d+ bytes)?\.`)
	kernelComment = regexp.MustCompile(`^\S+Kernel\w* is (\S.*?) \((.+?:\d+)\):$`)
	holderComment = regexp.MustCompile(`^\S+ holds the (kernels.*? of .*?), loaded on one device`)
	placeComment  = regexp.MustCompile(`\(([^()]+\.[A-Za-z]+:\d+)\)`)
)

// firstLine returns the first paragraph of a comment as one line.
func firstLine(doc *ast.CommentGroup) string {
	paragraph, _, _ := strings.Cut(doc.Text(), "\n\n")
	return strings.Join(strings.Fields(paragraph), " ")
}

// typeOf returns the name of the type that d declares for one of C++, what its comment calls
// that one, and the file that declares it.
func typeOf(d ast.Decl) (goName, cName, origin string) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.TYPE || len(g.Specs) != 1 || g.Doc == nil {
		return "", "", ""
	}
	m := typeComment.FindStringSubmatch(firstLine(g.Doc))
	if m == nil {
		return "", "", ""
	}
	return g.Specs[0].(*ast.TypeSpec).Name.Name, m[1], m[2]
}

// belongs reports whether d, behind the declaration of a type, is part of it: its
// assertions, a method of it, or constants of it.
func belongs(d ast.Decl, typeName string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name == "_" && mentions(d, typeName)
		}
		return receiver(d) == typeName
	case *ast.GenDecl:
		if d.Tok == token.VAR {
			return len(d.Specs) > 0 && d.Specs[0].(*ast.ValueSpec).Names[0].Name == "_" && mentions(d, typeName)
		}
		return d.Tok == token.CONST && d.Lparen.IsValid() && slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
			id, ok := s.(*ast.ValueSpec).Type.(*ast.Ident)
			return ok && id.Name == typeName
		})
	}
	return false
}

func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// mentions reports whether name, and no other type, is the subject of the assertions of d.
func mentions(d ast.Node, name string) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if literal, ok := n.(*ast.CompositeLit); ok {
			id, ok := literal.Type.(*ast.Ident)
			found = found || ok && id.Name == name
		}
		return true
	})
	return found
}

// imports returns the import specs that decls need, as they are written.
func (f *goFile) imports(decls []ast.Decl) (list []string) {
	used := make(map[string]bool)
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok && id.Obj == nil {
					used[id.Name] = true
				}
			}
			return true
		})
	}
	for _, spec := range f.syntax.Imports {
		if used[importName(spec)] {
			list = append(list, importText(spec))
		}
	}
	return list
}

// identifiers returns the names in decls.
func identifiers(decls []ast.Decl) map[string]bool {
	names := make(map[string]bool)
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
	}
	return names
}

// importName returns the name by which a file knows what it imports.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	path := strings.Trim(spec.Path.Value, `"`)
	return path[strings.LastIndex(path, "/")+1:]
}

func importText(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name + " " + spec.Path.Value
	}
	return spec.Path.Value
}

// declare notes the names that decls declare in the package.
func (f *goFile) declare(decls []ast.Decl, owner string) {
	add := func(id *ast.Ident, doc *ast.CommentGroup) {
		if id.Name != "_" {
			n := declared{owner: owner, line: f.fset.Position(id.Pos()).Line}
			n.what, n.place = describe(id.Name, doc)
			f.names[id.Name] = n
		}
	}
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, d.Doc)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id, d.Doc)
					}
				}
			}
		}
	}
}

// describe returns what the comment of a declaration says that it stands for, and where that
// is in C++.
func describe(goName string, doc *ast.CommentGroup) (what, place string) {
	line := firstLine(doc)
	if m := placeComment.FindStringSubmatch(line); m != nil {
		place = m[1]
	}
	switch {
	case typeComment.MatchString(line):
		return typeComment.FindStringSubmatch(line)[1], place
	case kernelComment.MatchString(line):
		m := kernelComment.FindStringSubmatch(line)
		return "kernel " + m[1], m[2]
	case holderComment.MatchString(line):
		return "the " + holderComment.FindStringSubmatch(line)[1], ""
	}
	return goName, place
}

// constraint returns under which build constraint the file is compiled: by its comment and
// by its name.
func (f *goFile) constraint() constraint.Expr {
	var expr constraint.Expr
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if c.Pos() < f.syntax.Package && constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					expr = x
				}
			}
		}
	}
	return and(expr, byName(filepath.Base(f.path)))
}

// tokens returns the text of Go code without its comments, one blank between tokens.
func tokens(code string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(code)), []byte(code), nil, 0)
	var b strings.Builder
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return b.String()
		}
		if text == "" || tok.IsOperator() && tok != token.SEMICOLON {
			text = tok.String()
		}
		b.WriteString(text + " ")
	}
}
