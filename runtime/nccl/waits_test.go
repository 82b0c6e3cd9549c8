package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// leavings are the ways in which rank 0 does nothing more. All but the last end its function.
var leavings = map[string]func(c *nccl.Comm, over <-chan struct{}) error{
	"returns":           func(*nccl.Comm, <-chan struct{}) error { return nil },
	"fails":             func(*nccl.Comm, <-chan struct{}) error { return errors.New("rank 0 gives up") },
	"does not return":   func(*nccl.Comm, <-chan struct{}) error { runtime.Goexit(); return nil },
	"aborts":            func(c *nccl.Comm, _ <-chan struct{}) error { return c.Abort() },
	"closes its device": func(c *nccl.Comm, _ <-chan struct{}) error { return c.Device().Close() },
	"closes the communicator": func(c *nccl.Comm, over <-chan struct{}) error {
		err := c.Close()
		<-over
		return err
	},
}

// jointly are what the other ranks do, which needs rank 0.
var jointly = map[string]func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error{
	"Split": func(c *nccl.Comm, _ *cuda.Stream, _ cuda.Slice[float32]) error {
		_, err := c.Split(context.Background(), 0, 0)
		return err
	},
	"Split into nothing": func(c *nccl.Comm, _ *cuda.Stream, _ cuda.Slice[float32]) error {
		_, err := c.Split(context.Background(), -1, 0)
		return err
	},
	"AllReduce": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
		return errors.Join(nccl.AllReduce(c, s, x, x, nccl.Sum), s.Synchronize())
	},
	"Group": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
		err := c.Group(func(c *nccl.Comm) error {
			return errors.Join(nccl.Send(c, s, x.Slice(0, 2), 0), nccl.Recv(c, s, x.Slice(2, 4), 0))
		})
		return errors.Join(err, s.Wait(context.Background()))
	},
	"Recv": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
		return errors.Join(nccl.Recv(c, s, x, 0), s.Synchronize())
	},
	"Close with work": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
		err := errors.Join(nccl.Broadcast(c, s, x, x, 0), c.Close())
		return errors.Join(err, s.Synchronize())
	},
}

// TestNobodyWaitsForWhoHasLeft: what needs a rank that does nothing more ends with an error, without a context, and so
// does Run. The rank leaves before the others begin, and while they wait.
func TestNobodyWaitsForWhoHasLeft(t *testing.T) {
	for how, leave := range leavings {
		for what, do := range jointly {
			for _, first := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %s, first=%t", how, what, first), func(t *testing.T) {
					t.Parallel()
					left, over := make(chan struct{}), make(chan struct{}, 2)
					started := make(chan struct{}, 2)
					ended := make(chan error, 1)
					devices := simtest.NewDevices(t, 3, simtest.AllowFault())
					go func() {
						ended <- nccl.Run(context.Background(), devices, func(c *nccl.Comm) error {
							if c.Rank() == 0 {
								if !first {
									<-started
									<-started
								}
								defer close(left)
								return leave(c, over)
							}
							defer func() { over <- struct{}{} }()
							if first && how != "closes the communicator" {
								<-left
							}
							started <- struct{}{}
							return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
								x, err := cuda.Upload(s, make([]float32, 4))
								if err != nil {
									return err
								}
								defer x.Close()
								if err := do(c, s, x.All()); assert.Error(t, err) {
									return err
								}
								return nil
							})
						})
					}()
					select {
					case err := <-ended:
						assert.Error(t, err)
					case <-time.After(20 * time.Second):
						require.Fail(t, "Run does not return")
					}
				})
			}
		}
	}
}

// TestNobodyWaitsForClosedPeers is the same for ranks that have met by Exchange.
func TestNobodyWaitsForClosedPeers(t *testing.T) {
	for what, do := range map[string]func(p *nccl.Peers, d *cuda.Device) error{
		"Barrier": func(p *nccl.Peers, _ *cuda.Device) error { return p.Barrier(context.Background()) },
		"NewComm": func(p *nccl.Peers, d *cuda.Device) error {
			_, err := p.NewComm(context.Background(), d)
			return err
		},
	} {
		for leaver := range 3 {
			t.Run(fmt.Sprint(what, ", rank ", leaver), func(t *testing.T) {
				t.Parallel()
				address := testenv.FreeAddress(t)
				devices := simtest.NewDevices(t, 3)
				for rank, err := range each(3, func(rank int) error {
					p, err := nccl.Exchange(soon(t), nccl.World{Rank: rank, Size: 3, Address: address, Token: t.Name()}, nccl.ExchangeConfig{Timeout: time.Minute})
					if err != nil {
						return err
					}
					if rank == leaver {
						return p.Close()
					}
					err = do(p, devices[rank])
					return errors.Join(err, p.Shutdown(soon(t)))
				}) {
					if rank == leaver {
						assert.NoError(t, err)
						continue
					}
					var lost *nccl.LostError
					assert.ErrorAs(t, err, &lost, "rank %d", rank)
				}
			})
		}
	}
}

// TestSplitUntil: a rank whose context ends while it splits has failed the communicator: the others do not wait for
// it, and are told why.
func TestSplitUntil(t *testing.T) {
	t.Parallel()
	told := make(chan struct{}) // a rank that has returned is lost, which rank 2 would be told instead
	err := nccl.Run(soon(t), simtest.NewDevices(t, 3), func(c *nccl.Comm) error {
		if c.Rank() == 0 {
			<-c.Done()
			<-told
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
		if c.Rank() == 2 {
			ctx, cancel = context.Background(), func() {}
		}
		defer cancel()
		_, err := c.Split(ctx, 0, 0)
		if c.Rank() == 1 {
			<-told
		} else {
			close(told)
		}
		assert.Equal(t, c.Rank() == 1, errors.Is(err, context.DeadlineExceeded), "%v", err)
		assert.Equal(t, c.Rank() == 2, errors.Is(err, nccl.ErrAborted), "%v", err)
		assert.ErrorIs(t, c.Err(), nccl.ErrAborted)
		return nil
	})
	require.NoError(t, err)
}
