package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestForgottenSlice: a slice that a program forgot is an error of all that takes it, and an empty part
// of a buffer is none.
func TestForgottenSlice(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, none := upload(t, s, []float32{1, 2, 3}), cuda.Slice[float32]{}
		bound := boundSaxpy(t, dev).kernel
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		nothing := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		for name, use := range map[string]func(cuda.Slice[float32]) error{
			"Launch":            func(y cuda.Slice[float32]) error { return k.Saxpy.Launch(s, 2, y, x.All()) },
			"LaunchWith":        func(y cuda.Slice[float32]) error { return k.Saxpy.LaunchWith(s, nothing, 2, y, x.All()) },
			"another parameter": func(y cuda.Slice[float32]) error { return k.Saxpy.Launch(s, 2, x.Slice(0, 0), y) },
			"Prepare": func(y cuda.Slice[float32]) error {
				return second(k.Saxpy.Prepare(cfg, example.SaxpyArgs{X: y, Y: x.All()}))
			},
			"PrepareDefault": func(y cuda.Slice[float32]) error {
				return second(k.Saxpy.PrepareDefault(example.SaxpyArgs{X: y, Y: x.All()}))
			},
			"Bind LaunchArgsWith": func(y cuda.Slice[float32]) error { return bound.LaunchArgsWith(s, cfg, &saxpyArgs{X: y, Y: x.All()}) },
			"Bind Prepare":        func(y cuda.Slice[float32]) error { return second(bound.Prepare(cfg, saxpyArgs{X: y, Y: x.All()})) },
			"Set": func(y cuda.Slice[float32]) error {
				call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
				require.NoError(t, err)
				before := call.Config()
				err = call.Set(example.SaxpyArgs{X: y, Y: x.All()})
				if err != nil {
					assert.Equal(t, before, call.Config(), "the call stays as it was")
				}
				return err
			},
			"Bind Set": func(y cuda.Slice[float32]) error {
				call, err := bound.Prepare(cfg, saxpyArgs{X: x.All(), Y: x.All()})
				require.NoError(t, err)
				return call.Set(saxpyArgs{X: y, Y: x.All()})
			},
			"Capture": func(y cuda.Slice[float32]) error {
				return second(cuda.Capture(s, func(s *cuda.Stream) error { return k.Saxpy.Launch(s, 2, y, x.All()) }))
			},
			"Copy from": func(y cuda.Slice[float32]) error { return cuda.Copy(x.Slice(0, 0), y).Launch(s) },
			"Copy to":   func(y cuda.Slice[float32]) error { return cuda.Copy(y, x.Slice(0, 0)).Launch(s) },
			"CopyBox": func(y cuda.Slice[float32]) error {
				return cuda.CopyBox(y.Box(cuda.Shape{}), y.Box(cuda.Shape{})).Launch(s)
			},
			"CopyTo":        func(y cuda.Slice[float32]) error { return y.CopyTo(s, nil) },
			"CopyFrom":      func(y cuda.Slice[float32]) error { return y.CopyFrom(s, nil) },
			"Download":      func(y cuda.Slice[float32]) error { return second(y.Download(s)) },
			"Fill":          func(y cuda.Slice[float32]) error { return cuda.Fill(y, 1).Launch(s) },
			"Clear":         func(y cuda.Slice[float32]) error { return y.Clear(s) },
			"a part":        func(y cuda.Slice[float32]) error { return y.Slice(0, 0).Clear(s) },
			"Reinterpret":   func(y cuda.Slice[float32]) error { return cuda.Reinterpret[byte](y).Clear(s) },
			"a fill's node": func(y cuda.Slice[float32]) error { return buildError(t, x.All(), cuda.NewNode(cuda.Fill(y, 1))) },
			"a copy's node": func(y cuda.Slice[float32]) error {
				return buildError(t, x.All(), cuda.NewNode(cuda.Copy(y, x.Slice(0, 0))))
			},
			"a box's node": func(y cuda.Slice[float32]) error {
				return buildError(t, x.All(), cuda.NewNode(cuda.CopyBox(y.Box(cuda.Shape{}), x.Slice(0, 0).Box(cuda.Shape{}))))
			},
			"a fill in batch": func(y cuda.Slice[float32]) error { return batchError(t, s, cuda.Fill(y, 1)) },
			"a copy in batch": func(y cuda.Slice[float32]) error { return batchError(t, s, cuda.Copy(x.Slice(0, 0), y)) },
			"captured Fill": func(y cuda.Slice[float32]) error {
				return second(cuda.Capture(s, func(s *cuda.Stream) error { return cuda.Fill(y, 1).Launch(s) }))
			},
			"captured Copy": func(y cuda.Slice[float32]) error {
				return second(cuda.Capture(s, func(s *cuda.Stream) error { return cuda.Copy(y, y).Launch(s) }))
			},
			"address 0, owned": func(y cuda.Slice[float32]) error {
				if y.IsZero() {
					y = cuda.SliceAt[float32](0, 3, x.Owner())
				}
				return y.Clear(s)
			},
		} {
			err := use(none)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue, name)
			assert.NoError(t, use(x.Slice(3, 3)), "%s of an empty part of a buffer", name)
			foreign := cuda.SliceAt[float32](x.All().Address(), 0, x.Owner())
			assert.NoError(t, use(foreign), "%s of other memory with an owner", name)
		}
		require.NoError(t, s.Synchronize())
		assert.ErrorContains(t, k.Saxpy.Launch(s, 2, none, x.All()), "x is the zero Slice: pass a slice of a buffer; if the kernel takes NULL, add //cudagen:nullable x above the kernel")
		assert.ErrorContains(t, bound.LaunchArgsWith(s, cfg, &saxpyArgs{Y: x.All()}), "X is the zero Slice: pass a slice of a buffer; if the kernel takes NULL, give its field the tag `cuda:\"nullable\"`")
		assert.ErrorContains(t, k.Saxpy.Launch(s, 2, cuda.SliceAt[float32](0, 3, x.Owner()), x.All()), "the memory of x, which SliceAt was given, is at address 0: that is NULL")
		assert.ErrorContains(t, cuda.Copy(none, x.All()).Launch(s), "the destination is the zero Slice")
		assert.ErrorContains(t, cuda.Copy(x.All(), none).Launch(s), "the source is the zero Slice")

		empty := upload(t, s, []float32{})
		assert.NoError(t, k.Saxpy.Launch(s, 2, empty.All(), x.All()), "an empty buffer")
		assert.NoError(t, k.Saxpy.Launch(s, 2, cuda.SliceAt[float32](x.All().Address(), 3, cuda.Owner{}), x.All()), "memory without an owner")
	})
}

// buildError is the error of a graph of n, and of a fill of x, which says on which device it is.
func buildError(t *testing.T, x cuda.Slice[float32], n *cuda.Node) error {
	exec, err := cuda.BuildGraph(cuda.NewNode(cuda.Fill(x, 0)).After(n))
	if err == nil {
		require.NoError(t, exec.Close())
	}
	return err
}

// batchError is the error of a batch of one call.
func batchError(t *testing.T, s *cuda.Stream, call cuda.Prepared) error {
	batch, err := cuda.NewBatch(call)
	require.NoError(t, err)
	return batch.Launch(s)
}

// TestBindNullable: the tag of a field of Args allows NULL, and nothing else is such a tag.
func TestBindNullable(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		lib := loadLibrary(t, dev, examplesPTX(t))
		s := newStream(t, dev)
		x := upload(t, s, []float32{1})
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		type args struct {
			N int32
			A float32
			X cuda.Slice[float32] `cuda:"nullable"`
			Y cuda.Slice[float32]
		}
		k, err := cuda.Bind[args](lib, "saxpy")
		require.NoError(t, err)
		assert.NoError(t, k.LaunchArgsWith(s, cfg, &args{Y: x.All()}))
		call, err := k.Prepare(cfg, args{Y: x.All()})
		require.NoError(t, err)
		assert.NoError(t, call.Launch(s))
		assert.ErrorContains(t, call.Set(args{X: x.All()}), "Y is the zero Slice", "the control")
		assert.ErrorContains(t, k.LaunchArgsWith(s, cfg, &args{X: x.All()}), "Y is the zero Slice", "the control")

		type misspelled struct {
			N    int32
			A    float32
			X, Y cuda.Slice[float32] `cuda:"nulable"`
		}
		_, err = cuda.Bind[misspelled](lib, "saxpy")
		assert.ErrorContains(t, err, `field X of cuda_test.misspelled: the tag cuda:"nulable": there is only cuda:"nullable", for a Slice that may be NULL`)
		type number struct {
			N    int32 `cuda:"nullable"`
			A    float32
			X, Y cuda.Slice[float32]
		}
		_, err = cuda.Bind[number](lib, "saxpy")
		assert.ErrorContains(t, err, "field N of cuda_test.number: the tag")
	})
}
