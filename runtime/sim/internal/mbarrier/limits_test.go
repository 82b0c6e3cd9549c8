package mbarrier

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLargestCount: a barrier counts up to 2^20-1 threads, and its phases end for each of them.
func TestLargestCount(t *testing.T) {
	const most = 1<<20 - 1
	s := after(t, most, of(Arrive, most))
	assert.EqualValues(t, 1, s.Parity())
	assert.EqualValues(t, most, s.Pending())
	s = after(t, most, of(Drop, most-1), of(Arrive, 1))
	assert.EqualValues(t, 1, s.Pending())
	_, wrong := Drop(after(t, 2, of(Arrive, 1)), 2)
	assert.NotEmpty(t, wrong, "one has arrived before")
}

// TestAllDrop: when all threads have dropped, the phase ends, and the next one waits for none.
func TestAllDrop(t *testing.T) {
	s := after(t, 3, of(Drop, 3))
	assert.EqualValues(t, 1, s.Parity())
	assert.Zero(t, s.Pending())
}
