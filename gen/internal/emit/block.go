package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/model"
)

// extra prints the Go declarations that emitters add at a place.
func (e *emitter) extra(blocks model.Blocks, name model.Block) {
	if text := strings.TrimSpace(blocks[name]); text != "" {
		e.out.Op(text)
		e.out.Line()
	}
}

// moreDoc prints what emitters add to a doc comment.
func (e *emitter) moreDoc(blocks model.Blocks, name model.Block) {
	e.doc(docLines(blocks[name]))
}

// docLines returns the lines of text without slashes in front of them; none for no text.
func docLines(text string) (lines []string) {
	text = strings.Trim(text, "\n\r\t ")
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r\t ")
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	return lines
}

// header puts the text that emitters add behind the first line of src.
func (e *emitter) header(src []byte) []byte {
	lines := docLines(e.Blocks[model.FileHeader])
	if len(lines) == 0 {
		return src
	}
	var b bytes.Buffer
	first, rest, _ := bytes.Cut(src, []byte("\n"))
	b.Write(first)
	b.WriteString("\n\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
	if !bytes.HasPrefix(rest, []byte("\n")) {
		b.WriteString("\n")
	}
	b.Write(rest)
	return b.Bytes()
}

// blockImports adds to src, in which each import has a line of its own, the imports that blocks
// need and use.
func (e *emitter) blockImports(src []byte) ([]byte, error) {
	if len(e.BlockImports) == 0 {
		return src, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, e.Source, src, 0)
	if err != nil {
		return nil, err
	}
	used := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	names := make(map[string]string)
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	var lines []string
	for _, i := range e.BlockImports {
		path, known := names[i.Name]
		switch {
		case i.Name == "_":
			lines = append(lines, "_ "+strconv.Quote(i.Path))
		case !used[i.Name] || known && path == i.Path:
		case known:
			return nil, fmt.Errorf("a block imports %q as %s, and that is %q in this file", i.Path, i.Name, path)
		case i.Name == i.Path[strings.LastIndex(i.Path, "/")+1:]:
			names[i.Name] = i.Path
			lines = append(lines, strconv.Quote(i.Path))
		default:
			names[i.Name] = i.Path
			lines = append(lines, i.Name+" "+strconv.Quote(i.Path))
		}
	}
	const begin = "\nimport (\n"
	at := bytes.Index(src, []byte(begin))
	if len(lines) == 0 || at < 0 {
		return src, nil
	}
	return slices.Concat(src[:at], []byte(begin), []byte(strings.Join(lines, "\n")+"\n"), src[at+len(begin):]), nil
}
