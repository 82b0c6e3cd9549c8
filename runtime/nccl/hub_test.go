package nccl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestLeavingComesBehindAnswers: a rank that has its answer and leaves at once does not take away those
// of the others, which are on their way.
func TestLeavingComesBehindAnswers(t *testing.T) {
	h := newHub()
	settled := make(chan struct{})
	answered := 0
	meet := func(rank int, reply func(answer)) {
		h.contribute(&part{meeting: meeting{comm: 1}, kind: kindBarrier, rank: rank, size: 3}, reply)
	}
	meet(0, func(answer) {
		answered++
		go func() { // it leaves
			h.settle()
			close(settled)
		}()
	})
	for rank := 1; rank < 3; rank++ {
		meet(rank, func(answer) {
			select {
			case <-settled:
				t.Errorf("the answer of rank %d comes too late", rank)
			case <-time.After(10 * time.Millisecond):
				answered++
			}
		})
	}
	<-settled
	assert.Equal(t, 3, answered)
}
