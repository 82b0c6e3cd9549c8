package cuda_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestStreamsInSequence: the streams of requests that come one after the other are one stream
// of the driver's, and one in a buffer that all of them use, without a garbage collection and
// while a goroutine is in a call that blocks.
func TestStreamsInSequence(t *testing.T) {
	for name, block := range map[string]func(*cuda.Stream, *cuda.Buffer[float32]) error{
		"Synchronize": func(s *cuda.Stream, _ *cuda.Buffer[float32]) error { return s.Synchronize() },
		"CopyFrom":    func(s *cuda.Stream, x *cuda.Buffer[float32]) error { return x.All().CopyFrom(s, make([]float32, 8)) },
	} {
		t.Run(name, func(t *testing.T) { testStreamsInSequence(t, block) })
	}
}

// testStreamsInSequence is TestStreamsInSequence beside a goroutine in block.
func testStreamsInSequence(t *testing.T, block func(*cuda.Stream, *cuda.Buffer[float32]) error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	dev, library := openFake(t)
	k, home := loaded(t, dev)
	weights := upload(t, home, make([]float32, 8))
	busy := newStream(t, dev)
	copied := upload(t, home, make([]float32, 8))
	release := blocked(t, busy)
	var wg sync.WaitGroup
	wg.Go(func() { assert.NoError(t, block(busy, copied)) })
	inTheDriver(library, "cuStreamSynchronize")
	requests := func(priority int) (most int) {
		for range 500 {
			s, err := dev.NewStreamWithPriority(priority)
			require.NoError(t, err)
			require.NoError(t, read(k, s, weights.All()))
			require.NoError(t, s.Close())
			most = max(most, library.Live(fakecuda.Stream))
		}
		return most
	}
	before := library.Live(fakecuda.Stream)
	assert.Equal(t, before+1, requests(0))
	assert.Equal(t, 1, cuda.Others(weights.Owner()))
	assert.Equal(t, before+501, requests(-1), "the control: streams with a priority are not used again")
	assert.LessOrEqual(t, cuda.Others(weights.Owner()), 64)

	// What was closed goes beside the goroutine in block.
	for deadline := time.Now().Add(10 * time.Second); library.Live(fakecuda.Stream) > before && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	assert.Equal(t, before, library.Live(fakecuda.Stream))
	release()
	wg.Wait()
}

// TestLateCalls: what a call beside the Close of its stream has queued, maybe among the work
// of the next stream, is waited for by the Close of its buffer. The control is a call before
// the Close, which has waited.
func TestLateCalls(t *testing.T) {
	dev, library := openFake(t)
	k, home := loaded(t, dev)
	host, err := cuda.AllocHost[float32](dev, 8, cuda.HostConfig{})
	require.NoError(t, err)
	defer host.Close()
	ways := map[string]func(s *cuda.Stream, x *cuda.Buffer[float32]) func() error{
		"Launch": func(s *cuda.Stream, x *cuda.Buffer[float32]) func() error {
			return func() error { return k.Saxpy.Launch(s, 2, x.All(), x.All()) }
		},
		"Call.Launch": func(s *cuda.Stream, x *cuda.Buffer[float32]) func() error {
			call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()})
			require.NoError(t, err)
			return func() error { return call.Launch(s) }
		},
		"Batch.Launch": func(s *cuda.Stream, x *cuda.Buffer[float32]) func() error {
			call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()})
			require.NoError(t, err)
			batch, err := cuda.NewBatch(call, call)
			require.NoError(t, err)
			return func() error { return batch.Launch(s) }
		},
		"Copy": func(s *cuda.Stream, x *cuda.Buffer[float32]) func() error {
			return func() error { return cuda.Copy(x.All(), host.All()).Launch(s) }
		},
	}
	for name, prepare := range ways {
		for _, noted := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, noted before %v, late %v", name, noted, late), func(t *testing.T) {
					x := upload(t, home, make([]float32, 8))
					s := newStream(t, dev)
					call := prepare(s, x)
					if noted {
						require.NoError(t, call())
					}
					library.Reset()
					called := make(chan error, 1)
					if late {
						library.Stall()
						go func() { called <- call() }()
						for count(library.Calls(), "cuLaunchKernel")+count(library.Calls(), "cuMemcpyHtoDAsync") == 0 {
							time.Sleep(time.Millisecond)
						}
					} else {
						called <- call()
					}
					handle := cuda.HandleOf(s)
					require.NoError(t, s.Close())
					next := newStream(t, dev)
					assert.Equal(t, handle, cuda.HandleOf(next), "it has the driver's stream")
					library.Resume()
					require.NoError(t, <-called)
					library.Reset()
					require.NoError(t, x.Close())
					waits := 0
					if late {
						waits = 1
					}
					assert.Equal(t, waits, count(library.Calls(), "cuStreamSynchronize"))
					require.NoError(t, next.Close())
				})
			}
		}
	}
}

// TestCloseDoesNotWaitForTheNextStream: closing a buffer that a closed stream has used does
// not wait for the stream that has its place.
func TestCloseDoesNotWaitForTheNextStream(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, home := loaded(t, dev)
		shared, err := cuda.Upload(home, make([]float32, 8))
		require.NoError(t, err)
		s := newStream(t, dev)
		own, err := cuda.Upload(s, make([]float32, 8))
		require.NoError(t, err)
		require.NoError(t, k.Saxpy.Launch(s, 2, shared.All(), own.All()))
		require.NoError(t, s.Close())
		release := blocked(t, newStream(t, dev))
		closed := make(chan error, 2)
		go func() { closed <- shared.Close(); closed <- own.Close() }()
		for range 2 {
			select {
			case err := <-closed:
				assert.NoError(t, err)
			case <-time.After(10 * time.Second):
				release()
				t.Fatal("Close waits")
			}
		}
		release()
	})
}

// timed returns how long f takes with n, at best. The collector does not run meanwhile.
func timed(dev *cuda.Device, n int, f func(n int) time.Duration) time.Duration {
	cuda.AwaitCalls(dev) // what was closed before
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	best := f(n)
	for range 2 {
		best = min(best, f(n))
	}
	return best
}

// assertLinear checks that f takes four times as long with 4n, not sixteen times.
func assertLinear(t *testing.T, dev *cuda.Device, n int, f func(n int) time.Duration) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		once, four := timed(dev, n, f), timed(dev, 4*n, f)
		t.Logf("%d: %v, %d: %v", n, once, 4*n, four)
		if four < 10*once {
			return
		}
		if attempt == 4 {
			t.Errorf("%d take %v, %d %v", n, once, 4*n, four)
			return
		}
	}
}

// TestManyAreLinear: closing many streams, noting many in a buffer, and giving up many waits
// take time in proportion.
func TestManyAreLinear(t *testing.T) {
	if raceEnabled {
		return // its times are the detector's, and streams that share a buffer race on purpose
	}
	testenv.Need(t, testenv.Exhaustive)
	dev := openSimulator(t)
	home := newStream(t, dev)
	open := func(n int) []*cuda.Stream {
		streams := make([]*cuda.Stream, n)
		for i := range streams {
			streams[i] = newUnclosedStream(t, dev)
		}
		return streams
	}
	t.Run("close streams", func(t *testing.T) {
		assertLinear(t, dev, 16000, func(n int) time.Duration {
			streams := open(n)
			began := time.Now()
			for _, s := range streams {
				require.NoError(t, s.Close())
			}
			return time.Since(began)
		})
	})
	t.Run("close graphs beside streams", func(t *testing.T) {
		assertLinear(t, dev, 2000, func(n int) time.Duration {
			streams := open(n)
			defer func() {
				for _, s := range streams {
					s.Close()
				}
			}()
			var took time.Duration
			for range n {
				g, err := cuda.DefineGraph(cuda.NewHostNode(func() {}))
				require.NoError(t, err)
				e, err := g.InstantiateOn(dev)
				require.NoError(t, err)
				require.NoError(t, e.Launch(streams[0]))
				began := time.Now()
				require.NoError(t, e.Close())
				took += time.Since(began)
			}
			return took
		})
	})
	t.Run("use a buffer", func(t *testing.T) {
		assertLinear(t, dev, 4000, func(n int) time.Duration {
			streams := open(n)
			x, err := cuda.Upload(home, make([]int32, 1))
			require.NoError(t, err)
			began := time.Now()
			for _, s := range streams {
				require.NoError(t, x.Clear(s))
			}
			require.NoError(t, x.Close())
			took := time.Since(began)
			for _, s := range streams {
				require.NoError(t, s.Close())
			}
			return took
		})
	})
	t.Run("give up waits", func(t *testing.T) {
		assertLinear(t, dev, 4000, func(n int) time.Duration {
			s := newUnclosedStream(t, dev)
			release := blocked(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() { s.Wait(ctx) })
			}
			require.Eventually(t, func() bool { return cuda.Waiting(dev) == n }, time.Minute, time.Millisecond)
			began := time.Now()
			cancel()
			wg.Wait()
			took := time.Since(began)
			release()
			require.NoError(t, s.Close())
			return took
		})
	})
	t.Run("the control: a square", func(t *testing.T) {
		square := func(n int) time.Duration { return time.Duration(n*n) * time.Microsecond }
		assert.Greater(t, square(4000), 10*square(1000))
	})
}

func newUnclosedStream(t *testing.T, dev *cuda.Device) *cuda.Stream {
	t.Helper()
	s, err := dev.NewStream()
	require.NoError(t, err)
	return s
}
