package ptxdebug_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptxdebug"
)

func read(t testing.TB) (*ptxdebug.Info, []string) {
	text, err := os.ReadFile("testdata/variables.ptx")
	require.NoError(t, err)
	info, err := ptxdebug.Read("variables.ptx", text)
	require.NoError(t, err)
	return info, strings.Split(string(text), "\n")
}

// function returns a function by its symbol.
func function(t *testing.T, info *ptxdebug.Info, symbol string) *ptxdebug.Function {
	for _, f := range info.Functions {
		if f.Symbol == symbol {
			return f
		}
	}
	require.FailNow(t, "no function", symbol)
	return nil
}

// variables returns the variables of a scope and those in it, in the order of the debug information.
func variables(s *ptxdebug.Scope) (list []*ptxdebug.Variable) {
	list = append(list, s.Variables...)
	for _, inner := range s.Inner {
		list = append(list, variables(inner)...)
	}
	return list
}

// Every variable has its name, its type and its place.
func TestVariables(t *testing.T) {
	info, _ := read(t)
	f := function(t, info, "variables")
	assert.Equal(t, "variables", f.Name)
	got := make(map[string]string)
	for _, v := range variables(&f.Scope) {
		at, err := info.Location(v, int(f.High)-2)
		if err != nil {
			at = ptxdebug.Location{}
		}
		place := at.Space
		if at.Register != "" {
			place = "register"
		}
		got[v.Name+" "+v.Type.String()] = place
	}
	assert.Equal(t, map[string]string{
		"out int *": "param", "in const Pair *": "param", "n int": "local", "given Pair": "local",
		"i int": "register", "tile int[8][8]": "shared", "local Pair": "local", "colour Colour": "register", "j int": "register", "square int": "register",
		"i long long": "register", "d double": "register", "b byte": "register", "reference const int &": "register",
	}, got)
	globals := make(map[string]string)
	for _, v := range info.Globals {
		at, err := info.Location(v, 0)
		require.NoError(t, err)
		globals[v.Name+" "+v.Type.String()] = at.Space + " " + at.Symbol
	}
	assert.Equal(t, map[string]string{"table int[4]": "const table", "counter int": "global counter", "dynamic float[0]": "shared dynamic"}, globals)
	w := variables(&function(t, info, "_Z5twicei").Scope)
	assert.Equal(t, []string{"v", "w"}, []string{w[0].Name, w[1].Name})
	assert.True(t, w[0].Parameter)
	assert.False(t, w[1].Parameter)
}

// The outer dimension of an array comes first, as in C++.
func TestDimensions(t *testing.T) {
	float := &ptxdebug.Type{Kind: ptxdebug.Float, Name: "float", Size: 4}
	row := &ptxdebug.Type{Kind: ptxdebug.Array, Elem: float, Len: 33, Size: 132}
	turned := &ptxdebug.Type{Kind: ptxdebug.Array, Elem: row, Len: 32, Size: 4224}
	assert.Equal(t, "float[32][33]", turned.String())
	named := &ptxdebug.Type{Kind: ptxdebug.Alias, Name: "Row", Elem: row, Size: 132}
	assert.Equal(t, "Row[32]", (&ptxdebug.Type{Kind: ptxdebug.Array, Elem: named, Len: 32}).String())
	assert.Equal(t, "float * *[2]", (&ptxdebug.Type{Kind: ptxdebug.Array, Len: 2, Elem: &ptxdebug.Type{Kind: ptxdebug.Pointer, Elem: &ptxdebug.Type{Kind: ptxdebug.Pointer, Elem: float}}}).String())
}

// A class has its members where nvcc has them, in bits, too.
func TestClass(t *testing.T) {
	info, _ := read(t)
	for _, v := range variables(&function(t, info, "variables").Scope) {
		if v.Name != "local" {
			continue
		}
		pair := v.Type.Bare()
		assert.EqualValues(t, 32, pair.Size)
		var fields []string
		for _, f := range pair.Fields {
			fields = append(fields, fmt.Sprint(f.Name, " ", f.Type, " ", f.Offset, " ", f.Bits, " ", f.Shift))
		}
		assert.Equal(t, []string{"Base Base 0 0 0", "x float 4 0 0", "y int[3] 8 0 0", "low unsigned int 20 3 0", "high unsigned int 20 5 3", "next Pair * 24 0 0"}, fields)
		assert.True(t, pair.Fields[0].Base)
		assert.False(t, pair.Fields[1].Base)
		assert.Same(t, pair, pair.Fields[5].Type.Bare().Elem.Bare())
		return
	}
	require.FailNow(t, "no variable local")
}

// A variable in a list of places is elsewhere in other parts of the code, and nowhere outside of them.
func TestLocationLists(t *testing.T) {
	info, lines := read(t)
	f := function(t, info, "variables")
	for _, v := range variables(&f.Scope) {
		if v.Name != "j" {
			continue
		}
		_, err := info.Location(v, int(f.Low))
		assert.ErrorContains(t, err, "j has no value here")
		seen := make(map[string]bool)
		for line := int(f.Low); line < int(f.High); line++ {
			if at, err := info.Location(v, line); err == nil {
				assert.True(t, strings.HasPrefix(at.Register, "%r"), at.Register)
				assert.Contains(t, strings.Join(lines, "\n"), at.Register)
				seen[at.Register] = true
			}
		}
		assert.Greater(t, len(seen), 1)
		return
	}
	require.FailNow(t, "no variable j")
}

// A block begins behind the function and ends before it.
func TestScopes(t *testing.T) {
	info, lines := read(t)
	var check func(s *ptxdebug.Scope)
	check = func(s *ptxdebug.Scope) {
		assert.Less(t, s.Low, s.High)
		assert.True(t, strings.HasPrefix(lines[s.Low-1], "$L__"), lines[s.Low-1])
		for _, inner := range s.Inner {
			assert.GreaterOrEqual(t, inner.Low, s.Low)
			assert.LessOrEqual(t, inner.High, s.High)
			check(inner)
		}
	}
	for _, f := range info.Functions {
		check(&f.Scope)
	}
}

// What is damaged is an error.
func TestDamaged(t *testing.T) {
	text, err := os.ReadFile("testdata/variables.ptx")
	require.NoError(t, err)
	for want, damaged := range map[string]string{
		"there is no debug information": ".version 7.0\n.target sm_75\n.address_size 64\n",
		"is not closed":                 strings.TrimSuffix(strings.TrimSpace(string(text)), "}"),
		"debug information: ":           strings.Replace(string(text), ".section	.debug_abbrev", ".section	.debug_nothing", 1),
		"want .b8, .b16, .b32 or .b64":  strings.Replace(string(text), ".b64 $L__func_begin0", ".b65 $L__func_begin0", 1),
	} {
		info, err := ptxdebug.Read("variables.ptx", []byte(damaged))
		assert.ErrorContains(t, err, want)
		assert.Nil(t, info)
	}
}

// A damaged text has an error or a result, and every variable a place or a reason why not.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/variables.ptx")
	require.NoError(f, err)
	f.Add(string(text))
	f.Add(".section .debug_info\n{\n.b32 a-b+1, 0xff\na:\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		info, err := ptxdebug.Read("k.ptx", []byte(text))
		if (info == nil) == (err == nil) {
			t.Fatalf("debug information %v, error %v", info, err)
		}
		if info == nil {
			return
		}
		for _, f := range info.Functions {
			for _, v := range variables(&f.Scope) {
				at, err := info.Location(v, int(f.Low))
				if (at == ptxdebug.Location{}) != (err != nil) {
					t.Fatalf("%s: %v, %v", v.Name, at, err)
				}
				_ = v.Type.String() + v.Type.Bare().Name
			}
		}
	})
}

// A parameter whose address is taken lies where a register points.
func TestPointed(t *testing.T) {
	info, _ := read(t)
	f := function(t, info, "constant")
	for _, v := range f.Variables {
		if v.Name == "given" {
			at, err := info.Location(v, int(f.High)-2)
			require.NoError(t, err)
			assert.True(t, at.Pointed)
			assert.Contains(t, at.Register, "%rd")
			return
		}
	}
	require.FailNow(t, "no variable given")
}
