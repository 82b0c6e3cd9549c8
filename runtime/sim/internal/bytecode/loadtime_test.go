package bytecode_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
)

// linear are kinds of PTX of which there may be much: n of something.
var linear = []struct {
	name string
	n    int
	text func(n int) (module, body string)
}{
	{"registers", 2000, inBody(".reg .b32 a#; mov.u32 a#, #;")},
	{"predicates", 2000, inBody(".reg .pred p#; setp.eq.u32 p#, 1, #;")},
	{"ranges", 2000, inBody(".reg .b32 a#_<3>; mov.u32 a#_1, #;")},
	{"a range", 2000, func(n int) (string, string) {
		return "", fmt.Sprintf(".reg .b32 a<%d>;\n", n) + repeated(n, "mov.u32 a#, #;")
	}},
	{"labels", 2000, inBody("L#: bra L#;")},
	{"labels and a list", 2000, func(n int) (string, string) {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("L", i))
		}
		return "", ".reg .u32 %r; mov.u32 %r, 0; T: .branchtargets " + strings.Join(names, ", ") + "; brx.idx %r, T;\n" + repeated(n, "L#: ret;")
	}},
	{"lists of labels", 2000, inBody("{ .reg .u32 %r; mov.u32 %r, 0; T#: .branchtargets A; brx.idx %r, T#; A: ret; }")},
	{"scopes", 2000, inBody("{ .reg .b32 a; mov.u32 a, #; }")},
	{"scopes in each other", 12, func(n int) (string, string) {
		return "", ".reg .b32 o; " + repeated(n, "{ .reg .b32 a#; mov.u32 a#, #; mov.u32 o, a#;") + strings.Repeat("}", n)
	}},
	{"places", 2000, func(n int) (string, string) { return ".file 1 \"a.cu\"\n", repeated(n, ".loc 1 # 1\nret;") }},
	{"places that are inlined", 2000, func(n int) (string, string) {
		return ".file 1 \"a.cu\"\n.file 2 \"/cuda/include/a.h\"\n", ".loc 1 1 1\n" + repeated(n, ".loc 2 # 1, function_name L, inlined_at 1 1 1\nret;")
	}},
	{"places that are inlined in each other", 2000, func(n int) (string, string) {
		return ".file 1 \"a.cu\"\n.file 2 \"/cuda/include/a.h\"\n", ".loc 1 1 1\n.loc 2 1 1, function_name L, inlined_at 1 1 1\n" + repeated(n, ".loc 2 1# 2, function_name L, inlined_at 2 1 1\nret;")
	}},
	{"files", 2000, func(n int) (string, string) { return repeated(n, ".file 1# \"a#.cu\""), "ret;" }},
	{"parameters", 500, func(n int) (string, string) {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(".param .u32 p%d", i))
		}
		return ".visible .entry many(" + strings.Join(list, ", ") + ") {\n.reg .b32 a;\n" + repeated(n, "ld.param.u32 a, [p#];") + "ret; }\n", "ret;"
	}},
	{"shared variables", 2000, inBody(".shared .b8 s#; st.shared.u8 [s#], 1;")},
	{"local variables", 2000, inBody(".local .b32 s#; st.local.u32 [s#], 1;")},
	{"global variables", 2000, func(n int) (string, string) {
		return repeated(n, ".global .u32 g# = #;"), repeated(n, "st.global.u32 [g#], 1;")
	}},
	{"addresses in variables", 2000, func(n int) (string, string) { return repeated(n, ".global .u64 g# = g#;"), "ret;" }},
	{"initial values", 8000, func(n int) (string, string) {
		return fmt.Sprintf(".global .u32 g[%d] = {0%s};\n", n, strings.Repeat(", 1", n-1)), "ret;"
	}},
	{"constants", 2000, inBody(".reg .b32 a#; add.u32 a#, a#, #;")},
	{"kernels", 500, func(n int) (string, string) { return repeated(n, ".visible .entry e#() { ret; }"), "ret;" }},
	{"functions", 500, func(n int) (string, string) {
		return repeated(n, ".func f#() { ret; }"), repeated(n, "call f#;")
	}},
	{"functions that call each other", 500, func(n int) (string, string) {
		return ".func f0() { ret; }\n" + repeated(n, ".func g#() { call f0; ret; }"), repeated(n, "call g#;")
	}},
	{"functions by address", 500, func(n int) (string, string) {
		return repeated(n, ".func f#() { ret; }"), ".reg .b64 %a; P: .callprototype _ ();\n" + repeated(n, "mov.u64 %a, f#;") + "call %a, (), P;"
	}},
	{"calls", 500, func(n int) (string, string) {
		return ".func f(.param .u32 x) { ret; }\n", repeated(n, "{ .param .u32 x#; st.param.u32 [x#], 1; call f, (x#); }")
	}},
	{"declarations of functions", 2000, func(n int) (string, string) { return repeated(n, ".extern .func x#();"), "ret;" }},
	{"aliases", 500, func(n int) (string, string) {
		return ".func f() { ret; }\n" + repeated(n, ".func a#();\n.alias a#, f;"), "ret;"
	}},
	{"debug sections", 2000, func(n int) (string, string) { return "", "ret;" }},
	{"pragmas", 2000, inBody(".pragma \"nounroll\";")},
	{"products and their sums, far apart", 500, func(n int) (string, string) {
		return "", ".reg .b64 p<" + strconv.Itoa(n+1) + ">, s<" + strconv.Itoa(n+1) + ">; .reg .b32 x; mov.u32 x, %tid.x;\n" + repeated(n, "mul.wide.u32 p#, x, 4;") + repeated(n, "add.s64 s#, p#, p0;")
	}},
	{"guards", 2000, inBody(".reg .pred p#; @p# ret;")},
	{"a branch each", 2000, inBody("bra L#; L#:")},
}

// inBody is a text of n lines in a kernel.
func inBody(line string) func(n int) (string, string) {
	return func(n int) (string, string) { return "", repeated(n, line) }
}

func repeated(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", strconv.Itoa(i)) + "\n")
	}
	return b.String()
}

// loadTime returns how long it takes to load n of something, at best.
func loadTime(t *testing.T, text func(n int) (string, string), n int, debug bool) time.Duration {
	module, body := text(n)
	src := ".version 8.0\n.target sm_90\n.address_size 64\n" + module + ".visible .entry k() {\n" + body + "\nret;\n}\n"
	if debug {
		src += ".section .debug_info {\n" + strings.Repeat(".b8 1,2,3,4,5,6\n", n) + "}\n"
	}
	best := time.Hour
	for range 3 {
		var m memory.Memory
		began := time.Now()
		lib, refused := load(src, &m)
		took := time.Since(began)
		if refused != nil {
			assert.Fail(t, refused.Log[:min(len(refused.Log), 300)])
			return 0
		}
		assert.Empty(t, lib.Kernels["k"].Unsupported)
		began = time.Now()
		planner.Planned(lib.Kernels["k"].Program)
		planner.Bounded(lib.Kernels["k"].Program)
		took += time.Since(began)
		best = min(best, took)
		lib.Release(&m)
		m.Reset()
	}
	return best
}

// Eight times as much PTX takes about eight times as long to load and to plan. If something is quadratic, it is 64 times.
func TestLoadsInLinearTime(t *testing.T) {
	testenv.Need(t, testenv.Exhaustive)
	for _, test := range linear {
		t.Run(test.name, func(t *testing.T) {
			debug := test.name == "debug sections"
			few, many := loadTime(t, test.text, test.n, debug), loadTime(t, test.text, 8*test.n, debug)
			for range 5 { // on a machine that has much else to do
				if many < 24*few+50*time.Millisecond {
					break
				}
				few, many = max(few, loadTime(t, test.text, test.n, debug)), min(many, loadTime(t, test.text, 8*test.n, debug))
			}
			t.Log(few, many)
			assert.Less(t, many, 24*few+50*time.Millisecond)
		})
	}
}
