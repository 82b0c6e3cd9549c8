package debugexpr_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugexpr"
	"github.com/cudagen/cudagen/internal/ptxdebug"
)

var (
	intType  = debugexpr.Named["int"]
	node     = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "Node", Size: 24}
	pointer  = &ptxdebug.Type{Kind: ptxdebug.Pointer, Size: 8, Elem: node}
	tile     = &ptxdebug.Type{Kind: ptxdebug.Array, Elem: &ptxdebug.Type{Kind: ptxdebug.Array, Elem: intType, Len: 4, Size: 16}, Len: 3, Size: 48}
	colour   = &ptxdebug.Type{Kind: ptxdebug.Enum, Name: "Colour", Size: 4, Values: []ptxdebug.Enumerator{{Name: "red", Value: 1}, {Name: "green", Value: -2}}}
	mode     = &ptxdebug.Type{Kind: ptxdebug.Enum, Name: "Mode", Size: 1, Elem: debugexpr.Named["unsigned char"], Values: []ptxdebug.Enumerator{{Name: "Mode::On", Value: 200}}}
	wide     = &ptxdebug.Type{Kind: ptxdebug.Enum, Name: "Wide", Size: 8, Elem: debugexpr.Named["size_t"], Values: []ptxdebug.Enumerator{{Name: "Wide::Z", Value: -1}}}
	base     = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "Base", Size: 2, Fields: []ptxdebug.Field{{Name: "kind", Type: debugexpr.Named["short"]}}}
	outer    = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "Outer", Size: 16}
	looped   = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "Loop", Size: 8}
	unsigned = debugexpr.Named["unsigned int"]
	half     = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "__half", Size: 2, Fields: []ptxdebug.Field{{Name: "__x", Type: debugexpr.Named["unsigned short"]}}}
	bfloat   = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "__nv_bfloat16", Size: 2, Fields: half.Fields}
	half2    = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "__half2", Size: 4, Fields: []ptxdebug.Field{{Name: "x", Type: half}, {Name: "y", Type: half, Offset: 2}}}
)

func init() {
	float := debugexpr.Named["float"]
	either := &ptxdebug.Type{Kind: ptxdebug.Class, Name: "__C1", Size: 4, Fields: []ptxdebug.Field{{Name: "f", Type: float}, {Name: "bits", Type: unsigned}}}
	other := &ptxdebug.Type{Kind: ptxdebug.Class, Name: "Other", Size: 4, Fields: []ptxdebug.Field{{Name: "kind", Type: intType}, {Name: "d", Type: intType}}}
	outer.Fields = []ptxdebug.Field{{Name: "Base", Base: true, Type: base}, {Name: "Other", Base: true, Type: other, Offset: 4}, {Type: either, Offset: 8}, {Name: "d", Type: intType, Offset: 12}}
	looped.Fields = []ptxdebug.Field{{Type: looped}, {Name: "Loop", Base: true, Type: looped}}
	node.Fields = []ptxdebug.Field{
		{Name: "Base", Base: true, Type: base}, {Name: "low", Type: unsigned, Offset: 4, Bits: 3}, {Name: "high", Type: intType, Offset: 4, Bits: 5, Shift: 3},
		{Name: "x", Type: debugexpr.Named["float"], Offset: 8}, {Name: "next", Type: &ptxdebug.Type{Kind: ptxdebug.Alias, Name: "Link", Size: 8, Elem: pointer}, Offset: 16},
	}
}

// context has a page of global memory at 0x1000 with a Node, and of shared memory with a tile of 0, 1, 2 …
func context() *debugexpr.Context {
	global := make([]byte, 64)
	binary.LittleEndian.PutUint16(global, 0xfffb)
	binary.LittleEndian.PutUint32(global[4:], 0xf5) // high is -2, low 5
	binary.LittleEndian.PutUint32(global[8:], math.Float32bits(1.5))
	binary.LittleEndian.PutUint64(global[16:], 0x1000)
	shared := make([]byte, 48)
	for i := range 12 {
		binary.LittleEndian.PutUint32(shared[4*i:], uint32(i))
	}
	names := map[string]debugexpr.Value{
		"i": debugexpr.Word(intType, uint64(0xffffffff)), "n": debugexpr.Word(intType, 7), "u": debugexpr.Word(unsigned, 3),
		"b": debugexpr.Word(debugexpr.Named["unsigned char"], 200), "flag": debugexpr.Word(debugexpr.Named["bool"], 1), "c": debugexpr.Word(debugexpr.Named["char"], 'a'),
		"d": debugexpr.Word(debugexpr.Named["double"], math.Float64bits(2.5)), "colour": debugexpr.Word(colour, 1), "mode": debugexpr.Word(mode, 200), "z": debugexpr.Word(wide, math.MaxUint64), "%r1": debugexpr.Word(unsigned, 42),
		"p": debugexpr.Word(pointer, 0x1000), "tile": {Type: tile, Place: &debugexpr.Place{Space: "shared"}},
		"node": {Type: node, Place: &debugexpr.Place{Space: "generic", Address: 0x1000}}, "there": {Type: node, Place: &debugexpr.Place{Space: "generic", Address: 0x9000}},
		"reference": debugexpr.Word(&ptxdebug.Type{Kind: ptxdebug.Reference, Size: 8, Elem: node}, 0x1000), "void": debugexpr.Word(&ptxdebug.Type{Kind: ptxdebug.Pointer, Size: 8}, 0x1008),
		"o": {Type: outer, Bytes: []byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0xc0, 0x3f, 5, 0, 0, 0}}, "looped": {Type: looped, Bytes: make([]byte, 8)},
		"h": debugexpr.Word(half, 0x3e00), "tiny": debugexpr.Word(half, 0x8001), "huge": debugexpr.Word(half, 0x7bff), "endless": debugexpr.Word(half, 0xfc00), "none": debugexpr.Word(half, 0x7e00),
		"bf": debugexpr.Word(bfloat, 0xbfc0), "h2": {Type: half2, Bytes: []byte{0, 0x3c, 0, 0xc0}},
		"geo::scale": debugexpr.Word(intType, 9), "wide": {Type: &ptxdebug.Type{Name: "half2x8", Size: 16}, Bytes: make([]byte, 16)},
	}
	return &debugexpr.Context{
		Windows: map[string]uint64{"shared": 1 << 40},
		Lookup: func(name string) (debugexpr.Value, error) {
			if v, ok := names[name]; ok {
				return v, nil
			}
			return debugexpr.Value{}, fmt.Errorf("%s has no value here", name)
		},
		Read: func(p debugexpr.Place, n int64) ([]byte, error) {
			from, memory := p.Address, global
			switch {
			case p.Space == "shared" || p.Space == "generic" && p.Address>>40 == 1:
				from, memory = from&(1<<40-1), shared
			case from >= 0x1000:
				from -= 0x1000
			}
			if from > uint64(len(memory)) || uint64(n) > uint64(len(memory))-from {
				return nil, fmt.Errorf("address %#x is out of bounds", p.Address)
			}
			return memory[from:][:n], nil
		},
	}
}

func evaluate(text string) (string, error) {
	e, err := debugexpr.Parse(text)
	if err != nil {
		return "", err
	}
	c := context()
	v, err := c.Eval(e)
	if err != nil {
		return "", err
	}
	return v.Type.String() + " " + c.Format(v), nil
}

func TestEval(t *testing.T) {
	for text, want := range map[string]string{
		"1 + 2 * 3": "int 7", "(1 + 2) * 3": "int 9", "10 - 4 - 3": "int 3", "7 / 2": "int 3", "-7 / 2": "int -3", "-7 % 4": "int -3", "7u % 4": "unsigned int 3",
		"1 << 4 | 3": "int 19", "6 & 3 ^ 1": "int 3", "~0": "int -1", "!n": "bool false", "-8 >> 1": "int -4", "0x80000000 >> 31": "unsigned int 1", "1 << 33": "int 2",
		"2147483647 + 1": "int -2147483648", "4294967295u + 1": "unsigned int 0", "2147483648": "long long 2147483648", "1ull << 40": "unsigned long long 1099511627776",
		"i": "int -1", "i < 0": "bool true", "i < u": "bool false", "i > 0u": "bool true", "b + 100": "int 300", "b << 1": "int 400", "flag + flag": "int 2", "c": "char 97 'a'", "c + 1": "int 98",
		"d * n": "double 17.5", "1.5f + 1": "float 2.5", "16777217 == 16777216.0f": "bool true", "16777217 == 16777216.0": "bool false", "16777217 - 16777216.0f": "float 0", "1e3": "double 1000", "1.5e-1": "double 0.15", "0.1f + 0.2f": "float 0.3", "7 / 2.0": "double 3.5", ".5": "double 0.5", "0.0 / 0.0 == 0": "bool false", "0.0 / 0.0 != 0": "bool true",
		"n == 7 && i == -1": "bool true", "n == 8 || u == 3": "bool true", "n == 8 && nothing": "bool false", "n == 7 || nothing": "bool true", "n >= 7": "bool true", "n <= 6": "bool false", "n > 7": "bool false", "1 < 2 == 1": "bool true",
		"colour": "Colour red (1)", "colour == 1": "bool true", "mode": "Mode Mode::On (200)", "mode == 200": "bool true", "-mode": "int -200", "z": "Wide Wide::Z (0xffffffffffffffff)", "z > 5": "bool true", "%r1 + 1": "unsigned int 43", "n%%r1": "unsigned int 7", "n % 4": "int 3", "geo::scale": "int 9",
		"tile[1][2]": "int 6", "tile[2]": "int[4] {8, 9, 10, 11}", "*tile[1]": "int 4", "tile[u - 2][n - 6]": "int 5", "*(*(tile + 2) + 1)": "int 9", "&tile[1][2]": "int * 0x10000000018", "*&tile[1][2]": "int 6", "tile[0] == &tile[0][0]": "bool true", "tile && 1": "bool true", "nullptr == tile": "bool false",
		"p->x": "float 1.5", "p->next->next->x": "float 1.5", "(*p).x": "float 1.5", "p[0].x * 2": "float 3", "node.x": "float 1.5", "node.low": "unsigned int 5", "node.high": "int -2", "node.kind": "short -5", "reference.x": "float 1.5", "p->Base.kind": "short -5",
		"o.f": "float 1.5", "o.bits": "unsigned int 1069547520", "o.d": "int 5", "o.Other.kind": "int 2", "o.Base.kind": "short 1",
		"p": "Node * 0x1000", "p + 1": "Node * 0x1018", "p - 1": "Node * 0xfe8", "1 + p": "Node * 0x1018", "(p + 3) - p": "long long 3", "p == 4096": "bool true", "p && 1": "bool true", "&p->x": "float * 0x1008", "&node": "Node * 0x1000", "!p": "bool false",
		"*(float *)0x1008": "float 1.5", "*(float*)void": "float 1.5", "(int)2.9": "int 2", "(unsigned char)300": "unsigned char 44", "(bool)5": "bool true", "(float)n / 2": "float 3.5", "(unsigned long long)i": "unsigned long long 18446744073709551615", "*(const unsigned short *)p": "unsigned short 65531",
		"node": "Node {Base = {kind = -5}, low = 5, high = -2, x = 1.5, next = 0x1000}", "there": "Node {Base = {kind = <address 0x9000 is out of bounds>}, low = <address 0x9004 is out of bounds>, high = <address 0x9004 is out of bounds>, x = <address 0x9008 is out of bounds>, next = <address 0x9010 is out of bounds>}",
		"o": "Outer {Base = {kind = 1}, Other = {kind = 2, d = 2}, {f = 1.5, bits = 1069547520}, d = 5}", "true": "bool true", "false || flag": "bool true", "flag == true": "bool true", "p == nullptr": "bool false", "nullptr": "std::nullptr_t 0x0", "!nullptr": "bool true", "true + true": "int 2",
		"h": "__half 1.5", "h > 1": "bool true", "(float)h * 2": "float 3", "h + 1": "float 2.5", "tiny": "__half -5.9604645e-08", "huge": "__half 65504", "endless": "__half -Inf", "none": "__half NaN",
		"bf": "__nv_bfloat16 -1.5", "h2": "__half2 {x = 1, y = -2}", "h2.y": "__half -2", "h2.x == 1": "bool true",
		"wide": "half2x8 0x00000000000000000000000000000000", "+n": "int 7", "- -n": "int 7", "void": "void * 0x1008",
	} {
		got, err := evaluate(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, got, text)
		}
	}
}

// What has no value says why. Nothing is false because it is not known.
func TestNoValue(t *testing.T) {
	for text, want := range map[string]string{
		"": "it ends early", "1 +": "it ends early", "(1": "want )", "tile[1": "want ]", "p->": "want the name of a member", "1 2": `"2" is not expected`, "n == ": "it ends early", "n =": "values cannot be changed; == compares", "n = 3": "values cannot be changed", "tile[n = 3]": "values cannot be changed", "n += 3": "values cannot be changed", "true = n": "values cannot be changed", "*nullptr": "has no size", "f(n)": "is not expected", "08x": "08x is no number", "#": `"#" is not expected`,
		"%": "want the name of a register", "% r1": "want the name of a register", "%tid.x": "use threadIdx", "node.7": `".7" is not expected`, "(short float)1": "there is no type short float",
		"nothing": "nothing has no value here", "nothing == 0": "nothing has no value here", "n && nothing": "nothing has no value here", "n / 0": "division by zero", "n % (u - 3)": "division by zero",
		"tile[3]": "index 3 is out of bounds: the array has 3 elements", "tile[-1]": "index -1 is out of bounds", "tile[d]": "is no integer", "n[0]": "is no pointer", "*n": "is no pointer", "*void": "cast it, as in *(int *)p", "&(n + 1)": "has no address", "&n": "n has no address: it is not in memory",
		"node + 1": "a value of type Node is no number", "o.kind": "a value of type Outer has several members kind: name the base class, too", "o.x": "has no member x", "looped.x": "has no member x", "node.y": "has no member y", "n.x": "has no member x", "d % 2": "% of values of types double and int", "d << 1": "<< of values", "~d": "~ of a value", "p * 2": "* of values of types Node * and int", "p + 1.5": "+ of values", "p == 1.5": "== of values of types Node * and double", "0.5 < p": "< of values of types double and Node *",
		"tile[0] == 0.25": "tile[0] is an array, of type int[4]: compare one of its elements", "3 > tile": "tile is an array, of type int[3][4]", "tile[0] != tile[1]": "tile[0] is an array", "n == 7 && tile[2] == 8": "tile[2] is an array", "tile[0] == flag": "tile[0] is an array", "p & 1": "& of values",
		"there.x": "address 0x9008 is out of bounds", "*(int *)0x100": "out of bounds", "wide == 0": "is no number", "((((": "it ends early", strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300): "nested too deep", strings.Repeat("-", 300) + "1": "nested too deep", strings.Repeat("(int)", 300) + "1": "nested too deep",
	} {
		got, err := evaluate(text)
		assert.ErrorContains(t, err, want, text)
		assert.Empty(t, got, text)
	}
}

// Memory that nothing was written to is told apart, as far as its bytes say. What is not in memory is a number.
func TestUnwritten(t *testing.T) {
	c := context()
	c.Unwritten = 0x0000000300000003
	at := func(text string) string {
		e, err := debugexpr.Parse(text)
		require.NoError(t, err)
		v, err := c.Eval(e)
		require.NoError(t, err)
		return c.Format(v)
	}
	assert.Equal(t, "{{0, 1, 2, ?}, {4, 5, 6, 7}, {8, 9, 10, 11}}", at("tile"))
	assert.Equal(t, "3, as memory is that nothing was written to", at("tile[0][3]"))
	assert.Equal(t, "3", at("u"))
	assert.Equal(t, "2", at("tile[0][2]"))
}

// Parts are elements, members, and what a pointer points to.
func TestParts(t *testing.T) {
	c := context()
	for text, want := range map[string][]string{
		"tile": {"[0] {0, 1, 2, 3}", "[1] {4, 5, 6, 7}", "[2] {8, 9, 10, 11}"}, "p": {"* {Base = {kind = -5}, low = 5, high = -2, x = 1.5, next = 0x1000}"}, "n": nil, "void": nil,
		"node": {"Base {kind = -5}", "low 5", "high -2", "x 1.5", "next 0x1000"},
	} {
		e, err := debugexpr.Parse(text)
		require.NoError(t, err)
		v, err := c.Eval(e)
		require.NoError(t, err)
		var got []string
		for i := range debugexpr.Parts(v) {
			name, part, err := c.Part(v, i)
			require.NoError(t, err)
			got = append(got, name+" "+c.Format(part))
		}
		assert.Equal(t, want, got, text)
	}
}

func TestHolds(t *testing.T) {
	for text, want := range map[string]bool{"n == 7": true, "n == 8": false, "d": true, "0.0": false, "p": true, "tile": false} {
		e, err := debugexpr.Parse(text)
		require.NoError(t, err)
		got, err := context().Holds(e)
		require.NoError(t, err)
		assert.Equal(t, want || text == "tile", got, text)
	}
	e, err := debugexpr.Parse("nothing > 100")
	require.NoError(t, err)
	_, err = context().Holds(e)
	assert.ErrorContains(t, err, "nothing has no value here")
}

// What an expression prints as is the same expression.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"threadIdx.x == 5 && i > 100", "tile[63 - threadIdx.x]", "*(float *)p->next[3].x", "%r1 % %r2", "-~!x", "true && p != nullptr", "1.5e-3f << 0x7ull"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := debugexpr.Parse(text)
		if (e == nil) == (err == nil) {
			t.Fatalf("expression %v, error %v", e, err)
		}
		if e == nil {
			return
		}
		again, err := debugexpr.Parse(e.String())
		if err != nil || again.String() != e.String() {
			t.Fatalf("%q prints as %q, which is %v: %v", text, e, again, err)
		}
		c := context()
		if v, err := c.Eval(e); err == nil {
			c.Format(v)
			for i := range min(debugexpr.Parts(v), 4) {
				c.Part(v, i)
			}
		}
	})
}
