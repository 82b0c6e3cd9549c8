package cuda_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// mapped maps a file with the numbers 0 to n-1.
func mapped(t *testing.T, n, protection, flags int) []float32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weights")
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(i)
	}
	require.NoError(t, os.WriteFile(path, unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 4*n), 0o600))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	bytes, err := syscall.Mmap(int(file.Fd()), 0, 4*n, protection, flags)
	require.NoError(t, err)
	t.Cleanup(func() { syscall.Munmap(bytes) })
	return unsafe.Slice((*float32)(unsafe.Pointer(&bytes[0])), n)
}

const readWrite = syscall.PROT_READ | syscall.PROT_WRITE

// TestRegisterHost: a mapped file is memory of the host like other page-locked memory.
func TestRegisterHost(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		weights := mapped(t, 10000, readWrite, syscall.MAP_PRIVATE)
		b, err := cuda.RegisterHost(dev, weights)
		require.NoError(t, err)
		assert.Equal(t, 10000, b.Len())
		assert.Equal(t, uint64(40000), dev.Stats().PageLockedBytes)
		assert.Equal(t, unsafe.Pointer(&weights[0]), unsafe.Pointer(&b.Host()[0]))
		x := upload(t, s, make([]float32, 10))
		require.NoError(t, cuda.Copy(x.All(), b.Slice(5000, 5010)).Launch(s))
		got := make([]float32, 10)
		require.NoError(t, x.CopyTo(s, got))
		assert.Equal(t, weights[5000:5010], got)
		require.NoError(t, k.Saxpy.Launch(s, 2, b.Slice(0, 10), x.All()))
		require.NoError(t, cuda.Copy(b.Slice(0, 10), x.All()).Launch(s))
		require.NoError(t, s.Synchronize())
		if !isFake(dev) {
			assert.Equal(t, []float32{5000, 5003, 5006}, weights[:3])
		}
		_, err = cuda.RegisterHost(dev, weights)
		assert.ErrorContains(t, err, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED")
		assert.ErrorContains(t, err, "page-lock memory on")
		for _, part := range [][]float32{weights[2:], weights[500:600], weights[9998:]} {
			_, err = cuda.RegisterHost(dev, part)
			assert.ErrorContains(t, err, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "a part")
		}
		require.NoError(t, b.Close())
		require.NoError(t, b.Close())
		assert.ErrorIs(t, cuda.Copy(x.All(), b.All().Slice(0, 10)).Launch(s), cuda.ErrClosed)
		assert.Equal(t, float32(9999), weights[9999], "it stays mapped")
		again, err := cuda.RegisterHost(dev, weights[2:])
		require.NoError(t, err, "the control")
		require.NoError(t, again.Close())
		none, err := cuda.RegisterHost(dev, weights[:0])
		require.NoError(t, err)
		require.NoError(t, none.Close())
	})
}

var variable, initialized = [100]float32{}, [100]float32{1}

// TestRegisterHostRefuses: Go memory is refused wherever it is, and what nobody may write.
func TestRegisterHostRefuses(t *testing.T) {
	dev := openSimulator(t)
	var local [100]float32
	file, err := os.Executable()
	require.NoError(t, err)
	executable, err := os.Open(file)
	require.NoError(t, err)
	defer executable.Close()
	bytes, err := syscall.Mmap(int(executable.Fd()), 0, 4096, readWrite, syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer syscall.Munmap(bytes)
	anonymous, err := syscall.Mmap(-1, 0, 4096, readWrite, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	defer syscall.Munmap(anonymous)
	floats := func(b []byte) []float32 { return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4) }
	whole := mapped(t, 2048, readWrite, syscall.MAP_PRIVATE) // of two pages, the second of which cannot be written
	require.NoError(t, syscall.Mprotect(unsafe.Slice((*byte)(unsafe.Pointer(&whole[1024])), 4096), syscall.PROT_READ))
	for name, test := range map[string]struct {
		memory []float32
		want   string
	}{
		"small":                 {make([]float32, 3), "it is not mapped from a file"},
		"large":                 {make([]float32, 1<<22), "it is not mapped from a file"},
		"a part":                {make([]float32, 1<<22)[1<<20 : 1<<21], "it is not mapped from a file"},
		"a local variable":      {local[:], "it is not mapped from a file"},
		"a global":              {variable[:], "it is "},
		"an initialized global": {initialized[10:20], "it is a variable of the program"},
		"anonymous":             {floats(anonymous), "it is not mapped from a file"},
		"the program":           {floats(bytes), "it is a variable of the program or of a library"},
		"read-only":             {mapped(t, 2048, syscall.PROT_READ, syscall.MAP_SHARED), "it is mapped r--s, not for reading and writing"},
		"partly read-only":      {whole[1000:1100], "it is mapped r--p"},
		"odd":                   {mapped(t, 2048, readWrite, syscall.MAP_PRIVATE)[1:], "it begins at an address that 8 does not divide"},
	} {
		b, err := cuda.RegisterHost(dev, test.memory)
		assert.Nil(t, b, name)
		assert.ErrorIs(t, err, cuda.ErrNotSupported, name)
		assert.ErrorContains(t, err, test.want, name)
	}
	b, err := cuda.RegisterHost(dev, whole[:1024])
	require.NoError(t, err, "the control")
	require.NoError(t, b.Close())
	_, err = cuda.RegisterHost(dev, []int{})
	assert.NoError(t, err)
	_, err = cuda.RegisterHost(dev, []string{"x"})
	assert.ErrorContains(t, err, "string is not plain data")
	_, err = cuda.RegisterHost[float32](nil, nil)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
}

// TestRegisteredAndDeviceClose: Device.Close unregisters what is open.
func TestRegisteredAndDeviceClose(t *testing.T) {
	weights := mapped(t, 2048, readWrite, syscall.MAP_SHARED)
	for range 2 {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		_, err = cuda.RegisterHost(dev, weights)
		require.NoError(t, err)
		require.NoError(t, dev.Close())
	}
	dev, library := openFake(t)
	own, err := cuda.Open(0)
	require.NoError(t, err)
	_, err = cuda.RegisterHost(own, weights)
	require.NoError(t, err)
	library.Reset()
	require.NoError(t, own.Close())
	assert.Contains(t, library.Calls(), "cuMemHostUnregister")
	b, err := cuda.RegisterHost(dev, weights)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	assert.Equal(t, float32(2047), weights[2047])
}
