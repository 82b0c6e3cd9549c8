package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Error reports calls whose error nobody looks at. A launch that was refused has not run, and the
// error of a kernel arrives where the program waits, as in Close of a stream or a device. A deferred Close is no report,
// nor is _ =. A copy or a fill that is made and not launched is reported, too.
var Error = &analysis.Analyzer{
	Name:     "cudaerror",
	Doc:      "report errors of launches, waits, copies and the like that are ignored\n\nA launch that was refused has not run. A fault of a kernel is the error of the call that waits for it.",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      ignoredErrors,
}

func ignoredErrors(pass *analysis.Pass) (any, error) {
	for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.ExprStmt)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)) {
		var expr *ast.CallExpr
		how := ""
		switch n := c.Node().(type) {
		case *ast.ExprStmt:
			expr, _ = ast.Unparen(n.X).(*ast.CallExpr)
		case *ast.DeferStmt:
			expr, how = n.Call, "defer"
		case *ast.GoStmt:
			expr, how = n.Call, "go"
		}
		if expr == nil {
			continue
		}
		called, ok := called(pass, expr)
		if ok && onlyMade(called) {
			pass.ReportRangef(expr, "the result of %s is unused, and nothing is queued: call its Launch", called.name)
			continue
		}
		if !ok || !returnsError(called.fn) {
			continue
		}
		if t := runtimeType(pass.TypesInfo.TypeOf(called.recv)); called.name == "Close" && (how == "defer" || inCleanup(c) || t != "Stream" && t != "Device") {
			continue // it does not wait for work, whose fault would be its error
		}
		d := analysis.Diagnostic{Pos: expr.Pos(), End: expr.End(), Message: "the error of " + called.name + " is ignored" + consequence(called.name)}
		if results := called.fn.Signature().Results(); how == "" && results.Len() == 1 {
			for outer := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
				if onlyError(pass, outer.Node()) {
					d.SuggestedFixes = []analysis.SuggestedFix{{Message: "return it", TextEdits: []analysis.TextEdit{
						{Pos: expr.Pos(), End: expr.Pos(), NewText: []byte("if err := ")},
						{Pos: expr.End(), End: expr.End(), NewText: []byte("; err != nil {\nreturn err\n}")},
					}}}
				}
				break // the innermost function
			}
		}
		pass.Report(d)
	}
	return nil, nil
}

// onlyMade reports whether a call makes a copy or a fill, which its Launch queues.
func onlyMade(c call) bool {
	return c.recv == nil && (c.name == "Copy" || c.name == "CopyBox" || c.name == "Fill") && c.fn.Pkg().Path() == runtimePath
}

// inCleanup reports whether a statement is in a function that is deferred, or that a test calls when it ends.
func inCleanup(c inspector.Cursor) bool {
	for literal := range c.Enclosing((*ast.FuncLit)(nil)) {
		expr, ok := literal.Parent().Node().(*ast.CallExpr)
		if !ok {
			return false
		}
		if _, deferred := literal.Parent().Parent().Node().(*ast.DeferStmt); deferred {
			return true
		}
		s, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Cleanup"
	}
	return false
}

// consequence says what an ignored error hides.
func consequence(name string) string {
	switch name {
	case "Launch", "LaunchWith", "LaunchArgs":
		return ": a launch that was refused has not run"
	case "Wait", "Synchronize", "Close", "CloseContext":
		return ": faults of kernels are reported there"
	case "CopyTo", "CopyFrom":
		return ": the data may not have arrived"
	}
	return ""
}

// onlyError reports whether a function returns an error and nothing else.
func onlyError(pass *analysis.Pass, n ast.Node) bool {
	var t types.Type
	switch n := n.(type) {
	case *ast.FuncDecl:
		t = pass.TypesInfo.ObjectOf(n.Name).Type()
	case *ast.FuncLit:
		t = pass.TypesInfo.TypeOf(n)
	}
	s, ok := t.(*types.Signature)
	return ok && s.Results().Len() == 1 && returnsError(types.NewFunc(token.NoPos, nil, "", s))
}
