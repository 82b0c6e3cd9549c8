package interp

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// tensorEntry is a kernel whose first thread runs body once the barrier at %r3 is made, for 512 bytes at %r2 of shared memory and the
// map at %l3. Each of 32 threads then stores 16 of these bytes for its block, if wait is true when they have come.
func tensorEntry(attributes, body string, wait bool) string {
	until := ""
	if wait {
		until = "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;\n"
	}
	return ptxHeader + ".entry k(.param .align 64 .b8 map[128], .param .u64 out) " + attributes + ` {
.reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %l<10>; .reg .pred %p<6>;
.shared .align 128 .b8 buf[512]; .shared .align 8 .b64 bar;
ld.param.u64 %l2, [out]; mov.b64 %l3, map; cvta.param.u64 %l3, %l3;
mov.u32 %r1, %tid.x; mov.u32 %r2, buf; mov.u32 %r3, bar; setp.eq.u32 %p1, %r1, 0; shl.b32 %r4, %r1, 4; add.u32 %r5, %r2, %r4;
mov.u32 %r6, %r1; st.shared.v4.u32 [%r5], {%r6, %r6, %r6, %r6};
@%p1 mbarrier.init.shared::cta.b64 [%r3], 1; fence.proxy.async.shared::cta; bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;
barrier.cluster.arrive; barrier.cluster.wait;
@!%p1 bra END;
` + body + "\nEND:\n" + until + `bar.sync 0;
ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r5]; mov.u32 %r11, %ctaid.x; shl.b32 %r11, %r11, 9; add.u32 %r11, %r11, %r4; cvt.u64.u32 %l4, %r11; add.s64 %l4, %l4, %l2;
st.global.v4.u32 [%l4], {%r7, %r8, %r9, %r10};
barrier.cluster.arrive; barrier.cluster.wait;
ret; }`
}

// runTensor runs body for a tensor of 16 rows of 32 words, which count from 0, and boxes of 4 rows; change changes the tensor's description. It returns
// what is at out and in the tensor.
func runTensor(t *testing.T, blocks uint32, body string, wait bool, change func(*driver.TensorMapDesc)) (out, tensor []uint32, fault *Failure) {
	t.Helper()
	attributes := ""
	if blocks > 1 {
		attributes = ".reqnctapercluster 2"
	}
	m := newMachine(t, tensorEntry(attributes, body, wait))
	k := m.lib.Kernels["k"]
	require.Empty(t, k.Unsupported)
	tensor = make([]uint32, 16*32)
	for n := range tensor {
		tensor[n] = uint32(n)
	}
	at := m.upload(tensor)
	desc := driver.TensorMapDesc{Type: driver.TensorUint32, Rank: 2, Address: driver.DevicePtr(at), Dims: [5]uint64{32, 16}, Strides: [4]uint64{128}, Box: [5]uint32{32, 4}, ElementStrides: [5]uint32{1, 1}}
	if change != nil {
		change(&desc)
	}
	encoded, r := tensormap.Encode(desc, false)
	require.Equal(t, driver.Success, r)
	out = make([]uint32, 128*blocks)
	addr := m.upload(out)
	cfg := config(blocks, 32, 0)
	attrs := driver.LaunchAttributes{}
	if blocks > 1 {
		attrs.Cluster = driver.Dim3{X: blocks, Y: 1, Z: 1}
	}
	place, r := PlacementOf(k, cfg, attrs)
	require.Equal(t, driver.Success, r)
	run := Execute(k, &m.mem, cfg, place, arguments(k, encoded, addr), new(atomic.Bool), 2, new(atomic.Uint64), Checks{})
	m.download(addr, out)
	m.download(at, tensor)
	return out, tensor, run.Fault
}

const loadBox = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%l3, {0, 3}], [%r3];"

// TestLoadOfABox: a box arrives row by row, with zeros where the tensor ends.
func TestLoadOfABox(t *testing.T) {
	for _, row := range []int{3, 14, -2} {
		out, _, fault := runTensor(t, 1, replaced(loadBox, "{0, 3}", "{0, "+map[int]string{3: "3", 14: "14", -2: "-2"}[row]+"}"), true, nil)
		require.Nil(t, fault)
		for n, got := range out {
			want := uint32(32*row + n)
			if at := row + n/32; at < 0 || at >= 16 {
				want = 0
			}
			require.Equal(t, want, got, "%d of the box at row %d", n, row)
		}
	}
}

// TestMulticast: a box arrives in each block that the mask names.
func TestMulticast(t *testing.T) {
	first := "mov.u32 %r12, %cluster_ctarank; setp.ne.u32 %p4, %r12, 0; @%p4 bra END; mov.b16 %h1, 3;\n"
	out, _, fault := runTensor(t, 2, first+replaced(replaced(loadBox, "complete_tx::bytes", "complete_tx::bytes.multicast::cluster"), "[%r3];", "[%r3], %h1;"), true, nil)
	require.Nil(t, fault)
	for n, got := range out {
		require.Equal(t, uint32(32*3+n%128), got, n)
	}
	second := strings.NewReplacer("%p4 bra", "!%p4 bra", "mov.b16 %h1, 3", "mov.b16 %h1, 2").Replace(first)
	out, _, fault = runTensor(t, 2, second+replaced(replaced(loadBox, "complete_tx::bytes", "complete_tx::bytes.multicast::cluster"), "[%r3];", "[%r3], %h1;"), false, nil)
	require.Nil(t, fault)
	assert.Equal(t, []uint32{0, 1}, []uint32{out[0], out[4]}, "the first block keeps its own")
	assert.NotEqual(t, uint32(0), out[128])
}

// TestStoreOfABox: a store and a reduction write the rows of a box.
func TestStoreOfABox(t *testing.T) {
	const done = " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
	for body, want := range map[string]func(old, box uint32) uint32{
		"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%l3, {0, 3}], [%r2];":                 func(_, box uint32) uint32 { return box },
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%l3, {0, 3}], [%r2];": func(old, box uint32) uint32 { return old + box },
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [%l3, {0, 3}], [%r2];": func(old, box uint32) uint32 { return min(old, box) },
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group [%l3, {0, 3}], [%r2];":  func(old, box uint32) uint32 { return old | box },
	} {
		_, tensor, fault := runTensor(t, 1, body+done, false, nil)
		require.Nil(t, fault)
		for n, got := range tensor {
			old := uint32(n)
			if n >= 96 && n < 96+128 {
				old = want(old, uint32(n-96)/4)
			}
			require.Equal(t, old, got, "%d: %s", n, body)
		}
	}
}

// TestRefusedBoxes: what a copy must not do is told.
func TestRefusedBoxes(t *testing.T) {
	for _, test := range []struct {
		body   string
		change func(*driver.TensorMapDesc)
		want   string
	}{
		{loadBox, nil, ""},
		{"add.s64 %l3, %l3, 16; " + loadBox, nil, "is not a multiple of 64"},
		{"add.u32 %r2, %r2, 16; " + loadBox, nil, "is not a multiple of 128"},
		{"mov.b64 %l3, %l2; " + loadBox, nil, "there is no tensor map at address"},
		{replaced(replaced(loadBox, "2d", "3d"), "{0, 3}", "{0, 3, 0}"), nil, "the copy names 3 coordinates, and the tensor has 2 dimensions"},
		{replaced(loadBox, "{0, 3}", "{1, 3}"), nil, "the box begins at byte 4 of a row of the tensor, which is not a multiple of 16"},
		{"add.u32 %r2, %r2, 512; " + loadBox, nil, "is out of bounds"},
		{"mbarrier.inval.shared.b64 [%r3]; " + loadBox, nil, "there is no initialised mbarrier"},
		{"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%l3, {0, -1}], [%r2];", nil, "coordinate 1 of the box is -1"},
		{replaced(loadBox, "{0, 3}", "{0, 40}"), func(d *driver.TensorMapDesc) { d.Dims[1] = 100 }, "is out of bounds"},
		{"mov.b16 %h1, 2; " + replaced(replaced(loadBox, "complete_tx::bytes", "complete_tx::bytes.multicast::cluster"), "[%r3];", "[%r3], %h1;"), nil, "a multicast to block 1 of a cluster of 1"},
		{"cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group [%l3, {0, 3}], [%r2];", func(d *driver.TensorMapDesc) { d.Type = driver.TensorFloat32 }, "there is no reduction .xor"},
	} {
		_, _, fault := runTensor(t, 1, test.body, false, test.change)
		if test.want == "" {
			require.Nil(t, fault)
			continue
		}
		require.NotNil(t, fault, test.body)
		assert.Contains(t, fault.Reason, test.want)
	}
}

// TestBarrierOperands: the lanes of a warp must name one barrier and one number of threads.
func TestBarrierOperands(t *testing.T) {
	run := func(body string) *Failure {
		m := newMachine(t, entry(body+" st.global.u32 [%rd1], 1;"))
		_, fault := m.launch("k", config(1, 64, 0), m.upload(make([]uint32, 1)), uint32(64))
		return fault
	}
	assert.Nil(t, run("mov.u32 %r3, 1; bar.sync %r3, %r1;"))
	for body, want := range map[string]string{
		"and.b32 %r3, %r2, 1; bar.sync %r3, 64;":                                           "the lanes of the warp name different barriers or thread counts",
		"and.b32 %r3, %r2, 1; shl.b32 %r3, %r3, 5; add.u32 %r3, %r3, 32; bar.sync 1, %r3;": "the lanes of the warp name different barriers or thread counts",
		"mov.u32 %r3, 16; bar.sync %r3, %r1;":                                              "barrier 16 does not exist: a block has 16",
		"mov.u32 %r3, 48; bar.sync 1, %r3;":                                                "48 threads is not a multiple of the warp size",
	} {
		fault := run(body)
		require.NotNil(t, fault, body)
		assert.Contains(t, fault.Reason, want)
	}
}
