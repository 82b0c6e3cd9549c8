package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What nobody has written is not zero, block after block, but for variables.
func TestUndefined(t *testing.T) {
	m := newMachine(t, `.version 7.0
.target sm_75
.address_size 64
.global .align 4 .b8 zeroed[4];
.visible .entry k(.param .u64 out) {
.reg .b64 %rd<4>; .reg .b32 %r<8>;
.shared .align 4 .b8 s[4]; .local .align 4 .b8 l[4];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x;
mad.wide.u32 %rd1, %r1, 16, %rd1;
st.global.u32 [%rd1], %r7;
ld.shared.u32 %r2, [s]; st.global.u32 [%rd1+4], %r2; st.shared.u32 [s], 0;
ld.local.u32 %r3, [l]; st.global.u32 [%rd1+8], %r3; st.local.u32 [l], 0;
ld.global.u32 %r4, [zeroed]; st.global.u32 [%rd1+12], %r4;
mov.u32 %r7, 0;
ret;
}`)
	out := make([]uint32, 4*4)
	addr := m.upload(out)
	_, fault := m.launch("k", config(4, 1, 0), addr)
	require.Nil(t, fault)
	m.download(addr, out)
	for block := range 4 {
		assert.Equal(t, []uint32{0xfffdfffd, 0xfffdfffd, 0xfffdfffd, 0}, out[4*block:4*block+4], block)
	}
}
