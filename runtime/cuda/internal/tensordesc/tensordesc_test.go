package tensordesc

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func TestTypeOf(t *testing.T) {
	typ, ok := TypeOf(vec.BFloat16(0))
	assert.True(t, ok)
	assert.Equal(t, driver.TensorBFloat16, typ)
	_, ok = TypeOf(int8(0))
	assert.False(t, ok)
}

func TestTiles(t *testing.T) {
	desc, detail := Of(&tensormap.Config{
		Dims: []int{60, 100}, Strides: []int{64}, Box: []int{32, 16}, ElementStrides: []int{1, 2},
		Format: tensormap.TF32Flushed, Swizzle: tensormap.Swizzle128, Promotion: tensormap.Promote64, NaNFill: true,
	}, 0x1000, 99*64+60, driver.TensorFloat32, 4)
	assert.Empty(t, detail)
	assert.Equal(t, driver.TensorMapDesc{
		Type: driver.TensorFloat32FTZ + 2, Rank: 2, Address: 0x1000, Dims: [5]uint64{60, 100}, Strides: [4]uint64{256},
		ElementStrides: [5]uint32{1, 2}, Box: [5]uint32{32, 16}, Swizzle: 3, Promotion: 1, Fill: 1,
	}, desc)
}

func TestColumns(t *testing.T) {
	desc, detail := Of(&tensormap.Config{
		Dims: []int{8, 6, 5, 2}, Im2col: &tensormap.Im2col{LowerCorner: []int{-1, -2}, UpperCorner: []int{1, 2}, Channels: 8, Pixels: 64},
	}, 0, 480, driver.TensorFloat16, 2)
	assert.Empty(t, detail)
	assert.Equal(t, driver.TensorMapDesc{
		Type: driver.TensorFloat16, Rank: 4, Dims: [5]uint64{8, 6, 5, 2}, Strides: [4]uint64{16, 96, 480}, ElementStrides: [5]uint32{1, 1, 1, 1},
		LowerCorner: [3]int32{-1, -2}, UpperCorner: [3]int32{1, 2}, Channels: 8, Pixels: 64,
	}, desc)
}

func TestRules(t *testing.T) {
	for want, c := range map[string]tensormap.Config{
		"Dims has 0 dimensions":                          {},
		"the tensor [16] needs 16 elements":              {Dims: []int{16}, Box: []int{4}},
		"Box[0] is 3 elements of 4 bytes":                {Dims: []int{8}, Box: []int{3}},
		"and the swizzle's span has 32":                  {Dims: []int{12}, Box: []int{12}, Swizzle: tensormap.Swizzle32},
		"Swizzle is 4, which is none of its constants":   {Dims: []int{8}, Swizzle: 4},
		"the stride of Dims[1] is 3 elements of 4 bytes": {Dims: []int{3, 3}, Box: []int{4, 1}},
	} {
		_, detail := Of(&c, 16, 12, driver.TensorFloat32, 4)
		assert.Contains(t, detail, want)
	}
	_, detail := Of(&tensormap.Config{Dims: []int{4}, Box: []int{4}}, 8, 12, driver.TensorFloat32, 4)
	assert.Contains(t, detail, "must be a multiple of 16")
	_, detail = Of(&tensormap.Config{Dims: []int{4}, Box: []int{4}, Format: tensormap.TF32}, 16, 12, driver.TensorInt32, 4)
	assert.Contains(t, detail, "Format is for elements of type float32")
}
