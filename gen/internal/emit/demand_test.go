package emit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/model"
)

// TestDemands: what directives say of threads, blocks and shared memory is compared with the
// configurations of callers, in terms of them, in every method that takes one.
func TestDemands(t *testing.T) {
	one := model.Expr{Source: "1", Go: "1", Const: true, Value: 1}
	f := blend()
	blends, smooth := &f.Kernels[0], &f.Kernels[2]
	blends.Launch.GridWith = [3]model.Expr{{Source: "n*block.x", Go: "cuda.Generated.MulSizes(n, int(cfg.Block.X))", Reads: []int{3}, Signed: true, Inputs: []model.Input{{Name: "n", Go: "n"}}}, one, one}
	blends.Params[1].Nullable = true
	smooth.Launch.Threads = false
	smooth.Launch.GridWith = smooth.Launch.Grid
	smooth.Launch.Shared = model.Expr{Source: "4*block.x", Go: "256", Const: true, Value: 256}
	smooth.Launch.SharedWith = model.Expr{Source: "4*block.x", Go: "4 * int(cfg.Block.X)"}
	got, err := emit.File(f)
	require.NoError(t, err)
	require.NoError(t, typeCheck(got))
	for _, want := range []string{
		`{Name: "x", Offset: 24, Size: 8, Align: 8, Owned: true, ElemAlign: 4},`,
		`{Name: "out", Offset: 32, Size: 8, Align: 8, Owned: true, Needed: true, ElemAlign: 4},`,
		"\tX     cuda.Slice[float32] `cuda:\"nullable\"`\n",
		"x may be the zero Slice, which is NULL.",
		`
	} else if want := cuda.Generated.MulSizes(n, int(cfg.Block.X)); want < 0 {
		return cuda.Generated.BadSize(k.Kernel, "threads n", want, "n", n)
	} else if want > cuda.Generated.Threads(cfg.Grid.X, cfg.Block.X) && !cfg.Fewer {
		return cuda.Generated.Few(k.Kernel, cfg, "threads n", "x", want)
	}
`, `
	} else if err := cuda.Generated.Attributes(k.Kernel, cfg, &smoothAttributes); err != nil {
		return err
	} else if err := cuda.Generated.Share(k.Kernel, cfg, "shared 4*block.x", 4*int(cfg.Block.X)); err != nil {
		return err
	} else if want := int(n); cuda.Generated.LacksBlocks(cfg.Grid.X, cfg.Block.X, want, 64) && !cfg.Fewer {
		return cuda.Generated.Few(k.Kernel, cfg, "grid n", "x", want)
	}
`,
		"// LaunchWith is Launch with cfg, which has at least n blocks, or Fewer. Its SharedBytes is at least 4*block.x; 0 stands\n// for that. If its Attributes are nil, they are those of Launch.\n",
	} {
		assert.Contains(t, string(got), want)
	}
	assert.NotContains(t, string(got), "func (k *SmoothKernel) Launch(s *cuda.Stream, cfg", "Launch computes it")
}

// TestBoolAccessors: what reads bytes of a union, or of a packed struct, makes bools of them.
func TestBoolAccessors(t *testing.T) {
	boolean := model.GoType{Kind: model.Basic, Name: "bool", Size: 1, Align: 1}
	integer := model.GoType{Kind: model.Basic, Name: "int32", Size: 4, Align: 4}
	words := model.GoType{Kind: model.Array, Elem: &integer, Len: 2, Size: 8, Align: 4}
	pair := model.GoType{Kind: model.Array, Elem: &boolean, Len: 2, Size: 2, Align: 1}
	local := func(name string, size int64) model.GoType {
		return model.GoType{Kind: model.Local, Name: name, Size: size, Align: 1}
	}
	f := blend()
	f.Enums = []model.Enum{{GoName: "Truth", CName: "Truth", Type: boolean}, {GoName: "Kind", CName: "Kind", Type: integer}}
	f.Structs = append(f.Structs,
		model.Struct{GoName: "Hit", CName: "Hit", Size: 8, Align: 4, Fields: []model.Field{
			{CName: "at", CType: "int", GoName: "At", Type: integer, Size: 4},
			{CName: "on", CType: "bool", GoName: "On", Type: boolean, Offset: 4, Size: 1},
		}},
		model.Struct{GoName: "Any", CName: "Any", Union: true, Size: 8, Align: 4, Storage: words, Fields: []model.Field{
			{CName: "flag", CType: "bool", GoName: "Flag", Type: boolean, Size: 1, Accessed: true},
			{CName: "truth", CType: "Truth", GoName: "Truth", Type: local("Truth", 1), Size: 1, Accessed: true},
			{CName: "pair", CType: "bool[2]", GoName: "Pair", Type: pair, Size: 2, Accessed: true},
			{CName: "hit", CType: "Hit", GoName: "Hit", Type: local("Hit", 8), Size: 8, Accessed: true},
			{CName: "kind", CType: "Kind", GoName: "Kind", Type: local("Kind", 4), Size: 4, Accessed: true},
			{CName: "word", CType: "int", GoName: "Word", Type: integer, Size: 4, Accessed: true},
		}},
		model.Struct{GoName: "Packed", CName: "Packed", Size: 9, Align: 1, Fields: []model.Field{
			{CName: "c", CType: "bool", GoName: "C", Type: boolean, Size: 1},
			{CName: "hit", CType: "Hit", GoName: "Hit", Type: local("Hit", 8), Offset: 1, Size: 8, Accessed: true},
		}},
		model.Struct{GoName: "Nested", CName: "Nested", Union: true, Size: 8, Align: 4, Storage: words, Fields: []model.Field{
			{CName: "any", CType: "Any", GoName: "Any", Type: local("Any", 8), Size: 8, Accessed: true},
		}},
	)
	got, err := emit.File(f)
	require.NoError(t, err)
	require.NoError(t, typeCheck(got))
	const viaBytes = "{\n\treturn *(*byte)(unsafe.Pointer(&s.data)) != 0\n}"
	for _, want := range []string{
		"func (s *Any) Flag() bool " + viaBytes,
		"func (s *Any) Truth() Truth " + viaBytes,
		"func (s *Any) Pair() [2]bool {\n\tv := *(*[2]bool)(unsafe.Pointer(&s.data))\n\tcuda.Generated.Bools(&v)\n\treturn v\n}",
		"func (s *Any) Hit() Hit {\n\tv := *(*Hit)(unsafe.Pointer(&s.data))\n\tcuda.Generated.Bools(&v)\n\treturn v\n}",
		"func (s *Any) Kind() Kind {\n\treturn *(*Kind)(unsafe.Pointer(&s.data))\n}",
		"func (s *Any) Word() int32 {\n\treturn *(*int32)(unsafe.Pointer(&s.data))\n}",
		"func (s *Packed) Hit() Hit {\n\tv := *(*Hit)(unsafe.Pointer(&s.hitBytes))\n\tcuda.Generated.Bools(&v)\n\treturn v\n}",
		"func (s *Nested) Any() Any {\n\treturn *(*Any)(unsafe.Pointer(&s.data))\n}",
	} {
		assert.Contains(t, string(got), want)
	}
}
