package witness

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// handwritten is debug information of
//
//	struct S { int i; unsigned b : 3; };  __constant__ S v;
//	__global__ void k(S s, const S *p) { static __device__ S w; }
//
// as nvcc writes it, with labels as clang does.
const handwritten = `.version 9.0
.target sm_75
	.section	.debug_abbrev
	{
.b8 1, 17, 1, 0, 0 // compile unit, with children
.b8 2, 46, 1, 3, 8, 135, 64, 8, 17, 1, 0, 0
.b8 3, 5, 0, 3, 8, 73, 19, 0, 0
.b8 4, 19, 1, 3, 8, 11, 11, 0, 0
.b8 5, 13, 0, 3, 8, 73, 19, 56, 10, 0, 0
.b8 6, 13, 0, 3, 8, 73, 19, 11, 11, 13, 11, 12, 11, 56, 10, 0, 0
.b8 7, 36, 0, 3, 8, 62, 11, 11, 11, 0, 0
.b8 8, 15, 0, 73, 19, 0, 0
.b8 9, 38, 0, 73, 19, 0, 0
.b8 10, 52, 0, 3, 8, 135, 64, 8, 73, 19, 2, 10, 0, 0
.b8 0
	}
	.section .debug_info {
.b32 $L__end-$L__begin
$L__begin:
.b8 2
.b8 0
.b32 .debug_abbrev
.b8 8
.b8 1
.b8 4, 83, 0, 8
.b8 5, 105, 0
.b32 INT
.b8 2, 35, 0
.b8 6, 98, 0
.b32 UNSIGNED
.b8 4, 3, 29, 2, 35, 4
.b8 0
INT:
.b8 7, 105, 110, 116, 0, 5, 4
UNSIGNED:
.b8 7, 117, 0, 7, 4
POINTER:
.b8 8
.b32 CONST
CONST:
.b8 9
.b32 12
.b8 10, 118, 0, 95, 86, 0
.b32 CONST
.b8 1, 3
.b8 2, 107, 0, 95, 90, 49, 107, 0
.b64 code
.b8 3, 115, 0
.b32 12
.b8 3, 112, 0
.b32 POINTER
.b8 10, 119, 0, 95, 87, 0
.b32 12
.b8 1, 3
.b8 0, 0
$L__end:
	}
`

func TestReadDebug(t *testing.T) {
	debug, err := ReadDebug("k.ptx", []byte(handwritten))
	require.NoError(t, err)
	require.Len(t, debug.Kernels, 1)
	assert.Nil(t, debug.Kernel("k"))
	k := debug.Kernel("_Z1k")
	require.NotNil(t, k)
	assert.Equal(t, "k", k.Name)
	require.Len(t, k.Params, 2)
	require.Len(t, debug.Variables, 1, "that of the function is none")
	assert.Same(t, k.Params[0].Type, debug.Variable("_V").Bare())
	assert.Nil(t, debug.Variable("v"))
	s := k.Params[0].Type
	assert.Equal(t, "s", k.Params[0].Name)
	assert.Equal(t, Class, s.Kind)
	assert.Equal(t, "S", s.Name)
	assert.Equal(t, int64(8), s.Size)
	require.Len(t, s.Fields, 2)
	i, b := s.Fields[0], s.Fields[1]
	assert.Equal(t, []any{"i", Signed, "int", int64(4), int64(0), false}, []any{i.Name, i.Type.Kind, i.Type.Name, i.Type.Size, i.Offset, i.BitField})
	assert.Equal(t, []any{"b", Unsigned, int64(4), int64(32), int64(3), true}, []any{b.Name, b.Type.Kind, b.Offset, b.BitOffset, b.Bits, b.BitField})
	p := k.Params[1].Type
	assert.Equal(t, Pointer, p.Kind)
	assert.Equal(t, Const, p.Elem.Kind)
	assert.Same(t, s, p.Elem.Bare())
}

// An array has as many elements as it says, or one more than its last index; a length that no array has is refused.
//
// DWARF 4, 5.11, Array Type Entries.
func TestDebugOfArrays(t *testing.T) {
	for dimensions, want := range map[string]string{
		"12, 3":                            "[3] of 12 bytes",
		"13, 2":                            "[3] of 12 bytes",
		"12, 0":                            "[0] of 0 bytes",
		"13, 127":                          "[0] of 0 bytes",
		"12, 3, 13, 4":                     "[3][5] of 60 bytes",
		"12, 128, 128, 128, 128, 8":        "[2147483648] of 8589934592 bytes",
		"12, 129, 128, 128, 128, 8":        "is an array of 2147483649 elements",
		"12, 127":                          "is an array of -1 elements",
		"12, 3, 12, 127":                   "is an array of -1 elements",
		"13, 126":                          "is an array of -1 elements",
		"12, 3, 12, 129, 128, 128, 128, 8": "is an array of 2147483649 elements",
		"14":                               "is an array without dimensions",
	} {
		text := strings.Replace(handwritten, ".b8 0\n\t}\n", ".b8 11, 1, 1, 73, 19, 0, 0\n.b8 12, 33, 0, 55, 13, 0, 0\n.b8 13, 33, 0, 47, 13, 0, 0\n.b8 14, 40, 0, 0, 0\n.b8 0\n\t}\n", 1)
		text = strings.Replace(text, ".b8 2, 107, 0", ".b8 10, 97, 0, 95, 65, 0\n.b32 ARRAY\n.b8 1, 3\nARRAY:\n.b8 11\n.b32 INT\n.b8 "+dimensions+", 0\n.b8 2, 107, 0", 1)
		debug, err := ReadDebug("k.ptx", []byte(text))
		if err != nil {
			assert.ErrorContains(t, err, want, dimensions)
			continue
		}
		array := debug.Variable("_A")
		lengths := ""
		for typ := array; typ.Kind == Array; typ = typ.Elem {
			lengths += fmt.Sprintf("[%d]", typ.Len)
		}
		assert.Equal(t, want, fmt.Sprintf("%s of %d bytes", lengths, array.Size), dimensions)
	}
}

func TestReadDebugErrors(t *testing.T) {
	changed := func(old, new string) string {
		require.Contains(t, handwritten, old)
		return strings.Replace(handwritten, old, new, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"none", ".version 9.0\n", "k.ptx: there is no debug information"},
		{"not closed", ".section .debug_info {\n.b8 1\n", "k.ptx:2: .section .debug_info is not closed"},
		{"not opened", ".section .debug_info\n.b8 1\n", "k.ptx:2: found \".b8 1\", want {"},
		{"no name", ".section {\n}\n", "k.ptx:1: a .section has no name"},
		{"no value", ".section .debug_info {\n.b8\n}\n", "k.ptx:2: found \".b8\", want .b8"},
		{"no number", ".section .debug_info {\n.b8 1x\n}\n", "k.ptx:2: found \"1x\", want a number"},
		{"unknown directive", ".section .debug_info {\n.b7 1\n}\n", "k.ptx:2: found \".b7 1\""},
		{"no header", ".section .debug_info {\n.b8 1\n}\n", "k.ptx: debug information: "},
		{"type nowhere", changed(".b32 INT", ".b32 13"), "type at 0xd, where nothing is"},
		{"typedef of itself", changed(".b8 9\n.b32 12\n", ".b8 9\n.b32 CONST\n"), "a typedef names itself"},
		{"place", changed("2, 35, 4", "2, 36, 4"), "S::b: the place [36 4] of a member is not understood"},
		{"bit-field outside", changed("3, 29", "3, 120"), "S::b: a bit-field lies before its class"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			debug, err := ReadDebug("k.ptx", []byte(tt.text))
			assert.Nil(t, debug)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	_, err := ReadDebug("k.ptx", nil)
	assert.True(t, errors.Is(err, ErrNoDebug))
}

func FuzzReadDebug(f *testing.F) {
	f.Add(handwritten)
	f.Add(".section .debug_info\n{\n.b32 a-b+1, 0xff\na:\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		debug, err := ReadDebug("k.ptx", []byte(text))
		if (debug == nil) == (err == nil) {
			t.Fatalf("debug information %v, error %v", debug, err)
		}
		if debug == nil {
			return
		}
		for _, k := range debug.Kernels {
			for _, p := range k.Params {
				p.Type.Bare()
			}
		}
	})
}

// An empty class is no member where another one has its byte, and is one elsewhere.
func TestMembersWithoutEmptyOnes(t *testing.T) {
	empty, integer := &Type{Kind: Class, Name: "E", Size: 1}, &Type{Kind: Signed, Name: "int", Size: 4}
	s := &Type{Kind: Class, Name: "S", Size: 8, Fields: []Field{
		{Name: "e", Type: empty}, {Name: "a", Type: integer}, {Name: "f", Type: empty, Offset: 3}, {Name: "g", Type: empty, Offset: 4},
	}}
	var names []string
	for _, f := range s.Members() {
		names = append(names, f.Name)
	}
	assert.Equal(t, []string{"a", "g"}, names)
	s.Kind = Union
	assert.Len(t, s.Members(), 4)
}
