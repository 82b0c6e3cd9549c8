package mbarrier

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// after makes a barrier of count threads and does what follows to it.
func after(t *testing.T, count uint64, steps ...func(State) (State, string)) State {
	s, wrong := Init(0, count)
	require.Empty(t, wrong)
	for _, step := range steps {
		s, wrong = step(s)
		require.Empty(t, wrong)
	}
	return s
}

func of(u Update, operand uint64) func(State) (State, string) {
	return func(s State) (State, string) { return u(s, operand) }
}

// TestPhases: a phase ends when all threads have arrived and all bytes have come, and the next waits for as many threads.
func TestPhases(t *testing.T) {
	for name, test := range map[string]struct {
		s               State
		parity, pending uint64
	}{
		"fresh":            {after(t, 3), 0, 3},
		"some":             {after(t, 3, of(Arrive, 2)), 0, 1},
		"all":              {after(t, 3, of(Arrive, 2), of(Arrive, 1)), 1, 3},
		"twice":            {after(t, 1, of(Arrive, 1), of(Arrive, 1)), 0, 1},
		"bytes are left":   {after(t, 1, of(Expect, 64), of(Arrive, 1)), 0, 0},
		"bytes come":       {after(t, 1, of(ExpectArrive, 64), of(Complete, 48), of(Complete, 16)), 1, 1},
		"bytes come first": {after(t, 1, of(Complete, 64), of(ExpectArrive, 64)), 1, 1},
		"dropped":          {after(t, 3, of(Drop, 1), of(Arrive, 2)), 1, 2},
		"dropped of bytes": {after(t, 2, of(ExpectDrop, 8), of(Arrive, 1), of(Complete, 8)), 1, 1},
	} {
		assert.Equal(t, test.parity, test.s.Parity(), name)
		assert.Equal(t, test.pending, test.s.Pending(), name)
		assert.True(t, test.s.Initialised(), name)
	}
}

// TestWrongCounts: what no barrier can become is told, and leaves it alone.
func TestWrongCounts(t *testing.T) {
	for _, count := range []uint64{0, 1 << 20} {
		_, wrong := Init(0, count)
		assert.Contains(t, wrong, "its count is not from 1")
	}
	s := after(t, 2)
	for _, u := range []Update{Arrive, Drop} {
		next, wrong := u(s, 3)
		assert.Contains(t, wrong, "more threads arrive")
		assert.Equal(t, s, next)
	}
	s, _ = Inval(s, 0)
	assert.False(t, s.Initialised())
}
