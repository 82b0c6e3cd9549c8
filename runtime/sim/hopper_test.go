package sim

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A hopperCase is a launch of the kernel k(map, in, out) of a module, of instructions that Hopper GPUs
// have first: tensor copies and products of warpgroups. want is what a definition in Go says of out.
type hopperCase struct {
	name    string
	ptx     string
	tensor  driver.TensorMapDesc // its address is in, or out if stores
	stores  bool
	in, out []byte
	threads uint32
	blocks  uint32
	want    []byte
}

const hopperHead = ".version 8.6\n.target sm_90a\n.address_size 64\n"

// hopperEntry is the kernel of a case with body, which finds in and out in %l1 and %l2, the map in
// %l3, its thread in %r1 and bytes bytes of shared memory at buf, %r2, beside a barrier, %r3.
func hopperEntry(attributes string, bytes int, body string) string {
	return hopperHead + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out) " + attributes + " {\n" +
		".reg .b16 %h<20>; .reg .b32 %r<320>; .reg .b64 %l<40>; .reg .pred %p<16>; .reg .f32 %f<140>;\n" +
		".shared .align 1024 .b8 buf[" + itoa(bytes) + "]; .shared .align 8 .b64 bar;\n" +
		"ld.param.u64 %l1, [in]; ld.param.u64 %l2, [out]; mov.b64 %l3, map; cvta.param.u64 %l3, %l3;\n" +
		"mov.u32 %r1, %tid.x; mov.u32 %r2, buf; mov.u32 %r3, bar; mov.u32 %r4, %ntid.x; setp.eq.u32 %p1, %r1, 0;\n" +
		body + "\nret;\n}\n"
}

// run launches c on d and returns what is at out then.
func (c hopperCase) run(t *testing.T, d driver.Driver) []byte {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.Equal(t, driver.Success, d.Init())
	dev, r := d.DeviceGet(0)
	require.Equal(t, driver.Success, r)
	ctx, r := d.DevicePrimaryCtxRetain(dev)
	require.Equal(t, driver.Success, r)
	defer d.DevicePrimaryCtxRelease(dev)
	require.Equal(t, driver.Success, d.CtxPushCurrent(ctx))
	defer d.CtxPopCurrent()
	s, r := d.StreamCreate(1)
	require.Equal(t, driver.Success, r)
	in, r := d.MemAllocAsync(uint64(len(c.in)), s)
	require.Equal(t, driver.Success, r)
	out, r := d.MemAllocAsync(uint64(len(c.out)), s)
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, d.MemcpyHtoDAsync(in, unsafe.Pointer(&c.in[0]), uint64(len(c.in)), s))
	require.Equal(t, driver.Success, d.MemcpyHtoDAsync(out, unsafe.Pointer(&c.out[0]), uint64(len(c.out)), s))
	params := struct {
		tensor  driver.TensorMap
		in, out driver.DevicePtr
	}{in: in, out: out}
	if c.tensor.Rank > 0 {
		desc := c.tensor
		if desc.Address = in; c.stores {
			desc.Address = out
		}
		encode := d.TensorMapEncodeTiled
		if desc.Pixels > 0 {
			encode = d.TensorMapEncodeIm2col
		}
		params.tensor, r = encode(desc)
		require.Equal(t, driver.Success, r)
	}
	lib, r := d.LibraryLoadData([]byte(c.ptx))
	require.Equal(t, driver.Success, r, d.LibraryLog(lib))
	defer d.LibraryUnload(lib)
	k, r := d.LibraryGetKernel(lib, "k")
	require.Equal(t, driver.Success, r, d.LibraryLog(lib))
	require.Equal(t, driver.Success, d.LaunchKernel(k, config(max(1, c.blocks), c.threads, 0), s, unsafe.Slice((*byte)(unsafe.Pointer(&params)), unsafe.Sizeof(params)), []uint32{0, 128, 136}), d.LibraryLog(lib))
	got := make([]byte, len(c.out))
	require.Equal(t, driver.Success, d.MemcpyDtoHAsync(unsafe.Pointer(&got[0]), out, uint64(len(got)), s))
	require.Equal(t, driver.Success, d.StreamSynchronize(s))
	require.Equal(t, driver.Success, d.MemFreeAsync(in, s))
	require.Equal(t, driver.Success, d.MemFreeAsync(out, s))
	require.Equal(t, driver.Success, d.StreamSynchronize(s))
	return got
}

// hopperCases is all of them.
func hopperCases() []hopperCase {
	return append(slices.Concat(tensorCases(), columnsCases(), warpgroupCases(), sparseCases(), reductionCases()), gemmCase())
}

// TestHopper compares the simulated device with definitions in Go.
func TestHopper(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for _, c := range hopperCases() {
		t.Run(c.name, func(t *testing.T) {
			requireSame(t, c.want, c.run(t, newDevice(0)))
		})
	}
	t.Run("control", func(t *testing.T) { // one bit of what is read shows
		for _, c := range hopperCases() {
			c.in = append([]byte(nil), c.in...)
			for n := range c.in {
				c.in[n] ^= 1
			}
			if c.name == "tensor/load/2d" || c.name == "tensor/im2col/5d" || c.name == "wgmma/m64n8k16.f32.f16.f16" {
				assert.NotEqual(t, c.want, c.run(t, newDevice(0)), c.name)
			}
		}
	})
}

// TestHopperAssembles: ptxas takes the kernels.
func TestHopperAssembles(t *testing.T) {
	ptxas := filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas")
	text := hopperHead
	for n, c := range hopperCases() {
		text += strings.Replace(strings.TrimPrefix(c.ptx, hopperHead), ".entry k(", ".entry k"+itoa(n)+"(", 1)
	}
	path := filepath.Join(t.TempDir(), "hopper.ptx")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	out, err := exec.Command(ptxas, "-arch=sm_90a", "-O0", "-o", os.DevNull, path).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestHopperOnGPU compares the GPU with the same definitions.
func TestHopperOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	gpu, err := libcuda.Open()
	require.NoError(t, err)
	for _, c := range hopperCases() {
		t.Run(c.name, func(t *testing.T) { requireSame(t, c.want, c.run(t, gpu)) })
	}
}

// requireSame shows the first byte that differs.
func requireSame(t *testing.T, want, got []byte) {
	t.Helper()
	require.Len(t, got, len(want))
	wrong := 0
	for n := range want {
		if want[n] != got[n] {
			if wrong++; wrong <= 4 {
				t.Errorf("byte %#x: got %#x, want %#x", n, got[n], want[n])
			}
		}
	}
	require.Zero(t, wrong, "bytes of %d differ", len(want))
}
