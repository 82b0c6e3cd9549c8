package cuda_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// onEachCounted is onEach with the number of calls of an entry point so far.
func onEachCounted(t *testing.T, test func(t *testing.T, dev *cuda.Device, calls func(entryPoint string) int)) {
	t.Run("simulator", func(t *testing.T) {
		dev := openSimulator(t)
		var mu sync.Mutex
		var made []string
		setBefore(t, func(entryPoint string) driver.Result {
			mu.Lock()
			defer mu.Unlock()
			made = append(made, entryPoint)
			return driver.Success
		})
		test(t, dev, func(entryPoint string) int {
			mu.Lock()
			defer mu.Unlock()
			return count(made, entryPoint)
		})
	})
	t.Run("fake libcuda", func(t *testing.T) {
		dev, library := openFake(t)
		test(t, dev, func(entryPoint string) int { return count(library.Calls(), entryPoint) })
	})
}

// setBefore intercepts the calls to the simulator until the test ends.
func setBefore(t *testing.T, call func(entryPoint string) driver.Result) {
	before.Lock()
	before.call = call
	before.Unlock()
	t.Cleanup(stopBefore)
}

// stopBefore ends the interception.
func stopBefore() {
	before.Lock()
	defer before.Unlock()
	before.call = nil
}

func count(calls []string, entryPoint string) int {
	return len(slices.DeleteFunc(slices.Clone(calls), func(call string) bool { return call != entryPoint }))
}

// imageOf returns the example's image, with a comment that makes it another one.
func imageOf(t *testing.T, comment string) cuda.Image {
	t.Helper()
	ptx, err := os.ReadFile(filepath.Join("..", "..", "example", "kernels.ptx"))
	require.NoError(t, err)
	data := string(ptx)
	if comment != "" {
		data += "// " + comment + "\n"
	}
	sum := sha256.Sum256([]byte(data))
	return cuda.Image{Name: "kernels.ptx", Data: data, SHA256: hex.EncodeToString(sum[:])}
}

// TestSameImageIsLoadedOnce: libraries of one image share it until the last is closed.
func TestSameImageIsLoadedOnce(t *testing.T) {
	onEachCounted(t, func(t *testing.T, dev *cuda.Device, calls func(string) int) {
		var libraries []*cuda.Library
		var mu sync.Mutex
		var group sync.WaitGroup
		image := imageOf(t, "")
		for range 16 {
			group.Go(func() {
				lib, err := dev.LoadLibrary(image)
				if assert.NoError(t, err) {
					mu.Lock()
					defer mu.Unlock()
					libraries = append(libraries, lib)
				}
			})
		}
		group.Wait()
		require.Len(t, libraries, 16)
		assert.Equal(t, 1, calls("cuLibraryLoadData"))

		k, err := example.LoadKernels(dev)
		require.NoError(t, err)
		assert.Equal(t, 1, calls("cuLibraryLoadData"), "generated code has the same image")
		s, err := dev.NewStream()
		require.NoError(t, err)
		defer s.Close()
		x := upload(t, s, make([]float32, 10))
		for _, lib := range libraries {
			require.NoError(t, lib.Close())
			require.NoError(t, lib.Close(), "closing twice counts once")
			require.NoError(t, k.Saxpy.Launch(s, 2, x.All(), x.All()))
		}
		require.NoError(t, s.Synchronize())
		cuda.AwaitCalls(dev)
		assert.Zero(t, calls("cuLibraryUnload"))
		require.NoError(t, k.Close())
		cuda.AwaitCalls(dev)
		assert.Equal(t, 1, calls("cuLibraryUnload"))

		again, err := dev.LoadLibrary(image)
		require.NoError(t, err)
		assert.Equal(t, 2, calls("cuLibraryLoadData"), "after the last was closed it is loaded again")
		other, err := dev.LoadLibrary(imageOf(t, "control: another image"))
		require.NoError(t, err)
		assert.Equal(t, 3, calls("cuLibraryLoadData"))
		require.NoError(t, again.Close())
		require.NoError(t, other.Close())
		cuda.AwaitCalls(dev)
		assert.Equal(t, 3, calls("cuLibraryUnload"))
	})
}

// TestKernelsOfClosedLibraries: what one library has looked up ends with it, and not
// with another of the same image.
func TestKernelsOfClosedLibraries(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]float32, 10))
		other, err := example.LoadKernels(dev)
		require.NoError(t, err)
		require.NoError(t, other.Close())
		assert.ErrorIs(t, other.Saxpy.Launch(s, 2, x.All(), x.All()), cuda.ErrClosed)
		assert.NoError(t, k.Saxpy.Launch(s, 2, x.All(), x.All()))

		lib, err := dev.LoadLibrary(imageOf(t, ""))
		require.NoError(t, err)
		spec := cuda.Spec{Name: "add_delta", Symbol: "add_delta", Params: []cuda.ParamSpec{{Offset: 0, Size: 4, Align: 4}, {Offset: 8, Size: 8, Align: 8}, {Offset: 16, Size: 4, Align: 4}}}
		kernel, err := lib.Kernel(spec)
		require.NoError(t, err)
		assert.Equal(t, "add_delta", kernel.Name())
		require.NoError(t, lib.Close())
		_, err = lib.Kernel(spec)
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

func TestSharedLoadFails(t *testing.T) {
	dev := openSimulator(t)
	image := imageOf(t, "")
	setBefore(t, func(entryPoint string) driver.Result {
		if entryPoint == "cuLibraryLoadData" {
			return driver.ErrorOutOfMemory
		}
		return driver.Success
	})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := dev.LoadLibrary(image)
			assert.ErrorIs(t, err, cuda.ErrOutOfMemory)
		})
	}
	group.Wait()
	setBefore(t, nil)
	lib, err := dev.LoadLibrary(image)
	require.NoError(t, err, "a failure is not kept")
	require.NoError(t, lib.Close())

	image.Data = strings.Replace(image.Data, "saxpy", "sbxpy", 1)
	_, err = dev.LoadLibrary(image)
	assert.ErrorIs(t, err, cuda.ErrABI)
}

func TestDeviceClosesSharedImages(t *testing.T) {
	dev, library := openFake(t)
	for range 3 {
		_, err := dev.LoadLibrary(imageOf(t, ""))
		require.NoError(t, err)
	}
	require.NoError(t, dev.Close())
	assert.Equal(t, 1, count(library.Calls(), "cuLibraryUnload"))
	_, err := dev.LoadLibrary(imageOf(t, ""))
	assert.ErrorIs(t, err, cuda.ErrClosed)
}
