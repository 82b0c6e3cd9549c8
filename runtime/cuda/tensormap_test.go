package cuda_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// TestTensorMaps: the fake driver encodes what it is told, by its own reading of the rules.
func TestTensorMaps(t *testing.T) {
	dev, library := openFake(t)
	s := newStream(t, dev)
	b := upload(t, s, make([]float32, 64*100))
	const mark = 0x70616d726f736e74
	m, err := cuda.NewTensorMap(b.All(), tensormap.Config{
		Dims: []int{60, 100}, Strides: []int{64}, Box: []int{32, 16}, ElementStrides: []int{1, 2},
		Format: tensormap.TF32, Swizzle: tensormap.Swizzle128, Promotion: tensormap.Promote256, NaNFill: true,
	})
	require.NoError(t, err)
	assert.Equal(t, [16]uint64{
		mark, b.All().Ptr().Address(), 11 | 2<<8 | 3<<24 | 3<<32 | 1<<40, 32 | 16<<10,
		60, 100 | 1<<60, 0, 0, 0, 0, 256,
	}, m.Param())

	halves := upload(t, s, make([]vec.Float16, 8*6*5*2))
	m, err = cuda.NewTensorMap(halves.All(), tensormap.Config{
		Dims: []int{8, 6, 5, 2}, Im2col: &tensormap.Im2col{LowerCorner: []int{-1, -2}, UpperCorner: []int{1, 2}, Channels: 8, Pixels: 64},
	})
	require.NoError(t, err)
	assert.Equal(t, [16]uint64{
		mark, halves.All().Ptr().Address(), 6 | 4<<8, 8 | 64<<10 | 31<<24 | 1<<29 | 30<<34 | 2<<39,
		8, 6, 5, 2, 0, 0, 16, 96, 480,
	}, m.Param())
	assert.Equal(t, 1, count(library.Calls(), "cuTensorMapEncodeIm2col"))

	require.NoError(t, halves.Close())
	_, err = cuda.NewTensorMap(halves.All(), tensormap.Config{Dims: []int{8}, Box: []int{8}})
	assert.ErrorIs(t, err, cuda.ErrClosed)
	assert.ErrorIs(t, s.Use(m.Owner()), cuda.ErrClosed)
	assert.ErrorIs(t, s.Use(cuda.TensorMap{}.Owner()), cuda.ErrInvalidValue)
}

// TestBindTensorMap: a bound kernel takes a tensor map as a parameter, aligned as the headers of CUDA 12
// or 13 have it.
func TestBindTensorMap(t *testing.T) {
	dev, library := openFake(t)
	s := newStream(t, dev)
	x := upload(t, s, make([]float32, 64))
	m, err := cuda.NewTensorMap(x.All(), tensormap.Config{Dims: []int{64}, Box: []int{64}})
	require.NoError(t, err)
	type args struct {
		N int32
		M cuda.TensorMap
		X cuda.Slice[float32]
	}
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
	kernel := func(align int) cuda.Image {
		return imageOfPTX(fmt.Sprintf(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 n, .param .align %d .b8 m[128], .param .u64 x)\n{\nret;\n}\n", align))
	}
	for align, behind := range map[int]int{64: 192, 128: 256} {
		k, err := cuda.Bind[args](loadLibrary(t, dev, kernel(align)), "k")
		require.NoError(t, err)
		library.Reset()
		require.NoError(t, k.LaunchArgsWith(s, cfg, &args{7, m, x.All()}))
		call, err := k.Prepare(cfg, args{7, m, x.All()})
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		assert.ErrorContains(t, k.LaunchArgsWith(s, cfg, &args{N: 7, X: x.All()}), "tensor map", "none")
		param := m.Param()
		want := binary.NativeEndian.AppendUint32(nil, 7)
		want, err = binary.Append(want, binary.NativeEndian, param)
		require.NoError(t, err)
		want = binary.NativeEndian.AppendUint64(want, x.All().Ptr().Address())
		require.Len(t, library.Launches(), 2)
		for _, l := range library.Launches() {
			assert.Equal(t, want, l.Arguments, "at %d", behind)
		}
	}
	_, err = cuda.Bind[args](loadLibrary(t, dev, kernel(32)), "k")
	assert.ErrorContains(t, err, "parameter 1 (M) is at byte 32, at 64 as ", "the control")
	gone := upload(t, s, make([]float32, 64))
	m, err = cuda.NewTensorMap(gone.All(), tensormap.Config{Dims: []int{64}, Box: []int{64}})
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	k, err := cuda.Bind[args](loadLibrary(t, dev, kernel(64)), "k")
	require.NoError(t, err)
	assert.ErrorIs(t, k.LaunchArgsWith(s, cfg, &args{7, m, x.All()}), cuda.ErrClosed)
}

// TestTensorMapRules: what the driver would refuse, or what would read beyond the slice, is an error that
// names the rule.
func TestTensorMapRules(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		b := upload(t, s, make([]float32, 1024))
		im2col := func(c tensormap.Im2col) tensormap.Config {
			return tensormap.Config{Dims: []int{8, 8, 8}, Im2col: &c}
		}
		one := []int{0}
		for want, cfg := range map[string]tensormap.Config{
			"Dims has 0 dimensions, must be 1 to 5":                           {},
			"Dims has 6 dimensions":                                           {Dims: []int{1, 1, 1, 1, 1, 1}},
			"Format is 4, which is none of its constants":                     {Dims: []int{4}, Format: 4},
			"Swizzle is 4, which is none of its constants":                    {Dims: []int{4}, Swizzle: 4},
			"Promotion is 4, which is none of its constants":                  {Dims: []int{4}, Promotion: 4},
			"Strides has 2, must have one less than the 2 of Dims":            {Dims: []int{4, 4}, Strides: []int{4, 4}},
			"ElementStrides has 1, must have the 2 of Dims":                   {Dims: []int{4, 4}, ElementStrides: []int{1}},
			"Dims[1] is 0, must be 1 to 4294967296":                           {Dims: []int{4, 0}},
			"the stride of Dims[1] is 5 elements of 4 bytes":                  {Dims: []int{5, 4}},
			"the stride of Dims[1] is -4 elements":                            {Dims: []int{4, 4}, Strides: []int{-4}},
			"the tensor [1028] needs 1028 elements, and the slice has":        {Dims: []int{1028}},
			"the tensor [4 4 4] needs 1540 elements":                          {Dims: []int{4, 4, 4}, Strides: []int{4, 508}},
			"ElementStrides[1] is 9, must be 1 to 8":                          {Dims: []int{4, 4}, ElementStrides: []int{1, 9}},
			"Box has 1 dimensions, must have the 2 of Dims":                   {Dims: []int{4, 4}, Box: []int{4}},
			"Box[1] is 257, must be 1 to 256":                                 {Dims: []int{4, 4}, Box: []int{4, 257}},
			"Box[0] is 5 elements of 4 bytes, must be a multiple of 16":       {Dims: []int{8, 4}, Box: []int{5, 4}},
			"Box[0] is 12 elements of 4 bytes, and the swizzle's span has 32": {Dims: []int{12, 4}, Box: []int{12, 4}, Swizzle: tensormap.Swizzle32},
			"Box and Im2col are two ways":                                     {Dims: []int{4, 4, 4}, Box: []int{4, 4, 4}, Im2col: &tensormap.Im2col{}},
			"Im2col needs 3 to 5 dimensions, and there are 2":                 {Dims: []int{4, 4}, Im2col: &tensormap.Im2col{}},
			"the corners of Im2col have 0 and 1 dimensions":                   im2col(tensormap.Im2col{UpperCorner: one}),
			"Im2col.Channels is 0, must be 1 to 256":                          im2col(tensormap.Im2col{LowerCorner: one, UpperCorner: one}),
			"Im2col.Pixels is 1025, must be 1 to 1024":                        im2col(tensormap.Im2col{LowerCorner: one, UpperCorner: one, Channels: 8, Pixels: 1025}),
			"a corner of Im2col is 32768, must be -32768 to 32767":            im2col(tensormap.Im2col{LowerCorner: []int{1 << 15}, UpperCorner: one, Channels: 8, Pixels: 1}),
			"the box of Im2col is empty: it begins at 8 and ends at 8":        im2col(tensormap.Im2col{LowerCorner: []int{8}, UpperCorner: one, Channels: 8, Pixels: 1}),
			"Im2col.Channels is 3 elements of 4 bytes":                        im2col(tensormap.Im2col{LowerCorner: one, UpperCorner: one, Channels: 3, Pixels: 1}),
		} {
			_, err := cuda.NewTensorMap(b.All(), cfg)
			assert.ErrorContains(t, err, want)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		}
		_, err := cuda.NewTensorMap(b.Slice(1, 1024), tensormap.Config{Dims: []int{4}, Box: []int{4}})
		assert.ErrorContains(t, err, "must be a multiple of 16")
		ints := cuda.Reinterpret[int32](b.All())
		for want, cfg := range map[string]tensormap.Config{
			"Format is for elements of type float32": {Dims: []int{4}, Format: tensormap.Flushed},
			"NaNFill is for floating-point elements": {Dims: []int{4}, NaNFill: true},
		} {
			_, err = cuda.NewTensorMap(ints, cfg)
			assert.ErrorContains(t, err, want)
		}
		_, err = cuda.NewTensorMap(cuda.Slice[struct{ F []int }]{}, tensormap.Config{})
		assert.ErrorContains(t, err, "tensors have no elements of type struct")
		_, err = cuda.NewTensorMap(b.All(), tensormap.Config{Dims: []int{32, 32}, Box: []int{16, 16}})
		assert.NoError(t, err, "the control")
		_, err = cuda.NewTensorMap(b.All(), tensormap.Config{Dims: []int{32, 32}, Box: []int{16, 16}, NaNFill: true})
		if dev.IsSimulated() {
			assert.ErrorIs(t, err, cuda.ErrNotSupported)
			assert.ErrorContains(t, err, "the simulated device has no NaNFill")
		} else {
			assert.NoError(t, err)
		}
		_, err = cuda.NewTensorMap(b.All(), tensormap.Config{Dims: []int{32, 32}, Box: []int{8, 16}, Swizzle: tensormap.Swizzle128})
		if dev.IsSimulated() {
			assert.ErrorIs(t, err, cuda.ErrNotSupported)
			assert.ErrorContains(t, err, "copies rows of 128 bytes only, for this Swizzle: those of the box have 32")
		} else {
			assert.NoError(t, err)
		}
	})
}
