package compare_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/image"
)

// Every number of every parameter, moved by itself, must be noticed and named.
func TestBlock(t *testing.T) {
	source := []image.Param{
		{Name: "n", Offset: 0, Size: 4, Align: 4},
		{Name: "x", Offset: 8, Size: 8, Align: 8},
		{Offset: 32, Size: 24, Align: 32},
		{Name: "last", Offset: 56, Size: 4, Align: 4},
	}
	kernel := func() *image.Kernel {
		k := &image.Kernel{Symbol: "k", Bytes: 60}
		for _, p := range source {
			k.Params = append(k.Params, image.Param{Offset: p.Offset, Size: p.Size, Align: p.Align})
		}
		return k
	}
	require.NoError(t, compare.Block("k", source, kernel()))
	require.NoError(t, compare.Block("empty", nil, &image.Kernel{}))

	names := []string{"parameter 0 (n)", "parameter 1 (x)", "parameter 2", "parameter 3 (last)"}
	fields := map[string]func(*image.Param) *int64{
		"offset":    func(p *image.Param) *int64 { return &p.Offset },
		"size":      func(p *image.Param) *int64 { return &p.Size },
		"alignment": func(p *image.Param) *int64 { return &p.Align },
	}
	for i := range source {
		for what, field := range fields {
			t.Run(fmt.Sprintf("%s of the image's %s", what, names[i]), func(t *testing.T) {
				k := kernel()
				*field(&k.Params[i])++
				was := *field(&source[i])
				err := compare.Block("k", source, k)
				assert.EqualError(t, err, fmt.Sprintf("k: %s: %s is %d by the source and %d in the image", names[i], what, was, was+1))
			})
			t.Run(fmt.Sprintf("%s of the source's %s", what, names[i]), func(t *testing.T) {
				moved := slices.Clone(source)
				*field(&moved[i])++
				was := *field(&source[i])
				err := compare.Block("k", moved, kernel())
				assert.ErrorContains(t, err, fmt.Sprintf("k: %s: %s is %d by the source and %d in the image", names[i], what, was+1, was))
			})
		}
	}
	t.Run("one parameter less", func(t *testing.T) {
		k := kernel()
		k.Params = k.Params[:3]
		k.Bytes = 56
		assert.EqualError(t, compare.Block("k", source, k), "k: number of parameters is 4 by the source and 3 in the image\n"+
			"k: size of the parameter block is 60 by the source and 56 in the image")
	})
	t.Run("one parameter more", func(t *testing.T) {
		assert.ErrorContains(t, compare.Block("k", source[:3], kernel()), "number of parameters is 3 by the source and 4 in the image")
	})
	t.Run("size of the block", func(t *testing.T) {
		k := kernel()
		k.Bytes = 64
		assert.EqualError(t, compare.Block("k", source, k), "k: size of the parameter block is 60 by the source and 64 in the image")
	})
	t.Run("all at once", func(t *testing.T) {
		k := kernel()
		k.Params[0].Size, k.Params[2].Offset, k.Params[2].Align = 8, 48, 16
		var mismatches compare.Error
		require.True(t, errors.As(compare.Block("k", source, k), &mismatches))
		assert.Len(t, mismatches, 3)
	})
}

// In a cubin each number is compared too, at the places that follow from the base.
func TestBlockOfCubin(t *testing.T) {
	source := []image.Param{{Offset: 0, Size: 8, Align: 8}, {Offset: 32, Size: 32, Align: 32}, {Offset: 64, Size: 4, Align: 4}}
	kernel := func() *image.Kernel {
		return &image.Kernel{Base: 0x210, Bytes: 52, Params: []image.Param{{Offset: 0, Size: 8}, {Offset: 16, Size: 32}, {Offset: 48, Size: 4}}}
	}
	require.NoError(t, compare.Block("k", source, kernel()))
	for i := range source {
		k := kernel()
		k.Params[i].Offset += 16
		was := kernel().Params[i].Offset
		assert.EqualError(t, compare.Block("k", source, k), fmt.Sprintf("k: parameter %d: offset is %d by the source and %d in the image", i, was, was+16))
		k = kernel()
		k.Params[i].Size++
		was = source[i].Size
		assert.EqualError(t, compare.Block("k", source, k), fmt.Sprintf("k: parameter %d: size is %d by the source and %d in the image", i, was, was+1))
	}
	k := kernel()
	k.Bytes++
	assert.ErrorContains(t, compare.Block("k", source, k), "size of the parameter block is 52 by the source and 53 in the image")
	k = kernel()
	k.Base = 0x380
	assert.ErrorContains(t, compare.Block("k", source, k), "parameter 1: offset is 32 by the source and 16 in the image")

	k = kernel()
	k.Base = image.UnknownBase
	assert.NoError(t, compare.Block("k", source, k))
	k.Params[1].Size++
	assert.ErrorContains(t, compare.Block("k", source, k), "parameter 1: size is 32 by the source and 33 in the image")

	packed := []image.Param{{Offset: 0, Size: 8, Align: 8}, {Offset: 8, Size: 4, Align: 4}}
	k = &image.Kernel{Base: image.UnknownBase, Bytes: 12, Params: []image.Param{{Offset: 0, Size: 8}, {Offset: 9, Size: 4}}}
	assert.EqualError(t, compare.Block("k", packed, k), "k: parameter 1: offset is 8 by the source and 9 in the image")
}

// Every number, and the space, changed by itself must be noticed and named.
func TestStorage(t *testing.T) {
	source := image.Variable{Space: image.Const, Size: 20, Align: 4}
	good := source
	require.NoError(t, compare.Storage("taps", source, &good))
	for want, change := range map[string]func(v *image.Variable){
		"taps: size is 20 by the source and 24 in the image":                           func(v *image.Variable) { v.Size = 24 },
		"taps: size is 20 by the source and 16 in the image":                           func(v *image.Variable) { v.Size = 16 },
		"taps: alignment is 4 by the source and 2 in the image":                        func(v *image.Variable) { v.Align = 2 },
		"taps: its state space is const by the source and global in the image":         func(v *image.Variable) { v.Space = image.Global },
		"taps: its state space is const by the source and const, managed in the image": func(v *image.Variable) { v.Managed = true },
	} {
		got := source
		change(&got)
		assert.EqualError(t, compare.Storage("taps", source, &got), want)
	}
	for name, change := range map[string]func(v *image.Variable){
		"aligned more":      func(v *image.Variable) { v.Align = 16 },
		"alignment unknown": func(v *image.Variable) { v.Align = 0 },
	} {
		got := source
		change(&got)
		assert.NoError(t, compare.Storage("taps", source, &got), name)
	}
}
