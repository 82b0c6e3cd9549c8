package goname_test

import (
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/goname"
)

func TestNames(t *testing.T) {
	for _, test := range []struct{ name, exported, unexported string }{
		{"saxpy", "Saxpy", "saxpy"},
		{"heat_step", "HeatStep", "heatStep"},
		{"N", "N", "n"},
		{"DT", "DT", "dt"},
		{"dX", "DX", "dx"},
		{"in_ptr__", "InPtr", "inPtr"},
		{"_hidden", "Hidden", "hidden"},
		{"__", "X", "x"},
		{"_1", "X1", "x1"},
		{"größe", "Größe", "größe"},
		{"a$b", "AB", "ab"},
	} {
		assert.Equal(t, test.exported, goname.Exported(test.name), "exported form of %q", test.name)
		assert.Equal(t, test.unexported, goname.Unexported(test.name), "unexported form of %q", test.name)
	}
}

func TestScope(t *testing.T) {
	s := goname.NewScope("k", "cfg")
	for _, test := range []struct{ name, want string }{
		{"n", "n"}, {"N", "nArg"}, {"n", "nArg2"}, {"type", "typeArg"}, {"len", "lenArg"}, {"k", "kArg"}, {"", "arg6"},
	} {
		assert.Equal(t, test.want, s.Local(test.name, 6), "argument %q", test.name)
	}
	fields := goname.NewScope()
	assert.Equal(t, "N", fields.Field("n", 0))
	assert.Equal(t, "N2", fields.Field("N", 1))
	assert.Equal(t, "N3", fields.Field("N", 2))
	assert.Equal(t, "Arg2", fields.Field("", 2))
	assert.True(t, fields.Add("M"))
	assert.False(t, fields.Add("M"))
}

func TestTypes(t *testing.T) {
	scope := goname.NewScope("Kernels")
	types := goname.NewTypes(scope)
	for _, test := range []struct {
		key, name, want string
		path            []string
		first           bool
	}{
		{"a::plate", "plate", "Plate", []string{"a"}, true},
		{"b::Plate", "Plate", "BPlate", []string{"b"}, true},
		{"a::plate", "plate", "Plate", []string{"a"}, false},
		{"c::b::Plate", "Plate", "CBPlate", []string{"c", "b"}, true},
		{"Kernels", "Kernels", "Kernels2", nil, true},
		{"x::vec<float, 4>", "vec<float, 4>", "VecFloat4", []string{"x"}, true},
		{"hidden", "Plate", "AnonymousNamespacePlate", []string{"(anonymous namespace)"}, true},
	} {
		got, first := types.Name(test.key, test.path, test.name)
		assert.Equal(t, test.want, got, test.key)
		assert.Equal(t, test.first, first, test.key)
		assert.True(t, scope.Taken(got), test.key)
	}
	assert.True(t, types.Claim("wanted", "Wish"))
	assert.False(t, types.Claim("other", "Wish"))
	assert.False(t, types.Claim("a::plate", "Other"))
	for _, first := range []bool{true, false} {
		got, isFirst := types.Name("wanted", nil, "wanted")
		assert.Equal(t, "Wish", got)
		assert.Equal(t, first, isFirst)
	}
	got, ok := types.Lookup("wanted")
	assert.True(t, ok)
	assert.Equal(t, "Wish", got)
	_, ok = types.Lookup("nothing")
	assert.False(t, ok)
	assert.Empty(t, goname.Renamed("heat_step", "HeatStep"))
	assert.Equal(t, "N is taken", goname.Renamed("n", "N2"))
}

func FuzzNames(f *testing.F) {
	f.Add("heat_step")
	f.Add("_")
	f.Fuzz(func(t *testing.T, name string) {
		if !token.IsIdentifier(name) {
			return // no C++ name
		}
		assert.True(t, goname.IsExported(goname.Exported(name)), "%q", name)
		assert.True(t, token.IsIdentifier(goname.NewScope().Local(name, 0)), "%q", name)
	})
}
