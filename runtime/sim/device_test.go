package sim

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

func TestRegistered(t *testing.T) {
	open := driver.Simulator()
	require.NotNil(t, open)
	drv, sim := open(3)
	d, ok := drv.(*device)
	require.True(t, ok)
	assert.Same(t, d, sim)
	require.Equal(t, driver.Success, d.Init())
	dev, r := d.DeviceGet(3)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, driver.ErrorInvalidDevice, second(d.DeviceGet(0)))
	uuid, r := d.DeviceGetUuid(dev)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, "cudagen-sim-0003", string(uuid[:]))
}

// deviceOf returns the device of d.
func deviceOf(d driver.Driver) driver.Device { return d.(*device).dev }

// opened returns a device with a current context and a stream.
func opened(t *testing.T) (driver.Driver, driver.Stream) {
	t.Helper()
	d := newDevice(0)
	require.Equal(t, driver.Success, d.Init())
	ctx, r := d.DevicePrimaryCtxRetain(deviceOf(d))
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, d.CtxPushCurrent(ctx))
	s, r := d.StreamCreate(1)
	require.Equal(t, driver.Success, r)
	return d, s
}

func kernelOf(t *testing.T, d driver.Driver, image, name string) (driver.Library, driver.Kernel) {
	t.Helper()
	lib, r := d.LibraryLoadData([]byte(image))
	require.Equal(t, driver.Success, r, d.LibraryLog(lib))
	k, r := d.LibraryGetKernel(lib, name)
	require.Equal(t, driver.Success, r)
	return lib, k
}

func alloc(t *testing.T, d driver.Driver, s driver.Stream, values []int32) driver.DevicePtr {
	t.Helper()
	p, r := d.MemAllocAsync(uint64(4*len(values)), s)
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, d.MemcpyHtoDAsync(p, unsafe.Pointer(&values[0]), uint64(4*len(values)), s))
	require.Equal(t, driver.Success, d.StreamSynchronize(s))
	return p
}

// addDelta is the parameter block of the example's add_delta.
func addDelta(n int32, data driver.DevicePtr, delta int32) []byte {
	b := make([]byte, 24)
	*(*int32)(unsafe.Pointer(&b[0])), *(*driver.DevicePtr)(unsafe.Pointer(&b[8])), *(*int32)(unsafe.Pointer(&b[16])) = n, data, delta
	return b
}

var addDeltaOffsets = []uint32{0, 8, 16}

func TestDeviceRunsKernels(t *testing.T) {
	d, s := opened(t)
	lib, k := kernelOf(t, d, examplePTX(t)+"\x00", "add_delta")
	data := []int32{1, 2, 3, 4}
	p := alloc(t, d, s, data)
	for range 10 {
		require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 128, 0), s, addDelta(3, p, 5), addDeltaOffsets))
	}
	require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&data[0]), p, 16, s))
	require.Equal(t, driver.Success, d.StreamSynchronize(s))
	assert.Equal(t, []int32{51, 52, 53, 4}, data)
	assert.Equal(t, driver.Success, d.StreamQuery(s))

	require.Equal(t, driver.Success, d.MemsetD8Async(p+4, 0xff, 4, s))
	require.Equal(t, driver.Success, d.MemcpyDtoDAsync(p, p+4, 8, s))
	require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&data[0]), p, 16, s))
	require.Equal(t, driver.Success, d.CtxSynchronize())
	assert.Equal(t, []int32{-1, 53, 53, 4}, data)

	offset, size, r := d.KernelGetParamInfo(k, 2)
	assert.Equal(t, []any{uint64(16), uint64(4), driver.Success}, []any{offset, size, r})
	_, _, r = d.KernelGetParamInfo(k, 3)
	assert.Equal(t, driver.ErrorInvalidValue, r)
	_, sum := kernelOf(t, d, examplePTX(t), "sum")
	for attr, want := range map[driver.FunctionAttribute]int{
		driver.FuncMaxThreadsPerBlock: 256, driver.FuncSharedSizeBytes: 64, driver.FuncPTXVersion: 75, driver.FuncBinaryVersion: 90,
	} {
		got, r := d.KernelGetAttribute(attr, sum, deviceOf(d))
		assert.Equal(t, []any{want, driver.Success}, []any{got, r})
	}
	_, r = d.LibraryGetKernel(lib, "missing")
	assert.Equal(t, driver.ErrorNotFound, r)
	require.Equal(t, driver.Success, d.LibraryUnload(lib))
	assert.Equal(t, driver.ErrorInvalidHandle, d.LaunchKernel(k, config(1, 1, 0), s, addDelta(0, p, 0), addDeltaOffsets))
	require.Equal(t, driver.Success, d.MemFreeAsync(p, s))
	require.Equal(t, driver.Success, d.StreamDestroy(s))
	require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
}

func TestDeviceResults(t *testing.T) {
	d, s := opened(t)
	_, k := kernelOf(t, d, examplePTX(t), "add_delta")
	p := alloc(t, d, s, []int32{1, 2})
	host := make([]byte, 64)
	count := func(r driver.Result) driver.Result { return r }
	tests := []struct {
		name string
		got  driver.Result
		want driver.Result
	}{
		{"no such device", second(d.DeviceGet(1)), driver.ErrorInvalidDevice},
		{"no such attribute", second(d.DeviceGetAttribute(99999, deviceOf(d))), driver.ErrorInvalidValue},
		{"no bytes", second(d.MemAllocAsync(0, s)), driver.ErrorInvalidValue},
		{"too many bytes", second(d.MemAllocAsync(1<<50, s)), driver.ErrorOutOfMemory},
		{"copy too long", d.MemcpyDtoHAsync(unsafe.Pointer(&host[0]), p, 9, s), driver.ErrorInvalidValue},
		{"copy to null", d.MemcpyDtoHAsync(nil, p, 8, s), driver.ErrorInvalidValue},
		{"copy from nowhere", d.MemcpyHtoDAsync(12345, unsafe.Pointer(&host[0]), 8, s), driver.ErrorInvalidValue},
		{"copy of nothing", d.MemcpyHtoDAsync(0, nil, 0, s), driver.Success},
		{"no such stream", d.StreamSynchronize(999), driver.ErrorInvalidHandle},
		{"stream flags", second(d.StreamCreate(8)), driver.ErrorInvalidValue},
		{"free inside", d.MemFreeAsync(p+4, s), driver.ErrorInvalidValue},
		{"zero grid", d.LaunchKernel(k, config(0, 1, 0), s, addDelta(0, p, 0), addDeltaOffsets), driver.ErrorInvalidValue},
		{"block too large", d.LaunchKernel(k, config(1, 2048, 0), s, addDelta(0, p, 0), addDeltaOffsets), driver.ErrorInvalidValue},
		{"too much shared memory", d.LaunchKernel(k, config(1, 1, 48<<10+1), s, addDelta(0, p, 0), addDeltaOffsets), driver.ErrorInvalidValue},
		{"too few parameters", d.LaunchKernel(k, config(1, 1, 0), s, addDelta(0, p, 0), addDeltaOffsets[:2]), driver.ErrorInvalidValue},
		{"parameter block too short", d.LaunchKernel(k, config(1, 1, 0), s, addDelta(0, p, 0)[:19], addDeltaOffsets), driver.ErrorInvalidValue},
		{"unknown library", d.LibraryUnload(77), driver.ErrorInvalidHandle},
		{"nothing above is sticky", count(d.StreamSynchronize(s)), driver.Success},
		{"free", d.MemFreeAsync(p, s), driver.Success},
		{"free twice", d.MemFreeAsync(p, s), driver.ErrorInvalidValue},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, test.got, test.name)
	}
	refused, r := d.LibraryLoadData([]byte(entry("add.s32 %r1;")))
	assert.Equal(t, driver.ErrorInvalidPTX, r)
	assert.Contains(t, d.LibraryLog(refused), "image.ptx:9:1: add.s32 %r1 has 1 operands, want 3")
	assert.Empty(t, d.LibraryLog(refused), "it is kept for one reading")

	fresh := newDevice(0)
	assert.Equal(t, driver.ErrorNotInitialized, second(fresh.DeviceGetCount()))
	fresh.Init()
	assert.Equal(t, driver.ErrorInvalidContext, second(fresh.StreamCreate(0)))
	assert.Equal(t, driver.ErrorInvalidContext, fresh.CtxPushCurrent(fresh.primary()))
	assert.Equal(t, driver.ErrorInvalidContext, fresh.DevicePrimaryCtxRelease(fresh.dev))
}

func second[T any](_ T, r driver.Result) driver.Result { return r }

func TestFaultIsStickyUntilTheContextIsReleased(t *testing.T) {
	d, s := opened(t)
	lib, k := kernelOf(t, d, examplePTX(t), "add_delta")
	d.(*device).Name(k, "ns::add_delta")
	p := alloc(t, d, s, []int32{1, 2})
	require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 128, 0), s, addDelta(3, p, 5), addDeltaOffsets), "the launch itself succeeds")
	assert.Equal(t, driver.ErrorIllegalAddress, d.StreamSynchronize(s))
	assert.Equal(t, driver.ErrorIllegalAddress, d.LaunchKernel(k, config(1, 1, 0), s, addDelta(0, p, 5), addDeltaOffsets))
	assert.Equal(t, driver.ErrorIllegalAddress, second(d.MemAllocAsync(4, s)))
	fault := d.(*device).Fault()
	require.NotNil(t, fault)
	assert.Equal(t, "add_delta", fault.Symbol)
	assert.Equal(t, "ns::add_delta", fault.Name)
	assert.Equal(t, 2, fault.Lane)
	assert.Equal(t, uint64(p)+8, fault.Address)
	assert.Empty(t, d.LibraryLog(lib))

	require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
	_, r := d.DevicePrimaryCtxRetain(deviceOf(d))
	require.Equal(t, driver.Success, r)
	s, r = d.StreamCreate(0)
	require.Equal(t, driver.Success, r)
	p = alloc(t, d, s, []int32{1, 2})
	require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 128, 0), s, addDelta(2, p, 5), addDeltaOffsets))
	assert.Equal(t, driver.Success, d.StreamSynchronize(s))
	assert.Nil(t, d.(*device).Fault())
}

func TestReleaseStopsAnEndlessKernel(t *testing.T) {
	d, s := opened(t)
	_, k := kernelOf(t, d, entry("L: bra L;"), "k")
	require.Equal(t, driver.Success, d.LaunchKernel(k, config(4, 64, 0), s, make([]byte, 12), []uint32{0, 8}))
	assert.Equal(t, driver.ErrorNotReady, d.StreamQuery(s))
	assert.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
}

// TestClosingStops: a device that is being closed stops a kernel that never ends and the
// stream that waits for it, and leaves alone what ends.
func TestClosingStops(t *testing.T) {
	testenv.Need(t, testenv.Long)
	const patience = 300 * time.Millisecond
	endless := func(t *testing.T) (driver.Driver, driver.Stream) {
		d, s := opened(t)
		_, k := kernelOf(t, d, entry("setp.lt.u32 %p1, %r2, 40;\n@%p1 ret;\nL: bra L;"), "k")
		require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 64, 0), s, make([]byte, 12), []uint32{0, 8}))
		return d, s
	}
	t.Run("a kernel", func(t *testing.T) {
		t.Parallel()
		d, s := endless(t)
		d.(*device).stopAfter(patience)
		assert.Equal(t, driver.ErrorLaunchTimeout, d.StreamSynchronize(s))
		fault := d.(*device).Fault()
		require.NotNil(t, fault)
		assert.Equal(t, []any{"k", bodyLine + 2, "bra L", 1, 8, interp.Stopped}, []any{fault.Symbol, fault.PTXLine, fault.Instruction, fault.Warp, fault.Lane, fault.Reason})
		require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
	})
	t.Run("an event of another device", func(t *testing.T) {
		t.Parallel()
		far, farStream := endless(t)
		e, r := far.EventCreate(0)
		require.Equal(t, driver.Success, r)
		require.Equal(t, driver.Success, far.EventRecord(e, farStream))
		d, s := opened(t)
		require.Equal(t, driver.Success, d.StreamWaitEvent(s, e, 0))
		d.(*device).stopAfter(patience)
		assert.Equal(t, driver.ErrorLaunchTimeout, d.StreamSynchronize(s))
		assert.Contains(t, d.(*device).Fault().Reason, "waiting for an event")
		assert.Equal(t, driver.ErrorNotReady, far.StreamQuery(farStream), "the other goes on")
		require.Equal(t, driver.Success, far.DevicePrimaryCtxRelease(deviceOf(far)))
	})
	t.Run("an event of another device that works", func(t *testing.T) {
		t.Parallel()
		far, farStream := opened(t)
		for range 5 { // longer than the patience, together and the last
			require.Equal(t, driver.Success, far.LaunchHostFunc(farStream, func() { time.Sleep(patience / 2) }))
		}
		require.Equal(t, driver.Success, far.LaunchHostFunc(farStream, func() { time.Sleep(2 * patience) }))
		e, r := far.EventCreate(0)
		require.Equal(t, driver.Success, r)
		require.Equal(t, driver.Success, far.EventRecord(e, farStream))
		d, s := opened(t)
		require.Equal(t, driver.Success, d.StreamWaitEvent(s, e, 0))
		d.(*device).stopAfter(patience)
		assert.Equal(t, driver.Success, d.StreamSynchronize(s))
		assert.Empty(t, d.(*device).awaited)
		require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
		require.Equal(t, driver.Success, far.DevicePrimaryCtxRelease(deviceOf(far)))
	})
	t.Run("blocks that end are progress", func(t *testing.T) {
		t.Parallel()
		d, s := opened(t)
		// Each of many blocks loops for a while.
		_, k := kernelOf(t, d, entry("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 10000; @%p1 bra L;"), "k")
		begun := time.Now()
		require.Equal(t, driver.Success, d.LaunchKernel(k, config(400, 32, 0), s, make([]byte, 12), []uint32{0, 8}))
		d.(*device).stopAfter(patience)
		assert.Equal(t, driver.Success, d.StreamSynchronize(s))
		t.Logf("%v, of a patience of %v", time.Since(begun), patience)
		require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
	})
	t.Run("what ends is not stopped", func(t *testing.T) {
		t.Parallel()
		d, s := opened(t)
		_, k := kernelOf(t, d, examplePTX(t), "add_delta")
		p := alloc(t, d, s, []int32{1, 2})
		begun := time.Now()
		d.(*device).stopAfter(patience)
		for range 5 { // longer than the patience, together and one of them
			require.Equal(t, driver.Success, d.LaunchHostFunc(s, func() { time.Sleep(patience / 2) }))
			require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 32, 0), s, addDelta(2, p, 5), addDeltaOffsets))
		}
		require.Equal(t, driver.Success, d.LaunchHostFunc(s, func() { time.Sleep(2 * patience) }))
		assert.Equal(t, driver.Success, d.StreamSynchronize(s))
		assert.Greater(t, time.Since(begun), 2*patience)
		var got [2]int32
		require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&got), p, 8, s))
		require.Equal(t, driver.Success, d.StreamSynchronize(s))
		assert.Equal(t, [2]int32{26, 27}, got)
		require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
	})
}

func TestModuleVariablesAreRestored(t *testing.T) {
	image := ptxHeader + ".global .u32 v = 41;\n.entry k(.param .u64 out) { .reg .b32 %r; .reg .b64 %a; ld.param.u64 %a, [out];\n" +
		"ld.global.u32 %r, [v]; add.u32 %r, %r, 1; st.global.u32 [v], %r; st.global.u32 [%a], %r; ret; }"
	d, s := opened(t)
	_, k := kernelOf(t, d, image, "k")
	result := func() (v int32) {
		p := alloc(t, d, s, []int32{0})
		block := (*[8]byte)(unsafe.Pointer(&p))[:]
		require.Equal(t, driver.Success, d.LaunchKernel(k, config(1, 1, 0), s, block, []uint32{0}))
		require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&v), p, 4, s))
		require.Equal(t, driver.Success, d.StreamSynchronize(s))
		return v
	}
	assert.Equal(t, int32(42), result())
	assert.Equal(t, int32(43), result())
	require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
	_, r := d.DevicePrimaryCtxRetain(deviceOf(d))
	require.Equal(t, driver.Success, r)
	s, _ = d.StreamCreate(0)
	assert.Equal(t, int32(42), result())
}

// TestManyStreams has goroutines allocate, launch, copy and free at once.
func TestManyStreams(t *testing.T) {
	d, _ := opened(t)
	_, k := kernelOf(t, d, examplePTX(t), "add_delta")
	var wg sync.WaitGroup
	for g := range 4 * runtime.GOMAXPROCS(0) {
		s, r := d.StreamCreate(0)
		require.Equal(t, driver.Success, r)
		wg.Go(func() {
			for range 20 {
				data := make([]int32, 1000)
				p, r := d.MemAllocAsync(4000, s)
				assert.Equal(t, driver.Success, r)
				d.MemcpyHtoDAsync(p, unsafe.Pointer(&data[0]), 4000, s)
				assert.Equal(t, driver.Success, d.LaunchKernel(k, config(8, 128, 0), s, addDelta(1000, p, int32(g)), addDeltaOffsets))
				d.MemcpyDtoHAsync(unsafe.Pointer(&data[0]), p, 4000, s)
				d.MemFreeAsync(p, s)
				assert.Equal(t, driver.Success, d.StreamSynchronize(s))
				assert.Equal(t, []int32{int32(g), int32(g)}, []int32{data[0], data[999]})
			}
		})
	}
	wg.Wait()
}

// TestUnsupportedLaunch asks the driver about a kernel that is not supported.
func TestUnsupportedLaunch(t *testing.T) {
	d, s := opened(t)
	image := ptxHeader + ".extern .func f(); .global .u64 x[1] = {f}; .entry good() { ret; } .entry bad(.param .u32 n) { .shared .u32 v; frobnicate; ret; }"
	lib, bad := kernelOf(t, d, image, "bad")
	good, r := d.LibraryGetKernel(lib, "good")
	require.Equal(t, driver.Success, r)
	assert.Empty(t, d.(*device).Unsupported(good))
	assert.Empty(t, d.(*device).Unsupported(bad+1000))
	assert.Contains(t, d.(*device).Unsupported(bad), "instruction frobnicate")
	_, size, r := d.KernelGetParamInfo(bad, 0)
	assert.Equal(t, []any{uint64(4), driver.Success}, []any{size, r}, "its parameters are known")
	assert.Equal(t, driver.ErrorNotSupported, d.LaunchKernel(bad, config(1, 1, 0), s, make([]byte, 4), []uint32{0}))
	for _, attr := range []driver.FunctionAttribute{driver.FuncSharedSizeBytes, driver.FuncLocalSizeBytes, driver.FuncNumRegs, driver.FuncMaxDynamicSharedBytes} {
		assert.Equal(t, driver.ErrorNotSupported, second(d.KernelGetAttribute(attr, bad, deviceOf(d))), "what may be wrong is not said")
	}
	assert.Equal(t, driver.ErrorNotSupported, second(d.OccupancyMaxActiveBlocksPerMultiprocessor(bad, 32, 0)))
	_, _, r = d.LibraryGetGlobal(lib, "x")
	assert.Equal(t, driver.ErrorNotSupported, r)
	assert.Contains(t, d.LibraryLog(lib), "f in the initial value of x")
	assert.Equal(t, driver.Success, d.LaunchKernel(good, config(1, 1, 0), s, nil, nil), "it does no harm to others")
	assert.Equal(t, driver.Success, d.StreamSynchronize(s))
}
