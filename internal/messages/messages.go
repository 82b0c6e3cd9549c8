// Package messages finds the texts of diagnostics in Go source, for tests that require a
// case for each.
//
// It knows Go syntax, and of diagnostics how they are made; not which there are, and not what they say. It takes every
// string with a blank inside a function for the text of a message.
package messages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Message is the text of a diagnostic, or a part of it, in the source.
type Message struct {
	Pos     token.Position
	Func    string         // the function that it stands in: parse, or Scanner.next
	Text    string         // "has type %s, which is a constant"; … stands for the parts that are not constant
	pattern *regexp.Regexp // of the diagnostics that it makes
}

// verb is a verb of package fmt; "%%" is one too.
var verb = regexp.MustCompile(`%(?:\[\d+\])?[a-zA-Z%]`)

// InPackage returns the messages in the Go files of the folder dir, without its tests, in
// source order. Arguments of panic are not messages, and those of diag.Do belong to one.
func InPackage(dir string) ([]Message, error) {
	var found []Message
	fset := token.NewFileSet()
	files, err := sources(fset, dir)
	for _, file := range files {
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
				name := nameOf(function)
				for _, m := range inFunction(fset, function.Body) {
					m.Func = name
					found = append(found, m)
				}
			}
		}
	}
	return found, err
}

// sources returns the Go files of the folder dir, without its tests.
func sources(fset *token.FileSet, dir string) (files []*ast.File, err error) {
	isSource := func(file fs.DirEntry) bool {
		return strings.HasSuffix(file.Name(), ".go") && !strings.HasSuffix(file.Name(), "_test.go")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !isSource(entry) {
			continue
		}
		file, err := parser.ParseFile(fset, dir+"/"+entry.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// nameOf returns the name of a function, with that of its receiver's type in front.
func nameOf(function *ast.FuncDecl) string {
	name := function.Name.Name
	if function.Recv == nil {
		return name
	}
	typ := function.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name + "." + name
		default:
			return name
		}
	}
}

func inFunction(fset *token.FileSet, body ast.Node) []Message {
	var found []Message
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			called, ok := node.Fun.(*ast.Ident)
			return (!ok || called.Name != "panic") && !isNamed(node.Fun, "diag", "Do")
		case *ast.BinaryExpr, *ast.BasicLit:
			text, others := textOf(node.(ast.Expr))
			if strings.Contains(strings.TrimSpace(strings.Trim(text, "…")), " ") {
				found = append(found, Message{Pos: fset.Position(node.Pos()), Text: text, pattern: patternOf(text)})
			}
			for _, other := range others {
				found = append(found, inFunction(fset, other)...)
			}
			return false
		}
		return true
	})
	return found
}

// textOf returns the text of a string literal, or of several that + joins. … stands for
// operands that are none: they are returned, too.
func textOf(e ast.Expr) (text string, others []ast.Expr) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ = strconv.Unquote(e.Value)
		}
		return text, nil
	case *ast.BinaryExpr:
		left, before := textOf(e.X)
		right, behind := textOf(e.Y)
		if e.Op == token.ADD {
			return left + right, append(before, behind...)
		}
		return "", []ast.Expr{&ast.ParenExpr{X: e.X}, &ast.ParenExpr{X: e.Y}}
	}
	return "…", []ast.Expr{e}
}

func patternOf(text string) *regexp.Regexp {
	var b strings.Builder
	for i, part := range strings.Split(verb.ReplaceAllString(text, "…"), "…") {
		if i > 0 {
			b.WriteString(`(?s:.*)`)
		}
		b.WriteString(regexp.QuoteMeta(part))
	}
	return regexp.MustCompile(b.String())
}

// Missing returns the messages that no diagnostic contains.
func Missing(list []Message, diagnostics []string) []Message {
	var missing []Message
	for _, m := range list {
		seen := false
		for _, d := range diagnostics {
			seen = seen || m.pattern.MatchString(d)
		}
		if !seen {
			missing = append(missing, m)
		}
	}
	return missing
}

// caret is a line such as
//
//	//      ^ ERROR "a block has from 1 to 1024 threads"
//
// that says which error is expected at the place over the ^, in the last line above that is not
// such a line. Without a ^ it is the first place of that line.
var caret = regexp.MustCompile(`^//(?: *\^)? ERROR "(.*)"$`)

// Expected returns the patterns of the carets in src by the offset of their places.
func Expected(src []byte) map[int][]string {
	expected := make(map[int][]string)
	offset, above := 0, 0 // of the line, and of the last line without a caret
	for line := range strings.Lines(string(src)) {
		if m := caret.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			place := above + max(0, strings.IndexByte(line[:strings.Index(line, " ERROR")], '^'))
			expected[place] = append(expected[place], m[1])
		} else {
			above = offset
		}
		offset += len(line)
	}
	return expected
}

// Uncoded returns where functions in the Go files of the folder dir, without its tests, make an error that has
// no code of package diag: with errors.New, with an fmt.Errorf that wraps nothing, and as a literal without a code.
func Uncoded(dir string) ([]token.Position, error) {
	fset := token.NewFileSet()
	files, err := sources(fset, dir)
	var found []token.Position
	inspect := func(function *ast.FuncDecl) {
		ast.Inspect(function, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && (isNamed(call.Fun, "errors", "New") || isNamed(call.Fun, "fmt", "Errorf") && !wraps(call)) {
				found = append(found, fset.Position(node.Pos()))
			}
			if literal, ok := node.(*ast.CompositeLit); ok && isCodeless(literal) {
				found = append(found, fset.Position(node.Pos()))
			}
			return true
		})
	}
	for _, file := range files {
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok {
				inspect(function)
			}
		}
	}
	return found, err
}

// isNamed reports whether e is pkg.name.
func isNamed(e ast.Expr, pkg, name string) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	id, ok := selector.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// wraps reports whether the format of call has %w.
func wraps(call *ast.CallExpr) bool {
	format, _ := textOf(call.Args[0])
	return strings.Contains(format, "%w")
}

// isCodeless reports whether literal is a diag.Error, or a diag.List with one, that has no code.
func isCodeless(literal *ast.CompositeLit) bool {
	if isNamed(literal.Type, "diag", "List") {
		return slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool {
			one, ok := e.(*ast.CompositeLit)
			return ok && !hasMessage(one)
		})
	}
	return isNamed(literal.Type, "diag", "Error") && !hasMessage(literal)
}

// hasMessage reports whether literal sets the field Message to something that may have a code.
func hasMessage(literal *ast.CompositeLit) bool {
	message, ok := field(literal, "Message").(*ast.CompositeLit)
	return field(literal, "Message") != nil && (!ok || field(message, "Code") != nil)
}

// field returns what literal sets the field name to, or nil.
func field(literal *ast.CompositeLit, name string) ast.Expr {
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}
