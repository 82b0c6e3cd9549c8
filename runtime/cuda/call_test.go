package cuda_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// isFake reports whether dev runs no kernels.
func isFake(dev *cuda.Device) bool { return dev.Name() == "Fake GPU 0" }

// wantSaxpy checks y after launches of saxpy over ones, on devices that run kernels.
func wantSaxpy(t *testing.T, s *cuda.Stream, y *cuda.Buffer[float32], want float32) {
	t.Helper()
	host := make([]float32, y.Len())
	require.NoError(t, y.CopyTo(s, host))
	if isFake(s.Device()) {
		return
	}
	for i, got := range host {
		require.Equal(t, want, got, "element %d", i)
	}
}

func ones(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func TestPreparedCall(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, ones(1000)), upload(t, s, ones(1000))
		args := example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()}
		call, err := k.Saxpy.PrepareDefault(args)
		require.NoError(t, err)
		assert.Equal(t, cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}, call.Config())
		assert.Same(t, k.Saxpy.Kernel, call.Kernel())
		for range 3 {
			require.NoError(t, call.Launch(s))
		}
		wantSaxpy(t, s, y, 7)

		clone := call.Clone()
		args.A = 10
		require.NoError(t, call.Set(args))
		require.NoError(t, call.Launch(s))
		wantSaxpy(t, s, y, 17)
		require.NoError(t, clone.Launch(s))
		wantSaxpy(t, s, y, 19)

		args.Y = y.Slice(0, 999)
		assert.ErrorIs(t, call.Set(args), cuda.ErrShortSlice)
		require.NoError(t, call.Launch(s), "it is as it was")
		wantSaxpy(t, s, y, 29)

		small := example.SaxpyArgs{A: 1, X: x.Slice(0, 300), Y: y.All()}
		require.NoError(t, call.Set(small))
		assert.Equal(t, cuda.Dim(2), call.Config().Grid, "Set computes the grid again")
		assert.Equal(t, cuda.Dim(4), clone.Config().Grid)

		explicit, err := k.Saxpy.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(8), Block: cuda.Dim(128)}, example.SaxpyArgs{A: 1, X: x.All(), Y: y.All()})
		require.NoError(t, err)
		require.NoError(t, explicit.Launch(s))
		wantSaxpy(t, s, y, 30)
		require.NoError(t, explicit.Set(small))
		assert.Equal(t, cuda.Dim(8), explicit.Config().Grid, "an explicit configuration stays")
	})
}

func TestPrepareIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, ones(100))
		closed := upload(t, s, ones(100))
		all := closed.All()
		require.NoError(t, closed.Close())
		args := example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()}
		prepare := func(cfg cuda.LaunchConfig) error {
			_, err := k.Saxpy.Prepare(cfg, args)
			return err
		}
		for _, test := range []struct {
			name string
			err  error
			is   error
			want string
		}{
			{"block too large", prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(2048)}), cuda.ErrInvalidValue,
				"cuda: prepare saxpy<<<1,2048>>> on " + dev.String() + ": the block has 2048 threads, limit 1024"},
			{"no grid", prepare(cuda.LaunchConfig{Block: cuda.Dim(32)}), cuda.ErrInvalidValue, "the grid has no blocks in x"},
			{"no such shared memory", prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(128), SharedBytes: 1 << 30}), cuda.ErrInvalidValue,
				"cuda: prepare saxpy<<<1,128,1073741824>>> on " + dev.String() + ": a block uses 1073741824 bytes of shared memory (0 static, 1073741824 dynamic), limit 232448"},
			{"closed buffer", second(k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: all})), cuda.ErrClosed, "the buffer of y: closed"},
			{"misaligned", second(k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: cuda.Shifted(x.All(), 2), Y: x.All()})), cuda.ErrMisalignedAddress, "must be a multiple of 4, the alignment of its elements"},
			{"short", second(k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: x.Slice(1, 100)})), cuda.ErrShortSlice, "y has 99 elements, needs 100"},
			{"no kernel", second(new(example.SaxpyKernel).PrepareDefault(args)), nil, "cuda: prepare a kernel: the kernel was not loaded"},
			{"empty kernel", second((&example.SaxpyKernel{Kernel: new(cuda.Kernel)}).PrepareDefault(args)), nil, "cuda: prepare a kernel: the kernel was not loaded"},
			{"not prepared", (&example.SaxpyCall{}).Launch(s), nil, "cuda: launch a call: the call was not prepared: use what Prepare returned"},
			{"set before it was prepared", (&example.SaxpyCall{}).Set(args), nil, "the kernel was not loaded, or the call not prepared"},
			{"control", prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(128)}), nil, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				if test.want == "" {
					require.NoError(t, test.err)
					return
				}
				require.ErrorContains(t, test.err, test.want)
				if test.is != nil {
					assert.ErrorIs(t, test.err, test.is)
				}
			})
		}
		call, err := k.Saxpy.PrepareDefault(args)
		require.NoError(t, err)
		assert.ErrorContains(t, call.Launch(nil), "the stream is nil")
		require.NoError(t, k.Close())
		err = call.Launch(s)
		assert.ErrorIs(t, err, cuda.ErrClosed)
		assert.ErrorContains(t, err, "the kernel's library")
		assert.ErrorIs(t, call.Set(args), cuda.ErrClosed)
		_, err = k.Saxpy.PrepareDefault(args)
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

func second[T any](_ T, err error) error { return err }

// TestMisalignedElements: floats are aligned for Go's vec.Float2 wherever they lie, and C++ wants 8 bytes.
func TestMisalignedElements(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		bound, err := cuda.Bind[transformArgs](loadLibrary(t, dev, examplesPTX(t)), "transform")
		require.NoError(t, err)
		x := upload(t, s, ones(100)).All()
		points, to := cuda.Reinterpret[vec.Float2](x.Slice(2, 10)), upload(t, s, make([]vec.Float2, 4)).All()
		require.NoError(t, k.Transform.Launch(s, points, to, example.Affine{}))
		for name, odd := range map[string]cuda.Slice[vec.Float2]{
			"reinterpreted":    cuda.Reinterpret[vec.Float2](x.Slice(1, 9)),
			"a slice of those": cuda.Reinterpret[vec.Float2](x.Slice(1, 13)).Slice(1, 5),
			"at an address":    cuda.SliceAt[vec.Float2](x.Address()+4, 4, x.Owner()),
		} {
			for range 2 {
				err := k.Transform.Launch(s, odd, to, example.Affine{})
				require.ErrorIs(t, err, cuda.ErrMisalignedAddress, name)
				assert.ErrorContains(t, err, "from begins at address 0x", name)
				assert.ErrorContains(t, err, "must be a multiple of 8, the alignment of its elements", name)
			}
			err := bound.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}, &transformArgs{odd, to, example.Affine{}, 4})
			assert.ErrorIs(t, err, cuda.ErrMisalignedAddress, name)
			require.NoError(t, k.Saxpy.Launch(s, 2, cuda.Reinterpret[float32](odd), x.Slice(50, 58)), name)
			_, err = odd.Download(s)
			require.NoError(t, err, name)
		}
		require.NoError(t, s.Synchronize())
	})
}

// TestPreparedCallOfAClosedBuffer: it is not launched, whichever stream and in a batch.
func TestPreparedCallOfAClosedBuffer(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		other := newStream(t, dev)
		x, y, unrelated := upload(t, s, ones(100)), upload(t, s, ones(100)), upload(t, s, ones(100))
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
		require.NoError(t, err)
		batch, err := cuda.NewBatch(call)
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		require.NoError(t, s.Synchronize(), "both streams write y")
		require.NoError(t, call.Launch(other))
		require.NoError(t, unrelated.Close())
		require.NoError(t, call.Launch(other), "the control: another buffer was closed")
		clone := call.Clone()
		require.NoError(t, x.Close())
		for _, stream := range []*cuda.Stream{s, other} {
			for range 2 {
				err := call.Launch(stream)
				assert.ErrorIs(t, err, cuda.ErrClosed)
				assert.ErrorContains(t, err, "the buffer of x")
				assert.ErrorIs(t, batch.Launch(stream), cuda.ErrClosed)
				assert.ErrorIs(t, clone.Launch(stream), cuda.ErrClosed)
			}
		}
		require.NoError(t, call.Set(example.SaxpyArgs{A: 2, X: y.All(), Y: y.All()}))
		assert.NoError(t, batch.Launch(other), "with an open one it is")
		assert.ErrorIs(t, clone.Launch(s), cuda.ErrClosed)
	})
}

func TestPreparedCallsDoNotMixDevices(t *testing.T) {
	simulated := openSimulator(t)
	real, _ := openFake(t)
	here, hereStream := loaded(t, simulated)
	there, thereStream := loaded(t, real)
	x, y := upload(t, hereStream, ones(10)).All(), upload(t, thereStream, ones(10)).All()
	_, err := here.Saxpy.PrepareDefault(example.SaxpyArgs{A: 1, X: x, Y: y})
	assert.ErrorContains(t, err, "the buffer of y is on "+real.String())
	first, err := here.Saxpy.PrepareDefault(example.SaxpyArgs{A: 1, X: x, Y: x})
	require.NoError(t, err)
	second, err := there.Saxpy.PrepareDefault(example.SaxpyArgs{A: 1, X: y, Y: y})
	require.NoError(t, err)
	assert.ErrorContains(t, first.Launch(thereStream), "the stream is on "+real.String())
	_, err = cuda.NewBatch(first, second)
	assert.ErrorContains(t, err, "call 1 is on another device than call 0")
	batch, err := cuda.NewBatch(first)
	require.NoError(t, err)
	assert.ErrorContains(t, batch.Launch(thereStream), "call 0 of 1")
	_, err = cuda.NewBatch(&example.SaxpyCall{})
	assert.ErrorContains(t, err, "call 0 was not prepared")
}

func TestBatch(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, ones(100)), upload(t, s, ones(100))
		numbers := upload(t, s, []int32{1, 2, 3})
		saxpy, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
		require.NoError(t, err)
		add, err := k.AddDelta.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32), Attributes: &cuda.LaunchAttributes{Priority: new(int32)}},
			example.AddDeltaArgs{Data: numbers.All(), Delta: 5})
		require.NoError(t, err)
		b, err := cuda.NewBatch(saxpy, add, saxpy)
		require.NoError(t, err)
		assert.Equal(t, 3, b.Len())
		require.NoError(t, b.Launch(s))
		wantSaxpy(t, s, y, 5)
		require.NoError(t, saxpy.Set(example.SaxpyArgs{A: 10, X: x.All(), Y: y.All()}))
		require.NoError(t, b.Launch(s), "what Set changed holds")
		wantSaxpy(t, s, y, 25)
		host := make([]int32, 3)
		require.NoError(t, numbers.CopyTo(s, host))
		if !isFake(dev) {
			assert.Equal(t, []int32{11, 12, 13}, host)
		}

		assert.ErrorContains(t, b.Launch(nil), "call 0 of 3 (numbered from 0; 0 enqueued): cuda: launch saxpy")
		empty, err := cuda.NewBatch()
		require.NoError(t, err)
		assert.NoError(t, empty.Launch(s))
		require.NoError(t, k.Close())
		assert.ErrorIs(t, b.Launch(s), cuda.ErrClosed)
	})
}

// TestBatchSaysWhichCallFailed: the calls before it are enqueued, those behind it are not.
func TestBatchSaysWhichCallFailed(t *testing.T) {
	test := func(t *testing.T, dev *cuda.Device, failSecond func(), launched func() int) {
		k, s := loaded(t, dev)
		x := upload(t, s, ones(100))
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()})
		require.NoError(t, err)
		b, err := cuda.NewBatch(call, call, call)
		require.NoError(t, err)
		failSecond()
		err = b.Launch(s)
		var failed *cuda.BatchError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, 1, failed.Index)
		assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
		assert.EqualError(t, err, "cuda: launch a batch: call 1 of 3 (numbered from 0; 1 enqueued): cuda: launch saxpy<<<1,256>>> on "+dev.String()+": CUDA_ERROR_OUT_OF_MEMORY (2): not enough memory; close buffers that are not needed, or work in parts")
		assert.Equal(t, 1, launched())
		require.NoError(t, b.Launch(s), "the program can go on")
	}
	t.Run("fake libcuda", func(t *testing.T) {
		dev, library := openFake(t)
		test(t, dev, func() { library.Reset(); library.FailNth(2, int(driver.ErrorOutOfMemory)) }, func() int { return len(library.Launches()) })
	})
	t.Run("simulator", func(t *testing.T) {
		dev := openSimulator(t)
		launches, arm := 0, false
		setBefore(t, func(entryPoint string) driver.Result {
			if arm && entryPoint == "cuLaunchKernel" {
				if launches++; launches == 2 {
					return driver.ErrorOutOfMemory
				}
			}
			return driver.Success
		})
		test(t, dev, func() { arm = true }, func() int { return launches - 1 })
	})
}

// TestPreparedArguments compares what arrives in the driver, from a call, a clone and a
// batch, with what Launch sends.
func TestPreparedArguments(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	points := upload(t, s, make([]vec.Float2, 130)).All()
	affine := example.Affine{M: [6]float32{1, 2, 3, 4, 5, 6}}
	call, err := k.Transform.PrepareDefault(example.TransformArgs{From: points, To: points, Map: affine})
	require.NoError(t, err)
	clone := call.Clone()
	batch, err := cuda.NewBatch(call, clone)
	require.NoError(t, err)
	library.Reset()
	require.NoError(t, k.Transform.Launch(s, points, points, affine))
	require.NoError(t, call.Launch(s))
	require.NoError(t, clone.Launch(s))
	require.NoError(t, batch.Launch(s))
	launches := library.Launches()
	require.Len(t, launches, 5)
	assert.Equal(t, uint32(130), binary.LittleEndian.Uint32(launches[0].Arguments[48:]))
	for _, l := range launches[1:] {
		assert.Equal(t, launches[0], l)
	}
	assert.Equal(t, []string{"cuLaunchKernel", "cuLaunchKernel", "cuLaunchKernel", "cuLaunchKernel", "cuLaunchKernel"}, library.Calls(), "nothing else is called")
}

// Set of other arguments converts and stores them: it asks the driver nothing, while the launch
// configuration is the same, and allocates nothing.
func TestSetConvertsAndStores(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x, y := upload(t, s, ones(1000)), upload(t, s, ones(1000))
	args := example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()}
	call, err := k.Saxpy.PrepareDefault(args)
	require.NoError(t, err)
	attributed, err := k.Saxpy.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256), Attributes: &cuda.LaunchAttributes{Cooperative: true}}, args)
	require.NoError(t, err)
	library.Reset()
	args.A = 3
	require.NoError(t, call.Set(args))
	assert.Empty(t, library.Calls())
	args.X, args.Y = x.Slice(0, 100), y.Slice(0, 100)
	require.NoError(t, call.Set(args))
	assert.NotEmpty(t, library.Calls(), "the control: another grid is compared with the kernel's limits")
	library.Reset()
	require.NoError(t, attributed.Set(args))
	assert.NotEmpty(t, library.Calls(), "launch attributes may have changed")
	allocs := testing.AllocsPerRun(100, func() {
		if err := call.Set(args); err != nil {
			panic(err)
		}
	})
	if !raceEnabled {
		assert.Zero(t, allocs)
	}
	require.NoError(t, y.Close())
	assert.ErrorIs(t, call.Set(args), cuda.ErrClosed)
}

func TestPreparedAllocatesNothing(t *testing.T) {
	dev, _ := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, ones(1000)).All()
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: x})
	require.NoError(t, err)
	attributed, err := k.Saxpy.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256), Attributes: &cuda.LaunchAttributes{Cooperative: true}}, example.SaxpyArgs{A: 2, X: x, Y: x})
	require.NoError(t, err)
	batch, err := cuda.NewBatch(call, attributed, call, call)
	require.NoError(t, err)
	for name, launch := range map[string]func() error{
		"a call": func() error { return call.Launch(s) }, "with attributes": func() error { return attributed.Launch(s) }, "a batch": func() error { return batch.Launch(s) },
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if err := launch(); err != nil {
				panic(err)
			}
		})
		if !raceEnabled {
			assert.Zero(t, allocs, name)
		}
	}
	// Control: preparing makes a heap object, so the counter counts.
	assert.NotZero(t, testing.AllocsPerRun(100, func() { _, sink = k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: x}) }))
	assert.NoError(t, sink)
}

func TestBatchErrorUnwraps(t *testing.T) {
	err := error(&cuda.BatchError{Index: 2, Count: 4, Err: &cuda.Error{Op: "launch", Err: cuda.ErrNotSupported}})
	var inner *cuda.Error
	assert.True(t, errors.As(err, &inner))
	assert.ErrorIs(t, err, cuda.ErrNotSupported)
}
