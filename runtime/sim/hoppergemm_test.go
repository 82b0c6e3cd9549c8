package sim

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

// gemmCase multiplies a matrix of halves by its own lower rows, as GEMM kernels of CUTLASS do: boxes that the
// tensor memory accelerator swizzles are operands of wgmma, a quarter of a box after the other.
func gemmCase() hopperCase {
	const rows, columns, half = 128, 128, 64
	c := hopperCase{name: "gemm", threads: 128, in: make([]byte, rows*columns*2), out: make([]byte, half*half*4), want: make([]byte, half*half*4)}
	c.tensor = driver.TensorMapDesc{Type: driver.TensorFloat16, Rank: 2, Swizzle: 3}
	c.tensor.Dims, c.tensor.Box, c.tensor.Strides = [5]uint64{columns, rows}, [5]uint32{half, half}, [4]uint64{columns * 2}
	c.tensor.ElementStrides = [5]uint32{1, 1}
	value := func(row, column int) int { return (row*5+column*3+row*column)%7 - 3 }
	for row := range rows {
		for column := range columns {
			at := (row*columns + column) * 2
			interp.WriteWord(c.in[at:at+2], encode("f16", value(row, column)))
		}
	}
	for row := range half {
		for column := range half {
			sum := 0
			for k := range columns {
				sum += value(row, k) * value(half+column, k)
			}
			at := (row*half + column) * 4
			interp.WriteWord(c.want[at:at+4], encode("f32", sum))
		}
	}
	var b strings.Builder
	b.WriteString(hopperBarrier)
	for n := range 32 {
		fmt.Fprintf(&b, "mov.f32 %%f%d, 0f00000000;\n", n)
	}
	b.WriteString(`mov.u32 %r5, 0; mov.u32 %r6, 0; add.u32 %r7, %r2, 8192;
STAGE: @!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16384;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%l3, {%r5, 0}], [%r3];
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%l3, {%r5, 64}], [%r3];
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], %r6; @!%p3 bra WAIT;
wgmma.fence.sync.aligned;
`)
	for k := range 4 {
		for n, register := range []string{"%r2", "%r7"} {
			fmt.Fprintf(&b, "add.u32 %%r9, %s, %d; shr.u32 %%r9, %%r9, 4; cvt.u64.u32 %%l%d, %%r9; or.b64 %%l%d, %%l%d, %s;\n", register, 32*k, 12+n, 12+n, 12+n, descriptorText(16, 1024, 3))
		}
		fmt.Fprintf(&b, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 %s, %%l12, %%l13, 1, 1, 1, 0, 0;\n", list("f", 0, 32))
	}
	b.WriteString(`wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; bar.sync 0;
add.u32 %r5, %r5, 64; xor.b32 %r6, %r6, 1; setp.lt.u32 %p4, %r5, 128; @%p4 bra STAGE;
shr.u32 %r10, %r1, 5; shl.b32 %r10, %r10, 4; and.b32 %r11, %r1, 31; shr.u32 %r12, %r11, 2; add.u32 %r10, %r10, %r12; and.b32 %r11, %r11, 3; shl.b32 %r11, %r11, 1;
mad.lo.u32 %r13, %r10, 64, %r11; mul.wide.u32 %l10, %r13, 4; add.s64 %l10, %l10, %l2;
`)
	for n := range 32 {
		fmt.Fprintf(&b, "st.global.f32 [%%l10+%d], %%f%d;\n", n/4*32+n%2*4+n/2%2*8*64*4, n)
	}
	c.ptx = hopperEntry("", 16384, b.String())
	return c
}
