package nccl_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// A capturedRank has an all-reduce of a rank as a graph.
type capturedRank struct {
	comm *nccl.Comm
	s    *cuda.Stream
	x    *cuda.Buffer[float32]
	g    *cuda.Graph
	e    *cuda.GraphExec
}

func captureOf(c *nccl.Comm) (*capturedRank, error) {
	r := &capturedRank{comm: c}
	var err error
	if r.s, err = c.Device().NewStream(); err != nil {
		return nil, err
	}
	if r.x, err = cuda.Upload(r.s, []float32{1}); err != nil {
		return nil, err
	}
	r.g, err = cuda.Capture(r.s, func(s *cuda.Stream) error { return nccl.AllReduce(c, s, r.x.All(), r.x.All(), nccl.Sum) })
	if err != nil {
		return nil, err
	}
	r.e, err = r.g.Instantiate()
	return r, err
}

// refused returns an error unless a launch is refused, for the communicator unless the device is closed, and leaves no work.
func (r *capturedRank) refused(closed bool) error {
	if err := r.problem("a launch", r.e.Launch(r.s), closed); err != nil {
		return err
	}
	if err := r.problem("UpdateFrom", r.e.UpdateFrom(r.g), closed); err != nil && !closed {
		return err
	}
	_, err := r.g.Instantiate()
	return errors.Join(r.problem("Instantiate", err, closed), r.e.Close())
}

func (r *capturedRank) problem(what string, err error, closed bool) error {
	names := fmt.Sprintf("the communicator of rank %d of %d: closed", r.comm.Rank(), r.comm.Size())
	if closed {
		names = "closed"
	}
	if !errors.Is(err, cuda.ErrClosed) || !strings.Contains(err.Error(), names) {
		return fmt.Errorf("%s of rank %d: %v", what, r.comm.Rank(), err)
	}
	return nil
}

// close closes what the rank has. Errors of s are those of its work.
func (r *capturedRank) close() {
	r.e.Close()
	r.x.Close()
	r.s.Close()
}

// launched launches the graph, as the other ranks do, and waits.
func (r *capturedRank) launched() error {
	return errors.Join(r.e.Launch(r.s), r.s.Synchronize())
}

// graphEnds are the ways in which a communicator ends that graphs have. What is behind each holds at once.
var graphEnds = map[string]func(r *capturedRank) error{
	"Close": func(r *capturedRank) error { return errors.Join(r.comm.Close(), r.refused(false), r.s.Synchronize()) },
	"Close behind a launch": func(r *capturedRank) error {
		if err := r.e.Launch(r.s); err != nil { // Close waits for it
			return err
		}
		return errors.Join(r.comm.Close(), r.refused(false), r.s.Synchronize())
	},
	"Abort": func(r *capturedRank) error {
		if err := errors.Join(r.comm.Abort(), r.refused(false)); err != nil {
			return err
		}
		if err := r.s.Synchronize(); !errors.Is(err, nccl.ErrAborted) {
			return fmt.Errorf("the stream's error: %v", err)
		}
		return nil
	},
	"Device.Close": func(r *capturedRank) error { return errors.Join(r.comm.Device().Close(), r.refused(true)) },
	"Run's end":    func(r *capturedRank) error { return nil },
}

// TestGraphsOfAnEndedCommunicator: whoever ends it, graphs are not launched from then on, and the error names it.
func TestGraphsOfAnEndedCommunicator(t *testing.T) {
	for how, end := range graphEnds {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for range testenv.Cases(4, 20) {
				var ranks [2]*capturedRank
				err := nccl.Run(t.Context(), []*cuda.Device{simtest.New(t), simtest.New(t)}, func(c *nccl.Comm) (err error) {
					if ranks[c.Rank()], err = captureOf(c); err != nil {
						return err
					}
					r := ranks[c.Rank()]
					if err := r.launched(); err != nil {
						return err
					}
					return end(r)
				})
				if how == "Abort" && errors.Is(err, nccl.ErrAborted) { // the other rank may just launch
					err = nil
				}
				require.NoError(t, err)
				for _, r := range ranks {
					if how == "Run's end" {
						assert.NoError(t, errors.Join(r.refused(false), r.s.Synchronize()))
					}
					r.close()
				}
			}
		})
	}
}

// TestGraphsBesideTheEnd: a launch beside the end of its communicator is run, or refused.
func TestGraphsBesideTheEnd(t *testing.T) {
	for how, end := range map[string]func(c *nccl.Comm) error{"Close": (*nccl.Comm).Close, "Abort": (*nccl.Comm).Abort, "Device.Close": func(c *nccl.Comm) error { return c.Device().Close() }} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for range testenv.Cases(4, 20) {
				var ran, launches atomic.Int64
				err := nccl.Run(t.Context(), []*cuda.Device{simtest.New(t)}, func(c *nccl.Comm) error {
					r, err := captureOf(c)
					if err != nil {
						return err
					}
					defer r.close()
					reduce := r.g.ChildNode()
					e, err := cuda.BuildGraph(reduce, cuda.NewHostNode(func() { ran.Add(1) }).After(reduce))
					if err != nil {
						return err
					}
					defer e.Close()
					var wg sync.WaitGroup
					begun := make(chan struct{})
					var launching error
					wg.Go(func() {
						for {
							if err := e.Launch(r.s); err != nil {
								launching = err
								return
							}
							if launches.Add(1) == 3 {
								close(begun)
							}
						}
					})
					<-begun
					ended := end(c)
					wg.Wait()
					waited := r.s.Synchronize()
					switch {
					case !errors.Is(launching, cuda.ErrClosed) || strings.Contains(launching.Error(), "during the launch"):
						return fmt.Errorf("a launch beside: %w", launching)
					case how == "Close" && (waited != nil || ran.Load() != launches.Load()):
						return fmt.Errorf("%d launches of %d ran: %w", ran.Load(), launches.Load(), waited)
					case how == "Abort" && !errors.Is(waited, nccl.ErrAborted):
						return fmt.Errorf("the stream's error: %w", waited)
					}
					return ended
				})
				require.NoError(t, err)
			}
		})
	}
}
