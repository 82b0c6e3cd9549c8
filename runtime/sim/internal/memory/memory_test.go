package memory_test

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// TestUndefined: what nobody has written is not zero, also where memory is used again: floats are NaN and integers far
// from zero.
func TestUndefined(t *testing.T) {
	var m memory.Memory
	t.Cleanup(m.Reset)
	for range 2 { // memory that is used again, too
		addr, ok := m.Alloc(44, memory.Allocation{})
		require.True(t, ok)
		b, ok := memory.BytesAt(addr, 44)
		require.True(t, ok)
		assert.True(t, math.IsNaN(*(*float64)(unsafe.Pointer(&b[16]))))
		assert.True(t, math.IsNaN(float64(*(*float32)(unsafe.Pointer(&b[40])))))
		assert.Less(t, *(*int32)(unsafe.Pointer(&b[4])), int32(-1000))
		clear(b)
		require.True(t, m.Free(addr))
	}
}

// TestNumbers: each allocation has another number until all are used.
func TestNumbers(t *testing.T) {
	var seen [memory.MaxID]bool
	for n := range uint64(memory.MaxID) {
		seen[memory.NumberOf(n)] = true
	}
	assert.False(t, slices.Contains(seen[:], false))
}

// TestFreedMemoryIsForgotten: what is freed leaves nothing behind in the end, and what is not stays as it is.
func TestFreedMemoryIsForgotten(t *testing.T) {
	var m memory.Memory
	t.Cleanup(m.Reset)
	alloc := func() uint64 {
		addr, ok := m.Alloc(8, memory.Allocation{})
		require.True(t, ok)
		return addr
	}
	kept, freed := alloc(), alloc()
	require.True(t, m.Free(freed))
	require.NotNil(t, memory.AllocationOf(freed>>memory.OffsetBits), "the control: at first it is remembered")
	for range memory.Graves {
		require.True(t, m.Free(alloc()))
	}
	assert.Nil(t, memory.AllocationOf(freed>>memory.OffsetBits))
	_, readable := memory.BytesAt(freed, 8)
	assert.False(t, readable)
	_, readable = memory.BytesAt(kept, 8)
	assert.True(t, readable)
}
