package diagnostic

import (
	"go/scanner"
	"testing"

	"github.com/stretchr/testify/assert"
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
	errs, warnings := Parse(log, func(file string) string { return "user/" + file })
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

func FuzzParse(f *testing.F) {
	f.Add("k.cu(9): error: x\n   ^\n")
	f.Add("k.cu:99999999999999999999:1: error: x")
	f.Fuzz(func(t *testing.T, log string) {
		Parse(log, func(file string) string { return file })
	})
}
