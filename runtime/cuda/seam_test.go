package cuda_test

import (
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// program opens nothing and closes everything it makes on dev.
func program(t *testing.T, dev *cuda.Device) {
	t.Helper()
	k, err := example.LoadKernels(dev)
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	x, err := cuda.Upload(s, make([]float32, 1000))
	require.NoError(t, err)
	y, err := cuda.Alloc[float32](s, 1000)
	require.NoError(t, err)
	require.NoError(t, y.Clear(s))
	require.NoError(t, k.Saxpy.Launch(s, 2, x.All(), y.All()))
	require.NoError(t, y.CopyTo(s, make([]float32, 1000)))
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
	require.NoError(t, err)
	require.NoError(t, call.Launch(s))
	batch, err := cuda.NewBatch(call, call.Clone())
	require.NoError(t, err)
	require.NoError(t, batch.Launch(s))
	cfg := attributed(cuda.LaunchAttributes{Cluster: cuda.Dim(16), Programmatic: true})
	cfg.SharedBytes = 60 << 10
	require.NoError(t, k.Saxpy.LaunchWith(s, cfg, 2, x.All(), y.All()))
	_, err = k.Saxpy.Kernel.Occupancy(cfg)
	require.NoError(t, err)
	_, err = k.Saxpy.Kernel.ConfigFor(1000, 0)
	require.NoError(t, err)
	_, err = k.Saxpy.Kernel.Attributes()
	require.NoError(t, err)
	g, err := batch.Graph()
	require.NoError(t, err)
	e, err := g.Instantiate()
	require.NoError(t, err)
	require.NoError(t, e.Disable(g.Nodes()[1]))
	require.NoError(t, dev.Synchronize())
	require.NoError(t, e.Close())
	require.NoError(t, x.Close())
	require.NoError(t, y.Close())
	require.NoError(t, s.Close())
	require.NoError(t, k.Close())
}

// TestSameCallsOnBothSides: what is above the seam makes the same sequence of driver
// calls on the simulator and on libcuda.
func TestSameCallsOnBothSides(t *testing.T) {
	// What was closed goes after a garbage collection, in any order.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var simulated []string
	var mu sync.Mutex
	before.Lock()
	before.call = func(entryPoint string) driver.Result {
		mu.Lock()
		defer mu.Unlock()
		simulated = append(simulated, entryPoint)
		return driver.Success
	}
	before.Unlock()
	defer func() {
		before.Lock()
		before.call = nil
		before.Unlock()
	}()
	dev := openSimulator(t)
	mu.Lock()
	simulated = nil
	mu.Unlock()
	program(t, dev)

	real, library := openFake(t)
	library.Reset()
	program(t, real)
	calls := library.Calls()

	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, withoutWaits(calls), withoutWaits(simulated))
	assert.Contains(t, calls, "cuLaunchKernel")
	assert.Greater(t, len(calls), 60)

	// Control: one call more is seen.
	require.NoError(t, real.Synchronize())
	assert.NotEqual(t, withoutWaits(library.Calls()), withoutWaits(simulated))
}

// withoutWaits leaves out the waits of copies for streams that are not idle, which is the device's business.
func withoutWaits(calls []string) (list []string) {
	for i := 0; i < len(calls); i++ {
		if i+2 < len(calls) && calls[i] == "cuStreamQuery" && calls[i+1] == "cuStreamSynchronize" && calls[i+2] == "cuStreamQuery" {
			i++
			continue
		}
		list = append(list, calls[i])
	}
	return list
}

// TestFailuresCarryTheOperation: each driver call of the program fails once, on the
// simulator; the error is the one injected, and nothing panics.
func TestFailuresCarryTheOperation(t *testing.T) {
	dev := openSimulator(t)
	for _, test := range []struct{ entryPoint, want string }{
		{"cuLibraryLoadData", "cuda: load kernels.ptx on"},
		{"cuLibraryGetKernel", "cuda: load kernel saxpy on"},
		{"cuStreamCreate", "cuda: make a stream on"},
		{"cuMemAllocAsync", "cuda: allocate 10 × 4 bytes on"},
		{"cuMemcpyHtoDAsync", "cuda: copy to the device on"},
		{"cuMemcpyDtoHAsync", "cuda: copy from the device on"},
		{"cuLaunchKernel", "cuda: launch saxpy<<<1,256>>> on"},
		{"cuStreamSynchronize", "on device 0"},
	} {
		t.Run(test.entryPoint, func(t *testing.T) {
			before.Lock()
			before.call = func(entryPoint string) driver.Result {
				if entryPoint == test.entryPoint {
					return driver.ErrorOutOfMemory
				}
				return driver.Success
			}
			before.Unlock()
			cuda.AwaitCalls(dev) // or the stream of a closed one is there
			err := small(dev)
			before.Lock()
			before.call = nil
			before.Unlock()
			require.ErrorIs(t, err, cuda.ErrOutOfMemory)
			assert.Contains(t, err.Error(), test.want)
			assert.NoError(t, small(dev), "the program can go on")
		})
	}
}

// small loads, uploads, launches and downloads, and returns the first error.
func small(dev *cuda.Device) error {
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := cuda.Upload(s, make([]float32, 10))
	if err != nil {
		return err
	}
	defer x.Close()
	if err := k.Saxpy.Launch(s, 2, x.All(), x.All()); err != nil {
		return err
	}
	return x.CopyTo(s, make([]float32, 10))
}
