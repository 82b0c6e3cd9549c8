package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Device reports launches, copies and allocations on a stream of one device with a kernel or memory
// of another, where both were made in the same function.
var Device = &analysis.Analyzer{
	Name:     "cudadevice",
	Doc:      "report kernels and buffers that are used on a stream of another device\n\nA kernel is loaded on one device, and runs on its streams alone.",
	Requires: flowRequires,
	Run:      otherDevice,
}

func otherDevice(pass *analysis.Pass) (any, error) {
	for f := range functions(pass) {
		origins := f.origins()
		for c := range f.calls(f.body) {
			expr := c.expr
			if c.recv == nil || c.name != "Launch" && c.name != "LaunchWith" && c.name != "LaunchArgs" || len(expr.Args) == 0 {
				continue
			}
			stream := variable(pass, expr.Args[0])
			if stream == nil || runtimeType(stream.Type()) != "Stream" || origins[stream] == nil {
				continue
			}
			if kernels := root(pass, c.recv); kernels != nil && origins[kernels] != nil && origins[kernels] != origins[stream] {
				pass.ReportRangef(expr, "%s is of device %s, and %s of %s: a kernel runs on streams of its own device", stream.Name(), origins[stream].Name(), kernels.Name(), origins[kernels].Name())
				continue
			}
			for _, argument := range expr.Args[1:] {
				if b := f.bufferOf(argument); b != nil && runtimeType(b.Type()) == "Buffer" && origins[b] != nil && origins[b] != origins[stream] && !f.enablesPeers() {
					pass.ReportRangef(argument, "%s is memory of device %s, and %s of %s: copy it there, or enable peer access", b.Name(), origins[b].Name(), stream.Name(), origins[stream].Name())
				}
			}
		}
	}
	return nil, nil
}

// root returns the variable at the left end of a selector.
func root(pass *analysis.Pass, expr ast.Expr) *types.Var {
	for {
		s, ok := ast.Unparen(expr).(*ast.SelectorExpr)
		if !ok {
			return variable(pass, expr)
		}
		expr = s.X
	}
}

// origins returns, for variables of f that are assigned once, the variable of the device on which
// what they hold was made.
func (f *function) origins() map[*types.Var]*types.Var {
	assigned := make(map[*types.Var]int)
	made := make(map[*types.Var]*types.Var) // of a device, or of what is on one
	for n := range f.nodes() {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, left := range a.Lhs {
			if v := variable(f.pass, left); v != nil {
				assigned[v]++
			}
		}
		if len(a.Rhs) != 1 {
			continue
		}
		v := variable(f.pass, a.Lhs[0])
		if of := variable(f.pass, a.Rhs[0]); v != nil && of != nil && runtimeType(v.Type()) == "Device" {
			made[v] = of // another name of it
			continue
		}
		expr, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
		if !ok || v == nil {
			continue
		}
		if of := f.madeOn(expr); of != nil {
			made[v] = of
		}
	}
	devices := make(map[*types.Var]*types.Var)
	for v := range made {
		d, steps := v, 0
		for ; made[d] != nil && assigned[d] == 1 && steps < 4; steps++ {
			d = made[d]
		}
		if runtimeType(d.Type()) == "Device" && assigned[v] == 1 && assigned[d] <= 1 {
			devices[v] = d
		}
	}
	return devices
}

// madeOn returns the variable of the device, or of the stream, on which a call makes something:
// its receiver, or its first argument.
func (f *function) madeOn(expr *ast.CallExpr) *types.Var {
	candidates := expr.Args
	if s, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr); ok {
		candidates = append([]ast.Expr{s.X}, candidates...)
	}
	for _, candidate := range candidates[:min(2, len(candidates))] {
		if v := variable(f.pass, candidate); v != nil {
			switch runtimeType(v.Type()) {
			case "Device", "Stream":
				return v
			}
		}
	}
	return nil
}

// enablesPeers reports whether f lets devices use each other's memory.
func (f *function) enablesPeers() bool {
	for c := range f.calls(f.body) {
		if c.name == "EnablePeerAccess" {
			return true
		}
	}
	return false
}
