package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// everyWay runs f on n simulated devices: in one process by Run, and over TCP.
func everyWay(t *testing.T, n int, f func(*nccl.Comm, *cuda.Stream) error) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		require.NoError(t, nccl.Run(soon(t), simulators(t, n), func(c *nccl.Comm) error { return onStream(c, f) }))
	})
	t.Run("TCP", func(t *testing.T) {
		peers, devices := meet(t, n, nccl.ExchangeConfig{}), simulators(t, n)
		for rank, err := range each(n, func(rank int) error {
			c, err := peers[rank].NewComm(soon(t), devices[rank])
			if err != nil {
				return err
			}
			return errors.Join(onStream(c, f), c.Close())
		}) {
			assert.NoError(t, err, rank)
		}
	})
}

func onStream(c *nccl.Comm, f func(*nccl.Comm, *cuda.Stream) error) error {
	s, err := c.Device().NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	return f(c, s)
}

// numbers returns n numbers of a rank.
func numbers[T int8 | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64](rank, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(10*rank + i)
	}
	return all
}

// compare returns an error unless s has what is wanted.
func compare[T comparable](stream *cuda.Stream, what string, s cuda.Slice[T], want []T) error {
	got, err := s.Download(stream)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// concat returns what f returns for each of n ranks.
func concat[T any](n int, f func(rank int) []T) (all []T) {
	for i := range n {
		all = append(all, f(i)...)
	}
	return all
}

func collectives[T int8 | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64](c *nccl.Comm, s *cuda.Stream) error {
	const n = 3
	size, rank := c.Size(), c.Rank()
	mine, whole := numbers[T](rank, n), numbers[T](rank, n*size)
	src, err := cuda.Upload(s, mine)
	if err != nil {
		return err
	}
	defer src.Close()
	long, err := cuda.Upload(s, whole)
	if err != nil {
		return err
	}
	defer long.Close()
	dst, err := cuda.Upload(s, make([]T, n))
	if err != nil {
		return err
	}
	defer dst.Close()
	wide, err := cuda.Upload(s, make([]T, n*size))
	if err != nil {
		return err
	}
	defer wide.Close()
	sum := func(n int) []T {
		total := numbers[T](0, n)
		for r := 1; r < size; r++ {
			for i, v := range numbers[T](r, n) {
				total[i] += v
			}
		}
		return total
	}
	root := size - 1
	kept := numbers[T](0, n) // what a rank has that gets nothing
	steps := []struct {
		what string
		err  error
		test func() error
	}{}
	step := func(what string, err error, test func() error) {
		steps = append(steps, struct {
			what string
			err  error
			test func() error
		}{what, err, nil})
		if err == nil {
			err = test()
		}
		steps[len(steps)-1].err = err
	}
	step("all-reduce", nccl.AllReduce(c, s, dst.All(), src.All(), nccl.Sum), func() error { return compare(s, "all-reduce", dst.All(), sum(n)) })
	step("max", nccl.AllReduce(c, s, dst.All(), src.All(), nccl.Max), func() error { return compare(s, "max", dst.All(), numbers[T](size-1, n)) })
	step("min", nccl.AllReduce(c, s, dst.All(), src.All(), nccl.Min), func() error { return compare(s, "min", dst.All(), numbers[T](0, n)) })
	step("fill", cuda.Copy(dst.All(), src.All()).Launch(s), func() error { return nil })
	step("in place", nccl.AllReduce(c, s, dst.All(), dst.All(), nccl.Sum), func() error { return compare(s, "in place", dst.All(), sum(n)) })
	step("broadcast", nccl.Broadcast(c, s, dst.All(), src.All(), root), func() error { return compare(s, "broadcast", dst.All(), numbers[T](root, n)) })
	step("kept", dst.CopyFrom(s, kept), func() error { return nil })
	step("reduce", nccl.Reduce(c, s, dst.All(), src.All(), nccl.Sum, root), func() error {
		want := kept
		if rank == root {
			want = sum(n)
		}
		return compare(s, "reduce", dst.All(), want)
	})
	step("all-gather", nccl.AllGather(c, s, wide.All(), src.All()), func() error {
		return compare(s, "all-gather", wide.All(), concat(size, func(r int) []T { return numbers[T](r, n) }))
	})
	step("in place", nccl.AllGather(c, s, long.All(), long.Slice(rank*n, rank*n+n)), func() error {
		return compare(s, "all-gather in place", long.All(), concat(size, func(r int) []T { return numbers[T](r, n*size)[r*n : r*n+n] }))
	})
	step("refill", long.CopyFrom(s, whole), func() error { return nil })
	step("reduce-scatter", nccl.ReduceScatter(c, s, dst.All(), long.All(), nccl.Sum), func() error {
		return compare(s, "reduce-scatter", dst.All(), sum(n * size)[rank*n:rank*n+n])
	})
	step("all-to-all", nccl.AllToAll(c, s, wide.All(), long.All()), func() error {
		return compare(s, "all-to-all", wide.All(), concat(size, func(r int) []T { return numbers[T](r, n*size)[rank*n : rank*n+n] }))
	})
	step("gather", nccl.Gather(c, s, wide.All(), src.All(), root), func() error {
		if rank != root {
			return nil
		}
		return compare(s, "gather", wide.All(), concat(size, func(r int) []T { return numbers[T](r, n) }))
	})
	step("scatter", nccl.Scatter(c, s, dst.All(), long.All(), root), func() error {
		return compare(s, "scatter", dst.All(), numbers[T](root, n*size)[rank*n:rank*n+n])
	})
	next, before := (rank+1)%size, (rank+size-1)%size
	step("ring", c.Group(func(c *nccl.Comm) error {
		return errors.Join(nccl.Send(c, s, src.All(), next), nccl.Recv(c, s, dst.All(), before))
	}), func() error { return compare(s, "ring", dst.All(), numbers[T](before, n)) })
	factor := T(rank + 1)
	pre, err := nccl.NewPreMulSum(c, factor)
	step("pre-multiplied sum", err, func() error { return nil })
	step("pre-multiplied sum", nccl.AllReduce(c, s, dst.All(), src.All(), pre), func() error {
		want := make([]T, n)
		for r := range size {
			for i, v := range numbers[T](r, n) {
				want[i] += v * T(r+1)
			}
		}
		return compare(s, "pre-multiplied sum", dst.All(), want)
	})
	step("drop", c.DropPreMulSum(pre), func() error { return nil })
	var errs []error
	for _, st := range steps {
		if st.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", st.what, st.err))
		}
	}
	return errors.Join(errs...)
}

// reduced compares the reduction of n values of this rank with what NCCL's kernels return.
func reduced[T nccl.Element](c *nccl.Comm, s *cuda.Stream, op nccl.Op, mine, want T) error {
	src, err := cuda.Upload(s, []T{mine})
	if err != nil {
		return err
	}
	defer src.Close()
	got := make([]T, 1)
	if err := errors.Join(nccl.AllReduce(c, s, src.All(), src.All(), op), src.CopyTo(s, got), s.Wait(context.Background())); err != nil {
		return err
	}
	if got[0] != want {
		return fmt.Errorf("%v of %T: got %v, want %v", op, want, got[0], want)
	}
	return nil
}

// extremes reduces what overflows, and what is no number, on two ranks or more.
func extremes(c *nccl.Comm, s *cuda.Stream) error {
	if c.Size() == 1 {
		return nil
	}
	hole32, hole64, hole16 := float32(1), 1.0, vec.NewFloat16(1)
	if c.Rank() == 0 {
		hole32, hole64, hole16 = float32(math.NaN()), math.NaN(), vec.NewFloat16(float32(math.NaN()))
	}
	errs := []error{
		reduced(c, s, nccl.Max, hole32, 1), reduced(c, s, nccl.Min, hole32, 1), reduced(c, s, nccl.Max, hole64, 1), reduced(c, s, nccl.Min, hole64, 1),
		reduced(c, s, nccl.Max, hole16, vec.NewFloat16(1)), reduced(c, s, nccl.Min, hole16, vec.NewFloat16(1)),
		reduced(c, s, nccl.Avg, int8(-1), -1), reduced(c, s, nccl.Avg, uint32(1), 1),
	}
	if c.Size() == 2 { // whose half is exact
		errs = append(errs, reduced(c, s, nccl.Avg, float32(3e38), 3e38), reduced(c, s, nccl.Avg, 1.5e308, 1.5e308),
			reduced(c, s, nccl.Avg, vec.NewFloat16(60000), vec.NewFloat16(60000)), reduced(c, s, nccl.Avg, vec.NewBFloat16(3e38), vec.NewBFloat16(3e38)))
	}
	return errors.Join(errs...)
}

// A pre-multiplied sum that is dropped in a group ends with that.
func dropInGroup(c *nccl.Comm, s *cuda.Stream) error {
	x, err := cuda.Upload(s, []float32{1})
	if err != nil {
		return err
	}
	defer x.Close()
	pre, err := nccl.NewPreMulSum(c, float32(3))
	if err != nil {
		return err
	}
	got := make([]float32, 1)
	err = errors.Join(c.Group(func(c *nccl.Comm) error {
		return errors.Join(nccl.AllReduce(c, s, x.All(), x.All(), pre), c.DropPreMulSum(pre))
	}), x.CopyTo(s, got), s.Wait(context.Background()))
	if want := float32(3 * c.Size()); err == nil && got[0] != want {
		return fmt.Errorf("a dropped pre-multiplied sum: got %v, want %v", got[0], want)
	}
	if err == nil && nccl.AllReduce(c, s, x.All(), x.All(), pre) == nil {
		return errors.New("a pre-multiplied sum is used that was dropped")
	}
	return err
}

func TestCollectives(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(n, " ranks"), func(t *testing.T) {
			everyWay(t, n, func(c *nccl.Comm, s *cuda.Stream) error {
				return errors.Join(collectives[float32](c, s), collectives[int8](c, s), collectives[uint8](c, s), collectives[int32](c, s),
					collectives[uint32](c, s), collectives[int64](c, s), collectives[uint64](c, s), collectives[float64](c, s))
			})
		})
	}
}
