package cuda_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func newStream(t testing.TB, dev *cuda.Device) *cuda.Stream {
	t.Helper()
	s, err := dev.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// blocked makes s wait until the function that it returns is called.
func blocked(t testing.TB, s *cuda.Stream) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	require.NoError(t, s.LaunchHostFunc(func() { <-gate }))
	release = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(release)
	return release
}

func TestWait(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, ctx := newStream(t, dev), t.Context()
		require.NoError(t, s.Wait(ctx), "nothing is queued")
		release := blocked(t, s)
		over, err := s.Query()
		require.NoError(t, err)
		assert.False(t, over)

		short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		defer cancel()
		err = s.Wait(short)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "wait for a stream on "+dev.String())

		e, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		require.NoError(t, e.Wait(ctx), "it was not recorded")
		require.NoError(t, e.Record(s))
		over, err = e.Query()
		require.NoError(t, err)
		assert.False(t, over)
		assert.ErrorIs(t, e.Wait(short), context.DeadlineExceeded)

		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() { assert.NoError(t, s.Wait(ctx)) })
			wg.Go(func() { assert.NoError(t, e.Wait(ctx)) })
		}
		time.Sleep(5 * time.Millisecond)
		release()
		wg.Wait()
		require.NoError(t, e.Synchronize())
		require.NoError(t, e.Close())
		require.NoError(t, e.Close())
		assert.ErrorIs(t, e.Wait(ctx), cuda.ErrClosed)
		assert.ErrorIs(t, e.Record(s), cuda.ErrClosed)
		require.NoError(t, s.Close())
		assert.ErrorIs(t, s.Wait(ctx), cuda.ErrClosed)
	})
}

// TestCloseWakesWaiters: who waits for a stream or an event that is closed is told.
func TestCloseWakesWaiters(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		release := blocked(t, s)
		e, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		require.NoError(t, e.Record(s))
		results := make(chan error, 2)
		go func() { results <- e.Wait(t.Context()) }()
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, e.Close())
		assert.ErrorIs(t, <-results, cuda.ErrClosed)

		go func() { results <- s.Wait(t.Context()) }()
		time.Sleep(5 * time.Millisecond)
		release()
		require.NoError(t, s.Close())
		assert.NoError(t, <-results)
	})
}

// TestWaitErrors: a query that fails is the error of everybody who waits, and the
// program can go on.
func TestWaitErrors(t *testing.T) {
	dev, library := openFake(t)
	s := newStream(t, dev)
	for _, entryPoint := range []string{"cuStreamQuery", "cuEventCreate", "cuEventRecord", "cuEventQuery"} {
		t.Run(entryPoint, func(t *testing.T) {
			library.Hold()
			library.Fail(entryPoint, 700)
			err := s.Wait(t.Context())
			library.Reset()
			assert.ErrorIs(t, err, cuda.ErrIllegalAddress)
			assert.NoError(t, s.Wait(t.Context()))
		})
		_ = dev.Close() // what events were kept
		dev, library = openFake(t)
		s = newStream(t, dev)
	}
	require.NoError(t, dev.Close())
	assert.Zero(t, library.Live(fakecuda.Event))
}

func TestHostFuncs(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		var order []int
		for i := range 20 {
			require.NoError(t, s.LaunchHostFunc(func() { order = append(order, i) }))
		}
		require.NoError(t, s.Synchronize())
		for i := range 20 {
			assert.Equal(t, i, order[i])
		}
		assert.ErrorIs(t, s.LaunchHostFunc(nil), cuda.ErrInvalidValue)

		for name, f := range map[string]func(){
			"it panicked: out of cheese": func() { panic("out of cheese") },
			"it called runtime.Goexit":   runtime.Goexit,
		} {
			bad := newStream(t, dev)
			ran := false
			require.NoError(t, bad.LaunchHostFunc(f))
			require.NoError(t, bad.LaunchHostFunc(func() { ran = true }))
			err := bad.Synchronize()
			assert.ErrorIs(t, err, cuda.ErrHostFunc)
			assert.ErrorContains(t, err, name)
			assert.True(t, ran)
			assert.ErrorIs(t, bad.Wait(t.Context()), cuda.ErrHostFunc)
			_, err = bad.Query()
			assert.ErrorIs(t, err, cuda.ErrHostFunc)
			assert.ErrorIs(t, bad.Close(), cuda.ErrHostFunc)
		}
		assert.NoError(t, s.Synchronize(), "the control: another stream is not concerned")
	})
}

func TestEvents(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, other := newStream(t, dev), newStream(t, dev)
		newEvent := func(timing bool) *cuda.Event {
			e, err := dev.NewEvent(cuda.EventConfig{Timing: timing})
			require.NoError(t, err)
			t.Cleanup(func() { e.Close() })
			return e
		}
		begin, end, plain := newEvent(true), newEvent(true), newEvent(false)
		_, err := begin.Elapsed(end)
		assert.ErrorContains(t, err, "was not recorded")
		require.NoError(t, begin.Record(s))
		require.NoError(t, s.Synchronize())
		release := blocked(t, s)
		require.NoError(t, end.Record(s))
		_, err = begin.Elapsed(end)
		assert.ErrorIs(t, err, cuda.ErrNotReady)
		time.Sleep(2 * time.Millisecond)
		release()
		require.NoError(t, end.Synchronize())
		elapsed, err := begin.Elapsed(end)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, elapsed, time.Duration(0))
		assert.Less(t, elapsed, time.Minute)
		_, err = begin.Elapsed(plain)
		assert.ErrorContains(t, err, "EventConfig{Timing: true}")

		// other's work comes after s's, because it waits for an event there.
		var mu sync.Mutex
		var order []string
		add := func(what string) func() {
			return func() {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, what)
			}
		}
		require.NoError(t, s.LaunchHostFunc(func() { time.Sleep(5 * time.Millisecond); add("first")() }))
		require.NoError(t, plain.Record(s))
		require.NoError(t, other.WaitEvent(plain))
		require.NoError(t, other.LaunchHostFunc(add("second")))
		require.NoError(t, other.Synchronize())
		assert.Equal(t, []string{"first", "second"}, order)

		least, greatest, err := dev.StreamPriorities()
		require.NoError(t, err)
		urgent, err := dev.NewStreamWithPriority(greatest)
		require.NoError(t, err)
		require.NoError(t, urgent.Close())
		_, err = dev.NewStreamWithPriority(least + 1)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	})
}

var threadsLine = regexp.MustCompile(`(?m)^Threads:\s+(\d+)$`)

// threads returns how many threads the process has.
func threads(t testing.TB) int {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	n, err := strconv.Atoi(threadsLine.FindStringSubmatch(string(status))[1])
	require.NoError(t, err)
	return n
}

// memoryInUse returns the bytes that Go has for objects and stacks.
func memoryInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// TestTenThousandWaiters: they cost no threads, and a few KiB each: 2.7 to 4.4 KiB were
// seen, mostly stacks, whose first size is Go's choice. It runs in a process of its own, because Go gives goroutines larger stacks to begin with when those
// before them had large ones.
func TestTenThousandWaiters(t *testing.T) {
	if os.Getenv("CUDAGEN_TEST_ALONE") == "" {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(self, "-test.run=^TestTenThousandWaiters$", "-test.v")
		cmd.Env = append(os.Environ(), "CUDAGEN_TEST_ALONE=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s", out)
		return
	}
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		during, each := tenThousand(t, dev)
		t.Logf("%d threads; %d bytes for each goroutine", during, each)
		if !raceEnabled {
			assert.LessOrEqual(t, during, max(32, runtime.NumCPU()+8), "Go has one for each core")
			assert.LessOrEqual(t, each, int64(6<<10))
		}
		assert.Zero(t, cuda.Waiting(dev))
	})
}

// tenThousand has goroutines wait for 8 streams, and returns how many threads there are
// meanwhile and what each goroutine takes.
func tenThousand(t *testing.T, dev *cuda.Device) (during int, bytesEach int64) {
	const goroutines, streams = 10000, 8
	var s [streams]*cuda.Stream
	var release [streams]func()
	for i := range s {
		s[i] = newStream(t, dev)
		release[i] = blocked(t, s[i])
	}
	before := memoryInUse()
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			if err := s[i%streams].Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	require.Eventually(t, func() bool { return cuda.Waiting(dev) == goroutines }, time.Minute, time.Millisecond)
	during, after := threads(t), memoryInUse()
	for i := range release {
		release[i]()
	}
	wg.Wait()
	return during, (int64(after) - int64(before)) / goroutines
}

// TestErrorsAfterAFault: whatever waits for a kernel that has failed returns an *Error of the
// same shape, which names the kernel.
func TestErrorsAfterAFault(t *testing.T) {
	waits := func(dev *cuda.Device, s *cuda.Stream, e *cuda.Event, x *cuda.Buffer[int32]) map[string]error {
		_, query := s.Query()
		_, download := x.All().Download(s)
		return map[string]error{
			"Stream.Synchronize": s.Synchronize(), "Stream.Wait": s.Wait(t.Context()), "Stream.Query": query,
			"Event.Synchronize": e.Synchronize(), "Event.Wait": e.Wait(t.Context()),
			"Device.Synchronize": dev.Synchronize(), "Device.Wait": dev.Wait(t.Context()),
			"CopyTo": x.CopyTo(s, make([]int32, 100)), "CopyToContext": x.CopyToContext(t.Context(), s, make([]int32, 100)), "Download": download,
		}
	}
	check := func(t *testing.T, dev *cuda.Device, s *cuda.Stream, e *cuda.Event, x *cuda.Buffer[int32], kernel string, suspects []string) {
		for name, err := range waits(dev, s, e, x) {
			if !assert.IsType(t, new(cuda.Error), err, name) {
				continue
			}
			var fault *cuda.Fault
			require.ErrorAs(t, err, &fault, name)
			assert.Equal(t, kernel, fault.Kernel, name)
			assert.Equal(t, suspects, fault.Suspects, name)
			assert.Equal(t, kernel, err.(*cuda.Error).Kernel, name)
		}
	}
	t.Run("simulator", func(t *testing.T) {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		defer dev.Close()
		e, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		k, s, x, err := faulted(dev)
		require.Error(t, err)
		_ = k
		check(t, dev, s, e, x, "add_delta", nil)
	})
	for _, both := range []bool{false, true} {
		t.Run(fmt.Sprint("fake libcuda, both ", both), func(t *testing.T) {
			library := loadFake(t)
			dev, err := cuda.Open(0)
			require.NoError(t, err)
			defer dev.Close()
			k, s := loaded(t, dev)
			x := upload(t, s, make([]int32, 100))
			e, err := dev.NewEvent(cuda.EventConfig{})
			require.NoError(t, err)
			require.NoError(t, e.Record(s))
			_, err = k.Saxpy.Kernel.Occupancy(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32), SharedBytes: 1000})
			require.NoError(t, err, "which is no launch")
			require.NoError(t, k.AddDelta.Launch(s, x.All(), 1))
			kernel, suspects := "add_delta", []string(nil)
			if both {
				y := upload(t, s, make([]float32, 100))
				_, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{X: y.All(), Y: y.All()})
				require.NoError(t, err)
				kernel, suspects = "", []string{"add_delta", "saxpy"}
			}
			library.FailLate(1, int(driver.ErrorIllegalAddress))
			s.Synchronize()
			first := s.Synchronize()
			if both {
				assert.ErrorContains(t, first, "synchronize a stream on device 0 (Fake GPU 0): one of the kernels add_delta, saxpy: CUDA_ERROR_ILLEGAL_ADDRESS")
			} else {
				assert.ErrorContains(t, first, "synchronize a stream on device 0 (Fake GPU 0): add_delta: CUDA_ERROR_ILLEGAL_ADDRESS")
			}
			check(t, dev, s, e, x, kernel, suspects)
		})
	}
}

// TestLogOfTheImage: what the driver's compiler said about an image is in no other's error.
func TestLogOfTheImage(t *testing.T) {
	bad := cuda.Image{Name: "bad.ptx", Data: "\x7fELF"}
	sum := sha256.Sum256([]byte(bad.Data))
	bad.SHA256 = hex.EncodeToString(sum[:])
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	_, err = dev.LoadLibrary(bad)
	require.ErrorContains(t, err, "this image is a cubin", "the control: it is in its own")
	_, _, _, err = faulted(dev)
	require.Error(t, err)
	_, err = example.LoadKernels(dev)
	assert.ErrorIs(t, err, cuda.ErrIllegalAddress)
	assert.NotContains(t, err.Error(), "cubin")

	fake, library := openFake(t)
	_, err = fake.LoadLibrary(bad)
	require.ErrorContains(t, err, "the image is no PTX text", "the control")
	library.Fail("cuLibraryLoadData", 700)
	_, err = example.LoadKernels(fake)
	assert.ErrorIs(t, err, cuda.ErrIllegalAddress)
	assert.NotContains(t, err.Error(), "no PTX text")
}
