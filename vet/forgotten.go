package vet

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Forgotten reports arguments of a kernel that are left out of a struct with a name for each: the zero
// Slice, texture, surface or tensor map is an error of the launch. A Slice that may be NULL has the tag
// cuda:"nullable", which cudagen writes for the directive nullable.
var Forgotten = &analysis.Analyzer{
	Name:     "cudaforgotten",
	Doc:      "report slices that are left out of a kernel's arguments\n\nA field that a literal leaves out is the zero Slice, with which no kernel is launched, unless its parameter may be NULL.",
	Requires: flowRequires,
	Run:      forgotten,
}

func forgotten(pass *analysis.Pass) (any, error) {
	for f := range functions(pass) {
		for c := range f.calls(f.body) {
			if takesArguments(c) {
				f.reportForgotten(c, c.expr.Args[len(c.expr.Args)-1])
			}
		}
	}
	return nil, nil
}

// takesArguments reports whether the last argument of c is a struct of arguments, or points to one.
func takesArguments(c call) bool {
	if c.recv == nil || len(c.expr.Args) == 0 {
		return false
	}
	switch c.name {
	case "LaunchArgs", "LaunchArgsWith", "Prepare", "PrepareDefault", "Set":
		return true
	}
	return false
}

// reportForgotten reports what args, a literal or a variable that is one, leaves out.
func (f *function) reportForgotten(c call, args ast.Expr) {
	var set []string
	known := false
	if literal := literalOf(args); literal != nil {
		set, known = f.fieldsOf(literal)
	} else if v := variable(f.pass, operand(args)); v != nil && f.declares(v) {
		set, known = f.assigned(v)
	}
	t := f.pass.TypesInfo.TypeOf(args)
	if p, pointer := types.Unalias(t).(*types.Pointer); pointer {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !known || !ok {
		return
	}
	var missing []string
	for i := range s.NumFields() {
		if needed(s, i) && !slices.Contains(set, s.Field(i).Name()) {
			missing = append(missing, s.Field(i).Name())
		}
	}
	if len(missing) > 0 {
		f.pass.Reportf(args.Pos(), "%s left out: %s fails with a zero value there; if the kernel takes NULL, its parameter is nullable", list(missing), c.name)
	}
}

// needed reports whether the ith field of a struct of arguments must not be zero.
func needed(s *types.Struct, i int) bool {
	if _, pointer := types.Unalias(s.Field(i).Type()).(*types.Pointer); pointer {
		return false
	}
	switch runtimeType(s.Field(i).Type()) {
	case "Slice", "Texture", "Surface", "TensorMap":
		return reflect.StructTag(s.Tag(i)).Get("cuda") != "nullable"
	}
	return false
}

// list writes names, and the verb for them.
func list(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " are"
}

// operand returns what expr is, or is the address of.
func operand(expr ast.Expr) ast.Expr {
	if u, ok := ast.Unparen(expr).(*ast.UnaryExpr); ok {
		return ast.Unparen(u.X)
	}
	return ast.Unparen(expr)
}

// literalOf returns the literal that expr is, or is the address of, or nil.
func literalOf(expr ast.Expr) *ast.CompositeLit {
	literal, _ := operand(expr).(*ast.CompositeLit)
	return literal
}

// assigned returns the fields that v, a struct or a pointer to one, begins with, and those that f assigns to
// anywhere. known is false if v may get other values.
func (f *function) assigned(v *types.Var) (fields []string, known bool) {
	var harmless []ast.Expr // mentions of v that are accounted for
	definitions := 0
	define := func(value ast.Expr) {
		definitions++
		if literal := literalOf(value); literal != nil {
			fields, known = f.fieldsOf(literal)
		}
	}
	escapes := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if variable(f.pass, left) == v && len(n.Rhs) == len(n.Lhs) {
					define(n.Rhs[i])
					harmless = append(harmless, ast.Unparen(left))
				}
				if field, ok := ast.Unparen(left).(*ast.SelectorExpr); ok && variable(f.pass, field.X) == v {
					fields = append(fields, field.Sel.Name)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if f.pass.TypesInfo.Defs[name] != v {
					continue
				}
				if len(n.Values) == len(n.Names) {
					define(n.Values[i])
				} else if _, known = v.Type().Underlying().(*types.Struct); known {
					definitions++
				}
			}
		case *ast.CallExpr:
			if c, ok := called(f.pass, n); ok && takesArguments(c) {
				harmless = append(harmless, operand(n.Args[len(n.Args)-1]))
			}
		case *ast.UnaryExpr:
			if field, ok := ast.Unparen(n.X).(*ast.SelectorExpr); ok && variable(f.pass, field.X) == v {
				fields = append(fields, field.Sel.Name)
			}
		case *ast.SelectorExpr:
			harmless = append(harmless, ast.Unparen(n.X))
		case *ast.Ident: // visited after what it stands in
			escapes = escapes || f.pass.TypesInfo.Uses[n] == v && !slices.Contains(harmless, ast.Expr(n))
		}
		return true
	})
	return fields, known && definitions == 1 && !escapes
}

// fieldsOf returns the names of the fields that a literal has; known is false if it has all, without names.
func (f *function) fieldsOf(literal *ast.CompositeLit) (names []string, known bool) {
	for _, e := range literal.Elts {
		pair, keyed := e.(*ast.KeyValueExpr)
		if !keyed {
			return nil, false
		}
		names = append(names, pair.Key.(*ast.Ident).Name)
	}
	return names, true
}
