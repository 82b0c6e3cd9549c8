package directive

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
)

// translate replaces what is C++ and not Go in source, sizeof(…), qualified names and names that are keywords of Go, by
// Go names of the same length, so that positions stay. foreign has the C++, by the offset of
// the name that stands for it.
func translate(source string) (translated string, foreign map[int]string) {
	out := []byte(source)
	foreign = cu.ExpressionNames(source)
	for i, text := range foreign {
		if !strings.ContainsAny(text, ":(") && !token.IsKeyword(text) {
			delete(foreign, i)
			continue
		}
		copy(out[i:], "X"+strings.Repeat("_", len(text)-1))
	}
	return string(out), foreign
}

// parse reads a translated expression. Names that are keywords of Go have their text again.
func parse(translated string, foreign map[int]string) (ast.Expr, error) {
	parsed, err := parser.ParseExpr(translated)
	if err != nil {
		return nil, err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && token.IsKeyword(foreign[int(id.Pos())-1]) {
			id.Name = foreign[int(id.Pos())-1]
			delete(foreign, int(id.Pos())-1)
		}
		return true
	})
	return parsed, nil
}
