package nccl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// TestMemoryOfAnEndedCommunicator: what is being queued uses its memory until it is queued, whoever ends the
// communicator meanwhile, and nothing gets memory afterwards.
func TestMemoryOfAnEndedCommunicator(t *testing.T) {
	b := newSimulated(&shared{dev: simtest.New(t), peers: newPeers(World{}, ExchangeConfig{}, 0)})
	s, err := b.take(100)
	require.NoError(t, err)
	open := func() bool { return len(s.memory.Host()) > 0 }
	require.True(t, open())
	b.c.mu.Lock() // as issue has it
	b.end()
	_, err = b.take(100)
	assert.ErrorIs(t, err, cuda.ErrClosed)
	assert.Never(t, func() bool { return !open() }, 50*time.Millisecond, time.Millisecond)
	b.c.mu.Unlock()
	assert.Eventually(t, func() bool { return !open() }, time.Minute, time.Millisecond)
	b.end() // again
	b.c.peers.settle(nil)
}
