package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"io/fs"
)

// withoutExample are types that need no example of their own, beside those in the examples of
// BuildGraph, NewBatch, Bind, Trace and NewTexture.
var withoutExample = map[string]*regexp.Regexp{
	"runtime/cuda":     regexp.MustCompile(`^(|Copy|Fill|Bound)Call$|^(BatchError|Code|Conditional|ConditionalHandle|Dim3|EventHandle|GraphExec|Library|Node|Ptr|Range|Shape|Spec|Stats|TraceSummary)$`),
	"runtime/cuda/vec": regexp.MustCompile(`^BFloat16$`),
	"runtime/profile":  regexp.MustCompile(`^GPU$`),
	"runtime/simtest":  regexp.MustCompile(`^$`),
	"runtime/link":     regexp.MustCompile(`^(Error|Input|Kind)$`),
	"runtime/nvrtc":    regexp.MustCompile(`^(Compiled|Stats)$`),
	"gen":              regexp.MustCompile(`^$`),
}

// TestMainTypesHaveExamples: the documentation of each type that does something shows how.
func TestMainTypesHaveExamples(t *testing.T) {
	for _, folder := range slices.Sorted(maps.Keys(withoutExample)) {
		missing, err := typesWithoutExample(os.DirFS(filepath.Join(root, folder)), folder)
		require.NoError(t, err)
		for _, name := range missing {
			if !withoutExample[folder].MatchString(name) {
				t.Errorf("%s.%s has no Example function", folder, name)
			}
		}
	}
}

// typesWithoutExample returns the exported types with methods or constructors for which a package
// has no Example function: neither of the type, a method, nor a function that returns it.
func typesWithoutExample(fsys fs.FS, path string) (names []string, err error) {
	fset := token.NewFileSet()
	matches, err := fs.Glob(fsys, "*.go")
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range matches {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "_gen.go") {
			continue // a program of its own
		}
		file, err := parser.ParseFile(fset, filepath.Base(name), text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return nil, err
	}
	for _, typ := range pkg.Types {
		examples := len(typ.Examples)
		functions := slices.Concat(typ.Funcs, typ.Methods)
		for _, f := range functions {
			examples += len(f.Examples)
		}
		if examples == 0 && len(functions) > 0 {
			names = append(names, typ.Name)
		}
	}
	return names, nil
}

// TestATypeWithoutExampleIsSeen is the control.
func TestATypeWithoutExampleIsSeen(t *testing.T) {
	names, err := typesWithoutExample(fstest.MapFS{
		"p.go":      {Data: []byte("package p\n\ntype A int\n\nfunc (A) M() {}\n\ntype B int\n\nfunc NewB() B { return 0 }\n\ntype C int\n\nfunc (C) M() {}\n\ntype Plain struct{}\n")},
		"p_test.go": {Data: []byte("package p_test\n\nfunc ExampleNewB() {}\n\nfunc ExampleC_M() {}\n")},
	}, "p")
	require.NoError(t, err)
	assert.Equal(t, []string{"A"}, names)
}
