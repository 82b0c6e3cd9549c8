package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// A machine is a device with one module.
type machine struct {
	*device
	t      *testing.T
	stream driver.Stream
	module driver.Library
}

func newMachine(t *testing.T, ptx string, checks driver.Checks) *machine {
	t.Helper()
	d, s := opened(t)
	m := &machine{device: d.(*device), t: t, stream: s}
	t.Cleanup(func() { m.DevicePrimaryCtxRelease(m.dev) })
	m.SetChecks(checks)
	lib, r := m.LibraryLoadData([]byte(ptx))
	require.Equal(t, driver.Success, r, m.LibraryLog(lib))
	m.module = lib
	return m
}

func (m *machine) kernel(name string) driver.Kernel {
	m.t.Helper()
	k, r := m.LibraryGetKernel(m.module, name)
	require.Equal(m.t, driver.Success, r)
	return k
}

func examplePTX(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "example", "kernels.ptx"))
	require.NoError(t, err)
	return string(src)
}

// Upload allocates device memory with the little-endian bytes of values, a slice of
// numbers of a fixed size.
func (m *machine) upload(values any) uint64 {
	m.t.Helper()
	bytes, err := binary.Append(nil, binary.LittleEndian, values)
	require.NoError(m.t, err)
	p, r := m.MemAlloc(uint64(len(bytes)))
	require.Equal(m.t, driver.Success, r)
	require.Equal(m.t, driver.Success, m.MemcpyHtoDAsync(p, unsafe.Pointer(&bytes[0]), uint64(len(bytes)), m.stream))
	require.Equal(m.t, driver.Success, m.StreamSynchronize(m.stream))
	return uint64(p)
}

// Download fills values, a slice, from device memory.
func (m *machine) download(addr uint64, values any) {
	m.t.Helper()
	bytes := make([]byte, binary.Size(values))
	require.Equal(m.t, driver.Success, m.MemcpyDtoHAsync(unsafe.Pointer(&bytes[0]), driver.DevicePtr(addr), uint64(len(bytes)), m.stream))
	require.Equal(m.t, driver.Success, m.StreamSynchronize(m.stream))
	_, err := binary.Decode(bytes, binary.LittleEndian, values)
	require.NoError(m.t, err)
}

// Launch runs the kernel called name, and returns what has stopped it.
func (m *machine) launch(name string, cfg driver.LaunchConfig, args ...any) *driver.Fault {
	m.t.Helper()
	var params []byte
	var offsets []uint32
	for _, arg := range args {
		offsets = append(offsets, uint32(len(params)))
		var err error
		params, err = binary.Append(params, binary.LittleEndian, arg)
		require.NoError(m.t, err)
	}
	k := m.kernel(name)
	require.Equal(m.t, driver.Success, m.LaunchKernel(k, cfg, m.stream, params, offsets), m.Unsupported(k))
	m.StreamSynchronize(m.stream)
	return m.Fault()
}

func config(grid, block, sharedBytes uint32) driver.LaunchConfig {
	return driver.LaunchConfig{Grid: driver.Dim3{X: grid, Y: 1, Z: 1}, Block: driver.Dim3{X: block, Y: 1, Z: 1}, SharedBytes: sharedBytes}
}

// Entry is a module with one kernel of the parameters p (.u64) and n (.u32).
func entry(body string) string {
	return ptxHeader + ".extern .shared .align 8 .b8 dyn[];\n.entry k(.param .u64 p, .param .u32 n)\n{\n" +
		".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n" +
		"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n" + body + "\nret;\n}\n"
}

// BodyLine is the line of the first line of body in entry's text.
const bodyLine = 9

func list(prefix string, from, count int) string {
	var names []string
	for n := range count {
		names = append(names, fmt.Sprintf("%%%s%d", prefix, from+n))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// Encode returns the bits of a small whole number.
func encode(ty string, n int) uint64 {
	switch ty {
	case "f64":
		return math.Float64bits(float64(n))
	case "f32", "tf32":
		return uint64(math.Float32bits(float32(n)))
	case "f16", "bf16", "e4m3", "e5m2":
		return map[string]*softfloat.Format{"f16": softfloat.F16, "bf16": softfloat.BF16, "e4m3": softfloat.E4M3, "e5m2": softfloat.E5M2}[ty].Round(float64(n), softfloat.Nearest)
	}
	return uint64(int64(n))
}

// WarpRun runs body on one warp. Lane l loads in registers of 64 bits, from in, into %l0, %l1, …
// and as 32 bits into %r0, %r1, …; body leaves results in %o0, %o1, … of 32 bits or %q0 … of 64.
func warpRun(t *testing.T, body string, in [32][]uint64, results int) (out [32][]uint64) {
	t.Helper()
	count := len(in[0])
	var b strings.Builder
	b.WriteString(ptxHeader + ".entry k(.param .u64 in, .param .u64 out) {\n.reg .b64 %a<9>; .reg .b32 %t<9>; .reg .b64 %l<40>; .reg .b32 %r<40>; .reg .b32 %o<40>; .reg .b64 %q<40>; .reg .pred %p<9>; .shared .align 16 .b8 mem[4096];\n")
	fmt.Fprintf(&b, "ld.param.u64 %%a1, [in]; ld.param.u64 %%a2, [out]; mov.u32 %%t1, %%laneid; mul.wide.u32 %%a3, %%t1, %d; add.s64 %%a1, %%a1, %%a3; mul.wide.u32 %%a3, %%t1, %d; add.s64 %%a2, %%a2, %%a3;\n", 8*count, 8*results)
	for n := range count {
		fmt.Fprintf(&b, "ld.global.u64 %%l%d, [%%a1+%d]; cvt.u32.u64 %%r%d, %%l%d;\n", n, 8*n, n, n)
	}
	b.WriteString(body + "\n")
	for n := range results {
		if strings.Contains(body, "%q0") {
			fmt.Fprintf(&b, "st.global.u64 [%%a2+%d], %%q%d;\n", 8*n, n)
		} else {
			fmt.Fprintf(&b, "cvt.u64.u32 %%q%d, %%o%d; st.global.u64 [%%a2+%d], %%q%d;\n", n, n, 8*n, n)
		}
	}
	b.WriteString("ret; }\n")
	m := newMachine(t, b.String(), driver.Checks{})
	var flat []uint64
	for l := range in {
		flat = append(flat, in[l]...)
	}
	got := make([]uint64, 32*results)
	addr := m.upload(got)
	require.Nil(t, m.launch("k", config(1, 32, 0), m.upload(flat), addr))
	m.download(addr, got)
	for l := range out {
		out[l] = got[l*results : (l+1)*results]
	}
	return out
}

const ptxHeader = ".version 8.0\n.target sm_90\n.address_size 64\n"
