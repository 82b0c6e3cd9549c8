package diag

import (
	"go/scanner"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	const log = `k.cu:2:2: warning: #warning hello [-Wcpp]
    2 | #warning hello
      |  ^~~~~~~
k.cu(9): error: no operator "+" matches these operands
            operand types are: A + A
    return a + b;
             ^
          detected during instantiation of "T f(T) [with T=A]" at line 12

k.cu(3): warning #177-D: variable "unused" was declared but never referenced
    int unused;
        ^

k.cu(9): error: no operator "+" matches these operands
            operand types are: A + A
    return a + b;
             ^
          detected during instantiation of "T f(T) [with T=A]" at line 12

a (1).h(3): catastrophic error: cannot open source file "x"
k.cu(4): fatal error C1083: cannot open include file
k.cu:5:7: fatal error: gone.h: No such file or directory
k.cu(6): error #20: identifier "q" is undefined
nvcc fatal   : Unknown option
1 error detected in the compilation of "k.cu".
`
	errs, warnings := Parse(log, func(file string) string { return "user/" + file }, nil)
	text := func(list scanner.ErrorList) (lines []string) {
		for _, e := range list {
			lines = append(lines, e.Error())
		}
		return lines
	}
	assert.Equal(t, []string{
		`user/a (1).h:3: cannot open source file "x"`,
		`user/k.cu:4: cannot open include file`,
		`user/k.cu:5:7: gone.h: No such file or directory`,
		`user/k.cu:6: identifier "q" is undefined`,
		`user/k.cu:9: no operator "+" matches these operands; operand types are: A + A; detected during instantiation of "T f(T) [with T=A]" at line 12`,
	}, text(errs))
	assert.Equal(t, []string{
		`user/k.cu:2:2: #warning hello [-Wcpp]`,
		`user/k.cu:3: variable "unused" was declared but never referenced`,
	}, text(warnings))
}

// Columns are told where the line in the source has the token that is marked as often as the line
// that the front end shows, in which macros are expanded.
func TestColumns(t *testing.T) {
	const shown = `extern "C" __attribute__((global)) void k(int n, index_t i, float *y) { y[0] = n + n; }`
	const source = "// Kernels.\n" + `extern "C" __global__ void k(int n, index_t i, float *y) { y[0] = n + n; }` + "\n"
	column := func(word string, nth int) int {
		at := -1
		for range nth {
			at += 1 + strings.Index(source[at+1:], word)
		}
		return at - strings.Index(source, "\n")
	}
	marked := func(shown, word string, nth int) string {
		at := -1
		for range nth {
			at += 1 + strings.Index(shown[at+1:], word)
		}
		return "k.cu(2): error: wrong\n  " + shown + "\n  " + strings.Repeat(" ", at) + "^\n"
	}
	for _, test := range []struct {
		name, log, source string
		want              int
	}{
		{"an identifier", marked(shown, "index_t", 1), source, column("index_t", 1)},
		{"the first of several", marked(shown, "n, ", 1), source, column("n, ", 1)},
		{"the last of several", marked(shown, "n;", 1), source, column("n;", 1)},
		{"a character", marked(shown, "}", 1), source, column("}", 1)},
		{"with an explanation", "k.cu(2): error: wrong\n            operand types are: A + A\n" + strings.TrimPrefix(marked(shown, "index_t", 1), "k.cu(2): error: wrong\n"), source, column("index_t", 1)},
		{"the name of a macro's text", marked(shown, "global", 1), source, 0},
		{"a blank", marked(shown, " ", 1), source, 0},
		{"the line has it more often", marked(shown, "index_t", 1), strings.Replace(source, "{", "{ /* index_t */", 1), 0},
		{"another line", marked(shown, "index_t", 1), "\n\n", 0},
		{"not so long", marked(shown, "index_t", 1), "", 0},
		{"#line", marked(shown, "index_t", 1), source + "#line 2\n", 0},
		{"no marker", "k.cu(2): error: wrong\n  " + shown + "\n", source, 0},
		{"nothing is shown", "k.cu(2): error: wrong\n", source, 0},
		{"a marker behind the end", "k.cu(2): error: wrong\n  x\n          ^\n", source, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			reads := 0
			errs, _ := Parse(test.log, func(file string) string { return file }, func(path string) ([]byte, error) {
				reads++
				assert.Equal(t, "k.cu", path)
				return []byte(test.source), nil
			})
			require.Len(t, errs, 1)
			assert.Equal(t, test.want, errs[0].Pos.Column)
			assert.LessOrEqual(t, reads, 1)
		})
	}
	errs, _ := Parse(marked(shown, "index_t", 1), func(file string) string { return file }, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	assert.Zero(t, errs[0].Pos.Column)
}

func FuzzParse(f *testing.F) {
	f.Add("k.cu(9): error: x\n   ^\n")
	f.Add("k.cu:99999999999999999999:1: error: x")
	f.Fuzz(func(t *testing.T, log string) {
		Parse(log, func(file string) string { return file }, func(string) ([]byte, error) { return []byte(log), nil })
	})
}

// A character of several bytes is part of a word, whichever bytes these are.
func TestWordAt(t *testing.T) {
	for _, test := range []struct {
		line string
		at   int
		want string
	}{{"int À1 = 2;", 4, "À1"}, {"int \U00010000x;", 4, "\U00010000x"}, {"a_0(", 0, "a_0"}, {"a ( b", 2, "("}, {"a b", 1, ""}, {"a", 1, ""}, {"a", -1, ""}} {
		assert.Equal(t, test.want, wordAt(test.line, test.at), test.line)
	}
}
