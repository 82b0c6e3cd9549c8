//go:build linux && (amd64 || arm64)

package libraries

import (
	"os"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
)

// BenchmarkLarge compares work that takes milliseconds with that of the same calls in C, with handles of the same settings, one after the other.
func BenchmarkLarge(b *testing.B) {
	if os.Getenv("CUDAGEN_LIBRARY_LOOPS") == "" {
		b.Skip("CUDAGEN_LIBRARY_LOOPS names no library of loops.c")
	}
	for b.Loop() { // what follows takes its own times
	}
	const n, length, transforms = 4096, 1 << 20, 16
	loops := need[uintptr](b)(purego.Dlopen(os.Getenv("CUDAGEN_LIBRARY_LOOPS"), purego.RTLD_NOW))
	var call func(kind int32, function, handle, x, y, z, count uintptr) float64
	purego.RegisterLibFunc(&call, loops, "calls")
	d := need[*cuda.Device](b)(cuda.Open(0))
	defer d.Close()
	s := need[*cuda.Stream](b)(d.NewStream())
	h := need[*cublas.Handle](b)(cublas.NewHandle(d))
	defer h.Close()
	plan := need[*cufft.Plan](b)(cufft.NewPlan1D(d, length, cufft.C2C, transforms))
	defer plan.Close()
	x := need[*cuda.Buffer[float32]](b)(cuda.Alloc[float32](s, n*n))
	y := need[*cuda.Buffer[float32]](b)(cuda.Alloc[float32](s, n*n))
	z := need[*cuda.Buffer[float32]](b)(cuda.Alloc[float32](s, n*n))
	c := need[*cuda.Buffer[complex64]](b)(cuda.Alloc[complex64](s, length*transforms))
	for _, clear := range []func(*cuda.Stream) error{x.Clear, y.Clear, z.Clear, c.Clear} {
		if err := clear(s); err != nil {
			b.Fatal(err)
		}
	}
	blas, fft := "libcublas", "libcufft"
	if err := h.Sgemm(s, cublas.OpN, cublas.OpN, n, n, n, 1, x.All(), n, y.All(), n, 0, z.All(), n); err != nil {
		b.Fatal(err)
	}
	stream := need[uintptr](b)(s.Handle())
	err := d.Do(func() error {
		var handle uintptr
		purego.SyscallN(symbol(b, library(b, blas), "cublasCreate_v2"), uintptr(unsafe.Pointer(&handle)))
		purego.SyscallN(symbol(b, library(b, blas), "cublasSetStream_v2"), handle, stream)
		var own uint32
		purego.SyscallN(symbol(b, library(b, fft), "cufftPlan1d"), uintptr(unsafe.Pointer(&own)), length, uintptr(cufft.C2C), transforms)
		purego.SyscallN(symbol(b, library(b, fft), "cufftSetStream"), uintptr(own), stream)
		sgemm, exec := symbol(b, library(b, blas), "cublasSgemm_v2_64"), symbol(b, library(b, fft), "cufftExecC2C")
		variants := []variant{
			{"sgemm-Go", func() error {
				return h.Sgemm(s, cublas.OpN, cublas.OpN, n, n, n, 1, x.All(), n, y.All(), n, 0, z.All(), n)
			}},
			{"sgemm-C", func() error {
				call(3, sgemm, handle, uintptr(x.All().Address()), uintptr(y.All().Address()), uintptr(z.All().Address()), 1)
				return nil
			}},
			{"fft-Go", func() error { return plan.ExecC2C(s, c.All(), c.All(), cufft.Forward) }},
			{"fft-C", func() error { call(2, exec, uintptr(own), uintptr(c.All().Address()), 0, 0, 1); return nil }},
		}
		times := make(map[string][]float64)
		for range 200 {
			for _, v := range variants {
				start := time.Now()
				if err := v.call(); err != nil {
					return err
				}
				if err := s.Synchronize(); err != nil {
					return err
				}
				times[v.name] = append(times[v.name], float64(time.Since(start).Microseconds()))
			}
		}
		for _, v := range variants {
			slices.Sort(times[v.name])
			b.ReportMetric(times[v.name][100], v.name+"-us")
		}
		b.ReportMetric(times["sgemm-Go"][100]/times["sgemm-C"][100], "sgemm-ratio")
		b.ReportMetric(times["fft-Go"][100]/times["fft-C"][100], "fft-ratio")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
