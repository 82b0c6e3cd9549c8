package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Early reports page-locked and managed memory that a program reads or writes through Host while a
// copy or a kernel that was queued with it may still run: nothing on that path has waited.
var Early = &analysis.Analyzer{
	Name:     "cudaearly",
	Doc:      "report host memory that is used before its stream was waited for\n\nCopy and launches queue work and return. Until a Wait or Synchronize behind them, page-locked and managed memory belongs to the device.",
	Requires: flowRequires,
	Run:      early,
}

// launches are the calls that queue work and do not wait for it.
var launches = []string{"Launch", "LaunchWith", "LaunchArgs"}

// waits are the calls that wait for queued work, or end the device's use of the memory.
var waits = []string{"Wait", "Synchronize", "Query", "CopyTo", "CopyToContext", "CopyFrom", "CopyFromContext", "Download", "DownloadContext", "Close", "CloseContext", "Get"}

func early(pass *analysis.Pass) (any, error) {
	for f := range functions(pass) {
		hosts, reported := f.hostSlices(), make(map[ast.Node]bool)
		for _, block := range f.graph.Blocks {
			for _, n := range block.Nodes {
				for c := range f.calls(n) {
					if !slices.Contains(launches, c.name) || f.waitsBehind(n, c) {
						continue
					}
					for v := range f.hostMemory(c) {
						f.reportEarly(n, c, v, hosts, reported)
					}
				}
			}
		}
	}
	return nil, nil
}

// waitsBehind reports whether n waits behind its call c, as in errors.Join(k.Launch(s), s.Synchronize()).
func (f *function) waitsBehind(n ast.Node, c call) bool {
	for later := range f.calls(n) {
		if slices.Contains(waits, later.name) && later.expr.Pos() >= c.expr.End() {
			return true
		}
	}
	return false
}

// hostMemory returns the page-locked and managed buffers of variables that are named in a call.
func (f *function) hostMemory(c call) map[*types.Var]bool {
	found := make(map[*types.Var]bool)
	ast.Inspect(c.expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.pass.TypesInfo.Uses[id].(*types.Var); ok && f.declaresOrTakes(v) {
				if name := runtimeType(v.Type()); name == "HostBuffer" || name == "ManagedBuffer" {
					found[v] = true
				}
			}
		}
		return true
	})
	return found
}

// launched returns what a call launches, as Copy in cuda.Copy(y, x).Launch(s), or the call's own name.
func (f *function) launched(c call) string {
	if made, ok := ast.Unparen(c.recv).(*ast.CallExpr); ok {
		if c, ok := called(f.pass, made); ok {
			return c.name
		}
	}
	return c.name
}

// declaresOrTakes reports whether v is f's own, a parameter included.
func (f *function) declaresOrTakes(v *types.Var) bool {
	return f.typ.Pos() <= v.Pos() && v.Pos() < f.body.End()
}

// hostSlices returns the variables that hold a buffer's Host, with the buffer's variable.
func (f *function) hostSlices() map[*types.Var]*types.Var {
	hosts := make(map[*types.Var]*types.Var)
	for n := range f.nodes() {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i := range a.Lhs {
			if v, of := variable(f.pass, a.Lhs[i]), f.hostOf(a.Rhs[i]); v != nil && of != nil {
				hosts[v] = of
			}
		}
	}
	return hosts
}

// hostOf returns v when expr is v.Host(), perhaps sliced.
func (f *function) hostOf(expr ast.Expr) *types.Var {
	if s, ok := ast.Unparen(expr).(*ast.SliceExpr); ok {
		expr = s.X
	}
	e, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if c, ok := called(f.pass, e); ok && c.name == "Host" && c.recv != nil {
		return variable(f.pass, c.recv)
	}
	return nil
}

// reportEarly reports the first use of what v holds behind the call c in n without a wait.
func (f *function) reportEarly(n ast.Node, c call, v *types.Var, hosts map[*types.Var]*types.Var, reported map[ast.Node]bool) {
	f.follow(n, nil, func(n ast.Node) verdict {
		for later := range f.calls(n) {
			if slices.Contains(waits, later.name) {
				return leavePath
			}
		}
		if _, deferred := n.(*ast.DeferStmt); deferred || f.waitsSomehow(n) {
			return leavePath
		}
		use := f.hostUse(n, v, hosts)
		if use == nil {
			return goOn
		}
		if reported[use] {
			return finish
		}
		reported[use] = true
		f.pass.ReportRangef(use, "the memory of %s is used while %s on line %d may still use it: wait for the stream first",
			v.Name(), f.launched(c), f.pass.Fset.Position(c.expr.Pos()).Line)
		return finish
	})
}

// waitsSomehow reports whether n calls a function that is not known, with a stream, an event or a
// device: it may wait.
func (f *function) waitsSomehow(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		expr, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if _, known := called(f.pass, expr); known {
			return !found
		}
		if t, ok := f.pass.TypesInfo.Types[expr.Fun]; ok && (t.IsBuiltin() || t.IsType()) {
			return !found
		}
		fn, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
		if ok && f.pass.TypesInfo.Uses[fn.Sel] != nil && f.pass.TypesInfo.Uses[fn.Sel].Pkg() != nil && f.pass.TypesInfo.Uses[fn.Sel].Pkg() != f.pass.Pkg {
			for _, argument := range expr.Args {
				switch runtimeType(f.pass.TypesInfo.TypeOf(argument)) {
				case "Stream", "Event", "Device", "GraphExec":
					found = true
				}
			}
			return !found
		}
		found = true // a function of this package: its streams may be anywhere
		return false
	})
	return found
}

// hostUse returns where n reads or writes v's memory, or nil.
func (f *function) hostUse(n ast.Node, v *types.Var, hosts map[*types.Var]*types.Var) (use ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if use != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 && f.hostOf(n.Rhs[0]) != nil {
				return false // names the memory, and uses none of it
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
				return false
			}
			if f.hostOf(n) == v {
				use = n
			}
		case *ast.Ident:
			if held, ok := f.pass.TypesInfo.Uses[n].(*types.Var); ok && hosts[held] == v {
				use = n
			}
		}
		return use == nil
	})
	return use
}
