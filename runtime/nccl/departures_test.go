package nccl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// TestTheOthersGoOn: a rank that has closed the communicator does not end the sends of the others to each other,
// neither those that are queued nor those that come later.
func TestTheOthersGoOn(t *testing.T) {
	t.Parallel()
	const leaver, sender, receiver = 0, 1, 2
	queued, noticed := make(chan struct{}), make(chan struct{})
	err := Run(t.Context(), simtest.NewDevices(t, 3), func(c *Comm) error {
		if c.Rank() == leaver {
			<-queued
			return nil
		}
		s, err := c.Device().NewStream()
		if err != nil {
			return err
		}
		defer s.Close()
		x, err := cuda.Upload(s, []int32{int32(c.Rank())})
		if err != nil {
			return err
		}
		defer x.Close()
		left := func() bool { return c.departures.all.Load() != nil }
		if c.Rank() == receiver {
			if err := Recv(c, s, x.All(), sender); err != nil {
				return err
			}
			close(queued)
			assert.Eventually(t, left, time.Minute, time.Millisecond)
			close(noticed)
		} else {
			<-noticed
			assert.Eventually(t, left, time.Minute, time.Millisecond)
			if err := Send(c, s, x.All(), receiver); err != nil {
				return err
			}
		}
		if err := s.Wait(t.Context()); err != nil {
			return err
		}
		var lost *LostError
		if err := Send(c, s, x.All(), leaver); assert.ErrorAs(t, err, &lost) {
			assert.Equal(t, leaver, lost.Rank)
		}
		assert.ErrorAs(t, AllReduce(c, s, x.All(), x.All(), Sum), &lost)
		got, err := x.All().Download(s)
		assert.Equal(t, []int32{sender}, got)
		return err
	})
	require.NoError(t, err)
}

// TestDepartures: a rank departs once, and who waits for the next departure is told.
func TestDepartures(t *testing.T) {
	t.Parallel()
	c := &shared{rank: 0, size: 3, world: []int{5, 7, 9}}
	send, reduce := &operation{kind: kindSend, root: 1}, &operation{kind: kindAllReduce}
	assert.Nil(t, c.missing(send))
	assert.Nil(t, c.missing(reduce))
	changed := c.departures.changed()
	first := &LostError{Rank: 9, Cause: "first"}
	c.departures.note(first)
	<-changed
	assert.Nil(t, c.missing(send), "rank 1 of the communicator is 7")
	assert.Same(t, first, c.missing(reduce))
	c.departures.note(&LostError{Rank: 9, Cause: "again"})
	assert.Same(t, first, c.missing(reduce))
	c.departures.note(&LostError{Rank: 7, Cause: "second"})
	assert.Equal(t, "second", c.missing(send).Cause)
}
