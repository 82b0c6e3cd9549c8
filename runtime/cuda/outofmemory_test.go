package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// onSmall runs test on a simulated device and on the fake driver, which have 4 units of memory.
func onSmall(t *testing.T, test func(t *testing.T, dev *cuda.Device, unit int)) {
	t.Run("simulator", func(t *testing.T) {
		testenv.Need(t, testenv.Exhaustive) // it takes seconds to clear gigabytes
		test(t, openSimulator(t), 1<<30)
	})
	t.Run("fake libcuda", func(t *testing.T) {
		dev, library := openFake(t)
		library.SetMemory(4 << 26)
		test(t, dev, 1<<26)
	})
}

// TestMemoryIsGivenBack: if the memory does not suffice, what pools keep and do not use goes back,
// and the allocation is tried again.
func TestMemoryIsGivenBack(t *testing.T) {
	onSmall(t, func(t *testing.T, dev *cuda.Device, unit int) {
		s := newStream(t, dev)
		keeping, err := dev.NewPool(cuda.PoolConfig{ReleaseThreshold: 1 << 40})
		require.NoError(t, err)
		defer keeping.Close()
		own, err := dev.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		defer own.Close()
		fill := func() {
			b, err := cuda.AllocFrom[byte](keeping, s, 3*unit)
			require.NoError(t, err)
			require.NoError(t, b.Close())
			require.NoError(t, s.Synchronize())
			stats, err := keeping.Stats()
			require.NoError(t, err)
			require.GreaterOrEqual(t, stats.Reserved, uint64(3*unit), "the control: it keeps its memory")
		}
		for name, alloc := range map[string]func() (*cuda.Buffer[byte], error){
			"Alloc":     func() (*cuda.Buffer[byte], error) { return cuda.Alloc[byte](s, 2*unit) },
			"AllocFrom": func() (*cuda.Buffer[byte], error) { return cuda.AllocFrom[byte](own, s, 2*unit) },
		} {
			if name == "AllocFrom" && dev.IsSimulated() {
				continue // it takes seconds to clear so much
			}
			fill()
			b, err := alloc()
			require.NoError(t, err, name)
			stats, err := keeping.Stats()
			require.NoError(t, err)
			assert.Zero(t, stats.Reserved, name)
			_, err = cuda.Alloc[byte](s, 3*unit)
			assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
			assert.ErrorContains(t, err, " bytes are free, after pools gave back what they did not use")
			require.NoError(t, b.Close())
			require.NoError(t, s.Synchronize())
		}
	})
}

// TestTriedAgain: these calls are made once more when they find too little memory, and not twice.
func TestTriedAgain(t *testing.T) {
	dev, library := openFake(t)
	s := newStream(t, dev)
	pool, err := dev.NewPool(cuda.PoolConfig{})
	require.NoError(t, err)
	defer pool.Close()
	alloc, _ := cuda.NewAllocNode[byte](dev, 100)
	exec, err := cuda.BuildGraph(alloc)
	require.NoError(t, err)
	defer exec.Close()
	for entryPoint, f := range map[string]func() error{
		"cuMemAllocAsync":              func() error { return closed2(cuda.Alloc[byte](s, 100)) },
		"cuMemAlloc":                   func() error { return closed2(cuda.AllocExportable[byte](dev, 100)) },
		"cuArray3DCreate":              func() error { return closed2(cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 8})) },
		"cuMipmappedArrayCreate":       func() error { return closed2(cuda.NewMipmappedArray[float32](dev, cuda.ArrayConfig{Width: 8}, 0)) },
		"cuMemAllocFromPoolAsync":      func() error { return closed2(cuda.AllocFrom[byte](pool, s, 100)) },
		"cuLibraryLoadData":            func() error { return closed2(dev.LoadLibrary(imageOf(t, "tried again"))) },
		"cuGraphInstantiateWithParams": func() error { return closed2(cuda.BuildGraph(new(cuda.Node), alloc)) },
		"cuGraphUpload":                func() error { return exec.Upload(s) },
	} {
		t.Run(entryPoint, func(t *testing.T) {
			made := func() int { return count(library.Calls(), entryPoint) }
			library.Reset()
			library.Fail(entryPoint, int(driver.ErrorOutOfMemory))
			assert.NoError(t, f())
			assert.Equal(t, 2, made())
			assert.Equal(t, 2, count(library.Calls(), "cuMemPoolTrimTo"), "of both pools")
			dev.Synchronize()
			library.Reset()
			library.Fail(entryPoint, int(driver.ErrorUnknown))
			assert.ErrorIs(t, f(), cuda.Code(driver.ErrorUnknown), "the control: other errors")
			assert.Equal(t, 1, made())
			assert.Zero(t, count(library.Calls(), "cuMemPoolTrimTo"))
		})
	}
}

// closed2 closes what a constructor has returned.
func closed2[T interface{ Close() error }](object T, err error) error {
	if err != nil {
		return err
	}
	return object.Close()
}

// TestPoolLimit: a pool gives no more than its limit, and says so; older drivers have no limits.
func TestPoolLimit(t *testing.T) {
	onEachCounted(t, func(t *testing.T, dev *cuda.Device, calls func(string) int) {
		s := newStream(t, dev)
		p, err := dev.NewPool(cuda.PoolConfig{MaxBytes: 64 << 20})
		if olderThan(dev, 12, 2) {
			assert.ErrorIs(t, err, cuda.ErrCallRequiresNewerDriver)
			return
		}
		require.NoError(t, err)
		defer p.Close()
		first, err := cuda.AllocFrom[byte](p, s, 40<<20)
		require.NoError(t, err)
		before := calls("cuMemPoolTrimTo")
		_, err = cuda.AllocFrom[byte](p, s, 40<<20)
		assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
		assert.ErrorContains(t, err, "the pool's limit is 67108864 bytes, and 41943040 are in use")
		assert.Equal(t, before, calls("cuMemPoolTrimTo"), "other pools keep what they have")
		require.NoError(t, first.Close())
		require.NoError(t, s.Synchronize())
		again, err := cuda.AllocFrom[byte](p, s, 40<<20)
		require.NoError(t, err)
		require.NoError(t, again.Close())
		other, err := dev.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		defer other.Close()
		large, err := cuda.AllocFrom[byte](other, s, 80<<20)
		require.NoError(t, err, "the control: no limit")
		require.NoError(t, large.Close())
	})
	t.Run("old driver", func(t *testing.T) {
		for version, want := range map[int]string{12010: "limits of pools need a driver for CUDA 12.2: CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", 12020: "limited"} {
			out := inProcess(t, "pool limit", "CUDAGEN_LIBCUDA="+fakecuda.Build(t, fakecuda.Options{Version: version}))
			assert.Contains(t, out, want)
		}
	})
}

// makeLimitedPool is in a process with another driver.
func makeLimitedPool() int {
	dev, err := cuda.Open(0)
	if err != nil {
		return printError(err)
	}
	if _, err := dev.NewPool(cuda.PoolConfig{}); err != nil {
		return printError(err)
	}
	if _, err := dev.NewPool(cuda.PoolConfig{MaxBytes: 1 << 20}); err != nil {
		printError(err)
		return 0
	}
	println("limited")
	return 0
}

// TestArrayOutOfMemory: an array within the limits of its sizes that is larger than the device is no wrong argument.
func TestArrayOutOfMemory(t *testing.T) {
	t.Parallel()
	dev := openSimulator(t)
	_, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 16384, Height: 16384, Depth: 16384})
	assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
	_, err = cuda.NewMipmappedArray[vec.Float4](dev, cuda.ArrayConfig{Width: 16384, Height: 16384, Depth: 16384}, 0)
	assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
}
