package debugger

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugexpr"
	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// typesFrame returns a frame at the first instruction of the kernel of ptxdebug's types.ptx.
func typesFrame(t *testing.T) (*session, *frame) {
	text, err := os.ReadFile("../ptxdebug/testdata/types.ptx")
	require.NoError(t, err)
	im := newImage(debugwire.Loaded{Image: 1, Text: text, Kernels: []debugwire.Kernel{{
		Name: "types", Places: []debugwire.Place{{PTX: 1}},
		Variables: []debugwire.Variable{
			{Name: "_ZZ6calleeiE3acc", Source: "acc", Space: "shared", Bytes: 128}, {Name: "_ZZ5typesE5modes", Source: "modes", Space: "shared", Address: 128, Bytes: 32},
			{Name: "dynamic", Source: "dynamic", Space: "shared", Address: 160}, {Name: "other", Source: "other", Space: "shared", Bytes: 8},
		},
	}}, Globals: []debugwire.Variable{{Name: "outer", Space: "global", Address: 0x1000, Bytes: 16}}}, nil, t.TempDir())
	require.NotNil(t, im.info)
	s := &session{launch: debugwire.Launch{SharedBytes: 256}}
	return s, &frame{image: im, kernel: im.kernels["types"]}
}

// Enumerators have names in expressions.
func TestEnumerators(t *testing.T) {
	s, f := typesFrame(t)
	for expr, want := range map[string]string{
		"geo::GREEN": "geo::Color geo::GREEN (5)", "Mode::On": "geo::Mode geo::Mode::On (200)", "geo::Mode::On == 200": "bool true", "High::Top": "High High::Top (65520)", "Wide::Z": "Wide Wide::Z (0xffffffffffffffff)",
		"geo::Step::Back + 1": "int 0",
	} {
		v, err := s.eval(f, expr)
		if assert.NoError(t, err, expr) {
			assert.Equal(t, want, v.Type.String()+" "+s.contextOf(f).Format(v), expr)
		}
	}
	_, err := s.eval(f, "On")
	assert.ErrorContains(t, err, "On is not known here")
	other := &ptxdebug.Type{Kind: ptxdebug.Enum, Name: "fruit::Color", Size: 4, Elem: debugexpr.Named["int"], Values: []ptxdebug.Enumerator{{Name: "fruit::GREEN", Value: 7}}}
	f.image.info.Enums = append(f.image.info.Enums, other)
	_, err = s.eval(f, "GREEN")
	assert.EqualError(t, err, "GREEN is an enumerator of fruit::Color and of geo::Color: write its type or namespace, too")
	v, err := s.eval(f, "fruit::GREEN")
	require.NoError(t, err)
	assert.Equal(t, "fruit::GREEN (7)", s.contextOf(f).Format(v))
}

// Arrays in shared memory have their types outside of the functions and blocks that declare them.
func TestSharedTypes(t *testing.T) {
	s, f := typesFrame(t)
	for name, want := range map[string]string{
		"acc": "float[4][8] 0", "acc[1][2]": "float 40", "_ZZ6calleeiE3acc": "float[4][8] 0", "modes": "geo::Mode[32] 128", "dynamic": "double[32] 160", "other": "int[2] 0",
	} {
		v, err := s.eval(f, "&"+name)
		if assert.NoError(t, err, name) {
			assert.Equal(t, want, fmt.Sprint(v.Type.Elem, " ", v.Bits()), name)
		}
	}
	assert.Equal(t, []string{"acc", "modes", "dynamic", "other"}, sharedNames(f))
}

// Of several arrays of a name in shared memory, that of the function has it, and others have their symbols.
func TestSharedNames(t *testing.T) {
	s, f := typesFrame(t)
	f.kernel.Variables[1].Source = "acc"
	assert.Equal(t, []string{"_ZZ6calleeiE3acc", "acc", "dynamic", "other"}, sharedNames(f))
	v, err := s.lookup(f, "acc")
	require.NoError(t, err)
	assert.Equal(t, "geo::Mode[32]", v.Type.String())
	f.Function = "_Z6calleei"
	v, err = s.lookup(f, "acc")
	require.NoError(t, err)
	assert.Equal(t, "float[4][8]", v.Type.String())
}

// Members of unnamed unions and structs, and of base classes, are members of the class.
func TestMembers(t *testing.T) {
	s, f := typesFrame(t)
	for name, want := range map[string]string{"outer.base": "int 4096", "outer.f": "float 4100", "outer.bits": "unsigned int 4100", "outer.s": "short 4104", "outer.deep": "char 4106", "(&outer)->deep": "char 4106", "outer.Base.base": "int 4096"} {
		v, err := s.eval(f, "&"+name)
		if assert.NoError(t, err, name) {
			assert.Equal(t, want, fmt.Sprint(v.Type.Elem, " ", v.Bits()), name)
		}
	}
}
