// Package vet finds mistakes in Go programs that use cudagen's runtime, which compilers cannot
// see: an error of a launch that nobody looks at, a buffer that some path never closes, host
// memory that is read while a copy to it is still under way.
//
// Its analyzers are those of golang.org/x/tools/go/analysis: cudagen vet runs them, and so does
// every driver of such analyzers:
//
//	go vet -vettool=$(which cudagen) ./...
//
// They report what they see within one function. What goes out of it (a result, an argument, a
// field, a closure) is taken for somebody else's: a report is nearly always a mistake, and no
// report is no proof.
//
// Package vet imports the generator's records alone, for files that are older than their sources.
// Begin to read at Analyzers.
package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// The packages that programs import.
const (
	runtimePath   = "github.com/cudagen/cudagen/runtime/cuda"
	simulatorPath = "github.com/cudagen/cudagen/runtime/sim"
	simtestPath   = "github.com/cudagen/cudagen/runtime/simtest"
)

// Analyzers returns all analyzers, sorted by their names.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{Closed, Device, Early, Error, Forgotten, Shared, Simulator, Stale, Unclosed}
}

// imports reports whether the package under analysis imports a package.
func imports(pass *analysis.Pass, path string) bool {
	for _, p := range pass.Pkg.Imports() {
		if p.Path() == path {
			return true
		}
	}
	return false
}

// runtimeType returns the name of the runtime's type that t is, or points to, or "".
func runtimeType(t types.Type) string {
	if t == nil {
		return ""
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != runtimePath {
		return ""
	}
	return named.Obj().Name()
}

// generatedKernel reports whether t is a type that cudagen generates for a kernel, or the loaded
// kernels of a file: its methods are those of the runtime.
func generatedKernel(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if name := runtimeType(f.Type()); f.Name() == "Kernel" && name == "Kernel" || f.Name() == "library" && name == "Library" || f.Embedded() && name == "Call" {
			return true
		}
	}
	return false
}

// A call is one of a function or method of the runtime, or of what cudagen generates.
type call struct {
	expr *ast.CallExpr
	name string   // Launch
	recv ast.Expr // of a method, or nil
	fn   *types.Func
}

// called returns what expr calls, when that belongs to the runtime or to generated code.
func called(pass *analysis.Pass, expr *ast.CallExpr) (call, bool) {
	fun := ast.Unparen(expr.Fun)
	switch f := fun.(type) { // an instance
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var id *ast.Ident
	c := call{expr: expr}
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
		if pass.TypesInfo.Selections[f] != nil {
			c.recv = f.X
		}
	default:
		return c, false
	}
	fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || !fn.Exported() {
		return c, false
	}
	c.fn, c.name = fn, fn.Name()
	if fn.Pkg().Path() == runtimePath {
		return c, true
	}
	if recv := fn.Signature().Recv(); recv != nil {
		return c, generatedKernel(recv.Type())
	}
	return c, false
}

// variable returns the variable that expr is, or nil.
func variable(pass *analysis.Pass, expr ast.Expr) *types.Var {
	id, ok := ast.Unparen(expr).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := pass.TypesInfo.ObjectOf(id).(*types.Var)
	return v
}

// mention returns where n, with the functions in it, uses v first, or nil.
func mention(pass *analysis.Pass, n ast.Node, v *types.Var) (use ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && use == nil && pass.TypesInfo.Uses[id] == v {
			use = id
		}
		return use == nil
	})
	return use
}

// returnsError reports whether the last result of fn is an error.
func returnsError(fn *types.Func) bool {
	results := fn.Signature().Results()
	return results.Len() > 0 && types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
}

// isTest reports whether a node is in a test file.
func isTest(pass *analysis.Pass, n ast.Node) bool {
	return strings.HasSuffix(pass.Fset.Position(n.Pos()).Filename, "_test.go")
}
