package cu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
