package cuda_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// copySizes are the bytes of copies that go through page-locked memory while their stream is
// busy, and of those that wait until it is idle.
var copySizes = map[string]int{"small": 40, "largest small": 1 << 16, "large": 1<<16 + 1}

// numbered returns n bytes that differ from their neighbours.
func numbered(n, first int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(first + i*7)
	}
	return b
}

// TestGoCopiesOfBusyStreams: each way of copying is in the order of the stream, and complete
// when it returns.
func TestGoCopiesOfBusyStreams(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for name, n := range copySizes {
			for _, blocking := range []bool{false, true} {
				t.Run(name, func(t *testing.T) {
					if !blocking {
						defer cuda.FillHasty()()
					}
					s := newStream(t, dev)
					b, err := cuda.Upload(s, numbered(n, 1))
					require.NoError(t, err)
					defer b.Close()
					release := blocked(t, s)
					var wg sync.WaitGroup
					host, second := make([]byte, n), numbered(n, 100)
					wg.Go(func() { assert.NoError(t, b.CopyTo(s, host)) })
					time.Sleep(5 * time.Millisecond)
					assert.Equal(t, make([]byte, n), host, "the work before it has not run")
					release()
					wg.Wait()
					assert.Equal(t, numbered(n, 1), host)

					release = blocked(t, s)
					wg.Go(func() { assert.NoError(t, b.CopyFrom(s, second)); clear(second) })
					time.Sleep(5 * time.Millisecond)
					assert.Equal(t, numbered(n, 100), second, "it has not returned")
					release()
					wg.Wait()
					got, err := b.All().Download(s)
					require.NoError(t, err)
					assert.Equal(t, numbered(n, 100), got)
				})
			}
		}
	})
}

// TestCancelledGoCopies: a copy that was given up leaves Go memory alone, and its buffer can
// be closed.
func TestCancelledGoCopies(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for name, n := range copySizes {
			t.Run(name, func(t *testing.T) {
				s := newStream(t, dev)
				b, err := cuda.UploadContext(t.Context(), s, numbered(n, 1))
				require.NoError(t, err)
				release := blocked(t, s)
				ctx, cancel := context.WithCancelCause(t.Context())
				host, source := make([]byte, n), numbered(n, 100)
				results := make(chan error, 3)
				go func() { results <- b.CopyToContext(ctx, s, host) }()
				go func() { results <- b.CopyFromContext(ctx, s, source) }()
				go func() {
					_, err := b.All().DownloadContext(ctx, s)
					results <- err
				}()
				require.Eventually(t, func() bool { return cuda.Waiting(dev) == 3 }, time.Minute, time.Millisecond)
				cause := errors.New("the client is gone")
				cancel(cause)
				for range 3 {
					err := <-results
					assert.ErrorIs(t, err, context.Canceled)
					assert.ErrorIs(t, err, cause)
				}
				clear(source)
				closed := make(chan error)
				go func() { closed <- b.Close() }() // which waits in the fake driver
				time.Sleep(time.Millisecond)
				release()
				require.NoError(t, <-closed)
				require.NoError(t, s.Wait(t.Context()))
				assert.Equal(t, make([]byte, n), host)
				assert.ErrorIs(t, b.CopyToContext(ctx, s, host), cuda.ErrClosed)

				c, err := cuda.Alloc[byte](s, n)
				require.NoError(t, err)
				defer c.Close()
				assert.ErrorIs(t, c.CopyToContext(ctx, s, host), context.Canceled, "before it begins")
				_, err = cuda.UploadContext(ctx, s, source)
				assert.ErrorIs(t, err, context.Canceled)
			})
		}
	})
}

// TestCloseBesideGoCopies: what copies use may be closed beside them.
func TestCloseBesideGoCopies(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		defer cuda.FillHasty()()
		for _, n := range copySizes {
			s := newStream(t, dev)
			b, err := cuda.Upload(s, numbered(n, 1))
			require.NoError(t, err)
			release := blocked(t, s)
			results := make(chan error, 20)
			for range 20 {
				go func() {
					host := make([]byte, n)
					err := b.CopyTo(s, host)
					if err == nil && !assert.ObjectsAreEqual(numbered(n, 1), host) {
						err = errors.New("wrong bytes")
					}
					results <- err
				}()
			}
			require.Eventually(t, func() bool { return cuda.Waiting(dev) == 20 }, time.Minute, time.Millisecond)
			require.NoError(t, b.Close())
			go func() { time.Sleep(5 * time.Millisecond); release() }()
			require.NoError(t, s.Close())
			for range 20 {
				if err := <-results; n > 1<<16 && err != nil {
					assert.ErrorIs(t, err, cuda.ErrClosed)
				} else {
					assert.NoError(t, err)
				}
			}
		}
	})
}

// TestDeviceCloseBesideGoCopies: Device.Close waits until the copies are over.
func TestDeviceCloseBesideGoCopies(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *cuda.Device{
		"simulator":    func(t *testing.T) *cuda.Device { return openSimulator(t) },
		"fake libcuda": func(t *testing.T) *cuda.Device { dev, _ := openFake(t); return dev },
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t)
			restore := cuda.FillHasty()
			s := newStream(t, dev)
			b := upload(t, s, numbered(100, 1))
			release := blocked(t, s)
			results, ctx := make(chan error, 100), t.Context()
			short, cancel := context.WithCancel(ctx)
			for i := range cap(results) {
				go func() {
					host := make([]byte, 100)
					ctx := ctx
					if i%2 == 0 {
						ctx = short
					}
					err := b.CopyToContext(ctx, s, host)
					if err == nil && !assert.ObjectsAreEqual(numbered(100, 1), host) {
						err = errors.New("wrong bytes")
					}
					results <- err
				}()
			}
			require.Eventually(t, func() bool { return cuda.Waiting(dev) == cap(results) }, time.Minute, time.Millisecond)
			cancel()
			go func() { time.Sleep(5 * time.Millisecond); release() }()
			require.NoError(t, dev.Close())
			for range cap(results) {
				if err := <-results; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, cuda.ErrClosed) {
					assert.NoError(t, err)
				}
			}
			restore()
		})
	}
}

// TestGoCopiesInOneProgram: many goroutines share streams that others keep busy.
func TestGoCopiesInOneProgram(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		streams := []*cuda.Stream{newStream(t, dev), newStream(t, dev), newStream(t, dev)}
		var wg sync.WaitGroup
		for i := range 60 {
			s, n := streams[i%len(streams)], []int{40, 5000, 1<<16 + 100}[i%3]
			wg.Go(func() {
				for round := range 20 {
					want := numbered(n, i+round)
					b, err := cuda.Upload(s, want)
					if !assert.NoError(t, err) {
						return
					}
					assert.NoError(t, s.LaunchHostFunc(func() {}))
					got, err := b.All().Download(s)
					assert.NoError(t, err)
					if !assert.ObjectsAreEqual(want, got) {
						t.Error("wrong bytes")
					}
					assert.NoError(t, b.Close())
				}
			})
		}
		wg.Wait()
	})
}

// TestCopiesDoNotFillAStream: of the copies that wait for a stream few queue anything there, on the driver's side.
func TestCopiesDoNotFillAStream(t *testing.T) {
	dev, library := openFake(t)
	s := newStream(t, dev)
	b := upload(t, s, numbered(40, 1))
	const goroutines = 500
	library.Reset()
	library.Hold()
	defer library.Release()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { assert.NoError(t, b.CopyTo(s, make([]byte, 40))) })
	}
	require.Eventually(t, func() bool { return cuda.Waiting(dev)+cuda.Blocking() == goroutines }, time.Minute, 5*time.Millisecond)
	count := make(map[string]int)
	for _, call := range library.Calls() {
		count[call]++
	}
	library.Release()
	wg.Wait()
	const staged, parked = 64, 8
	assert.Equal(t, staged, count["cuMemcpyDtoHAsync"], "those that block wait for the stream first")
	assert.LessOrEqual(t, count["cuEventRecord"], staged+parked)
	assert.Greater(t, count["cuEventRecord"], staged, "the others wait for it, too")
}

// TestTenThousandCopies: goroutines in CopyTo and CopyFrom whose streams are busy, and then
// all at once are not, take few threads. It runs in a process of its own, because threads
// that others made stay.
func TestTenThousandCopies(t *testing.T) {
	if os.Getenv("CUDAGEN_TEST_ALONE") == "" {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(self, "-test.run=^TestTenThousandCopies$", "-test.v")
		cmd.Env = append(os.Environ(), "CUDAGEN_TEST_ALONE=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s", out)
		return
	}
	dev, library := openFake(t)
	const streams = 8
	var s [streams]*cuda.Stream
	for i := range s {
		s[i] = newStream(t, dev)
	}
	limit := 32 + 2*runtime.NumCPU()
	for _, test := range []struct {
		name       string
		bytes      int
		goroutines int
		unbounded  bool
		slow       time.Duration // the driver's calls take
	}{
		{"small", 40, 10000, false, 0},
		{"more than is page-locked", 5000, 10000, false, 0},
		{"large", 1<<16 + 1, 10000, false, 0},
		{"small, with a slow driver", 40, 300, false, 5 * time.Millisecond},
		{"the control: they block as they come", 40, 300, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.unbounded {
				defer cuda.UnboundHasty(test.goroutines)()
			}
			want := numbered(test.bytes, 1)
			b, err := cuda.Upload(s[0], want)
			require.NoError(t, err)
			defer b.Close()
			library.Hold()
			defer library.Release()
			library.Slow(test.slow)
			defer library.Slow(0)
			var wg sync.WaitGroup
			shared := make([][]byte, 64) // for CopyFrom
			for i := range shared {
				shared[i] = want
			}
			for i := range test.goroutines {
				wg.Go(func() {
					if i%2 == 0 {
						assert.NoError(t, b.CopyFrom(s[i/2%streams], shared[i%64]))
						return
					}
					host := make([]byte, test.bytes)
					assert.NoError(t, b.CopyTo(s[i/2%streams], host))
					if !assert.ObjectsAreEqual(want, host) {
						t.Error("wrong bytes")
					}
				})
			}
			most := 0
			require.Eventually(t, func() bool {
				most = max(most, threads(t))
				return cuda.Waiting(dev)+cuda.Blocking() == test.goroutines
			}, time.Minute, 5*time.Millisecond)
			library.Release()
			done := make(chan struct{})
			go func() { wg.Wait(); close(done) }()
			for waiting := true; waiting; {
				most = max(most, threads(t))
				select {
				case <-done:
					waiting = false
				case <-time.After(time.Millisecond):
				}
			}
			t.Logf("%d goroutines: %d threads at most, limit %d", test.goroutines, most, limit)
			if test.unbounded {
				assert.Greater(t, most, test.goroutines)
			} else {
				assert.LessOrEqual(t, most, limit)
			}
		})
	}
}
