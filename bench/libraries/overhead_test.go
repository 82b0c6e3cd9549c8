//go:build linux && (amd64 || arm64)

// Package libraries measures what a call of cuBLAS or cuFFT costs in Go.
package libraries

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
)

// record has the arguments of a C function, as an assembly-free cgocall takes them.
type variant struct {
	name string
	call func() error
}

const batch, rounds = 50, 400

// measure returns the median time of a call of each variant. They take turns, and the device is idle when a batch begins.
func measure(b *testing.B, s *cuda.Stream, variants []variant) map[string]float64 {
	times := make(map[string][]float64)
	for range rounds {
		for _, v := range variants {
			start := time.Now()
			for range batch {
				if err := v.call(); err != nil {
					b.Fatal(v.name, err)
				}
			}
			times[v.name] = append(times[v.name], float64(time.Since(start).Nanoseconds())/batch)
			if err := s.Synchronize(); err != nil {
				b.Fatal(err)
			}
		}
	}
	medians := make(map[string]float64)
	for name, list := range times {
		slices.Sort(list)
		medians[name] = list[len(list)/2]
	}
	return medians
}

// library opens a library that the process has loaded already, by the path in the list of its mappings.
func library(b *testing.B, name string) uintptr {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if i := strings.Index(line, "/"); i >= 0 && strings.Contains(line, "/"+name+".so") {
			handle, err := purego.Dlopen(strings.TrimSpace(line[i:]), purego.RTLD_NOW)
			if err != nil {
				b.Fatal(err)
			}
			return handle
		}
	}
	b.Fatal(name, " is not loaded")
	return 0
}

func symbol(b *testing.B, handle uintptr, name string) uintptr {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		b.Fatal(err)
	}
	return address
}

func need[T any](b *testing.B) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
}

// BenchmarkCalls compares calls in Go with a C loop that makes the same calls: CUDAGEN_LIBRARY_LOOPS is the library of loops.c.
func BenchmarkCalls(b *testing.B) {
	if os.Getenv("CUDAGEN_LIBRARY_LOOPS") == "" {
		b.Skip("CUDAGEN_LIBRARY_LOOPS names no library of loops.c")
	}
	for b.Loop() { // what follows takes its own times
	}
	loops := need[uintptr](b)(purego.Dlopen(os.Getenv("CUDAGEN_LIBRARY_LOOPS"), purego.RTLD_NOW))
	var call func(kind int32, function, handle, x, y, z, count uintptr) float64
	purego.RegisterLibFunc(&call, loops, "calls")
	d := need[*cuda.Device](b)(cuda.Open(0))
	defer d.Close()
	s := need[*cuda.Stream](b)(d.NewStream())
	h := need[*cublas.Handle](b)(cublas.NewHandle(d))
	defer h.Close()
	plan := need[*cufft.Plan](b)(cufft.NewPlan1D(d, 1024, cufft.C2C, 1))
	defer plan.Close()
	x := need[*cuda.Buffer[float32]](b)(cuda.Upload(s, make([]float32, 4096)))
	y := need[*cuda.Buffer[float32]](b)(cuda.Upload(s, make([]float32, 4096)))
	z := need[*cuda.Buffer[float32]](b)(cuda.Upload(s, make([]float32, 4096)))
	c := need[*cuda.Buffer[complex64]](b)(cuda.Upload(s, make([]complex64, 1024)))
	variants := []variant{
		{"saxpy", func() error { return h.Saxpy(s, 1024, 2, x.All(), 1, y.All(), 1) }},
		{"sgemm", func() error {
			return h.Sgemm(s, cublas.OpN, cublas.OpN, 64, 64, 64, 1, x.All(), 64, y.All(), 64, 0, z.All(), 64)
		}},
		{"fft", func() error { return plan.ExecC2C(s, c.All(), c.All(), cufft.Forward) }},
	}
	for _, v := range variants { // loads what is loaded late
		for range 10 {
			if err := v.call(); err != nil {
				b.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(100, func() { v.call() }); n != 0 {
			b.Errorf("%s allocates %v times", v.name, n)
		}
	}
	blas, fft := library(b, "libcublas"), library(b, "libcufft")
	stream := need[uintptr](b)(s.Handle())
	err := d.Do(func() error {
		create := symbol(b, blas, "cublasCreate_v2")
		var handle uintptr
		purego.SyscallN(create, uintptr(unsafe.Pointer(&handle)))
		purego.SyscallN(symbol(b, blas, "cublasSetStream_v2"), handle, stream)
		var own uint32
		purego.SyscallN(symbol(b, fft, "cufftPlan1d"), uintptr(unsafe.Pointer(&own)), 1024, uintptr(cufft.C2C), 1)
		purego.SyscallN(symbol(b, fft, "cufftSetStream"), uintptr(own), stream)
		scalar := float32(2)
		direct := symbol(b, blas, "cublasSaxpy_v2_64")
		variants = append(variants, variant{"saxpy-purego", func() error {
			purego.SyscallN(direct, handle, 1024, uintptr(unsafe.Pointer(&scalar)), uintptr(x.All().Address()), 1, uintptr(y.All().Address()), 1)
			return nil
		}})
		inC := map[string]func() float64{
			"saxpy": func() float64 {
				return call(0, symbol(b, blas, "cublasSaxpy_v2_64"), handle, uintptr(x.All().Address()), uintptr(y.All().Address()), 0, batch)
			},
			"sgemm": func() float64 {
				return call(1, symbol(b, blas, "cublasSgemm_v2_64"), handle, uintptr(x.All().Address()), uintptr(y.All().Address()), uintptr(z.All().Address()), batch)
			},
			"fft": func() float64 {
				return call(2, symbol(b, fft, "cufftExecC2C"), uintptr(own), uintptr(c.All().Address()), 0, 0, batch)
			},
		}
		cTimes := make(map[string][]float64)
		medians := make(map[string][]float64)
		for range 5 {
			for name, median := range measure(b, s, variants) {
				medians[name] = append(medians[name], median)
			}
			for range rounds {
				for name, f := range inC {
					cTimes[name] = append(cTimes[name], f())
					if err := s.Synchronize(); err != nil {
						return err
					}
				}
			}
		}
		for name := range inC {
			slices.Sort(cTimes[name])
			slices.Sort(medians[name])
			c, g := cTimes[name][len(cTimes[name])/2], medians[name][len(medians[name])/2]
			b.ReportMetric(c, name+"-C-ns")
			b.ReportMetric(g, name+"-Go-ns")
			b.ReportMetric(g-c, name+"-more-ns")
		}
		slices.Sort(medians["saxpy-purego"])
		b.ReportMetric(medians["saxpy-purego"][2], "saxpy-purego-ns")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
