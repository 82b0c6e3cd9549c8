//go:build unix

package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// everything is what a rank does in TestTwoGPUs, and with simulated devices in TestEverything.
func everything(ctx context.Context, c *nccl.Comm, s *cuda.Stream) error {
	for _, f := range []func(*nccl.Comm, *cuda.Stream) error{
		collectives[float32], collectives[int8], collectives[uint8], collectives[int32], collectives[uint32], collectives[int64], collectives[uint64], collectives[float64], extremes, dropInGroup,
	} {
		if err := f(c, s); err != nil {
			return err // the other ranks end then, too
		}
	}
	for _, f := range []struct {
		what string
		do   func(context.Context, *nccl.Comm, *cuda.Stream) error
	}{{"halves", halves}, {"split", splits}, {"graph", captured}, {"streams", severalStreams}, {"registered", registered}, {"in order", manyInOrder}} {
		if err := f.do(ctx, c, s); err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
	}
	return nil
}

func halves(_ context.Context, c *nccl.Comm, s *cuda.Stream) error {
	size := float32(c.Size())
	mine := float32(c.Rank() + 1)
	f, err := cuda.Upload(s, []vec.Float16{vec.NewFloat16(mine), vec.NewFloat16(-2 * mine)})
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := cuda.Upload(s, []vec.BFloat16{vec.NewBFloat16(mine), vec.NewBFloat16(-2 * mine)})
	if err != nil {
		return err
	}
	defer b.Close()
	sum := size * (size + 1) / 2
	if err := errors.Join(nccl.AllReduce(c, s, f.All(), f.All(), nccl.Sum), nccl.AllReduce(c, s, b.All(), b.All(), nccl.Sum)); err != nil {
		return err
	}
	return errors.Join(compare(s, "float16", f.All(), []vec.Float16{vec.NewFloat16(sum), vec.NewFloat16(-2 * sum)}),
		compare(s, "bfloat16", b.All(), []vec.BFloat16{vec.NewBFloat16(sum), vec.NewBFloat16(-2 * sum)}))
}

// splits makes communicators of even and odd ranks, in reverse order, and one that some are not in.
func splits(ctx context.Context, c *nccl.Comm, s *cuda.Stream) error {
	part, err := c.Split(ctx, c.Rank()%2, -c.Rank())
	if err != nil {
		return err
	}
	same := (c.Size() + 1 - c.Rank()%2) / 2
	if part.Size() != same || part.Rank() != same-1-c.Rank()/2 {
		return fmt.Errorf("rank %d of %d is %d of %d", c.Rank(), c.Size(), part.Rank(), part.Size())
	}
	b, err := cuda.Upload(s, []int32{int32(c.Rank())})
	if err != nil {
		return err
	}
	defer b.Close()
	all, err := cuda.Upload(s, make([]int32, same))
	if err != nil {
		return err
	}
	defer all.Close()
	if err := nccl.AllGather(part, s, all.All(), b.All()); err != nil {
		return err
	}
	var want []int32
	for r := c.Size() - 1; r >= 0; r-- {
		if r%2 == c.Rank()%2 {
			want = append(want, int32(r))
		}
	}
	if err := errors.Join(compare(s, "all-gather", all.All(), want), part.Close()); err != nil {
		return err
	}
	color := -1
	if c.Rank() == 0 {
		color = 7
	}
	alone, err := c.Split(ctx, color, 0)
	if err != nil || (alone != nil) != (c.Rank() == 0) {
		return fmt.Errorf("split of rank 0 alone: %v, %v", alone, err)
	}
	if alone != nil && alone.Size() != 1 {
		return fmt.Errorf("rank 0 alone has %d ranks", alone.Size())
	}
	return alone.Close()
}

// captured launches a graph with operations between other work.
func captured(ctx context.Context, c *nccl.Comm, s *cuda.Stream) error {
	if !c.Device().IsSimulated() && oneProcess.Load() {
		return refusedInCapture(c, s)
	}
	x, err := cuda.Upload(s, []float32{float32(c.Rank()), 1})
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := cuda.Upload(s, []float32{0, 0})
	if err != nil {
		return err
	}
	defer y.Close()
	if err := nccl.AllReduce(c, s, y.All(), x.All(), nccl.Sum); err != nil { // connects
		return err
	}
	if err := s.Wait(ctx); err != nil {
		return err
	}
	g, err := cuda.Capture(s, func(s *cuda.Stream) error {
		return errors.Join(nccl.AllReduce(c, s, y.All(), x.All(), nccl.Sum), cuda.Copy(x.All(), y.All()).Launch(s))
	})
	if err != nil {
		return err
	}
	e, err := g.Instantiate()
	if err != nil {
		return err
	}
	size := c.Size()
	const launches = 3
	for range launches {
		if err := e.Launch(s); err != nil {
			return err
		}
	}
	power := float32(math.Pow(float64(size), launches-1))
	if err := compare(s, "graph", x.All(), []float32{power * float32(size*(size-1)/2), power * float32(size)}); err != nil {
		return err
	}
	if err := errors.Join(c.Err(), e.Close()); err != nil || c.Device().IsSimulated() {
		return err
	}
	open, err := g.Instantiate() // the communicator's Close has the driver destroy it
	if err != nil {
		return err
	}
	return open.Launch(s)
}

// oneProcess is set where several GPUs have their ranks in this process.
var oneProcess atomic.Bool

// refusedInCapture captures an operation of GPUs of one process, which is an error.
func refusedInCapture(c *nccl.Comm, s *cuda.Stream) error {
	x, err := cuda.Upload(s, []float32{1})
	if err != nil {
		return err
	}
	defer x.Close()
	_, err = cuda.Capture(s, func(s *cuda.Stream) error { return nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum) })
	if !errors.Is(err, cuda.ErrStreamCaptureUnsupported) {
		return fmt.Errorf("an operation in a capture: %v", err)
	}
	return nil
}

// severalStreams has operations on streams in turn, which run in the order of the calls.
func severalStreams(_ context.Context, c *nccl.Comm, s *cuda.Stream) error {
	other, err := c.Device().NewStream()
	if err != nil {
		return err
	}
	defer other.Close()
	x, err := cuda.Upload(s, []int32{1})
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := cuda.Upload(other, []int32{1})
	if err != nil {
		return err
	}
	defer y.Close()
	want := int32(1)
	for range 5 {
		if err := errors.Join(nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), nccl.AllReduce(c, other, y.All(), y.All(), nccl.Sum)); err != nil {
			return err
		}
		want *= int32(c.Size())
	}
	if err := c.Group(func(c *nccl.Comm) error {
		return errors.Join(nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), nccl.AllReduce(c, other, y.All(), y.All(), nccl.Sum))
	}); err != nil {
		return err
	}
	want *= int32(c.Size())
	return errors.Join(compare(s, "first stream", x.All(), []int32{want}), compare(other, "second stream", y.All(), []int32{want}))
}

func registered(_ context.Context, c *nccl.Comm, s *cuda.Stream) error {
	b, err := nccl.Alloc[float32](s, 1<<20)
	if err != nil {
		return err
	}
	r, err := nccl.Register(c, b.All())
	if err != nil {
		return err
	}
	if err := errors.Join(cuda.Fill(b.All(), 1).Launch(s), nccl.AllReduce(c, s, b.All(), b.All(), nccl.Sum)); err != nil {
		return err
	}
	err = compare(s, "registered", b.Slice(1<<20-1, 1<<20), []float32{float32(c.Size())})
	return errors.Join(err, r.Close(), r.Close(), b.Close())
}

// manyInOrder queues many operations before it waits, between other work, in buffers that are closed
// at once.
func manyInOrder(_ context.Context, c *nccl.Comm, s *cuda.Stream) error {
	for round := range 20 {
		x, err := cuda.Upload(s, []float32{float32(round), float32(c.Rank())})
		if err != nil {
			return err
		}
		y, err := cuda.Alloc[float32](s, 2*c.Size())
		if err != nil {
			return err
		}
		if err := errors.Join(nccl.AllGather(c, s, y.All(), x.All()), x.Close()); err != nil {
			return err
		}
		want := concat(c.Size(), func(r int) []float32 { return []float32{float32(round), float32(r)} })
		if err := errors.Join(compare(s, "all-gather", y.All(), want), y.Close()); err != nil {
			return err
		}
	}
	return nil
}

// hostEnv is the environment of a rank: over sockets the ranks believe to be on different machines.
func hostEnv(transport string, rank int, env []string) []string {
	all := append([]string{"CUDAGEN_DEVICE="}, env...)
	if transport == "sockets" {
		all = append(all, fmt.Sprint("NCCL_HOSTID=host", rank))
	}
	return all
}

// TestEverything is TestTwoGPUs on simulated devices.
func TestEverything(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(n, " ranks"), func(t *testing.T) {
			everyWay(t, n, func(c *nccl.Comm, s *cuda.Stream) error { return everything(soon(t), c, s) })
		})
	}
}

// TestTwoGPUs runs all operations on two GPUs: of one process, and of two by each way that NCCL has.
func TestTwoGPUs(t *testing.T) {
	testenv.Need(t, testenv.TwoGPUs)
	t.Run("one process", func(t *testing.T) {
		t.Setenv("NCCL_NVLS_ENABLE", "0")
		oneProcess.Store(true)
		defer oneProcess.Store(false)
		var devices []*cuda.Device
		for i := range 2 {
			d, err := cuda.Open(i)
			require.NoError(t, err)
			defer d.Close()
			devices = append(devices, d)
		}
		for range 2 {
			require.NoError(t, nccl.Run(soon(t), devices, func(c *nccl.Comm) error {
				return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error { return everything(soon(t), c, s) })
			}))
		}
		wrong := errors.New("rank 1 is wrong")
		err := nccl.Run(soon(t), devices, func(c *nccl.Comm) error {
			return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
				if c.Rank() == 1 {
					return wrong
				}
				b, err := cuda.Upload(s, make([]float32, 1<<20))
				if err != nil {
					return err
				}
				return errors.Join(nccl.AllReduce(c, s, b.All(), b.All(), nccl.Sum), s.Wait(soon(t)))
			})
		})
		assert.ErrorIs(t, err, wrong)
		assert.NotErrorIs(t, err, context.DeadlineExceeded)
	})
	for name, env := range transports {
		t.Run(name, func(t *testing.T) {
			address := testenv.FreeAddress(t)
			var children []*child
			for rank := range 2 {
				children = append(children, start(t, "everything", rank, 2, address, hostEnv(name, rank, env)...))
			}
			for _, c := range children {
				c.expect(t, "all right")
				assert.NoError(t, c.Wait())
			}
		})
	}
}
