package build_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// TestProvedLayoutsStay: a layout that a compiler proved, and that cudagen computes in
// another way from the same source, is an error. Changing the record stands for changing
// cudagen.
func TestProvedLayoutsStay(t *testing.T) {
	altered := func(t *testing.T, change func(r *record.Record)) gen.Options {
		dir := gentest.ExampleDir(t, "../../..")
		path := filepath.Join(dir, "kernels.cudagen.json")
		r, err := record.Read(path)
		require.NoError(t, err)
		change(r)
		require.NoError(t, os.WriteFile(path, r.Encode(), 0o644))
		return gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
	}
	plate := func(r *record.Record) *record.Struct {
		i := slices.IndexFunc(r.Structs, func(s record.Struct) bool { return s.Name == "Plate" })
		require.GreaterOrEqual(t, i, 0)
		return &r.Structs[i]
	}
	const proved = " by kernels.cudagen.json, which a compiler confirmed for the same source: run cudagen -force"
	for _, test := range []struct {
		name   string
		change func(r *record.Record)
		want   string
	}{
		{"offset of a field", func(r *record.Record) { plate(r).Fields[1].Offset = 12 }, "struct Plate: field 1 (periodic): offset is 8 by the source and 12" + proved},
		{"size of a field", func(r *record.Record) { plate(r).Fields[1].Size = 8 }, "struct Plate: field 1 (periodic): size is 4 by the source and 8" + proved},
		{"name of a field", func(r *record.Record) { plate(r).Fields[1].Name = "open" }, "struct Plate: field 1 (periodic): name is periodic by the source and open" + proved},
		{"number of fields", func(r *record.Record) { plate(r).Fields = plate(r).Fields[:2] }, "struct Plate: number of fields is 4 by the source and 2" + proved},
		{"size", func(r *record.Record) { plate(r).Size = 48 }, "struct Plate: size is 40 by the source and 48" + proved},
		{"alignment", func(r *record.Record) { plate(r).Align = 4 }, "struct Plate: alignment is 8 by the source and 4" + proved},
		{"alignment of a parameter", func(r *record.Record) { r.Kernels[0].Params[0].Align = 2 }, "parameter 0 (n): alignment is 4 by the source and 2" + proved},
		{"size of a variable", func(r *record.Record) { r.Variables[0].Size = 24 }, "taps: size is 20 by the source and 24" + proved},
		{"alignment of a variable", func(r *record.Record) { r.Variables[0].Align = 8 }, "taps: alignment is 4 by the source and 8" + proved},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := altered(t, test.change)
			before := gentest.Snapshot(t, filepath.Dir(o.Sources[0]))
			_, err := gen.Generate(t.Context(), o)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, diag.Unconfirmed, diag.CodeOf(err))
			assert.Regexp(t, `kernels\.cu:\d+:\d+: `, err.Error())
			assert.Equal(t, before, gentest.Snapshot(t, filepath.Dir(o.Sources[0])), "nothing is written")
			_, err = gen.Check(o)
			assert.ErrorContains(t, err, test.want)
		})
	}
	t.Run("nothing was proved", func(t *testing.T) {
		o := altered(t, func(r *record.Record) {
			for i := range plate(r).Fields {
				plate(r).Fields[i].Offset += 100
				plate(r).Fields[i].Witnesses = []string{record.Source}
			}
		})
		_, err := gen.Generate(t.Context(), o)
		assert.NoError(t, err)
	})
	t.Run("another source", func(t *testing.T) {
		o := altered(t, func(r *record.Record) {
			plate(r).Fields[1].Offset = 12
			r.Inputs[0].SHA256 = record.HashInput(nil)
		})
		check, err := gen.Check(o)
		require.NoError(t, err)
		assert.Len(t, check.Stale, 1)
		assert.NotEmpty(t, check.Diff)
	})
}

// Structs without names are told apart by their fields, and their witnesses stay, too.
func TestProvedLayoutsWithoutNames(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": `struct Outer { struct { int a; } x; struct { char b; int c; } y; };
extern "C" __global__ void k(Outer o, int *p) { *p = o.x.a + o.y.c; }
`})
	o := gentest.Options(filepath.Join(dir, "k.cu"), gentest.NVCC(t))
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	before := gentest.Snapshot(t, dir)
	o.FindCompiler = gentest.NoCompiler
	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, before, gentest.Snapshot(t, dir))

	path := filepath.Join(dir, "k.cudagen.json")
	r, err := record.Read(path)
	require.NoError(t, err)
	i := slices.IndexFunc(r.Structs, func(s record.Struct) bool { return s.Fields[0].Name == "b" })
	require.GreaterOrEqual(t, i, 0)
	r.Structs[i].Fields[1].Offset = 1
	require.NoError(t, os.WriteFile(path, r.Encode(), 0o644))
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "struct OuterY: field 1 (c): offset is 4 by the source and 1 by k.cudagen.json")
}
