package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// An index that is far too large reaches no other allocation, although addresses are numbers of
// allocations and offsets: p[1<<38] of 4 bytes is one number behind.
func TestFarIndex(t *testing.T) {
	m := newMachine(t, entry("st.global.u32 [%rd1], 1;"))
	first := m.upload(make([]uint32, 4))
	for range 100 {
		m.upload(make([]uint32, 4))
	}
	for shift := memory.OffsetBits; shift < memory.OffsetBits+14; shift++ {
		for _, addr := range []uint64{first + 1<<shift, first - 1<<shift} {
			_, fault := m.launch("k", config(1, 1, 64), addr, uint32(0))
			require.NotNil(t, fault)
			assert.Contains(t, fault.Reason, "is in no allocation")
		}
	}
}
