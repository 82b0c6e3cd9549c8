package directive

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// An exprScope says what an expression may read besides parameters and constants.
type exprScope struct {
	block  []int64 // the constant block, for block.x …; nil when there is none
	config bool    // block.x … and grid.x … of the launch configuration cfg
	infer  bool    // only lengths of slices and constants
}

// expression reads source, which begins at pos, as a Go integer expression.
func (r *reader) expression(source string, pos token.Position, scope exprScope) (value, bool) {
	translated, foreign := translate(source)
	parsed, err := parse(translated, foreign)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok && list.Len() > 0 {
			pos = at(pos, max(0, min(list[0].Pos.Column-1, len(source))))
			r.errorf(pos, diag.DirectiveArguments, "%q is not a Go expression: %s", source, list[0].Msg)
			return value{}, false
		}
		r.errorf(pos, diag.DirectiveArguments, "%q is not a Go expression", source)
		return value{}, false
	}
	e := &evaluator{reader: r, source: source, pos: pos, scope: scope, foreign: foreign}
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

	foreign map[int]string // C++ that is not Go, by the offset of the name that stands for it
	free    *ast.Ident     // a parameter that may be negative where it stands
}

func (e *evaluator) fail(at_ ast.Node, code diag.Code, format string, args ...any) value {
	e.failed = true
	e.errorf(at(e.pos, int(at_.Pos())-1), code, format, args...)
	return number(1)
}

func (e *evaluator) text(n ast.Node) string { return e.source[n.Pos()-1 : n.End()-1] }

func (e *evaluator) eval(x ast.Expr) value {
	switch x := x.(type) {
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(x.Value, 0, 64); x.Kind == token.INT && err == nil {
			return number(v)
		}
		return e.fail(x, diag.ExpressionValue, "%s is not an integer of 64 bits", x.Value)
	case *ast.ParenExpr:
		v := e.eval(x.X)
		v.ast = &ast.ParenExpr{X: ast.Unparen(v.ast)}
		return v
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			e.together(x, x.X)
			return e.binary(x, token.SUB, number(0), e.signed(x.X))
		}
		return e.fail(x, diag.ExpressionName, "%s uses %s: the operators are %s", e.text(x), x.Op, operators)
	case *ast.BinaryExpr:
		e.together(x, x.X)
		e.together(x, x.Y)
		return e.binary(x, x.Op, e.eval(x.X), e.eval(x.Y))
	case *ast.Ident:
		return e.name(x)
	case *ast.SelectorExpr:
		return e.dimension(x)
	case *ast.CallExpr:
		return e.call(x)
	}
	return e.fail(x, diag.ExpressionName, "%s is not understood: an expression has integers, parameters, constants, len(x), min, max and block.x", e.text(x))
}

// signed evaluates x, an operand that may be negative, as it is expected to be where it is
// negated or compared by max: a parameter that stands there alone may be, too.
func (e *evaluator) signed(x ast.Expr) value {
	e.free, _ = ast.Unparen(x).(*ast.Ident)
	return e.eval(x)
}

// together refuses operand, of the operation x, if C++ would read it in two parts: a macro whose
// text has operators, or a shift beside + or *, where Go binds << as tightly as *.
func (e *evaluator) together(x, operand ast.Expr) {
	switch operand := operand.(type) {
	case *ast.Ident:
		if text, loose := e.Loose[operand.Name]; loose {
			e.fail(operand, diag.ExpressionValue, "%s is %s, which C++ reads in parts in %s: %w", operand.Name, text, e.text(x), diag.Do("write (%s)", operand.Name))
		}
	case *ast.BinaryExpr:
		outer, ok := x.(*ast.BinaryExpr)
		shift := func(op token.Token) bool { return op == token.SHL || op == token.SHR }
		if ok && shift(operand.Op) && !shift(outer.Op) {
			e.fail(operand, diag.ExpressionValue, "%s is not the same in Go and in C++: %w", e.text(x), diag.Do("put parentheses around the operands of %s", operand.Op))
		}
	}
}

func (e *evaluator) binary(node ast.Node, op token.Token, x, y value) value {
	v, refused := arithmetic(op, x, y)
	if refused.Text != "" {
		return e.fail(node, refused.Code, "%s %w", e.text(node), refused)
	}
	return v
}

func (e *evaluator) name(id *ast.Ident) value {
	if text, ok := e.foreign[int(id.Pos())-1]; ok {
		return e.constant(id, text)
	}
	i := e.index(id.Name)
	if i < 0 {
		return e.constant(id, id.Name)
	}
	p := e.Params[i]
	if e.scope.infer {
		return e.fail(id, diag.ExpressionName, "an inferred value is made of len(…) and constants, %s is a parameter", id.Name)
	}
	if p.Integer == nil {
		return e.fail(id, diag.ParameterKind, "%s is not an integer", id.Name)
	}
	v := value{lo: big.NewInt(p.Integer.Min), hi: new(big.Int).SetUint64(p.Integer.Max)}
	arg := ast.NewIdent(p.GoName)
	switch inferred, ok := e.inferred[i]; {
	case ok: // and compared with the range of its type
		v.ast, v.reads = arg, []int{i}
		v.lo, v.hi = inferred.lo, bounded(inferred.hi, v.hi)
	case p.Integer.Bool:
		v.ast = runtimeCall("Bit", arg)
	default:
		v.ast = &ast.CallExpr{Fun: ast.NewIdent("int"), Args: []ast.Expr{arg}}
	}
	v.inputs = []model.Input{{Name: id.Name, Go: printed(v.ast)}}
	large := v.hi.Cmp(maxInt) > 0
	if large || v.lo.Sign() < 0 && e.free != id {
		v.counts = []model.Count{{Param: i, Unsigned: large}}
		v.lo = bounded(v.lo, maxInt)
	}
	v.maybe = v.lo.Cmp(minInt) < 0
	return v.clamped()
}

// constant reads text, a constant of the source, at id.
func (e *evaluator) constant(id *ast.Ident, text string) value {
	name := text
	v, ok := e.Constants[text]
	if c, named := e.Named[text]; named {
		if c.Reason.Text != "" {
			return e.fail(id, c.Reason.Code, "%s: %w", text, c.Reason)
		}
		v, ok, name = c.Value, true, c.Name
	}
	switch {
	case !ok:
		return e.fail(id, diag.ExpressionName, "there is no parameter or constant %s%w", text, Nearest(text, append(e.names(), slices.Sorted(maps.Keys(e.Constants))...)))
	case big.NewInt(v).Cmp(minInt) < 0:
		return e.fail(id, diag.ExpressionValue, "%s is %d, which is too small", text, v)
	}
	if name != "" {
		e.spec.Constants = append(e.spec.Constants, name)
	}
	return number(v)
}

// dimension reads block.x, grid.y and the like.
func (e *evaluator) dimension(x *ast.SelectorExpr) value {
	of, ok := x.X.(*ast.Ident)
	axis := map[string]int{"x": 0, "y": 1, "z": 2}
	i, isAxis := axis[x.Sel.Name]
	switch {
	case ok && of.Name != "block" && of.Name != "grid" && e.index(of.Name) >= 0:
		return e.fail(x, diag.ExpressionName, "%s is not understood: directives read no fields of parameters: %w", e.text(x), diag.Do("make %s a parameter of its own, or launch with LaunchWith", x.Sel.Name))
	case !ok || !isAxis || of.Name != "block" && of.Name != "grid":
		return e.fail(x, diag.ExpressionName, "%s is not understood: there are block.x, block.y, block.z", e.text(x))
	case e.scope.config:
		field := &ast.SelectorExpr{X: &ast.SelectorExpr{X: ast.NewIdent("cfg"), Sel: ast.NewIdent(map[string]string{"block": "Block", "grid": "Grid"}[of.Name])}, Sel: ast.NewIdent([]string{"X", "Y", "Z"}[i])}
		v := &ast.CallExpr{Fun: ast.NewIdent("int"), Args: []ast.Expr{field}}
		return value{ast: v, lo: big.NewInt(0), hi: big.NewInt(math.MaxUint32), inputs: []model.Input{{Name: e.text(x), Go: printed(v)}}}
	case of.Name == "block" && e.scope.block != nil:
		return number(e.scope.block[i])
	}
	return e.fail(x, diag.ExpressionName, "%s is not known here", e.text(x))
}

func (e *evaluator) call(x *ast.CallExpr) value {
	f, ok := x.Fun.(*ast.Ident)
	if !ok || len(x.Args) == 0 || x.Ellipsis.IsValid() {
		return e.fail(x, diag.ExpressionName, "%s is not understood: the functions are len, min, max and sizeof", e.text(x))
	}
	switch strings.TrimPrefix(e.called(f), "std::") {
	case "min":
		var list []value
		for _, arg := range x.Args {
			list = append(list, e.eval(arg))
		}
		return extremum("min", list)
	case "max":
		var list []value
		for _, arg := range x.Args {
			list = append(list, e.signed(arg))
		}
		return extremum("max", list)
	case "len":
		return e.length(x)
	}
	return e.fail(x, diag.ExpressionName, "there is no function %s: the functions are len, min, max and sizeof", e.called(f))
}

// called returns the name of the function f as the directive has it.
func (e *evaluator) called(f *ast.Ident) string {
	if text, ok := e.foreign[int(f.Pos())-1]; ok {
		return text
	}
	return f.Name
}

func (e *evaluator) length(x *ast.CallExpr) value {
	id, ok := x.Args[0].(*ast.Ident)
	if !ok || len(x.Args) != 1 {
		return e.fail(x, diag.DirectiveArguments, "len takes the name of a pointer parameter")
	}
	i := e.index(id.Name)
	if i < 0 {
		return e.fail(id, diag.ExpressionName, "there is no parameter %s%w", id.Name, Nearest(id.Name, e.names()))
	}
	if !e.Params[i].Pointer {
		return e.fail(id, diag.ParameterKind, "len needs a pointer, but parameter %s is not a pointer", id.Name)
	}
	if e.spec.Plain[i] {
		return e.fail(id, diag.ParameterKind, "%s is a plain pointer by //cudagen:ptr, which has no length: %w", id.Name, diag.Do("remove one of the two"))
	}
	if err := e.Params[i].Bytes; err != nil {
		return e.fail(id, diag.CodeOr(err, diag.NoLayout), "%w", inBytes(id.Name, err))
	}
	return value{
		ast: &ast.CallExpr{Fun: &ast.SelectorExpr{X: ast.NewIdent(e.Params[i].GoName), Sel: ast.NewIdent("Len")}},
		lo:  big.NewInt(0), hi: maxLen,
		inputs: []model.Input{{Name: e.text(x), Go: e.Params[i].GoName + ".Len()"}},
	}
}
