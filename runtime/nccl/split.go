package nccl

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/internal/ended"
)

const splitOp = "split a communicator"

// Split makes a communicator of the ranks that give the same color, which is at least 0, ordered by
// key and, where those are equal, by rank. Ranks with a negative color get no communicator: nil, and
// no error. All ranks of c must call it, when nothing that they have called before still waits for a
// rank that has not called Split. It waits for them, until one of them has closed c or its Peers, or returned from the
// function of Run, until c fails, or until ctx is done: then c has failed, too, because the ranks no longer agree.
//
// The Comm must be closed, before or after c.
//
// NCCL, ncclCommSplit.
func (c *Comm) Split(ctx context.Context, color, key int) (*Comm, error) {
	if err := c.usable(splitOp); err != nil {
		return nil, err
	}
	made, err := c.split(ctx, color, key)
	if err != nil && ctx.Err() != nil {
		c.fail(fmt.Errorf("%w: %s: %w", ErrAborted, splitOp, ended.Cause(ctx)))
	}
	return made, err
}

// split is Split, after whose errors the ranks may no longer agree.
func (c *Comm) split(ctx context.Context, color, key int) (made *Comm, err error) {
	c.mu.Lock()
	c.splits++
	sequence := c.splits
	c.mu.Unlock()
	number := splitNumber(c.number, sequence, color)
	defer c.peers.expect(number)()
	said := binary.LittleEndian.AppendUint64(nil, uint64(int64(color)))
	said = binary.LittleEndian.AppendUint64(said, uint64(int64(key)))
	texts, err := c.peers.exchange(ctx, c.shared, kindSplit, sequence, said)
	if err != nil {
		return nil, err
	}
	type place struct{ key, rank int }
	var places []place
	colors := make(map[int]bool) // that are less
	for rank, text := range texts {
		if len(text) != 16 {
			return nil, c.error(splitOp, fmt.Sprintf("rank %d has sent %d bytes", rank, len(text)), ErrMismatch)
		}
		theirs := int(int64(binary.LittleEndian.Uint64(text)))
		if theirs >= 0 && theirs < color {
			colors[theirs] = true
		}
		if theirs == color {
			places = append(places, place{int(int64(binary.LittleEndian.Uint64(text[8:]))), rank})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.key != b.key {
			if a.key < b.key {
				return -1
			}
			return 1
		}
		return a.rank - b.rank
	})
	self := max(0, slices.IndexFunc(places, func(p place) bool { return p.rank == c.rank })) // or it is in none
	into := newShared(c.peers, c.dev, c.cfg, number, self, len(places))
	for _, p := range places {
		into.world = append(into.world, c.world[p.rank])
	}
	// NCCL takes keys and colors of 32 bits; ranks keep their order.
	ncclColor, ncclKey := -1, into.rank
	if color >= 0 {
		ncclColor = len(colors)
	}
	making, stop := within(ctx, nil, c.shared) // ranks that have what they have come for may leave
	defer stop()
	err = c.apart(making, splitOp, c.number, sequence, func() error {
		back, err := c.back.split(ncclColor, ncclKey, into)
		switch {
		case err != nil:
			return c.reason(splitOp, err)
		case color < 0:
			return nil
		}
		into.back = back
		made, err = into.start(making)
		return err
	})
	return made, err
}

// splitNumber returns the number of a communicator, which differs from all others of the world.
func splitNumber(parent, sequence uint64, color int) uint64 {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], parent)
	binary.LittleEndian.PutUint64(b[8:], sequence)
	binary.LittleEndian.PutUint64(b[16:], uint64(int64(color)))
	sum := sha256.Sum256(b[:])
	return binary.LittleEndian.Uint64(sum[:]) | 1<<62 // those of NewComm count from 1
}
