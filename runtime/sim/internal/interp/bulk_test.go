package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBulkCopy: a copy to shared memory ends a phase of its barrier, and one back has a group.
func TestBulkCopy(t *testing.T) {
	const body = `.shared .align 16 .b8 buf[128]; .shared .align 8 .b64 bar;
setp.ne.u32 %p1, %r2, 0; @%p1 bra WAIT;
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
mov.u32 %r3, buf; mov.u32 %r4, bar; mov.u32 %r5, SIZE;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], %r5, [%r4];
WAIT: bar.sync 0;
W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;
shl.b32 %r6, %r2, 2; mov.u32 %r3, buf; add.u32 %r6, %r3, %r6; ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, 100; st.shared.u32 [%r6], %r7; bar.sync 0;
@%p1 ret;
fence.proxy.async.shared::cta; add.s64 %rd2, %rd1, 64; cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;`
	m := newMachine(t, entry(replaced(body, "SIZE", "64")))
	require.Empty(t, m.lib.Kernels["k"].Unsupported)
	data := make([]uint32, 32)
	for i := range 16 {
		data[i] = uint32(i)
	}
	addr := m.upload(data)
	_, fault := m.launch("k", config(1, 16, 0), addr, uint32(0))
	require.Nil(t, fault)
	m.download(addr, data)
	for i := range 16 {
		assert.Equal(t, uint32(i+100), data[16+i])
	}
	m = newMachine(t, entry(replaced(body, "SIZE", "40")))
	_, fault = m.launch("k", config(1, 16, 0), m.upload(data), uint32(0))
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "a bulk copy of 40 bytes")
}
