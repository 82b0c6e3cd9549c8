//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gpuModule has a kernel with the parameters of launchSaxpy, and one whose third
// parameter is aligned to 32 bytes: it stores what it was given.
const gpuModule = `.version 7.5
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<6>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p, %r5, %r1;
	@%p ret;
	ld.param.f32 %f1, [a];
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	mul.wide.u32 %rd3, %r5, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
	ld.global.f32 %f2, [%rd4];
	ld.global.f32 %f3, [%rd5];
	fma.rn.f32 %f3, %f1, %f2, %f3;
	st.global.f32 [%rd5], %f3;
	ret;
}
.visible .entry wide(.param .u8 first, .param .u64 out, .param .align 32 .b8 aligned[32], .param .u32 last)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd;
	ld.param.u64 %rd, [out];
	ld.param.u8 %r1, [first];
	ld.param.u32 %r2, [aligned+28];
	ld.param.u32 %r3, [last];
	st.global.u32 [%rd], %r1;
	st.global.u32 [%rd+4], %r2;
	st.global.u32 [%rd+8], %r3;
	ret;
}
`

// newGPU returns the machine's first GPU.
func newGPU(t testing.TB) *device {
	t.Helper()
	testenv.Need(t, testenv.GPU)
	d, err := open(os.Getenv("CUDAGEN_LIBCUDA"))
	require.NoError(t, err)
	require.Equal(t, driver.Success, d.Init())
	gpu := &device{Driver: d}
	var r driver.Result
	gpu.ctx, r = d.DevicePrimaryCtxRetain(0)
	require.Equal(t, driver.Success, r)
	t.Cleanup(func() { assert.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(0)) })
	gpu.stream = gpu.newStream(t)
	t.Cleanup(func() { assert.Equal(t, driver.Success, d.StreamDestroy(gpu.stream)) })
	return gpu
}

// load loads gpuModule until the test ends.
func (d *device) load(t testing.TB) driver.Library {
	t.Helper()
	lib, r := d.LibraryLoadData([]byte(gpuModule))
	require.Equal(t, driver.Success, r, d.LibraryLog(lib))
	t.Cleanup(func() { assert.Equal(t, driver.Success, d.LibraryUnload(lib)) })
	return lib
}

func (d *device) kernel(t testing.TB, lib driver.Library, name string) driver.Kernel {
	t.Helper()
	k, r := d.LibraryGetKernel(lib, name)
	require.Equal(t, driver.Success, r, d.LibraryLog(lib))
	return k
}

// upload copies host to new device memory, which is freed when the test ends.
func upload[T any](t testing.TB, d *device, host []T) driver.DevicePtr {
	t.Helper()
	bytes := uint64(len(host)) * uint64(unsafe.Sizeof(host[0]))
	p, r := d.MemAllocAsync(bytes, d.stream)
	require.Equal(t, driver.Success, r)
	t.Cleanup(func() { assert.Equal(t, driver.Success, d.MemFreeAsync(p, d.stream)) })
	require.Equal(t, driver.Success, d.MemcpyHtoDAsync(p, unsafe.Pointer(&host[0]), bytes, d.stream))
	require.Equal(t, driver.Success, d.StreamSynchronize(d.stream))
	return p
}

func download[T any](t testing.TB, d *device, host []T, p driver.DevicePtr) {
	t.Helper()
	bytes := uint64(len(host)) * uint64(unsafe.Sizeof(host[0]))
	require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&host[0]), p, bytes, d.stream))
	require.Equal(t, driver.Success, d.StreamSynchronize(d.stream))
}

// TestGPULaunchOfNoKernel: a kernel's handle may become 0, because its library is
// closed, after a launch has looked at it. The driver refuses that.
func TestGPULaunchOfNoKernel(t *testing.T) {
	d := newGPU(t)
	var params saxpyParams
	assert.Equal(t, driver.ErrorInvalidHandle, launchOn(d.entry(driver.LaunchKernel), &LaunchRecord{
		Target: &Target{Offsets: &saxpyOffsets[0], Count: 4, ParamBytes: 24},
		Stream: d.stream, Params: unsafe.Pointer(&params),
		Config: &LaunchConfig{GridX: 4, GridY: 1, GridZ: 1, BlockX: 256, BlockY: 1, BlockZ: 1},
	}))
}

func TestGPULaunch(t *testing.T) {
	d := newGPU(t)
	const n = 1000
	x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		x[i], y[i] = float32(i), 1
		want[i] = 2*x[i] + y[i]
	}
	px, py := upload(t, d, x), upload(t, d, y)
	params := saxpyParams{N: n, A: 2, X: uint64(px), Y: uint64(py)}
	require.Equal(t, driver.Success, launchOn(d.entry(driver.LaunchKernel), &LaunchRecord{
		Target: &Target{Kernel: d.kernel(t, d.load(t), "saxpy"), Offsets: &saxpyOffsets[0], Count: 4, ParamBytes: 24},
		Stream: d.stream, Params: unsafe.Pointer(&params),
		Config: &LaunchConfig{GridX: 4, GridY: 1, GridZ: 1, BlockX: 256, BlockY: 1, BlockZ: 1},
	}))
	download(t, d, y, py)
	assert.Equal(t, want, y)
}

// TestGPUAlignedParameter launches with a parameter aligned to 32 bytes, which the
// hardware does not find where C++ puts it.
func TestGPUAlignedParameter(t *testing.T) {
	d := newGPU(t)
	k := d.kernel(t, d.load(t), "wide")
	out := make([]uint32, 3)
	p := upload(t, d, out)
	var params struct {
		First   uint8
		Out     uint64
		_       [16]byte
		Aligned [8]uint32 // offset 32
		Last    uint32
	}
	params.First, params.Out, params.Aligned[7], params.Last = 5, uint64(p), 6, 7
	block := unsafe.Slice((*byte)(unsafe.Pointer(&params)), 68)
	one := driver.Dim3{X: 1, Y: 1, Z: 1}
	require.Equal(t, driver.Success, d.LaunchKernel(k, driver.LaunchConfig{Grid: one, Block: one}, d.stream, block, []uint32{0, 8, 32, 64}))
	download(t, d, out, p)
	assert.Equal(t, []uint32{5, 6, 7}, out)

	version, r := d.DriverGetVersion()
	require.Equal(t, driver.Success, r)
	if version >= driver.KernelGetParamInfo.Since() {
		d.withContext(t, func() {
			_, size, r := d.KernelGetParamInfo(k, 2)
			assert.Equal(t, driver.Success, r)
			assert.Equal(t, uint64(32), size)
		})
	}
}

// TestGPULog loads PTX that no driver compiles: what the compiler says comes late, to
// memory that the driver has kept.
func TestGPULog(t *testing.T) {
	d := newGPU(t)
	lib, r := d.LibraryLoadData([]byte(strings.Replace(gpuModule, "7.5", "99.9", 1)))
	if r == driver.Success {
		_, r = d.LibraryGetKernel(lib, "saxpy")
		t.Cleanup(func() { assert.Equal(t, driver.Success, d.LibraryUnload(lib)) })
	}
	assert.Equal(t, driver.ErrorUnsupportedPTXVersion, r)
	assert.Contains(t, d.LibraryLog(lib), "Unsupported .version 99.9; current version is '")
}

// TestGPUEveryEntryPoint calls what the other tests do not, each once.
func TestGPUEveryEntryPoint(t *testing.T) {
	d := newGPU(t)
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		if d.version >= e.Since() {
			assert.NoError(t, d.Check(e))
		}
	}
	name, r := d.DeviceGetName(0)
	assert.Equal(t, driver.Success, r)
	assert.NotEmpty(t, name)
	uuid, r := d.DeviceGetUuid(0)
	assert.Equal(t, driver.Success, r)
	assert.NotZero(t, uuid)
	warp, r := d.DeviceGetAttribute(driver.WarpSize, 0)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, 32, warp)
	memory, r := d.DeviceTotalMem(0)
	assert.Equal(t, driver.Success, r)
	assert.Greater(t, memory, uint64(1<<30))
	registers, r := d.KernelGetAttribute(driver.FuncNumRegs, d.kernel(t, d.load(t), "saxpy"), 0)
	assert.Equal(t, driver.Success, r)
	assert.Positive(t, registers)
	t.Logf("%s, CUDA %s", name, formatVersion(d.version))

	a := make([]byte, 64)
	p, q := upload(t, d, a), upload(t, d, a)
	assert.Equal(t, driver.Success, d.MemsetD8Async(p, 0xab, 64, d.stream))
	assert.Equal(t, driver.Success, d.MemcpyDtoDAsync(q, p, 64, d.stream))
	download(t, d, a, q)
	assert.Equal(t, strings.Repeat("\xab", 64), string(a))
	assert.Equal(t, driver.Success, d.StreamQuery(d.stream))
	d.withContext(t, func() { assert.Equal(t, driver.Success, d.CtxSynchronize()) })
}

// BenchmarkGPULaunch is what a launch costs, the queue drained every 500 launches.
func BenchmarkGPULaunch(b *testing.B) {
	d := newGPU(b)
	k, fn := d.kernel(b, d.load(b), "saxpy"), d.entry(driver.LaunchKernel)
	b.ReportAllocs()
	launched := 0
	for b.Loop() {
		launchSaxpy(fn, k, d.stream, 0)
		if launched++; launched%500 == 0 {
			d.StreamSynchronize(d.stream)
		}
	}
}
