package nccl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

const regroupOp = "regroup"

// Regroup makes Peers of the ranks that are left after one was lost, and closes p. All of them must
// call it. They keep their order and are numbered anew, from 0: World tells. It waits until all have
// come that are not known to be lost, or twice ExchangeConfig.Timeout has passed, or ctx is done. If
// fewer than least have come it is an error. A network that is cut leaves two groups that do not know
// of each other: with more than half of the ranks as least, at most one of them goes on.
//
// The ranks meet at the lowest that is left. If rank 0 is lost that is another one, at an address
// that it has told when all met: it must be reachable from the others.
func (p *Peers) Regroup(ctx context.Context, least int) (*Peers, error) {
	if p == nil || p.world.Size == 0 || p.siblings != nil {
		return nil, &Error{Op: regroupOp, Detail: "there are no peers of other processes", Err: cuda.ErrInvalidValue}
	}
	if p.failure.Load() == nil {
		return nil, &Error{Op: regroupOp, Rank: p.world.Rank, Size: p.world.Size, Detail: "no rank is lost", Err: cuda.ErrInvalidValue}
	}
	door := p.door
	if door == nil || p.ended.Load() {
		return nil, &Error{Op: regroupOp, Rank: p.world.Rank, Size: p.world.Size, Detail: "the peers", Err: cuda.ErrClosed}
	}
	p.door = nil // which the next ones have
	p.end(moving)
	settle := 2 * p.cfg.timeout()
	var errs []error
	for candidate := 0; candidate <= p.world.Rank; candidate++ {
		if p.isGone(candidate) {
			continue
		}
		next := newPeers(p.world, p.cfg, p.generation+1)
		next.door = door
		err := next.regroup(ctx, p, candidate, settle, least)
		if err == nil {
			return next, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	door.close()
	return nil, errors.Join(errs...)
}

// isGone returns whether a rank is lost or has left.
func (p *Peers) isGone(rank int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost[rank] != nil || p.left[rank]
}

// regroup meets the others at candidate, which is this rank or a lower one.
func (p *Peers) regroup(ctx context.Context, before *Peers, candidate int, settle time.Duration, least int) error {
	if candidate != p.world.Rank {
		addresses := before.table[candidate].Addresses
		if err := p.reach(ctx, addresses, p.hello(), time.After(2*settle)); err != nil {
			return err
		}
	} else {
		a := newAssembly(p.world.Size, p.generation, p.hello())
		a.expected = func(rank int) bool { return !before.isGone(rank) }
		if err := p.assemble(ctx, a, time.After(settle)); err != nil {
			return err
		}
	}
	if p.world.Size < least {
		err := &Error{Op: regroupOp, Rank: p.world.Rank, Size: p.world.Size, Detail: fmt.Sprintf("%d ranks are left, want at least %d", p.world.Size, least), Err: ErrMismatch}
		p.Close()
		return err
	}
	return nil
}
