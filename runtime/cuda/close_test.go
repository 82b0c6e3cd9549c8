package cuda_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// inTheDriver returns when a call of entryPoint has begun since Reset.
func inTheDriver(library *fakecuda.Library, entryPoint string) {
	for count(library.Calls(), entryPoint) == 0 {
		time.Sleep(time.Millisecond)
	}
}

// TestCloseABufferDuringALaunch: the launch says that the buffer was closed before it was
// queued, as far as it can know.
func TestCloseABufferDuringALaunch(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	elsewhere := newStream(t, dev)
	for _, test := range []struct {
		name   string
		launch func(x, y cuda.Slice[float32]) func() error
	}{
		{"Launch", func(x, y cuda.Slice[float32]) func() error {
			return func() error { return k.Saxpy.Launch(s, 2, x, y) }
		}},
		{"Launch on another stream", func(x, y cuda.Slice[float32]) func() error {
			return func() error { return k.Saxpy.Launch(elsewhere, 2, x, y) }
		}},
		{"a prepared call", func(x, y cuda.Slice[float32]) func() error {
			call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: y})
			require.NoError(t, err)
			return func() error { return call.Launch(s) }
		}},
		{"a batch", func(x, y cuda.Slice[float32]) func() error {
			call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: y})
			require.NoError(t, err)
			batch, err := cuda.NewBatch(call, call)
			require.NoError(t, err)
			return func() error { return batch.Launch(s) }
		}},
		{"a batch that became a graph", func(x, y cuda.Slice[float32]) func() error {
			call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: y})
			require.NoError(t, err)
			batch, err := cuda.NewBatch(cuda.Fill(x, 1), call)
			require.NoError(t, err)
			for range 4 {
				require.NoError(t, batch.Launch(s))
			}
			return func() error { return batch.Launch(s) }
		}},
	} {
		for _, closed := range []string{"x", "y", "another"} {
			t.Run(test.name+", "+closed, func(t *testing.T) {
				buffers := map[string]*cuda.Buffer[float32]{}
				for _, name := range []string{"x", "y", "another"} {
					buffers[name] = upload(t, s, make([]float32, 100))
				}
				launch := test.launch(buffers["x"].All(), buffers["y"].All())
				library.Reset()
				library.Stall()
				launched := make(chan error)
				go func() { launched <- launch() }()
				entryPoint := "cuLaunchKernel"
				if strings.Contains(test.name, "graph") {
					entryPoint = "cuGraphLaunch"
				}
				inTheDriver(library, entryPoint)
				require.NoError(t, buffers[closed].Close())
				library.Resume()
				err := <-launched
				library.Reset()
				if closed == "another" {
					assert.NoError(t, err)
					return
				}
				assert.ErrorIs(t, err, cuda.ErrClosed)
				if entryPoint == "cuGraphLaunch" && closed == "x" {
					return // the fake driver does the fill at once, and knows no such memory any more
				}
				assert.ErrorContains(t, err, "the buffer of "+closed+": closed; it was closed during the launch")
			})
		}
	}
}

// TestCloseDuringALaunch: what a launch that is under way uses stays until it has
// returned, however often the collector runs.
func TestCloseDuringALaunch(t *testing.T) {
	for _, test := range []struct {
		name  string
		close func(k *example.Kernels, s *cuda.Stream) error
		gone  string
	}{
		{"stream", func(_ *example.Kernels, s *cuda.Stream) error { return s.Close() }, "cuStreamDestroy"},
		{"library", func(k *example.Kernels, _ *cuda.Stream) error { return k.Close() }, "cuLibraryUnload"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dev, library := openFake(t)
			k, s := loaded(t, dev)
			x := upload(t, s, make([]float32, 100)).All()
			library.Reset()
			library.Stall()
			launched := make(chan error, 1)
			go func() { launched <- k.Saxpy.Launch(s, 2, x, x) }()
			inTheDriver(library, "cuLaunchKernel")
			err := test.close(k, s)
			require.NoError(t, err)
			assert.ErrorIs(t, k.Saxpy.Launch(s, 2, x, x), cuda.ErrClosed, "which begins later")
			for range 20 {
				runtime.GC()
				time.Sleep(time.Millisecond)
				assert.Zero(t, count(library.Calls(), test.gone))
			}
			assert.Empty(t, launched)
			library.Resume()
			require.NoError(t, <-launched)
			cuda.AwaitCalls(dev)
			assert.Equal(t, 1, count(library.Calls(), test.gone), "control: it goes in the end")
		})
	}
}

// The control of TestCloseDuringALaunch: without an epoch the stream is gone before the
// launch gets to it.
func TestCloseDuringAnUnheldLaunch(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	library.Reset()
	library.Stall()
	launched := make(chan driver.Result)
	go func() {
		var params struct {
			n     int32
			data  uint64
			delta int32
		}
		launched <- cuda.LaunchUnheld(k.AddDelta.Kernel, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, unsafe.Pointer(&params))
	}()
	inTheDriver(library, "cuLaunchKernel")
	require.NoError(t, s.Close())
	assert.Eventually(t, func() bool {
		runtime.GC()
		return count(library.Calls(), "cuStreamDestroy") == 1
	}, 10*time.Second, time.Millisecond)
	library.Resume()
	assert.Equal(t, driver.ErrorInvalidHandle, <-launched)
}

// TestDeviceCloseWaits for the calls that are under way.
func TestDeviceCloseWaits(t *testing.T) {
	library := loadFake(t)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]float32, 100)).All()
	library.Reset()
	library.Stall()
	launched, closed := make(chan error, 1), make(chan error, 1)
	go func() { launched <- k.Saxpy.Launch(s, 2, x, x) }()
	inTheDriver(library, "cuLaunchKernel")
	go func() { closed <- dev.Close() }()
	select {
	case <-closed:
		t.Error("Close has not waited")
	case <-time.After(50 * time.Millisecond):
	}
	library.Resume()
	assert.NoError(t, <-launched)
	require.NoError(t, <-closed)
	assert.ErrorIs(t, k.Saxpy.Launch(s, 2, x, x), cuda.ErrClosed)
	assert.ErrorIs(t, dev.Synchronize(), cuda.ErrClosed)
	_, err = dev.NewStream()
	assert.ErrorIs(t, err, cuda.ErrClosed)
	assert.Zero(t, library.Live(fakecuda.Stream))
}

// hammer has 16 goroutines use dev while others close what they use, the device last.
// It returns the errors that are not of something that was closed.
func hammer(dev *cuda.Device, image cuda.Image) error {
	var mu sync.Mutex
	var wrong []error
	check := func(what string, err error) (goOn bool) {
		if err != nil && !errors.Is(err, cuda.ErrClosed) {
			mu.Lock()
			defer mu.Unlock()
			wrong = append(wrong, fmt.Errorf("%s: %w", what, err))
		}
		return err == nil
	}
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	var streams [4]*cuda.Stream
	for i := range streams {
		if streams[i], err = dev.NewStream(); err != nil {
			return err
		}
	}
	// One buffer of each for a stream, so that their contents are written in order.
	launched, copied := make(map[*cuda.Stream]*cuda.Buffer[int32]), make(map[*cuda.Stream]*cuda.Buffer[int32])
	for _, s := range streams {
		for _, buffers := range []map[*cuda.Stream]*cuda.Buffer[int32]{launched, copied} {
			if buffers[s], err = cuda.Upload(s, make([]int32, 64)); err != nil {
				return err
			}
		}
	}
	x, y := launched[streams[0]], copied[streams[0]]
	calls := []func(s *cuda.Stream) error{
		func(s *cuda.Stream) error { return k.AddDelta.Launch(s, launched[s].All(), 1) },
		func(s *cuda.Stream) error { return copied[s].CopyTo(s, make([]int32, 64)) },
		func(s *cuda.Stream) error { return copied[s].CopyFrom(s, make([]int32, 64)) },
		func(s *cuda.Stream) error { return copied[s].Clear(s) },
		func(s *cuda.Stream) error { return s.Synchronize() },
		func(*cuda.Stream) error { return dev.Synchronize() },
		func(*cuda.Stream) error { _, err := k.AddDelta.Kernel.Attributes(); return err },
		func(s *cuda.Stream) error {
			b, err := cuda.Upload(s, make([]int32, 10))
			if err == nil {
				err = errors.Join(b.Clear(s), b.Close())
			}
			return err
		},
		func(*cuda.Stream) error {
			s, err := dev.NewStream()
			if err == nil {
				err = s.Close()
			}
			return err
		},
		func(*cuda.Stream) error {
			lib, err := dev.LoadLibrary(image)
			if err == nil {
				err = lib.Close()
			}
			return err
		},
	}
	var users, closers sync.WaitGroup
	for g := range 16 {
		users.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range 200 {
				n := random.IntN(len(calls))
				check(fmt.Sprint("call ", n), calls[n](streams[random.IntN(len(streams))]))
			}
		})
	}
	for i, closer := range []func() error{streams[1].Close, y.Close, k.Close, streams[2].Close, streams[1].Close, k.Close, streams[3].Close, dev.Close, dev.Close, y.Close, streams[0].Close} {
		closers.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			check(fmt.Sprint("close ", i), closer())
		})
	}
	users.Wait()
	closers.Wait()
	check("close a buffer that the device has closed", x.Close())
	if len(wrong) > 0 {
		return fmt.Errorf("%d wrong, first %w", len(wrong), wrong[0])
	}
	return nil
}

// TestCloseBesideDeviceClose: memory whose Close waits for streams stays until their work has run, also if
// the device is closed meanwhile.
func TestCloseBesideDeviceClose(t *testing.T) {
	for range 8 { // in whatever order the streams are waited for
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		home, first, second := newStream(t, dev), newStream(t, dev), newStream(t, dev)
		b, other := upload(t, home, make([]int32, 64)), upload(t, home, make([]int32, 64))
		require.NoError(t, home.Synchronize())
		gates := make(map[*cuda.Stream]chan struct{})
		for _, s := range []*cuda.Stream{first, second} {
			gate := make(chan struct{})
			gates[s] = gate
			require.NoError(t, s.LaunchHostFunc(func() { <-gate }))
			require.NoError(t, cuda.Copy(other.All(), b.All()).Launch(s))
		}
		closed := make(chan error, 2)
		go func() { closed <- b.Close() }()
		time.Sleep(2 * time.Millisecond) // it waits
		go func() { closed <- dev.Close() }()
		require.Eventually(t, func() bool { return errors.Is(home.Synchronize(), cuda.ErrClosed) }, time.Minute, time.Millisecond)
		close(gates[first])
		time.Sleep(2 * time.Millisecond)
		close(gates[second])
		assert.NoError(t, <-closed)
		assert.NoError(t, <-closed)
	}
}

// TestCloseBesideEverything: nobody is given a handle that is gone, and at the end
// nothing is open.
func TestCloseBesideEverything(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	image := imageOf(t, "hammered")
	t.Run("simulator", func(t *testing.T) {
		for range 5 {
			dev, err := cuda.OpenSimulator()
			require.NoError(t, err)
			assert.NoError(t, hammer(dev, image))
			contexts, libraries, streams, allocations := simulated.(liveCounter).Live()
			assert.Zero(t, contexts+libraries+streams+allocations)
		}
	})
	t.Run("fake libcuda", func(t *testing.T) {
		library := loadFake(t)
		library.SetDevices(8)
		defer library.SetDevices(1)
		before := fakeSide{library}.live()
		for range 5 {
			var wg sync.WaitGroup
			for ordinal := range 8 {
				wg.Go(func() {
					dev, err := cuda.Open(ordinal)
					if assert.NoError(t, err) {
						assert.NoError(t, hammer(dev, image))
					}
				})
			}
			wg.Wait()
			assert.Equal(t, before, fakeSide{library}.live())
		}
	})
	t.Run("control: a stream that is destroyed under its users", func(t *testing.T) {
		dev, _ := openFake(t)
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 64)).All()
		require.NoError(t, k.AddDelta.Launch(s, x, 1))
		cuda.DestroyUnder(s)
		err := k.AddDelta.Launch(s, x, 1)
		assert.Error(t, err)
		assert.NotErrorIs(t, err, cuda.ErrClosed)
	})
}

// TestUnreachableBuffer loses a buffer that a kernel uses which still waits behind
// another. Its memory is right, and is given back after a synchronization.
func TestUnreachableBuffer(t *testing.T) {
	out := inProcess(t, "lose", "CUDAGEN_LEAKS=1", "CUDAGEN_DEVICE=sim", "GODEBUG=clobberfree=1")
	assert.Contains(t, out, "the bytes are right\n")
	assert.Contains(t, out, "control: given back: 1\n")
	assert.Contains(t, out, "cuda: leak: unreachable and not closed: a buffer of 4000 bytes of device memory on device 0 (cudagen simulated device), opened by\n")
	assert.Contains(t, out, "cuda_test.loseBuffer\n")
	assert.Equal(t, 1, strings.Count(out, "cuda: leak:"), out)
}

// loseBuffer makes y from a buffer that nobody can close.
//
//go:noinline
func loseBuffer(k *example.Kernels, s *cuda.Stream, y *cuda.Buffer[float32]) error {
	host := make([]float32, y.Len())
	for i := range host {
		host[i] = float32(i)
	}
	x, err := cuda.Upload(s, host)
	if err != nil {
		return err
	}
	// A while for the simulated device, and then what uses x.
	pixels, err := cuda.Alloc[vec.UChar4](s, 128*128)
	if err != nil {
		return err
	}
	defer pixels.Close()
	if err := k.Mandelbrot.Launch(s, pixels.All(), 128, 128, vec.Double2{}, 0.1, 1000); err != nil {
		return err
	}
	return k.Saxpy.Launch(s, 1, x.All(), y.All())
}

func lose() int {
	fmt.Println(func() error {
		dev, err := cuda.OpenDefault()
		if err != nil {
			return err
		}
		k, err := example.LoadKernels(dev)
		if err != nil {
			return err
		}
		s, err := dev.NewStream()
		if err != nil {
			return err
		}
		y, err := cuda.Alloc[float32](s, 1000)
		if err != nil {
			return err
		}
		if err := y.Clear(s); err != nil {
			return err
		}
		if err := loseBuffer(k, s, y); err != nil {
			return err
		}
		for range 3 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		other, err := dev.NewStream()
		if err != nil {
			return err
		}
		// What is given back too early would be used again.
		for range 10 {
			b, err := cuda.Upload(other, make([]float32, 1000))
			if err != nil {
				return err
			}
			defer b.Close()
		}
		host := make([]float32, 1000)
		if err := y.CopyTo(s, host); err != nil {
			return err
		}
		for i, v := range host {
			if v != float32(i) {
				return fmt.Errorf("y[%d] is %g", i, v)
			}
		}
		fmt.Println("the bytes are right")
		_, _, _, before := simulated.(liveCounter).Live()
		if err := dev.Synchronize(); err != nil {
			return err
		}
		cuda.AwaitCalls(dev)
		_, _, _, after := simulated.(liveCounter).Live()
		fmt.Println("control: given back:", before-after)
		return errors.Join(other.Close(), y.Close(), s.Close(), k.Close(), dev.Close())
	}())
	return 0
}

// TestUnreachableHandles: a stream and a library that are lost are reported, and given
// back after a synchronization; a kernel keeps its library.
func TestUnreachableHandles(t *testing.T) {
	out := inProcess(t, "lose handles", "CUDAGEN_LEAKS=1", "CUDAGEN_DEVICE=sim")
	assert.Contains(t, out, "streams 2 libraries 2\n", "parked")
	assert.Contains(t, out, "streams 1 libraries 1\n", "given back, but for the device's own and the kernel's")
	assert.Contains(t, out, "add_delta <nil>\n")
	assert.Contains(t, out, "unreachable and not closed: a stream on device 0")
	assert.Contains(t, out, "unreachable and not closed: a library of kernels.ptx on device 0")
	assert.Equal(t, 2, strings.Count(out, "cuda: leak:"), out)
}

func loseHandles() int {
	dev, err := cuda.OpenDefault()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	report := func() {
		_, libraries, streams, _ := simulated.(liveCounter).Live()
		fmt.Println("streams", streams, "libraries", libraries)
	}
	k, err := openAndLose(dev)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	report()
	if err := dev.Synchronize(); err != nil {
		fmt.Println(err)
	}
	cuda.AwaitCalls(dev)
	cuda.AwaitCalls(dev) // for what the first one has closed
	report()
	_, err = k.Attributes()
	fmt.Println(k.Name(), err)
	fmt.Println(dev.Close())
	return 0
}

//go:noinline
func openAndLose(dev *cuda.Device) (*cuda.Kernel, error) {
	if _, err := dev.NewStream(); err != nil {
		return nil, err
	}
	if _, err := dev.LoadLibrary(oldImage()); err != nil {
		return nil, err
	}
	k, err := example.LoadKernels(dev)
	if err != nil {
		return nil, err
	}
	return k.AddDelta.Kernel, nil
}

// A liveCounter is the simulated driver.
type liveCounter interface {
	Live() (contexts, libraries, streams, allocations int)
}

// TestLeaksEndWithTheDevice: what Device.Close closes is not reported, also if the program has lost
// it by then and the garbage collection of Close finds it.
func TestLeaksEndWithTheDevice(t *testing.T) {
	out := inProcess(t, "close all", "CUDAGEN_LEAKS=1", "CUDAGEN_DEVICE=sim")
	assert.Contains(t, out, "open: 5\nclosed: <nil>\nopen: 0\n")
	assert.NotContains(t, out, "cuda: leak:")
}

func closeAll() int {
	dev, err := cuda.OpenDefault()
	if err == nil {
		err = openMany(dev)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open:", len(leak.Open()))
	fmt.Println("closed:", dev.Close())
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("open:", len(leak.Open()))
	return 0
}

// openMany opens, besides dev, a stream, a buffer, an event and a pool, and loses them.
//
//go:noinline
func openMany(dev *cuda.Device) error {
	s, streamErr := dev.NewStream()
	_, bufferErr := cuda.Alloc[float32](s, 1000)
	_, eventErr := dev.NewEvent(cuda.EventConfig{})
	_, poolErr := dev.NewPool(cuda.PoolConfig{})
	return errors.Join(streamErr, bufferErr, eventErr, poolErr)
}

// TestCloseWithoutCollection: a simulated device is closed without a garbage collection, unless a goroutine is in a call, of any device.
func TestCloseWithoutCollection(t *testing.T) {
	collections := func(dev *cuda.Device) uint32 {
		var before, after runtime.MemStats
		s, err := dev.NewStream()
		require.NoError(t, err)
		require.NoError(t, s.Close())
		runtime.ReadMemStats(&before)
		require.NoError(t, dev.Close())
		runtime.ReadMemStats(&after)
		return after.NumForcedGC - before.NumForcedGC
	}
	open := func() *cuda.Device {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		return dev
	}
	least := uint32(1)
	for range 5 { // what other tests have left may be in a call
		least = min(least, collections(open()))
	}
	assert.Zero(t, least)

	other := open()
	s, err := other.NewStream()
	require.NoError(t, err)
	release, waits := make(chan int), make(chan error)
	require.NoError(t, s.LaunchHostFunc(func() { <-release }))
	go func() { waits <- s.Synchronize() }()
	time.Sleep(10 * time.Millisecond)
	assert.NotZero(t, collections(open()), "the control")
	close(release)
	require.NoError(t, <-waits)
	require.NoError(t, other.Close())
}
