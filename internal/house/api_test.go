package house

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

var updateAPI = flag.Bool("update", false, "rewrite the files in api")

// published are the packages that programs and generated code import, and their files in api.
var published = map[string]string{
	"runtime/cuda": "cuda.txt", "runtime/cuda/tensormap": "tensormap.txt", "runtime/cuda/vec": "vec.txt", "runtime/link": "link.txt", "runtime/nccl": "nccl.txt", "runtime/nvrtc": "nvrtc.txt", "runtime/profile": "profile.txt", "runtime/simtest": "simtest.txt", "gen": "gen.txt", "gen/clib": "genclib.txt", "runtime/clib": "clib.txt", "runtime/cublas": "cublas.txt", "runtime/cublaslt": "cublaslt.txt", "runtime/cufft": "cufft.txt", "runtime/curand": "curand.txt", "runtime/cusolver": "cusolver.txt", "runtime/cusparse": "cusparse.txt", "runtime/clib/hostwork": "hostwork.txt", "gen/inspect": "inspect.txt", "gen/model": "model.txt",
	"templates": "templates.txt",
}

// What tests import is read once.
var (
	fset     = token.NewFileSet()
	imported = testenv.Importer(fset, likely()...)
)

// likely are the packages that tests import themselves.
func likely() (paths []string) {
	for folder := range published {
		paths = append(paths, module+"/"+folder)
	}
	return append(paths, module+"/example", module+"/vet")
}

// TestAPI compares every exported name with the files in api: a change of the API is a
// change of theirs. go test ./internal/house -run TestAPI -update rewrites them.
func TestAPI(t *testing.T) {
	for folder, file := range published {
		if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
			continue // there is no such package yet
		}
		t.Run(folder, func(t *testing.T) {
			pkg, err := imported.Import(module + "/" + folder)
			require.NoError(t, err)
			got := strings.Join(exported(pkg), "\n") + "\n"
			path := filepath.Join(root, "api", file)
			if *updateAPI {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), got, "go test ./internal/house -run TestAPI -update rewrites %s", path)
		})
	}
}

// exported lists what pkg exports, a line each, sorted: objects, fields and methods.
func exported(pkg *types.Package) (lines []string) {
	qualifier := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprintf("const %s %s = %s", name, types.TypeString(object.Type(), qualifier), object.Val().ExactString()))
		case *types.TypeName:
			lines = append(lines, typeLines(object, qualifier)...)
		case *types.Var:
			lines = append(lines, types.ObjectString(object, qualifier))
			if named, ok := object.Type().(*types.Named); ok && !named.Obj().Exported() {
				lines = append(lines, members(name, named, qualifier)...)
			}
		default:
			lines = append(lines, types.ObjectString(object, qualifier))
		}
	}
	slices.Sort(lines)
	return lines
}

// typeLines lists a type with its fields and methods.
func typeLines(object *types.TypeName, qualifier types.Qualifier) []string {
	name := object.Name()
	named, ok := object.Type().(*types.Named)
	if !ok {
		line := []string{types.ObjectString(object, qualifier)}
		hidden, _ := types.Unalias(object.Type()).(*types.Named)
		if hidden == nil || !slices.Contains(strings.Split(hidden.Obj().Pkg().Path(), "/"), "internal") {
			return line
		}
		if types.IsInterface(hidden) {
			line[0] += " " + types.TypeString(hidden.Underlying(), qualifier)
		}
		return append(line, members(name, hidden, qualifier)...) // which stand nowhere else
	}
	kind := types.TypeString(named.Underlying(), qualifier)
	if _, isStruct := named.Underlying().(*types.Struct); isStruct {
		kind = "struct"
	}
	parameters := ""
	if list := named.TypeParams(); list.Len() > 0 {
		var names []string
		for parameter := range list.TypeParams() {
			names = append(names, parameter.Obj().Name()+" "+types.TypeString(parameter.Constraint(), qualifier))
		}
		parameters = "[" + strings.Join(names, ", ") + "]"
	}
	return append([]string{"type " + name + parameters + " " + kind}, members(name, named, qualifier)...)
}

// members lists the exported fields and methods of a type that is called name.
func members(name string, named *types.Named, qualifier types.Qualifier) (lines []string) {
	if s, ok := named.Underlying().(*types.Struct); ok {
		for field := range s.Fields() {
			if field.Exported() {
				lines = append(lines, fmt.Sprintf("field %s.%s %s", name, field.Name(), types.TypeString(field.Type(), qualifier)))
			}
		}
	}
	if _, isInterface := named.Underlying().(*types.Interface); isInterface {
		return lines // its type has them
	}
	for selection := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		f, ok := selection.Obj().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		_, byPointer := f.Signature().Recv().Type().(*types.Pointer)
		star := ""
		if byPointer {
			star = "*"
		}
		lines = append(lines, fmt.Sprintf("method (%s%s) %s%s", star, name, f.Name(), strings.TrimPrefix(types.TypeString(f.Type(), qualifier), "func")))
	}
	return lines
}

// What other modules can import of the generator is locked, and shows its use.
func TestGeneratorIsPublished(t *testing.T) {
	for pkg := range allowed {
		if folders := strings.Split(pkg, "/"); folders[0] != "gen" || slices.Contains(folders, "internal") {
			continue
		}
		assert.Contains(t, published, pkg)
		files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(files, func(file string) bool {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			return strings.Contains(string(src), "\nfunc Example")
		}), "%s has no example", pkg)
	}
}

// TestAPIShowsChanges is the control: each kind of change has a line of its own.
func TestAPIShowsChanges(t *testing.T) {
	before := lines(t, "type T[E any] struct{ A int; b int }\nfunc (t *T[E]) M(x int) error { return nil }\nfunc F(t T[int]) {}\nconst C = 1\nvar V hidden\ntype hidden struct{}\nfunc (hidden) H() {}\n")
	assert.Equal(t, []string{
		"const C untyped int = 1", "field T.A int", "func F(t T[int])", "method (*T) M(x int) error", "method (V) H()", "type T[E any] struct", "var V hidden",
	}, before)
	for _, change := range []string{
		"type T[E any] struct{ A uint; b int }\nfunc (t *T[E]) M(x int) error { return nil }\nfunc F(t T[int]) {}\nconst C = 1\nvar V hidden\ntype hidden struct{}\nfunc (hidden) H() {}\n",
		"type T[E any] struct{ A int; b int }\nfunc (t *T[E]) M(x uint) error { return nil }\nfunc F(t T[int]) {}\nconst C = 1\nvar V hidden\ntype hidden struct{}\nfunc (hidden) H() {}\n",
		"type T[E any] struct{ A int; b int }\nfunc (t *T[E]) M(x int) error { return nil }\nfunc F(t T[int]) {}\nconst C = 2\nvar V hidden\ntype hidden struct{}\nfunc (hidden) H() {}\n",
		"type T[E any] struct{ A int; b int }\nfunc (t *T[E]) M(x int) error { return nil }\nfunc F(t T[int]) {}\nconst C = 1\nvar V hidden\ntype hidden struct{}\nfunc (hidden) H(int) {}\n",
	} {
		assert.NotEqual(t, before, lines(t, change), change)
	}
}

// lines lists what a package with the declarations given exports.
func lines(t *testing.T, declarations string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+declarations, 0)
	require.NoError(t, err)
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	return exported(pkg)
}
