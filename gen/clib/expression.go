package clib

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/internal/diag"
)

// An expression turns a C expression over the arguments of a function into Go. Its integers are of type int64, and package
// runtime/clib calculates with them: what does not fit is more than any memory has.
type expression struct {
	*packager
	function *function
	pos      token.Position // of source
	source   string
	outs     bool // numbers that C writes may be read
	after    bool // such a one is
	asks     bool // it asks another function
	optional bool // names that are no parameters of this function are no error, because another one of the block may have them
	absent   bool // there is such a name

	tokens []lexeme
	failed bool
	reads  []reading // each once
}

// params returns the parameters of the function, with their roles.
func (e *expression) params() []*param {
	if e.outs || e.function.settled == nil {
		return e.function.params
	}
	return e.function.settled.params
}

// A lexeme is a token of an expression.
type lexeme struct {
	tok    token.Token
	text   string
	offset int
}

// integer reads the source as an integer.
func (e *expression) integer() string {
	e.scan()
	x := e.ternary()
	e.end()
	return asInteger(x).text
}

// condition reads the source as a condition.
func (e *expression) condition() string {
	e.scan()
	x := e.ternary()
	e.end()
	return asCondition(x).text
}

// bare returns s without parentheses around the whole.
func bare(s string) string {
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return s
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
}

// An operand is a part of an expression in Go.
type operand struct {
	text      string
	condition bool // a bool in Go
	open      bool // a number that may be clib.TooMuch, which stands for none

	// Of a condition that compares what may have no result, not is the condition that it does not hold. If there is no result, neither
	// of both is true. It is empty for others.
	not string
}

// negated returns the condition that x, a condition, does not hold.
func (x operand) negated() string {
	if x.not != "" {
		return x.not
	}
	return "!" + x.text
}

// negation returns it for two conditions that are joined: empty if neither needs that.
func negation(x, y operand, op string) string {
	if x.not == "" && y.not == "" {
		return ""
	}
	return fmt.Sprintf("(%s %s %s)", x.negated(), map[string]string{"&&": "||", "||": "&&"}[op], y.negated())
}

// comparisons has how two numbers compare, and the opposite, in terms of clib.Compare(a, b), which is 2 if one is no number.
var comparisons = map[string][2]string{
	"==": {"== 0", "&1 != 0"}, "!=": {"&1 != 0", "== 0"}, "<": {"< 0", "&^1 == 0"}, ">=": {"&^1 == 0", "< 0"}, ">": {"== 1", "<= 0"}, "<=": {"<= 0", "== 1"},
}

// compared returns the comparison of two integers.
func compared(a operand, op string, b operand) operand {
	if !a.open && !b.open {
		return operand{text: fmt.Sprintf("(%s %s %s)", a.text, op, b.text), condition: true}
	}
	both, values := comparisons[op], fmt.Sprintf("clib.Compare(%s, %s)", a.text, b.text)
	return operand{text: "(" + values + " " + both[0] + ")", not: "(" + values + " " + both[1] + ")", condition: true}
}

// picked returns x ? a : b, of a condition and integers.
func picked(x, a, b operand) operand {
	other := b.text
	if x.not != "" {
		other = fmt.Sprintf("clib.Pick(%s, %s, clib.TooMuch)", bare(x.not), other)
	}
	return operand{text: fmt.Sprintf("clib.Pick(%s, %s, %s)", bare(x.text), a.text, other), open: x.not != "" || a.open || b.open}
}

func (e *expression) scan() {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(e.source))
	s.Init(file, []byte(e.source), nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF || tok == token.SEMICOLON && text == "\n" {
			return
		}
		if tok.IsOperator() {
			text = tok.String()
		}
		if tok == token.ILLEGAL {
			text = strings.TrimSpace(text)
		}
		if split := map[token.Token][2]token.Token{token.ARROW: {token.LSS, token.SUB}, token.INC: {token.ADD, token.ADD}, token.DEC: {token.SUB, token.SUB}}[tok]; split[0] != 0 { // of Go alone
			e.tokens = append(e.tokens, lexeme{split[0], split[0].String(), file.Offset(pos)}, lexeme{split[1], split[1].String(), file.Offset(pos) + 1})
			continue
		}
		e.tokens = append(e.tokens, lexeme{tok, text, file.Offset(pos)})
	}
}

func (e *expression) peek() lexeme {
	if len(e.tokens) == 0 {
		return lexeme{tok: token.EOF, text: "its end", offset: len(e.source)}
	}
	return e.tokens[0]
}

func (e *expression) next() lexeme {
	l := e.peek()
	if len(e.tokens) > 0 {
		e.tokens = e.tokens[1:]
	}
	return l
}

// accept reads the token of that text, if it is next.
func (e *expression) accept(text string) bool {
	if e.peek().text != text || e.peek().tok == token.EOF {
		return false
	}
	e.next()
	return true
}

func (e *expression) fail(code diag.Code, format string, args ...any) operand {
	if !e.failed {
		e.errorf(e.pos, e.function, code, "%s: %w", e.source, code.Errorf(format, args...))
	}
	e.failed, e.tokens = true, nil
	return operand{text: "0"}
}

func (e *expression) end() {
	if l := e.peek(); l.tok != token.EOF {
		e.fail(diag.DirectiveArguments, "unexpected %s", l.text)
	}
}

func asInteger(x operand) operand {
	switch {
	case x.not != "":
		return picked(x, operand{text: "1"}, operand{text: "0"})
	case x.condition:
		return operand{text: "clib.Bit(" + x.text + ")"}
	}
	return x
}

func asCondition(x operand) operand {
	if !x.condition {
		return compared(x, "!=", operand{text: "0"})
	}
	return x
}

// ternary reads c ? a : b and what binds tighter.
func (e *expression) ternary() operand {
	x := e.binary(0)
	if !e.accept("?") {
		return x
	}
	a := e.ternary()
	if !e.accept(":") {
		return e.fail(diag.DirectiveArguments, "a : is missing at %s", e.peek().text)
	}
	b := e.ternary()
	return picked(asCondition(x), asInteger(a), asInteger(b))
}

// levels has the binary operators, those that bind loosest first.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}

// calculations has the functions of package runtime/clib for operators.
var calculations = map[string]string{"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Rem"}

func (e *expression) binary(level int) operand {
	if level == len(levels) {
		return e.unary()
	}
	x := e.binary(level + 1)
	for slices.Contains(levels[level], e.peek().text) && e.peek().tok != token.EOF {
		op := e.next().text
		y := e.binary(level + 1)
		switch {
		case op == "||" || op == "&&":
			a, b := asCondition(x), asCondition(y)
			x = operand{text: fmt.Sprintf("(%s %s %s)", a.text, op, b.text), condition: true, not: negation(a, b, op)}
		case calculations[op] != "":
			x = operand{text: fmt.Sprintf("clib.%s(%s, %s)", calculations[op], asInteger(x).text, asInteger(y).text), open: true}
		default:
			x = compared(asInteger(x), op, asInteger(y))
		}
	}
	return x
}

func (e *expression) unary() operand {
	switch {
	case e.accept("-"):
		return operand{text: "clib.Sub(0, " + asInteger(e.unary()).text + ")", open: true}
	case e.accept("!"):
		x := asCondition(e.unary())
		if x.not != "" {
			return operand{text: x.not, condition: true, not: x.text}
		}
		return operand{text: x.negated(), condition: true}
	case e.accept("("):
		x := e.ternary()
		if !e.accept(")") {
			return e.fail(diag.DirectiveArguments, "a ) is missing at %s", e.peek().text)
		}
		return x
	}
	l := e.next()
	if l.tok.IsKeyword() { // of Go
		l.tok = token.IDENT
	}
	switch l.tok {
	case token.INT:
		n, err := strconv.ParseInt(l.text, 0, 64)
		if err != nil {
			return e.fail(diag.ExpressionValue, "%s is not an integer of 64 bits", l.text)
		}
		return operand{text: strconv.FormatInt(n, 10)}
	case token.CHAR:
		r, _, _, err := strconv.UnquoteChar(l.text[1:], '\'')
		if err != nil || r > unicode.MaxASCII {
			return e.fail(diag.ExpressionValue, "%s is no character of ASCII", l.text)
		}
		return operand{text: strconv.Itoa(int(r))}
	case token.IDENT:
		if e.accept(".") {
			return e.member(l.text, e.next().text)
		}
		if e.accept("(") {
			return e.call(l.text)
		}
		return e.name(l.text)
	default:
		return e.fail(diag.DirectiveArguments, "unexpected %s", l.text)
	}
}

// functions has the number of arguments of those that an expression can call; -1 for any.
var functions = map[string]int{"min": -1, "max": -1, "abs": 1, "len": 1, "matrix": 3, "vector": 2, "batch": 3, "bytes": 2, "sum": 1, "asked": 1}

// call reads the arguments of name, and the ) behind them.
func (e *expression) call(name string) operand {
	count, known := functions[name]
	if !known {
		return e.fail(diag.ExpressionName, "there is no function %s%w", name, directive.Nearest(name, slices.Sorted(maps.Keys(functions))))
	}
	switch name {
	case "len":
		return e.length()
	case "sum":
		return e.sum()
	case "asked":
		return e.asked()
	}
	var args []string
	open := name != "max" && name != "min"
	for {
		x := asInteger(e.ternary())
		args, open = append(args, x.text), open || x.open
		if !e.accept(",") {
			break
		}
	}
	switch {
	case !e.accept(")"):
		return e.fail(diag.DirectiveArguments, "a ) is missing at %s", e.peek().text)
	case count >= 0 && len(args) != count:
		return e.fail(diag.DirectiveArguments, "%s takes %d arguments, not %d", name, count, len(args))
	case name == "max": // Go's: what is too much is the greatest number
		return operand{text: "max(" + strings.Join(args, ", ") + ")", open: open}
	}
	return operand{text: fmt.Sprintf("clib.%s%s(%s)", strings.ToUpper(name[:1]), name[1:], strings.Join(args, ", ")), open: open}
}

// member reads what stands behind a period: go.f(a, b) calls a function of the Go package with arguments as they are, and h.n is a
// number that the handle h keeps.
func (e *expression) member(of, name string) operand {
	if of == "go" {
		return e.goCall(name)
	}
	for _, p := range e.params() {
		if p.Name == of && p.role == object {
			index := p.handle.keep(name)
			p.handle.kept[index].read = e.pos
			object := p.goName + ".of()"
			if e.function.receiver >= 0 && e.params()[e.function.receiver] == p {
				object = "h.of()"
			}
			kept := fmt.Sprintf("clib.Kept(%s, %d)", object, index)
			e.read(of+"."+name, kept)
			return operand{text: kept, open: true}
		}
	}
	return e.fail(diag.ExpressionName, "%s is no handle, so it keeps no %s", of, name)
}

// goCall reads the arguments of go.name, which are parameters.
func (e *expression) goCall(name string) operand {
	if !e.accept("(") {
		return e.fail(diag.DirectiveArguments, "go.%s wants arguments in parentheses", name)
	}
	var args []string
	for !e.accept(")") {
		l := e.next()
		at := slices.IndexFunc(e.params(), func(p *param) bool { return p.Name == l.text })
		switch {
		case at >= 0 && at == e.function.receiver:
			args = append(args, "h")
		case at >= 0 && slices.Contains([]role{plain, hostSlice, value, object}, e.params()[at].role):
			args = append(args, e.params()[at].goName)
		default:
			return e.fail(diag.ExpressionName, "%s is no parameter that Go has as a number, a slice or an object", l.text)
		}
		if !e.accept(",") && e.peek().text != ")" {
			return e.fail(diag.DirectiveArguments, "a ) is missing at %s", e.peek().text)
		}
	}
	return operand{text: name + "(" + strings.Join(args, ", ") + ")", open: true}
}

// length reads the argument of len.
func (e *expression) length() operand {
	l := e.next()
	if !e.accept(")") {
		return e.fail(diag.DirectiveArguments, "len takes the name of a parameter")
	}
	for _, p := range e.params() {
		if p.Name == l.text && !p.scalar && (p.role == memory || p.role == hostSlice) {
			if p.role == memory {
				return operand{text: "int64(" + p.goName + ".Len())"}
			}
			return operand{text: "int64(len(" + p.goName + "))"}
		}
	}
	return e.fail(diag.ParameterKind, "%s is no slice: %w", l.text, diag.Do("write len or host for it"))
}

// sum reads the argument of sum.
func (e *expression) sum() operand {
	l := e.next()
	if !e.accept(")") {
		return e.fail(diag.DirectiveArguments, "sum takes the name of a parameter")
	}
	for _, p := range e.params() {
		if p.Name == l.text && p.role == hostSlice && !p.scalar && isInteger(ctype.Unqualified(p.Type).(*ctype.Pointer).Elem) {
			return operand{text: "clib.Sum(" + p.goName + ")", open: true}
		}
	}
	return e.fail(diag.ParameterKind, "%s is no slice of integers in the memory of the host", l.text)
}

func isInteger(t ctype.Type) bool {
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	return ok && basic.Integer()
}

// read notes a number.
func (e *expression) read(name, text string) {
	if one := (reading{name, text}); !slices.Contains(e.reads, one) {
		e.reads = append(e.reads, one)
	}
}

// name reads a parameter or a constant.
func (e *expression) name(name string) operand {
	for _, p := range e.params() {
		if p.Name != name {
			continue
		}
		e.found[mention{e.pos, name}] = true
		if basic, ok := ctype.Unqualified(p.Type).(*ctype.Basic); p.role == plain && (!ok || basic.Kind != ctype.Bool) {
			e.read(name, "int64("+p.goName+")")
		}
		if p.role == object {
			return e.fail(diag.ParameterKind, "%s is a handle, and no number", name)
		}
		typ := p.Type
		if pointer, ok := ctype.Unqualified(typ).(*ctype.Pointer); ok && e.outs && p.role == out && !p.far && !p.scalar && p.align <= 8 {
			typ, e.after = pointer.Elem, true
		} else if ok && p.role == value && !p.scalar {
			typ = pointer.Elem
		}
		switch t := ctype.Unqualified(typ).(type) {
		case *ctype.Enum:
			if t.Underlying != nil && t.Underlying.Unsigned && t.Underlying.Size == 8 {
				return operand{text: "clib.Unsigned(" + p.goName + ")", open: true}
			}
			return operand{text: "int64(" + p.goName + ")"}
		case *ctype.Basic:
			switch {
			case t.Kind == ctype.Char:
				return e.fail(diag.ParameterKind, "%s is a char, which has a sign on some machines and none on others: %w", name, diag.Do("declare it as signed char or unsigned char"))
			case t.Kind == ctype.Bool:
				return operand{text: p.goName, condition: true}
			case t.Integer() && t.Unsigned && t.Size == 8:
				return operand{text: "clib.Unsigned(" + p.goName + ")", open: true}
			case t.Integer():
				return operand{text: "int64(" + p.goName + ")"}
			}
		}
		return e.fail(diag.ParameterKind, "%s is not an integer", name)
	}
	if v, ok := e.constant(name); ok {
		e.constants[name] = v
		if v < 0 && e.unsigned(name) {
			return operand{text: "clib.TooMuch", open: true}
		}
		return operand{text: strconv.FormatInt(v, 10)}
	}
	if e.optional {
		e.absent = true
		if key := (mention{e.pos, name}); !e.found[key] {
			e.found[key] = false
		}
		return operand{text: "0"}
	}
	var names []string
	for _, p := range e.params() {
		names = append(names, p.Name)
	}
	return e.fail(diag.ExpressionName, "there is no parameter or constant %s%w", name, directive.Nearest(name, names))
}

// unsigned reports whether name is an enumerator of unsigned numbers of 8 bytes: one that is negative as an int64 is more than that has.
func (p *packager) unsigned(name string) bool {
	return slices.ContainsFunc(p.file.Enums, func(e *ctype.Enum) bool {
		return e.Underlying != nil && e.Underlying.Unsigned && e.Underlying.Size == 8 && !e.Scoped &&
			slices.ContainsFunc(e.Enumerators, func(one ctype.Enumerator) bool { return one.Name == name })
	})
}

// constant returns the value of an enumerator, or of another constant, of the header.
func (p *packager) constant(name string) (int64, bool) {
	for _, e := range p.file.Enums {
		for _, one := range e.Enumerators {
			if one.Name == name && one.Known && !e.Scoped {
				return one.Value, true
			}
		}
	}
	return p.file.Constant(nil, name)
}
