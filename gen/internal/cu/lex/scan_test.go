package lex

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tokens returns the tokens of src as "line:column text".
func lexemes(src string) []string {
	var list []string
	s := NewLexer(NewSource("t.cu", src))
	for l := s.Scan(); l.Kind != EOF; l = s.Scan() {
		list = append(list, fmt.Sprintf("%d:%d %s", l.Pos().Line, l.Pos().Column, l.Text))
	}
	return list
}

func TestScan(t *testing.T) {
	tests := map[string]struct {
		src  string
		want []string
	}{
		"words":               {"int x_1;\n  y", []string{"1:1 int", "1:5 x_1", "1:8 ;", "2:3 y"}},
		"byte order mark":     {"\uFEFFint", []string{"1:4 int"}},
		"CRLF":                {"a\r\nb // c\r\nd", []string{"1:1 a", "2:1 b", "2:3 // c\r", "3:1 d"}},
		"columns are bytes":   {"/*ä*/ x", []string{"1:1 /*ä*/", "1:8 x"}},
		"unicode identifier":  {"größe;", []string{"1:1 größe", "1:8 ;"}},
		"longest operator":    {"a<<=b>>c->*d...::e", []string{"1:1 a", "1:2 <<=", "1:5 b", "1:6 >>", "1:8 c", "1:9 ->*", "1:12 d", "1:13 ...", "1:16 ::", "1:18 e"}},
		"digraphs":            {"<% %> <: :>", []string{"1:1 {", "1:4 }", "1:7 [", "1:10 ]"}},
		"no digraph":          {"a<::b>", []string{"1:1 a", "1:2 <", "1:3 ::", "1:5 b", "1:6 >"}},
		"numbers":             {"1'000ull .5e-3f 0x1p+2 1..2", []string{"1:1 1'000ull", "1:10 .5e-3f", "1:17 0x1p+2", "1:24 1..2"}},
		"literals":            {`"a\"b" 'c' '\'' u8"d" L'e'`, []string{`1:1 "a\"b"`, "1:8 'c'", `1:12 '\''`, `1:17 u8"d"`, "1:23 L'e'"}},
		"raw string":          {"R\"x(a\\\n)\" )x\" b", []string{"1:1 R\"x(a\\\n)\" )x\"", "2:8 b"}},
		"quote as delimiter":  {"R\"\"(a)\"\" b", []string{"1:1 R\"\"(a)\"\"", "1:10 b"}},
		"comment in string":   {`"/*" x`, []string{`1:1 "/*"`, "1:6 x"}},
		"string in comment":   {"/*\"*/ x", []string{"1:1 /*\"*/", "1:7 x"}},
		"continued word":      {"in\\\nt x", []string{"1:1 int", "2:3 x"}},
		"continued operator":  {"<\\\r\n< x", []string{"1:1 <<", "2:3 x"}},
		"continued comment":   {"// a\\\nb\nc", []string{"1:1 // ab", "3:1 c"}},
		"continued end":       {"a\\\n", []string{"1:1 a"}},
		"comment end":         {"/**/x/***/y", []string{"1:1 /**/", "1:5 x", "1:6 /***/", "1:11 y"}},
		"header":              {"#include <a//b.h>\n#include \"c d.h\"", []string{"1:1 #", "1:2 include", "1:10 <a//b.h>", "2:1 #", "2:2 include", "2:10 \"c d.h\""}},
		"header name is over": {"#include\n<a", []string{"1:1 #", "1:2 include", "2:1 <", "2:2 a"}},
		"illegal":             {"a @ b", []string{"1:1 a", "1:3 character @ is not allowed here", "1:5 b"}},
		"illegal bytes":       {"\xff\xfe x", []string{"1:1 character is not allowed here: source is UTF-8 text", "1:4 x"}},
		"open string":         {"\"a\nb", []string{"1:1 string literal is not closed", "2:1 b"}},
		"open raw string":     {"R\"(a", []string{"1:1 raw string is not closed"}},
		"open comment":        {"x /* a", []string{"1:1 x", "1:3 comment is not closed"}},
		"bad raw delimiter":   {"R\"a b(\"", []string{"1:1 raw string has no delimiter", "1:3 a", "1:5 b", "1:6 (", "1:7 string literal is not closed"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, lexemes(test.src)) })
	}
}
