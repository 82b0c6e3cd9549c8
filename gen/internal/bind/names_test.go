package bind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/model"
)

// meanings returns what the Go names in m mean in C++: those of the package, and "k.Run" and
// "Plate.X" for fields and methods.
func meanings(m *model.File) map[string]string {
	list := make(map[string]string)
	kernels := make(map[*model.Kernel]string) // what they are
	for i := range m.Kernels {
		k := &m.Kernels[i]
		kernels[k] = k.CName
		if k.Note == "it is overloaded" {
			kernels[k] += " " + k.Signature
		}
		list["k."+k.GoName] = kernels[k]
		for i, p := range k.Params {
			list["args of "+kernels[k]+": "+p.Field] = fmt.Sprint(p.CName, " ", i)
		}
	}
	for _, v := range m.Variables {
		list["k."+v.GoName] = v.CName
	}
	types := make(map[string]string)
	for _, s := range m.Structs {
		types[s.GoName] = fmt.Sprint(s.CName, " with ", s.Fields[0].CName)
		for _, f := range s.Fields {
			list[s.GoName+"."+f.GoName] = f.CName
			if len(f.Bits) > 0 {
				list[s.GoName+"."+f.GoName] = "bits from " + f.Bits[0].CName
			}
			if f.Accessed {
				list[s.GoName+".Set"+f.GoName] = f.CName + ", set"
			}
		}
		for _, b := range s.BitFields {
			list[s.GoName+"."+b.GoName], list[s.GoName+".Set"+b.GoName] = b.CName, b.CName+", set"
		}
	}
	for _, e := range m.Enums {
		types[e.GoName] = e.CName
		for _, c := range e.Constants {
			types[c.GoName] = e.CName + "::" + c.CName
		}
	}
	for _, c := range m.Constants {
		types[c.GoName] = c.CName
	}
	for _, name := range emit.Names(m) {
		what := types[name.Name]
		if name.Kernel != nil {
			what = "of " + kernels[name.Kernel]
		}
		list[name.Name] = what
	}
	return list
}

// many returns a class whose template arguments are 40 times t.
func many(t string) string { return "Pack<" + strings.Repeat(t+", ", 39) + t + ">" }

// An edit of a source may take a Go name away, which the Go compiler finds. It never gives it to
// something else, whatever stands first.
func TestGoNamesKeepTheirMeaning(t *testing.T) {
	const k = "__global__ void k(int n) {}\n"
	for _, test := range []struct {
		name, before, added string
		want                []string // Go names afterwards
	}{
		{"a namespace", "namespace a { __global__ void run(int *x) {} }\n", "namespace z { __global__ void run(int *x) {} }\n", []string{"k.ARun", "k.ZRun", "ARunKernel", "ZRunArgs"}},
		{"nested namespaces", "namespace a { namespace b { __global__ void run(int *x) {} } }\n", "namespace z { namespace b { __global__ void run(int *x) {} } }\n", []string{"k.ABRun", "k.ZBRun"}},
		{"no namespace", "namespace a { __global__ void run(int *x) {} }\n", "__global__ void run(int *x) {}\n", []string{"k.ARun", "k.X_run"}},
		{"two without a namespace", "__global__ void run_(int *x) {}\n", "__global__ void Run(int *x) {}\n", []string{"k.X_run_", "k.X_Run"}},
		{"a qualified name", "namespace a { __global__ void run(int *x) {} }\n__global__ void a_run(int *x) {}\n", "namespace z { __global__ void run(int *x) {} }\n", []string{"k.X_a_run", "k.ZRun"}},
		{"an overload", "__global__ void f(int x, float y, char z) {}\n__global__ void f(int x, double y, char z) {}\n", "__global__ void f(float x) {}\n", []string{"k.FFloat", "k.FIntFloatChar"}},
		{"a kernel named like an overload", "__global__ void f(int x) {}\n__global__ void f(float x) {}\n", "__global__ void f_int(int y) {}\n", []string{"k.X_f_Int", "k.X_f_int"}},
		{"overloads of classes", "namespace a { struct X { int x; }; }\n__global__ void f(a::X x) {}\n__global__ void f(int x) {}\n", "namespace b { struct X { int x; }; }\n__global__ void f(b::X x) {}\n", []string{"k.FAX", "k.FBX", "k.FInt"}},
		{"an instance", "template <class T> __global__ void f(T *x) {}\ntemplate __global__ void f<int>(int *);\n", "__global__ void f_int(int *y) {}\n", []string{"k.X_f_int", "k.X_f_Int"}},
		{"instances of classes", "template <class T> __global__ void f(T *x) {}\nnamespace a { struct X { int x; }; }\ntemplate __global__ void f<a::X>(a::X *);\n",
			"namespace b { struct X { int x; }; }\n\ntemplate <class T> __global__ void f(T *x);\ntemplate __global__ void f<b::X>(b::X *);\n", []string{"k.FAX", "k.FBX"}},
		{"long arguments", "template <class... T> struct Pack { int x; };\ntemplate <class T> __global__ void f(T p) {}\ntemplate __global__ void f<" + many("int") + ">(" + many("int") + ");\n",
			"\ntemplate <class T> __global__ void f(T x);\ntemplate __global__ void f<" + many("char") + ">(" + many("char") + ");\n", []string{"k.F_da9ba5ad", "k.F_136718af", "Pack_5c81aeda", "Pack_46e06ad2"}},
		{"long arguments in namespaces", "template <class T> __global__ void f(T *p) {}\ntemplate <class... T> struct Pack { int x; };\nnamespace a { template <class... T> struct Pack { int x; }; }\ntemplate __global__ void f<a::" + many("int") + ">(a::" + many("int") + " *);\n",
			"namespace b { template <class... T> struct Pack { int x; }; }\ntemplate <class T> __global__ void f(T *p);\ntemplate __global__ void f<b::" + many("int") + ">(b::" + many("int") + " *);\n", []string{"k.F_c7ab3567", "k.F_b781cae9"}},
		{"types of the same words", "template <class T> __global__ void f(T x) {}\ntemplate __global__ void f<float *>(float *);\n",
			"template <class T> __global__ void f(T x);\ntemplate __global__ void f<const float *>(const float *);\ntemplate __global__ void f<float (*)[4]>(float (*)[4]);\ntemplate __global__ void f<float (**)[4]>(float (**)[4]);\n",
			[]string{"k.F_95a1f0e7", "k.F_b4629551", "k.FFloatArray4Ptr", "k.FFloatArray4PtrPtr"}},
		{"a method", "__global__ void close_(int x) {}\n", "", []string{"k.X_close_"}},
		{"a kernel's type", "__global__ void rowsKernel(int n) {}\n", "__global__ void rows(int n) {}\n", []string{"RowsKernelKernel", "Rows_Kernel", "RowsArgs", "RowsKernelArgs"}},
		{"a type like a kernel's", "__global__ void rows(int n) {}\n", "struct RowsKernel { int x; };\n__global__ void l(RowsKernel n) {}\n", nil},
		{"a type like arguments", "__global__ void rows(int n) {}\n", "struct RowsArgs { int x; };\n__global__ void l(RowsArgs n) {}\n", nil},
		{"a type like that of the file", "struct K { int x; };\n__global__ void l(K n) {}\n", "", []string{"X_K"}},
		{"types", "namespace a { struct Plate { int x; }; }\n__global__ void g(a::Plate p) {}\n", "namespace z { struct Plate { int x; }; }\n__global__ void l(z::Plate p) {}\n", []string{"APlate", "ZPlate"}},
		{"types of one spelling", "struct plate { int x; };\n__global__ void g(plate p) {}\n", "struct Plate { int x; };\n__global__ void l(Plate p) {}\n", []string{"X_plate", "X_Plate"}},
		{"enumerations", "namespace a { enum Mode { on }; }\n__global__ void g(a::Mode p) {}\n", "namespace z { enum Mode { off, on }; }\n__global__ void l(z::Mode p) {}\n", []string{"AModeOn", "ZModeOff", "ZMode"}},
		{"enumerators", "enum Mode { on", ", On }; __global__ void g(Mode p) {}\n", []string{"Mode_on", "Mode_On"}},
		{"an enumerator and a type", "enum Mode { on };\n__global__ void g(Mode p) {}\n", "struct ModeOn { int x; };\n__global__ void l(ModeOn p) {}\n", nil},
		{"constants", "namespace a {\n//cudagen:export\nconstexpr int N = 1;\n}\n" + k, "namespace z {\n//cudagen:export\nconstexpr int N = 2;\n}\n", []string{"AN", "ZN"}},
		{"variables", "namespace a {\n//cudagen:export\n__device__ int gain;\n}\n" + k, "namespace z {\n//cudagen:export\n__device__ int gain;\n}\n", []string{"k.AGain", "k.ZGain"}},
		{"a variable and a kernel", "//cudagen:export\n__device__ int gain;\n" + k, "__global__ void Gain(int n) {}\n", []string{"k.X_gain", "k.X_Gain"}},
		{"parameters", "__global__ void g(int N", ", int n) {}\n", []string{"args of g: X_N", "args of g: X_n"}},
		{"fields", "struct S { int N;", "int n; };\n__global__ void g(S s) {}\n", []string{"S.X_n", "S.X_N"}},
		{"methods", "union S { int x;", "float setX; };\n__global__ void g(S s) {}\n", []string{"S.X_x", "S.X_setX", "S.SetX_x"}},
		{"a method and a bit-field", "struct S { int x : 3;", "int setX : 4; };\n__global__ void g(S s) {}\n", []string{"S.X_x", "S.SetX_setX", "S.Bits"}},
		{"bit-fields", "struct S { int x : 3;", "int y; int z : 4; };\n__global__ void g(S s) {}\n", []string{"S.X", "S.Z", "S.Bits_x", "S.Bits_z"}},
		{"bit-fields and a member", "struct S { int x : 3;", "int bits; };\n__global__ void g(S s) {}\n", []string{"S.X_bits", "S.Bits_x"}},
		{"unnamed members", "struct S { struct { int x; };", "union { int y; float z; }; union { int u; float v; }; };\n__global__ void g(S s) {}\n", []string{"SStruct", "SUnionY", "SUnionU"}},
		{"a promoted member", "struct S { struct { int x; };", "int X; };\n__global__ void g(S s) {}\n", []string{"S.X_X", "S.SStruct"}},
		{"a type in a type", "struct S { struct { int x; } at;", "}; struct SAt { int y; };\n__global__ void g(S s, SAt t) {}\n", []string{"X_S_at", "X_SAt"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(text string) map[string]string {
				var packages bind.Packages
				bound, err := packages.Bind(compiled(selected(t, t.TempDir(), "k.cu", text)), bind.Options{Package: "p"})
				require.NoError(t, err)
				code, err := emit.File(bound.Model)
				require.NoError(t, err, "%s", code)
				return meanings(bound.Model)
			}
			if after := test.before + test.added; test.added == "" || test.before[len(test.before)-1] == '\n' {
				compareMeanings(t, read(test.before), read(after))
				if test.name != "instances of classes" { // its template is declared before
					compareMeanings(t, read(after), read(test.added+test.before))
				}
				names(t, test.want, read(after))
				return
			}
			end := "};\n__global__ void g(S s) {}\n"
			switch test.before[0] {
			case 'e':
				end = "};\n__global__ void g(Mode p) {}\n"
			case '_':
				end = ") {}\n"
			case 'u':
				end = "float w; };\n__global__ void g(S s) {}\n"
			}
			compareMeanings(t, read(test.before+end), read(test.before+test.added))
			names(t, test.want, read(test.before+test.added))
		})
	}
}

func names(t *testing.T, want []string, meanings map[string]string) {
	for _, name := range want {
		assert.Contains(t, meanings, name)
	}
}

// kinds of names that are no name of C++: what they mean changes with other things.
func compareMeanings(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name, what := range before {
		if now, there := after[name]; there {
			assert.Equal(t, what, now, name)
		}
	}
}
