//go:build unix

package nccl_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/stretchr/testify/assert"
)

// TestManyRanks has ranks in processes of their own reduce often: 64 of them, 1,000 times, where
// CUDAGEN_NCCL_TEST_RANKS and CUDAGEN_NCCL_TEST_ROUNDS say so.
func TestManyRanks(t *testing.T) {
	ranks, rounds := number("CUDAGEN_NCCL_TEST_RANKS", 16), number(roundsVariable, 50)
	address := testenv.FreeAddress(t)
	began := time.Now()
	children := make([]*child, ranks)
	for rank := range ranks {
		children[rank] = start(t, "rounds", rank, ranks, address, fmt.Sprint(roundsVariable, "=", rounds), timeoutVariable+"=1m", "GOMAXPROCS=1")
	}
	for rank, c := range children {
		text := c.expect(t, "done ")
		if rank == 0 {
			t.Log(text)
		}
	}
	for rank, c := range children {
		err := c.Wait()
		assert.NoError(t, err, "rank %d: %q", rank, c.output())
	}
	t.Logf("%d processes, %d all-reduces of %d bytes: %v with their start", ranks, rounds, 4*number(lengthVariable, 1000), time.Since(began))
}
