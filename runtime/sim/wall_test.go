package sim

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterpreterKnowsNoDevice holds the wall inside of this package: files with calls of the driver use the
// interpreter, and not the other way round (docs/DECISIONS.md, "Where are the walls of the simulated device?").
func TestInterpreterKnowsNoDevice(t *testing.T) {
	driverSide, breaches := wall(t, os.DirFS("."))
	assert.Greater(t, driverSide, 20)
	assert.Empty(t, breaches)
}

// TestWallIsSeen is the control.
func TestWallIsSeen(t *testing.T) {
	driverSide, breaches := wall(t, fstest.MapFS{
		"a_device.go":    {Data: []byte("package sim\n\ntype device struct{ run *run }\n\nfunc newDevice() *device { return nil }\n")},
		"a_stream.go":    {Data: []byte("package sim\n\ntype stream struct{}\n\nfunc (d *device) stream() stream { return stream{} }\n")},
		"inner.go":       {Data: []byte("package sim\n\ntype run struct{}\n\nfunc (r *run) stream() {}\n\nfunc run2(device int) int { return device }\n")},
		"wrong.go":       {Data: []byte("package sim\n\nvar s stream\n")},
		"wronger.go":     {Data: []byte("package sim\n\nfunc f(d *device) {}\n")},
		"wrong_test.go":  {Data: []byte("package sim\n\nvar t stream\n")},
		"wrong_amd64.go": {Data: []byte("package sim\n\nvar d = newDevice\n")},
	})
	assert.Equal(t, 2, driverSide)
	assert.Equal(t, []string{"wrong.go: stream", "wrong_amd64.go: newDevice", "wronger.go: device"}, breaches)
}

// wall returns how many files belong to the driver's side, as they have the type device or a method of it, and which other
// files use what these declare.
func wall(t *testing.T, fsys fs.FS) (driverSide int, breaches []string) {
	names, err := fs.Glob(fsys, "*.go")
	require.NoError(t, err)
	files := make(map[string]*ast.File)
	declared := make(map[string]bool)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(fsys, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
		require.NoError(t, err)
		if own := declarations(file); isDriverSide(file) {
			driverSide++
			for _, n := range own {
				declared[n] = true
			}
		} else {
			files[name] = file
		}
	}
	for _, name := range names {
		seen := make(map[string]bool)
		for _, id := range unresolved(files[name]) {
			if declared[id.Name] && !seen[id.Name] {
				seen[id.Name] = true
				breaches = append(breaches, name+": "+id.Name)
			}
		}
	}
	return driverSide, breaches
}

// unresolved returns the names that a file, or nil, uses of other files.
func unresolved(file *ast.File) []*ast.Ident {
	if file == nil {
		return nil
	}
	return file.Unresolved
}

// isDriverSide reports whether a file has the type device, or a method of it.
func isDriverSide(file *ast.File) bool {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
			if id, ok := star.X.(*ast.Ident); ok && isDriverType(id.Name) {
				return true
			}
		}
	}
	return file.Scope.Lookup("device") != nil
}

// isDriverType reports whether a type is the device, its context, or one of the groups of calls that it is made of.
func isDriverType(name string) bool {
	return name == "device" || name == "primaryContext" || strings.HasSuffix(name, "Calls")
}

// declarations returns what a file declares besides methods.
func declarations(file *ast.File) (names []string) {
	for name := range file.Scope.Objects {
		names = append(names, name)
	}
	return names
}
