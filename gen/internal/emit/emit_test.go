package emit_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// blend is the model of the file that testdata/blend_cuda.go.golden was written for, by hand.
func blend() *model.File {
	float := model.GoType{Kind: model.Basic, Name: "float32", Size: 4, Align: 4}
	pointer := model.GoType{Kind: model.Pointer, Elem: &float, Size: 8, Align: 8}
	integer := model.GoType{Kind: model.Basic, Name: "int32", Size: 4, Align: 4}
	mix := model.GoType{Kind: model.Local, Name: "Mix", Size: 24, Align: 8}
	boolean := model.GoType{Kind: model.Basic, Name: "bool", Size: 1, Align: 1}
	number := func(s string, v int64) model.Expr { return model.Expr{Source: s, Go: s, Const: true, Value: v} }
	n := model.Expr{Source: "n", Go: "n", Reads: []int{3}}
	wide := model.Expr{Source: "n", Go: "int(n)"}
	return &model.File{
		Version: model.Version,
		Source:  "blend.cu",
		Package: "paint",
		GoName:  "Blend",
		Images:  []model.Image{{File: "blend.ptx", SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}},
		Structs: []model.Struct{{
			GoName: "Mix", CName: "Mix", Doc: []string{"Mix weighs two colours."}, Pos: model.Pos{File: "blend.cu", Line: 5}, Size: 24, Align: 8,
			Fields: []model.Field{
				{CName: "steps", CType: "int", GoName: "Steps", Doc: "how often", Type: integer, Offset: 0, Size: 4},
				{CName: "weight", CType: "double", GoName: "Weight", Type: model.GoType{Kind: model.Basic, Name: "float64", Size: 8, Align: 8}, Offset: 8, Size: 8},
				{CName: "tint", CType: "float2", GoName: "Tint", Type: model.GoType{Kind: model.Vec, Name: "Float2", Size: 8, Align: 4}, Offset: 16, Size: 8},
			},
		}},
		Variables: []model.Variable{
			{
				GoName: "Gamma", CName: "paint::gamma", CType: "float[3]", Space: "__constant__", Symbol: "_ZN5paint5gammaE", Address: "&paint::gamma",
				Doc: []string{"Gamma of red, green and blue."}, Pos: model.Pos{File: "blend.cu", Line: 9}, Type: model.GoType{Kind: model.Array, Elem: &float, Len: 3, Size: 12, Align: 4},
			},
			{
				GoName: "X_blend", Note: "Blend is ambiguous", CName: "blend", CType: "Mix", Space: "__managed__", Symbol: "blend", Address: "&blend",
				Pos: model.Pos{File: "blend.cu", Line: 10}, Type: mix,
			},
		},
		Kernels: []model.Kernel{
			{
				GoName: "Blend", CName: "paint::blend", Symbol: "_ZN5paint5blendE3MixPKfPfib",
				Signature: "void blend(Mix mix, const float *x, float *out, int n, bool clamp)",
				Doc:       []string{"Blend mixes x into out."}, Pos: model.Pos{File: "blend.cu", Line: 12},
				Params: []model.Param{
					{CName: "mix", CType: "Mix", GoName: "mix", Field: "Mix", Type: mix, Offset: 0, Size: 24, Align: 8},
					{CName: "x", CType: "const float *", GoName: "x", Field: "X", Type: pointer, Offset: 24, Size: 8, Align: 8, Slice: true, ElemAlign: 4},
					{CName: "out", CType: "float *", GoName: "out", Field: "Out", Type: pointer, Offset: 32, Size: 8, Align: 8, Slice: true, ElemAlign: 4},
					{CName: "n", CType: "int", GoName: "n", Field: "N", Type: integer, Offset: 40, Size: 4, Align: 4, Inferred: true},
					{CName: "clamp", CType: "bool", GoName: "clamp", Field: "Clamp", Type: boolean, Offset: 44, Size: 1, Align: 1},
				},
				Bytes: 45, Align: 8,
				Infers: []model.Infer{{Param: 3, Value: model.Expr{Source: "len(x)", Go: "x.Len()"}, Max: "MaxInt32"}},
				Checks: []model.Check{{Param: 2, Len: n}},
				Launch: &model.Launch{
					Block: [3]model.Expr{number("256", 256), number("1", 1), number("1", 1)},
					Grid:  [3]model.Expr{n, number("1", 1), number("1", 1)}, Threads: true,
				},
			},
			{
				GoName: "Fill", CName: "fill", Symbol: "fill", Signature: "void fill(float *out)", Pos: model.Pos{File: "blend.cu", Line: 30},
				Params: []model.Param{{CName: "out", CType: "float *", GoName: "out", Field: "Out", Type: pointer, Size: 8, Align: 8}},
				Bytes:  8, Align: 8,
			},
			{
				GoName: "Smooth", CName: "smooth", Symbol: "smooth", Signature: "void smooth(float *data, int n)", Pos: model.Pos{File: "blend.cu", Line: 40},
				Params: []model.Param{
					{CName: "data", CType: "float *", GoName: "data", Field: "Data", Type: pointer, Size: 8, Align: 8, Slice: true, ElemAlign: 4},
					{CName: "n", CType: "int", GoName: "n", Field: "N", Type: integer, Offset: 8, Size: 4, Align: 4},
				},
				Bytes: 12, Align: 8,
				Checks: []model.Check{{Param: 0, Len: wide}},
				Launch: &model.Launch{
					Block: [3]model.Expr{number("64", 64), number("1", 1), number("1", 1)},
					Grid:  [3]model.Expr{wide, number("1", 1), number("1", 1)}, Threads: true,
					Cluster: [3]int64{2, 1, 1}, Cooperative: true,
				},
			},
		},
	}
}

// fromSource is blend with its source embedded: testdata/source_cuda.go.golden.
func fromSource() *model.File {
	f := blend()
	f.Kernels = f.Kernels[1:]
	f.Structs = nil
	f.Variables[1].Type = model.GoType{Kind: model.Basic, Name: "uint64", Size: 8, Align: 8}
	f.Kernels[0].Address = "&fill"
	f.Embedded = &model.Embedded{
		Main: "blend.cu",
		Files: []model.EmbeddedFile{
			{File: "blend.cu", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
			{File: "include/mix it.h", SHA256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"},
		},
		IncludeDirs: []string{"include"}, Defines: []string{"N=4", "DEBUG"}, Std: "c++17", Flags: []string{"-use_fast_math"}, Compiler: "nvcc 13.0.88",
	}
	return f
}

// TestHandwrittenTarget compares the emitter with files written by hand.
func TestHandwrittenTarget(t *testing.T) {
	for name, file := range map[string]*model.File{"blend": blend(), "source": fromSource()} {
		t.Run(name, func(t *testing.T) {
			got, err := emit.File(file)
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+"_cuda.go.golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
			assert.NoError(t, typeCheck(got))
		})
	}
}

var (
	fset = token.NewFileSet()
	// imported is shared because it type-checks the runtime package, once.
	imported = testenv.Importer(fset, testenv.Generated...)
)

// typeCheck type-checks a generated file against the real runtime package.
func typeCheck(src []byte) error {
	file, err := parser.ParseFile(fset, "generated.go", src, 0)
	if err != nil {
		return err
	}
	config := types.Config{Importer: imported, Sizes: types.SizesFor("gc", "amd64")}
	_, err = config.Check("generated", fset, []*ast.File{file}, nil)
	return err
}

func TestOutputTypeChecks(t *testing.T) {
	got, err := emit.File(blend())
	require.NoError(t, err)
	require.NoError(t, typeCheck(got))

	// Controls: a block that lies elsewhere, or is larger, must not compile.
	for _, control := range []struct{ name, old, new string }{
		{"a field moves", "Clamp  bool ", "Clamp  int32 "},
		{"a field is missing", "\tX, Out cuda.Ptr[float32]", "\tX cuda.Ptr[float32]"},
		{"the struct grows", "\tTint   vec.Float2\n", "\tTint   vec.Float4\n"},
		{"another runtime", "Generated.Version1", "Generated.Version0"},
	} {
		t.Run(control.name, func(t *testing.T) {
			changed := strings.Replace(string(got), control.old, control.new, 1)
			require.NotEqual(t, string(got), changed, "the control changes nothing")
			assert.Error(t, typeCheck([]byte(changed)))
		})
	}
}
