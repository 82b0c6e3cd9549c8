package cuda_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestReinterpret(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		b := upload(t, s, []uint32{1, 2, 3, 4, 5})
		bytes := cuda.Reinterpret[byte](b.All())
		assert.Equal(t, 20, bytes.Len())
		got := make([]byte, 4)
		require.NoError(t, bytes.Slice(4, 8).CopyTo(s, got))
		assert.Equal(t, []byte{2, 0, 0, 0}, got)
		assert.Equal(t, b.All(), cuda.Reinterpret[uint32](bytes), "and back")
		assert.Equal(t, 1, cuda.Reinterpret[uint64](b.Slice(0, 2)).Len())
		assert.True(t, cuda.Reinterpret[uint64](cuda.Slice[byte]{}).IsZero())
		assert.Panics(t, func() { cuda.Reinterpret[uint64](b.All()) }, "20 bytes")
		assert.Panics(t, func() { cuda.Reinterpret[uint32](bytes.Slice(1, 5)) }, "its address")
		assert.Panics(t, func() { cuda.Reinterpret[*int](bytes) }, "no plain data")
		require.NoError(t, b.Close())
		assert.ErrorIs(t, bytes.Clear(s), cuda.ErrClosed, "the owner is the same")
	})
}

// TestZeroSlice: the zero Slice is NULL, and an empty one is not the zero Slice.
func TestZeroSlice(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		var zero cuda.Slice[float32]
		assert.True(t, zero.IsZero())
		assert.Zero(t, zero.Address())
		empty, err := cuda.Alloc[float32](s, 0)
		require.NoError(t, err)
		defer empty.Close()
		assert.False(t, empty.All().IsZero())
		k := loadExample(t, dev)
		err = k.Saxpy.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, 1, empty.All(), empty.All())
		assert.NoError(t, err, "no elements are demanded")
		x := upload(t, s, make([]float32, 4))
		assert.ErrorIs(t, k.Saxpy.Launch(s, 1, x.All(), zero), cuda.ErrShortSlice, "they are")
	})
}

// TestAdoptedMemory: memory of another library is used as a buffer of one's own, and given
// back when nothing uses it.
func TestAdoptedMemory(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		theirs := upload(t, s, []float32{1, 2, 3, 4})
		freed := 0
		mine, err := cuda.Adopt[float32](dev, theirs.All().Address(), 4, func() { freed++ })
		require.NoError(t, err)
		k := loadExample(t, dev)
		require.NoError(t, k.Saxpy.Launch(s, 2, mine.All(), mine.All()))
		got := make([]float32, 4)
		require.NoError(t, mine.CopyTo(s, got))
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: mine.All(), Y: mine.All()})
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		assert.Zero(t, freed)
		require.NoError(t, mine.Close())
		require.NoError(t, mine.Close())
		assert.Equal(t, 1, freed)
		assert.ErrorIs(t, k.Saxpy.Launch(s, 2, mine.All(), mine.All()), cuda.ErrClosed)
		assert.ErrorIs(t, call.Launch(s), cuda.ErrClosed)
		require.NoError(t, theirs.CopyTo(s, got), "the memory is not ours to free")

		_, err = cuda.Adopt[float32](dev, 0, 4, nil)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.Adopt[float32](dev, 1<<20, -1, nil)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.Adopt[*int](dev, 1<<20, 1, nil)
		assert.ErrorContains(t, err, "not plain data")
		for _, free := range []func(){nil, func() { freed++ }} {
			nothing, err := cuda.Adopt[float32](dev, 0, 0, free)
			require.NoError(t, err)
			assert.NoError(t, nothing.Close())
		}
		assert.Equal(t, 2, freed)
	})
}

// TestAdoptedMemoryAtDeviceClose: it is given back with the device, if not before.
func TestAdoptedMemoryAtDeviceClose(t *testing.T) {
	dev := openSimulator(t)
	freed := 0
	_, err := cuda.Adopt[float32](dev, 1<<20, 4, func() { freed++ })
	require.NoError(t, err)
	require.NoError(t, dev.Close())
	assert.Equal(t, 1, freed)
	_, err = cuda.Adopt[float32](dev, 1<<20, 4, nil)
	assert.ErrorIs(t, err, cuda.ErrClosed)
}

// TestAdoptedMemoryWhoseFreeFails: Close says so, and frees the rest.
func TestAdoptedMemoryWhoseFreeFails(t *testing.T) {
	for name, fail := range map[string]func(){"it panicked: no such memory": func() { panic("no such memory") }, "it called runtime.Goexit": runtime.Goexit} {
		dev := openSimulator(t)
		freed := 0
		for _, free := range []func(){func() { freed++ }, fail, func() { freed++ }} {
			_, err := cuda.Adopt[float32](dev, 1<<20, 4, free)
			require.NoError(t, err)
		}
		err := dev.Close()
		require.ErrorContains(t, err, "free adopted memory")
		assert.ErrorContains(t, err, name)
		assert.ErrorIs(t, err, cuda.ErrHostFunc)
		assert.Equal(t, 2, freed)
	}
}

// TestSliceAt: a slice at an address has the lifetime that it is given.
func TestSliceAt(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		b := upload(t, s, []float32{1, 2, 3, 4})
		part := cuda.SliceAt[float32](b.All().Address()+8, 2, b.Owner())
		got := make([]float32, 2)
		require.NoError(t, part.CopyTo(s, got))
		assert.Equal(t, []float32{3, 4}, got)
		loose := cuda.SliceAt[float32](b.All().Address(), 2, cuda.Owner{})
		require.NoError(t, loose.CopyTo(s, got))
		assert.Equal(t, []float32{1, 2}, got)
		assert.ErrorContains(t, cuda.Copy(part, loose).Launch(s), "a slice has no owner: give it to SliceAt")
		require.NoError(t, cuda.Copy(part, b.Slice(0, 2)).Launch(s), "the control")
		require.NoError(t, b.Close())
		assert.ErrorIs(t, part.CopyTo(s, got), cuda.ErrClosed)
		assert.Panics(t, func() { cuda.SliceAt[float32](0, -1, cuda.Owner{}) })
		assert.PanicsWithValue(t, "cuda: make a slice: *int is not plain data: use numbers, bools, and arrays and structs of them",
			func() { cuda.SliceAt[*int](1<<20, 1, cuda.Owner{}) }, "CopyTo would make Go pointers of a device's bytes")
	})
}

// TestNamedOwners: what a launch names beside its slices has to be open and on its device.
func TestNamedOwners(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		k := loadExample(t, dev)
		x, named := upload(t, s, make([]float32, 4)), upload(t, s, make([]float32, 4))
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(4), Owners: []cuda.Owner{named.Owner(), {}}}
		launch := func() error { return k.Saxpy.LaunchWith(s, cfg, 2, x.All(), x.All()) }
		require.NoError(t, launch())
		call, err := k.Saxpy.Prepare(cfg, example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()})
		require.NoError(t, err)
		require.NoError(t, call.Set(example.SaxpyArgs{A: 3, X: x.All(), Y: x.All()}))
		assert.Equal(t, cfg, call.Config())
		require.NoError(t, call.Launch(s))
		require.NoError(t, named.Close())
		const message = "the buffer of Owners: closed"
		for what, err := range map[string]error{"launch": launch(), "prepared": call.Launch(s), "set": call.Set(example.SaxpyArgs{A: 3, X: x.All(), Y: x.All()})} {
			assert.ErrorIs(t, err, cuda.ErrClosed, what)
			assert.ErrorContains(t, err, message, what)
		}
	})
}

// TestGraphValues: what only a graph has can be prepared, and not be launched.
func TestGraphValues(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		k := loadExample(t, dev)
		x := upload(t, s, make([]float32, 4))
		memory := cuda.OnlyInGraph[float32](4)
		err := k.Saxpy.Launch(s, 2, x.All(), memory)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		assert.ErrorContains(t, err, "y exists only in a graph")
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: memory})
		require.NoError(t, err)
		assert.Equal(t, []uint32{16}, cuda.GraphOffsets(&call.Call), "of y in the parameter block")
		assert.ErrorContains(t, call.Launch(s), "y exists only in a graph")
		batch, err := cuda.NewBatch(call)
		require.NoError(t, err)
		assert.ErrorContains(t, batch.Launch(s), "y exists only in a graph")
		for what, err := range map[string]error{
			"copy": memory.CopyTo(s, make([]float32, 4)), "clear": memory.Clear(s), "between": cuda.Copy(memory, x.All()).Launch(s), "fill": cuda.Fill(memory, 1).Launch(s),
		} {
			assert.ErrorContains(t, err, "exists only in a graph", what)
		}

		// A handle that no graph has made is one, too.
		var handle cuda.ConditionalHandle
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(4)}
		params := [3]uint64{handle.Param(), x.All().Address(), x.All().Address()}
		err = cuda.Generated.Launch(k.Saxpy.Kernel, s, &cfg, false, unsafe.Pointer(&params), x.Owner(), handle.Owner())
		assert.ErrorContains(t, err, "exists only in a graph")
		require.NoError(t, call.Set(example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()}))
		assert.NoError(t, call.Launch(s), "the control")
	})
}
