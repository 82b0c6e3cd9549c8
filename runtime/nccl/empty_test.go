package nccl_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// empties does operations without elements between others.
func empties(c *nccl.Comm, s *cuda.Stream) error {
	x, err := cuda.Upload(s, []int32{int32(c.Rank()), 7})
	if err != nil {
		return err
	}
	defer x.Close()
	next, before := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	for _, none := range []cuda.Slice[int32]{x.Slice(1, 1), x.Slice(2, 2)} {
		if err := errors.Join(nccl.AllReduce(c, s, none, none, nccl.Sum), nccl.Reduce(c, s, none, none, nccl.Max, 0), nccl.Broadcast(c, s, none, none, 0),
			nccl.AllGather(c, s, none, none), nccl.ReduceScatter(c, s, none, none, nccl.Sum), nccl.AllToAll(c, s, none, none),
			nccl.Gather(c, s, none, none, 0), nccl.Scatter(c, s, none, none, 0),
			c.Group(func(c *nccl.Comm) error {
				return errors.Join(nccl.Send(c, s, none, next), nccl.Recv(c, s, none, before))
			}), c.Group(func(*nccl.Comm) error { return nil })); err != nil {
			return err
		}
	}
	if err := nccl.AllReduce(c, s, x.All(), x.All(), nccl.Max); err != nil {
		return err
	}
	return compare(s, "after nothing", x.All(), []int32{int32(c.Size() - 1), 7})
}

// TestNoElements: operations without elements are operations.
func TestNoElements(t *testing.T) {
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprint(n, " ranks"), func(t *testing.T) { everyWay(t, n, empties) })
	}
}

// TestAbortAtOnce: a rank is told of an abort also before it has its communicator.
func TestAbortAtOnce(t *testing.T) {
	for range testenv.Cases(10, 100) {
		ctx := soon(t)
		assert.NoError(t, nccl.Run(ctx, simulators(t, 3), func(c *nccl.Comm) error {
			if c.Rank() == 1 {
				return c.Abort()
			}
			<-c.Done()
			return ctx.Err()
		}))
	}
}

// TestAbortBesideEverything: communicators are aborted and closed by several goroutines while others use them.
func TestAbortBesideEverything(t *testing.T) {
	for range testenv.Cases(5, 5) {
		err := nccl.Run(soon(t), simulators(t, 3), func(c *nccl.Comm) error {
			return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error { return abortBeside(c, s) })
		})
		assert.NoError(t, err)
	}
}

// abortBeside uses c from several goroutines until it is aborted, which rank 1 does, by several.
func abortBeside(c *nccl.Comm, s *cuda.Stream) error {
	x, err := cuda.Upload(s, make([]float32, 8))
	if err != nil {
		return err
	}
	defer x.Close()
	const enough = 20
	began := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; c.Err() == nil; i++ {
			if i == enough {
				once.Do(func() { close(began) })
			}
			if nccl.AllReduce(c, s, x.All(), x.All(), nccl.Max) != nil {
				break
			}
		}
		once.Do(func() { close(began) })
	})
	<-began
	for range 4 {
		wg.Go(func() {
			if c.Rank() == 1 {
				c.Abort()
			}
			<-c.Done()
			c.Close()
			c.Rank()
			c.Err()
			c.Group(func(c *nccl.Comm) error { return nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum) })
		})
	}
	wg.Wait()
	if c.Err() == nil {
		return errors.New("it works still")
	}
	return nil
}
