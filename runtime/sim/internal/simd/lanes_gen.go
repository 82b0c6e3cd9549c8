//go:build ignore

// This program writes unrolled.go, the loops over lanes that go by eights, unrolledpairs.go, those of two instructions,
// and vector_stubs_amd64.go, the declarations of functions in assembly.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"regexp"
	"strings"
)

// A loop is a function that computes value in each lane: x#, y# and z# are the lane's values of a, b and c. setup stands
// before the loop.
type loop struct {
	kind
	name, doc, setup, value string
}

// A kind is how a loop goes over registers.
type kind int

const (
	integers  kind = iota
	alongside      // integers in registers that the loop takes along (see eight)
	floats
	fourTests // tests return a bit for each lane
	floatTests
	doubleTests
	pairTests // those of PairFunc
)

var loops = []loop{
	{integers, "addInt", "addInt and subInt are those of every type: what is above its width is unspecified.", "", "x# + y#"},
	{integers, "subInt", "", "", "x# - y#"},
	{integers, "MulLo[T Integer]", "", "", "uint64(T(x#) * T(y#))"},
	{integers, "MulHiU32", "", "", "uint64(uint32(x#)) * uint64(uint32(y#)) >> 32"},
	{alongside, "MulHiS32", "", "", "uint64(int64(int32(x#)) * int64(int32(y#)) >> 32)"},
	{alongside, "MulWide[T Integer]", "", "", "uint64(T(x#)) * uint64(T(y#))"},
	{integers, "MadLo[T Integer]", "", "", "uint64(T(x#)*T(y#) + T(z#))"},
	{alongside, "MadWide[T Integer]", "", "", "uint64(T(x#))*uint64(T(y#)) + z#"},
	{integers, "Minimum[T Integer]", "", "", "uint64(min(T(x#), T(y#)))"},
	{integers, "Maximum[T Integer]", "", "", "uint64(max(T(x#), T(y#)))"},
	{alongside, "Extend[T Integer]", "Extend reads a as a T and extends it to the width of any register.", "", "uint64(T(x#))"},
	{integers, "and", "", "", "x# & y#"},
	{integers, "Or", "", "", "x# | y#"},
	{integers, "xor", "", "", "x# ^ y#"},
	{integers, "shl", "shl shifts in zeros; by the width or more it leaves zero.", "", "x# << uint32(y#)"},
	{alongside, "Shr[T Integer]", "Shr shifts in zeros or, for signed types, the sign; shifts beyond the width count as the width.", "", "uint64(T(x#) >> uint32(y#))"},
	{integers, "addUniform", "addUniform and its like have the same b in all lanes.", "y := b[0]", "x# + y"},
	{integers, "andUniform", "", "y := b[0]", "x# & y"},
	{alongside, "mulWideUniform[T Integer]", "", "y := uint64(T(b[0]))", "uint64(T(x#)) * y"},
	{alongside, "madWideUniform[T Integer]", "", "y := uint64(T(b[0]))", "uint64(T(x#))*y + z#"},
	{alongside, "scaleUniform[T Integer]", "scaleUniform is madWide where b and c are the same in all lanes.", "y, z := uint64(T(b[0])), c[0]", "uint64(T(x#))*y + z"},

	{floats, "AddF32", "", "", "x# + y#"},
	{floats, "SubF32", "", "", "x# - y#"},
	{floats, "MulF32", "", "", "x# * y#"},
	{floats, "divF32", "", "", "x# / y#"},
	{floats, "rcpF32", "", "", "1 / x#"},
	{floats, "sqrtF32", "sqrtF32 is exact: rounding to double first does no harm to a square root.", "", "sqrt32(x#)"},
	{floats, "rsqrtF32", "", "", "rsqrt32(x#)"},
	{floats, "addUniformF32", "", "y := F32(b[0])", "x# + y"},
	{floats, "subUniformF32", "", "y := F32(b[0])", "x# - y"},
	{floats, "mulUniformF32", "", "y := F32(b[0])", "x# * y"},
	{floats, "doubleF32", "doubleF32 is addF32 of a and a.", "", "x# + x#"},
	{floats, "squareF32", "squareF32 is mulF32 of a and a.", "", "x# * x#"},

	{fourTests, "Eq[T Integer]", "", "", "T(x#) == T(y#)"},
	{fourTests, "Lt[T Integer]", "", "", "T(x#) < T(y#)"},
	{floatTests, "ltF32", "", "", "x# < y#"},
	{floatTests, "leF32", "", "", "x# <= y#"},
	{doubleTests, "ltF64", "", "", "x# < y#"},
	{doubleTests, "leF64", "", "", "x# <= y#"},
	{floatTests, "leUniformF32", "", "y := F32(b[0])", "x# <= y"},
	{floatTests, "ltUniformF32", "", "y := F32(b[0])", "x# < y"},
}

// firsts is what the first instruction of a pair computes. A product is rounded: a compiler may not fuse it with a sum.
var firsts = []struct{ name, value string }{{"add", "(x# + y#)"}, {"sub", "(x# - y#)"}, {"mul", "float32(x# * y#)"}}

// seconds is what the second makes of that value, V, and its other operand.
var seconds = []struct{ name, value string }{{"Add", "V + z#"}, {"Sub", "V - z#"}, {"SubFrom", "z# - V"}, {"Mul", "V * z#"}}

// tests is how the second compares that value with its other operand, which is the same in all lanes.
var tests = []struct{ name, value string }{{"Lt", "V < z"}, {"Le", "V <= z"}, {"Gt", "z < V"}, {"Ge", "z <= V"}}

// pairs writes the tables of pairs, and returns their loops.
func pairs(b *bytes.Buffer) (loops []loop) {
	title := func(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
	b.WriteString("// FloatPairs is the f32 instructions that are executed at once.\nvar FloatPairs = []Pairing{\n")
	for _, f := range firsts {
		for _, s := range seconds {
			second, from := strings.CutSuffix(s.name, "From")
			for at := range 2 {
				if commutes := s.name == "Add" || s.name == "Mul"; commutes || from == (at == 1) {
					fmt.Fprintf(b, "{First: Portable.%sF32, Lanes: Portable.%sF32, At: %d, Both: %s%sF32},\n", title(f.name), second, at, f.name, s.name)
				}
			}
			loops = append(loops, loop{floats, f.name + s.name + "F32", "", "", strings.Replace(s.value, "V", f.value, 1)})
		}
	}
	b.WriteString("}\n\n// FloatTests is the same where the second compares.\nvar FloatTests = []Pairing{\n")
	for _, f := range firsts {
		for n, s := range tests {
			fmt.Fprintf(b, "{First: Portable.%sF32, Test: Portable.%sF32, At: %d, Pair: %s%sF32},\n", title(f.name), []string{"Lt", "Le"}[n%2], n/2, f.name, s.name)
			loops = append(loops, loop{pairTests, f.name + s.name + "F32", "", "z := F32(c[0])", strings.Replace(s.value, "V", f.value, 1)})
		}
	}
	b.WriteString("}\n\n")
	return loops
}

func (f loop) write(b *bytes.Buffer) {
	view, step := "eight", 8
	switch f.kind {
	case floats, floatTests, pairTests:
		view = "floatsOf"
	case doubleTests:
		view = "doublesOf"
	case fourTests:
		view, step = "four", 4
	}
	var names, of []string // of what the loop looks at
	params := []string{"d", "a", "_", "_"}
	for n, source := range []struct{ register, lanes string }{{"a", "x"}, {"b", "y"}, {"c", "z"}} {
		if strings.Contains(f.value, source.lanes+"#") {
			names, of = append(names, source.lanes), append(of, source.register)
		} else if !strings.Contains(f.setup, source.register+"[0]") {
			continue
		}
		params[n+1] = source.register
	}
	result := ""
	if f.kind >= fourTests {
		params[0], result = "_", "(p uint32) "
	} else {
		names, of = append(names, "to"), append(of, "d")
	}
	if f.kind >= fourTests && f.kind != pairTests {
		params = params[1:3]
	}
	views := func(at string) (list []string) {
		for _, register := range of {
			list = append(list, view+"("+register+", "+at+")")
		}
		return list
	}
	// lanes writes four times what f computes, from a lane on.
	lanes := func(from int) string {
		var values []string
		for n := from; n < from+4; n++ {
			at := n
			if view == "floatsOf" {
				at = 2 * n
			}
			values = append(values, strings.ReplaceAll(f.value, "#", fmt.Sprintf("[%d]", at)))
		}
		return strings.Join(values, ", ")
	}
	if f.doc != "" {
		fmt.Fprintf(b, "// %s\n", f.doc)
	}
	fmt.Fprintf(b, "func %s(%s *Lanes) %s{\n%s\n", f.name, strings.Join(params, ", "), result, f.setup)
	if vars := strings.Join(names, ", "); f.kind == alongside {
		fmt.Fprintf(b, "for l, %s := 0, %s; l < warpSize; l, %[1]s = l+8, %[3]s {\n", vars, strings.Join(views("0"), ", "), strings.Join(views("l+8"), ", "))
	} else {
		fmt.Fprintf(b, "for l := 0; l < warpSize; l += %d {\n%s := %s\n", step, vars, strings.Join(views("l"), ", "))
	}
	switch f.kind {
	case integers, alongside:
		fmt.Fprintf(b, "to[0], to[1], to[2], to[3] = %s\nto[4], to[5], to[6], to[7] = %s\n}\n}\n\n", lanes(0), lanes(4))
	case floats:
		fmt.Fprintf(b, "sum := setFloats(to, 0, %s)\nsum += setFloats(to, 8, %s)\nif sum != sum {\ncanonical(d, l)\n}\n}\n}\n\n", lanes(0), lanes(4))
	default:
		for from := 0; from < step; from += 4 {
			fmt.Fprintf(b, "p = p>>4 | fourBits(%s)<<28\n", lanes(from))
		}
		b.WriteString("}\nreturn p\n}\n\n")
	}
}

// stubs writes the declarations of what accelerated in vector_amd64.go assigns to fields of Dispatch and no other file
// there declares.
func stubs(b *bytes.Buffer) error {
	fset := token.NewFileSet()
	dispatch, err := parser.ParseFile(fset, "dispatch.go", nil, 0)
	if err != nil {
		return err
	}
	fields := map[string]string{}
	ast.Inspect(dispatch, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			for _, name := range f.Names {
				fields[name.Name] = types.ExprString(f.Type)
			}
		}
		return true
	})
	vector, err := parser.ParseFile(fset, "vector_amd64.go", nil, 0)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	ast.Inspect(vector, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i := range a.Lhs {
			field, isField := a.Lhs[i].(*ast.SelectorExpr)
			name, isName := a.Rhs[min(i, len(a.Rhs)-1)].(*ast.Ident)
			if !isField || !isName || seen[name.Name] || !strings.HasPrefix(name.Name, "avx") {
				continue
			}
			seen[name.Name] = true
			typ := map[string]string{"Func": "func(d, a, b, c *Lanes)", "Comparison": "func(a, b *Lanes) uint32"}[fields[field.Sel.Name]]
			if typ == "" {
				typ = fields[field.Sel.Name]
			}
			fmt.Fprintf(b, "//go:noescape\nfunc %s%s\n\n", name.Name, strings.TrimPrefix(typ, "func"))
		}
		return false
	})
	return nil
}

// blank is an empty line behind a brace, where a loop has no setup.
var blank = regexp.MustCompile(`\{\n\n+`)

func write(name string, text []byte) {
	src, err := format.Source(blank.ReplaceAll(text, []byte("{\n")))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, append(bytes.TrimSpace(src), '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}

func main() {
	const banner = "// Code generated by lanes_gen.go. DO NOT EDIT.\n\n"
	b := bytes.NewBufferString(banner + "package simd\n\n")
	for _, f := range loops {
		f.write(b)
	}
	write("unrolled.go", b.Bytes())
	b = bytes.NewBufferString(banner + "package simd\n\n")
	for _, f := range pairs(b) {
		f.write(b)
	}
	write("unrolledpairs.go", b.Bytes())
	b = bytes.NewBufferString("//go:build !cudagen_portable\n\n" + banner + "package simd\n\nimport \"unsafe\"\n\n")
	if err := stubs(b); err != nil {
		log.Fatal(err)
	}
	write("vector_stubs_amd64.go", b.Bytes())
}
