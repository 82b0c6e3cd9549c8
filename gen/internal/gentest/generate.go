package gentest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Options are those of generating package example from a source for compute_75, with the compiler that find finds.
func Options(source string, find func() (compile.Compiler, error)) gen.Options {
	return gen.Options{Sources: []string{source}, Archs: []string{"compute_75"}, DefaultPackage: "example", FindCompiler: find}
}

// GenerateSource generates from a source with the PTX that PTXOf returns for it. It returns the Go file, and an error if that does
// not type-check. change changes the options, unless it is nil.
func GenerateSource(t testing.TB, source string, change func(*gen.Options)) (code string, result *gen.Result, err error) {
	t.Helper()
	path := Write(t, "k.cu", source)
	o := Options(path, Makes(PTXOf(t, path)))
	if change != nil {
		change(&o)
	}
	result, err = gen.Generate(t.Context(), o)
	if err != nil {
		return "", nil, err
	}
	code = Snapshot(t, filepath.Dir(path))["k_cuda.go"]
	return code, result, TypeCheck(t, code)
}

// ByEveryCompiler generates from a source, which may have integers of 128 bits, by each compiler, and calls f with the content of
// the files that are there then, by their names.
func ByEveryCompiler(t *testing.T, source string, f func(t *testing.T, files map[string]string)) {
	for name, needs := range map[string]testenv.Resource{"nvcc": testenv.NVCC, "nvrtc": testenv.NVRTC, "clang": testenv.Clang} {
		t.Run(name, func(t *testing.T) {
			testenv.Need(t, needs)
			path := Write(t, "k.cu", source)
			o := Options(path, func() (compile.Compiler, error) { return compile.Find(name, os.Getenv) })
			if name == "nvrtc" {
				o.CompilerFlags = []string{"--device-int128"}
			}
			_, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			f(t, Snapshot(t, filepath.Dir(path)))
		})
	}
}

var (
	fset       = token.NewFileSet()
	fromSource = testenv.Importer(fset, testenv.Generated...)
)

// TypeCheck type-checks the Go files of one package. It ends the test as testenv.Need does where there is no go command, which knows
// the packages that they import.
func TypeCheck(t testing.TB, files ...string) error {
	t.Helper()
	testenv.Need(t, testenv.Go)
	var parsed []*ast.File
	for _, content := range files {
		file, err := parser.ParseFile(fset, "generated.go", content, 0)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: fromSource, Sizes: types.SizesFor("gc", "amd64")}
	_, err := config.Check("generated", fset, parsed, nil)
	return err
}
