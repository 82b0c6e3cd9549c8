package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Unclosed reports buffers, streams, events and graphs that some path of the function that made
// them never closes. What is returned, stored, passed on or captured is somebody else's; a
// function that closes the device closes all that is on it. In main.main, and in functions of main
// that open a device, things live as long as the process. Tests are left to simtest, which reports
// what is open when they end.
var Unclosed = &analysis.Analyzer{
	Name:     "cudaunclosed",
	Doc:      "report buffers, streams, events and graphs that some path never closes\n\nGo's garbage collector does not see memory of a device. A buffer that is not closed is lost until the device is closed.",
	Requires: flowRequires,
	Run:      unclosed,
}

// closable are the runtime's types that must be closed.
var closable = []string{"Buffer", "HostBuffer", "ManagedBuffer", "Stream", "Event", "GraphExec", "Library"}

func unclosed(pass *analysis.Pass) (any, error) {
	for f := range functions(pass) {
		if f.main || isTest(pass, f.body) || f.ownsDevice() {
			continue
		}
		for n := range f.nodes() {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && len(a.Lhs) == 2 {
				f.reportUnclosed(a)
			}
		}
	}
	return nil, nil
}

// ownsDevice reports whether f closes a device, or opens one for the whole process.
func (f *function) ownsDevice() bool {
	for c := range f.calls(f.body) {
		switch c.name {
		case "Close", "CloseContext":
			if runtimeType(f.pass.TypesInfo.TypeOf(c.recv)) == "Device" {
				return true
			}
		case "Open", "OpenDefault", "OpenSimulator", "OpenID":
			if c.recv == nil && f.pass.Pkg.Name() == "main" {
				return true
			}
		}
	}
	return false
}

// reportUnclosed reports what a makes, if that must be closed and a path does not.
func (f *function) reportUnclosed(a *ast.AssignStmt) {
	expr, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	v, err := variable(f.pass, a.Lhs[0]), variable(f.pass, a.Lhs[1])
	if !ok || v == nil || v.Name() == "_" || !f.declares(v) || !f.makes(expr) {
		return
	}
	var missed *ast.ReturnStmt
	f.follow(a, err, func(n ast.Node) verdict {
		if f.handles(n, v) {
			return leavePath
		}
		if r, ok := n.(*ast.ReturnStmt); ok {
			missed = r
			return finish
		}
		return goOn
	})
	if missed == nil {
		return
	}
	f.pass.Report(analysis.Diagnostic{
		Pos: a.Pos(), End: a.End(),
		Message:        fmt.Sprintf("%s is not closed on the path that returns on line %d", v.Name(), f.pass.Fset.Position(missed.Pos()).Line),
		SuggestedFixes: f.deferClose(a, v, err),
	})
}

// makes reports whether expr returns something new that must be closed, and an error.
func (f *function) makes(expr *ast.CallExpr) bool {
	results, ok := f.pass.TypesInfo.TypeOf(expr).(*types.Tuple)
	if !ok || results.Len() != 2 || !types.Identical(results.At(1).Type(), types.Universe.Lookup("error").Type()) {
		return false
	}
	return slices.Contains(closable, runtimeType(results.At(0).Type()))
}

// handles reports whether n closes v, or hands it to somebody: all that is not the call of another
// method of v.
func (f *function) handles(n ast.Node, v *types.Var) bool {
	harmless := make(map[*ast.Ident]bool)
	handled := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && s.Sel.Name != "Close" && s.Sel.Name != "CloseContext" && s.Sel.Name != "Owner" {
				if id, ok := ast.Unparen(s.X).(*ast.Ident); ok {
					harmless[id] = true
				}
			}
			// The runtime and generated code keep no arguments, but for owners, which they look after: a stream that
			// work is queued on, an event that is waited for, stay the caller's.
			_, borrows := called(f.pass, n)
			for _, argument := range n.Args {
				if id, ok := ast.Unparen(argument).(*ast.Ident); ok && borrows {
					harmless[id] = true
				}
			}
		case *ast.FuncLit:
			handled = handled || mention(f.pass, n, v) != nil
			return false
		case *ast.Ident:
			handled = handled || f.pass.TypesInfo.Uses[n] == v && !harmless[n]
		}
		return !handled
	})
	return handled
}

// deferClose returns the fix, when the error is looked at directly behind a and nothing closes v.
func (f *function) deferClose(a *ast.AssignStmt, v, err *types.Var) []analysis.SuggestedFix {
	for c := range f.calls(f.body) {
		if (c.name == "Close" || c.name == "CloseContext") && variable(f.pass, c.recv) == v {
			return nil
		}
	}
	for n := range f.nodes() {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			continue
		}
		i := slices.Index(block.List, ast.Stmt(a))
		if i < 0 || i+1 == len(block.List) || block != f.body {
			continue // in a loop, what is deferred would wait for the function's end
		}
		check, ok := block.List[i+1].(*ast.IfStmt)
		if !ok || check.Init != nil || check.Else != nil || err == nil || f.failing(check.Cond, err) != 0 || len(check.Body.List) == 0 {
			return nil
		}
		if _, ok := check.Body.List[len(check.Body.List)-1].(*ast.ReturnStmt); !ok {
			return nil
		}
		return []analysis.SuggestedFix{{Message: "close it when the function returns", TextEdits: []analysis.TextEdit{
			{Pos: check.End(), End: check.End(), NewText: []byte("\ndefer " + v.Name() + ".Close()")},
		}}}
	}
	return nil
}
