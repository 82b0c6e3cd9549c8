//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openFake returns a Driver over a fake libcuda of its own, before cuInit.
func openFake(t testing.TB, o fakecuda.Options) (*Driver, *fakecuda.Library) {
	t.Helper()
	path := fakecuda.Build(t, o)
	d, err := open(path)
	require.NoError(t, err)
	return d, fakecuda.Load(t, path)
}

// A device is an initialized fake driver with a primary context and a stream.
type device struct {
	*Driver
	fake   *fakecuda.Library
	ctx    driver.Context
	stream driver.Stream
}

func newDevice(t testing.TB) *device {
	t.Helper()
	d, fake := openFake(t, fakecuda.Options{})
	dev := &device{Driver: d, fake: fake}
	require.Equal(t, driver.Success, d.Init())
	var r driver.Result
	dev.ctx, r = d.DevicePrimaryCtxRetain(0)
	require.Equal(t, driver.Success, r)
	dev.stream = dev.newStream(t)
	fake.Reset()
	return dev
}

// newStream makes a stream, as it must be done: with a context, on a locked thread.
func (d *device) newStream(t testing.TB) (s driver.Stream) {
	t.Helper()
	d.withContext(t, func() {
		var r driver.Result
		s, r = d.StreamCreate(1)
		require.Equal(t, driver.Success, r)
	})
	return s
}

func (d *device) withContext(t testing.TB, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.Equal(t, driver.Success, d.CtxPushCurrent(d.ctx))
	f()
	_, r := d.CtxPopCurrent()
	require.Equal(t, driver.Success, r)
}

// A param is one kernel parameter, in bytes.
type param struct{ size, align int }

// layout returns where C++ puts params, and how long their block is.
func layout(params []param) (offsets []uint32, size int) {
	for _, p := range params {
		size = (size + p.align - 1) / p.align * p.align
		offsets = append(offsets, uint32(size))
		size += p.size
	}
	return offsets, size
}

// ptx returns a module of empty kernels k0, k1, … with the parameters given.
func ptx(kernels ...[]param) []byte {
	var b strings.Builder
	b.WriteString(".version 7.5\n.target sm_75\n.address_size 64\n")
	for i, params := range kernels {
		var list []string
		for j, p := range params {
			list = append(list, fmt.Sprintf("\t.param .align %d .b8 k%d_param_%d[%d]", p.align, i, j, p.size))
		}
		fmt.Fprintf(&b, ".visible .entry k%d(\n%s\n)\n{\n\tret;\n}\n", i, strings.Join(list, ",\n"))
	}
	return []byte(b.String())
}

// kernels loads a module with the parameters given and returns its kernels in order.
func (d *device) kernels(t testing.TB, params ...[]param) []driver.Kernel {
	t.Helper()
	lib, r := d.LibraryLoadData(ptx(params...))
	require.Equal(t, driver.Success, r)
	var kernels []driver.Kernel
	for i := range params {
		k, r := d.LibraryGetKernel(lib, fmt.Sprintf("k%d", i))
		require.Equal(t, driver.Success, r, d.LibraryLog(lib))
		kernels = append(kernels, k)
	}
	return kernels
}

// pattern returns n bytes that are different for each seed.
func pattern(seed, n int) []byte {
	b := make([]byte, n)
	x := uint32(seed)*2654435761 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return b
}

// arguments returns the bytes of block that belong to params.
func arguments(block []byte, params []param) []byte {
	offsets, _ := layout(params)
	b := []byte{}
	for i, p := range params {
		b = append(b, block[offsets[i]:int(offsets[i])+p.size]...)
	}
	return b
}

// assertNoAllocs looks at the result of testing.AllocsPerRun. Under the race detector
// a sync.Pool drops some of what it is given, and what is pooled is allocated again.
func assertNoAllocs(t *testing.T, allocs float64, pooled bool) {
	t.Helper()
	if !pooled || !raceDetector {
		assert.Zero(t, allocs)
	}
}
