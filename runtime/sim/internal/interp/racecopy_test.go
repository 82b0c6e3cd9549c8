package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An mbarrier at s+512: begun for so many threads, and a wait for its first phase to end.
const (
	begun64 = "@%p1 mbarrier.init.shared.b64 [s+512], 64; bar.sync 0;"
	begun1  = "@%p1 mbarrier.init.shared.b64 [s+512], 1; bar.sync 0;"
	begun2  = "@%p1 mbarrier.init.shared.b64 [s+512], 2; bar.sync 0;"
	arrive  = "mbarrier.arrive.shared.b64 _, [s+512];"
	await   = "W: mbarrier.try_wait.parity.shared.b64 %p4, [s+512], 0; @!%p4 bra W;"
)

// What orders accesses to shared memory besides barriers of the block: mbarriers, named barriers, waits for copies,
// releases and acquires.
func TestRacesOrdered(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for _, test := range []struct{ name, body, want string }{
		{"an atomic of 128 bits and a read", ".reg .b128 %q<3>; @%p1 atom.shared.exch.b128 %q1, [s], %q2; @%p2 ld.shared.u32 %r6, [s+4];", "shared address 0x"},
		{"atomics of 128 bits", ".reg .b128 %q<3>; atom.shared.exch.b128 %q1, [s], %q2;", ""},
		{"a lock of 128 bits", `.reg .b128 %q<4>; .reg .b64 %c<8>; mov.u64 %c2, 0; mov.u64 %c3, 1; mov.b128 %q1, {%c2, %c2}; mov.b128 %q2, {%c3, %c2}; and.b32 %r7, %r1, 31; setp.ne.u32 %p5, %r7, 0; @%p1 atom.shared.exch.b128 %q3, [s+512], %q1; @%p1 st.shared.u32 [s], 0; bar.sync 0; @%p5 bra E;
L: atom.shared.cas.b128 %q3, [s+512], %q1, %q2; mov.b128 {%c4, %c5}, %q3; setp.ne.u64 %p4, %c4, 0; @%p4 bra L; membar.cta; ld.shared.u32 %r6, [s]; add.u32 %r6, %r6, 1; st.shared.u32 [s], %r6; membar.cta; atom.shared.exch.b128 %q3, [s+512], %q1; E:`, ""},
		{"an mbarrier of all", begun64 + "st.shared.u32 [%r2], %r1;" + arrive + await + "ld.shared.u32 %r6, [%r3];", ""},
		{"an mbarrier that is not waited at", begun64 + "st.shared.u32 [%r2], %r1;" + arrive + "ld.shared.u32 %r6, [%r3];", "no barrier between"},
		{"written behind the arrival", begun64 + arrive + "st.shared.u32 [%r2], %r1;" + await + "ld.shared.u32 %r6, [%r3];", "no barrier between"},
		{"within a warp", begun64 + "st.shared.u32 [%r2], %r1;" + arrive + await + "ld.shared.u32 %r6, [%r4];", ""},
		{"within a warp, behind the arrival", begun64 + arrive + "st.shared.u32 [%r2], %r1;" + await + "ld.shared.u32 %r6, [%r4];", "of the same warp"},
		{"one lane arrives for its warp", begun2 + "st.shared.u32 [%r2], %r1; bar.warp.sync -1; and.b32 %r7, %r1, 31; setp.eq.u32 %p5, %r7, 0; @%p5 " + arrive + await + "ld.shared.u32 %r6, [%r3];", ""},
		{"one lane arrives for a warp that has not met", begun2 + "st.shared.u32 [%r2], %r1; and.b32 %r7, %r1, 31; setp.eq.u32 %p5, %r7, 0; @%p5 " + arrive + await + "ld.shared.u32 %r6, [%r3];", "no barrier between"},
		{"one lane arrives and has written alone", begun2 + "and.b32 %r7, %r1, 31; setp.eq.u32 %p5, %r7, 0; @%p5 st.shared.u32 [%r2], %r1; @%p5 " + arrive + await + "@%p5 ld.shared.u32 %r6, [%r3];", ""},
		{"one lane waits for its warp", begun64 + "st.shared.u32 [%r2], %r1;" + arrive + "and.b32 %r7, %r1, 31; setp.eq.u32 %p5, %r7, 0; @!%p5 bra M;" + await + "M: bar.warp.sync -1; ld.shared.u32 %r6, [%r3];", ""},
		{"a barrier after a lane's mbarrier", begun1 + "@%p1 st.shared.u32 [s+4], 7; @%p1 " + arrive + "@%p2 bra V; bra X; V: mbarrier.try_wait.parity.shared.b64 %p4, [s+512], 0; @!%p4 bra V; X: bar.sync 0; ld.shared.u32 %r6, [s+4];", ""},
		{"handed on through a third warp's barrier", begun1 + "@%p1 st.shared.u32 [s+4], 7; @%p1 " + arrive + "@%p2 bra V; bra X; V: mbarrier.try_wait.parity.shared.b64 %p4, [s+512], 0; @!%p4 bra V; st.shared.u32 [s+8], 1; X: @%p2 membar.cta; @%p2 st.volatile.shared.u32 [s+256], 1; @%p1 bra Y; bra Z; Y: ld.volatile.shared.u32 %r6, [s+256]; setp.ne.u32 %p6, %r6, 1; @%p6 bra Y; membar.cta; ld.shared.u32 %r6, [s+8]; Z:", ""},
		{"an mbarrier that others use at once", "@%p1 mbarrier.init.shared.b64 [s+512], 1; @%p2 bra V; bra X; V: nanosleep.u32 100; mbarrier.arrive.shared.b64 _, [s+512]; X:", "updates shared address 0x200, which thread (0,0,0) wrote"},
		{"an mbarrier whose memory is read", begun64 + arrive + "ld.shared.u32 %r6, [s+512];", "race: "},
		{"an mbarrier that one lane ends when its warp has arrived", "@%p1 mbarrier.init.shared.b64 [s+512], 32; bar.sync 0; @!%p3 bra X;" + arrive + "@%p1 mbarrier.inval.shared.b64 [s+512]; X:", ""},
		{"one whose memory is used for something else then", "@%p1 mbarrier.init.shared.b64 [s+512], 32; bar.sync 0; @!%p3 bra X;" + arrive + "@%p1 mbarrier.inval.shared.b64 [s+512]; @%p1 st.shared.u32 [s+512], 1; X:", "race: "},
		{"the same behind a meeting", "@%p1 mbarrier.init.shared.b64 [s+512], 32; bar.sync 0; @!%p3 bra X;" + arrive + "bar.warp.sync -1; @%p1 mbarrier.inval.shared.b64 [s+512]; @%p1 st.shared.u32 [s+512], 1; X:", ""},
		{"the second phase", begun64 + arrive + await + "st.shared.u32 [%r2], %r1;" + arrive + "V: mbarrier.try_wait.parity.shared.b64 %p4, [s+512], 1; @!%p4 bra V; ld.shared.u32 %r6, [%r3];", ""},

		{"cp.async that is not waited for", "cp.async.ca.shared.global [%r2], [%rd1], 4; ld.shared.u32 %r6, [%r2];", "does not know that the copy is done"},
		{"cp.async and a barrier without a wait", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group; bar.sync 0; ld.shared.u32 %r6, [%r3];", "does not know that the copy is done"},
		{"cp.async, a wait and a barrier", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; ld.shared.u32 %r6, [%r3];", ""},
		{"cp.async, a barrier and a wait", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group; bar.sync 0; cp.async.wait_group 0; ld.shared.u32 %r6, [%r3];", "does not know that the copy is done"},
		{"cp.async, waited for by its own lane", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all; ld.shared.u32 %r6, [%r2];", ""},
		{"cp.async of a neighbour", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all; ld.shared.u32 %r6, [%r4];", ""},
		{"the older of two groups", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group; cp.async.ca.shared.global [%r2+256], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; ld.shared.u32 %r6, [%r3];", ""},
		{"the newer of two groups", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group; cp.async.ca.shared.global [%r2+256], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; ld.shared.u32 %r6, [%r3+256];", "does not know"},
		{"cp.async over what others read", "ld.shared.u32 %r6, [%r3]; cp.async.ca.shared.global [%r2], [%rd1], 4;", "a copy writes shared address"},
		{"cp.async over what was read before a barrier", "ld.shared.u32 %r6, [%r3]; bar.sync 0; cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all;", ""},
		{"a pipeline of two stages", `mov.u32 %r7, 0; cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;
L: and.b32 %r8, %r7, 1; shl.b32 %r8, %r8, 8; add.u32 %r10, %r3, %r8; xor.b32 %r8, %r8, 256; add.u32 %r11, %r2, %r8;
cp.async.ca.shared.global [%r11], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; ld.shared.u32 %r6, [%r10]; bar.sync 0;
add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 5; @%p5 bra L;`, ""},
		{"a pipeline that lacks its second barrier", `mov.u32 %r7, 0; cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;
L: and.b32 %r8, %r7, 1; shl.b32 %r8, %r8, 8; add.u32 %r10, %r3, %r8; xor.b32 %r8, %r8, 256; add.u32 %r11, %r2, %r8;
cp.async.ca.shared.global [%r11], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; ld.shared.u32 %r6, [%r10];
add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 5; @%p5 bra L;`, "a copy writes"},
		{"cp.async that an mbarrier tracks", begun64 + "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [s+512];" + await + "ld.shared.u32 %r6, [%r3];", ""},
		{"cp.async beside an mbarrier", begun64 + "cp.async.ca.shared.global [%r2], [%rd1], 4;" + arrive + await + "ld.shared.u32 %r6, [%r3];", "does not know"},
		{"cp.async behind what an mbarrier tracks", begun64 + "cp.async.mbarrier.arrive.noinc.shared.b64 [s+512]; cp.async.ca.shared.global [%r2], [%rd1], 4;" + await + "ld.shared.u32 %r6, [%r3];", "does not know"},

		{"a bulk copy", begun1 + "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+512], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [s+512];" + await + "ld.shared.u32 %r6, [%r3];", ""},
		{"a bulk copy that is not waited for", begun1 + "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+512], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [s+512]; bar.sync 0; ld.shared.u32 %r6, [%r3];", "does not know"},
		{"a bulk copy that one lane waits for", begun1 + "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+512], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [s+512]; @!%p1 bra M;" + await + "M: ld.shared.u32 %r6, [%r3];", "race: "},
		{"a bulk copy that one lane waits for, and a barrier", begun1 + "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+512], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [s+512]; @!%p1 bra M;" + await + "M: bar.sync 0; ld.shared.u32 %r6, [%r3];", ""},
		{"a bulk copy over what others read", begun1 + "ld.shared.u32 %r6, [%r3]; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+512], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [s+512];" + await, "a copy writes"},
		{"a bulk copy from shared memory", "st.shared.u32 [%r2], %r1; bar.sync 0; fence.proxy.async.shared::cta; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256; @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 0; bar.sync 0; st.shared.u32 [%r2], 0;", ""},
		{"a bulk copy from what is written again", "st.shared.u32 [%r2], %r1; bar.sync 0; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256; @%p1 cp.async.bulk.commit_group; bar.sync 0; st.shared.u32 [%r2], 0;", "from which thread (0,0,0) still copies"},
		{"a bulk copy from what nobody has finished", "st.shared.u32 [%r2], %r1; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256; @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 0;", "race: "},

		{"an arrival that does not wait, the writer first", "@!%p3 st.shared.u32 [%r2], %r1; bar.sync 0; @!%p3 st.shared.u32 [%r2+256], %r1; @!%p3 bar.sync 1, 64; @!%p3 bra X; nanosleep.u32 200; bar.arrive 1, 64; ld.shared.u32 %r6, [%r3+256]; X:", "race: "},
		{"barriers by turns, as producers and consumers have them", `mov.u32 %r7, 0; @%p3 bra P;
C: bar.sync 1, 64; ld.shared.u32 %r6, [%r3]; bar.arrive 2, 64; add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 3; @%p5 bra C; bra X;
P: st.shared.u32 [%r2], %r7; bar.arrive 1, 64; bar.sync 2, 64; add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 3; @%p5 bra P; X:`, ""},
		{"a producer that does not wait for its consumer", "@%p3 st.shared.u32 [%r2], %r1; @%p3 bar.arrive 1, 64; @%p3 st.shared.u32 [%r2], 0; @!%p3 bar.sync 1, 64; @!%p3 ld.shared.u32 %r6, [%r3];", "race: "},

		{"a release and an acquire", "@%p1 st.shared.u32 [s+4], 5; @%p1 st.release.cta.shared.u32 [s+256], 1;\nL: @%p2 ld.acquire.cta.shared.u32 %r6, [s+256]; @!%p2 mov.u32 %r6, 1; setp.ne.u32 %p5, %r6, 1; @%p5 bra L; @%p2 ld.shared.u32 %r6, [s+4];", ""},
		{"a release and a relaxed load", "@%p1 st.shared.u32 [s+4], 5; @%p1 st.release.cta.shared.u32 [s+256], 1;\nL: @%p2 ld.relaxed.cta.shared.u32 %r6, [s+256]; @!%p2 mov.u32 %r6, 1; setp.ne.u32 %p5, %r6, 1; @%p5 bra L; @%p2 ld.shared.u32 %r6, [s+4];", "race: "},
		{"a lock within a warp", `mov.u32 %r7, 0; @%p1 st.volatile.shared.u32 [s+256], 0; bar.sync 0;
L: atom.acquire.cta.shared.cas.b32 %r6, [s+256], 0, 1; setp.ne.u32 %p5, %r6, 0; @%p5 bra L;
ld.shared.u32 %r8, [s+4]; add.u32 %r8, %r8, 1; st.shared.u32 [s+4], %r8; atom.release.cta.shared.exch.b32 %r6, [s+256], 0;`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			fault := raced(t, test.body)
			if test.want == "" {
				assert.Nil(t, fault)
				return
			}
			require.NotNil(t, fault)
			assert.Contains(t, fault.Reason, "race: ")
			assert.Contains(t, fault.Reason, test.want)
		})
	}
}

// racedCluster is raced for clusters of two blocks of 64 threads. %r10 is the address of the other block's s, %r11
// that of this block's s in the window of the cluster.
func racedCluster(t *testing.T, body string) *Failure {
	t.Helper()
	m := newMachine(t, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
.reg .b64 %rd<2>; .reg .b32 %r<16>; .reg .pred %p<8>;
.shared .align 16 .b8 s[1024];
mov.u32 %r1, %tid.x; mov.u32 %r5, s; shl.b32 %r2, %r1, 2;
mov.u32 %r6, %cluster_ctarank; xor.b32 %r7, %r6, 1;
mapa.shared::cluster.u32 %r10, %r5, %r7; add.u32 %r10, %r10, %r2; mapa.shared::cluster.u32 %r12, %r5, 0;
add.u32 %r2, %r2, %r5; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r6, 0; setp.eq.u32 %p3, %r6, 1;
`+body+`
ret;
}`)
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	cfg := config(4, 64, 0)
	place, r := PlacementOf(k, cfg, driver.LaunchAttributes{Cluster: driver.Dim3{X: 2, Y: 1, Z: 1}})
	require.Equal(t, driver.Success, r)
	return Execute(k, &m.mem, cfg, place, nil, new(atomic.Bool), 1, new(atomic.Uint64), Checks{Races: true}).Fault
}

const meetCluster = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"

func TestRacesInClusters(t *testing.T) {
	// Thread 0 of a block adds to a word of the other one, by a copy that completes at the mbarrier there.
	const reduces = "@%p1 mbarrier.init.shared.b64 [s+512], 1; @%p1 st.shared.u32 [s], 0; fence.mbarrier_init.release.cluster;" + meetCluster + `@!%p1 bra X; add.u32 %r13, %r10, 512;
mbarrier.arrive.expect_tx.shared.b64 %rd1, [s+512], 4; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r10], 1, [%r13];`
	const awaited = "V: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p4, [s+512], 0; @!%p4 bra V;"
	for _, test := range []struct{ name, body, want string }{
		{"its own memory", "st.shared.u32 [%r2], %r1; ld.shared.u32 %r8, [%r2];", ""},
		{"the other block's memory", "st.shared.u32 [%r2], %r1; ld.shared::cluster.u32 %r8, [%r10];", "cluster.sync()"},
		{"behind the cluster's barrier", "st.shared.u32 [%r2], %r1;" + meetCluster + "ld.shared::cluster.u32 %r8, [%r10];", ""},
		{"behind a barrier of the block", "st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared::cluster.u32 %r8, [%r10];", "race: "},
		{"read, then written by its owner", "st.shared.u32 [%r2], 0;" + meetCluster + "ld.shared::cluster.u32 %r8, [%r10]; st.shared.u32 [%r2], %r1;", "race: "},
		{"read, the barrier, then written", "st.shared.u32 [%r2], 0;" + meetCluster + "ld.shared::cluster.u32 %r8, [%r10];" + meetCluster + "st.shared.u32 [%r2], %r1;", ""},
		{"written into the other block", "st.shared::cluster.u32 [%r10], %r1; ld.shared.u32 %r8, [%r2];", "race: "},
		{"written into the other block, and the barrier", "st.shared::cluster.u32 [%r10], %r1;" + meetCluster + "ld.shared.u32 %r8, [%r2];", ""},
		{"between arrival and wait", "st.shared.u32 [%r2], 0;" + meetCluster + "barrier.cluster.arrive.aligned; ld.shared::cluster.u32 %r8, [%r10]; barrier.cluster.wait.aligned; st.shared.u32 [%r2], %r1;", "race: "},
		{"a relaxed arrival", "st.shared.u32 [%r2], %r1; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; ld.shared::cluster.u32 %r8, [%r10];", "race: "},
		{"a fence and a relaxed arrival", "st.shared.u32 [%r2], %r1; fence.acq_rel.cluster; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; ld.shared::cluster.u32 %r8, [%r10];", ""},
		{"atomics on another block's memory", "red.shared::cluster.add.u32 [%r12], 1;" + meetCluster, ""},
		{"arrivals at another block's mbarrier", "@%p1 mbarrier.init.shared.b64 [s+512], 64; fence.mbarrier_init.release.cluster;" + meetCluster + `@!%p3 bra V;
st.shared::cluster.u32 [%r10], %r1; add.u32 %r12, %r12, 512; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12]; bra X;
V: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p4, [s+512], 0; @!%p4 bra V; xor.b32 %r2, %r2, 4; ld.shared.u32 %r8, [%r2]; X:` + meetCluster, ""},
		{"red.async that nobody waits for", reduces + "ld.shared.u32 %r8, [%r2]; X:" + meetCluster, "a copy writes block"},
		{"red.async, waited for", reduces + awaited + "ld.shared.u32 %r8, [%r2]; X:" + meetCluster, ""},
		{"red.async beside atomics", reduces + "red.shared.add.u32 [%r2], 1;" + awaited + "X:" + meetCluster, ""},
		{"two of red.async to a word", "@%p1 mbarrier.init.shared.b64 [s+512], 1; @%p1 st.shared.u32 [s], 0; fence.mbarrier_init.release.cluster;" + meetCluster + `@!%p1 bra X; add.u32 %r13, %r12, 512;
@%p2 mbarrier.arrive.expect_tx.shared.b64 %rd1, [s+512], 8; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], 1, [%r13]; @!%p2 bra X;` + awaited + "ld.shared.u32 %r8, [%r2]; X:" + meetCluster, ""},
		{"arrivals before the write", "@%p1 mbarrier.init.shared.b64 [s+512], 64; fence.mbarrier_init.release.cluster;" + meetCluster + `@!%p3 bra V;
add.u32 %r12, %r12, 512; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12]; st.shared::cluster.u32 [%r10], %r1; bra X;
V: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p4, [s+512], 0; @!%p4 bra V; xor.b32 %r2, %r2, 4; ld.shared.u32 %r8, [%r2]; X:` + meetCluster, "of block (1,0,0)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fault := racedCluster(t, test.body)
			if test.want == "" {
				assert.Nil(t, fault)
				return
			}
			require.NotNil(t, fault)
			assert.Contains(t, fault.Reason, "race: ")
			assert.Contains(t, fault.Reason, test.want)
		})
	}
}
