package ptx_test

import (
	"errors"
	"go/scanner"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
)

const header = ".version 8.0\n.target sm_80, debug\n.address_size 64\n"

func parse(t *testing.T, src string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(src))
	require.NoError(t, err)
	return m
}

// statements returns the statements of an entry with the given body, from line 5 on.
func statements(t *testing.T, body string) []ptx.Stmt {
	t.Helper()
	m := parse(t, header+".entry k() {\n"+body+"\n}")
	require.Len(t, m.Funcs, 1)
	return m.Funcs[0].Body.Stmts
}

func TestExample(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "example", "kernels.ptx"))
	require.NoError(t, err)
	m := parse(t, string(src))
	assert.Equal(t, ptx.Version{Major: 7, Minor: 2}, m.Version)
	assert.Equal(t, []string{"sm_75"}, m.Target)
	assert.Equal(t, 64, m.AddressSize)
	ends := map[string]int64{}
	for _, f := range m.Funcs {
		assert.True(t, f.Entry, f.Name)
		_, end, ok := ptx.Offsets(f.Params)
		assert.True(t, ok, f.Name)
		ends[f.Name] = end
	}
	assert.Equal(t, int64(24), ends["saxpy"])
	assert.Equal(t, int64(20), ends["add_delta"])
	assert.Equal(t, int64(68), ends["transform"])
}

func TestModuleHeader(t *testing.T) {
	m := parse(t, header+`
.file 1 "a.cu", 123, 45
.visible .const .align 8 .u64 table[2] = {sym+8, generic(sym)};
.global .attribute(.managed) .align 4 .v4 .f32 v = {0f3F800000, 1.5, -2, 0d4000000000000000};
.extern .shared .align 16 .b8 dyn[];
.global .b32 matrix[2][2] = {{1, 0x2}, {-3, 0b11U}};
.global .u8 part[1] = {0xFF00(sym)};
.alias f, g;
.section .debug_str { .b8 1,2 { "}" } /* } */ }
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) .noreturn;
.weak .entry k(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[12])
.maxntid 256, 1, 1
.minnctapersm 2
{ ret; }
`)
	require.Len(t, m.Vars, 5)
	assert.Equal(t, []ptx.Operand{ptx.Symbol{Name: "sym", Offset: 8}, ptx.Generic{Symbol: ptx.Symbol{Name: "sym"}}}, m.Vars[0].Init)
	assert.Equal(t, ptx.Visible, m.Vars[0].Linkage)
	assert.Equal(t, "k.ptx:6:31", m.Vars[0].Pos.String())
	assert.Equal(t, []string{"managed"}, m.Vars[1].Attributes)
	assert.Equal(t, 4, m.Vars[1].Vector)
	assert.Equal(t, []ptx.Operand{
		ptx.Float{Bits: 0x3F800000, Size: 32}, ptx.Float{Bits: math.Float64bits(1.5), Size: 64},
		ptx.Imm{Value: ^uint64(1)}, ptx.Float{Bits: 0x4000000000000000, Size: 64},
	}, m.Vars[1].Init)
	assert.Equal(t, []int64{-1}, m.Vars[2].Dims)
	assert.Equal(t, ptx.Extern, m.Vars[2].Linkage)
	assert.Equal(t, []ptx.Operand{
		ptx.Vector{Elems: []ptx.Operand{ptx.Imm{Value: 1}, ptx.Imm{Value: 2}}},
		ptx.Vector{Elems: []ptx.Operand{ptx.Imm{Value: ^uint64(2)}, ptx.Imm{Value: 3, Unsigned: true}}},
	}, m.Vars[3].Init)
	assert.Equal(t, []ptx.Operand{ptx.Mask{Mask: 0xFF00, Value: ptx.Symbol{Name: "sym"}}}, m.Vars[4].Init)
	require.Len(t, m.Funcs, 2)
	assert.Nil(t, m.Funcs[0].Body)
	assert.Len(t, m.Funcs[0].Results, 1)
	k := m.Funcs[1]
	assert.Equal(t, ptx.Weak, k.Linkage)
	assert.Equal(t, &ptx.Ptr{Space: "global", Align: 16}, k.Params[0].Ptr)
	assert.Zero(t, k.Params[0].Align, "the alignment behind .ptr is the pointee's")
	assert.Equal(t, "maxntid", k.Attrs[0].Name)
	assert.Equal(t, []int64{256, 1, 1}, k.Attrs[0].Values)
	assert.Equal(t, "a.cu", m.Files[0].Name)
	assert.Equal(t, "g", m.Aliases[0].Target)
}

func TestOperands(t *testing.T) {
	reg := func(name string) ptx.Reg { return ptx.Reg{Name: name} }
	tests := []struct {
		name, text string
		args       []ptx.Operand
	}{
		{"register and immediate", "add.s32 %r1, %r2, -1;", []ptx.Operand{reg("%r1"), reg("%r2"), ptx.Imm{Value: math.MaxUint64}}},
		{"special register", "mov.u32 %r1, %tid.x;", []ptx.Operand{reg("%r1"), reg("%tid.x")}},
		{"address", "ld.u32 %r1, [%rd1+-8];", []ptx.Operand{reg("%r1"), ptx.Address{Base: reg("%rd1"), Offset: -8}}},
		{"address, minus", "ld.u32 %r1, [%rd1-8];", []ptx.Operand{reg("%r1"), ptx.Address{Base: reg("%rd1"), Offset: -8}}},
		{"symbol address", "ld.u32 %r1, [p+4];", []ptx.Operand{reg("%r1"), ptx.Address{Base: ptx.Symbol{Name: "p"}, Offset: 4}}},
		{"absolute address", "ld.u32 %r1, [16];", []ptx.Operand{reg("%r1"), ptx.Address{Offset: 16}}},
		{"symbol", "mov.u64 %rd1, s+4;", []ptx.Operand{reg("%rd1"), ptx.Symbol{Name: "s", Offset: 4}}},
		{"vector and sink", "mov.b64 {%r1, _}, %rd1;", []ptx.Operand{ptx.Vector{Elems: []ptx.Operand{reg("%r1"), ptx.Symbol{Name: "_"}}}, reg("%rd1")}},
		{"pair", "setp.eq.s32 %p1|%p2, 0, 1;", []ptx.Operand{ptx.Pair{First: reg("%p1"), Second: reg("%p2")}, ptx.Imm{}, ptx.Imm{Value: 1}}},
		{"negated register", "vmad.s32.u32.u32 %r1, -%r2.b0, %r3, -1;", []ptx.Operand{reg("%r1"), ptx.Neg{Reg: reg("%r2.b0")}, reg("%r3"), ptx.Imm{Value: math.MaxUint64}}},
		{"negated predicate", "selp.b32 %r1, 010, 1U, !%p1;", []ptx.Operand{reg("%r1"), ptx.Imm{Value: 8}, ptx.Imm{Value: 1, Unsigned: true}, ptx.Not{Reg: reg("%p1")}}},
		{"call", "call.uni (r), f, (a, b), proto;", []ptx.Operand{
			ptx.List{Elems: []ptx.Operand{ptx.Symbol{Name: "r"}}}, ptx.Symbol{Name: "f"},
			ptx.List{Elems: []ptx.Operand{ptx.Symbol{Name: "a"}, ptx.Symbol{Name: "b"}}}, ptx.Symbol{Name: "proto"}}},
		{"texture", "tex.1d.v4.f32.f32 {%f1}, [t, {%f2}];", []ptx.Operand{
			ptx.Vector{Elems: []ptx.Operand{reg("%f1")}},
			ptx.Address{Base: ptx.List{Elems: []ptx.Operand{ptx.Symbol{Name: "t"}, ptx.Vector{Elems: []ptx.Operand{reg("%f2")}}}}}}},
		{"floats", "mov.f32 %f1, -0f3f800000;", []ptx.Operand{reg("%f1"), ptx.Float{Bits: 0xbf800000, Size: 32}}},
		{"exponent", "mov.f64 %fd1, 1.0e-3;", []ptx.Operand{reg("%fd1"), ptx.Float{Bits: math.Float64bits(1e-3), Size: 64}}},
		{"declared without percent", ".reg .b32 q, r<3>; mov.u32 q, r2;", []ptx.Operand{reg("q"), reg("r2")}},
		{"behind the range", ".reg .b32 r<3>; mov.u32 %r1, r3;", []ptx.Operand{reg("%r1"), ptx.Symbol{Name: "r3"}}},
		{"variable with percent", ".shared .b32 %s; mov.u32 %r1, %s;", []ptx.Operand{reg("%r1"), ptx.Symbol{Name: "%s"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stmts := statements(t, test.text)
			in, ok := stmts[len(stmts)-1].(*ptx.Instr)
			require.True(t, ok)
			assert.Equal(t, test.args, in.Args)
		})
	}
}

func TestStatements(t *testing.T) {
	stmts := statements(t, "\t.loc\t1 2 3, inlined_at 1 2 3 // c\n"+
		"L: @!%p1 ld.shared::cta.v2.f32 \t{%f1,\n /* c */ %f2}, [%rd1];\n"+
		"ts: .branchtargets L, M ;\n"+
		".pragma \"nounroll\";\n"+
		"{ // callseq\n.param .b64 p0; trap; exit;\n}")
	require.Len(t, stmts, 6)
	assert.Equal(t, "1 2 3, inlined_at 1 2 3", stmts[0].(*ptx.Directive).Text)
	assert.Equal(t, "L", stmts[1].(*ptx.Label).Name)
	in := stmts[2].(*ptx.Instr)
	assert.Equal(t, &ptx.Guard{Reg: "%p1", Not: true}, in.Guard)
	assert.Equal(t, "ld", in.Op)
	assert.Equal(t, []string{"shared::cta", "v2", "f32"}, in.Mods)
	assert.Equal(t, "@!%p1 ld.shared::cta.v2.f32 {%f1, %f2}, [%rd1]", in.Text)
	assert.Equal(t, "k.ptx:6:10", in.Pos.String())
	assert.Equal(t, &ptx.Directive{Pos: stmts[3].(*ptx.Directive).Pos, Label: "ts", Name: "branchtargets", Text: "L, M"}, stmts[3])
	assert.Equal(t, `"nounroll"`, stmts[4].(*ptx.Directive).Text)
	assert.Len(t, stmts[5].(*ptx.Block).Stmts, 3)
}

func TestErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "k.ptx:1:1: found end of file, want .version"},
		{"not PTX", "\x7fELF", "k.ptx:1:1: unexpected character"},
		{"version", ".version nine", "k.ptx:1:10: found nine, want a version such as 9.0"},
		{"directive", header + ".wibble", "k.ptx:4:1: unknown directive .wibble"},
		{"type", header + ".global .u33 x;", "k.ptx:4:9: unknown type .u33"},
		{"no type", header + ".global x;", "k.ptx:4:9: found x, want a type"},
		{"alignment", header + ".global .align 3 .b8 x;", "alignment 3 is not a power of two"},
		{"open block", header + ".entry k() {", "k.ptx:4:12: block is not closed"},
		{"open section", header + ".section .debug {", "k.ptx:4:1: .section is not closed"},
		{"open comment", header + "/* ", "k.ptx:4:1: comment is not closed"},
		{"open string", header + ".file 1 \"x\n", "string is not closed"},
		{"no semicolon", header + ".entry k() { ret }", "k.ptx:4:18: found }, want an operand"},
		{"no comma", header + ".entry k() { add %r1 %r2; }", "found %r2, want , or ; after an operand of add"},
		{"number", header + ".entry k() { add 0x1ffffffffffffffff; }", "is not a number that 64 bits can hold"},
		{"short float", header + ".entry k() { add 0f3F80; }", "0f3F80 is not a number"},
		{"stray brace", header + "}", "k.ptx:4:1: found }, want a directive"},
		{"negated number", header + ".entry k() { not !x; }", "only a predicate register can be negated"},
		{"deep", header + ".entry k() " + strings.Repeat("{", 200), "nested more than 100 deep"},
		{"semicolon behind a function", header + ".entry k() { ret; };", "k.ptx:4:20: found ;, want a directive"},
		{"semicolon behind a block", header + ".entry k() { { ret; }; }", "k.ptx:4:22: found ;, want a statement"},
		{"two semicolons", header + ".entry k() { ret;; }", "k.ptx:4:18: found ;, want a statement"},
		{"two behind a variable", header + ".global .u32 x;;", "k.ptx:4:16: found ;, want a directive"},
		{"semicolon behind a line", header + ".entry k() { .loc 1 2 3; ret; }", "k.ptx:4:24: found ;, want a statement"},
		{"line without a column", header + ".entry k() { .loc 1 2\nret; }", "k.ptx:4:14: the arguments of .loc are not a file, a line and a column"},
		{"line of nothing", header + ".entry k() { .loc 1 2 3, 4 ret; }", "the arguments of .loc"},
		{"no registers", header + ".entry k() { .reg .b32 %r<0>; }", "declares no register"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := ptx.Parse("k.ptx", []byte(test.src))
			assert.Nil(t, m)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// A .loc ends with its arguments, not with its line: what stands behind it on the line counts.
func TestLocationEndsWithItsArguments(t *testing.T) {
	for _, text := range []string{
		".loc 1 2 3 ret;", ".loc 1\n2 // c\n3 ret;", ".loc 1 2 /* ; */ 3 ret;", ".loc 1 2 3, function_name $L, inlined_at 1 2 3 ret;",
		".loc 1 2 3, function_name $L+5, inlined_at 1\n2 3\nret;",
	} {
		stmts := statements(t, text)
		if assert.Len(t, stmts, 2, text) {
			assert.Equal(t, "ret", stmts[1].(*ptx.Instr).Op, text)
			assert.Regexp(t, `^1 2 3`, stmts[0].(*ptx.Directive).Text)
		}
	}
}

func TestErrorsAreAllReported(t *testing.T) {
	_, err := ptx.Parse("k.ptx", []byte(header+".entry k() {\n add %r1 %r2;\n ret;\n mov !x;\n}\n.wibble;\n"))
	var list scanner.ErrorList
	require.True(t, errors.As(err, &list))
	require.Len(t, list, 3)
	assert.Equal(t, []int{5, 7, 9}, []int{list[0].Pos.Line, list[1].Pos.Line, list[2].Pos.Line})
}

func FuzzParse(f *testing.F) {
	example, err := os.ReadFile(filepath.Join("..", "..", "example", "kernels.ptx"))
	require.NoError(f, err)
	f.Add(example)
	f.Add([]byte(header + ".entry k(.param .u32 n) { L: @%p bra L; { .reg .b32 x<2>; mov.b64 {x0, _}, [a, {b}]; } }"))
	f.Add([]byte(header + ".global .b32 m[2][2] = {{1, 0x2}, {-3, 0b11U}}; .section .x { {} }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := ptx.Parse("k.ptx", src)
		if (m == nil) == (err == nil) {
			t.Fatalf("got module %v and error %v, want one of them", m, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile(filepath.Join("..", "..", "example", "kernels.ptx"))
	require.NoError(b, err)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		_, err = ptx.Parse("kernels.ptx", src)
	}
	require.NoError(b, err)
}

// The strings of line information are kept by their labels, and nothing of other sections.
func TestStrings(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(header+`.section .debug_info { $A: .b8 7 }
.section .debug_str
{
.b8 1
$L__info_string0:
.b8 95,90
.b8 0x66,0
$L__info_string1:
.b8 103,0,104,0,300
}
`))
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"$L__info_string0": {95, 90, 0x66, 0}, "$L__info_string1": {103, 0, 104, 0}}, m.Strings)
}

func TestNameIn(t *testing.T) {
	for text, want := range map[string]string{
		"ld.global.f32 %f1, [%rd1];":         "ld global f32",
		"@!%p1 bra \t$L1;":                   "bra",
		"ret;":                               "ret",
		"st.global.f32 \t[%rd6], %f4":        "st global f32",
		"mma.sync.aligned.m16n8k16 {%f1}, {": "mma sync aligned m16n8k16",
	} {
		assert.Equal(t, strings.Fields(want), ptx.NameIn(text), text)
		assert.Equal(t, strings.HasPrefix(text, "mma"), ptx.IsProduct(ptx.NameIn(text)), text)
	}
	for name, want := range map[string]bool{"wmma.mma.sync": true, "wmma.load.a.sync": false, "wgmma.mma_async.sync": true, "wgmma.fence.sync": false, "movmatrix.sync": false} {
		assert.Equal(t, want, ptx.IsProduct(ptx.NameIn(name)), name)
	}
}
