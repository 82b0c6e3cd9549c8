//go:build linux

package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// besides are what a rank may do while another rank of its process waits for it. Those that may wait are what the
// document warns of.
var besides = []struct {
	name    string
	mayWait bool
	begin   func(ctx context.Context, c *nccl.Comm, s *cuda.Stream) (do func() error, err error)
}{
	{"upload, download and close", false, func(_ context.Context, _ *nccl.Comm, s *cuda.Stream) (func() error, error) {
		return func() error {
			b, err := cuda.Upload(s, make([]float32, 1<<16))
			if err != nil {
				return err
			}
			_, err = b.All().Download(s)
			return errors.Join(err, b.Close())
		}, nil
	}},
	{"allocate a GiB and close it", false, func(_ context.Context, _ *nccl.Comm, s *cuda.Stream) (func() error, error) {
		return func() error {
			b, err := cuda.Alloc[byte](s, 1<<30)
			if err != nil {
				return err
			}
			return errors.Join(b.Clear(s), b.Close(), s.Synchronize())
		}, nil
	}},
	{"make and close a stream", false, func(_ context.Context, c *nccl.Comm, _ *cuda.Stream) (func() error, error) {
		return func() error {
			s, err := c.Device().NewStreamWithPriority(-1)
			if err != nil {
				return err
			}
			return s.Close()
		}, nil
	}},
	{"close a communicator", false, func(ctx context.Context, c *nccl.Comm, s *cuda.Stream) (func() error, error) {
		color := -1
		if c.Rank() == 0 {
			color = 0
		}
		alone, err := c.Split(ctx, color, 0)
		return alone.Close, err
	}},
	{"allocate memory of NCCL", true, func(_ context.Context, _ *nccl.Comm, s *cuda.Stream) (func() error, error) {
		return func() error {
			b, err := nccl.Alloc[float32](s, 1<<20)
			if err != nil {
				return err
			}
			return b.Close()
		}, nil
	}},
	{"allocate page-locked memory", true, func(_ context.Context, c *nccl.Comm, _ *cuda.Stream) (func() error, error) {
		return func() error {
			_, err := cuda.AllocHost[float32](c.Device(), 1<<20, cuda.HostConfig{}) // closed with the device
			return err
		}, nil
	}},
	{"close page-locked memory", true, func(_ context.Context, c *nccl.Comm, _ *cuda.Stream) (func() error, error) {
		b, err := cuda.AllocHost[float32](c.Device(), 1<<20, cuda.HostConfig{})
		return b.Close, err
	}},
}

// TestBesideAnOperation: what rank 0 does while GPU 1 runs an operation that waits for it. It logs for each whether it waited
// for GPU 1, and whether rank 0 could nevertheless launch its own part.
func TestBesideAnOperation(t *testing.T) {
	testenv.Need(t, testenv.TwoGPUs)
	t.Setenv("NCCL_NVLS_ENABLE", "0")
	for _, b := range besides {
		t.Run(b.name, func(t *testing.T) {
			devices := twoGPUs(t)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			watch := stacksUnless(t, 15*time.Second)
			defer watch()
			began := make(chan struct{})
			assert.NoError(t, nccl.Run(ctx, devices, func(c *nccl.Comm) error {
				return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
					x, err := cuda.Upload(s, make([]float32, 1000))
					if err != nil {
						return err
					}
					defer x.Close()
					reduce := func() error { return nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum) }
					if err := errors.Join(reduce(), s.Wait(ctx)); err != nil { // connects
						return err
					}
					do, err := b.begin(ctx, c, s)
					if err != nil {
						return err
					}
					if c.Rank() == 1 {
						err := reduce()
						close(began)
						return errors.Join(err, s.Wait(ctx))
					}
					<-began
					time.Sleep(20 * time.Millisecond) // the kernel of GPU 1 runs
					other, err := c.Device().NewStream()
					if err != nil {
						return err
					}
					did := make(chan error, 1)
					at := time.Now()
					go func() { did <- do() }()
					select {
					case err := <-did:
						t.Log("it took", time.Since(at))
						return errors.Join(err, reduce(), s.Wait(ctx), other.Close())
					case <-time.After(3 * time.Second):
						assert.True(t, b.mayWait, "it waits for GPU 1")
						t.Log("it waits for GPU 1")
					}
					at = time.Now()
					err = nccl.AllReduce(c, other, x.All(), x.All(), nccl.Sum)
					t.Logf("and rank 0 could launch after %v: %v", time.Since(at), err)
					return errors.Join(err, <-did, s.Wait(ctx), other.Close())
				})
			}))
		})
	}
}

// TestPartsOfOneProcess does what TestTwoGPUs does in one process, each part with its own deadline. When that passes it
// prints what each goroutine and thread is in.
func TestPartsOfOneProcess(t *testing.T) {
	testenv.Need(t, testenv.TwoGPUs)
	t.Setenv("NCCL_NVLS_ENABLE", "0")
	oneProcess.Store(true)
	defer oneProcess.Store(false)
	for _, cfg := range []nccl.CommConfig{{}, {Blocking: true}} {
		for _, part := range []struct {
			name string
			do   func(context.Context, *nccl.Comm, *cuda.Stream) error
		}{
			{"collectives", func(_ context.Context, c *nccl.Comm, s *cuda.Stream) error { return collectives[float32](c, s) }},
			{"halves", halves}, {"splits", splits}, {"capture refused", func(ctx context.Context, c *nccl.Comm, s *cuda.Stream) error {
				return errors.Join(captured(ctx, c, s), collectives[float32](c, s)) // none leaves before all were refused
			}}, {"streams", severalStreams}, {"registered", registered},
			{"in order", manyInOrder},
			{"splits and streams", func(ctx context.Context, c *nccl.Comm, s *cuda.Stream) error {
				for range 3 {
					if err := errors.Join(splits(ctx, c, s), severalStreams(ctx, c, s)); err != nil {
						return err
					}
				}
				return nil
			}},
			{"everything", everything},
		} {
			if !t.Run(fmt.Sprintf("%s %+v", part.name, cfg), func(t *testing.T) {
				devices := twoGPUs(t)
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				defer stacksUnless(t, 15*time.Second)()
				require.NoError(t, nccl.RunWith(ctx, devices, cfg, func(c *nccl.Comm) error {
					return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error { return part.do(ctx, c, s) })
				}))
			}) {
				return // the next ones would say the same
			}
		}
	}
}

func twoGPUs(t *testing.T) (devices []*cuda.Device) {
	for i := range 2 {
		d, err := cuda.Open(i)
		require.NoError(t, err)
		t.Cleanup(func() { d.Close() })
		devices = append(devices, d)
	}
	return devices
}

// stacksUnless logs what goroutines and threads are in, unless stop is called before.
func stacksUnless(t *testing.T, limit time.Duration) (stop func()) {
	over := make(chan struct{})
	timer := time.AfterFunc(limit, func() {
		var b strings.Builder
		pprof.Lookup("goroutine").WriteTo(&b, 2)
		threads, _ := filepath.Glob("/proc/self/task/*")
		for _, thread := range threads {
			fmt.Fprintf(&b, "\n%s:", filepath.Base(thread))
			for _, name := range []string{"comm", "wchan", "syscall", "stack"} {
				text, err := os.ReadFile(filepath.Join(thread, name))
				if err != nil {
					text = []byte(err.Error())
				}
				fmt.Fprintf(&b, " %s", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", " | "))
			}
		}
		select {
		case <-over:
		default:
			fmt.Fprintf(os.Stderr, "%s hangs\n%s\n", t.Name(), b.String())
		}
	})
	return func() {
		close(over)
		timer.Stop()
	}
}
