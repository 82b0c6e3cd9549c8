package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCpAsync: copies of each size, the rest filled with zeros, and what is ignored.
func TestCpAsync(t *testing.T) {
	const body = `mov.u32 %r3, dyn; shl.b32 %r4, %r2, 4; add.u32 %r3, %r3, %r4; mul.wide.u32 %rd5, %r2, 16; add.s64 %rd5, %rd1, %rd5;
st.shared.u32 [%r3], 0; st.shared.u32 [%r3+4], -1; st.shared.u32 [%r3+8], -1; st.shared.u32 [%r3+12], 0;
COPY
cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0;
ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3]; st.global.v4.u32 [%rd5], {%r5, %r6, %r7, %r8};`
	const ones = 1<<32 - 1
	for copy, want := range map[string][]uint32{
		"cp.async.cg.shared.global.L2::128B [%r3], [%rd5], 16;":                                                  {4, 5, 6, 7},
		"cp.async.ca.shared.global [%r3], [%rd5], 4;":                                                            {4, ones, ones, 0},
		"cp.async.ca.shared::cta.global [%r3], [%rd5], 8;":                                                       {4, 5, ones, 0},
		"mov.u32 %r9, 6; cp.async.ca.shared.global [%r3], [%rd5], 8, %r9;":                                       {4, 5, ones, 0},
		"mov.u32 %r9, 0; cp.async.cg.shared.global [%r3], [%rd5], 16, %r9;":                                      {0, 0, 0, 0},
		"setp.eq.u32 %p1, %r2, 1; cp.async.cg.shared.global [%r3], [%rd5], 16, %p1;":                             {0, 0, 0, 0},
		"setp.eq.u32 %p1, %r2, 0; cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd5], 16, %p1, %rd9;":        {4, 5, 6, 7},
		"mov.u64 %rd6, 0; cp.async.ca.shared.global [%r3], [%rd6], 4, 0; st.shared.u32 [%r3+4], 9;":              {0, 9, ones, 0},
		"setp.eq.u32 %p1, %r2, 5; @%p1 cp.async.cg.shared.global [%r3], [%rd5], 16; st.shared.u32 [%r3+8], %r2;": {0, ones, 1, 0},
	} {
		m := newMachine(t, entry(replaced(body, "COPY", copy)))
		in := make([]uint32, 4*32)
		for i := range in {
			in[i] = uint32(i)
		}
		addr := m.upload(in)
		_, fault := m.launch("k", config(1, 32, 512), addr, uint32(0))
		require.Nil(t, fault, copy)
		m.download(addr, in)
		assert.Equal(t, want, in[4:8], copy)
	}
	m := newMachine(t, entry("mov.u32 %r3, dyn; cp.async.ca.shared.global [%r3], [%rd1], 8;"))
	_, fault := m.launch("k", config(1, 32, 512), m.upload([]uint32{1}), uint32(0))
	require.NotNil(t, fault)
	assert.ErrorContains(t, fault, "is out of bounds")
}
