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
)

var (
	minInt = big.NewInt(math.MinInt64) // of Go's int: cudagen's runtime needs 64 bits
	maxInt = big.NewInt(math.MaxInt64)
	maxLen = big.NewInt(1 << 48) // elements of a cuda.Slice
)

// maxSaturatedDivisor bounds what a saturated value may be divided by, so that it
// stays larger than any length (2^48) and, over 1,024 threads a block, any grid (2^32).
const maxSaturatedDivisor = 1 << 14

// A value is an expression in Go with the interval of its values, by which
// overflow is excluded when the wrapper is generated, not when it runs.
//
// Where the interval leaves int, the expression saturates: on overflow it is the
// largest int, which no slice's length and no grid reaches, so the launch is refused.
type value struct {
	ast       ast.Expr
	lo, hi    *big.Int
	saturated bool  // it may be the largest int in place of the true value
	divisor   int64 // product of the constants that it was divided by since it saturated
	reads     []int // inferred parameters
}

func number(v int64) value {
	var e ast.Expr = &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(v, 10)}
	if v < 0 {
		e = &ast.ParenExpr{X: e}
	}
	return value{ast: e, lo: big.NewInt(v), hi: big.NewInt(v), divisor: 1}
}

// constant returns the model's form of v.
func constant(v int64) model.Expr {
	s := strconv.FormatInt(v, 10)
	return model.Expr{Source: s, Go: s, Const: true, Value: v}
}

func (v value) isConst() bool { return v.lo.Cmp(v.hi) == 0 && !v.saturated && len(v.reads) == 0 }

// expr returns the model's form of v, written as source in the directive.
func (v value) expr(source string) model.Expr {
	if v.isConst() {
		e := constant(v.lo.Int64())
		e.Source = source
		return e
	}
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), v.ast); err != nil {
		panic("directive: a checked expression does not print: " + err.Error())
	}
	return model.Expr{Source: source, Go: b.String(), Reads: v.reads}
}

// runtimeCall returns a call of a method of cuda.Generated.
func runtimeCall(name string, args ...ast.Expr) ast.Expr {
	for i, arg := range args {
		args[i] = ast.Unparen(arg)
	}
	return &ast.CallExpr{Fun: &ast.SelectorExpr{X: &ast.SelectorExpr{X: ast.NewIdent("cuda"), Sel: ast.NewIdent("Generated")}, Sel: ast.NewIdent(name)}, Args: args}
}

// arithmetic returns x op y. A message says why it is refused.
func arithmetic(op token.Token, x, y value) (v value, refused string) {
	v = value{ast: &ast.BinaryExpr{X: x.ast, Op: op, Y: y.ast}, reads: union(x.reads, y.reads), divisor: max(x.divisor, y.divisor)}
	saturated := x.saturated || y.saturated
	switch op {
	case token.ADD:
		v.lo, v.hi = new(big.Int).Add(x.lo, y.lo), new(big.Int).Add(x.hi, y.hi)
		return v.saturate("Add", x, y)
	case token.MUL:
		v.lo, v.hi = extremes(x, y, (*big.Int).Mul)
		return v.saturate("Mul", x, y)
	case token.SUB:
		v.lo, v.hi = new(big.Int).Sub(x.lo, y.hi), new(big.Int).Sub(x.hi, y.lo)
		if saturated || v.lo.Cmp(minInt) < 0 || v.hi.Cmp(maxInt) > 0 {
			return v, "can overflow 64 bits: use a parameter of a narrower type"
		}
		return v, ""
	case token.SHL, token.SHR:
		if !y.isConst() || y.lo.Sign() < 0 || y.lo.Cmp(big.NewInt(62)) > 0 {
			return v, "shifts by something that is no constant from 0 to 62"
		}
		factor := number(1 << y.lo.Int64())
		if op == token.SHL {
			return arithmetic(token.MUL, x, factor)
		}
		if x.lo.Sign() < 0 {
			return v, "shifts right what can be negative: divide"
		}
		return arithmetic(token.QUO, x, factor)
	case token.QUO, token.REM:
		if !y.isConst() || y.lo.Sign() <= 0 {
			return v, "divides by something that is no positive constant"
		}
		if op == token.QUO {
			v.lo, v.hi = new(big.Int).Quo(x.lo, y.lo), new(big.Int).Quo(x.hi, y.lo)
			v.saturated = x.saturated
			if x.saturated {
				if y.lo.Cmp(big.NewInt(maxSaturatedDivisor/x.divisor)) > 0 {
					return v, "can overflow 64 bits before it is divided: use a parameter of a narrower type"
				}
				v.divisor = x.divisor * y.lo.Int64()
			}
			return v, ""
		}
		if x.saturated {
			return v, "can overflow 64 bits before the remainder is taken: use a parameter of a narrower type"
		}
		last := new(big.Int).Sub(y.lo, big.NewInt(1))
		v.lo, v.hi = new(big.Int), last
		if x.lo.Sign() < 0 {
			v.lo = new(big.Int).Neg(last)
		}
		return v, ""
	}
	return v, "uses " + op.String() + ": the operators are + - * / % << >>"
}

// saturate makes v, which is x op y, stop at the largest int through the function
// name of package cuda where its interval or that of an operand demands it.
func (v value) saturate(name string, x, y value) (value, string) {
	inside := v.lo.Cmp(minInt) >= 0 && v.hi.Cmp(maxInt) <= 0
	if inside && !x.saturated && !y.saturated {
		return v, ""
	}
	if x.lo.Sign() < 0 || y.lo.Sign() < 0 {
		return v, "can overflow 64 bits, and be negative: use parameters of narrower or unsigned types"
	}
	v.ast = runtimeCall(name, x.ast, y.ast)
	v.saturated = true
	if v.hi.Cmp(maxInt) > 0 {
		v.hi = maxInt
	}
	return v, ""
}

// extremes returns the least and the greatest of f over the ends of x and y.
func extremes(x, y value, f func(z, a, b *big.Int) *big.Int) (lo, hi *big.Int) {
	ends := []*big.Int{f(new(big.Int), x.lo, y.lo), f(new(big.Int), x.lo, y.hi), f(new(big.Int), x.hi, y.lo), f(new(big.Int), x.hi, y.hi)}
	return slices.MinFunc(ends, (*big.Int).Cmp), slices.MaxFunc(ends, (*big.Int).Cmp)
}

// extremum returns min(list…) or max(list…).
func extremum(name string, list []value) value {
	call := &ast.CallExpr{Fun: ast.NewIdent(name)}
	v := value{ast: call, lo: list[0].lo, hi: list[0].hi, saturated: name == "min", divisor: 1}
	pick := func(a, b *big.Int) *big.Int {
		if (a.Cmp(b) < 0) == (name == "min") {
			return a
		}
		return b
	}
	for _, x := range list {
		call.Args = append(call.Args, ast.Unparen(x.ast))
		v.lo, v.hi = pick(v.lo, x.lo), pick(v.hi, x.hi)
		if name == "min" {
			v.saturated = v.saturated && x.saturated
		} else {
			v.saturated = v.saturated || x.saturated
		}
		v.divisor = max(v.divisor, x.divisor)
		v.reads = union(v.reads, x.reads)
	}
	return v
}

func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
