//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record returns a launch of k by one block of one thread.
func (d *device) record(k driver.Kernel, block []byte, offsets []uint32) *LaunchRecord {
	return &LaunchRecord{
		Target: &Target{Kernel: k, Offsets: unsafe.SliceData(offsets), Count: uint32(len(offsets)), ParamBytes: uint32(len(block))},
		Stream: d.stream,
		Params: unsafe.Pointer(unsafe.SliceData(block)),
		Config: &LaunchConfig{GridX: 1, GridY: 1, GridZ: 1, BlockX: 1, BlockY: 1, BlockZ: 1},
	}
}

// launch launches r by this device's cuLaunchKernel.
func (d *device) launch(r *LaunchRecord) driver.Result {
	return launchOn(d.entry(driver.LaunchKernel), r)
}

// parameterLists returns parameters of every size up to 40 bytes and alignment up to
// 64, at offsets that the parameter before makes odd, and lists of 0 to 64 parameters
// with sizes and alignments drawn from seed.
func parameterLists(seed int64) [][]param {
	var lists [][]param
	for align := 1; align <= 64; align *= 2 {
		for size := 1; size <= 40; size++ {
			lists = append(lists, []param{{1, 1}, {size, align}, {1, 1}})
		}
	}
	rng := rand.New(rand.NewSource(seed))
	for count := range 65 {
		for range 3 {
			list := make([]param, count)
			for i := range list {
				list[i] = param{1 + rng.Intn(130), 1 << rng.Intn(7)}
			}
			lists = append(lists, list)
		}
	}
	return lists
}

func TestLaunchArgumentsArrive(t *testing.T) {
	d := newDevice(t)
	lists := parameterLists(1)
	kernels := d.kernels(t, lists...)
	for i, params := range lists {
		offsets, size := layout(params)
		require.Equal(t, driver.Success, d.launch(d.record(kernels[i], pattern(i, size), offsets)), "%v", params)
	}
	launches := d.fake.Launches()
	require.Len(t, launches, len(lists))
	for i, params := range lists {
		_, size := layout(params)
		require.Equal(t, arguments(pattern(i, size), params), launches[i].Arguments, "%v", params)
		require.False(t, launches[i].Misaligned, "the C stack is aligned to 16 bytes: %v", params)
	}
}

// TestLaunchWithWrongOffset is the control: one offset is moved by one byte.
func TestLaunchWithWrongOffset(t *testing.T) {
	d := newDevice(t)
	params := []param{{4, 4}, {8, 8}, {16, 16}}
	k := d.kernels(t, params)[0]
	offsets, size := layout(params)
	block := pattern(1, size)
	for i := range offsets {
		d.fake.Reset()
		moved := slices.Clone(offsets)
		moved[i] ^= 1
		require.Equal(t, driver.Success, d.launch(d.record(k, append(block, 0), moved)))
		assert.NotEqual(t, arguments(block, params), d.fake.Launches()[0].Arguments, "parameter %d", i)
	}
}

func TestLaunchManyParameters(t *testing.T) {
	d := newDevice(t)
	for _, count := range []int{65, 511, 512, 513, MaxParams - 1, MaxParams, MaxParams + 1} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			d.fake.Reset()
			params := slices.Repeat([]param{{2, 2}}, count)
			k := d.kernels(t, params)[0]
			offsets, size := layout(params)
			r := d.launch(d.record(k, pattern(count, size), offsets))
			if count > MaxParams {
				assert.Equal(t, driver.ErrorInvalidValue, r)
				assert.Empty(t, d.fake.Launches())
				return
			}
			require.Equal(t, driver.Success, r)
			assert.Equal(t, pattern(count, size), d.fake.Launches()[0].Arguments)
		})
	}
}

func TestLaunchConfigurationArrives(t *testing.T) {
	d := newDevice(t)
	params := []param{{8, 8}, {4, 4}}
	k := d.kernels(t, params)[0]
	offsets, size := layout(params)
	block := pattern(1, size)
	require.Equal(t, driver.Success, d.KernelSetAttribute(driver.FuncMaxDynamicSharedBytes, 232448, k, 0))
	want := func(t *testing.T) {
		l := d.fake.Launches()[0]
		assert.Equal(t, uint64(k), l.Kernel)
		assert.Equal(t, uint64(d.stream), l.Stream)
		assert.Equal(t, [3]uint32{2147483647, 65535, 65534}, l.Grid)
		assert.Equal(t, [3]uint32{2, 3, 64}, l.Block)
		assert.Equal(t, uint32(232448), l.SharedBytes)
		assert.Equal(t, arguments(block, params), l.Arguments)
	}
	t.Run("Launch", func(t *testing.T) {
		d.fake.Reset()
		r := d.record(k, block, offsets)
		r.Config.GridX, r.Config.GridY, r.Config.GridZ = 2147483647, 65535, 65534
		r.Config.BlockX, r.Config.BlockY, r.Config.BlockZ = 2, 3, 64
		r.Config.SharedBytes = 232448
		require.Equal(t, driver.Success, d.launch(r))
		want(t)
	})
	t.Run("LaunchKernel", func(t *testing.T) {
		d.fake.Reset()
		cfg := driver.LaunchConfig{Grid: driver.Dim3{X: 2147483647, Y: 65535, Z: 65534}, Block: driver.Dim3{X: 2, Y: 3, Z: 64}, SharedBytes: 232448}
		require.Equal(t, driver.Success, d.LaunchKernel(k, cfg, d.stream, block, offsets))
		want(t)
	})
}

func TestLaunchErrors(t *testing.T) {
	d := newDevice(t)
	params := []param{{4, 4}}
	k := d.kernels(t, params)[0]
	tests := []struct {
		name   string
		change func(*LaunchRecord)
		want   driver.Result
	}{
		{"none", func(*LaunchRecord) {}, driver.Success},
		{"grid without blocks", func(r *LaunchRecord) { r.Config.GridY = 0 }, driver.ErrorInvalidValue},
		{"block without threads", func(r *LaunchRecord) { r.Config.BlockZ = 0 }, driver.ErrorInvalidValue},
		{"block of 2048 threads", func(r *LaunchRecord) { r.Config.BlockX, r.Config.BlockY = 1024, 2 }, driver.ErrorInvalidValue},
		{"too much shared memory", func(r *LaunchRecord) { r.Config.SharedBytes = 1 << 31 }, driver.ErrorInvalidValue},
		{"no kernel", func(r *LaunchRecord) { r.Target.Kernel = 0 }, driver.ErrorInvalidHandle},
		{"no such stream", func(r *LaunchRecord) { r.Stream = 1 }, driver.ErrorInvalidHandle},
		{"null stream without a context", func(r *LaunchRecord) { r.Stream = 0 }, driver.ErrorInvalidContext},
		{"parameters without a block", func(r *LaunchRecord) { r.Target.ParamBytes = 0 }, driver.ErrorInvalidValue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			offsets, size := layout(params)
			r := d.record(k, pattern(1, size), offsets)
			tt.change(r)
			assert.Equal(t, tt.want, d.launch(r))
		})
	}
	t.Run("an offset outside of the block", func(t *testing.T) {
		one := driver.Dim3{X: 1, Y: 1, Z: 1}
		r := d.LaunchKernel(k, driver.LaunchConfig{Grid: one, Block: one}, d.stream, make([]byte, 4), []uint32{4})
		assert.Equal(t, driver.ErrorInvalidValue, r)
	})
	t.Run("the driver's result", func(t *testing.T) {
		offsets, size := layout(params)
		for _, want := range []driver.Result{driver.ErrorIllegalAddress, driver.ErrorUnknown, -1} {
			d.fake.Fail("cuLaunchKernel", int(want))
			assert.Equal(t, want, d.launch(d.record(k, pattern(1, size), offsets)))
		}
	})
	t.Run("before Open", func(t *testing.T) {
		assert.Equal(t, driver.ErrorNotInitialized, launchOn(0, &LaunchRecord{}))
	})
}

// saxpyParams is a parameter block as generated code writes it.
type saxpyParams struct {
	N    int32
	A    float32
	X, Y uint64
}

var saxpyOffsets = [4]uint32{0, 4, 8, 16}

// launchSaxpy launches as generated code does: the block and the record are on the stack.
func launchSaxpy(fn uintptr, k driver.Kernel, s driver.Stream, n int32) driver.Result {
	params := saxpyParams{N: n, A: 2, X: 64, Y: 128}
	return launchOn(fn, &LaunchRecord{
		Target: &Target{Kernel: k, Offsets: &saxpyOffsets[0], Count: 4, ParamBytes: 24},
		Stream: s, Params: unsafe.Pointer(&params),
		Config: &LaunchConfig{GridX: 1, GridY: 1, GridZ: 1, BlockX: 256, BlockY: 1, BlockZ: 1},
	})
}

func TestLaunchDoesNotAllocate(t *testing.T) {
	d := newDevice(t)
	k := d.kernels(t, []param{{4, 4}, {4, 4}, {8, 8}, {8, 8}})[0]
	fn := d.entry(driver.LaunchKernel)
	result := driver.Success
	allocs := testing.AllocsPerRun(200, func() { result |= launchSaxpy(fn, k, d.stream, 7) })
	assert.Equal(t, driver.Success, result)
	assertNoAllocs(t, allocs, pooledLaunch)
	params := saxpyParams{N: 7, A: 2, X: 64, Y: 128}
	assert.Equal(t, unsafe.Slice((*byte)(unsafe.Pointer(&params)), 24), d.fake.Launches()[0].Arguments)
}

func TestLaunchFromManyGoroutines(t *testing.T) {
	d := newDevice(t)
	lists := [][]param{{{4, 4}, {16, 16}}, {{1, 1}, {64, 64}, {2, 2}}, slices.Repeat([]param{{8, 8}}, 33), {}}
	kernels := d.kernels(t, lists...)
	streams := make([]driver.Stream, 16)
	for i := range streams {
		streams[i] = d.newStream(t)
	}
	d.fake.Reset()
	const rounds = 50
	var wg sync.WaitGroup
	for g, s := range streams {
		wg.Go(func() {
			for i := range rounds {
				offsets, size := layout(lists[g%4])
				r := d.record(kernels[g%4], pattern(g*rounds+i, size), offsets)
				r.Stream = s
				assert.Equal(t, driver.Success, d.launch(r))
			}
		})
	}
	wg.Wait()
	seen := map[uint64]int{}
	for _, l := range d.fake.Launches() {
		g := slices.Index(streams, driver.Stream(l.Stream))
		_, size := layout(lists[g%4])
		require.Equal(t, arguments(pattern(g*rounds+seen[l.Stream], size), lists[g%4]), l.Arguments)
		seen[l.Stream]++
	}
	for _, s := range streams {
		assert.Equal(t, rounds, seen[uint64(s)])
	}
}
