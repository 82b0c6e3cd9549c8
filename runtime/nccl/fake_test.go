//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/fakenccl"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// A fakeLibrary controls the fake NCCL.
type fakeLibrary struct {
	driver    *fakecuda.Library
	violation func() string
	live      func() int32
	fail      func(name string, result int32)
	breakAll  func(result int32)
	count     func(name string) int32
	waiting   func() int32
}

// fakes opens n devices of the fake driver, and the fake NCCL.
func fakes(n int) ([]*cuda.Device, *fakeLibrary, error) {
	driver, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		return nil, nil, err
	}
	driver.SetDevices(n)
	handle, err := purego.Dlopen(os.Getenv("CUDAGEN_LIBNCCL"), purego.RTLD_NOW)
	if err != nil {
		return nil, nil, err
	}
	l := &fakeLibrary{driver: driver}
	purego.RegisterLibFunc(&l.violation, handle, "fake_violation")
	purego.RegisterLibFunc(&l.live, handle, "fake_live")
	purego.RegisterLibFunc(&l.fail, handle, "fake_fail")
	purego.RegisterLibFunc(&l.breakAll, handle, "fake_break")
	purego.RegisterLibFunc(&l.count, handle, "fake_count")
	purego.RegisterLibFunc(&l.waiting, handle, "fake_waiting")
	var devices []*cuda.Device
	for i := range n {
		d, err := cuda.Open(i)
		if err != nil {
			return nil, nil, err
		}
		devices = append(devices, d)
	}
	return devices, l, nil
}

// A fakeTest runs in a process of its own.
type fakeTest func(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error

var fakeTests = map[string]fakeTest{
	"operations": fakeOperations, "allocations": fakeAllocations, "failures": fakeFailures, "abort": fakeAbort, "alone": fakeAlone, "abort beside": fakeAbortBeside,
	"noticed": fakeNoticed,
}

// bothConfigs calls f for communicators whose calls do not block, and for those whose calls do.
func bothConfigs(f func(cfg nccl.CommConfig) error) error {
	for _, cfg := range []nccl.CommConfig{{}, {Blocking: true}} {
		if err := f(cfg); err != nil {
			return fmt.Errorf("%+v: %w", cfg, err)
		}
	}
	return nil
}

// TestFakeNCCL runs the operations with a NCCL that checks how it is called, of several versions.
func TestFakeNCCL(t *testing.T) {
	driver := fakecuda.Build(t, fakecuda.Options{})
	for _, version := range []int{21805, 21903, 22304, 22809, 23203} {
		library := fakenccl.Build(t, version)
		for name := range fakeTests {
			t.Run(fmt.Sprint(version, "/", name), func(t *testing.T) {
				t.Parallel()
				self, err := os.Executable()
				require.NoError(t, err)
				c := exec.Command(self)
				c.Env = append(os.Environ(), childVariable+"=fake "+name, "CUDAGEN_DEVICE=", "CUDAGEN_LIBCUDA="+driver, "CUDAGEN_LIBNCCL="+library)
				out, err := c.CombinedOutput()
				assert.NoError(t, err, "%s", out)
			})
		}
	}
}

// runFake is what the process does.
func runFake(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	devices, l, err := fakes(3)
	if err != nil {
		return err
	}
	err = fakeTests[name](ctx, devices, l)
	if wrong := l.violation(); wrong != "" {
		err = errors.Join(err, errors.New("NCCL was called wrongly: "+wrong))
	}
	for l.live() != 0 && ctx.Err() == nil { // a call that blocks is aborted when it has returned
		time.Sleep(time.Millisecond)
	}
	if n := l.live(); n != 0 {
		err = errors.Join(err, fmt.Errorf("%d objects of NCCL's are left", n))
	}
	return err
}

func fakeOperations(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	version, err := nccl.Version()
	if err != nil {
		return err
	}
	for n := 1; n <= 3; n++ {
		if err := bothConfigs(func(cfg nccl.CommConfig) error {
			return nccl.RunWith(ctx, devices[:n], cfg, func(c *nccl.Comm) error {
				return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
					var errs []error
					if n > 1 {
						errs = append(errs, refusedInCapture(c, s)) // first: nobody may leave before
					}
					errs = append(errs, collectives[float32](c, s), collectives[int8](c, s), collectives[uint8](c, s), collectives[int32](c, s),
						collectives[uint32](c, s), collectives[int64](c, s), collectives[uint64](c, s), collectives[float64](c, s),
						splits(ctx, c, s), severalStreams(ctx, c, s), manyInOrder(ctx, c, s), empties(c, s))
					if version >= 21903 {
						errs = append(errs, fakeMemory(c, s))
					} else if _, err := nccl.Alloc[float32](s, 10); !errors.Is(err, nccl.ErrUnsupported) || !strings.Contains(err.Error(), "NCCL 2.18.5 has no ncclMemAlloc") || !strings.Contains(err.Error(), "install NCCL 2.19.3 or newer") {
						errs = append(errs, fmt.Errorf("without ncclMemAlloc: %w", err))
					}
					return errors.Join(errs...)
				})
			})
		}); err != nil {
			return fmt.Errorf("%d ranks: %w", n, err)
		}
	}
	if scalable := l.count("ncclCommInitRankScalable") > 0; scalable != (version >= 22304) {
		return fmt.Errorf("version %d: ncclCommInitRankScalable was called: %v", version, scalable)
	}
	if whole := l.count("ncclAlltoAll") > 0; whole != (version >= 22803) {
		return fmt.Errorf("version %d: ncclAlltoAll was called: %v", version, whole)
	}
	if slices.Contains(l.driver.Calls(), "cuStreamWaitEvent") {
		return errors.New("a stream waits for another: that may have an operation that waits for this one")
	}
	return nil
}

// fakeAlone has ranks end communicators, and make some that others are not in, while these already wait for them.
func fakeAlone(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	return bothConfigs(func(cfg nccl.CommConfig) error {
		return nccl.RunWith(ctx, devices, cfg, func(c *nccl.Comm) error {
			return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
				x, err := cuda.Upload(s, []float32{1})
				if err != nil {
					return err
				}
				defer x.Close()
				for round := range 10 {
					color := -1
					if c.Rank() == round%3 {
						color = 0
					}
					alone, err := c.Split(ctx, color, 0)
					if err != nil {
						return err
					}
					reduce := func() error { return nccl.AllReduce(c, s, x.All(), x.All(), nccl.Max) }
					if color < 0 {
						if err := reduce(); err != nil {
							return err
						}
						continue
					}
					for l.waiting() < 2 && ctx.Err() == nil { // the others wait for this rank
						time.Sleep(time.Millisecond)
					}
					if err := errors.Join(nccl.AllReduce(alone, s, x.All(), x.All(), nccl.Max), alone.Close(), alone.Close(), reduce()); err != nil {
						return err
					}
				}
				return nil
			})
		})
	})
}

// fakeMemory is registered without work on the memory, which the fake driver does not know.
func fakeMemory(c *nccl.Comm, s *cuda.Stream) error {
	b, err := nccl.Alloc[float32](s, 100)
	if err != nil {
		return err
	}
	r, err := nccl.Register(c, b.All())
	return errors.Join(err, r.Close(), r.Close(), b.Close())
}

// fakeAllocations measures what operations of two ranks allocate.
func fakeAllocations(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	return bothConfigs(func(cfg nccl.CommConfig) error { return allocationsOf(ctx, devices[:2], cfg) })
}

func allocationsOf(ctx context.Context, devices []*cuda.Device, cfg nccl.CommConfig) error {
	measured := make(chan struct{})
	return nccl.RunWith(ctx, devices, cfg, func(c *nccl.Comm) error {
		return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
			x, err := cuda.Upload(s, make([]float32, 8))
			if err != nil {
				return err
			}
			defer x.Close()
			var failed error
			note := func(err error) {
				if err != nil {
					failed = err
				}
			}
			swap := func(c *nccl.Comm) error {
				if err := nccl.Send(c, s, x.Slice(0, 4), 1-c.Rank()); err != nil {
					return err
				}
				return nccl.Recv(c, s, x.Slice(4, 8), 1-c.Rank())
			}
			if c.Rank() == 0 {
				defer close(measured)
			} else { // what rank 1 closes allocates
				defer func() { <-measured }()
			}
			const runs = 50
			for _, f := range []struct {
				name string
				do   func()
			}{
				{"all-reduce", func() { note(nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum)) }},
				{"broadcast", func() { note(nccl.Broadcast(c, s, x.All(), x.All(), 0)) }},
				{"all-gather", func() { note(nccl.AllGather(c, s, x.All(), x.Slice(4*c.Rank(), 4*c.Rank()+4))) }},
				{"all-to-all", func() { note(nccl.AllToAll(c, s, x.Slice(0, 4), x.Slice(4, 8))) }},
				{"group", func() { note(c.Group(swap)) }},
			} {
				f.do()
				if c.Rank() == 1 { // as often as AllocsPerRun
					for range 1 + runs {
						f.do()
					}
				} else if n := testing.AllocsPerRun(runs, f.do); n != 0 && !raceDetector { // under which a sync.Pool drops what it has
					return fmt.Errorf("%s: %v allocations", f.name, n)
				}
				if failed != nil {
					return fmt.Errorf("%s: %w", f.name, failed)
				}
			}
			return nil
		})
	})
}

// fakeFailures has each function of NCCL fail in turn.
func fakeFailures(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	version, _ := nccl.Version()
	join := "ncclCommInitRankScalable"
	if version < 22304 {
		join = "ncclCommInitRankConfig"
	}
	for _, name := range []string{"ncclGetUniqueId", join, "ncclAllReduce", "ncclGroupEnd", "ncclRedOpCreatePreMulSum", "ncclCommSplit", "ncclCommFinalize", "ncclCommDestroy"} {
		for _, cfg := range []nccl.CommConfig{{}, {Blocking: true}} {
			if err := fakeFailure(ctx, devices[:1], cfg, l, name); err != nil {
				return err
			}
		}
	}
	l.fail("", 0)
	return nil
}

func fakeFailure(ctx context.Context, devices []*cuda.Device, cfg nccl.CommConfig, l *fakeLibrary, name string) error {
	l.fail(name, int32(nccl.SystemError))
	err := nccl.RunWith(ctx, devices, cfg, func(c *nccl.Comm) error {
		return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
			x, err := cuda.Upload(s, make([]float32, 4))
			if err != nil {
				return err
			}
			defer x.Close()
			_, pre := nccl.NewPreMulSum(c, float32(2))
			part, split := c.Split(ctx, 0, 0)
			twice := func(c *nccl.Comm) error {
				return errors.Join(nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum))
			}
			return errors.Join(nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), pre, split, part.Close(), c.Group(twice))
		})
	})
	if !errors.Is(err, nccl.SystemError) || !strings.Contains(err.Error(), name+" was told to fail") {
		return fmt.Errorf("%s failed: %w", name, err)
	}
	return nil
}

// fakeNoticed has NCCL notice an error by itself while no call is under way.
func fakeNoticed(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	return bothConfigs(func(cfg nccl.CommConfig) error {
		err := nccl.RunWith(ctx, devices[:1], cfg, func(c *nccl.Comm) error {
			l.breakAll(int32(nccl.SystemError))
			select {
			case <-c.Done():
				return c.Err()
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if !errors.Is(err, nccl.SystemError) || !strings.Contains(err.Error(), "NCCL has noticed an error") {
			return fmt.Errorf("NCCL reports an error: %w", err)
		}
		return nil
	})
}

// fakeAbortBeside has several goroutines abort and close what others use.
func fakeAbortBeside(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	return bothConfigs(func(cfg nccl.CommConfig) error {
		return nccl.RunWith(ctx, devices, cfg, func(c *nccl.Comm) error { return onStream(c, abortBeside) })
	})
}

// fakeAbort ends communicators whose ranks wait for one that never comes.
func fakeAbort(ctx context.Context, devices []*cuda.Device, l *fakeLibrary) error {
	return bothConfigs(func(cfg nccl.CommConfig) error { return abortOf(ctx, devices, cfg, l) })
}

func abortOf(ctx context.Context, devices []*cuda.Device, cfg nccl.CommConfig, l *fakeLibrary) error {
	wrong := errors.New("rank 2 is wrong")
	for name, cause := range map[string]func(*nccl.Comm) error{
		"error": func(*nccl.Comm) error { return wrong },
		"abort": func(c *nccl.Comm) error { return errors.Join(wrong, c.Abort()) },
		"NCCL's own error": func(c *nccl.Comm) error {
			l.breakAll(int32(nccl.RemoteError))
			<-c.Done()
			if err := c.Err(); !errors.Is(err, nccl.RemoteError) && !errors.Is(err, nccl.ErrAborted) {
				return err
			}
			return wrong
		},
	} {
		err := nccl.RunWith(ctx, devices, cfg, func(c *nccl.Comm) error {
			return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
				if c.Rank() == 2 {
					return cause(c)
				}
				x, err := cuda.Upload(s, make([]float32, 4))
				if err != nil {
					return err
				}
				err = nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum) // in progress for ever
				if err == nil {
					return errors.New("nothing has failed")
				}
				if waited := s.Wait(ctx); waited == nil {
					return errors.New("the stream has not failed")
				}
				return err
			})
		})
		if !errors.Is(err, wrong) || errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
