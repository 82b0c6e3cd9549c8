package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The gate's lists of tests that may be skipped name tests that exist.
func TestSkipsAreTests(t *testing.T) {
	module := os.DirFS(root)
	tests := testsIn(t, module)
	lists, err := fs.Glob(module, ".ci/skips/*")
	require.NoError(t, err)
	require.NotEmpty(t, lists)
	for _, list := range lists {
		text, err := fs.ReadFile(module, list)
		require.NoError(t, err)
		assert.Empty(t, missing(string(text), tests), list)
	}
	assert.Equal(t, []string{"TestGone/case"}, missing("TestSkipsAreTests\nTestGone/case\n", tests), "the control")
}

// missing returns the lines of list whose test is not among tests.
func missing(list string, tests map[string]bool) (lines []string) {
	for _, line := range strings.Fields(list) {
		name, _, _ := strings.Cut(line, "/")
		if !tests[name] {
			lines = append(lines, line)
		}
	}
	return lines
}

// testsIn returns the names of functions in the tests of the module.
func testsIn(t *testing.T, module fs.FS) map[string]bool {
	names := make(map[string]bool)
	require.NoError(t, fs.WalkDir(module, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata/") {
			return err
		}
		text, err := fs.ReadFile(module, file)
		require.NoError(t, err)
		syntax, err := parser.ParseFile(token.NewFileSet(), path.Base(file), text, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range syntax.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
		return nil
	}))
	return names
}
