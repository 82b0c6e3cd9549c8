package directive

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

var (
	minInt = big.NewInt(math.MinInt64 + 3) // of numbers: package cuda uses those below as reasons why there is none
	maxInt = big.NewInt(math.MaxInt64)     // of Go's int: cudagen's runtime needs 64 bits
	maxLen = big.NewInt(1 << 48)           // elements of a cuda.Slice
)

// A value is an expression in Go with the interval of its values, by which
// overflow is excluded when the wrapper is generated, not when it runs.
//
// Where the interval leaves int, functions of package cuda calculate. They return a reason,
// which is less than every number, where the result does not fit.
type value struct {
	ast    ast.Expr
	lo, hi *big.Int
	maybe  bool // it may be a reason why there is no number
	fixed  bool // it consists of constants alone

	reads  []int         // inferred parameters
	counts []model.Count // parameters that must not be negative, or larger than an int
	inputs []model.Input // what it reads
}

func number(v int64) value {
	var e ast.Expr = &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(v, 10)}
	if v < 0 {
		e = &ast.ParenExpr{X: e}
	}
	return value{ast: e, lo: big.NewInt(v), hi: big.NewInt(v), fixed: true}
}

// constant returns the model's form of v.
func constant(v int64) model.Expr {
	s := strconv.FormatInt(v, 10)
	return model.Expr{Source: s, Go: s, Const: true, Value: v, Most: v}
}

// expr returns the model's form of v, written as source in the directive.
func (v value) expr(source string) model.Expr {
	if v.fixed {
		e := constant(v.lo.Int64())
		e.Source = source
		return e
	}
	return model.Expr{
		Source: source, Go: printed(v.ast), Reads: v.reads,
		Counts: v.counts, Inputs: v.inputs, Signed: v.maybe || v.lo.Sign() < 0, Most: v.hi.Int64(),
	}
}

// printed returns x as Go source.
func printed(x ast.Expr) string {
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), x); err != nil {
		panic("directive: a checked expression does not print: " + err.Error())
	}
	return b.String()
}

// combine returns the value made of list, without expression and interval.
func combine(list ...value) value {
	v := value{fixed: true}
	for _, x := range list {
		v.maybe = v.maybe || x.maybe
		v.fixed = v.fixed && x.fixed
		v.reads, v.counts, v.inputs = union(v.reads, x.reads), union(v.counts, x.counts), union(v.inputs, x.inputs)
	}
	return v
}

// checked makes v the result of the method name of cuda.Generated, which has no number for
// some arguments.
func (v value) checked(name string, args ...value) value {
	list := make([]ast.Expr, len(args))
	for i, arg := range args {
		list[i] = arg.ast
	}
	v.ast, v.maybe = runtimeCall(name, list...), true
	return v
}

// exact reports whether v's interval fits into an int.
func (v value) exact() bool { return v.lo.Cmp(minInt) >= 0 && v.hi.Cmp(maxInt) <= 0 }

// clamped makes the interval fit into an int, as a number of the runtime does.
func (v value) clamped() value {
	clamp := func(x *big.Int) *big.Int {
		switch {
		case x.Cmp(minInt) < 0:
			return minInt
		case x.Cmp(maxInt) > 0:
			return maxInt
		}
		return x
	}
	v.lo, v.hi = clamp(v.lo), clamp(v.hi)
	return v
}

// runtimeCall returns a call of a method of cuda.Generated.
func runtimeCall(name string, args ...ast.Expr) ast.Expr {
	for i, arg := range args {
		args[i] = ast.Unparen(arg)
	}
	return &ast.CallExpr{Fun: &ast.SelectorExpr{X: &ast.SelectorExpr{X: ast.NewIdent("cuda"), Sel: ast.NewIdent("Generated")}, Sel: ast.NewIdent(name)}, Args: args}
}

const operators = "+ - * / % << >>"

// names of the methods of cuda.Generated that calculate where overflow is possible.
var checkedNames = map[token.Token]string{
	token.ADD: "AddSizes", token.SUB: "SubSizes", token.MUL: "MulSizes",
	token.QUO: "QuoSizes", token.REM: "RemSizes", token.SHL: "ShlSizes", token.SHR: "ShrSizes",
}

// arithmetic returns x op y. A message says why it is refused.
func arithmetic(op token.Token, x, y value) (v value, refused diag.Message) {
	v = combine(x, y)
	v.ast = &ast.BinaryExpr{X: x.ast, Op: op, Y: y.ast}
	plain := !v.maybe
	switch op {
	case token.ADD:
		v.lo, v.hi = new(big.Int).Add(x.lo, y.lo), new(big.Int).Add(x.hi, y.hi)
	case token.SUB:
		v.lo, v.hi = new(big.Int).Sub(x.lo, y.hi), new(big.Int).Sub(x.hi, y.lo)
	case token.MUL:
		v.lo, v.hi = extremes(x, y, (*big.Int).Mul)
		// -1 rows of -1 columns are not one element; a negative constant is meant as it stands.
		plain = plain && (x.fixed || y.fixed || x.lo.Sign() >= 0 || y.lo.Sign() >= 0)
	case token.SHL, token.SHR:
		return shift(op, x, y, v)
	case token.QUO, token.REM:
		return divide(op, x, y, v)
	default:
		return v, diag.ExpressionName.New("uses " + op.String() + ": the operators are " + operators)
	}
	return v.settled(op, plain && v.exact(), x, y)
}

// settled returns v, which is x op y: as Go calculates it, if plain, and otherwise checked.
func (v value) settled(op token.Token, plain bool, x, y value) (value, diag.Message) {
	switch {
	case plain:
		return v, diag.Message{}
	case v.fixed:
		return v, diag.ExpressionValue.New("overflows 64 bits")
	case v.lo.Cmp(maxInt) > 0 || v.hi.Cmp(minInt) < 0:
		return v, diag.ExpressionValue.New("always overflows 64 bits")
	}
	return v.clamped().checked(checkedNames[op], x, y), diag.Message{}
}

// shift returns v, which is x << y or x >> y.
func shift(op token.Token, x, y, v value) (value, diag.Message) {
	most := big.NewInt(62)
	if y.fixed && (y.lo.Sign() < 0 || y.lo.Cmp(most) > 0) || y.hi.Sign() < 0 {
		return v, diag.ExpressionValue.New("shifts by something that is not from 0 to 62")
	}
	if x.fixed && y.fixed && op == token.SHR { // rounded down, as Go and C++ do
		v.lo = new(big.Int).Rsh(x.lo, uint(y.lo.Int64()))
		v.hi = v.lo
		return v, diag.Message{}
	}
	if y.fixed {
		factor := number(1 << y.lo.Int64())
		if op == token.SHL {
			return arithmetic(token.MUL, x, factor)
		}
		return arithmetic(token.QUO, x, factor)
	}
	plain := !v.maybe && x.lo.Sign() >= 0 && y.lo.Sign() >= 0 && y.hi.Cmp(most) <= 0
	shortest, longest := uint(bounded(y.lo, most).Int64()), uint(bounded(y.hi, most).Int64())
	smallest, largest := bounded(x.lo, maxInt), bounded(x.hi, maxInt)
	if op == token.SHL {
		v.lo, v.hi = new(big.Int).Lsh(smallest, shortest), new(big.Int).Lsh(largest, longest)
		plain = plain && v.exact()
	} else {
		v.lo, v.hi = new(big.Int).Rsh(smallest, longest), new(big.Int).Rsh(largest, shortest)
		if y.hi.Cmp(most) > 0 {
			v.lo = new(big.Int)
		}
	}
	return v.settled(op, plain, x, y)
}

// bounded returns x within 0 and most.
func bounded(x, most *big.Int) *big.Int {
	if x.Sign() < 0 {
		return new(big.Int)
	}
	if x.Cmp(most) > 0 {
		return most
	}
	return x
}

// divide returns v, which is x / y or x % y.
func divide(op token.Token, x, y, v value) (value, diag.Message) {
	switch {
	case y.hi.Sign() <= 0:
		return v, diag.ExpressionValue.New("divides by something that is not positive")
	case x.fixed && y.fixed && op == token.QUO:
		v.lo = new(big.Int).Quo(x.lo, y.lo)
		v.hi = v.lo
		return v, diag.Message{}
	case x.fixed && y.fixed:
		v.lo = new(big.Int).Rem(x.lo, y.lo)
		v.hi = v.lo
		return v, diag.Message{}
	case x.hi.Sign() < 0:
		return v, diag.ExpressionValue.New("divides something that is always negative")
	}
	plain := !v.maybe && x.lo.Sign() >= 0 && y.lo.Sign() > 0
	smallest, largest := bounded(x.lo, maxInt), x.hi
	least := big.NewInt(1) // divisor
	if y.lo.Sign() > 0 {
		least = y.lo
	}
	if op == token.QUO {
		v.lo, v.hi = new(big.Int).Quo(smallest, y.hi), new(big.Int).Quo(largest, least)
	} else {
		v.lo, v.hi = new(big.Int), bounded(new(big.Int).Sub(y.hi, big.NewInt(1)), largest)
	}
	return v.settled(op, plain, x, y)
}

// extremes returns the least and the greatest of f over the ends of x and y.
func extremes(x, y value, f func(z, a, b *big.Int) *big.Int) (lo, hi *big.Int) {
	ends := []*big.Int{f(new(big.Int), x.lo, y.lo), f(new(big.Int), x.lo, y.hi), f(new(big.Int), x.hi, y.lo), f(new(big.Int), x.hi, y.hi)}
	return slices.MinFunc(ends, (*big.Int).Cmp), slices.MaxFunc(ends, (*big.Int).Cmp)
}

// extremum returns min(list…) or max(list…).
func extremum(name string, list []value) value {
	v := combine(list...)
	call := &ast.CallExpr{Fun: ast.NewIdent(name)}
	v.ast, v.lo, v.hi = call, list[0].lo, list[0].hi
	pick := func(a, b *big.Int) *big.Int {
		if (a.Cmp(b) < 0) == (name == "min") {
			return a
		}
		return b
	}
	for _, x := range list {
		call.Args = append(call.Args, ast.Unparen(x.ast))
		v.lo, v.hi = pick(v.lo, x.lo), pick(v.hi, x.hi)
	}
	if name == "min" || !v.maybe { // a reason is less than every number
		return v
	}
	first := list[0]
	for _, x := range list[1:] {
		first = v.checked("MaxSizes", first, x)
	}
	v.ast = first.ast
	return v
}

// union returns the elements of a, and those of b that are not in it.
func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a[:len(a):len(a)], x)
		}
	}
	return a
}
