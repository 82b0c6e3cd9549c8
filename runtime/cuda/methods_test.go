package cuda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCallHasFewMethods: the compiler makes a function of each method of Call for every
// generated kernel, also when it is not exported.
func TestCallHasFewMethods(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, name := range ownMethods(file) {
			assert.Equal(t, "prepared", name, "%s: make it a function", path)
		}
	}
	control, err := parser.ParseFile(token.NewFileSet(), "", `package p
func (c *Call) Name()   {}
func (c *Call) handle() {}
func (c Call) turn()    {}
func (s *Stream) turn() {}`, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"handle", "turn"}, ownMethods(control))
}

// ownMethods returns the methods of Call in file that are not exported.
func ownMethods(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.IsExported() {
			continue
		}
		receiver := f.Recv.List[0].Type
		if pointer, ok := receiver.(*ast.StarExpr); ok {
			receiver = pointer.X
		}
		if name, ok := receiver.(*ast.Ident); ok && name.Name == "Call" {
			names = append(names, f.Name.Name)
		}
	}
	return names
}
