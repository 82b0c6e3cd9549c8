package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
)

// flowRequires are what analyzers need that follow a function's paths.
var flowRequires = []*analysis.Analyzer{inspect.Analyzer, ctrlflow.Analyzer}

// A function is one under analysis, declared or literal.
type function struct {
	pass  *analysis.Pass
	typ   *ast.FuncType
	body  *ast.BlockStmt
	graph *cfg.CFG
	main  bool // main.main: the process ends with it
}

// functions yields the functions that have a body, of a package that imports the runtime.
func functions(pass *analysis.Pass) iter.Seq[*function] {
	graphs := pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs)
	return func(yield func(*function) bool) {
		if !imports(pass, runtimePath) {
			return
		}
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
			var f *function
			switch n := c.Node().(type) {
			case *ast.FuncDecl:
				if n.Body == nil {
					continue
				}
				f = &function{pass, n.Type, n.Body, graphs.FuncDecl(n), pass.Pkg.Name() == "main" && n.Recv == nil && n.Name.Name == "main"}
			case *ast.FuncLit:
				f = &function{pass, n.Type, n.Body, graphs.FuncLit(n), false}
			}
			if f.graph != nil && !yield(f) {
				return
			}
		}
	}
}

// declares reports whether v is a variable of f itself: no parameter or result, and none of a
// function around it.
func (f *function) declares(v *types.Var) bool {
	return f.body.Pos() <= v.Pos() && v.Pos() < f.body.End()
}

// nodes yields the nodes of f's body outside the functions in it.
func (f *function) nodes() iter.Seq[ast.Node] { return nodesOf(f.body) }

// nodesOf yields the nodes in n, outside the functions in it.
func nodesOf(n ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		more := true
		ast.Inspect(n, func(n ast.Node) bool {
			if _, literal := n.(*ast.FuncLit); n == nil || literal || !more {
				return false
			}
			more = yield(n)
			return more
		})
	}
}

// A verdict says how to go on behind a node of a path.
type verdict uint8

const (
	goOn      verdict = iota
	leavePath         // nothing of interest follows on this path
	finish            // what was looked for is found
)

// follow visits what comes after start on every path through f, each node once, until visit has
// found what it looks for. Where a path depends on whether err is nil, it follows the one on
// which it is, as long as err has the value that start gave it; err may be nil.
func (f *function) follow(start ast.Node, err *types.Var, visit func(ast.Node) verdict) {
	type place struct {
		block *cfg.Block
		known bool // err has start's value
	}
	seen := make(map[place]bool)
	var walk func(p place, nodes []ast.Node) bool
	walk = func(p place, nodes []ast.Node) bool {
		for _, n := range nodes {
			switch visit(n) {
			case leavePath:
				return false
			case finish:
				return true
			}
			p.known = p.known && !f.assigns(n, err)
		}
		skip := -1
		if len(p.block.Succs) == 2 && len(p.block.Nodes) > 0 && p.known {
			skip = f.failing(p.block.Nodes[len(p.block.Nodes)-1], err)
		}
		for i, next := range p.block.Succs {
			at := place{next, p.known}
			if i == skip || seen[at] {
				continue
			}
			seen[at] = true
			if walk(at, next.Nodes) {
				return true
			}
		}
		return false
	}
	for _, block := range f.graph.Blocks {
		for i, n := range block.Nodes {
			if n == start {
				walk(place{block, err != nil}, block.Nodes[i+1:])
				return
			}
		}
	}
}

// assigns reports whether n assigns to v.
func (f *function) assigns(n ast.Node, v *types.Var) bool {
	a, ok := n.(*ast.AssignStmt)
	if !ok || v == nil {
		return false
	}
	for _, left := range a.Lhs {
		if variable(f.pass, left) == v {
			return true
		}
	}
	return false
}

// failing returns which successor of a block with this condition is taken when err is not nil, or -1.
func (f *function) failing(condition ast.Node, err *types.Var) int {
	b, ok := condition.(*ast.BinaryExpr)
	if !ok || variable(f.pass, b.X) != err {
		return -1
	}
	if id, ok := b.Y.(*ast.Ident); !ok || id.Name != "nil" {
		return -1
	}
	switch b.Op {
	case token.NEQ:
		return 0
	case token.EQL:
		return 1
	}
	return -1
}

// calls yields the calls of the runtime in n, outside the functions in it.
func (f *function) calls(n ast.Node) iter.Seq[call] {
	return func(yield func(call) bool) {
		for n := range nodesOf(n) {
			if expr, ok := n.(*ast.CallExpr); ok {
				if c, ok := called(f.pass, expr); ok && !yield(c) {
					return
				}
			}
		}
	}
}
