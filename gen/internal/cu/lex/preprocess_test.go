package lex

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files is a file system in memory.
type files map[string]string

func (f files) read(path string) ([]byte, error) {
	text, ok := f[filepath.ToSlash(path)]
	if !ok {
		return nil, errors.New("no such file")
	}
	return []byte(text), nil
}

// preprocessed returns the tokens that the parser sees of src.
func preprocessed(c *Config, src string) (string, error) {
	p := Preprocess(c, "t.cu", src)
	return texts(p.Tokens), p.Errors.Err()
}

func texts(list []Token) string {
	var words []string
	for i := range list[:len(list)-1] {
		words = append(words, list[i].Text)
	}
	return strings.Join(words, " ")
}

// Each rule of [cpp] with the case that shows it; those of the C standard's examples for
// rescanning are written anew.
func TestPreprocess(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"object", "#define N 4\nN + N", "4 + 4"},
		{"empty", "#define E\na E b", "a b"},
		{"function", "#define F(a, b) b - a\nF(1, 2)", "2 - 1"},
		{"no parenthesis", "#define F(a) x\nF F (1)", "F x"},
		{"parenthesis in the next line", "#define F(a) <a>\nF\n(1)", "< 1 >"},
		{"blank before the parenthesis", "#define F (a) b\nF", "( a ) b"},
		{"no arguments", "#define F() x\nF( )", "x"},
		{"empty argument", "#define F(a) [a]\nF()", "[ ]"},
		{"nested parentheses", "#define F(a, b) a\nF((1, 2), 3)", "( 1 , 2 )"},
		{"nested call", "#define F(a) f a\nF(F(1))", "f f 1"},
		{"itself", "#define A A + B\n#define B A\nA", "A + A"},
		{"itself with arguments", "#define F(x) x + F(x)\nF(1)", "1 + F ( 1 )"},
		{"rescan with the rest", "#define F(x) x G\n#define G(x) <x>\nF(1)(2)", "1 < 2 >"},
		{"stays painted", "#define A B\n#define B A\n#define I(x) x\nI(A)", "A"},
		{"string", "#define S(x) #x\nS(a  \"b\\n\" 'c')", `"a \"b\\n\" 'c'"`},
		{"string is not replaced", "#define N 4\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N)", `"N" "4"`},
		{"paste", "#define P(a, b) a ## b\nP(x, 1) P(<, <) P(, y) P(y, )", "x1 << y y"},
		{"paste is not replaced before", "#define N 4\n#define P(a) a ## _t\nP(N)", "N_t"},
		{"paste is replaced after", "#define xy 7\n#define P(a, b) a ## b\nP(x, y)", "7"},
		{"paste in an object", "#define P a ## b ## c\nP", "abc"},
		{"variadic", "#define V(a, ...) a : __VA_ARGS__;\nV(1, 2, 3) V(1) V(1,)", "1 : 2 , 3 ; 1 : ; 1 : ;"},
		{"named variadic", "#define V(rest...) rest\nV(1, 2)", "1 , 2"},
		{"comma goes", "#define V(f, ...) f(0, ## __VA_ARGS__)\nV(g) V(g, 1)", "g ( 0 ) g ( 0 , 1 )"},
		{"va opt", "#define V(f, ...) f(0 __VA_OPT__(,) __VA_ARGS__)\nV(g) V(g, 1)", "g ( 0 ) g ( 0 , 1 )"},
		{"undef", "#define N 1\n#undef N\nN", "N"},
		{"again", "#define N 1\nN\n#define N 2\nN", "1 2"},
		{"push and pop", "#define N 1\n#pragma push_macro(\"N\")\n#define N 2\nN\n#pragma pop_macro(\"N\")\nN", "2 1"},
		{"continued", "#define N \\\n  4\nN", "4"},
		{"condition in arguments", "#define F(a) <a>\nF(1\n#if 0\n2\n#else\n3\n#endif\n)", "< 1 3 >"},
		{"line", "__LINE__\n#line 40\n__LINE__", "1 40"},
		{"elifdef", "#ifdef A\n1\n#elifdef __linux__\n2\n#else\n3\n#endif", "2"},
		{"elifndef", "#ifdef A\n1\n#elifndef __linux__\n2\n#elifndef A\n3\n#endif", "3"},
		{"nested conditions", "#if 0\n#if 1\n1\n#else\n2\n#endif\n#elif 1\n3\n#else\n4\n#endif", "3"},
		{"digraphs", "%:define N 4\nint a<:N:> = <% 1 %>;", "int a [ 4 ] = { 1 } ;"},
		{"marker of a preprocessor", "# 40 \"x.cu\" 1\n__LINE__ __FILE__", `40 "x.cu"`},
		{"comment in a directive", "#define N /* four\n */ 4 // five\nN", "4"},
		{"raw string", "R\"x(#define N\n\\\n)x\" N", "R\"x(#define N\n\\\n)x\" N"},
		{"directive in no directive", "a # define N 4\nN", "a # define N 4 N"},
		{"function macro over lines", "#define F(a, \\\n b) a - b\nF(1,\n2)", "1 - 2"},
		{"paste to a number", "#define P(a, b) a ## b\nP(1, 2) P(0x, F) P(1e, 5)", "12 0xF 1e5"},
		{"string of a string", "#define S(x) #x\nS(\"a\\n\" '\\0')", `"\"a\\n\" '\\0'"`},
		{"variadic string", "#define S(...) #__VA_ARGS__\nS(a, (b, c))", `"a, (b, c)"`},
		{"counter", "__COUNTER__ __COUNTER__", "0 1"},
		{"templates", "a<b<c>>", "a < b < c > >"},
		{"words for operators", "a and b or not c", "a && b || ! c"},
		{"pragma operator", "_Pragma(\"once\") x", "x"},
		{"pragma operator, made by macros", "#define TEXT2(x) #x\n#define TEXT(x) TEXT2(x)\n#define PRAGMA(x) _Pragma(TEXT(x))\n#define N 4\nPRAGMA(unroll N) x PRAGMA(once) y", "x y"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := preprocessed(&Config{}, test.source)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestConditions(t *testing.T) {
	tests := map[string]bool{
		"1": true, "0": false, "1 - 1": false, "-1 < 0u": false, "UNDEFINED": false, "!UNDEFINED": true,
		"defined A": true, "defined(A)": true, "defined B": false, "!defined(B)": true, "A == 3": true, "F(2) == 4": true,
		"0 && (1 / 0)": false, "1 || 1 / 0": true, "1 ? 2 : 1 / 0": true, "0x10 == 020": true, "'a' == 97": true, "true": true, "false": false,
		"(2147483647 + 1) > 0": true, "1 << 40 > 0": true, "~0 == -1": true, "DEFINED_A": true,
		"__has_include(<cuda_fp16.h>)": true, "__has_include(\"near.h\")": true, "__has_include(\"far.h\")": false,
		"__has_include(<nothing/such.h>)": false, "defined(__has_include) && __has_include(<vector>)": true,
		"__has_feature(x) || 1": true, "__has_cpp_attribute(nodiscard)": true,
		"__CUDA_ARCH__ == 750": true, "__cplusplus >= 201703L": true, "__cplusplus > 201703L": false,
		"defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 11":            true,
		"defined(__linux__) && defined(__LP64__) && !defined(_WIN32) && !defined(_MSC_VER)": true,
		"CUDART_VERSION >= 12000": true, "A >> 1 == 1": true, "not defined B and A": true,
	}
	c := &Config{Read: files{"near.h": ""}.read}
	for condition, want := range tests {
		t.Run(condition, func(t *testing.T) {
			src := "#define A 3\n#define F(x) (x * 2)\n#define DEFINED_A defined(A)\n#if " + condition + "\nyes\n#else\nno\n#endif"
			got, err := preprocessed(c, src)
			require.NoError(t, err)
			assert.Equal(t, map[bool]string{true: "yes", false: "no"}[want], got)
		})
	}
}

// The settings of a Config show in the predefined macros.
func TestConfigMacros(t *testing.T) {
	c := &Config{Arch: 90, Std: "c++20", Define: []string{"ONE", "TWO=1 + 1", "F(x)=x x"}}
	got, err := preprocessed(c, "__CUDA_ARCH__ __cplusplus ONE TWO F(y)")
	require.NoError(t, err)
	assert.Equal(t, "900 202002L 1 1 + 1 y y", got)
}

func TestIncludes(t *testing.T) {
	tree := files{
		"dir/near.h":         "near\n#include \"nearer.h\"",
		"dir/nearer.h":       "nearer",
		"inc/far.h":          "far\n#include \"beside.h\"\n#include_next <far.h>",
		"inc/beside.h":       "beside",
		"inc2/far.h":         "farther",
		"dir/once.h":         "#pragma once\nonce",
		"dir/guard.h":        "// text\n#ifndef G\n#define G\nguarded\n#endif\n",
		"dir/half.h":         "#ifndef H\n#define H\nhalf\n#endif\nafter",
		"dir/x.inc":          "X(1) X(2)",
		"dir/self.h":         "#if DEPTH == 0\n#undef DEPTH\n#define DEPTH 1\n#include \"self.h\"\n#else\ndeep\n#endif",
		"dir/nested/child.h": "#include \"../near.h\"",
	}
	c := &Config{Read: tree.read, Include: []string{"inc", "inc2"}}
	tests := []struct{ name, source, want string }{
		{"beside the file", "#include \"near.h\"\nend", "near nearer end"},
		{"in a folder", "#include <far.h>\nend", "far beside farther end"},
		{"quoted, in a folder", "#include \"beside.h\"", "beside"},
		{"not found", "#include \"missing.h\"\nend", "end"},
		{"angled is not beside the file", "#include <near.h>\nend", "end"},
		{"once", "#include \"once.h\"\n#include \"once.h\"", "once"},
		{"guard", "#include \"guard.h\"\n#include \"guard.h\"", "guarded"},
		{"half a guard", "#include \"half.h\"\n#include \"half.h\"", "half after after"},
		{"by a macro", "#define H \"near.h\"\n#include H", "near nearer"},
		{"text with other macros", "#define X(n) <n>\n#include \"x.inc\"\n#undef X\n#define X(n) [n]\n#include \"x.inc\"", "< 1 > < 2 > [ 1 ] [ 2 ]"},
		{"itself with another macro", "#define DEPTH 0\n#include \"self.h\"", "deep"},
		{"relative", "#include \"nested/child.h\"", "near nearer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := Preprocess(c, "dir/t.cu", test.source)
			require.NoError(t, p.Errors.Err())
			assert.Equal(t, test.want, texts(p.Tokens))
		})
	}
}

// Where the language has trigraphs, one that matters is refused: what is not read must not be skipped.
func TestTrigraphs(t *testing.T) {
	for _, test := range []struct{ std, source, want string }{
		{"c++14", "int a??(3];", "f.cu:1:6: trigraph ??( is not understood (write [, or ?\\? for two question marks)"},
		{"c++11", "// a??/\nint b;", "f.cu:1:5: trigraph ??/ is not understood (write \\, or ?\\? for two question marks)"},
		{"c++14", "// a??/ \r\nint b;", "f.cu:1:5: trigraph ??/ is not understood (write \\, or ?\\? for two question marks)"},
		{"c++14", "/* a */ char b[] = \"a??)\";", "f.cu:1:22: trigraph ??) is not understood (write ], or ?\\? for two question marks)"},
		{"c++14", "??=define A", "f.cu:1:1: trigraph ??= is not understood (write #, or ?\\? for two question marks)"},
		{"c++14", "// why??! ??/ /* ??/ */ \n/* ??) */ char b[] = R\"(??))\"; int c = '?' ? \"??\"[0] : 1; // ??", ""},
		{"c++17", "// a??/\nint b; char c[] = \"??)\";", ""},
		{"gnu++14", "// a??/\nint b; char c[] = \"??)\";", ""},
	} {
		var got string
		if list := Preprocess(&Config{Std: test.std}, "f.cu", test.source).Errors; len(list) > 0 {
			got = list[0].Error()
		}
		if test.want == "" {
			assert.Empty(t, got, test.source)
			continue
		}
		assert.Equal(t, test.want, got, test.source)
	}
}
