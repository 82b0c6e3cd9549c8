package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Closed reports a Ptr that is used after the buffer it was taken from was closed. A Slice is
// checked at each launch; a Ptr is an address, which nothing checks.
var Closed = &analysis.Analyzer{
	Name:     "cudaclosed",
	Doc:      "report a Ptr that is used after its buffer was closed\n\nA Slice knows its buffer, a Ptr is an address that nothing checks: the memory may be another buffer's by then.",
	Requires: flowRequires,
	Run:      closed,
}

func closed(pass *analysis.Pass) (any, error) {
	for f := range functions(pass) {
		taken := f.pointers()
		if len(taken) == 0 {
			continue
		}
		for _, block := range f.graph.Blocks {
			for _, n := range block.Nodes {
				if _, deferred := n.(*ast.DeferStmt); deferred {
					continue
				}
				for c := range f.calls(n) {
					if c.name == "Close" && c.recv != nil {
						f.reportClosed(n, variable(pass, c.recv), taken)
					}
				}
			}
		}
	}
	return nil, nil
}

// pointers returns the variables that hold a Ptr of a buffer, with the buffer's variable.
func (f *function) pointers() map[*types.Var]*types.Var {
	taken := make(map[*types.Var]*types.Var)
	for n := range f.nodes() {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i := range a.Lhs {
			v := variable(f.pass, a.Lhs[i])
			if v == nil || runtimeType(v.Type()) != "Ptr" {
				continue
			}
			if of := f.bufferOf(a.Rhs[i]); of != nil {
				taken[v] = of
			}
		}
	}
	return taken
}

// bufferOf returns the variable of the buffer that an expression such as b.Slice(0, 4).Ptr() is of.
func (f *function) bufferOf(expr ast.Expr) *types.Var {
	for {
		e, ok := ast.Unparen(expr).(*ast.CallExpr)
		if !ok {
			v := variable(f.pass, expr)
			if v == nil {
				return nil
			}
			switch runtimeType(v.Type()) {
			case "Buffer", "HostBuffer", "ManagedBuffer":
				return v
			}
			return nil
		}
		c, ok := called(f.pass, e)
		if !ok || c.recv == nil {
			return nil
		}
		expr = c.recv
	}
}

// reportClosed reports the first use of a pointer of buffer behind n, which closes it.
func (f *function) reportClosed(n ast.Node, buffer *types.Var, taken map[*types.Var]*types.Var) {
	if buffer == nil {
		return
	}
	closing := n
	f.follow(n, nil, func(n ast.Node) verdict {
		if f.assigns(n, buffer) {
			return leavePath
		}
		for v, of := range taken {
			if of != buffer {
				continue
			}
			if f.assigns(n, v) {
				return leavePath
			}
			if use := mention(f.pass, n, v); use != nil {
				f.pass.ReportRangef(use, "%s is an address of %s, which was closed on line %d", v.Name(), buffer.Name(), f.pass.Fset.Position(closing.Pos()).Line)
				return finish
			}
		}
		return goOn
	})
}
