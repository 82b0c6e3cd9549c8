package interp

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
)

// reordered are instructions with modifiers in orders that the PTX ISA does not write.
const reordered = `ld.global.acquire.sys.u32 %r5, [%rd2];
ld.sys.acquire.u32 %r5, [%rd2];
ld.global.volatile.v2.u32 {%r5, %r6}, [%rd1];
st.global.release.gpu.u32 [%rd2], %r2;
st.u32.global [%rd2], %r2;
atom.add.release.gpu.u32 %r7, [%rd2], 10;
atom.global.add.release.gpu.u32 %r7, [%rd2], 100;
atom.global.gpu.add.u32 %r7, [%rd2], 1000;
atom.add.u32.global %r7, [%rd2], 10000;
atom.cas.acquire.cta.b32 %r7, [%rd2], 5, 6;
atom.exch.global.acquire.gpu.b32 %r8, [%rd1+256], %r2;
red.add.release.gpu.global.u32 [%rd2], 100000;
red.global.gpu.add.u32 [%rd2], 1000000;
red.gpu.max.global.relaxed.u32 [%rd2], 3;
add.f32.ftz.rn %f1, %f1, %f1;
cvt.s32.rni.f32 %r5, %f1;
shfl.idx.sync.b32 %r5, %r2, 0, 31, -1;
vote.ballot.sync.b32 %r5, %p1, -1;
match.sync.any.b32 %r5, %r2, -1;
mul.ftz.rn.f32 %f1, %f1, %f1;
`

func TestModifiersInAnyOrder(t *testing.T) {
	out := outputs(t, 65, reordered)
	assert.Equal(t, uint32(1111110+7), out[7])
	m := newMachine(t, entry("ld.global.global.u32 %r5, [%rd1];"))
	assert.Contains(t, m.lib.Kernels["k"].Unsupported, "instruction ld.global.global.u32", "one of a kind")
	m = newMachine(t, entry("ld.global.acquire.sys.mmio.u32 %r5, [%rd1];"))
	assert.Contains(t, m.lib.Kernels["k"].Unsupported, "instruction ld.global.acquire.sys.mmio.u32")
	m = newMachine(t, entry("cvt.s32.f32.f32.rni %r1, %f1;"))
	assert.Contains(t, m.lib.Kernels["k"].Unsupported, "instruction cvt.s32.f32.f32.rni")
	assert.Equal(t, uint64(0xfffffffe), compute(t, "cvt.s32.rni.f32 $0, $1;", "s32", []ptx.Type{"f32"}, [][]uint64{{0xbfc00000}})[0]&(1<<32-1), "types keep their order")
}

// TestModifiersInAnyOrderOfPtxas asks ptxas about the same instructions.
func TestModifiersInAnyOrderOfPtxas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.ptx")
	ptxas := filepath.Join(filepath.Dir(testenv.NVCCPath(t)), "ptxas")
	assembles := func(body string) error {
		require.NoError(t, os.WriteFile(path, []byte(entry("mov.u64 %rd2, %rd1;\n"+body)), 0o600))
		out, err := exec.Command(ptxas, "-arch=sm_90", path, "-o", path+".cubin").CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return err
	}
	assert.NoError(t, assembles(reordered))
	assert.Error(t, assembles("ld.global.global.u32 %r5, [%rd1];"), "the control")
}
