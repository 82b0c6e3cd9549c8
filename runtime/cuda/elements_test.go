package cuda_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

const tablesPTX = `.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 table[32];
.visible .global .align 8 .u64 one;
.visible .const .align 4 .b8 taps[8];
`

// TestElements: variables are memory like buffers, as long as their library is open.
func TestElements(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		lib, err := dev.LoadLibrary(imageOfPTX(tablesPTX))
		require.NoError(t, err)
		table, err := cuda.LoadSymbol[[2][4]float32](lib, "table", "table")
		require.NoError(t, err)
		require.NoError(t, table.Set(s, [2][4]float32{{0, 1, 2, 3}, {4, 5, 6, 7}}))
		flat, err := cuda.Elements[float32](table)
		require.NoError(t, err)
		rows, err := cuda.Elements[[4]float32](table)
		require.NoError(t, err)
		whole, err := cuda.Elements[[2][4]float32](table)
		require.NoError(t, err)
		assert.Equal(t, []int{8, 2, 1}, []int{flat.Len(), rows.Len(), whole.Len()})
		assert.Equal(t, table.Ptr().Address(), flat.Address())

		b := upload(t, s, make([]float32, 8))
		require.NoError(t, cuda.Copy(b.All(), flat).Launch(s))
		got := make([]float32, 8)
		require.NoError(t, b.CopyTo(s, got))
		assert.Equal(t, []float32{0, 1, 2, 3, 4, 5, 6, 7}, got)
		require.NoError(t, rows.Slice(1, 2).Clear(s))
		require.NoError(t, cuda.Fill(flat.Slice(0, 2), 9).Launch(s))
		require.NoError(t, flat.Slice(7, 8).CopyFrom(s, []float32{5}))
		require.NoError(t, flat.CopyTo(s, got))
		assert.Equal(t, []float32{9, 9, 2, 3, 0, 0, 0, 5}, got)
		locked, err := cuda.AllocHost[float32](dev, 8, cuda.HostConfig{})
		require.NoError(t, err)
		require.NoError(t, cuda.Copy(locked.All(), flat).Launch(s))
		require.NoError(t, s.Synchronize())
		assert.Equal(t, got, locked.Host())
		require.NoError(t, locked.Close())

		taps, err := cuda.LoadSymbol[[2]float32](lib, "taps", "taps")
		require.NoError(t, err)
		constants, err := cuda.Elements[float32](taps)
		require.NoError(t, err)
		require.NoError(t, cuda.Copy(constants, flat.Slice(0, 2)).Launch(s))
		value, err := taps.Get(s)
		require.NoError(t, err)
		assert.Equal(t, [2]float32{9, 9}, value)

		_, err = cuda.Elements[int32](table)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		assert.ErrorContains(t, err, "take the elements of variable table on "+dev.String()+": a [2][4]float32 has no elements of type int32")
		_, err = cuda.Elements[[8]float32](table)
		assert.ErrorContains(t, err, "has no elements")
		var zero cuda.Symbol[[3]int32]
		_, err = cuda.Elements[int32](zero)
		assert.ErrorContains(t, err, "it was not loaded")

		k, _ := loaded(t, dev)
		require.NoError(t, k.Saxpy.Launch(s, 2, flat, b.All()))
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: flat, Y: b.All()})
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		require.NoError(t, b.CopyTo(s, got))
		if !isFake(dev) {
			assert.Equal(t, []float32{36, 37, 10, 15, 4, 5, 6, 27}, got)
		}
		exec, err := cuda.BuildGraph(cuda.NewNode(cuda.Copy(b.All(), flat)), cuda.NewNode(call))
		require.NoError(t, err)
		require.NoError(t, exec.Launch(s))

		require.NoError(t, lib.Close())
		for what, err := range map[string]error{
			"launch": k.Saxpy.Launch(s, 2, flat, b.All()), "prepared": call.Launch(s), "copy": cuda.Copy(b.All(), flat).Launch(s), "fill": cuda.Fill(flat, 1).Launch(s),
			"graph": exec.Launch(s), "copy to": flat.CopyTo(s, got),
		} {
			assert.ErrorIs(t, err, cuda.ErrClosed, what)
		}
		require.NoError(t, exec.Close())
	})
}

func TestDimOf(t *testing.T) {
	for want, dims := range map[cuda.Dim3][]int{
		{X: 5, Y: 1, Z: 1}: {5}, {X: 5, Y: 6, Z: 1}: {5, 6}, {X: 5, Y: 6, Z: 7}: {5, 6, 7}, {X: 0, Y: 1, Z: 1}: {0}, {X: math.MaxUint32, Y: 1, Z: 1}: {math.MaxUint32},
	} {
		got, err := cuda.DimOf(dims[0], dims[1:]...)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for want, dims := range map[string][]int{
		"make dimensions: x is -1, must be from 0 to 4294967295": {-1},
		"y is 4294967296":      {1, math.MaxUint32 + 1},
		"z is -2":              {1, 2, -2},
		"there are 4, limit 3": {1, 2, 3, 4},
	} {
		got, err := cuda.DimOf(dims[0], dims[1:]...)
		assert.Zero(t, got)
		assert.ErrorIs(t, err, cuda.ErrOverflow)
		assert.ErrorContains(t, err, want)
	}
	assert.Zero(t, cuda.Dim(1, 2, 3, 4), "a launch refuses it")
}
