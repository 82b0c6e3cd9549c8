package lex

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Character is one in a literal: its code, and whether a number says it.
type Character struct {
	Code   uint32
	Escape bool // by an octal or hexadecimal escape sequence: a code unit
}

// simpleEscapes are the escape sequences of one character, and what they mean.
const simpleEscapes, meanEscapes = "abtnvfr\\'\"?eE", "\a\b\t\n\v\f\r\\'\"?\x1b\x1b"

// Characters takes the text between the quotes of a literal apart: C++ standard,
// [lex.ccon]. ok is false for what is not understood.
func Characters(text string) (units []Character, ok bool) {
	for text != "" {
		if text[0] != '\\' {
			r, size := utf8.DecodeRuneInString(text)
			if r == utf8.RuneError {
				return nil, false
			}
			units = append(units, Character{Code: uint32(r)})
			text = text[size:]
			continue
		}
		if text = text[1:]; text == "" {
			return nil, false
		}
		first := text[0]
		digits, base, universal := 0, 16, false
		switch {
		case first >= '0' && first <= '7':
			base = 8
			for digits < 3 && digits < len(text) && text[digits] >= '0' && text[digits] <= '7' {
				digits++
			}
		case first == 'x':
			text = text[1:]
			for digits < len(text) && isHexDigit(text[digits]) {
				digits++
			}
		case first == 'u', first == 'U':
			universal = true
			text = text[1:]
			if digits = 4; first == 'U' {
				digits = 8
			}
		default:
			i := strings.IndexByte(simpleEscapes, first)
			if i < 0 {
				return nil, false
			}
			units = append(units, Character{Code: uint32(meanEscapes[i])})
			text = text[1:]
			continue
		}
		if digits == 0 || digits > len(text) {
			return nil, false
		}
		code, err := strconv.ParseUint(text[:digits], base, 32)
		if err != nil || universal && (code > utf8.MaxRune || code >= 0xd800 && code < 0xe000) {
			return nil, false
		}
		units = append(units, Character{uint32(code), !universal})
		text = text[digits:]
	}
	return units, true
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// characterWidths are the bytes of the types of character literals by their prefixes.
var characterWidths = map[string]int{"": 1, "u8": 1, "u": 2, "L": 4, "U": 4}

// A CharacterLiteral is what a character literal says.
type CharacterLiteral struct {
	Prefix  string
	Several bool  // it has several characters: its type is int
	Value   int64 // with a sign where char and wchar_t have one
}

// ReadCharacter takes a character literal apart: C++ standard, [lex.ccon]. ok is false where
// compilers understand it in different ways: of several characters when one is no ASCII character,
// and of those that do not fit their type.
func ReadCharacter(text string) (c CharacterLiteral, ok bool) {
	prefix, quoted, _ := strings.Cut(text, "'")
	width, known := characterWidths[prefix]
	quoted, closed := strings.CutSuffix(quoted, "'")
	units, ok := Characters(quoted)
	if !known || !closed || !ok || len(units) == 0 || len(units) > 4 || len(units) > 1 && prefix != "" {
		return CharacterLiteral{}, false
	}
	c = CharacterLiteral{Prefix: prefix, Several: len(units) > 1}
	for _, u := range units {
		limit := uint32(math.MaxUint32)
		switch {
		case c.Several || u.Escape && prefix == "u8", !u.Escape && width == 1:
			limit = 0x7f
		case width < 4:
			limit = 1<<(8*uint(width)) - 1
		}
		if u.Code > limit {
			return CharacterLiteral{}, false
		}
		c.Value = c.Value<<8 | int64(u.Code)
	}
	switch {
	case c.Several:
	case width == 1:
		c.Value = int64(int8(c.Value))
	case prefix == "L":
		c.Value = int64(int32(c.Value))
	}
	return c, true
}

// An Integer is what an integer literal says.
type Integer struct {
	Value    uint64
	Decimal  bool   // its type is never unsigned without a u
	Unsigned bool   // by a u
	Length   string // the suffix but for the u: l, ll, z or empty
}

// ReadInteger takes an integer literal apart: C++ standard, [lex.icon].
func ReadInteger(text string) (n Integer, err error) {
	s := strings.ToLower(strings.ReplaceAll(text, "'", ""))
	digits := strings.TrimRight(s, "ulz")
	suffix := s[len(digits):]
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	n.Decimal = base == 10
	if n.Value, err = strconv.ParseUint(digits, base, 64); err != nil {
		return Integer{}, diag.ConstantExpression.New(text + " is not an integer that fits 64 bits")
	}
	if n.Length, n.Unsigned = strings.CutPrefix(suffix, "u"); !n.Unsigned {
		n.Length, n.Unsigned = strings.CutSuffix(suffix, "u")
	}
	switch n.Length {
	case "", "l", "ll", "z":
	default:
		return Integer{}, diag.ConstantExpression.New(text + " is not an integer")
	}
	if n.Value > math.MaxInt64 && n.Decimal && !n.Unsigned {
		return Integer{}, diag.ConstantExpression.New(text + " does not fit a signed type")
	}
	return n, nil
}
