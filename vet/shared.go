package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Shared reports a prepared call that several goroutines use: one goroutine at a time may set and
// launch it.
var Shared = &analysis.Analyzer{
	Name:     "cudashared",
	Doc:      "report prepared calls that several goroutines use\n\nOne goroutine at a time may use a call: Set changes the arguments that another launches. Give each its Clone.",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      shared,
}

func shared(pass *analysis.Pass) (any, error) {
	if !imports(pass, runtimePath) {
		return nil, nil
	}
	started := make(map[*types.Var]ast.Node) // calls that a goroutine uses already
	for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.GoStmt)(nil), (*ast.CallExpr)(nil)) {
		statement, literal := c.Node(), goroutine(pass, c.Node())
		if literal == nil {
			continue
		}
		reported := make(map[*types.Var]bool)
		ast.Inspect(literal.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := pass.TypesInfo.Uses[id].(*types.Var)
			if !ok || v.IsField() || reported[v] || !isCall(v.Type()) || literal.Pos() <= v.Pos() && v.Pos() < literal.End() {
				return true
			}
			loop := innerLoop(c, v)
			if started[v] == nil && loop == nil || locked(pass, literal.Body) {
				started[v] = statement
				return true
			}
			reported[v] = true
			where := "another goroutine uses it, too"
			if loop != nil {
				where = "each turn of the loop starts one that does"
			}
			pass.ReportRangef(id, "%s is a prepared call, which one goroutine at a time may use, and %s: give each its Clone", v.Name(), where)
			return true
		})
	}
	return nil, nil
}

// goroutine returns the function that n runs in a goroutine of its own: by a go statement, or as the argument of a method
// Go, as sync.WaitGroup and errgroup.Group have it. It is nil for others.
func goroutine(pass *analysis.Pass, n ast.Node) *ast.FuncLit {
	var run ast.Expr
	switch n := n.(type) {
	case *ast.GoStmt:
		run = n.Call.Fun
	case *ast.CallExpr:
		method, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if !ok || len(n.Args) != 1 || method.Sel.Name != "Go" && method.Sel.Name != "TryGo" || pass.TypesInfo.Selections[method] == nil {
			return nil
		}
		run = n.Args[0]
	}
	literal, _ := ast.Unparen(run).(*ast.FuncLit)
	return literal
}

// isCall reports whether t is a prepared call: the runtime's, or a generated one.
func isCall(t types.Type) bool {
	if runtimeType(t) == "Call" {
		return true
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() && runtimeType(f.Type()) == "Call" {
			return true
		}
	}
	return false
}

// innerLoop returns a loop around the statement at c that does not declare v anew in each turn.
func innerLoop(c inspector.Cursor, v *types.Var) ast.Node {
	for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		n := outer.Node()
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return nil
		}
		if v.Pos() < n.Pos() || v.Pos() >= n.End() {
			return n
		}
	}
	return nil
}

// locked reports whether a body takes a lock: it knows of the others.
func locked(pass *analysis.Pass, body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if fn, ok := pass.TypesInfo.Uses[s.Sel].(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync" && fn.Name() == "Lock" {
				found = true
			}
		}
		return !found
	})
	return found
}
