package cuda_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

func TestLaunchIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, make([]float32, 100)), upload(t, s, make([]float32, 99))
		for _, test := range []struct {
			name   string
			launch func() error
			is     error
			want   string
		}{
			{"slice too short", func() error { return k.Saxpy.Launch(s, 2, x.All(), y.All()) },
				cuda.ErrShortSlice, "cuda: check the arguments of saxpy on " + dev.String() + ": y has 99 elements, needs 100: slice too short"},
			{"no blocks", func() error {
				return k.Saxpy.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(0), Block: cuda.Dim(256)}, 2, x.Slice(0, 0), y.All())
			},
				cuda.ErrInvalidValue, "launch saxpy<<<0,256>>> on " + dev.String() + ": the grid has no blocks in x: a launch needs at least one"},
			{"no threads", func() error {
				return k.Saxpy.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32, 0)}, 2, y.All(), x.All())
			}, cuda.ErrInvalidValue, "the block has no threads in y"},
			{"large block", func() error {
				return k.Saxpy.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(2048)}, 2, y.All(), x.All())
			}, cuda.ErrInvalidValue, "launch saxpy<<<4,2048>>> on " + dev.String() + ": the block has 2048 threads, limit 1024"},
			{"large grid", func() error {
				return k.Saxpy.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1, 70000), Block: cuda.Dim(1)}, 2, y.All(), x.All())
			}, cuda.ErrInvalidValue, "the grid has 70000 blocks in y, limit 65535"},
			{"negative size", func() error {
				return k.Mandelbrot.Launch(s, upload(t, s, make([]vec.UChar4, 64)).All(), -8, -8, vec.Double2{}, 1, 1)
			}, cuda.ErrInvalidValue, "threads width: width is -8, must not be negative"},
			{"no stream", func() error { return k.Saxpy.Launch(nil, 2, y.All(), x.All()) }, nil, "the stream is nil"},
			{"no kernel", func() error { return new(example.SaxpyKernel).Launch(s, 2, y.All(), x.All()) }, nil, "the kernel was not loaded"},
		} {
			t.Run(test.name, func(t *testing.T) {
				err := test.launch()
				require.Error(t, err)
				assert.Contains(t, err.Error(), test.want)
				if test.is != nil {
					assert.ErrorIs(t, err, test.is)
				}
				var typed *cuda.Error
				assert.ErrorAs(t, err, &typed)
			})
		}
		assert.NoError(t, s.Synchronize(), "the stream lives on")
		assert.NoError(t, k.Saxpy.Launch(s, 2, y.All(), x.All()), "the control launches")
	})
}

func TestUseAfterClose(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]float32, 100))
		other, err := dev.NewStream()
		require.NoError(t, err)
		require.NoError(t, other.Close())
		require.NoError(t, other.Close(), "Close is idempotent")

		assertClosed := func(want string, err error) {
			t.Helper()
			assert.ErrorIs(t, err, cuda.ErrClosed)
			assert.ErrorContains(t, err, want)
		}
		assertClosed("the stream: closed", k.Saxpy.Launch(other, 2, x.All(), x.All()))
		assertClosed("the stream: closed", other.Synchronize())
		assertClosed("the stream: closed", x.CopyTo(other, make([]float32, 100)))
		_, err = cuda.Alloc[float32](other, 1)
		assertClosed("the stream: closed", err)

		require.NoError(t, x.Close())
		require.NoError(t, x.Close())
		assertClosed("the buffer: closed", x.CopyTo(s, make([]float32, 100)))
		assertClosed("the buffer: closed", x.Clear(s))

		y := upload(t, s, make([]float32, 100))
		assertClosed("launch saxpy on "+dev.String()+": the buffer of x: closed", k.Saxpy.Launch(s, 2, x.All(), y.All()))
		assertClosed("the buffer of y: closed", k.Saxpy.Launch(s, 2, y.All(), x.All()))
		require.NoError(t, k.Saxpy.Launch(s, 2, y.All(), y.All()), "the control")
		require.NoError(t, k.Close())
		require.NoError(t, k.Close())
		assertClosed("the kernel's library: closed", k.Saxpy.Launch(s, 2, y.All(), y.All()))
		_, err = k.Saxpy.Kernel.Attributes()
		assertClosed("its library: closed", err)
	})
}

// TestBufferOnSeveralStreams: memory is freed after the work of all streams that used it.
func TestBufferOnSeveralStreams(t *testing.T) {
	onEachCounted(t, func(t *testing.T, dev *cuda.Device, calls func(string) int) {
		k, s := loaded(t, dev)
		_, other := loaded(t, dev)
		pixels := upload(t, other, make([]vec.UChar4, 64*64))
		x := upload(t, s, make([]float32, 1000))
		waits := calls("cuStreamSynchronize")
		require.NoError(t, upload(t, s, []int32{1}).Close())
		assert.Equal(t, waits+1, calls("cuStreamSynchronize"), "the control: one for the upload, none to free")

		require.NoError(t, k.Mandelbrot.Launch(other, pixels.All(), 64, 64, vec.Double2{}, 0.1, 1000))
		require.NoError(t, k.Saxpy.Launch(other, 2, x.All(), x.All()))
		require.NoError(t, k.Saxpy.Launch(other, 2, x.All(), x.All()))
		require.NoError(t, k.Saxpy.Launch(s, 2, x.All(), x.All()))
		require.NoError(t, x.Close())
		assert.Equal(t, waits+2, calls("cuStreamSynchronize"))
		assert.ErrorIs(t, k.Saxpy.Launch(other, 2, x.All(), x.All()), cuda.ErrClosed)
		assert.ErrorIs(t, k.Saxpy.Launch(s, 2, x.All(), x.All()), cuda.ErrClosed)
		assert.NoError(t, other.Synchronize())
	})
}

// TestBufferOfAnotherDevice is refused by a launch.
func TestBufferOfAnotherDevice(t *testing.T) {
	simulated := openSimulator(t)
	real, _ := openFake(t)
	k, s := loaded(t, simulated)
	_, elsewhere := loaded(t, real)
	err := k.AddDelta.Launch(s, upload(t, elsewhere, []int32{1}).All(), 1)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	assert.ErrorContains(t, err, "the buffer of data is on "+real.String())
}

// TestDevicesOfOneName: devices that were opened separately may have the same name, and an error
// that names both says so.
func TestDevicesOfOneName(t *testing.T) {
	here, there := openSimulator(t), openSimulator(t)
	require.Equal(t, here.String(), there.String())
	k, s := loaded(t, here)
	_, elsewhere := loaded(t, there)
	const apart = ", which was opened separately"
	data := upload(t, elsewhere, []int32{1})
	assert.ErrorContains(t, k.AddDelta.Launch(s, data.All(), 1), "the buffer of data is on "+there.String()+apart)
	assert.ErrorContains(t, k.AddDelta.Launch(elsewhere, data.All(), 1), there.String()+apart)
	_, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: data.All(), Delta: 1})
	assert.ErrorContains(t, err, "the buffer of data is on "+there.String()+apart)
	assert.ErrorContains(t, data.Clear(s), "the buffer is on "+there.String()+apart)
}

// TestBufferOutlivesItsStream: memory allocated on a closed stream is freed all the same.
func TestBufferOutlivesItsStream(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, err := dev.NewStream()
		require.NoError(t, err)
		b, err := cuda.Upload(s, []int32{1, 2, 3})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		other, err := dev.NewStream()
		require.NoError(t, err)
		defer other.Close()
		host := make([]int32, 3)
		require.NoError(t, b.CopyTo(other, host))
		assert.Equal(t, []int32{1, 2, 3}, host)
		assert.NoError(t, b.Close())
	})
}

func TestDevicesDoNotMix(t *testing.T) {
	simulated := openSimulator(t)
	real, _ := openFake(t)
	k, _ := loaded(t, simulated)
	_, s := loaded(t, real)
	x := upload(t, s, make([]float32, 10))
	err := k.Saxpy.Launch(s, 1, x.All(), x.All())
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	assert.ErrorContains(t, err, "the stream is on "+real.String())
}

func TestInferredLengthOverflows(t *testing.T) {
	dev, _ := openFake(t)
	k, s := loaded(t, dev)
	data, counts := upload(t, s, make([]uint8, 1<<16)).All(), upload(t, s, make([]uint32, 4)).All()
	err := k.Histogram.Launch(s, cuda.Stretched(data, math.MaxUint32+1), counts, 4)
	assert.ErrorIs(t, err, cuda.ErrOverflow)
	assert.ErrorContains(t, err, "cuda: check the arguments of stats::histogram on "+dev.String()+": n would be 4294967296, limit 4294967295")
	assert.NoError(t, k.Histogram.Launch(s, cuda.Stretched(data, math.MaxUint32), counts, 4), "the control fits")
}

// TestArgumentBytes compares what arrives in the driver with the parameters' bytes,
// one after the other.
func TestArgumentBytes(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x, y := upload(t, s, make([]float32, 1000)), upload(t, s, make([]float32, 1000))
	points := upload(t, s, make([]vec.Float2, 130))
	pixels := upload(t, s, make([]vec.UChar4, 640*480))
	plate := example.Plate{Size: vec.UInt2{X: 20, Y: 50}, Periodic: 1, Dt: 0.5, Conduct: [3]float32{1, 2, 3}}
	affine := example.Affine{M: [6]float32{1, 2, 3, 4, 5, 6}}
	library.Reset()
	require.NoError(t, k.Saxpy.Launch(s, 2.5, x.All(), y.All()))
	require.NoError(t, k.HeatStep.Launch(s, y.All(), x.All(), plate, 20, 50))
	require.NoError(t, k.Transform.Launch(s, points.All(), points.All(), affine))
	require.NoError(t, k.Mandelbrot.Launch(s, pixels.All(), 640, 480, vec.Double2{X: -1, Y: 2}, 3, 99))

	want := []struct {
		values      []any
		grid, block [3]uint32
	}{
		{[]any{int32(1000), float32(2.5), x.Ptr().Address(), y.Ptr().Address()}, [3]uint32{4, 1, 1}, [3]uint32{256, 1, 1}},
		{[]any{y.Ptr().Address(), x.Ptr().Address(),
			[2]uint32{20, 50}, int32(1), uint32(0), 0.5, [3]float32{1, 2, 3}, uint32(0), // the struct, with its padding
			uint32(20), uint32(50)}, [3]uint32{1, 7, 1}, [3]uint32{32, 8, 1}},
		{[]any{points.Ptr().Address(), points.Ptr().Address(), affine.M, uint64(0), int32(130)}, [3]uint32{3, 1, 1}, [3]uint32{64, 1, 1}},
		{[]any{pixels.Ptr().Address(), int32(640), int32(480), [2]float64{-1, 2}, 3.0, int32(99)}, [3]uint32{40, 30, 1}, [3]uint32{16, 16, 1}},
	}
	launches := library.Launches()
	require.Len(t, launches, len(want))
	for i, w := range want {
		var bytes []byte
		for _, value := range w.values {
			var err error
			bytes, err = binary.Append(bytes, binary.LittleEndian, value)
			require.NoError(t, err)
		}
		assert.Equal(t, bytes, launches[i].Arguments, "launch %d", i)
		assert.Equal(t, w.grid, launches[i].Grid, "launch %d", i)
		assert.Equal(t, w.block, launches[i].Block, "launch %d", i)
		assert.False(t, launches[i].Misaligned, "launch %d", i)
	}
}

func TestLaunchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates for itself: only the calls are checked")
	}
	dev, _ := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]float32, 1000)).All()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}
	for name, launch := range map[string]func() error{
		"Launch":     func() error { return k.Saxpy.Launch(s, 2, x, x) },
		"LaunchWith": func() error { return k.Saxpy.LaunchWith(s, cfg, 2, x, x) },
		"struct":     func() error { return k.HeatStep.Launch(s, x, x, example.Plate{}, 20, 50) },
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
	// Control: an error is a heap object, so the counter counts.
	assert.NotZero(t, testing.AllocsPerRun(100, func() { sink = k.Saxpy.Launch(s, 2, x, x.Slice(0, 1)) }))
}

var sink error

func TestManyGoroutines(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, _ := loaded(t, dev)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				s, err := dev.NewStream()
				if !assert.NoError(t, err) {
					return
				}
				defer s.Close()
				for i := range 20 {
					host := []int32{int32(g), int32(i), 3}
					b, err := cuda.Upload(s, host)
					if !assert.NoError(t, err) {
						return
					}
					assert.NoError(t, k.AddDelta.Launch(s, b.All(), 1))
					runtime.Gosched()
					assert.NoError(t, b.CopyTo(s, host))
					if dev.IsSimulated() {
						assert.Equal(t, []int32{int32(g) + 1, int32(i) + 1, 4}, host)
					}
					assert.NoError(t, b.Close())
				}
			})
		}
		wg.Wait()
	})
}

// spec is saxpy's, as generated.
func spec(k **cuda.Kernel) cuda.Spec {
	return cuda.Spec{Kernel: k, Name: "saxpy", Symbol: "saxpy", Params: []cuda.ParamSpec{
		{Offset: 0, Size: 4, Align: 4}, {Offset: 4, Size: 4, Align: 4}, {Offset: 8, Size: 8, Align: 8}, {Offset: 16, Size: 8, Align: 8},
	}}
}

func ptxImage(t testing.TB, change func(string) string) cuda.Image {
	t.Helper()
	ptx, err := os.ReadFile(filepath.Join("..", "..", "example", "kernels.ptx"))
	require.NoError(t, err)
	data := change(string(ptx))
	sum := sha256.Sum256([]byte(data))
	return cuda.Image{Name: "kernels.ptx", Data: data, SHA256: hex.EncodeToString(sum[:])}
}

func same(s string) string { return s }

func TestLoadProves(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		image := ptxImage(t, same)
		var k *cuda.Kernel
		lib, err := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{spec(&k)})
		require.NoError(t, err)
		assert.Equal(t, "saxpy", k.Name())
		require.NoError(t, lib.Close())

		swapped := image
		swapped.Data += "\n"
		_, err = dev.LoadKernels([]cuda.Image{swapped}, nil)
		assert.ErrorIs(t, err, cuda.ErrABI)
		assert.ErrorContains(t, err, "load kernels.ptx: its SHA-256 is ")
		assert.ErrorContains(t, err, "run go generate again")

		for _, mutant := range []struct {
			name   string
			change func(*cuda.Spec)
			want   string
		}{
			{"size", func(s *cuda.Spec) { s.Params[1].Size = 8 }, "parameter 1 has 4 bytes, 8 in the Go code"},
			{"offset", func(s *cuda.Spec) { s.Params[2].Offset = 16 }, "parameter 2 is at byte 8, at 16 in the Go code"},
			{"fewer", func(s *cuda.Spec) { s.Params = s.Params[:3] }, "it has 4 parameters, the Go code has 3"},
			{"more", func(s *cuda.Spec) { s.Params = append(s.Params, cuda.ParamSpec{Offset: 24, Size: 4, Align: 4}) }, "it has 4 parameters, the Go code has 5"},
		} {
			t.Run(mutant.name, func(t *testing.T) {
				wrong := spec(&k)
				mutant.change(&wrong)
				lib, err := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{wrong})
				if olderThan(dev, 12, 4) { // it cannot say
					require.NoError(t, err)
					require.NoError(t, lib.Close())
					return
				}
				assert.ErrorIs(t, err, cuda.ErrABI)
				assert.ErrorContains(t, err, "cuda: load kernel saxpy on "+dev.String()+": "+mutant.want)
			})
		}
		t.Run("no such kernel", func(t *testing.T) {
			missing := spec(&k)
			missing.Symbol = "sazpy"
			_, err := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{missing})
			assert.ErrorIs(t, err, cuda.ErrNotFound)
			assert.ErrorContains(t, err, "kernels.ptx does not contain it")
		})
	})
}

// TestPTXTooNew: both versions are in the error, which may come as late as the look-up
// of a kernel, and so are the words of the driver's compiler.
func TestPTXTooNew(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		image := ptxImage(t, func(s string) string {
			return regexp.MustCompile(`\.version \d+\.\d+`).ReplaceAllString(s, ".version 99.9")
		})
		var k *cuda.Kernel
		_, err := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{spec(&k)})
		assert.ErrorIs(t, err, cuda.ErrUnsupportedPTXVersion)
		major, minor := dev.DriverVersion()
		assert.ErrorContains(t, err, fmt.Sprintf("kernels.ptx is PTX 99.9, and this driver (CUDA %d.%d) takes PTX ", major, minor))
		assert.ErrorContains(t, err, " says: ")
	})
}

func TestWrongPTXIsRefusedWhenLoading(t *testing.T) {
	dev := openSimulator(t)
	image := ptxImage(t, func(s string) string { return strings.Replace(s, "fma.rn.f32 ", "fma.rn.f32 %nowhere, ", 1) })
	var k *cuda.Kernel
	_, err := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{spec(&k)})
	assert.ErrorIs(t, err, cuda.ErrInvalidPTX)
	assert.Regexp(t, `:\d+:\d+: fma.rn.f32 %nowhere, .* has 5 operands, want 4`, err.Error())
}

// TestFaultNamesTheThread: the simulator's error says who touched what.
func TestFaultNamesTheThread(t *testing.T) {
	dev := openSimulator(t)
	k, err := example.LoadKernels(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x := upload(t, s, make([]int32, 100))
	require.NoError(t, k.AddDelta.Launch(s, cuda.Stretched(x.All(), 101), 1))
	err = s.Synchronize()
	assert.ErrorIs(t, err, cuda.ErrIllegalAddress)
	assert.Regexp(t, `synchronize a stream on device 0 \(.*\): add_delta: PTX line \d+.*: CUDA_ERROR_ILLEGAL_ADDRESS`, err.Error())
}

func TestCopiesAreChecked(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		_, s := loaded(t, dev)
		b := upload(t, s, []int32{1, 2, 3, 4})
		err := b.CopyTo(s, make([]int32, 3))
		assert.ErrorIs(t, err, cuda.ErrShortSlice)
		assert.ErrorContains(t, err, "the device slice has 4 elements, the host slice 3")
		host := make([]int32, 2)
		require.NoError(t, b.Slice(1, 3).CopyTo(s, host))
		assert.Equal(t, []int32{2, 3}, host)
		require.NoError(t, b.Slice(2, 4).CopyFrom(s, []int32{7, 8}))
		all := make([]int32, 4)
		require.NoError(t, b.CopyTo(s, all))
		assert.Equal(t, []int32{1, 2, 7, 8}, all)
		require.NoError(t, b.Clear(s))
		require.NoError(t, b.CopyTo(s, all))
		assert.Equal(t, []int32{0, 0, 0, 0}, all)

		assert.PanicsWithValue(t, "cuda: slice bounds out of range [2:5] with length 4", func() { b.Slice(2, 5) })
		assert.Panics(t, func() { b.Slice(3, 2) })
		assert.Panics(t, func() { b.Slice(-1, 2) })

		_, err = cuda.Alloc[int32](s, -1)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.Alloc[[1 << 20]byte](s, 1<<50)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.Alloc[*int](s, 1)
		assert.ErrorContains(t, err, "cuda: allocate 1 × 8 bytes on "+dev.String()+": *int is not plain data: use numbers")
		empty, err := cuda.Alloc[int32](s, 0)
		require.NoError(t, err)
		assert.NoError(t, empty.CopyTo(s, nil))
		assert.NoError(t, empty.Close())
	})
}
