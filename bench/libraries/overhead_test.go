//go:build linux && (amd64 || arm64)

// Package libraries measures what a call of cuBLAS or cuFFT costs in Go.
package libraries

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
)

const batch, rounds = 50, 1001

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

// A call is what loops.c calls so.
type call struct {
	function, handle, x, y, z, kind uintptr
	context, push, pop              uintptr
}

// loops is the library of loops.c.
type loops struct {
	once uintptr // int once(struct call *)
	many func(c *call, count uintptr) float64
}

func openLoops(b *testing.B) *loops {
	file := os.Getenv("CUDAGEN_LIBRARY_LOOPS")
	if file == "" {
		b.Skip("CUDAGEN_LIBRARY_LOOPS names no library of loops.c")
	}
	handle := need[uintptr](b)(purego.Dlopen(file, purego.RTLD_NOW))
	l := &loops{once: symbol(b, handle, "once")}
	purego.RegisterLibFunc(&l.many, handle, "many")
	return l
}

// contestants are a loop in C over c, a loop in Go over runtime.cgocall of one such call, with the device's context current or made
// current by each call, and the call in Go.
func (l *loops) contestants(b *testing.B, s *cuda.Stream, name string, c call, inGo func() error) []*race.Contestant {
	with := c
	context, driver := need[uintptr](b)(s.Device().Handle()), library(b, "libcuda")
	with.context, with.push, with.pop = context, symbol(b, driver, "cuCtxPushCurrent_v2"), symbol(b, driver, "cuCtxPopCurrent_v2")
	crossing := func(c *call) func() error {
		return func() error {
			if race.Cgocall(l.once, unsafe.Pointer(c)) != 0 {
				return errors.New("a call in C failed")
			}
			return nil
		}
	}
	all := []*race.Contestant{
		{Name: name + "-C", Run: func() (float64, error) { return l.many(&c, batch), nil }},
		{Name: name + "-cgocall", Run: race.Repeat(batch, crossing(&c))},
		{Name: name + "-context", Run: race.Repeat(batch, crossing(&with))},
		{Name: name + "-Go", Run: race.Repeat(batch, inGo)},
	}
	for _, a := range all { // the device is idle when a batch begins
		run := a.Run
		a.Run = func() (float64, error) {
			ns, err := run()
			return ns, errors.Join(err, s.Synchronize())
		}
	}
	return all
}

// BenchmarkCalls compares calls in Go with those that C makes.
func BenchmarkCalls(b *testing.B) {
	l := openLoops(b)
	for b.Loop() { // what follows takes its own times
	}
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
	saxpy := func() error { return h.Saxpy(s, 1024, 2, x.All(), 1, y.All(), 1) }
	sgemm := func() error {
		return h.Sgemm(s, cublas.OpN, cublas.OpN, 64, 64, 64, 1, x.All(), 64, y.All(), 64, 0, z.All(), 64)
	}
	fft := func() error { return plan.ExecC2C(s, c.All(), c.All(), cufft.Forward) }
	for name, call := range map[string]func() error{"saxpy": saxpy, "sgemm": sgemm, "fft": fft} {
		if err := call(); err != nil { // loads what is loaded late
			b.Fatal(name, err)
		}
		if n := testing.AllocsPerRun(100, func() { call() }); n != 0 {
			b.Errorf("%s allocates %v times", name, n)
		}
	}
	err := d.Do(func() error {
		handle, own := inC(b, s, 1024, 1)
		at := func(x cuda.Slice[float32]) uintptr { return uintptr(x.Address()) }
		blas, transforms := library(b, "libcublas"), library(b, "libcufft")
		contests := map[string][]*race.Contestant{
			"saxpy": l.contestants(b, s, "saxpy", call{function: symbol(b, blas, "cublasSaxpy_v2_64"), handle: handle, x: at(x.All()), y: at(y.All())}, saxpy),
			"sgemm": l.contestants(b, s, "sgemm", call{function: symbol(b, blas, "cublasSgemm_v2_64"), handle: handle, x: at(x.All()), y: at(y.All()), z: at(z.All()), kind: 1}, sgemm),
			"fft":   l.contestants(b, s, "fft", call{function: symbol(b, transforms, "cufftExecC2C"), handle: own, x: uintptr(c.All().Address()), kind: 2}, fft),
		}
		for name, all := range contests {
			if err := race.Run(all, rounds); err != nil {
				return err
			}
			for i, c := range all {
				b.ReportMetric(c.Median(), c.Name+"-ns")
				if i > 0 {
					more := race.Compare(all[3], all[i-1], race.Minus)
					b.ReportMetric(more.Median, name+"-Go-over-"+strings.TrimPrefix(all[i-1].Name, name+"-")+"-ns")
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// inC makes a handle of cuBLAS and a plan of cuFFT, as C does, on the stream.
func inC(b *testing.B, s *cuda.Stream, length, transforms uintptr) (handle, plan uintptr) {
	stream := need[uintptr](b)(s.Handle())
	blas, fft := library(b, "libcublas"), library(b, "libcufft")
	purego.SyscallN(symbol(b, blas, "cublasCreate_v2"), uintptr(unsafe.Pointer(&handle)))
	purego.SyscallN(symbol(b, blas, "cublasSetStream_v2"), handle, stream)
	var number uint32
	purego.SyscallN(symbol(b, fft, "cufftPlan1d"), uintptr(unsafe.Pointer(&number)), length, uintptr(cufft.C2C), transforms)
	purego.SyscallN(symbol(b, fft, "cufftSetStream"), uintptr(number), stream)
	return handle, uintptr(number)
}

// BenchmarkLarge compares work that takes milliseconds with that of the same calls in C, with handles of the same settings, one after the other.
func BenchmarkLarge(b *testing.B) {
	l := openLoops(b)
	for b.Loop() { // what follows takes its own times
	}
	const n, length, transforms = 4096, 1 << 20, 16
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
	sgemm := func() error {
		return h.Sgemm(s, cublas.OpN, cublas.OpN, n, n, n, 1, x.All(), n, y.All(), n, 0, z.All(), n)
	}
	fft := func() error { return plan.ExecC2C(s, c.All(), c.All(), cufft.Forward) }
	if err := errors.Join(sgemm(), fft()); err != nil {
		b.Fatal(err)
	}
	// done times a call and its work.
	done := func(f func() error) func() (float64, error) {
		return func() (float64, error) {
			start := time.Now()
			err := errors.Join(f(), s.Synchronize())
			return float64(time.Since(start).Nanoseconds()), err
		}
	}
	err := d.Do(func() error {
		handle, own := inC(b, s, length, transforms)
		one := func(c call) func() error { return func() error { l.many(&c, 1); return nil } }
		at := func(x cuda.Slice[float32]) uintptr { return uintptr(x.Address()) }
		inC := map[string]func() error{
			"sgemm": one(call{function: symbol(b, library(b, "libcublas"), "cublasSgemm_v2_64"), handle: handle, x: at(x.All()), y: at(y.All()), z: at(z.All()), kind: 3}),
			"fft":   one(call{function: symbol(b, library(b, "libcufft"), "cufftExecC2C"), handle: own, x: uintptr(c.All().Address()), kind: 2}),
		}
		for name, inGo := range map[string]func() error{"sgemm": sgemm, "fft": fft} {
			all := []*race.Contestant{{Name: name + "-C", Run: done(inC[name])}, {Name: name + "-Go", Run: done(inGo)}}
			if err := race.Run(all, 201); err != nil {
				return err
			}
			b.ReportMetric(all[0].Median()/1e3, name+"-C-us")
			b.ReportMetric(all[1].Median()/1e3, name+"-Go-us")
			b.ReportMetric(race.Compare(all[1], all[0], race.Ratio).Median, name+"-ratio")
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
