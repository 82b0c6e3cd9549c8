package nccl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Run calls f for each device, on its own goroutine, with the Comm of that device's rank: for one
// process with several GPUs. Rank i is devices[i]. It returns when all calls have returned.
//
// When a call returns an error, does not return because of runtime.Goexit, or ctx is done, the
// communicator is aborted, so that the others end, too; the error of Run wraps all those that are not
// only about the abort. A panic ends the program, as on any goroutine. Run closes the Comm.
func Run(ctx context.Context, devices []*cuda.Device, f func(*Comm) error) error {
	return RunWith(ctx, devices, CommConfig{}, f)
}

// RunWith is Run with a configuration of the communicator.
func RunWith(ctx context.Context, devices []*cuda.Device, cfg CommConfig, f func(*Comm) error) error {
	const op = "run"
	if len(devices) == 0 || f == nil {
		return &Error{Op: op, Detail: "there are no devices, or there is no function", Err: cuda.ErrInvalidValue}
	}
	for i, d := range devices {
		for j := range i {
			if d != nil && devices[j] == d {
				return &Error{Op: op, Detail: fmt.Sprintf("ranks %d and %d have the same device", j, i), Err: cuda.ErrInvalidValue}
			}
		}
	}
	if ctx.Err() != nil {
		return &Error{Op: op, Err: ended.Cause(ctx)}
	}
	peers := neighbours(len(devices))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, len(devices))
	var wg sync.WaitGroup
	for rank, p := range peers {
		wg.Go(func() {
			defer p.Close()
			err := errNoReturn
			defer func() {
				if errs[rank] = err; err != nil {
					cancel(fmt.Errorf("rank %d: %w", rank, err))
				}
			}()
			err = p.run(ctx, devices[rank], cfg, f)
		})
	}
	wg.Wait()
	return errors.Join(firstCauses(errs), peers[0].hub.ends.wait())
}

// firstCauses joins the errors that do not only say that another rank has aborted or failed, if there are some.
func firstCauses(errs []error) error {
	var causes []error
	for rank, err := range errs {
		if err != nil && !isConsequence(err, errs) {
			causes = append(causes, fmt.Errorf("rank %d: %w", rank, err))
		}
	}
	if len(causes) == 0 {
		return errors.Join(errs...)
	}
	return errors.Join(causes...)
}

// isConsequence reports whether err says that another rank, which has an error of its own, does nothing more.
func isConsequence(err error, errs []error) bool {
	var lost *LostError
	if errors.As(err, &lost) && lost.Rank < len(errs) && errs[lost.Rank] != nil {
		return true
	}
	return errors.Is(err, ErrAborted)
}

// errNoReturn is the error of a rank whose function did not return.
var errNoReturn = errors.New("its function has called runtime.Goexit, as t.FailNow does")

// run is Run of one rank.
func (p *Peers) run(ctx context.Context, dev *cuda.Device, cfg CommConfig, f func(*Comm) error) (err error) {
	c, err := p.NewCommWith(ctx, dev, cfg)
	if err != nil {
		if ctx.Err() != nil && context.Cause(ctx) != ctx.Err() { // another rank has failed
			return errors.Join(ErrAborted, err)
		}
		return err
	}
	stop := c.AbortWhenDone(ctx)
	returned := false
	defer func() {
		if !returned { // the program ends if f has panicked
			c.fail(fmt.Errorf("%w: rank %d: %w", ErrAborted, c.rank, errNoReturn))
		}
	}()
	err = f(c)
	returned = true
	if err != nil {
		c.fail(fmt.Errorf("%w: rank %d: %w", ErrAborted, c.rank, err))
	}
	closed := c.Close()
	stop()
	return errors.Join(err, closed)
}

// neighbours returns the Peers of n ranks in this process.
func neighbours(n int) []*Peers {
	all := make([]*Peers, n)
	h := newHub()
	table := make([]member, n)
	for i := range all {
		all[i] = newPeers(World{Rank: i, Size: n, LocalRank: i, LocalSize: n}, ExchangeConfig{}, 0)
		table[i] = member{Rank: i, Host: hostName(), PID: os.Getpid()}
	}
	for _, p := range all {
		p.hub, p.table, p.siblings = h, table, all
	}
	return all
}
