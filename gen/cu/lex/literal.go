package lex

import (
	"strconv"
	"strings"
	"unicode/utf8"
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
