package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func counting(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i)
	}
	return list
}

// TestArrayCopies: arrays of every shape hold what is copied there, whole and in parts.
func TestArrayCopies(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		for _, cfg := range []cuda.ArrayConfig{
			{Width: 5}, {Width: 5, Height: 4}, {Width: 5, Height: 4, Depth: 3}, {Width: 5, Layers: 3}, {Width: 5, Height: 4, Layers: 2}, {Width: 4, Height: 4, Cube: true}, {Width: 4, Height: 4, Cube: true, Layers: 2},
			{Width: 5, Height: 4, Surface: true, Gather: true},
		} {
			a, err := cuda.NewArray[float32](dev, cfg)
			require.NoError(t, err, "%+v", cfg)
			assert.Equal(t, cfg, a.Config())
			want := counting(a.Len())
			require.NoError(t, a.CopyFrom(s, want))
			got := make([]float32, a.Len())
			require.NoError(t, a.CopyTo(s, got))
			assert.Equal(t, want, got, "%+v", cfg)
			require.NoError(t, a.Close())
			require.NoError(t, a.Close())
			assert.ErrorIs(t, a.CopyTo(s, got), cuda.ErrClosed)
		}
	})
}

// TestArrayBoxes copies parts between arrays, device memory and page-locked memory.
func TestArrayBoxes(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		a := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 3, Depth: 2}, counting(24))
		b := upload(t, s, make([]float32, 12))
		part := cuda.Shape{Width: 2, Height: 2, Depth: 2}
		require.NoError(t, cuda.CopyBox(b.All().Box(cuda.Shape{Width: 2, Height: 2, Depth: 2, RowStride: 3}), a.Box(1, 1, 0, part)).Launch(s))
		got := make([]float32, 12)
		require.NoError(t, b.CopyTo(s, got))
		assert.Equal(t, []float32{5, 6, 0, 9, 10, 0, 17, 18, 0, 21, 22, 0}, got)

		other := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 3, Layers: 2}, make([]float32, 24))
		require.NoError(t, cuda.CopyBox(other.Box(2, 0, 0, part), a.Box(0, 0, 0, part)).Launch(s))
		host, err := cuda.AllocHost[float32](dev, 24, cuda.HostConfig{})
		require.NoError(t, err)
		require.NoError(t, cuda.CopyBox(host.All().Box(cuda.Shape{Width: 4, Height: 3, Depth: 2}), other.All()).Launch(s))
		require.NoError(t, s.Synchronize())
		assert.Equal(t, []float32{0, 0, 0, 1, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0, 12, 13, 0, 0, 16, 17, 0, 0, 0, 0}, host.Host())
		require.NoError(t, cuda.CopyBox(a.Box(3, 2, 1, cuda.Shape{Width: 1}), host.All().Box(cuda.Shape{Width: 1})).Launch(s))
		require.NoError(t, host.Close())
		all := make([]float32, 24)
		require.NoError(t, a.CopyTo(s, all))
		assert.Equal(t, float32(0), all[23])

		assert.Panics(t, func() { a.Box(3, 0, 0, part) })
		assert.Panics(t, func() { a.Box(0, 0, -1, part) })
		err = cuda.CopyBox(a.All(), other.Box(0, 0, 0, part)).Launch(s)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.Capture(s, func(s *cuda.Stream) error { return cuda.CopyBox(other.All(), a.All()).Launch(s) })
		assert.ErrorContains(t, err, "copies from and to arrays cannot be nodes of a graph")
	})
}

func TestMipmappedArrays(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		m, err := cuda.NewMipmappedArray[vec.UChar4](dev, cuda.ArrayConfig{Width: 12, Height: 5}, 0)
		require.NoError(t, err)
		require.Equal(t, 4, m.Levels())
		for n, shape := range [][2]int{{12, 5}, {6, 2}, {3, 1}, {1, 1}} {
			level := m.Level(n)
			assert.Equal(t, shape, [2]int{level.Config().Width, level.Config().Height})
			require.Equal(t, shape[0]*shape[1], level.Len())
			want := as[vec.UChar4](randomBytes(uint64(n), 4*level.Len()))
			require.NoError(t, level.CopyFrom(s, want))
			got := make([]vec.UChar4, level.Len())
			require.NoError(t, level.CopyTo(s, got))
			assert.Equal(t, want, got)
			assert.NoError(t, level.Close(), "it is the mipmapped array's")
		}
		first := m.Level(0)
		assert.Panics(t, func() { m.Level(4) })
		require.NoError(t, m.Close())
		assert.ErrorIs(t, first.CopyFrom(s, make([]vec.UChar4, 60)), cuda.ErrClosed)
	})
}

// TestTextureErrors: what no texture or array can be is refused, with the reason.
func TestTextureErrors(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		colours := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 4}, make([]vec.UChar4, 16))
		numbers := arrayOf(t, s, cuda.ArrayConfig{Width: 4}, make([]float32, 4))
		words := arrayOf(t, s, cuda.ArrayConfig{Width: 4}, make([]uint32, 4))
		levels, err := cuda.NewMipmappedArray[float32](dev, cuda.ArrayConfig{Width: 4}, 2)
		require.NoError(t, err)
		defer levels.Close()
		buffer := upload(t, s, make([]float32, 4096))
		texture := func(source cuda.TextureSource, cfg cuda.TextureConfig) error {
			_, err := cuda.NewTexture[float32](source, cfg)
			return err
		}
		colour := func(source cuda.TextureSource, cfg cuda.TextureConfig) error {
			_, err := cuda.NewTexture[vec.UChar4](source, cfg)
			return err
		}
		array := func(cfg cuda.ArrayConfig) error {
			_, err := cuda.NewArray[float32](dev, cfg)
			return err
		}
		_, elements := cuda.NewArray[vec.Float3](dev, cuda.ArrayConfig{Width: 4})
		_, doubles := cuda.NewArray[float64](dev, cuda.ArrayConfig{Width: 4})
		_, noSurface := cuda.NewSurface[float32](numbers)
		_, size := cuda.NewSurface[uint16](numbers)
		_, tooMany := cuda.NewMipmappedArray[float32](dev, cuda.ArrayConfig{Width: 4}, 9)
		for _, tt := range []struct {
			err  error
			want string
		}{
			{array(cuda.ArrayConfig{}), "the width is 0, must be at least 1"},
			{array(cuda.ArrayConfig{Width: 1, Height: -1}), "must not be negative"},
			{array(cuda.ArrayConfig{Width: 200000}), "the width of a one-dimensional array is 200000, limit 131072"},
			{array(cuda.ArrayConfig{Width: 1, Height: 70000}), "the height of a two-dimensional array is 70000, limit 65536"},
			{array(cuda.ArrayConfig{Width: 1, Height: 1, Depth: 20000}), "the depth of a three-dimensional array is 20000, limit 16384"},
			{array(cuda.ArrayConfig{Width: 1, Layers: 3000}), "the number of layers of a layered array is 3000, limit 2048"},
			{array(cuda.ArrayConfig{Width: 4, Height: 3, Cube: true}), "the faces of a cube are as high as they are wide, not 4×3"},
			{array(cuda.ArrayConfig{Width: 4, Height: 3, Depth: 2, Layers: 2}), "an array of layers or faces has no Depth"},
			{array(cuda.ArrayConfig{Width: 4, Depth: 2}), "an array with a Depth has a Height, too"},
			{array(cuda.ArrayConfig{Width: 4, Gather: true}), "tex2Dgather is for arrays of two dimensions"},
			{elements, "cuda: make an array on " + dev.String() + ": vec.Float3 cannot be an element of an array or texture"},
			{doubles, "float64 cannot be an element"},
			{tooMany, "9 levels, must be from 1 to 3"},
			{texture(nil, cuda.TextureConfig{}), "the source is nil"},
			{texture((*cuda.Array[float32])(nil), cuda.TextureConfig{}), "the array is nil or a zero value: make one with NewArray"},
			{texture(colours, cuda.TextureConfig{}), "a texture of 4 × uint8 is read as 4 × uint8, not as 1 × float32"},
			{colour(colours, cuda.TextureConfig{NormalizedFloat: true}), "a texture of 4 × uint8 with NormalizedFloat is read as 4 × float32, not as 4 × uint8"},
			{colour(colours, cuda.TextureConfig{Filter: cuda.FilterLinear}), "FilterLinear needs floating-point numbers"},
			{colour(colours, cuda.TextureConfig{SRGB: true}), "SRGB is for uint8 with NormalizedFloat"},
			{texture(words, cuda.TextureConfig{NormalizedFloat: true}), "NormalizedFloat is for integers of 8 and 16 bits, not for 1 × uint32"},
			{texture(numbers, cuda.TextureConfig{Address: 7}), "there is no address mode 7"},
			{texture(numbers, cuda.TextureConfig{Filter: 7}), "there are no filter modes 7"},
			{texture(numbers, cuda.TextureConfig{MaxAnisotropy: 17}), "MaxAnisotropy is 17, must be from 0 to 16"},
			{texture(numbers, cuda.TextureConfig{SeamlessCube: true}), "SeamlessCube is for textures of cubes"},
			{texture(levels, cuda.TextureConfig{}), "a texture of a mipmapped array needs Normalized coordinates"},
			{texture(buffer.All(), cuda.TextureConfig{Filter: cuda.FilterLinear}), "a texture of a slice is read by tex1Dfetch"},
			{texture(buffer.All(), cuda.TextureConfig{Address: cuda.AddressClamp}), "without filter and address modes"},
			{texture(buffer.Slice(1, 9), cuda.TextureConfig{}), "must be a multiple of 512"},
			{texture(buffer.Slice(0, 0), cuda.TextureConfig{}), "a texture of no elements"},
			{texture(buffer.All().Box(cuda.Shape{Width: 3, Height: 2}), cuda.TextureConfig{}), "the distance in bytes of its rows of the memory is 12, must be a multiple of 32"},
			{texture(buffer.All().Box(cuda.Shape{Width: 8, Height: 2, Depth: 2}), cuda.TextureConfig{}), "a box that a texture reads has two dimensions"},
			{texture(cuda.Slice[float32]{}, cuda.TextureConfig{}), "without an owner: use one of a buffer"},
			{noSurface, "the array was made without ArrayConfig.Surface"},
			{size, "elements of 2 bytes in an array of 1 × float32, which have 4"},
		} {
			assert.ErrorContains(t, tt.err, tt.want)
			assert.ErrorIs(t, tt.err, cuda.ErrInvalidValue, tt.want)
		}
	})
}

// textureArgs are the arguments of read1D.
type textureArgs struct {
	T   cuda.Texture[float32]
	At  cuda.Slice[vec.Float4]
	Out cuda.Slice[vec.UInt4]
	N   int32
}

// TestTextureLifetimes: a texture keeps what it reads until work does not use it any more, and
// launches with a closed one fail.
func TestTextureLifetimes(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		kernel, err := cuda.Bind[textureArgs](loadLibrary(t, dev, texturesPTX(t)), "read1D")
		require.NoError(t, err)
		fetch, err := cuda.Bind[textureArgs](loadLibrary(t, dev, texturesPTX(t)), "fetch1D")
		require.NoError(t, err)
		array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8})
		require.NoError(t, err)
		require.NoError(t, array.CopyFrom(s, counting(8)))
		buffer := upload(t, s, counting(8))
		ofArray, err := cuda.NewTexture[float32](array, cuda.TextureConfig{Address: cuda.AddressClamp})
		require.NoError(t, err)
		ofBuffer, err := cuda.NewTexture[float32](buffer.All(), cuda.TextureConfig{})
		require.NoError(t, err)
		stats := dev.Stats()
		assert.Equal(t, []uint64{2, 32}, []uint64{stats.Textures, stats.ArrayBytes})

		at, out := upload(t, s, []vec.Float4{{X: 3}}), upload(t, s, make([]vec.UInt4, 1))
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		args := func(texture cuda.Texture[float32]) *textureArgs {
			return &textureArgs{T: texture, At: at.All(), Out: out.All(), N: 1}
		}
		reads := func(k *cuda.BoundKernel[textureArgs], texture cuda.Texture[float32]) {
			require.NoError(t, out.Clear(s))
			require.NoError(t, k.LaunchArgsWith(s, cfg, args(texture)))
			got := make([]vec.UInt4, 1)
			require.NoError(t, out.CopyTo(s, got))
			if !isFake(dev) {
				assert.Equal(t, uint32(0x40400000), got[0].X)
			}
		}
		require.NoError(t, array.Close())
		require.NoError(t, buffer.Close())
		reads(kernel, ofArray)
		reads(fetch, ofBuffer)
		call, err := kernel.Prepare(cfg, *args(ofArray))
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))

		again := ofArray
		require.NoError(t, ofArray.Close())
		require.NoError(t, again.Close(), "it is the same texture")
		require.NoError(t, ofBuffer.Close())
		assert.ErrorIs(t, kernel.LaunchArgsWith(s, cfg, args(ofArray)), cuda.ErrClosed)
		assert.ErrorIs(t, call.Launch(s), cuda.ErrClosed)
		err = kernel.LaunchArgsWith(s, cfg, args(cuda.Texture[float32]{}))
		assert.ErrorContains(t, err, "the texture of T is nil or a zero value: make one with NewTexture")
		stats = dev.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{stats.Textures, stats.ArrayBytes})
		assert.NoError(t, cuda.Texture[float32]{}.Close())
		assert.NoError(t, cuda.Surface[float32]{}.Close())
		_, err = cuda.NewTexture[float32](array, cuda.TextureConfig{})
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

// TestTexturesOfOtherDevices: a texture is its device's alone, whatever memory peers may access.
func TestTexturesOfOtherDevices(t *testing.T) {
	here, there := openSimulator(t), openSimulator(t)
	require.NoError(t, here.EnablePeerAccess(there))
	s, far := newStream(t, here), newStream(t, there)
	array := arrayOf(t, far, cuda.ArrayConfig{Width: 8}, counting(8))
	texture, err := cuda.NewTexture[float32](array, cuda.TextureConfig{})
	require.NoError(t, err)
	defer texture.Close()
	kernel, err := cuda.Bind[textureArgs](loadLibrary(t, here, texturesPTX(t)), "read1D")
	require.NoError(t, err)
	at := upload(t, far, []vec.Float4{{X: 3}})
	out := upload(t, s, make([]vec.UInt4, 1))
	args := textureArgs{T: texture, At: at.All(), Out: out.All(), N: 1}
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
	err = kernel.LaunchArgsWith(s, cfg, &args)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	assert.ErrorContains(t, err, "the texture of T is on ")
	_, err = kernel.Prepare(cfg, args)
	assert.ErrorContains(t, err, "the texture of T is on ")
	assert.ErrorContains(t, array.CopyTo(s, make([]float32, 8)), "the array is on ")
}

// TestTexturesInGraphs: a graph holds the textures of its kernels.
func TestTexturesInGraphs(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8})
		require.NoError(t, err)
		require.NoError(t, array.CopyFrom(s, counting(8)))
		texture, err := cuda.NewTexture[float32](array, cuda.TextureConfig{})
		require.NoError(t, err)
		kernel, err := cuda.Bind[textureArgs](loadLibrary(t, dev, texturesPTX(t)), "read1D")
		require.NoError(t, err)
		at, out := upload(t, s, []vec.Float4{{X: 3}}), upload(t, s, make([]vec.UInt4, 1))
		call, err := kernel.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, textureArgs{T: texture, At: at.All(), Out: out.All(), N: 1})
		require.NoError(t, err)
		exec, err := cuda.BuildGraph(cuda.NewNode(call))
		require.NoError(t, err)
		defer exec.Close()
		require.NoError(t, array.Close())
		require.NoError(t, exec.Launch(s))
		got := make([]vec.UInt4, 1)
		require.NoError(t, out.CopyTo(s, got))
		if !isFake(dev) {
			assert.Equal(t, uint32(0x40400000), got[0].X)
		}
		require.NoError(t, texture.Close())
		assert.ErrorIs(t, exec.Launch(s), cuda.ErrClosed)
		assert.ErrorContains(t, exec.Launch(s), "the texture of node read1D")
	})
}

// TestTexturesAreDestroyed: nothing is left in the driver, whatever is closed first, and whether or
// not the program closes it.
func TestTexturesAreDestroyed(t *testing.T) {
	library := loadFake(t)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	alive := func() (counts [4]int) {
		for i, kind := range []fakecuda.Object{fakecuda.Array, fakecuda.MipmappedArray, fakecuda.Texture, fakecuda.Surface} {
			counts[i] = library.Live(kind)
		}
		return counts
	}
	array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8, Surface: true})
	require.NoError(t, err)
	texture, err := cuda.NewTexture[float32](array, cuda.TextureConfig{})
	require.NoError(t, err)
	surface, err := cuda.NewSurface[float32](array)
	require.NoError(t, err)
	levels, err := cuda.NewMipmappedArray[float32](dev, cuda.ArrayConfig{Width: 8}, 3)
	require.NoError(t, err)
	assert.Equal(t, [4]int{4, 1, 1, 1}, alive())
	require.NoError(t, array.Close())
	assert.Equal(t, [4]int{4, 1, 1, 1}, alive())
	require.NoError(t, texture.Close())
	assert.Equal(t, [4]int{4, 1, 0, 1}, alive())
	require.NoError(t, surface.Close())
	assert.Equal(t, [4]int{3, 1, 0, 0}, alive())
	require.NoError(t, levels.Close())
	assert.Equal(t, [4]int{}, alive())

	array, err = cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8})
	require.NoError(t, err)
	_, err = cuda.NewTexture[float32](array, cuda.TextureConfig{})
	require.NoError(t, err)
	library.Reset()
	require.NoError(t, dev.Close())
	var destroyed []string
	for _, call := range library.Calls() {
		if call == "cuTexObjectDestroy" || call == "cuArrayDestroy" {
			destroyed = append(destroyed, call)
		}
	}
	assert.Equal(t, []string{"cuTexObjectDestroy", "cuArrayDestroy"}, destroyed)
	assert.Equal(t, [4]int{}, alive())
}

// TestTextureFailures: what the driver refuses leaves nothing behind.
func TestTextureFailures(t *testing.T) {
	dev, library := openFake(t)
	array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8, Surface: true})
	require.NoError(t, err)
	for _, call := range []string{"cuTexObjectCreate", "cuSurfObjectCreate", "cuArray3DCreate", "cuMipmappedArrayCreate", "cuMipmappedArrayGetLevel"} {
		library.Fail(call, int(driver.ErrorUnknown)) // too little memory would be tried again
		_, texture := cuda.NewTexture[float32](array, cuda.TextureConfig{})
		_, surface := cuda.NewSurface[float32](array)
		_, other := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8})
		_, levels := cuda.NewMipmappedArray[float32](dev, cuda.ArrayConfig{Width: 8}, 0)
		failed := 0
		for _, err := range []error{texture, surface, other, levels} {
			if err != nil {
				failed++
				assert.ErrorIs(t, err, cuda.Code(driver.ErrorUnknown), call)
			}
		}
		assert.Equal(t, 1, failed, call)
	}
}

// surfaceArgs are the arguments of the kernels that copy by surfaces.
type surfaceArgs struct {
	From, To cuda.Surface[vec.Int4]
	At, Out  cuda.Slice[vec.Int4]
	N        int32
}

// TestSurfaces: kernels read and write arrays, with each mode beyond the edges.
func TestSurfaces(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		library := loadLibrary(t, dev, texturesPTX(t))
		elements := make([]vec.Int4, 12)
		for i := range elements {
			elements[i] = vec.Int4{X: int32(i), Y: 1, Z: 2, W: 3}
		}
		cfg := cuda.ArrayConfig{Width: 4, Height: 3, Surface: true}
		from := arrayOf(t, s, cfg, elements)
		source, err := cuda.NewSurface[vec.Int4](from)
		require.NoError(t, err)
		defer source.Close()
		at := []vec.Int4{{X: 1, Y: 1, Z: 0, W: 0}, {X: -3, Y: 5, Z: 1, W: 0}, {X: 2, Y: 2, Z: 9, W: 2}, {X: 3, Y: 0, Z: 3, W: -1}}
		for _, tt := range []struct {
			mode    string
			read    [4]int32        // X of what was read
			written map[int32]int32 // place: X, else -1
		}{
			{"copyClamp", [4]int32{5, 8, 10, 3}, map[int32]int32{0: 5, 1: 8, 11: 10, 3: 3}},
			{"copyZero", [4]int32{5, 0, 10, 3}, map[int32]int32{0: 5, 1: 0}},
		} {
			empty := make([]vec.Int4, 12)
			for i := range empty {
				empty[i].X = -1
			}
			to := arrayOf(t, s, cfg, empty)
			destination, err := cuda.NewSurface[vec.Int4](to)
			require.NoError(t, err)
			kernel, err := cuda.Bind[surfaceArgs](library, tt.mode)
			require.NoError(t, err)
			out := upload(t, s, make([]vec.Int4, 4))
			require.NoError(t, kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}, &surfaceArgs{source, destination, upload(t, s, at).All(), out.All(), 4}))
			got, written := make([]vec.Int4, 4), make([]vec.Int4, 12)
			require.NoError(t, out.CopyTo(s, got))
			require.NoError(t, to.CopyTo(s, written))
			require.NoError(t, destination.Close())
			if isFake(dev) {
				continue
			}
			for i, x := range tt.read {
				assert.Equal(t, x, got[i].X, "%s: read %d", tt.mode, i)
			}
			for i, v := range written {
				want, ok := tt.written[int32(i)]
				if !ok {
					want = -1
				}
				assert.Equal(t, want, v.X, "%s: element %d", tt.mode, i)
			}
		}
	})
}

// shapesArgs are the arguments of shapes.
type shapesArgs struct {
	Line   cuda.Surface[uint8]
	Volume cuda.Surface[vec.Short2]
	Layers cuda.Surface[uint32]
	Cube   cuda.Surface[uint8]
}

// TestSurfaceShapes: surfaces of every shape are written where they should be.
func TestSurfaceShapes(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		kernel, err := cuda.Bind[shapesArgs](loadLibrary(t, dev, texturesPTX(t)), "shapes")
		require.NoError(t, err)
		volumeOf := make([]vec.Short2, 4*3*3)
		for i := range volumeOf {
			volumeOf[i] = vec.Short2{X: int16(i), Y: int16(-i)}
		}
		line := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Surface: true}, []uint8{1, 2, 3, 255})
		volume := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 3, Depth: 3, Surface: true}, volumeOf)
		layers := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Layers: 2, Surface: true}, []uint32{1, 2, 3, 4, 0, 0, 0, 0})
		cube := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 4, Cube: true, Surface: true}, make([]uint8, 6*16))
		var args shapesArgs
		args.Line, err = cuda.NewSurface[uint8](line)
		require.NoError(t, err)
		args.Volume, err = cuda.NewSurface[vec.Short2](volume)
		require.NoError(t, err)
		args.Layers, err = cuda.NewSurface[uint32](layers)
		require.NoError(t, err)
		args.Cube, err = cuda.NewSurface[uint8](cube)
		require.NoError(t, err)
		require.NoError(t, kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(4)}, &args))
		lineNow, volumeNow, layersNow, cubeNow := make([]uint8, 4), make([]vec.Short2, 36), make([]uint32, 8), make([]uint8, 96)
		require.NoError(t, line.CopyTo(s, lineNow))
		require.NoError(t, volume.CopyTo(s, volumeNow))
		require.NoError(t, layers.CopyTo(s, layersNow))
		require.NoError(t, cube.CopyTo(s, cubeNow))
		for _, surface := range []interface{ Close() error }{args.Line, args.Volume, args.Layers, args.Cube} {
			require.NoError(t, surface.Close())
		}
		if isFake(dev) {
			return
		}
		assert.Equal(t, []uint8{2, 3, 4, 0}, lineNow)
		for i := 2*12 + 4; i < 2*12+8; i++ {
			volumeOf[i].X, volumeOf[i].Y = volumeOf[i].Y, volumeOf[i].X
		}
		assert.Equal(t, volumeOf, volumeNow)
		assert.Equal(t, []uint32{1, 2, 3, 4, 2, 4, 6, 8}, layersNow)
		want := make([]uint8, 96)
		copy(want[5*16+4:], []uint8{0, 10, 20, 30})
		assert.Equal(t, want, cubeNow)
	})
}

// TestTextureFaults: the simulated device says what is wrong with an access.
func TestTextureFaults(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		run        func(t *testing.T, dev *cuda.Device, s *cuda.Stream, library *cuda.Library) error
	}{
		{"trap", "the surface has no 16 bytes at byte 144 of a row: its rows have 64 bytes", func(t *testing.T, dev *cuda.Device, s *cuda.Stream, library *cuda.Library) error {
			a := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 3, Surface: true}, make([]vec.Int4, 12))
			surface, err := cuda.NewSurface[vec.Int4](a)
			require.NoError(t, err)
			kernel, err := cuda.Bind[surfaceArgs](library, "copyTrap")
			require.NoError(t, err)
			at := upload(t, s, []vec.Int4{{X: 9}})
			return kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, &surfaceArgs{surface, surface, at.All(), at.All(), 1})
		}},
		{"another shape", "an instruction for .2d reads a texture that is .1d", func(t *testing.T, dev *cuda.Device, s *cuda.Stream, library *cuda.Library) error {
			c := inArray[float32]("", "read2D", cuda.ArrayConfig{Width: 4}, counting(4), cuda.TextureConfig{}, []vec.Float4{{}})
			handle, owner := c.open(t, dev, s)
			return launchRead(t, s, library, "read2D", handle, owner)
		}},
		{"no texture", "is not a texture object of this device", func(t *testing.T, dev *cuda.Device, s *cuda.Stream, library *cuda.Library) error {
			return launchRead(t, s, library, "read2D", 12345, cuda.Owner{})
		}},
		{"a filter of memory", "use tex1Dfetch, or an array", func(t *testing.T, dev *cuda.Device, s *cuda.Stream, library *cuda.Library) error {
			handle, owner := textureOf[float32](t, upload(t, s, counting(4)).All(), cuda.TextureConfig{})
			return launchRead(t, s, library, "read1D", handle, owner)
		}},
		{"no gathering", "CUDA_ARRAY3D_TEXTURE_GATHER", func(t *testing.T, dev *cuda.Device, s *cuda.Stream, library *cuda.Library) error {
			handle, owner := textureOf[float32](t, arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 1}, counting(4)), cuda.TextureConfig{})
			return launchRead(t, s, library, "gatherX", handle, owner)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dev, err := cuda.OpenSimulator()
			require.NoError(t, err)
			t.Cleanup(func() { dev.Close() })
			s, err := dev.NewStream()
			require.NoError(t, err)
			library, err := dev.LoadLibrary(texturesPTX(t))
			require.NoError(t, err)
			err = tt.run(t, dev, s, library)
			if err == nil {
				err = s.Synchronize()
			}
			var fault *cuda.Fault
			require.ErrorAs(t, err, &fault)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func launchRead(t *testing.T, s *cuda.Stream, library *cuda.Library, name string, handle uint64, owner cuda.Owner) error {
	kernel, err := cuda.Bind[readArgs](library, name)
	require.NoError(t, err)
	at, out := upload(t, s, []vec.Float4{{}}), upload(t, s, make([]vec.UInt4, 1))
	return kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, &readArgs{T: handle, Owner: owner, At: at.All(), Out: out.All(), N: 1})
}

const queriesPTX = `.version 6.3
.target sm_75
.address_size 64
.visible .entry queries(.param .u64 t, .param .u64 s, .param .u64 out)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<20>;
	ld.param.u64 %rd1, [t];
	ld.param.u64 %rd2, [s];
	ld.param.u64 %rd3, [out];
	txq.width.b32 %r1, [%rd1];
	txq.height.b32 %r2, [%rd1];
	suq.width.b32 %r3, [%rd2];
	suq.height.b32 %r4, [%rd2];
	mov.u32 %r5, 1;
	mov.u32 %r6, 2;
	tex.2d.v4.s32.s32 {%r7, %r8, %r9, %r10}, [%rd1, {%r5, %r6}];
	mov.u32 %r11, 4;
	sured.b.add.2d.u32.trap [%rd2, {%r11, %r6}], %r6;
	sured.b.min.2d.s32.clamp [%rd2, {%r11, %r5}], -7;
	st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};
	st.global.u32 [%rd3+16], %r7;
	ret;
}
`

// queriesArgs are the arguments of queries.
type queriesArgs struct {
	T   cuda.Texture[int32]
	S   cuda.Surface[int32]
	Out cuda.Slice[int32]
}

// TestTextureQueries: what C++ does not have: sizes of textures and surfaces, reductions, integer
// coordinates of arrays.
func TestTextureQueries(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		elements := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		array := arrayOf(t, s, cuda.ArrayConfig{Width: 4, Height: 3, Surface: true}, elements)
		texture, err := cuda.NewTexture[int32](array, cuda.TextureConfig{})
		require.NoError(t, err)
		defer texture.Close()
		surface, err := cuda.NewSurface[int32](array)
		require.NoError(t, err)
		defer surface.Close()
		kernel, err := cuda.Bind[queriesArgs](loadLibrary(t, dev, imageOfPTX(queriesPTX)), "queries")
		require.NoError(t, err)
		out := upload(t, s, make([]int32, 5))
		require.NoError(t, kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, &queriesArgs{texture, surface, out.All()}))
		got, now := make([]int32, 5), make([]int32, 12)
		require.NoError(t, out.CopyTo(s, got))
		require.NoError(t, array.CopyTo(s, now))
		if isFake(dev) {
			return
		}
		assert.Equal(t, []int32{4, 3, 4, 3, 9}, got)
		elements[9] += 2
		elements[5] = -7
		assert.Equal(t, elements, now)
	})
}
