package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// runPlaced launches entry(body) with a[0…n) at p and attributes, and returns a.
func runPlaced(t *testing.T, body string, cfg driver.LaunchConfig, attrs driver.LaunchAttributes, n int) ([]uint32, *Failure) {
	t.Helper()
	m := newMachine(t, entry(body))
	k := m.lib.Kernels["k"]
	require.Empty(t, k.Unsupported)
	place, r := PlacementOf(k, cfg, attrs)
	require.Equal(t, driver.Success, r)
	out := make([]uint32, n)
	addr := m.upload(out)
	used := m.mem.Used
	run := Execute(k, &m.mem, cfg, place, arguments(k, addr, uint32(0)), new(atomic.Bool), 2, new(atomic.Uint64), Checks{})
	assert.Equal(t, used, m.mem.Used, "nothing is left behind")
	m.download(addr, out)
	return out, run.Fault
}

// TestDistributedSharedMemory: each block writes its rank into the memory of the next one of its cluster.
func TestDistributedSharedMemory(t *testing.T) {
	out, fault := runPlaced(t, `.shared .align 8 .u32 box[2]; st.shared.u32 [box+4], 0; barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank; add.u32 %r5, %r3, 1; rem.u32 %r5, %r5, %r4;
mapa.shared::cluster.u32 %r6, box, %r5; add.u32 %r7, %r3, 100; st.shared::cluster.u32 [%r6], %r7;
mov.u64 %rd3, box; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd3, %rd3, %r5; red.relaxed.cluster.add.u32 [%rd3+4], %r7; getctarank.u64 %r8, %rd3;
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
ld.shared.u32 %r9, [box]; mad.lo.u32 %r9, %r8, 1000, %r9; ld.shared.u32 %r10, [box+4]; mad.lo.u32 %r9, %r10, 10000, %r9;
isspacep.shared::cta %p1, %rd3; isspacep.shared::cluster %p2, %rd3; selp.u32 %r11, 1, 0, %p2; @%p1 add.u32 %r11, %r11, 5; mov.pred %p3, %is_explicit_cluster; @!%p3 add.u32 %r11, %r11, 7;
mad.lo.u32 %r9, %r11, 10000000, %r9;
mov.u32 %r12, %clusterid.x; mul.lo.u32 %r12, %r12, %r4; add.u32 %r12, %r12, %r3; mul.wide.u32 %rd4, %r12, 4; add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd4], %r9;`,
		config(6, 1, 0), driver.LaunchAttributes{Cluster: driver.Dim3{X: 3, Y: 1, Z: 1}}, 6)
	require.Nil(t, fault)
	for i, got := range out {
		rank := uint32(i % 3)
		from, to := (rank+2)%3+100, (rank+1)%3
		assert.Equal(t, 10000000+from*10000+to*1000+from, got, i)
	}
}

// TestClusterFaults: a rank that is not there, and a barrier at which a block is missing.
func TestClusterFaults(t *testing.T) {
	two := driver.LaunchAttributes{Cluster: driver.Dim3{X: 2, Y: 1, Z: 1}}
	_, fault := runPlaced(t, "mapa.shared::cluster.u32 %r3, dyn, 2; st.shared::cluster.u32 [%r3], 1;", config(2, 1, 64), two, 1)
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "is in no block of the cluster")
	_, fault = runPlaced(t, "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; @%p1 barrier.cluster.arrive; @%p1 barrier.cluster.wait; @!%p1 bar.sync 1, 64;", config(2, 1, 64), two, 1)
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "deadlock")
	_, fault = runPlaced(t, "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; @%p1 barrier.cluster.arrive; @%p1 barrier.cluster.wait;", config(2, 1, 64), two, 1)
	assert.Nil(t, fault, "threads that have exited count as arrived")
	_, fault = runPlaced(t, "barrier.cluster.arrive; barrier.cluster.wait;", config(2, 64, 64), driver.LaunchAttributes{}, 1)
	assert.Nil(t, fault, "a block alone is a cluster")
}

// TestGridWorkspace: the blocks of a cooperative launch find the memory with which they wait for each other.
func TestGridWorkspace(t *testing.T) {
	const body = `mov.u32 %r3, %envreg1; mov.u32 %r4, %envreg2; mov.b64 %rd2, {%r4, %r3}; mov.u32 %r5, %nctaid.x;
setp.eq.u64 %p1, %rd2, 0; @%p1 exit;
atom.add.release.gpu.u32 %r6, [%rd2+4], 1;
L: ld.acquire.gpu.u32 %r7, [%rd2+4]; setp.lt.u32 %p2, %r7, %r5; @%p2 bra L;
red.global.add.u32 [%rd1], %r7;`
	out, fault := runPlaced(t, body, config(9, 1, 0), driver.LaunchAttributes{Cooperative: true}, 1)
	require.Nil(t, fault)
	assert.Equal(t, uint32(81), out[0])
	out, fault = runPlaced(t, body, config(9, 1, 0), driver.LaunchAttributes{}, 1)
	require.Nil(t, fault)
	assert.Equal(t, uint32(0), out[0])
}

func TestRequiredCluster(t *testing.T) {
	m := newMachine(t, ptxHeader+".entry k() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }")
	k := m.lib.Kernels["k"]
	place, r := PlacementOf(k, config(4, 1, 0), driver.LaunchAttributes{})
	assert.Equal(t, []any{driver.Success, driver.Dim3{X: 2, Y: 1, Z: 1}}, []any{r, place.Gang})
	_, r = PlacementOf(k, config(3, 1, 0), driver.LaunchAttributes{})
	assert.Equal(t, driver.ErrorInvalidValue, r)
	_, r = PlacementOf(k, config(4, 1, 0), driver.LaunchAttributes{Cluster: driver.Dim3{X: 4, Y: 1, Z: 1}})
	assert.Equal(t, driver.ErrorInvalidClusterSize, r)
}

// TestMbarrier: threads of two warps wait for a phase, by its state and by its parity, and bytes count.
func TestMbarrier(t *testing.T) {
	out := outputs(t, 64, `.shared .align 8 .b64 bar; .shared .align 8 .b64 value;
setp.eq.u32 %p1, %r2, 0; @%p1 mbarrier.init.shared::cta.b64 [bar], 64; bar.sync 0;
setp.ne.u32 %p2, %r2, 63; setp.eq.u32 %p3, %r2, 63;
@%p3 st.shared.u32 [value], 77; @%p3 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;
mbarrier.arrive.shared.b64 %rd3, [bar]; mbarrier.pending_count.b64 %r3, %rd3;
@%p3 mbarrier.complete_tx.shared::cta.b64 [bar], 16;
W: mbarrier.test_wait.shared.b64 %p4, [bar], %rd3; @!%p4 bra W;
ld.shared.u32 %r4, [value];
mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
V: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [bar], 1, 1000; @!%p4 bra V;
mad.lo.u32 %r4, %r3, 100, %r4; st.global.u32 [%rd2], %r4;`)
	pending := map[uint32]bool{}
	for _, got := range out {
		assert.Equal(t, uint32(77), got%100)
		pending[got/100] = true
	}
	assert.Len(t, pending, 64, "each arrival finds another number of pending ones")
	for body, want := range map[string]string{
		"mov.u32 %r3, dyn; mbarrier.arrive.shared.b64 _, [%r3];":                                                                     "there is no initialised mbarrier",
		"mov.u32 %r3, dyn; mbarrier.init.shared.b64 [%r3], 0;":                                                                       "its count is not from 1",
		"mov.u32 %r3, dyn; mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.shared.b64 _, [%r3], 3;":                               "more threads arrive",
		"mov.u32 %r3, dyn; mbarrier.init.shared.b64 [%r3], 2; mbarrier.inval.shared.b64 [%r3]; mbarrier.arrive.shared.b64 _, [%r3];": "there is no initialised mbarrier",
	} {
		m := newMachine(t, entry(body))
		_, fault := m.launch("k", config(1, 1, 64), m.upload([]uint32{0}), uint32(0))
		require.NotNil(t, fault, body)
		assert.Contains(t, fault.Reason, want)
	}
}

// TestBarrierReductions: how many threads hold, whether all do, whether any does.
func TestBarrierReductions(t *testing.T) {
	for i, got := range outputs(t, 96, `setp.lt.u32 %p1, %r2, 70; bar.red.popc.u32 %r3, 0, %p1; bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 1, 96, !%p1;
selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 10, 0, %p3; add.u32 %r4, %r4, %r5; mad.lo.u32 %r3, %r3, 100, %r4; st.global.u32 [%rd2], %r3;`) {
		assert.Equal(t, uint32(7010), got, i)
	}
}

func TestElect(t *testing.T) {
	for i, got := range outputs(t, 32, `mov.u32 %r3, 0; and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 1; @%p1 bra E;
elect.sync %r5|%p2, 0x55555555; bra D;
E: elect.sync %r5|%p2, 0xaaaaaaaa;
D: selp.u32 %r3, 100, 0, %p2; add.u32 %r3, %r3, %r5; st.global.u32 [%rd2], %r3;`) {
		want := uint32(i & 1)
		if i < 2 {
			want += 100
		}
		assert.Equal(t, want, got, i)
	}
}
