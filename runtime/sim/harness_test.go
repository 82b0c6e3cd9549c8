package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// A Machine runs kernels without streams and handles.
type machine struct {
	t   testing.TB
	mem memory.Memory
	lib *bytecode.Library
}

// LoadImage loads image for a device of the simulated device's compute capability.
func loadImage(image []byte, mem *memory.Memory) (*bytecode.Library, *bytecode.Refusal) {
	return interp.LoadAs(bytecode.ImageName, image, mem, limits.Capability)
}

func newMachine(t testing.TB, ptx string) *machine {
	t.Helper()
	return loadMachine(t, ptx, false)
}

// NewFollowedMachine is NewMachine with memory of which is followed what is undefined.
func newFollowedMachine(t testing.TB, ptx string) *machine {
	t.Helper()
	return loadMachine(t, ptx, true)
}

func loadMachine(t testing.TB, ptx string, followed bool) *machine {
	t.Helper()
	m := &machine{t: t}
	m.mem.Shadowed.Store(followed)
	t.Cleanup(m.mem.Reset)
	lib, refused := interp.LoadAs(bytecode.ImageName, []byte(ptx), &m.mem, 0)
	if refused != nil {
		require.FailNow(t, "load: "+refused.Log)
	}
	m.lib = lib
	return m
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
	n := binary.Size(values)
	addr, ok := m.mem.Alloc(uint64(n), memory.Allocation{})
	require.True(m.t, ok)
	b, ok := memory.BytesAt(addr, uint64(n))
	require.True(m.t, ok)
	_, err := binary.Encode(b, binary.LittleEndian, values)
	require.NoError(m.t, err)
	return addr
}

// Download fills values, a slice, from device memory.
func (m *machine) download(addr uint64, values any) {
	m.t.Helper()
	b, ok := memory.BytesAt(addr, uint64(binary.Size(values)))
	require.True(m.t, ok)
	_, err := binary.Decode(b, binary.LittleEndian, values)
	require.NoError(m.t, err)
}

// Arguments lays out args as the parameters of k.
func arguments(k *bytecode.Kernel, args ...any) []byte {
	params := make([]byte, k.ParamBytes)
	for n, arg := range args {
		if _, err := binary.Encode(params[k.Params[n].Offset:], binary.LittleEndian, arg); err != nil {
			panic(fmt.Sprint(k.Name, ": argument ", n, ": ", err))
		}
	}
	return params
}

func (m *machine) launch(name string, cfg driver.LaunchConfig, args ...any) (uint64, *interp.Failure) {
	m.t.Helper()
	k := m.lib.Kernels[name]
	require.NotNil(m.t, k, name)
	require.True(m.t, k.Accepts(cfg))
	run := interp.Execute(k, &m.mem, cfg, interp.Alone(), arguments(k, args...), new(atomic.Bool), 4, new(atomic.Uint64), interp.Checks{})
	return run.Executed.Load(), run.Fault
}

func config(grid, block, sharedBytes uint32) driver.LaunchConfig {
	return driver.LaunchConfig{Grid: driver.Dim3{X: grid, Y: 1, Z: 1}, Block: driver.Dim3{X: block, Y: 1, Z: 1}, SharedBytes: sharedBytes}
}

// Replaced is text with all of old replaced.
func replaced(text, old, by string) string { return strings.ReplaceAll(text, old, by) }

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
	m := newMachine(t, b.String())
	require.Empty(t, m.lib.Kernels["k"].Unsupported)
	var flat []uint64
	for l := range in {
		flat = append(flat, in[l]...)
	}
	got := make([]uint64, 32*results)
	addr := m.upload(got)
	_, fault := m.launch("k", config(1, 32, 0), m.upload(flat), addr)
	require.Nil(t, fault)
	m.download(addr, got)
	for l := range out {
		out[l] = got[l*results : (l+1)*results]
	}
	return out
}

const ptxHeader = ".version 8.0\n.target sm_90\n.address_size 64\n"
