package cu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// lexemes returns the lexemes of src as "line:column text".
func lexemes(src string) []string {
	var list []string
	s := newLexer(newSource("t.cu", src))
	for l := s.scan(); l.kind != tokEOF; l = s.scan() {
		list = append(list, fmt.Sprintf("%d:%d %s", l.pos().Line, l.pos().Column, l.text))
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

// What the lexer finds wrong, where a marker in the source cannot stand.
func TestLexicalErrors(t *testing.T) {
	tests := map[string]string{
		"int a;\n/* b":                 "t.cu:2:1: comment is not closed",
		"#if 0\n#endif /* b":           "t.cu:2:8: comment is not closed",
		"int a\x00; \x00":              "t.cu:1:6: file has a NUL byte: source is UTF-8 text",
		"\xff\xfei\x00n\x00":           "t.cu:1:1: file is UTF-16 text: save it as UTF-8",
		"int \xe9;":                    "t.cu:1:5: character is not allowed here: source is UTF-8 text",
		"const char *s = \"a\n;":       "t.cu:1:17: string literal is not closed",
		"char c = 'a\n;":               "t.cu:1:10: character literal is not closed",
		"#define X 'a\n":               "t.cu:1:11: character literal is not closed",
		"auto s = R\"(a)\n":            "t.cu:1:10: raw string is not closed",
		"#include <a\nint b;":          "t.cu:1:10: name of a header is not closed",
		strings.Repeat("#if A\n", 300): "t.cu:201:1: conditions are nested more than 200 deep",
		strings.Repeat("{", 100000):    "t.cu:1:1: { is not closed",
		strings.Repeat("namespace a {", 300) + strings.Repeat("}", 300): "declarations are nested more than 200 deep",
	}
	for src, want := range tests {
		_, err := ParseFile("t.cu", []byte(src))
		assert.ErrorContains(t, err, want, "%.40q", src)
	}
	for _, src := range []string{
		"// caf\xe9\nconst char *s = \"\xe9\";",
		"#if 0\nit's\n#endif",
		"#if 0\n#error it's\n#endif",
	} {
		_, err := ParseFile("t.cu", []byte(src))
		assert.NoError(t, err, "%q", src)
	}
}
