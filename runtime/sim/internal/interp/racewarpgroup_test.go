package interp

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hopperHead = ".version 8.6\n.target sm_90a\n.address_size 64\n"

// hopperEntry is the kernel of a case with body, which finds in and out in %l1 and %l2, the map in
// %l3, its thread in %r1 and bytes bytes of shared memory at buf, %r2, beside a barrier, %r3.
func hopperEntry(attributes string, bytes int, body string) string {
	return hopperHead + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out) " + attributes + " {\n" +
		".reg .b16 %h<20>; .reg .b32 %r<320>; .reg .b64 %l<40>; .reg .pred %p<16>; .reg .f32 %f<140>;\n" +
		".shared .align 1024 .b8 buf[" + strconv.Itoa(bytes) + "]; .shared .align 8 .b64 bar;\n" +
		"ld.param.u64 %l1, [in]; ld.param.u64 %l2, [out]; mov.b64 %l3, map; cvta.param.u64 %l3, %l3;\n" +
		"mov.u32 %r1, %tid.x; mov.u32 %r2, buf; mov.u32 %r3, bar; mov.u32 %r4, %ntid.x; setp.eq.u32 %p1, %r1, 0;\n" +
		body + "\nret;\n}\n"
}

// TestWarpgroupRaces: operands in shared memory may be written when the product that reads them was waited for.
func TestWarpgroupRaces(t *testing.T) {
	// 8 KiB of zeros; two products, of operands from 0 and from 4096 on.
	const fill = `mov.u32 %r5, %r1; mov.b64 %l10, 0; L: shl.b32 %r6, %r5, 3; add.u32 %r6, %r6, %r2; st.shared.b64 [%r6], %l10; add.u32 %r5, %r5, 128; setp.lt.u32 %p2, %r5, 1024; @%p2 bra L; bar.sync 0;
mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.u64 %l12, 0x800080000; mov.u64 %l13, 0x800080100; shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r2;
wgmma.fence.sync.aligned; `
	const first = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l12, %l12, 1, 1, 1, 0, 0; "
	const second = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l13, %l13, 1, 1, 1, 0, 0; "
	const commit, barrier = "wgmma.commit_group.sync.aligned; ", "bar.sync 0; "
	const wait0, wait1 = "wgmma.wait_group.sync.aligned 0; ", "wgmma.wait_group.sync.aligned 1; "
	const over, overSecond = "st.shared.b32 [%r6], %r1; ", "st.shared.b32 [%r6+4096], %r1; "
	const unread = "which wgmma of warp"
	for _, test := range []struct{ name, body, want string }{
		{"waited for, and a barrier", first + commit + wait0 + barrier + over, ""},
		{"not waited for", first + commit + barrier + over, unread},
		{"waited for behind the barrier", first + commit + barrier + wait0 + over, "race: "},
		{"not waited for by one warp", first + commit + "setp.lt.u32 %p3, %r1, 96; @%p3 " + wait0 + barrier + over, unread},
		{"not committed", first + wait0 + barrier + over, unread},
		{"waited for, without a barrier", first + commit + wait0 + over, "race: "},
		{"beside what is read", first + commit + barrier + overSecond, ""},
		{"the older of two groups", first + commit + second + commit + wait1 + barrier + over, ""},
		{"the newer of two groups", first + commit + second + commit + wait1 + barrier + overSecond, unread},
		{"two products of one group", first + second + commit + wait0 + barrier + over + overSecond, ""},
		{"copied over", first + commit + barrier + "@%p1 mbarrier.init.shared.b64 [%r3], 1; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%l1], 256, [%r3]; ", unread},
		{"only registers are used", first + "add.f32 %f0, %f0, %f1; " + commit + wait0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, hopperEntry("", 8192, fill+test.body))
			k := m.lib.Kernels["k"]
			require.Empty(t, k.Unsupported)
			run := Execute(k, &m.mem, config(1, 128, 0), Alone(), arguments(k, [16]uint64{}, m.upload(make([]byte, 256)), uint64(0)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Races: true})
			if test.want == "" {
				assert.Nil(t, run.Fault)
			} else if assert.NotNil(t, run.Fault) {
				assert.Contains(t, run.Fault.Reason, test.want)
			}
		})
	}
}
