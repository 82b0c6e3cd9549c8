package goname_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/goname"
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

// settle returns the first names of claims, and "" for those without.
func settle(claims ...goname.Claim) (list []string) {
	names, _ := goname.Settle(claims)
	for _, n := range names {
		list = append(list, strings.Join(n, " "))
	}
	return list
}

func TestFieldsAndLocals(t *testing.T) {
	local := func(names ...string) (claims []goname.Claim) {
		claims = []goname.Claim{goname.Fixed("k", "cfg")}
		for i, name := range names {
			claims = append(claims, goname.Local(name, i))
		}
		return claims
	}
	field := func(names ...string) (claims []goname.Claim) {
		for i, name := range names {
			claims = append(claims, goname.Field(name, i))
		}
		return claims
	}
	assert.Equal(t, []string{"k cfg", "n", "typeArg", "lenArg", "kArg", "arg4"}, settle(local("n", "type", "len", "k", "")...))
	assert.Equal(t, []string{"k cfg", "x_n", "x_N", "m"}, settle(local("n", "N", "m")...))
	assert.Equal(t, []string{"N", "M", "Arg2"}, settle(field("n", "M", "")...))
	assert.Equal(t, []string{"X_n", "X_N", "M", "X_heat_step", "X_heatStep"}, settle(field("n", "N", "m", "heat_step", "heatStep")...))
	assert.Equal(t, []string{"X_0", "X_arg0"}, settle(field("", "arg0")...))
}

func TestEntity(t *testing.T) {
	for _, test := range []struct {
		path []string
		name string
		want []string
	}{
		{nil, "plate", []string{"Plate", "X_plate"}},
		{[]string{"a"}, "plate", []string{"Plate", "APlate", "X_a__plate"}},
		{[]string{"c", "b"}, "Plate", []string{"Plate", "CBPlate", "X_c__b__Plate"}},
		{[]string{"x"}, "vec<float, 4>", []string{"VecFloat4", "XVecFloat4", "X_x__vec_float__4_"}},
		{[]string{"(anonymous namespace)"}, "Plate", []string{"Plate", "AnonymousNamespacePlate", "X__anonymous_namespace___Plate"}},
		{[]string{"lib", "Gemm<" + strings.Repeat("int, ", 40) + "0>"}, "Params", []string{"Params", "LibGemmParams_ce2bafe6"}},
		{[]string{"lib"}, "Gemm<" + strings.Repeat("int, ", 40) + "0>", []string{"Gemm_1c47c283", "LibGemm_d45a7344"}},
		{nil, "Gemm<" + strings.Repeat("int, ", 40) + "1>", []string{"Gemm_1a4580c6"}},
	} {
		assert.Equal(t, test.want, goname.Entity(test.path, test.name), test.name)
	}
	assert.Equal(t, []string{"PlateAt", "NsPlateAt", "X_ns__plate_at"}, goname.Inner(goname.Entity([]string{"ns"}, "plate"), "at"))
	assert.Equal(t, []string{"GivenAt", "Given_at"}, goname.Inner([]string{"Given"}, "at"))
	assert.Empty(t, goname.Renamed("heat_step", "HeatStep"))
	assert.Equal(t, "N is ambiguous", goname.Renamed("n", "X_n"))
	assert.Equal(t, []string{"BStep", "bStepParams", "B1_2"}, []string{goname.Within("B", "Step"), goname.Within("B", "stepParams"), goname.Join("B1", "2")})
	assert.Equal(t, []string{"step", "x_Step", "dt"}, []string{goname.Hidden("Step"), goname.Hidden("X_Step"), goname.Hidden("DT")})
}

func TestPackage(t *testing.T) {
	for name, want := range map[string]string{
		"adamw": "adamw", "attention_forward": "attentionforward", "3DConvolution": "x3dconvolution", "2mm": "x2mm", "fdtd-2d": "fdtd2d",
		"main": "xmain", "range": "xrange", "internal": "xinternal", "größe": "größe", "--": "x", "my.file": "myfile",
	} {
		assert.Equal(t, want, goname.Package(name), name)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("heat_step")
	f.Add("_")
	f.Fuzz(func(t *testing.T, name string) {
		if !token.IsIdentifier(name) {
			return // no C++ name
		}
		assert.True(t, goname.IsExported(goname.Exported(name)), "%q", name)
		assert.True(t, token.IsIdentifier(goname.Package(name)), "%q", name)
		assert.True(t, token.IsIdentifier(goname.Local(name, 0).Forms[0][0]), "%q", name)
	})
}
