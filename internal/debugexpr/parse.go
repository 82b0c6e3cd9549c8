package debugexpr

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// An Expr is an expression that was parsed.
type Expr struct {
	op   string // "name", "number", "unary", "binary", "index", "member", "arrow" or "cast"
	text string // a name, a number or an operator
	args []*Expr
	t    *ptxdebug.Type // of a cast

	value *Value // of "value", which may be a constant with a name
}

// Parse parses an expression of C++: names, %registers, numbers, true, false, nullptr, the operators of arithmetic, comparison and logic, [], ., ->, unary * and
// &, parentheses, and casts to arithmetic types and pointers to them. The error says where it is wrong.
func Parse(text string) (*Expr, error) {
	p := &parser{text: text}
	p.next()
	e, err := p.expression(0)
	if err == nil && p.token != "" {
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

type parser struct {
	text  string
	at    int // behind the token
	begin int // of the token
	token string
	depth int
}

// maxDepth limits how deep expressions nest.
const maxDepth = 200

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("expression %q, character %d: %s", p.text, p.begin+1, fmt.Sprintf(format, args...))
}

// unexpected returns the error of a token that nothing begins or goes on with.
func (p *parser) unexpected() error {
	if p.token == "=" {
		return p.errorf("values cannot be changed; == compares")
	}
	return p.errorf("%q is not expected", p.token)
}

// operators are those of more than one character.
var operators = []string{"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "::"}

// next reads the next token. It is empty at the end.
func (p *parser) next() {
	rest := strings.TrimLeft(p.text[p.at:], " \t\n")
	p.begin = len(p.text) - len(rest)
	if rest == "" {
		p.token, p.at = "", len(p.text)
		return
	}
	n := 1
	switch c := rest[0]; {
	case isWord(rune(c)):
		for n < len(rest) && (isWord(rune(rest[n])) || isNumber(rest[:n]) && (rest[n] == '.' || isExponent(rest[:n]) && (rest[n] == '+' || rest[n] == '-'))) {
			n++
		}
	case c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		for n < len(rest) && isWord(rune(rest[n])) {
			n++
		}
	default:
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				n = len(op)
			}
		}
	}
	p.token, p.at = rest[:n], p.begin+n
}

func isWord(c rune) bool {
	return c == '_' || c == '$' || c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

func isNumber(token string) bool { return token[0] >= '0' && token[0] <= '9' }

// isExponent reports whether a sign may follow.
func isExponent(number string) bool {
	last := number[len(number)-1]
	return (last == 'e' || last == 'E') && !strings.HasPrefix(number, "0x")
}

// binding is how strongly binary operators bind.
var binding = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// expression parses operators that bind more strongly than least.
func (p *parser) expression(least int) (*Expr, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("it is nested too deep")
	}
	defer func() { p.depth-- }()
	left, err := p.unary()
	for err == nil {
		op := p.token
		strength := binding[op]
		if strength <= least {
			break
		}
		p.next()
		var right *Expr
		if right, err = p.expression(strength); err == nil {
			left = &Expr{op: "binary", text: op, args: []*Expr{left, right}}
		}
	}
	return left, err
}

func (p *parser) unary() (*Expr, error) {
	switch op := p.token; op {
	case "-", "+", "!", "~", "*", "&":
		if p.depth++; p.depth > maxDepth {
			return nil, p.errorf("it is nested too deep")
		}
		defer func() { p.depth-- }()
		p.next()
		arg, err := p.unary()
		if err != nil {
			return nil, err
		}
		return &Expr{op: "unary", text: op, args: []*Expr{arg}}, nil
	}
	return p.postfix()
}

func (p *parser) postfix() (*Expr, error) {
	e, err := p.primary()
	for err == nil {
		switch op := p.token; op {
		case "[":
			p.next()
			var index *Expr
			if index, err = p.expression(0); err == nil {
				err = p.expect("]")
			}
			e = &Expr{op: "index", args: []*Expr{e, index}}
		case ".", "->":
			p.next()
			if p.token == "" || !isWord(rune(p.token[0])) || isNumber(p.token) {
				return nil, p.errorf("want the name of a member")
			}
			e = &Expr{op: map[string]string{".": "member", "->": "arrow"}[op], text: p.token, args: []*Expr{e}}
			p.next()
		default:
			return e, nil
		}
	}
	return nil, err
}

func (p *parser) expect(token string) error {
	switch p.token {
	case token:
	case "=":
		return p.unexpected()
	default:
		return p.errorf("want %s", token)
	}
	p.next()
	return nil
}

func (p *parser) primary() (*Expr, error) {
	switch {
	case p.token == "":
		return nil, p.errorf("it ends early")
	case p.token == "(":
		return p.parenthesis()
	case p.token == "%": // a register
		begin := p.begin
		p.next()
		if p.token == "" || p.begin != begin+1 || !isWord(rune(p.token[0])) {
			return nil, p.errorf("want the name of a register behind %%")
		}
		name := "%" + p.token
		p.next()
		if strings.HasPrefix(name, "%tid") || strings.HasPrefix(name, "%ctaid") || strings.HasPrefix(name, "%ntid") || strings.HasPrefix(name, "%nctaid") {
			return nil, p.errorf("%s is a special register: use threadIdx, blockIdx, blockDim or gridDim", name)
		}
		return &Expr{op: "name", text: name}, nil
	case isNumber(p.token) || p.token[0] == '.' && len(p.token) > 1:
		e := &Expr{op: "number", text: p.token}
		if _, err := literal(e.text); err != nil {
			return nil, p.errorf("%v", err)
		}
		p.next()
		return e, nil
	case isWord(rune(p.token[0])):
		name := p.token
		p.next()
		if value, ok := constants[name]; ok {
			return &Expr{op: "value", text: name, value: &value}, nil
		}
		for p.token == "::" {
			p.next()
			name += "::" + p.token
			p.next()
		}
		return &Expr{op: "name", text: name}, nil
	}
	return nil, p.unexpected()
}

// parenthesis parses an expression in parentheses, or a cast.
func (p *parser) parenthesis() (*Expr, error) {
	p.next()
	if t, err := p.typeName(); t != nil || err != nil {
		if err == nil {
			err = p.expect(")")
		}
		if err != nil {
			return nil, err
		}
		if p.depth++; p.depth > maxDepth {
			return nil, p.errorf("it is nested too deep")
		}
		defer func() { p.depth-- }()
		arg, err := p.unary()
		if err != nil {
			return nil, err
		}
		return &Expr{op: "cast", t: t, args: []*Expr{arg}}, nil
	}
	e, err := p.expression(0)
	if err == nil {
		err = p.expect(")")
	}
	return e, err
}

// typeName parses the type of a cast, or returns nil if there is none.
func (p *parser) typeName() (*ptxdebug.Type, error) {
	var words []string
	for typeWords[p.token] {
		if p.token != "const" {
			words = append(words, p.token)
		}
		p.next()
	}
	if len(words) == 0 {
		return nil, nil
	}
	t := Named[strings.Join(words, " ")]
	if t == nil {
		return nil, p.errorf("there is no type %s here", strings.Join(words, " "))
	}
	for p.token == "*" {
		t = &ptxdebug.Type{Kind: ptxdebug.Pointer, Size: 8, Elem: t}
		p.next()
	}
	return t, nil
}

// typeWords are the words of the names of types.
var typeWords = func() map[string]bool {
	words := map[string]bool{"const": true}
	for name := range Named {
		for _, word := range strings.Fields(name) {
			words[word] = true
		}
	}
	return words
}()
