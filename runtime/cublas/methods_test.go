package cublas_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cublas"
)

// A method is a generated function of a Handle.
type method struct {
	name, symbol string
	params       []string // with the stream, if it has one
	typ          reflect.Type
	index        int // of reflection
}

// methods returns those of the generated file, and the C functions that this calls.
func methods(t testing.TB) (list []method, symbols []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "cublas_clib.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	handle := reflect.TypeFor[*cublas.Handle]()
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Symbol" {
				symbols = append(symbols, strings.Trim(n.Value.(*ast.BasicLit).Value, `"`))
			}
		case *ast.FuncDecl:
			if symbol := called(n); n.Recv != nil && symbol != "" {
				found, ok := handle.MethodByName(n.Name.Name)
				require.True(t, ok, "%s", n.Name.Name)
				list = append(list, method{n.Name.Name, symbol, names(n.Type.Params), found.Type, found.Index})
			}
			return false
		}
		return true
	})
	return list, symbols
}

// called returns the C function that f calls; "" for none.
func called(f *ast.FuncDecl) (symbol string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "c_cublas") {
			symbol = strings.TrimPrefix(id.Name, "c_")
		}
		return true
	})
	return symbol
}

func names(fields *ast.FieldList) (list []string) {
	for _, f := range fields.List {
		for _, id := range f.Names {
			list = append(list, id.Name)
		}
	}
	return list
}

var variant = regexp.MustCompile(`^cublas|_v2|_64`)

// base returns the name of the C function without what its variants differ in: Sgemm.
func (m method) base() string { return variant.ReplaceAllString(m.symbol, "") }

// has reports whether m has a parameter of that name.
func (m method) has(name string) bool {
	for _, p := range m.params {
		if p == name {
			return true
		}
	}
	return false
}

// isDeviceSlice reports whether t is a cuda.Slice.
func isDeviceSlice(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Slice[")
}
