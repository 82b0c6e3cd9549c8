package cuda_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

func TestHostBuffer(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		for _, cfg := range []cuda.HostConfig{{}, {WriteCombined: true}} {
			h, err := cuda.AllocHost[float32](dev, 1000, cfg)
			require.NoError(t, err)
			back, err := cuda.AllocHost[float32](dev, 1000, cuda.HostConfig{})
			require.NoError(t, err)
			assert.Equal(t, make([]float32, 1000), h.Host(), "it is zero")
			for i := range h.Host() {
				h.Host()[i] = float32(i)
			}
			b, err := cuda.Alloc[float32](s, 1000)
			require.NoError(t, err)
			require.NoError(t, cuda.Copy(b.All(), h.All()).Launch(s))
			require.NoError(t, cuda.Copy(back.Slice(10, 20), b.Slice(500, 510)).Launch(s))
			require.NoError(t, cuda.Copy(back.Slice(20, 30), h.Slice(700, 710)).Launch(s), "from the host to the host")
			require.NoError(t, s.Synchronize())
			assert.Equal(t, []float32{0, 500, 509, 700, 709, 0}, []float32{back.Host()[9], back.Host()[10], back.Host()[19], back.Host()[20], back.Host()[29], back.Host()[30]})
			if dev.IsSimulated() {
				require.NoError(t, k.Saxpy.Launch(s, 2, b.All(), back.All()), "kernels use it where it lies")
				require.NoError(t, s.Synchronize())
				assert.Equal(t, float32(500+20), back.Host()[10])
			}
			longer := cuda.Copy(b.All(), h.Slice(0, 999)).Launch(s)
			assert.ErrorIs(t, longer, cuda.ErrInvalidValue)
			assert.NotErrorIs(t, longer, cuda.ErrShortSlice, "%v", longer)
			assert.ErrorIs(t, cuda.Copy(b.Slice(0, 999), h.All()).Launch(s), cuda.ErrShortSlice)
			assert.ErrorIs(t, b.Slice(0, 9).CopyFrom(s, make([]float32, 10)), cuda.ErrShortSlice)
			assert.NotErrorIs(t, b.Slice(0, 9).CopyTo(s, make([]float32, 10)), cuda.ErrShortSlice)
			assert.ErrorIs(t, b.Slice(0, 9).CopyTo(s, make([]float32, 8)), cuda.ErrShortSlice)
			require.NoError(t, h.Close())
			require.NoError(t, h.Close())
			assert.Nil(t, h.Host())
			assert.ErrorIs(t, cuda.Copy(b.All(), h.All()).Launch(s), cuda.ErrClosed)
			require.NoError(t, back.Close())
			require.NoError(t, b.Close())
		}
		none, err := cuda.AllocHost[int](dev, 0, cuda.HostConfig{})
		require.NoError(t, err)
		assert.Empty(t, none.Host())
		require.NoError(t, none.Close())
		_, err = cuda.AllocHost[int](dev, -1, cuda.HostConfig{})
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.AllocHost[*int](dev, 1, cuda.HostConfig{})
		assert.ErrorContains(t, err, "on "+dev.String()+": *int is not plain data: use numbers")
		_, err = cuda.AllocHost[byte](dev, 1<<45, cuda.HostConfig{})
		assert.ErrorIs(t, err, cuda.ErrOutOfMemory)

		_, err = cuda.RegisterHost(dev, make([]byte, 10))
		assert.ErrorIs(t, err, cuda.ErrNotSupported)
	})
}

// TestCopyIsInOrder: a copy from page-locked memory runs when its turn comes, not when it
// is queued.
func TestCopyIsInOrder(t *testing.T) {
	dev := openSimulator(t)
	s := newStream(t, dev)
	h, err := cuda.AllocHost[int32](dev, 1, cuda.HostConfig{})
	require.NoError(t, err)
	defer h.Close()
	b := upload(t, s, []int32{0})
	require.NoError(t, s.LaunchHostFunc(func() { h.Host()[0] = 7 }))
	require.NoError(t, cuda.Copy(b.All(), h.All()).Launch(s))
	got := make([]int32, 1)
	require.NoError(t, b.CopyTo(s, got))
	assert.Equal(t, []int32{7}, got)
}

func TestManaged(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		m, err := cuda.AllocManaged[uint16](dev, 100)
		require.NoError(t, err)
		require.NoError(t, m.All().Clear(s))
		require.NoError(t, s.Synchronize())
		m.Host()[3] = 9
		require.NoError(t, m.Prefetch(s, dev))
		require.NoError(t, m.Prefetch(s, nil))
		require.NoError(t, m.Advise(cuda.SetReadMostly, dev))
		require.NoError(t, m.Advise(cuda.SetPreferredLocation, nil))
		assert.ErrorIs(t, m.Advise(77, dev), cuda.ErrInvalidValue)
		require.NoError(t, cuda.Fill(m.Slice(4, 6), uint16(0x1234)).Launch(s))
		b := upload(t, s, make([]uint16, 100))
		require.NoError(t, cuda.Copy(b.All(), m.All()).Launch(s))
		got := make([]uint16, 100)
		require.NoError(t, b.CopyTo(s, got))
		assert.Equal(t, []uint16{0, 9, 0x1234, 0x1234, 0}, got[2:7])
		assert.Equal(t, 100, m.Len())
		require.NoError(t, m.Close())
		require.NoError(t, m.Close())
		assert.ErrorIs(t, m.Prefetch(s, dev), cuda.ErrClosed)
		assert.ErrorIs(t, m.Advise(cuda.SetReadMostly, dev), cuda.ErrClosed)
		assert.Nil(t, m.Host())
	})
}

// filled returns n elements on the device, some in the middle filled with value.
func filled[T any](t *testing.T, s *cuda.Stream, value T) []T {
	b := upload(t, s, make([]T, 10))
	require.NoError(t, cuda.Fill(b.Slice(3, 7), value).Launch(s))
	got := make([]T, 10)
	require.NoError(t, b.CopyTo(s, got))
	var zero T
	assert.Equal(t, []T{zero, zero, zero, value, value, value, value, zero, zero, zero}, got)
	return got
}

func TestFill(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		filled(t, s, int8(-3))
		filled(t, s, uint16(0x1234))
		filled(t, s, float32(3.25))
		filled(t, s, vec.UChar4{X: 1, Y: 2, Z: 3, W: 4})
		filled(t, s, uint64(0x0101010101010101))
		filled(t, s, [3]uint16{5, 5, 5})
		filled(t, s, [2]float32{1.5, 1.5})
		filled(t, s, float64(0))
		b := upload(t, s, make([]float64, 4))
		assert.ErrorIs(t, cuda.Fill(upload(t, s, make([][65]byte, 2)).All(), [65]byte{1}).Launch(s), cuda.ErrNotSupported)
		assert.NoError(t, cuda.Fill(b.Slice(2, 2), 1).Launch(s), "nothing to fill")
		bytes := upload(t, s, []byte{1, 2, 3, 4})
		require.NoError(t, bytes.Slice(1, 3).Clear(s))
		got := make([]byte, 4)
		require.NoError(t, bytes.CopyTo(s, got))
		assert.Equal(t, []byte{1, 0, 0, 4}, got)
		require.NoError(t, b.Close())
		assert.ErrorIs(t, cuda.Fill(b.All(), 0).Launch(s), cuda.ErrClosed)
	})
}

func TestCopyBox(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		const width, height, depth = 5, 3, 2
		shape, n, err := cuda.PitchedShape[int16](width, height, depth)
		require.NoError(t, err)
		assert.Equal(t, 256, shape.RowStride)
		host, err := cuda.AllocHost[int16](dev, 8*4*depth, cuda.HostConfig{})
		require.NoError(t, err)
		defer host.Close()
		for i := range host.Host() {
			host.Host()[i] = int16(i)
		}
		part := cuda.Shape{Width: width, Height: height, Depth: depth, RowStride: 8, PlaneRows: 4}
		pitched := upload(t, s, make([]int16, n))
		tight := upload(t, s, make([]int16, width*height*depth))
		require.NoError(t, cuda.CopyBox(pitched.All().Box(shape), host.Slice(9, 64).Box(part)).Launch(s))
		require.NoError(t, cuda.CopyBox(tight.All().Box(cuda.Shape{Width: width, Height: height, Depth: depth}), pitched.All().Box(shape)).Launch(s))
		got := make([]int16, width*height*depth)
		require.NoError(t, tight.CopyTo(s, got))
		var want []int16
		for z := range depth {
			for y := range height {
				for x := range width {
					want = append(want, int16(9+32*z+8*y+x))
				}
			}
		}
		assert.Equal(t, want, got)
		err = cuda.CopyBox(tight.All().Box(cuda.Shape{Width: 5, Height: 6}), pitched.All().Box(shape)).Launch(s)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		assert.ErrorContains(t, err, "the destination has 5×6×1 elements, the source 5×3×2")
		for name, bad := range map[string]cuda.Shape{
			"too wide":         {Width: 31},
			"too high":         {Width: 5, Height: 7},
			"too deep":         {Width: 5, Height: 3, Depth: 3},
			"rows overlap":     {Width: 5, Height: 2, RowStride: 4},
			"planes overlap":   {Width: 5, Height: 3, Depth: 2, PlaneRows: 2},
			"negative":         {Width: -1},
			"more than an int": {Width: 1, Height: 2, RowStride: 1 << 62, Depth: 1 << 40},
		} {
			assert.Panics(t, func() { tight.All().Box(bad) }, name)
		}
		assert.NoError(t, cuda.CopyBox(tight.All().Box(cuda.Shape{}), pitched.All().Box(cuda.Shape{})).Launch(s), "nothing")
	})
}

func TestPools(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		p, err := dev.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		const piece = 32 << 20 // that pools take from the device at a time
		require.NoError(t, p.SetReleaseThreshold(piece))
		b, err := cuda.AllocFrom[byte](p, s, 1<<20)
		require.NoError(t, err)
		stats, err := p.Stats()
		require.NoError(t, err)
		assert.Equal(t, cuda.PoolStats{ReleaseThreshold: piece, Reserved: piece, ReservedHigh: piece, Used: 1 << 20, UsedHigh: 1 << 20}, stats)
		require.NoError(t, b.Close())
		require.NoError(t, s.Synchronize())
		stats, err = p.Stats()
		require.NoError(t, err)
		assert.Equal(t, []uint64{piece, 0}, []uint64{stats.Reserved, stats.Used}, "the threshold keeps it")
		require.NoError(t, p.Trim(0))
		require.NoError(t, p.ResetStats())
		stats, err = p.Stats()
		require.NoError(t, err)
		assert.Equal(t, cuda.PoolStats{ReleaseThreshold: piece}, stats)

		b, err = cuda.AllocFrom[byte](p, s, 10)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		require.NoError(t, p.Close())
		_, err = cuda.AllocFrom[byte](p, s, 10)
		assert.ErrorIs(t, err, cuda.ErrClosed)
		_, err = p.Stats()
		assert.ErrorIs(t, err, cuda.ErrClosed)
		require.NoError(t, b.Close(), "memory outlives its pool")

		common, err := dev.DefaultPool()
		require.NoError(t, err)
		before, err := common.Stats()
		require.NoError(t, err)
		x := upload(t, s, make([]byte, 512))
		after, err := common.Stats()
		require.NoError(t, err)
		assert.Equal(t, before.Used+512, after.Used)
		require.NoError(t, x.Close())
		require.NoError(t, common.Close())
		_, err = common.Stats()
		assert.NoError(t, err, "the default pool is not closed")
	})
}

func TestDeviceFacts(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		warp, err := dev.Attribute(cuda.WarpSize)
		require.NoError(t, err)
		assert.Equal(t, 32, warp)
		_, err = dev.Attribute(99999)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		free, total, err := dev.MemoryInfo()
		require.NoError(t, err)
		s := newStream(t, dev)
		b := upload(t, s, make([]byte, 4096))
		less, same, err := dev.MemoryInfo()
		require.NoError(t, err)
		assert.Equal(t, total, same)
		if os.Getenv(onGPU) == "" {
			assert.Equal(t, free-4096, less)
		} else {
			assert.LessOrEqual(t, less, free, "others use the GPU, too, and a pool takes more")
		}
		require.NoError(t, b.Close())
		id, err := dev.PCIBusID()
		require.NoError(t, err)
		assert.Regexp(t, `^[0-9A-F]{4}:[0-9A-F]{2}:[0-9A-F]{2}\.0$`, id)
		if dev.IsSimulated() {
			return
		}
		again, err := cuda.OpenID(id)
		require.NoError(t, err)
		assert.Equal(t, dev.Ordinal(), again.Ordinal())
		require.NoError(t, again.Close())
		_, err = cuda.OpenID("0000:77:00.0")
		assert.ErrorIs(t, err, cuda.ErrInvalidDevice)
		uuid, err := dev.UUID()
		require.NoError(t, err)
		again, err = cuda.OpenID(uuid)
		require.NoError(t, err)
		require.NoError(t, again.Close())
	})
}

// TestSymbols reads and writes variables of a library.
func TestSymbols(t *testing.T) {
	const ptx = ".version 7.5\n.target sm_75\n.address_size 64\n" +
		".visible .const .align 4 .f32 scale;\n.visible .global .align 4 .b8 table[12];\n" +
		".visible .global .attribute(.managed) .align 8 .u64 count;\n.visible .entry k(\n)\n{\n\tret;\n}\n"
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, lib := newStream(t, dev), load(t, dev, ptx)
		scale, err := cuda.LoadSymbol[float32](lib, "scale", "scale")
		require.NoError(t, err)
		table, err := cuda.LoadSymbol[[3]int32](lib, "table", "table")
		require.NoError(t, err)
		count, err := cuda.LoadSymbol[uint64](lib, "count", "count")
		require.NoError(t, err)
		require.NoError(t, scale.Set(s, 2.5))
		require.NoError(t, table.Set(s, [3]int32{1, -2, 3}))
		require.NoError(t, count.Set(s, 1<<40))
		f, err := scale.Get(s)
		require.NoError(t, err)
		assert.Equal(t, float32(2.5), f)
		three, err := table.Get(s)
		require.NoError(t, err)
		assert.Equal(t, [3]int32{1, -2, 3}, three)
		n, err := count.Get(s)
		require.NoError(t, err)
		assert.Equal(t, uint64(1<<40), n)
		assert.NotZero(t, table.Ptr().Address())

		_, err = cuda.LoadSymbol[float64](lib, "ns::scale", "scale")
		assert.ErrorIs(t, err, cuda.ErrABI)
		assert.ErrorContains(t, err, "load variable ns::scale on "+dev.String()+": it has 4 bytes, 8 in the Go code: use a type of its size")
		_, err = cuda.LoadSymbol[float64](lib, "missing", "missing")
		assert.ErrorIs(t, err, cuda.ErrNotFound)
		_, err = cuda.LoadSymbol[*int](lib, "scale", "scale")
		assert.ErrorContains(t, err, "cuda: load variable scale on "+dev.String()+": *int is not plain data")
		_, err = (cuda.Symbol[int]{}).Get(s)
		assert.ErrorContains(t, err, "read variable on "+dev.String()+": it was not loaded")
		require.NoError(t, lib.Close())
		_, err = scale.Get(s)
		assert.ErrorIs(t, err, cuda.ErrClosed)
		assert.ErrorIs(t, scale.Set(s, 1), cuda.ErrClosed)
	})
}

// TestLoadVariables loads variables beside kernels, as generated code does: all, or nothing.
func TestLoadVariables(t *testing.T) {
	const ptx = ".version 7.5\n.target sm_75\n.address_size 64\n" +
		".const .align 4 .f32 scale;\n.global .align 4 .b8 _ZN2ns5tableE[12];\n.visible .entry k(\n)\n{\n\tret;\n}\n"
	sum := sha256.Sum256([]byte(ptx))
	images := []cuda.Image{{Name: "test.ptx", Data: ptx, SHA256: hex.EncodeToString(sum[:])}}
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		var k *cuda.Kernel
		var scale cuda.Symbol[vec.Float16]
		var table cuda.Symbol[[3]int32]
		specs := []cuda.Spec{{Kernel: &k, Name: "k", Symbol: "k"}}
		tableSpec := cuda.Spec{Variable: &table, Name: "ns::table", Symbol: "_ZN2ns5tableE"}
		assert.Equal(t, uint64(12), tableSpec.Bytes())
		for want, spec := range map[string]cuda.Spec{
			"load variable scale on " + dev.String() + ": it has 4 bytes, 2 in the Go code: run go generate again": cuda.Spec{Variable: &scale, Name: "scale", Symbol: "scale"},
			"load variable ns::gone": cuda.Spec{Variable: &table, Name: "ns::gone", Symbol: "_ZN2ns4goneE"},
			"not plain data":         cuda.Spec{Variable: new(cuda.Symbol[*int]), Name: "scale", Symbol: "scale"},
			"its Spec has no Symbol": {Name: "scale", Symbol: "scale"},
		} {
			lib, err := dev.LoadKernels(images, specs, tableSpec, spec)
			assert.ErrorContains(t, err, want)
			assert.Nil(t, lib)
		}
		lib, err := dev.LoadKernels(images, specs, tableSpec)
		require.NoError(t, err)
		s := newStream(t, dev)
		require.NoError(t, table.Set(s, [3]int32{4, 5, 6}))
		got, err := table.Get(s)
		require.NoError(t, err)
		assert.Equal(t, [3]int32{4, 5, 6}, got)
		require.NoError(t, lib.Close())
		_, err = table.Get(s)
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

// load loads PTX text on dev.
func load(t *testing.T, dev *cuda.Device, text string) *cuda.Library {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	lib, err := dev.LoadLibrary(cuda.Image{Name: "test.ptx", Data: text, SHA256: hex.EncodeToString(sum[:])})
	require.NoError(t, err)
	t.Cleanup(func() { lib.Close() })
	return lib
}

// usePeers copies between two devices, and returns the first thing that is wrong.
func usePeers() error {
	library, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		return err
	}
	library.SetDevices(2)
	var devs [2]*cuda.Device
	var streams [2]*cuda.Stream
	var buffers [2]*cuda.Buffer[int32]
	for i := range devs {
		if devs[i], err = cuda.Open(i); err != nil {
			return err
		}
		defer devs[i].Close()
		if streams[i], err = devs[i].NewStream(); err != nil {
			return err
		}
		if buffers[i], err = cuda.Upload(streams[i], []int32{int32(i), 10}); err != nil {
			return err
		}
	}
	if err := devs[0].EnablePeerAccess(devs[1]); err != nil {
		return err
	}
	if err := devs[0].EnablePeerAccess(devs[1]); err != nil {
		return fmt.Errorf("again: %w", err)
	}
	if err := cuda.Copy(buffers[0].All(), buffers[1].All()).Launch(streams[0]); err != nil {
		return err
	}
	got := make([]int32, 2)
	if err := buffers[0].CopyTo(streams[0], got); err != nil {
		return err
	}
	if calls := library.Calls(); got[0] != 1 || !slices.Contains(calls, "cuMemcpyPeerAsync") {
		return fmt.Errorf("got %v by %v", got, calls)
	}
	if err := buffers[1].CopyTo(streams[0], got); !errors.Is(err, cuda.ErrInvalidValue) {
		return fmt.Errorf("a stream of another device: %v", err)
	}
	if err := cuda.Copy(buffers[1].All(), buffers[1].All()).Launch(streams[0]); !errors.Is(err, cuda.ErrInvalidValue) {
		return fmt.Errorf("neither is on the stream's device: %v", err)
	}
	if err := devs[0].DisablePeerAccess(devs[1]); err != nil {
		return err
	}
	if err := devs[0].DisablePeerAccess(devs[1]); err == nil {
		return errors.New("disabled twice")
	}
	return nil
}

func TestPeers(t *testing.T) {
	good := fakecuda.Build(t, fakecuda.Options{})
	assert.Equal(t, "peers: <nil>\n", inProcess(t, "peers", "CUDAGEN_LIBCUDA="+good))

	dev := openSimulator(t)
	can, err := dev.CanAccessPeer(dev)
	require.NoError(t, err)
	assert.False(t, can)
	assert.ErrorIs(t, dev.EnablePeerAccess(dev), cuda.ErrPeerAccessUnsupported)
}

// TestManyGoroutinesWait has goroutines allocate, copy, wait and free at once.
func TestManyGoroutinesWait(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				s, err := dev.NewStream()
				assert.NoError(t, err)
				defer s.Close()
				h, err := cuda.AllocHost[int](dev, 100, cuda.HostConfig{})
				assert.NoError(t, err)
				for i := range 20 {
					b, err := cuda.Upload(s, []int{g, i})
					assert.NoError(t, err)
					assert.NoError(t, cuda.Copy(h.Slice(0, 2), b.All()).Launch(s))
					assert.NoError(t, s.Wait(context.Background()))
					assert.Equal(t, []int{g, i}, h.Host()[:2])
					assert.NoError(t, b.Close())
				}
				assert.NoError(t, h.Close())
			})
		}
		wg.Wait()
	})
}

// TestConstructorConfigs: what the configurations of constructors ask for.
func TestConstructorConfigs(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		pool, err := dev.NewPool(cuda.PoolConfig{ReleaseThreshold: 1 << 20})
		require.NoError(t, err)
		defer pool.Close()
		stats, err := pool.Stats()
		require.NoError(t, err)
		assert.Equal(t, uint64(1<<20), stats.ReleaseThreshold)
		s := newStream(t, dev)
		release := blocked(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, dev.Wait(ctx), context.Canceled)
		release()
		assert.NoError(t, dev.Wait(t.Context()))
	})
}
