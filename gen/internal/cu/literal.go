package cu

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// parseNumber returns the value and type of an integer literal: C++ standard,
// [lex.icon].
func parseNumber(text string) (operand, error) {
	n, err := lex.ReadInteger(text)
	if err != nil {
		return operand{}, err
	}
	kind, unsigned := lengths[n.Length], n.Unsigned
	if kind == ctype.Int && (n.Value > math.MaxUint32 || n.Value > math.MaxInt32 && n.Decimal && !unsigned) {
		kind = ctype.Long
	}
	if !unsigned && !n.Decimal {
		unsigned = n.Value > math.MaxInt64 || kind == ctype.Int && n.Value > math.MaxInt32
	}
	return operand{typ: withSign(ctype.Builtin(kind), unsigned), bits: int64(n.Value)}, nil
}

// lengths are the shortest types of integer literals by their suffixes.
var lengths = map[string]ctype.Kind{"": ctype.Int, "l": ctype.Long, "z": ctype.Long, "ll": ctype.LongLong}

// parseFloat returns the value and type of a floating-point literal, false for what is
// none: C++ standard, [lex.fcon].
func parseFloat(text string) (operand, bool) {
	s := strings.ToLower(strings.ReplaceAll(text, "'", ""))
	hex := strings.HasPrefix(s, "0x")
	exponent := "e"
	if hex {
		exponent = "p"
	}
	if !strings.ContainsAny(s, "."+exponent) || strings.Contains(s, "_") {
		return operand{}, false
	}
	kind, size := ctype.Double, 64
	switch {
	case strings.HasSuffix(s, "l"):
		return unknownOf(ctype.Builtin(ctype.LongDouble), diag.NoLayout.New(text+" is a long double")), true
	case strings.HasSuffix(s, "f") && (!hex || strings.Contains(s, "p")):
		kind, size, s = ctype.Float, 32, s[:len(s)-1]
	}
	f, err := strconv.ParseFloat(s, size)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return operand{}, false
	}
	return operand{typ: ctype.Builtin(kind), float: f}, true
}

// number returns the value of a literal.
func (e *evaluator) number(l *lex.Token) operand {
	if o, ok := parseFloat(l.Text); ok {
		return o
	}
	o, err := parseNumber(l.Text)
	if err != nil {
		e.fail(l, diag.CodeOf(err), err.Error())
	}
	return o
}

// characterTypes are those of character literals by their prefixes: C++ standard,
// [lex.ccon]. What is not a char before C++20 is one since with u8.
var characterTypes = map[string]ctype.Kind{
	"": ctype.Char, "L": ctype.WChar, "u": ctype.Char16, "U": ctype.Char32, "u8": ctype.Char,
}

// character returns the value of a character literal. Those are refused whose value
// compilers understand in different ways.
func (e *evaluator) character(l *lex.Token) operand {
	c, ok := lex.ReadCharacter(l.Text)
	if !ok {
		e.fail(l, diag.ConstantExpression, "character "+l.Text+" is not understood in a constant expression")
	}
	if c.Several {
		return integer(ctype.Int, c.Value)
	}
	return operand{typ: ctype.Builtin(characterTypes[c.Prefix]), bits: c.Value}
}

// text returns the type of the string literals at the cursor, which become one, without
// their characters: C++ standard, [lex.string].
func (e *evaluator) text() operand {
	first := e.peek()
	n, prefix := int64(0), ""
	for e.peek().Kind == lex.String {
		l := e.next()
		own, units, ok := stringUnits(l.Text)
		if !ok || own != "" && prefix != "" && own != prefix {
			e.fail(l, diag.NotUnderstood, "the size of this string is not understood")
		}
		if own != "" {
			prefix = own
		}
		n += int64(units)
	}
	kind := characterTypes[prefix]
	if size := ctype.Builtin(kind).Size; size == 2 || prefix == "u8" && e.resolver.config.since("202002L") {
		e.fail(first, diag.NotUnderstood, "the size of this string is not understood")
	}
	elem := &ctype.Qualified{Type: ctype.Builtin(kind), Const: true}
	return operand{typ: &ctype.Array{Elem: elem, Len: n + 1}, unknown: diag.ConstantExpression.New("a string is not an integer constant"), lvalue: true}
}

// stringUnits returns the prefix of a string literal, and how many characters of its type
// it has.
func stringUnits(text string) (prefix string, units int, ok bool) {
	prefix, quoted, _ := strings.Cut(text, `"`)
	quoted, closed := strings.CutSuffix(quoted, `"`)
	if !closed {
		return "", 0, false
	}
	var list []lex.Character
	if bare, raw := strings.CutSuffix(prefix, "R"); raw {
		prefix = bare
		open := strings.IndexByte(quoted, '(')
		if open < 0 || !strings.HasSuffix(quoted, ")"+quoted[:open]) {
			return "", 0, false
		}
		for _, r := range quoted[open+1 : len(quoted)-open-1] {
			list = append(list, lex.Character{Code: uint32(r)})
		}
	} else if list, ok = lex.Characters(quoted); !ok {
		return "", 0, false
	}
	if _, ok = characterTypes[prefix]; !ok {
		return "", 0, false
	}
	for _, c := range list {
		switch {
		case ctype.Builtin(characterTypes[prefix]).Size > 1 || c.Escape:
			units++
		default:
			units += utf8.RuneLen(rune(c.Code))
		}
	}
	return prefix, units, true
}
