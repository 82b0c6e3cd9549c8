package interp

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A Machine runs kernels without streams and handles.
type machine struct {
	t   testing.TB
	mem memory.Memory
	lib *bytecode.Library
}

// loadImage decodes image for a device of the simulated device's compute capability, and loads it.
func loadImage(image []byte, mem *memory.Memory) (*bytecode.Library, *bytecode.Refusal) {
	return loadFresh(image, mem, limits.Capability)
}

// loadFresh is LoadAs without images that were decoded before: tests change what they load.
func loadFresh(image []byte, mem *memory.Memory, capability int) (*bytecode.Library, *bytecode.Refusal) {
	img, refused := bytecode.Decode(bytecode.ImageName, image, capability, Assemblers(), false)
	if refused != nil {
		return nil, refused
	}
	return img.Load(mem, capability)
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
	lib, refused := loadFresh([]byte(ptx), &m.mem, 0)
	if refused != nil {
		require.FailNow(t, "load: "+refused.Log)
	}
	m.lib = lib
	return m
}

func examplePTX(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "example", "kernels.ptx"))
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

func (m *machine) launch(name string, cfg driver.LaunchConfig, args ...any) (uint64, *Failure) {
	m.t.Helper()
	k := m.lib.Kernels[name]
	require.NotNil(m.t, k, name)
	require.True(m.t, k.Accepts(cfg))
	return launch(k, &m.mem, cfg, arguments(k, args...), new(atomic.Bool), 4)
}

func config(grid, block, sharedBytes uint32) driver.LaunchConfig {
	return driver.LaunchConfig{Grid: driver.Dim3{X: grid, Y: 1, Z: 1}, Block: driver.Dim3{X: block, Y: 1, Z: 1}, SharedBytes: sharedBytes}
}

func config2(gx, gy, bx, by uint32) driver.LaunchConfig {
	return driver.LaunchConfig{Grid: driver.Dim3{X: gx, Y: gy, Z: 1}, Block: driver.Dim3{X: bx, Y: by, Z: 1}}
}

// Replaced is text with all of old replaced.
func replaced(text, old, by string) string { return strings.ReplaceAll(text, old, by) }

// defined is upload of values that count as defined.
func (m *machine) defined(values any) uint64 {
	m.t.Helper()
	addr := m.upload(values)
	memory.Define(addr, uint64(binary.Size(values)))
	return addr
}

// launch runs the grid on at most the given number of workers and returns how many
// thread instructions it executed, or what stopped it. params is in the layout of
// the PTX.
func launch(k *bytecode.Kernel, mem *memory.Memory, cfg driver.LaunchConfig, params []byte, stop *atomic.Bool, workers int) (executed uint64, fault *Failure) {
	run := Execute(k, mem, cfg, Alone(), params, stop, workers, new(atomic.Uint64), Checks{})
	return run.Executed.Load(), run.Fault
}
