package cuda_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A cublas is NVIDIA's library of linear algebra. Its functions return 0 on success.
type cublas struct {
	create       func(handle *uintptr) int32
	destroy      func(handle uintptr) int32
	setStream    func(handle, stream uintptr) int32
	setWorkspace func(handle uintptr, workspace uint64, bytes uintptr) int32
	sgemm        func(handle uintptr, transposeA, transposeB, m, n, k int32, alpha unsafe.Pointer, a uint64, lda int32, b uint64, ldb int32, beta unsafe.Pointer, c uint64, ldc int32) int32
}

// openCUBLAS loads the library at path, and the one beside it that it needs.
func openCUBLAS(path string) (*cublas, error) {
	if beside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "libcublasLt.so.*")); err == nil && len(beside) > 0 {
		if _, err := purego.Dlopen(beside[0], purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
			return nil, err
		}
	}
	lib, err := purego.Dlopen(path, purego.RTLD_NOW)
	if err != nil {
		return nil, err
	}
	b := new(cublas)
	for name, function := range map[string]any{"cublasCreate_v2": &b.create, "cublasDestroy_v2": &b.destroy, "cublasSetStream_v2": &b.setStream, "cublasSetWorkspace_v2": &b.setWorkspace, "cublasSgemm_v2": &b.sgemm} {
		address, err := purego.Dlsym(lib, name)
		if err != nil {
			return nil, err
		}
		purego.RegisterFunc(function, address)
	}
	return b, nil
}

// TestCuBLAS multiplies matrices with cuBLAS on the GPU, in a process of its own.
func TestCuBLAS(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	path := testenv.CUBLASPath(t)
	if os.Getenv(onGPU) != "" {
		multiply(t, path)
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^TestCuBLAS$")
	command.Env = append(os.Environ(), onGPU+"=1", "CUDAGEN_LIBCUDA=", "CUBLAS_LIB="+path)
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: TestCuBLAS")
}

// multiply has several goroutines use cuBLAS, each on a stream of ours, between our own kernels and
// copies, and compares with Go. The matrices hold small whole numbers: the results are exact.
// Their buffers belong to another stream, are closed as soon as the product is queued, and their
// memory is overwritten at once by what that stream does next.
func multiply(t *testing.T, path string) {
	const m, n, k, rounds, goroutines = 96, 80, 64, 30, 6
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	library, err := openCUBLAS(path)
	require.NoError(t, err)
	kernels, _ := loaded(t, dev)
	home := newStream(t, dev)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			assert.NoError(t, func() error {
				s, err := dev.NewStream()
				if err != nil {
					return err
				}
				defer s.Close()
				stream, err := s.Handle()
				if err != nil {
					return err
				}
				var handle uintptr
				if err := dev.Do(func() error {
					if err := succeeded(library.create(&handle)); err != nil {
						return err
					}
					return succeeded(library.setStream(handle, stream))
				}); err != nil {
					return err
				}
				defer dev.Do(func() error { return succeeded(library.destroy(handle)) })
				random := rand.New(rand.NewPCG(1, uint64(g)))
				for range rounds {
					if err := product(dev, kernels.Saxpy.LaunchWith, library, handle, s, home, random, m, n, k); err != nil {
						return err
					}
				}
				return nil
			}())
		})
	}
	wg.Wait()
	assert.NoError(t, captured(dev, kernels.Saxpy.LaunchWith, library, home))
}

// captured captures a product between two launches of ours, runs it twice as a graph, and compares.
func captured(dev *cuda.Device, saxpy func(*cuda.Stream, cuda.LaunchConfig, float32, cuda.Slice[float32], cuda.Slice[float32]) error, library *cublas, s *cuda.Stream) error {
	const n, workspaceBytes = 16, 4 << 20
	var a, b [n * n]float32
	for i := range a {
		a[i], b[i] = float32(i%7-3), float32(i%5-2)
	}
	x, err := cuda.Upload(s, a[:])
	if err != nil {
		return err
	}
	y, err := cuda.Upload(s, b[:])
	if err != nil {
		return err
	}
	z, err := cuda.Alloc[float32](s, n*n)
	if err != nil {
		return err
	}
	workspace, err := cuda.Alloc[byte](s, workspaceBytes)
	if err != nil {
		return err
	}
	one, zero := new(float32), new(float32)
	*one = 1
	var handle uintptr
	if err := dev.Do(func() error { return succeeded(library.create(&handle)) }); err != nil {
		return err
	}
	defer dev.Do(func() error { return succeeded(library.destroy(handle)) })
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(n * n)}
	graph, err := cuda.Capture(s, func(s *cuda.Stream) error {
		if err := saxpy(s, cfg, 1, x.All(), x.All()); err != nil { // x += x
			return err
		}
		stream, err := s.Handle()
		if err != nil {
			return err
		}
		if err := dev.Do(func() error {
			return first(succeeded(library.setStream(handle, stream)), succeeded(library.setWorkspace(handle, workspace.Ptr().Address(), workspaceBytes)),
				succeeded(library.sgemm(handle, 0, 0, n, n, n, unsafe.Pointer(one), x.Ptr().Address(), n, y.Ptr().Address(), n, unsafe.Pointer(zero), z.Ptr().Address(), n)))
		}); err != nil {
			return err
		}
		return saxpy(s, cfg, 1, z.All(), z.All()) // z += z
	})
	if err != nil {
		return err
	}
	exec, err := graph.Instantiate()
	if err != nil {
		return err
	}
	defer exec.Close()
	var got [n * n]float32
	if err := first(exec.Launch(s), exec.Launch(s), z.CopyTo(s, got[:]), x.Close(), y.Close(), z.Close(), workspace.Close()); err != nil {
		return err
	}
	for column := range n {
		for row := range n {
			want := float32(0)
			for i := range n {
				want += 2 * 4 * a[i*n+row] * b[column*n+i] // x was doubled twice
			}
			if got[column*n+row] != want {
				return fmt.Errorf("captured: row %d, column %d: got %v, want %v", row, column, got[column*n+row], want)
			}
		}
	}
	return nil
}

func succeeded(status int32) error {
	if status != 0 {
		return fmt.Errorf("cuBLAS: status %d", status)
	}
	return nil
}

// product computes c = 2·a·b, where cuBLAS has columns one after the other.
func product(dev *cuda.Device, saxpy func(*cuda.Stream, cuda.LaunchConfig, float32, cuda.Slice[float32], cuda.Slice[float32]) error, library *cublas, handle uintptr,
	s, home *cuda.Stream, random *rand.Rand, m, n, k int) error {
	matrix := func(size int) []float32 {
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(random.IntN(9) - 4)
		}
		return values
	}
	hostA, hostB := matrix(m*k), matrix(k*n)
	a, err := cuda.Upload(home, hostA)
	if err != nil {
		return err
	}
	b, err := cuda.Upload(home, hostB)
	if err != nil {
		return err
	}
	c, err := cuda.Alloc[float32](s, m*n)
	if err != nil {
		return err
	}
	defer c.Close()
	one, zero := new(float32), new(float32)
	*one = 1
	err = dev.Do(func() error {
		return succeeded(library.sgemm(handle, 0, 0, int32(m), int32(n), int32(k), unsafe.Pointer(one), a.Ptr().Address(), int32(m), b.Ptr().Address(), int32(k),
			unsafe.Pointer(zero), c.Ptr().Address(), int32(m)))
	})
	if err != nil {
		return err
	}
	if err := first(a.Close(), b.Close()); err != nil {
		return err
	}
	poison, err := cuda.Alloc[float32](home, max(m*k, k*n))
	if err != nil {
		return err
	}
	if err := first(cuda.Fill(poison.All(), 1e30).Launch(home), poison.Close()); err != nil {
		return err
	}
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(uint32(m*n+255) / 256), Block: cuda.Dim(256)}
	if err := saxpy(s, cfg, 1, c.All(), c.All()); err != nil { // c += c
		return err
	}
	got := make([]float32, m*n)
	if err := c.CopyTo(s, got); err != nil {
		return err
	}
	for column := range n {
		for row := range m {
			want := float32(0)
			for i := range k {
				want += 2 * hostA[i*m+row] * hostB[column*k+i]
			}
			if got[column*m+row] != want {
				return fmt.Errorf("row %d, column %d: got %v, want %v", row, column, got[column*m+row], want)
			}
		}
	}
	return nil
}
