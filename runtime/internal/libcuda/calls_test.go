//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// callByName calls the method of e with zero arguments and returns its Result.
func callByName(d driver.Driver, e driver.EntryPoint) driver.Result {
	method := reflect.ValueOf(d).MethodByName(e.Name()[len("cu"):])
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		args = append(args, reflect.Zero(method.Type().In(i)))
	}
	out := method.Call(args)
	return out[len(out)-1].Interface().(driver.Result)
}

// hasMethod says whether e is of the interface Driver, and not of Typed.
func hasMethod(d driver.Driver, e driver.EntryPoint) bool {
	return reflect.ValueOf(d).MethodByName(e.Name()[len("cu"):]).IsValid()
}

// TestEveryEntryPoint calls each method once: exactly its own entry point is called,
// and the driver's result comes back, also a negative one, whose register may hold
// anything above its 32 bits.
func TestEveryEntryPoint(t *testing.T) {
	d, fake := openFake(t, fakecuda.Options{})
	require.Equal(t, driver.Success, d.Init())
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		if !hasMethod(d, e) {
			continue // TestTypedEntryPoints
		}
		t.Run(e.Name(), func(t *testing.T) {
			for _, want := range []driver.Result{driver.ErrorSystemNotReady, -2} {
				fake.Reset()
				fake.Fail(e.Name(), int(want))
				assert.Equal(t, want, callByName(d, e))
				assert.Equal(t, []string{e.Name()}, fake.Calls())
			}
		})
	}
}

// TestFailNth is how a program is tested against every failure: the nth call fails,
// for n from 1 until the program succeeds.
func TestFailNth(t *testing.T) {
	d, fake := openFake(t, fakecuda.Options{})
	require.Equal(t, driver.Success, d.Init())
	program := func() []driver.Result {
		_, r1 := d.DeviceGetCount()
		_, r2 := d.DeviceGet(0)
		_, r3 := d.DeviceTotalMem(0)
		return []driver.Result{r1, r2, r3}
	}
	for n := 1; n <= 4; n++ {
		fake.Reset()
		fake.FailNth(n, int(driver.ErrorUnknown))
		want := make([]driver.Result, 3)
		if n <= 3 {
			want[n-1] = driver.ErrorUnknown
		}
		assert.Equal(t, want, program())
	}
}

func TestDevices(t *testing.T) {
	d, fake := openFake(t, fakecuda.Options{Version: 12090})
	fake.SetDevices(2)

	version, r := d.DriverGetVersion()
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, 12090, version)

	_, r = d.DeviceGetCount()
	assert.Equal(t, driver.ErrorNotInitialized, r, "before Init")
	require.Equal(t, driver.Success, d.Init())

	count, r := d.DeviceGetCount()
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, 2, count)

	dev, r := d.DeviceGet(1)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, driver.Device(1), dev)
	for _, ordinal := range []int{-1, 2} {
		_, r = d.DeviceGet(ordinal)
		assert.Equal(t, driver.ErrorInvalidDevice, r)
	}

	name, r := d.DeviceGetName(dev)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, "Fake GPU 1", name)

	uuid, r := d.DeviceGetUuid(dev)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, [16]byte{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}, uuid)

	threads, r := d.DeviceGetAttribute(driver.MaxThreadsPerBlock, dev)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, 1024, threads)
	_, r = d.DeviceGetAttribute(9999, dev)
	assert.Equal(t, driver.ErrorInvalidValue, r)

	memory, r := d.DeviceTotalMem(dev)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, uint64(1<<37), memory)
}

func TestNoDevice(t *testing.T) {
	d, fake := openFake(t, fakecuda.Options{})
	fake.SetDevices(0)
	assert.Equal(t, driver.ErrorNoDevice, d.Init())
}

// TestContexts calls what needs a context, without and with one.
func TestContexts(t *testing.T) {
	d := newDevice(t)
	k := d.kernels(t, []param{{4, 4}, {32, 32}})[0]

	_, r := d.CtxPopCurrent()
	assert.Equal(t, driver.ErrorInvalidContext, r)
	assert.Equal(t, driver.ErrorInvalidContext, d.CtxSynchronize())
	_, r = d.StreamCreate(1)
	assert.Equal(t, driver.ErrorInvalidContext, r)
	_, _, r = d.KernelGetParamInfo(k, 0)
	assert.Equal(t, driver.ErrorInvalidContext, r)
	assert.Equal(t, driver.ErrorInvalidContext, d.CtxPushCurrent(1), "no such context")

	d.withContext(t, func() {
		assert.Equal(t, driver.Success, d.CtxSynchronize())

		s, r := d.StreamCreate(1)
		require.Equal(t, driver.Success, r)
		assert.Equal(t, driver.Success, d.StreamQuery(s))
		assert.Equal(t, driver.Success, d.StreamSynchronize(s))
		assert.Equal(t, driver.Success, d.StreamDestroy(s))
		assert.Equal(t, driver.ErrorInvalidHandle, d.StreamDestroy(s), "twice")

		offset, size, r := d.KernelGetParamInfo(k, 1)
		assert.Equal(t, driver.Success, r)
		assert.Equal(t, []uint64{32, 32}, []uint64{offset, size})
		_, _, r = d.KernelGetParamInfo(k, 2)
		assert.Equal(t, driver.ErrorInvalidValue, r)
	})

	registers, r := d.KernelGetAttribute(driver.FuncNumRegs, k, 0)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, 32, registers)

	assert.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(0))
	assert.Equal(t, driver.ErrorInvalidContext, d.DevicePrimaryCtxRelease(0), "twice")
}

func TestMemory(t *testing.T) {
	d := newDevice(t)
	allocate := func(bytes uint64) driver.DevicePtr {
		p, r := d.MemAllocAsync(bytes, d.stream)
		require.Equal(t, driver.Success, r)
		return p
	}
	const size = 1000
	a, b := allocate(size), allocate(size)
	sent, received := pattern(1, size), make([]byte, size)

	assert.Equal(t, driver.Success, d.MemcpyHtoDAsync(a, unsafe.Pointer(&sent[0]), size, d.stream))
	assert.Equal(t, driver.Success, d.MemcpyDtoDAsync(b, a, size, d.stream))
	assert.Equal(t, driver.Success, d.MemsetD8Async(b+10, 0xab, 20, d.stream))
	assert.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&received[0]), b, size, d.stream))
	copy(sent[10:], slices.Repeat([]byte{0xab}, 20))
	assert.Equal(t, sent, received)

	assert.Equal(t, driver.ErrorInvalidValue, d.MemcpyHtoDAsync(a+1, unsafe.Pointer(&sent[0]), size, d.stream), "past the end")
	assert.Equal(t, driver.ErrorInvalidValue, d.MemsetD8Async(a, 0, size+1, d.stream), "past the end")
	assert.Equal(t, driver.ErrorInvalidValue, d.MemFreeAsync(a+1, d.stream), "not the beginning")
	assert.Equal(t, driver.Success, d.MemFreeAsync(a, d.stream))
	assert.Equal(t, driver.ErrorInvalidValue, d.MemFreeAsync(a, d.stream), "twice")
	assert.Equal(t, driver.ErrorInvalidContext, d.MemFreeAsync(b, 0), "the null stream")
	_, r := d.MemAllocAsync(1<<60, d.stream)
	assert.Equal(t, driver.ErrorOutOfMemory, r)
	assert.Equal(t, 1, d.fake.Live(fakecuda.Memory), "b")
}

func TestLibraries(t *testing.T) {
	d := newDevice(t)
	t.Run("two", func(t *testing.T) {
		first, r := d.LibraryLoadData(ptx([]param{{4, 4}}))
		require.Equal(t, driver.Success, r)
		second, r := d.LibraryLoadData(ptx([]param{{4, 4}}))
		require.Equal(t, driver.Success, r)
		k1, r := d.LibraryGetKernel(first, "k0")
		assert.Equal(t, driver.Success, r)
		k2, r := d.LibraryGetKernel(second, "k0")
		assert.Equal(t, driver.Success, r)
		assert.NotEqual(t, k1, k2)
		assert.Contains(t, d.LibraryLog(first), "ptxas info")

		assert.Equal(t, driver.Success, d.LibraryUnload(first))
		assert.Empty(t, d.LibraryLog(first))
		assert.Equal(t, driver.ErrorInvalidHandle, d.LibraryUnload(first), "twice")
		assert.Equal(t, driver.Success, d.LibraryUnload(second))
		assert.Zero(t, d.fake.Live(fakecuda.LoadedLibrary))
		assert.Zero(t, d.fake.Live(fakecuda.Kernel))
		assert.Empty(t, d.logs.byLibrary)
	})
	t.Run("no such kernel", func(t *testing.T) {
		lib, r := d.LibraryLoadData(ptx([]param{{4, 4}}))
		require.Equal(t, driver.Success, r)
		for _, name := range []string{"k1", "", "k0\x00", "k"} {
			_, r = d.LibraryGetKernel(lib, name)
			assert.Equal(t, driver.ErrorNotFound, r, "%q", name)
		}
	})
	t.Run("PTX that is too new comes to light late", func(t *testing.T) {
		lib, r := d.LibraryLoadData([]byte(strings.Replace(string(ptx(nil)), "7.5", "9.5", 1)))
		require.Equal(t, driver.Success, r)
		assert.Empty(t, d.LibraryLog(lib))
		_, r = d.LibraryGetKernel(lib, "k0")
		assert.Equal(t, driver.ErrorUnsupportedPTXVersion, r)
		assert.Equal(t, "ptxas application ptx input, line 1; fatal   : Unsupported .version 9.5; current version is '9.0'", d.LibraryLog(lib))
		assert.Equal(t, driver.Success, d.LibraryUnload(lib))
	})
	t.Run("refused", func(t *testing.T) {
		for _, image := range [][]byte{nil, {}, []byte("\x7fELF")} {
			refused, r := d.LibraryLoadData(image)
			assert.Equal(t, driver.ErrorInvalidImage, r)
			other, _ := d.LibraryLoadData(image)
			assert.Equal(t, "ptxas fatal   : the image is no PTX text", d.LibraryLog(refused))
			assert.Empty(t, d.LibraryLog(refused), "it is kept for one reading")
			assert.NotEmpty(t, d.LibraryLog(other))
		}
	})
}

// TestFakeReadsPTX holds the fake driver's reading of .param lists: other tests, here
// and in runtime/cuda, rely on it.
func TestFakeReadsPTX(t *testing.T) {
	d := newDevice(t)
	const head = "//\n// .entry comment(\n//\n.version 9.0\n.target sm_75\n.address_size 64\n"
	tests := []struct {
		name   string
		params string
		want   [][2]uint64 // offset and size; nil is a refusal
	}{
		{"no list", "k\n{ ret; }", [][2]uint64{}},
		{"empty list", "k()\n{ ret; }", [][2]uint64{}},
		{"scalars", "k(.param .u8 a, .param .s16 b, .param .f32 c, .param .b64 d)", [][2]uint64{{0, 1}, {2, 2}, {4, 4}, {8, 8}}},
		{"halves", "k(.param .f16 a, .param .f16x2 b, .param .b128 c)", [][2]uint64{{0, 2}, {4, 4}, {16, 16}}},
		{"pointer", "k(.param .u8 a, .param .u64 .ptr .global .align 1 p, .param .u8 b)", [][2]uint64{{0, 1}, {8, 8}, {16, 1}}},
		{"aligned array", "k(.param .u8 a, .param .align 32 .b8 s[40], .param .u32 b)", [][2]uint64{{0, 1}, {32, 40}, {72, 4}}},
		{"comments", "k(/* .param .u8 a, */ .param .u32 b // , .param .u64 c\n) .maxntid 256, 1, 1", [][2]uint64{{0, 4}}},
		{"unknown type", "k(.param .q32 a)", nil},
		{"no type", "k(.param a)", nil},
		{"alignment 3", "k(.param .align 3 .b8 a[4])", nil},
		{"no end", "k(.param .u32 a", nil},
		{"no bracket", "k(.param .align 4 .b8 a[4)", nil},
		{"no comma", "k(.param .u32 a .param .u32 b)", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lib, r := d.LibraryLoadData([]byte(head + ".visible .entry " + tt.params))
			require.Equal(t, driver.Success, r)
			k, r := d.LibraryGetKernel(lib, "k")
			if tt.want == nil {
				assert.Equal(t, driver.ErrorInvalidPTX, r)
				assert.Equal(t, "ptxas fatal   : the parameters of kernel k cannot be read", d.LibraryLog(lib))
				return
			}
			require.Equal(t, driver.Success, r, d.LibraryLog(lib))
			got := [][2]uint64{}
			d.withContext(t, func() {
				for i := 0; ; i++ {
					offset, size, r := d.KernelGetParamInfo(k, i)
					if r != driver.Success {
						return
					}
					got = append(got, [2]uint64{offset, size})
				}
			})
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestHotCallsDoNotAllocate makes each call through the interface, as runtime/cuda does.
func TestHotCallsDoNotAllocate(t *testing.T) {
	dev := newDevice(t)
	var d driver.Driver = dev.Driver
	s := dev.stream
	p, r := d.MemAllocAsync(64, s)
	require.Equal(t, driver.Success, r)
	host := make([]byte, 64)
	var event driver.Event
	dev.withContext(t, func() { event, _ = d.EventCreate(driver.EventDisableTiming) })
	var result driver.Result
	tests := []struct {
		name string
		call func()
	}{
		{"alloc and free", func() {
			p, r := d.MemAllocAsync(64, s)
			result |= r | d.MemFreeAsync(p, s)
		}},
		{"copy from the host", func() { result |= d.MemcpyHtoDAsync(p, unsafe.Pointer(&host[0]), 64, s) }},
		{"copy to the host", func() { result |= d.MemcpyDtoHAsync(unsafe.Pointer(&host[0]), p, 64, s) }},
		{"copy", func() { result |= d.MemcpyDtoDAsync(p, p, 64, s) }},
		{"set", func() { result |= d.MemsetD8Async(p, 1, 64, s) }},
		{"set 32 bits", func() { result |= d.MemsetD32Async(p, 1, 16, s) }},
		{"event record", func() { result |= d.EventRecord(event, s) }},
		{"event query", func() { result |= d.EventQuery(event) }},
		{"wait for an event", func() { result |= d.StreamWaitEvent(s, event, 0) }},
		{"copy of a box", func() {
			result |= d.Memcpy3DAsync(driver.Copy3D{
				Dst: driver.Memory3D{Device: p, PitchBytes: 8, Height: 2}, Src: driver.Memory3D{Host: unsafe.Pointer(&host[0]), PitchBytes: 16, Height: 2},
				WidthBytes: 4, Height: 2, Depth: 2,
			}, s)
		}},
		{"query", func() { result |= d.StreamQuery(s) }},
		{"synchronize", func() { result |= d.StreamSynchronize(s) }},
		{"device attribute", func() {
			_, r := d.DeviceGetAttribute(driver.WarpSize, 0)
			result |= r
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result = 0
			allocs := testing.AllocsPerRun(200, tt.call)
			if tt.name == "copy of a box" && pooledLaunch {
				allocs-- // purego is handed the description of the box, which is in the heap then
			}
			assertNoAllocs(t, allocs, true)
			assert.Equal(t, driver.Success, result)
		})
	}
}

func TestCallsFromManyGoroutines(t *testing.T) {
	d := newDevice(t)
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 30 {
				p, r := d.MemAllocAsync(64, d.stream)
				assert.Equal(t, driver.Success, r)
				sent, received := pattern(g*100+i, 64), make([]byte, 64)
				assert.Equal(t, driver.Success, d.MemcpyHtoDAsync(p, unsafe.Pointer(&sent[0]), 64, d.stream))
				assert.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&received[0]), p, 64, d.stream))
				assert.Equal(t, sent, received)
				assert.Equal(t, driver.Success, d.MemFreeAsync(p, d.stream))
			}
		})
	}
	wg.Wait()
	assert.Zero(t, d.fake.Live(fakecuda.Memory))
}
