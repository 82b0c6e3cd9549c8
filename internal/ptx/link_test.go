package ptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
)

const unitHead = ".version 7.0\n.target sm_75\n.address_size 64\n"

func units(texts ...string) (list []ptx.Unit) {
	for i, text := range texts {
		if !strings.HasPrefix(text, ".version") {
			text = unitHead + text
		}
		list = append(list, ptx.Unit{Name: string(rune('a'+i)) + ".ptx", Text: []byte(text), NoEntries: i > 0})
	}
	return list
}

const (
	declareF = ".extern .func (.param .b32 r) f (.param .b32 x);\n"
	defineF  = ".visible .func (.param .b32 r) f (.param .b32 y) { .reg .b32 %r<2>; ld.param.b32 %r1, [y]; st.param.b32 [r], %r1; ret; }\n"
	callF    = ".visible .entry k(.param .u64 p) {\n.param .b32 a;\n.param .b32 b;\n.loc 1 12 7\ncall (b), f, (a);\nret;\n}\n.file 1 \"dir/k.cu\"\n"
)

// A linked module is one that Parse reads, in which every name that is used is defined once.
func TestLink(t *testing.T) {
	for name, test := range map[string]struct {
		units        []string
		has, hasNone []string
	}{
		"a function": {
			units:   []string{declareF + callF, defineF},
			has:     []string{".visible .func (.param .b32 r) f (.param .b32 y)\n;\n", "call (b), f, (a);", "ld.param.b32 %r1, [y]"},
			hasNone: []string{".extern"},
		},
		"kernels of other units, and what only they need, are left out": {
			units:   []string{declareF + callF, ".extern .func gone ();\n.visible .func g () { ret; }\n" + defineF + ".visible .entry other() { call g, (); call gone, (); ret; }\n"},
			hasNone: []string{"other", "gone", ".func g"},
		},
		"variables before those that refer to them": {
			units: []string{".extern .global .align 4 .b8 x[];\n.visible .global .align 8 .u64 p = generic(x)+4;\n.visible .entry k() { ret; }\n", ".visible .global .align 4 .b8 x[8];\n"},
			has:   []string{".visible .global .align 4 .b8 x[8];\n.visible .global .align 8 .u64 p = generic(x)+4;\n"}, hasNone: []string{".extern"},
		},
		"a table of functions": {
			units: []string{declareF + ".visible .global .u64 t[1] = {f};\n.visible .entry k() { ret; }\n", defineF},
			has:   []string{"f (.param .b32 y)\n;\n.visible .global .u64 t[1] = {f};"},
		},
		"names of one unit": {
			units: []string{
				".global .b32 h = 1;\n.func g () { .reg .b32 %r<2>; ld.global.b32 %r1, [h]; ret; }\n" + declareF + ".visible .entry k() { .reg .b32 %r<2>; call g, (); call f, (%r1); ret; }\n",
				".global .b32 h = 2;\n.func g () { .reg .b32 %r<2>; ld.global.b32 %r1, [h]; ret; }\n.visible .func (.param .b32 r) f (.param .b32 y) { call g, (); ret; }\n",
			},
			has: []string{".global .b32 h = 1;", ".global .b32 h__unit2 = 2;", "[h];", "[h__unit2];", "call g, ();", "call g__unit2, ();", ".func g__unit2 ()\n;"},
		},
		"a name of one unit that others share": {
			units:   []string{".func f () { ret; }\n.extern .func x ();\n.visible .entry k() { call f, (); call x, (); ret; }\n", defineF + ".visible .func x () { call f, (); ret; }\n"},
			has:     []string{".func f__unit1 () { ret; }", "call f__unit1, (); call x, ()", "x () { call f, (); ret; }"},
			hasNone: []string{".visible .func f__unit1"},
		},
		"an opcode is not a name": {
			units: []string{
				".global .b32 add = 1;\n" + declareF + callF,
				".global .b32 add = 2;\n.visible .func (.param .b32 r) f (.param .b32 y) { .reg .b32 %r<3>; ld.global.b32 %r1, [add]; add.s32 %r1, %r1, %r1; ret; }\n",
			},
			has: []string{"[add__unit2]; add.s32 %r1"},
		},
		"weak functions": {
			units: []string{declareF + ".weak .func w () { trap; }\n.visible .entry k() { call w, (); call f, (); ret; }\n", defineF + ".weak .func w () { ret; }\n"},
			has:   []string{".weak .func w () { trap; }"}, hasNone: []string{"w () { ret; }"},
		},
		"a visible function before a weak one": {
			units: []string{".weak .func w () { trap; }\n.visible .entry k() { call w, (); ret; }\n", ".visible .func w () { ret; }\n"},
			has:   []string{".visible .func w () { ret; }"}, hasNone: []string{"trap"},
		},
		"common variables": {
			units: []string{".common .global .b8 c[4];\n.visible .entry k() { ret; }\n", ".common .global .b8 c[8];\n"},
			has:   []string{"c[8]"}, hasNone: []string{"c[4]"},
		},
		"dynamic shared memory": {
			units: []string{".extern .shared .align 4 .b8 d[];\n" + declareF + callF, ".extern .shared .align 16 .b8 d[];\n" + defineF},
			has:   []string{".extern .shared .align 16 .b8 d[];"}, hasNone: []string{".align 4 .b8 d"},
		},
		"functions of the driver": {
			units: []string{".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.visible .entry k() { call vprintf, (); ret; }\n", ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.visible .func g () { call vprintf, (); ret; }\n"},
			has:   []string{".extern .func (.param .b32 r) vprintf"},
		},
		"version and target": {
			units: []string{".version 8.0\n.target sm_75\n.address_size 64\n" + declareF + callF, ".version 7.8\n.target sm_90a\n.address_size 64\n" + defineF},
			has:   []string{".version 8.0\n.target sm_90a\n"},
		},
		"line information": {
			units: []string{
				declareF + callF + ".file 2 \"v.h\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,0\n}\n",
				".visible .func (.param .b32 r) f (.param .b32 y) {\n.loc 1 3 4\nmov.b32 %r1, 1;\n.loc 2 5 6, function_name $L__info_string0, inlined_at 1 3 4\nret;\n}\n.file 1 \"f.cu\"\n.file 2 \"v.h\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 96,0\n}\n",
			},
			has: []string{".loc 1 12 7", ".loc 3 3 4", ".loc 2 5 6, function_name $L__info_string0__unit2, inlined_at 3 3 4", ".file\t1 \"dir/k.cu\"", ".file\t2 \"v.h\"", ".file\t3 \"f.cu\"", "$L__info_string0:\n.b8 95", "$L__info_string0__unit2:\n.b8 96"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := ptx.Link(units(test.units...))
			require.NoError(t, err)
			_, err = ptx.Parse("linked.ptx", text)
			require.NoError(t, err, "%s", text)
			for _, part := range test.has {
				assert.Contains(t, string(text), part)
			}
			for _, part := range test.hasNone {
				assert.NotContains(t, string(text), part)
			}
			again, err := ptx.Link(units(test.units...))
			require.NoError(t, err)
			assert.Equal(t, string(text), string(again))
		})
	}
}

// Errors name what is wrong as nvlink does, and the place where a name is used.
func TestLinkErrors(t *testing.T) {
	callG := ".visible .entry k() {\n.loc 1 3 4\ncall g, ();\nret;\n}\n.file 1 \"k.cu\"\n"
	for name, test := range map[string]struct {
		units []string
		want  string
	}{
		"a function that is not defined":       {[]string{declareF + callF, ""}, "dir/k.cu:12:7: undefined reference to device function f in k"},
		"a variable that is not defined":       {[]string{".extern .const .b32 c;\n.visible .entry k() { .reg .b32 %r<2>; ld.const.b32 %r1, [c]; ret; }\n", ""}, "a.ptx: undefined reference to device variable c in k"},
		"in an initial value":                  {[]string{declareF + ".visible .global .u64 t = f;\n.visible .entry k() { ret; }\n", ""}, "a.ptx: undefined reference to device function f in t"},
		"a kernel that is left out":            {[]string{".extern .entry o ();\n.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, o; ret; }\n", ".visible .entry o () { ret; }\n"}, "a.ptx: undefined reference to device function o in k"},
		"a function that is defined twice":     {[]string{defineF + callF, defineF}, "b.ptx: multiple definition of device function f, first defined in a.ptx"},
		"a variable that is defined twice":     {[]string{".visible .global .b32 x;\n", ".visible .global .b32 x = 2;\n"}, "b.ptx: multiple definition of device variable x, first defined in a.ptx"},
		"other parameters":                     {[]string{".extern .func (.param .b32 r) f (.param .b64 x);\n" + callF, defineF}, "a.ptx: device function f is declared differently than in b.ptx: parameter 1 has 8 and 4 bytes, aligned to 8 and 4"},
		"other results":                        {[]string{".extern .func f (.param .b32 x);\n" + callF, defineF}, "a.ptx: device function f is declared differently than in b.ptx: 0 and 1 results"},
		"another size":                         {[]string{".extern .global .b8 x[12];\n", ".visible .global .b8 x[8];\n"}, "a.ptx: device variable x is declared differently than in b.ptx: 12 and 8 bytes"},
		"another memory":                       {[]string{".extern .const .b8 x[8];\n", ".visible .global .b8 x[8];\n"}, "a.ptx: device variable x is declared differently than in b.ptx: in .const and .global memory"},
		"less aligned":                         {[]string{".extern .global .align 16 .b8 x[8];\n", ".visible .global .align 4 .b8 x[8];\n"}, "a.ptx: device variable x is declared differently than in b.ptx: aligned to 16 and 4 bytes"},
		"managed":                              {[]string{".extern .global .attribute(.managed) .b32 x;\n", ".visible .global .b32 x;\n"}, "a.ptx: device variable x is declared differently than in b.ptx: one is managed memory"},
		"a function and a variable":            {[]string{".extern .global .b32 f;\n", defineF}, "a.ptx: device variable f is declared differently than in b.ptx: one is a function, the other a variable"},
		"targets that exclude each other":      {[]string{".version 8.0\n.target sm_90a\n.address_size 64\n", ".version 8.0\n.target sm_100\n.address_size 64\n"}, "b.ptx: code for sm_100, beside sm_90a in a.ptx, cannot be linked"},
		"addresses of 32 bits":                 {[]string{"", ".version 7.0\n.target sm_75\n.address_size 32\n"}, "b.ptx: code for addresses of 32 bits, beside 64 in a.ptx, cannot be linked"},
		"a register of a nested block":         {[]string{".global .b32 a1;\n", ".global .b32 a1;\n.visible .func g () { { ret; } { .reg .b32 a<3>; mov.b32 a1, 2; } ret; }\n"}, "b.ptx: the register a<3>, which hides a1 of this file, cannot be linked"},
		"a register of the name":               {[]string{".global .b32 a1;\n", ".global .b32 a1;\n.visible .func g () { .reg .b32 a<3>; mov.b32 a1, 2; ret; }\n"}, "b.ptx: the register a<3>, which hides a1 of this file, cannot be linked"},
		"no target":                            {[]string{"", ".version 8.0\n"}, "b.ptx: PTX without .target or .address_size cannot be linked"},
		"debug information":                    {[]string{callG + ".visible .func g () { ret; }\n", ".section .debug_info\n{\n.b8 1\n}\n"}, "b.ptx: PTX with debug information (compile without -G) cannot be linked"},
		"an alias":                             {[]string{"", ".visible .func g () { ret; }\n.alias h, g;\n"}, "b.ptx: an alias of a function, h, cannot be linked"},
		"initial values that need each other":  {[]string{".extern .global .u64 b;\n.visible .global .u64 a = b;\n", ".extern .global .u64 a;\n.visible .global .u64 b = a;\n"}, "a.ptx: the initial value of a, which refers to itself through other variables, cannot be linked"},
		"several variables in one declaration": {[]string{".visible .global .b32 x, y;\n", ""}, "a.ptx: a declaration of several variables, of x and others, cannot be linked"},
		"dynamic shared memory of a size":      {[]string{".extern .shared .b8 x[4];\n", ""}, "a.ptx: dynamic shared memory of a fixed size, x, cannot be linked"},
		"lines in a function":                  {[]string{".visible .entry k () {\n.file 1 \"a.cu\"\nret; }\n", ""}, "a.ptx: a .file in the function k cannot be linked"},
		"all errors":                           {[]string{callG + ".extern .func g ();\n" + declareF + ".visible .entry l() { call f, (); ret; }\n" + ".visible .global .b32 x;\n", ".visible .global .b32 x;\n"}, "a.ptx: undefined reference to device function f in l\nk.cu:3:4: undefined reference to device function g in k\nb.ptx: multiple definition of device variable x, first defined in a.ptx"},
		"syntax":                               {[]string{"", ".visible bad\n"}, "b.ptx:4:10: found bad, want .entry, .func or a state space"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := ptx.Link(units(test.units...))
			assert.EqualError(t, err, test.want)
			assert.Nil(t, text)
		})
	}
}

func TestUndefined(t *testing.T) {
	assert.NoError(t, ptx.Undefined("k.ptx", []byte(unitHead+defineF+callF)))
	assert.NoError(t, ptx.Undefined("k.ptx", []byte(unitHead+declareF+".visible .entry k() { ret; }\n")), "declared, not used")
	assert.EqualError(t, ptx.Undefined("k.ptx", []byte(unitHead+declareF+callF)), "dir/k.cu:12:7: undefined reference to device function f in k")
}

// Link of any texts ends, with a module that Parse reads or an error.
func FuzzLink(f *testing.F) {
	f.Add(unitHead+declareF+callF, unitHead+defineF)
	f.Add(unitHead+".global .b32 h = 1;\n.func g () { ret; }\n", unitHead+".global .u64 h = g;\n.func g () { .loc 1 2 3\nret; }\n.file 1 \"x\"\n")
	f.Add(unitHead+".extern .shared .b8 d[];\n.weak .func w () { ret; }\n", unitHead+".section .debug_str { $L: .b8 1 }\n.weak .func w ();\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		text, err := ptx.Link([]ptx.Unit{{Name: "a.ptx", Text: []byte(a)}, {Name: "b.ptx", Text: []byte(b), NoEntries: true}})
		if err != nil {
			assert.Nil(t, text)
			return
		}
		_, err = ptx.Parse("linked.ptx", text)
		assert.NoError(t, err, "%s", text)
	})
}
