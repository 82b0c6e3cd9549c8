package directive

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// An exprScope says what an expression may read besides parameters and constants.
type exprScope struct {
	block  []int64 // the constant block, for block.x …; nil when there is none
	config bool    // block.x … and grid.x … of the launch configuration cfg
	infer  bool    // only lengths of slices and constants
}

// expression reads source, which begins at pos, as a Go integer expression.
func (r *reader) expression(source string, pos token.Position, scope exprScope) (value, bool) {
	parsed, err := parser.ParseExpr(source)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok && list.Len() > 0 {
			pos = at(pos, max(0, min(list[0].Pos.Column-1, len(source))))
			r.errorf(pos, "%q is not a Go expression: %s", source, list[0].Msg)
			return value{}, false
		}
		r.errorf(pos, "%q is not a Go expression", source)
		return value{}, false
	}
	e := &evaluator{reader: r, source: source, pos: pos, scope: scope}
	v := e.eval(parsed)
	return v, !e.failed
}

// An evaluator turns one expression into a value. After a failure it goes on with
// something harmless, so that every mistake in the expression is reported.
type evaluator struct {
	*reader
	source string
	pos    token.Position
	scope  exprScope
	failed bool
}

func (e *evaluator) fail(at_ ast.Node, format string, args ...any) value {
	e.failed = true
	e.errorf(at(e.pos, int(at_.Pos())-1), format, args...)
	return number(1)
}

func (e *evaluator) text(n ast.Node) string { return e.source[n.Pos()-1 : n.End()-1] }

func (e *evaluator) eval(x ast.Expr) value {
	switch x := x.(type) {
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(x.Value, 0, 64); x.Kind == token.INT && err == nil {
			return number(v)
		}
		return e.fail(x, "%s is no integer of 64 bits", x.Value)
	case *ast.ParenExpr:
		v := e.eval(x.X)
		v.ast = &ast.ParenExpr{X: ast.Unparen(v.ast)}
		return v
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			return e.binary(x, token.SUB, number(0), e.eval(x.X))
		}
		return e.fail(x, "%s uses %s: the operators are + - * / %% << >>", e.text(x), x.Op)
	case *ast.BinaryExpr:
		return e.binary(x, x.Op, e.eval(x.X), e.eval(x.Y))
	case *ast.Ident:
		return e.name(x)
	case *ast.SelectorExpr:
		return e.dimension(x)
	case *ast.CallExpr:
		return e.call(x)
	}
	return e.fail(x, "%s is not understood: an expression has integers, parameters, constants, len(x), min, max and block.x", e.text(x))
}

func (e *evaluator) binary(node ast.Node, op token.Token, x, y value) value {
	v, refused := arithmetic(op, x, y)
	if refused != "" {
		return e.fail(node, "%s %s", e.text(node), refused)
	}
	return v
}

func (e *evaluator) name(id *ast.Ident) value {
	i := e.index(id.Name)
	if i < 0 {
		if v, ok := e.Constants[id.Name]; ok {
			e.spec.Constants = append(e.spec.Constants, id.Name)
			return number(v)
		}
		return e.fail(id, "there is no parameter or constant %s%s", id.Name, nearest(id.Name, append(e.names(), slices.Sorted(maps.Keys(e.Constants))...)))
	}
	p := e.Params[i]
	if e.scope.infer {
		return e.fail(id, "an inferred value is made of len(…) and constants, %s is a parameter", id.Name)
	}
	if v, ok := e.inferred[i]; ok {
		return value{ast: ast.NewIdent(p.GoName), lo: v.lo, hi: v.hi, saturated: v.saturated, divisor: v.divisor, reads: []int{i}}
	}
	if p.Integer == nil {
		return e.fail(id, "%s is no integer", id.Name)
	}
	v := value{lo: big.NewInt(p.Integer.Min), hi: new(big.Int).SetUint64(p.Integer.Max), divisor: 1}
	var arg ast.Expr = ast.NewIdent(p.GoName)
	if p.Integer.Max > math.MaxInt64 {
		v.hi, v.saturated = maxInt, true
		arg = &ast.CallExpr{Fun: ast.NewIdent("min"), Args: []ast.Expr{arg, &ast.BasicLit{Kind: token.INT, Value: fmt.Sprint(math.MaxInt64)}}}
	}
	v.ast = &ast.CallExpr{Fun: ast.NewIdent("int"), Args: []ast.Expr{arg}}
	return v
}

// dimension reads block.x, grid.y and the like.
func (e *evaluator) dimension(x *ast.SelectorExpr) value {
	of, ok := x.X.(*ast.Ident)
	axis := map[string]int{"x": 0, "y": 1, "z": 2}
	i, isAxis := axis[x.Sel.Name]
	switch {
	case !ok || !isAxis || of.Name != "block" && of.Name != "grid":
		return e.fail(x, "%s is not understood: there are block.x, block.y, block.z", e.text(x))
	case e.scope.config:
		field := &ast.SelectorExpr{X: &ast.SelectorExpr{X: ast.NewIdent("cfg"), Sel: ast.NewIdent(map[string]string{"block": "Block", "grid": "Grid"}[of.Name])}, Sel: ast.NewIdent([]string{"X", "Y", "Z"}[i])}
		return value{ast: &ast.CallExpr{Fun: ast.NewIdent("int"), Args: []ast.Expr{field}}, lo: big.NewInt(0), hi: big.NewInt(math.MaxUint32), divisor: 1}
	case of.Name == "block" && e.scope.block != nil:
		return number(e.scope.block[i])
	}
	return e.fail(x, "%s is not known here", e.text(x))
}

func (e *evaluator) call(x *ast.CallExpr) value {
	f, ok := x.Fun.(*ast.Ident)
	if !ok || len(x.Args) == 0 || x.Ellipsis.IsValid() {
		return e.fail(x, "%s is not understood: the functions are len, min and max", e.text(x))
	}
	switch f.Name {
	case "min", "max":
		var list []value
		for _, arg := range x.Args {
			list = append(list, e.eval(arg))
		}
		return extremum(f.Name, list)
	case "len":
		return e.length(x)
	}
	return e.fail(x, "there is no function %s: the functions are len, min and max", f.Name)
}

func (e *evaluator) length(x *ast.CallExpr) value {
	id, ok := x.Args[0].(*ast.Ident)
	if !ok || len(x.Args) != 1 {
		return e.fail(x, "len takes the name of a pointer parameter")
	}
	i := e.index(id.Name)
	if i < 0 {
		return e.fail(id, "there is no parameter %s%s", id.Name, nearest(id.Name, e.names()))
	}
	if !e.Params[i].Pointer {
		return e.fail(id, "len needs a pointer, but parameter %s is not a pointer", id.Name)
	}
	if e.spec.Plain[i] {
		return e.fail(id, "%s is a plain pointer by //cudagen:ptr, which has no length: remove one of the two", id.Name)
	}
	return value{
		ast: &ast.CallExpr{Fun: &ast.SelectorExpr{X: ast.NewIdent(e.Params[i].GoName), Sel: ast.NewIdent("Len")}},
		lo:  big.NewInt(0), hi: maxLen, divisor: 1,
	}
}
