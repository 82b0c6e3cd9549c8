package vet

import (
	"go/ast"
	"go/token"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Simulator reports tests that open a device and do not import the simulated one: where there is
// no GPU, they fail.
var Simulator = &analysis.Analyzer{
	Name:     "cudasimulator",
	Doc:      "report tests that open a device without the simulated one\n\nImport runtime/sim, or use runtime/simtest: the tests then run on machines without a GPU, too.",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      simulator,
}

func simulator(pass *analysis.Pass) (any, error) {
	if !imports(pass, runtimePath) || imports(pass, simulatorPath) || imports(pass, simtestPath) {
		return nil, nil
	}
	for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
		expr := c.Node().(*ast.CallExpr)
		called, ok := called(pass, expr)
		if !ok || called.recv != nil || called.name != "OpenDefault" && called.name != "OpenSimulator" || !isTest(pass, expr) {
			continue
		}
		d := analysis.Diagnostic{Pos: expr.Pos(), End: expr.End(), Message: called.name + " finds no simulated device in this test: import " + strconv.Quote(simulatorPath) + " for its effect, or use " + simtestPath}
		for outer := range c.Enclosing((*ast.File)(nil)) {
			if at := importPos(outer.Node().(*ast.File)); at.IsValid() {
				d.SuggestedFixes = []analysis.SuggestedFix{{Message: "import the simulated device", TextEdits: []analysis.TextEdit{{Pos: at, End: at, NewText: []byte("\n\t_ " + strconv.Quote(simulatorPath))}}}}
			}
		}
		pass.Report(d)
		return nil, nil // one report a package: one import mends all
	}
	return nil, nil
}

// importPos returns where a line may be added to the parenthesised imports of a file.
func importPos(file *ast.File) (at token.Pos) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Lparen.IsValid() && len(g.Specs) > 0 {
			at = g.Specs[len(g.Specs)-1].End()
		}
	}
	return at
}
